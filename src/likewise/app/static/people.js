// The page of readers: links are made and taken back, roles changed, people removed.

import { fetchedPage, post, troubleOf } from "./lib/api.js";
import { byId, every, say, wake } from "./lib/dom.js";
import { ago } from "./lib/timing.js";

const WORDS = {
  unreachable: "The server does not answer: try again.",
  made: "Send this link to whom you want to let in:",
  madeFor: (who) => `Send this link to ${who}, and to nobody else:`,
  copied: "Copied.",
  select: "Select the link and copy it yourself.",
  sure: { "/api/remove": "Sure: remove", "/api/revoke": "Sure: revoke" },
};
const PATIENCE = 5_000; // milliseconds in which a second click is meant

async function tried(work) {
  say(byId("trouble"), null);
  try {
    await work();
  } catch (error) {
    say(byId("trouble"), troubleOf(error, WORDS.unreachable));
  }
}

async function drawAnew() {
  const fresh = await fetchedPage();
  const found = fresh?.getElementById("found");
  if (!found) return;
  byId("found").replaceWith(document.adoptNode(found));
  enliven();
}

function enliven() {
  for (const time of every("#found time")) {
    const date = new Date(time.dateTime);
    const isPast = date.getTime() <= Date.now();
    time.textContent = isPast ? ago(date.getTime() / 1000) : date.toLocaleDateString("en");
    time.title = date.toLocaleString("en", { dateStyle: "full", timeStyle: "medium" });
  }
  wake("#found button, #invite button");
  for (const choice of every("#found select")) choice.disabled = false;
}

// What cannot be taken back asks for a second click.
function isSure(button) {
  if (button.dataset.sure) return true;
  const before = button.textContent;
  button.dataset.sure = "true";
  button.textContent = WORDS.sure[button.dataset.path];
  setTimeout(() => {
    delete button.dataset.sure;
    button.textContent = before;
  }, PATIENCE);
  return false;
}

async function invite(wanted) {
  const { address } = await post("/api/invite", wanted);
  byId("link").value = address;
  byId("made").hidden = false;
  byId("made-words").textContent = wanted.who ? WORDS.madeFor(wanted.who) : WORDS.made;
  byId("link").select();
  await drawAnew();
}

async function copy() {
  byId("link").select();
  try {
    await navigator.clipboard.writeText(byId("link").value);
    byId("made-words").textContent = WORDS.copied;
  } catch {
    byId("made-words").textContent = WORDS.select; // not allowed, or plain http
  }
}

function click({ target }) {
  const acts = target.closest("[data-path]");
  const links = target.closest("[data-link]");
  if (acts && isSure(acts)) {
    const { path, body } = acts.dataset;
    tried(() => post(path, JSON.parse(body)).then(drawAnew));
  } else if (links) {
    tried(() => invite({ who: links.dataset.link, role: links.dataset.role }));
  }
}

function choose({ target }) {
  const { who, role } = target.dataset;
  if (!who) return;
  tried(() => post("/api/role", { who, role: target.value }).then(drawAnew)).then(() => {
    if (!byId("trouble").hidden) target.value = role;
  });
}

function submit(event) {
  event.preventDefault();
  const people = byId("people").value;
  tried(() => invite({
    role: byId("role").value,
    days: byId("days").valueAsNumber,
    people: people === "" ? null : Number(people),
  }));
}

document.addEventListener("click", click);
document.addEventListener("change", choose);
byId("invite")?.addEventListener("submit", submit);
byId("copy")?.addEventListener("click", copy);
enliven();
