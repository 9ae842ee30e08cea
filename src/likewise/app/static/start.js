// The start page: what was sorted before, and a folder to choose.

import { get, post, troubleOf } from "./lib/api.js";
import { byId, every, made, numeral, say, wake } from "./lib/dom.js";

const WORDS = {
  opening: "Opening …",
  unreachable: "The app does not answer: start it again.",
  empty: "No folders or tables here.",
  folder: "folder",
  table: "table",
  more: (number) => `And ${numeral(number)} more: paste a path instead.`,
};
const MOMENT = 400; // milliseconds between looks at what is being opened

let isBusy = false;

// Choosing

function show({ path, way, holds, folders, tables, more }) {
  byId("way").replaceChildren(...way.map((one) => made("li", {}, goTo(one, one.name))));
  byId("holds").textContent = `Holds ${holds}`;
  byId("choose").dataset.path = path;
  const rows = [
    ...folders.map((one) => made("li", {}, goTo(one, WORDS.folder, one.name))),
    ...tables.map((one) => made("li", {}, opener(one))),
  ];
  const none = made("li", { class: "none" }, WORDS.empty);
  byId("places").replaceChildren(...(rows.length ? rows : [none]));
  byId("places").scrollTop = 0;
  say(byId("more"), more ? WORDS.more(more) : null);
}

function goTo({ path }, words, name = null) {
  const button = made("button", { type: "button", class: name ? null : "quiet" });
  button.append(...labelled(words, name));
  button.addEventListener("click", () => browse(path));
  return button;
}

const opener = ({ path, name }) =>
  made("button", { type: "button", "data-path": path }, ...labelled(WORDS.table, name));

const labelled = (words, name) =>
  (name === null ? [words] : [made("span", { class: "kind" }, words), name]);

async function browse(path) {
  try {
    show(await get(`/api/folders?path=${encodeURIComponent(path)}`));
    say(byId("trouble"), null);
    byId("places").querySelector("button")?.focus();
  } catch (error) {
    say(byId("trouble"), troubleOf(error, WORDS.unreachable));
  }
}

// Opening

async function open(path) {
  if (isBusy) return;
  isBusy = true;
  say(byId("trouble"), null);
  say(byId("opening"), WORDS.opening, byId("opening-words"));
  byId("opening").scrollIntoView({ block: "nearest" });
  try {
    let now = await post("/api/open", { path });
    while (now.status === "opening") {
      say(byId("opening"), now.words, byId("opening-words"));
      await new Promise((done) => { setTimeout(done, MOMENT); });
      now = await get(`/api/open/${now.id}`);
    }
    if (now.status === "open") window.location.assign(now.url);
    else fail(now.words);
  } catch (error) {
    fail(troubleOf(error, WORDS.unreachable));
  }
  isBusy = false;
}

function fail(words) {
  byId("opening").hidden = true;
  say(byId("trouble"), words);
  byId("trouble").scrollIntoView({ block: "nearest" });
}

// Wiring

document.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-path]");
  if (button) open(button.dataset.path);
});
byId("paste").addEventListener("submit", (event) => {
  event.preventDefault();
  open(byId("path").value);
});
window.addEventListener("pageshow", () => { byId("opening").hidden = !isBusy; });
show(JSON.parse(byId("listing").textContent));
wake(".start button");
if (every(".recent").length === 0) byId("choose").focus();
