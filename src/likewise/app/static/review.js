// Looking through items and putting them right: only what is selected is ever touched.

import { Chooser } from "./chooser.js";
import { byId } from "./dom.js";
import { isTyping, openKeys, plain, wireKeys } from "./keys.js";
import { wireLarge } from "./large.js";
import { Merging } from "./merging.js";
import { openNaming, wireNaming } from "./naming.js";
import { wake } from "./redraw.js";
import { Selection, itemOf } from "./selection.js";
import { Sender, say } from "./sending.js";
import { changeHints } from "./settings.js";
import { Splitting } from "./splitting.js";

const WORDS = {
  none: "Nothing selected",
  chosen: (number, total) => `${number.toLocaleString("en")} of ${total.toLocaleString("en")} selected`,
  nothing: "Nothing is selected: click items, or press A for all that are shown.",
  noUndo: "There is nothing of yours to undo.",
  move: "Move to which group?",
  merge: "Merge with which group?",
};
const LETTERS = {
  c: "confirm", r: "reject", m: "move", n: "new", x: "aside", z: "undo", a: "all",
  d: "different", u: "unsure", s: "same", e: "rename", g: "merge", p: "split", "?": "keys",
};
const ON_CHOSEN = ["confirm", "reject", "move", "new", "aside", "back"];
const page = () => byId("review").dataset;

// The selection

const selection = new Selection(byId("review"), showChosen);

function showChosen() {
  const { length } = selection.items;
  byId("chosen").textContent = length > 0 ? WORDS.chosen(length, Number(page().size)) : WORDS.none;
  for (const button of document.querySelectorAll("[data-do]")) {
    const name = button.dataset.do;
    const isOff = ON_CHOSEN.includes(name) ? length === 0 : name === "undo" && !sender.canUndo;
    button.setAttribute("aria-disabled", `${isOff}`);
  }
}

function homesOf(items) {
  const homes = new Map(selection.picks.map((pick) =>
    [itemOf(pick), pick.closest("[data-home]").dataset.home]));
  return items.map((item) => homes.get(item)).filter(Boolean).map(Number);
}

// Acts

let next = []; // where the focus goes once the page is drawn anew

const sender = new Sender(() => {
  selection.none();
  if (!document.querySelector("dialog[open]")) selection.goTo(next);
});

async function act(path, body) {
  if (sender.isBusy) return;
  const focused = document.activeElement.closest?.(".pick");
  next = selection.chosen.size > 0 ? selection.followers() : [focused ? itemOf(focused) : -1];
  await sender.send(path, body);
}

function review(action, more = {}) {
  const { items } = selection;
  act("/api/review", { action, items, seen: homesOf(items), ...more });
}

const compare = (verdict) => act("/api/compare", {
  one: Number(page().group), other: Number(page().similar), verdict,
});

function move() {
  const near = homesOf(selection.items)[0] ?? null;
  const besides = page().group ? Number(page().group) : null;
  chooser.open(WORDS.move, near, besides, (group) => review("move", { group: group.id }));
}

function merge() {
  const mine = Number(page().group);
  chooser.open(WORDS.merge, mine, mine, (group) => merging.open([mine, group.id], mergeAll));
}

const mergeAll = (groups) => act("/api/merge", { groups });

async function offer(others, name) {
  const mine = Number(page().group);
  await merging.offer([mine, ...others], name, async (groups) => {
    if (page().name) await rename(name); // the latest name is what both are called
    await mergeAll(groups);
  }, () => rename(name));
}

const rename = (name) => act("/api/rename", { item: Number(page().group), name });

const DOES = {
  confirm: () => review("confirm"),
  reject: () => review("reject"),
  new: () => review("new"),
  aside: () => review("aside"),
  back: () => review("back"),
  move,
  same: () => compare("same"),
  different: () => compare("different"),
  unsure: () => compare("unsure"),
  rename: openNaming,
  merge,
  split: () => splitting.open(Number(page().group), page().called),
  undo: () => (sender.canUndo ? act("/api/undo", {}) : say(WORDS.noUndo, false)),
  all: () => selection.all(),
  keys: () => openKeys({ hints: page().hints === "true" }),
};

function perform(name) {
  if (sender.isBusy) return;
  if (ON_CHOSEN.includes(name) && selection.items.length === 0) say(WORDS.nothing, false);
  else DOES[name]();
}

// Keys and clicks

function press(event) {
  if (document.querySelector("dialog[open]") || isTyping(event.target)) return;
  if (event.key === "Escape") selection.none();
  const letter = event.key.toLowerCase();
  const isUndo = (event.ctrlKey || event.metaKey) && letter === "z" && !event.shiftKey;
  const name = isUndo ? "undo" : meant(event);
  if (name === null) return;
  event.preventDefault();
  perform(name);
}

/** What a key does here: only what has a button on this page, and A. */
function meant(event) {
  const isAsked = event.key === "?";
  const key = isAsked ? "?" : plain(event);
  const name = LETTERS[key] ?? null;
  if (name === "all") return name;
  const wanted = name === "aside" && page().tab === "set-aside" ? "back" : name;
  return document.querySelector(`[data-do="${wanted}"]`) ? wanted : null;
}

function click(event) {
  const button = event.target.closest("[data-do]");
  if (button && !button.disabled) perform(button.dataset.do);
  const face = event.target.closest(".enlarge:not([data-large])");
  face?.closest(".item").classList.toggle("whole");
}

const chooser = new Chooser();
const merging = byId("merging") ? new Merging() : null;
const splitting = byId("split")
  ? new Splitting(
    (body) => act("/api/split", body),
    (answer) => act("/api/unfuse", { answer }),
  )
  : null;

wireLarge();
wireNaming(rename, offer);
wireKeys((hints) => changeHints(hints, () => selection.none()));
document.addEventListener("keydown", press);
document.addEventListener("click", click);
wake();
selection.rove(selection.picks[0]);
showChosen();
await sender.resend();
