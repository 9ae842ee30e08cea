// The page of readers: links are made and taken back, roles changed, people removed.

import { fetchedPage, newId, post, troubleOf } from "./lib/api.js";
import { byId, every, say, wake } from "./lib/dom.js";
import { ago } from "./lib/timing.js";

const WORDS = {
  unreachable: "The server does not answer: try again.",
  made: "Send this link to whom you want to let in:",
  madeFor: (who) => `Send this link to ${who}, and to nobody else:`,
  copied: "Copied.",
  select: "Select the link and copy it yourself.",
  sure: {
    "/api/remove": "Sure: remove",
    "/api/revoke": "Sure: revoke",
    "/api/take-back": "Sure: take back all",
  },
};
const PATIENCE = 5_000; // milliseconds in which a second click is meant
const LOOKING = 2_000; // milliseconds after which a model that reads is looked at again
const NUMBERS = ["calls", "money", "price_in", "price_out"];

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
  const model = fresh.getElementById("model");
  if (model && byId("model")) byId("model").replaceWith(document.adoptNode(model));
  enliven();
}

function enliven() {
  for (const time of every("#found time")) {
    const date = new Date(time.dateTime);
    const isPast = date.getTime() <= Date.now();
    time.textContent = isPast ? ago(date.getTime() / 1000) : date.toLocaleDateString("en");
    time.title = date.toLocaleString("en", { dateStyle: "full", timeStyle: "medium" });
  }
  wake("#found button, #invite button, #model button");
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

// One act in the journal, which can be undone.
async function takeBack(wanted) {
  const { saved, act } = await post("/api/take-back", { ...wanted, client_id: newId() });
  byId("taken-words").textContent = saved;
  byId("bring-back").dataset.act = act;
  byId("taken").hidden = false;
  await drawAnew();
}

async function bringBack() {
  const act = Number(byId("bring-back").dataset.act);
  await post("/api/undo-act", { act, client_id: newId() });
  byId("taken").hidden = true;
  await drawAnew();
}

function startModel(form) {
  const said = Object.fromEntries(new FormData(form));
  for (const name of NUMBERS) said[name] = said[name] === "" ? null : Number(said[name]);
  for (const name of NUMBERS) if (said[name] === null && name !== "money") delete said[name];
  return post("/api/model/start", { ...said, may_leave: byId("model-leave").checked });
}

// As long as it reads, the page says how far it is.
async function follow() {
  if (["reading", "stopping"].includes(byId("model")?.dataset.state)) {
    await drawAnew().catch(() => {}); // the server is away: look again later
  }
  setTimeout(follow, LOOKING);
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
    const wanted = JSON.parse(body);
    const takes = path === "/api/take-back";
    tried(() => (takes ? takeBack(wanted) : post(path, wanted).then(drawAnew)));
  } else if (links) {
    tried(() => invite({ who: links.dataset.link, role: links.dataset.role }));
  } else if (target.closest("#bring-back")) {
    tried(bringBack);
  } else if (target.closest("#model-stop")) {
    tried(() => post("/api/model/stop", {}).then(drawAnew));
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
  if (event.target.id === "model-form") {
    tried(() => startModel(event.target).then(drawAnew));
    return;
  }
  const people = byId("people").value;
  tried(() => invite({
    role: byId("role").value,
    days: byId("days").valueAsNumber,
    people: people === "" ? null : Number(people),
  }));
}

document.addEventListener("click", click);
document.addEventListener("change", choose);
document.addEventListener("submit", (event) => {
  if (["invite", "model-form"].includes(event.target.id)) submit(event);
});
byId("copy")?.addEventListener("click", copy);
enliven();
follow();
