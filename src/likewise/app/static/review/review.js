// Looking through items and putting them right: only what is selected is ever touched.

import { byId, greyOut, isDialogOpen, numeral } from "../lib/dom.js";
import { openTogether, wireLarge } from "../lib/large.js";
import { Selection, itemOf } from "../lib/selection.js";
import { resend, tell } from "../lib/sending.js";
import { act, canUndo, facts, wireActing } from "./acting.js";
import { openChooser, wireChooser } from "./chooser.js";
import { offerMerging, openMerging, wireMerging } from "./merging.js";
import { openNaming, wireNaming } from "../lib/naming.js";
import { openSplitting, wireSplitting } from "./splitting.js";

const WORDS = {
  none: "Nothing selected",
  chosen: (number, total) => `${numeral(number)} of ${numeral(total)} selected`,
  nothing: "Nothing is selected: click items, or press A to select all.",
  move: "Move to which group?",
  merge: "Merge with which group?",
};
const LETTERS = {
  c: "confirm", r: "reject", m: "move", n: "new", z: "undo", a: "all", v: "view",
  x: facts().tab === "set-aside" ? "back" : "aside",
  d: "different", u: "unsure", s: "same", e: "rename", g: "merge", p: "split", "?": "keys",
};
const ON_CHOSEN = ["confirm", "reject", "move", "new", "aside", "back"];

let next = []; // where the focus goes once the page is drawn anew

const group = () => Number(facts().group);

// The selection

const selection = new Selection(byId("review"), showChosen);

function showChosen() {
  const { length } = selection.items;
  byId("chosen").textContent = length > 0 ? WORDS.chosen(length, Number(facts().size)) : WORDS.none;
  greyOut((name) => (ON_CHOSEN.includes(name) ? length === 0 : name === "undo" && !canUndo()));
}

function homesOf(items) {
  const homes = new Map(selection.picks.map((pick) =>
    [itemOf(pick), pick.closest("[data-home]").dataset.home]));
  return items.map((item) => homes.get(item)).filter(Boolean).map(Number);
}

function noteFocus() {
  const focused = document.activeElement.closest?.(".pick");
  next = selection.chosen.size > 0 ? selection.followers() : [focused ? itemOf(focused) : -1];
}

function refocus() {
  selection.none();
  if (!isDialogOpen()) selection.goTo(next);
}

/** Show what is meant in large: two side by side, else one among all. */
function view() {
  const { meant } = selection;
  const openers = selection.picks.filter((pick) => meant.includes(itemOf(pick)))
    .map((pick) => pick.parentElement.querySelector(".enlarge"));
  if (openers.length === 2) openTogether(openers);
  else openers[0]?.click();
}

// Acts on what is selected

function review(action, more = {}) {
  const { items } = selection;
  act("/api/review", { action, items, seen: homesOf(items), ...more });
}

function move() {
  const near = homesOf(selection.items)[0] ?? null;
  const besides = facts().group ? group() : null;
  openChooser(WORDS.move, near, besides, (other) => review("move", { group: other.id }));
}

const onChosen = (does) => () => {
  if (selection.items.length === 0) tell(WORDS.nothing);
  else does();
};

// Acts on the group

const compare = (verdict) => act("/api/compare", {
  one: group(), other: Number(facts().similar), verdict,
});

const rename = (item, name) => act("/api/rename", { item, name });

const merge = (groups) => act("/api/merge", { groups });

const chooseMerge = () => openChooser(WORDS.merge, group(), group(), (other) =>
  openMerging([group(), other.id], merge));

function offerMerge(item, others, name) {
  offerMerging([item, ...others], name, async (groups) => {
    if (facts().name) await rename(item, name); // so that both are called the same
    await merge(groups);
  }, () => rename(item, name));
}

// Wiring

function wire() {
  wireActing({
    does: {
      confirm: onChosen(() => review("confirm")),
      reject: onChosen(() => review("reject")),
      move: onChosen(move),
      new: onChosen(() => review("new")),
      aside: onChosen(() => review("aside")),
      back: onChosen(() => review("back")),
      all: () => selection.all(),
      view,
      same: () => compare("same"),
      different: () => compare("different"),
      unsure: () => compare("unsure"),
      rename: () => openNaming(document.querySelector(".group-head")),
      merge: chooseMerge,
      split: () => openSplitting(group(), facts().called),
    },
    letters: LETTERS,
    letGo: () => selection.none(),
    before: noteFocus,
    drawn: refocus,
  });
  wireLarge();
  wireChooser();
  wireNaming(rename, offerMerge);
  if (byId("merging")) wireMerging();
  if (byId("split")) wireSplitting(act);
}

// Arrows and Space mean the items at once, unless there is a finger instead.
function goToItems() {
  const isFree = [document.body, null].includes(document.activeElement);
  if (isFree && window.matchMedia("(hover: hover)").matches) {
    selection.picks[0]?.focus({ preventScroll: true });
  }
}

document.addEventListener("keydown", (event) => {
  if (/^Arrow| /.test(event.key) && event.target === document.body) goToItems();
});

wire();
selection.rove(selection.picks[0]);
showChosen();
goToItems();
await resend();
