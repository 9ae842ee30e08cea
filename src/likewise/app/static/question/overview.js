// The overview: groups at a glance; those that are the same are tapped, set by set.

import { groupTile } from "../lib/cards.js";
import { byId, forSeek } from "../lib/dom.js";
import { Selection, itemOf } from "../lib/selection.js";
import { KEYS, draftOf, enlarge, fitTiles, keepDraft, toggleByKey } from "./tiles.js";

/** @typedef {import("../lib/messages.js").Overview} Overview */

const TASKS = { groups: "Tap groups that are the same.", duplicates: "Tap what is the same thing." };
const WORDS = {
  task: forSeek(TASKS),
  before: "This was your answer before: change it, or send it again.",
  all: "All are different",
  others: "All others are different",
  sets: (letters) => `${letters.join(", ")}: the same`,
  one: "Tap the group that is the same, or tap it again.",
  alone: "Only one group is tapped: tap one that is the same, or tap it again.",
  same: (letter) => `the same: ${letter}`,
};
const LETTERS = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
const ENOUGH = 2;
const COLUMNS = 6; // of a row that are shown

/** @type {?Overview} */
let overview = null;
let sets = []; // of items that speak for groups, each set one group
let hear = null;

// A tap on a group of a finished set takes it out of there.
class Marks extends Selection {
  toggle(pick) {
    const item = itemOf(pick);
    const isIn = sets.some((set) => set.includes(item));
    this.rove(pick);
    if (isIn) {
      sets = sets.map((set) => set.filter((one) => one !== item))
        .filter((set) => set.length >= ENOUGH);
      this.show();
    } else super.toggle(pick);
  }
}

/** @type {Marks} */
let marks = null; // those of the set that is being made

/** Wire it; `changed()` hears of each mark. */
export function wireOverview(changed) {
  hear = changed;
  marks = new Marks(byId("overview-groups"), showMarks, { opens: false });
  new ResizeObserver(fitOverview).observe(byId("stage"));
}

// Showing

/**
 * The tiles of an overview, to be shown once their pictures are there.
 *
 * @param {Overview} next
 */
export function drawOverview(next) {
  const order = next.groups[0].speaker.columns.slice(0, COLUMNS).map((column) => column.name);
  return {
    items: next.groups.map((group, at) => groupTile(group, { key: KEYS[at] ?? null, order })),
  };
}

/** Put an overview on the page, with what was marked on it before. */
export function openOverview(next, { items }) {
  const isSame = overview?.id === next.id;
  overview = next;
  byId("overview-groups").replaceChildren(...items);
  byId("overview-task").textContent = WORDS.task;
  byId("overview-before").textContent = WORDS.before;
  byId("overview-before").hidden = !next.before;
  if (!isSame) byId("overview").scrollTop = 0;
  recall(next.before ? { sets: next.before } : draftOf(next.id) ?? {});
  fitOverview();
}

// Some of what was marked may not be on the overview any more.
function recall({ sets: kept = [], open = [] }) {
  const there = (items) => items.filter((item) =>
    overview.groups.some(({ speaker }) => speaker.item === item));
  sets = kept.map(there).filter((set) => set.length >= ENOUGH);
  marks.forget();
  marks.put(new Set(there(open)));
  marks.rove(marks.picks[0]);
}

function fitOverview() {
  if (overview && !byId("overview").hidden) fitTiles(byId("overview-groups"), "group");
}

const allSets = () => (marks.chosen.size > 0 ? [...sets, marks.items] : sets);

function showMarks() {
  const shown = allSets();
  for (const pick of marks.picks) {
    const letter = LETTERS[shown.findIndex((set) => set.includes(itemOf(pick)))] ?? null;
    pick.setAttribute("aria-pressed", `${letter !== null}`);
    pick.querySelector(".tick").textContent = letter ?? "";
    pick.querySelector(".said").textContent = letter ? WORDS.same(letter) : "";
  }
  keepDraft(overview.id, { sets, open: marks.items });
  hear();
}

// Marking

/** Mark the tile with a key; whether there is one. */
export const tapKey = (key) => toggleByKey(marks, key);

/** Whether enough are tapped for a set. */
export const isSet = () => marks.chosen.size >= ENOUGH;

/** Finish a set: the next taps begin another one. */
export function finishSet() {
  if (!isSet()) return false;
  sets.push(marks.items);
  marks.none();
  return true;
}

export const enlargeTile = () => enlarge(marks.focused);

export const goToTiles = () => marks.goTo(marks.from === null ? [] : [marks.from]);

// Saying

/** The words of the one button: what it says, and what is marked. */
export function doneWords() {
  const all = allSets().filter((set) => set.length >= ENOUGH);
  const below = marks.chosen.size === 1 ? WORDS.one : all.length > 0
    ? WORDS.sets(all.map((_, at) => LETTERS[at]))
    : "";
  return [all.length > 0 ? WORDS.others : WORDS.all, below];
}

/** Why an overview cannot be sent yet, or null. */
export const unfinished = () => (marks.chosen.size === 1 ? WORDS.alone : null);

/** The filled-in overview, as it is sent. */
export const filledOverview = () => ({ screen: overview.id, same: allSets() });
