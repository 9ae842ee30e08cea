// The sheet: members of a group on top, items below; what does not belong is tapped.

import { chip, nameOf, speakers, tile, tint } from "../lib/cards.js";
import { byId, counted, forSeek, made } from "../lib/dom.js";
import { Selection, itemOf } from "../lib/selection.js";
import {
  KEYS, draftOf, enlarge, fitTiles, hasRoom, keepDraft, keepPiles, pilesOf, toggleByKey,
} from "./tiles.js";

/** @typedef {import("../lib/messages.js").Pile} Pile */
/** @typedef {import("../lib/messages.js").Sheet} Sheet */

const ASKS = {
  groups: {
    task: { misfits: "Tap what does not belong here.", members: "Tap what belongs here." },
    alike: (number) => (number === 1 ? "Like this one" : "Like these"),
    all: { misfits: "All belong", members: "None belong" },
    others: { misfits: "The others belong", members: "The others do not belong" },
    tapped: { misfits: "does not belong", members: "belongs" },
  },
  duplicates: {
    task: { misfits: "Tap what is not the same.", members: "Tap what is the same." },
    alike: () => "The same as this one?",
    all: { misfits: "All are the same", members: "None is the same" },
    others: { misfits: "The others are the same", members: "The others are not the same" },
    tapped: { misfits: "not the same", members: "the same" },
  },
};
const WORDS = {
  before: "This was your answer before: change it, or send it again.",
  ...forSeek(ASKS),
  summary: {
    misfits: (number) => `${number} crossed out`,
    members: (number) => `${number} ticked`,
  },
  unsure: "not sure",
  unsureOf: (number) => `${number} not sure`,
  piled: (number) => `${number} put elsewhere`,
  looked: (number) => counted(number, "item"),
  elsewhere: "→ none of those",
  into: (name) => `→ ${name}`,
};
const SIGNS = { misfits: "✕", members: "✓", unsure: "?" };
const COLUMNS = 6; // of a row that are shown

/** @type {?Sheet} */
let sheet = null;
let unsure = new Set();
/** @type {(Pile & {called: string})[]} */
let piles = [];
let hear = null;

// A tap on what nobody is sure about takes that back, and marks nothing.
class Marks extends Selection {
  toggle(pick) {
    this.rove(pick);
    if (!unsure.delete(itemOf(pick))) super.toggle(pick);
    else this.show();
  }
}

/** @type {Marks} */
let marks = null;

/** Wire it; `changed()` hears of each mark. */
export function wireSheet(changed) {
  hear = changed;
  marks = new Marks(byId("sheet-items"), showMarks, { opens: false });
  new ResizeObserver(fitSheet).observe(byId("stage"));
}

// Showing

/**
 * The speakers and the items of a sheet, to be shown once their pictures are there.
 *
 * @param {Sheet} next
 */
export function drawSheet(next) {
  const order = next.speakers[0].columns.slice(0, COLUMNS).map((column) => column.name);
  return {
    speakers: speakers(next.speakers, order),
    items: next.items.map((card, at) => tile(card, { key: KEYS[at] ?? null, order })),
  };
}

/** Put a sheet on the page, with what was marked on it before. */
export function openSheet(next, { speakers: heads, items }) {
  const isSame = sheet?.id === next.id;
  sheet = next;
  byId("sheet-speakers").replaceChildren(...heads);
  byId("sheet-items").replaceChildren(...items);
  byId("sheet-items").className = `items items-${next.items[0].kind}`;
  byId("sheet").className = `screen sheet ${next.group ? tint(next.group) : ""}`;
  byId("sheet-group").replaceChildren(...headOf(next));
  byId("sheet-task").textContent = WORDS.task[next.tap];
  byId("sheet-before").textContent = WORDS.before;
  byId("sheet-before").hidden = !next.before;
  if (!isSame) byId("sheet").scrollTop = 0;
  const { before } = next;
  recall(before ? { ...before, piles: pilesOf(before.tapped) } : draftOf(next.id) ?? {});
  fitSheet();
}

function headOf({ group, speakers: { length } }) {
  if (!group) return [made("b", {}, WORDS.alike(length))];
  return [
    chip(group),
    made("b", {}, nameOf(group)),
    made("span", { class: "dim" }, WORDS.looked(group.size)),
  ];
}

// Some of what was marked may not be on the sheet any more.
function recall({ tapped = [], unsure: doubted = [], piles: kept = [] }) {
  const there = (items) => new Set(items.filter((item) =>
    sheet.items.some((card) => card.item === item)));
  unsure = there(doubted);
  piles = kept;
  marks.forget();
  marks.put(there(tapped));
  marks.rove(marks.picks[0]);
}

function fitSheet() {
  if (sheet && !byId("sheet").hidden) fitTiles(byId("sheet-items"), sheet.items[0].kind);
}

function showMarks() {
  for (const item of marks.chosen) unsure.delete(item);
  const misfits = new Set(misfitsOf());
  piles = piles
    .map((pile) => ({ ...pile, items: pile.items.filter((item) => misfits.has(item)) }))
    .filter((pile) => pile.items.length > 0);
  for (const pick of marks.picks) showMark(pick, itemOf(pick));
  keepDraft(sheet.id, { tapped: marks.items, unsure: [...unsure], piles });
  hear();
}

function showMark(pick, item) {
  const isTapped = marks.chosen.has(item);
  const isUnsure = unsure.has(item);
  const pile = piles.find(({ items }) => items.includes(item));
  const words = isTapped ? WORDS.tapped[sheet.tap] : null;
  pick.classList.toggle("crossed", isTapped && sheet.tap === "misfits");
  pick.classList.toggle("unsure", isUnsure);
  pick.querySelector(".tick").textContent = SIGNS[isUnsure ? "unsure" : sheet.tap];
  pick.querySelector(".said").textContent = pile?.called ?? (isUnsure ? WORDS.unsure : words);
}

// Marking

/** The items that do not belong, as it is marked now. */
const misfitsOf = () => sheet.items
  .map((card) => card.item)
  .filter((item) => !unsure.has(item) && marks.chosen.has(item) === (sheet.tap === "misfits"));

/** Mark the tile with a key; whether there is one. */
export const tapKey = (key) => toggleByKey(marks, key);

/** Say that nobody can tell about the item that has the focus, or was tapped last. */
export function doubt() {
  const item = marks.focused ? itemOf(marks.focused) : marks.from;
  if (item === null) return false;
  if (!unsure.delete(item)) unsure.add(item);
  const chosen = new Set(marks.chosen);
  chosen.delete(item);
  marks.put(chosen);
  marks.goTo([item]);
  return true;
}

export const enlargeTile = () => enlarge(marks.focused);

/** Go to the item that was left, or to the first one. */
export const goToTiles = () => marks.goTo(marks.from === null ? [] : [marks.from]);

// Sorting

/** What does not belong and was not put anywhere yet, if this sheet is for sorting. */
export function unsorted() {
  if (!sheet?.sorts || !hasRoom()) return [];
  const placed = new Set(piles.flatMap(({ items }) => items));
  return sheet.items.filter(({ item }) => misfitsOf().includes(item) && !placed.has(item));
}

/** Put misfits where they belong: into a group, or into none of those that were shown. */
export function putPile(items, group, unlike) {
  const called = group ? WORDS.into(nameOf(group)) : WORDS.elsewhere;
  piles.push({ items, group: group?.id ?? null, unlike, called });
  marks.show();
}

// Saying

/** The words of the one button: what it says, and what is marked. */
export function doneWords() {
  const { size } = marks.chosen;
  const placed = piles.flatMap(({ items }) => items).length;
  const below = [
    size > 0 ? WORDS.summary[sheet.tap](size) : null,
    unsure.size > 0 ? WORDS.unsureOf(unsure.size) : null,
    placed > 0 ? WORDS.piled(placed) : null,
  ].filter(Boolean).join(" · ");
  const isMarked = size + unsure.size > 0;
  return [(isMarked ? WORDS.others : WORDS.all)[sheet.tap], below];
}

/** The filled-in sheet, as it is sent. */
export function filledSheet() {
  keepPiles(marks.items, piles);
  return {
    screen: sheet.id,
    tapped: marks.items,
    unsure: [...unsure],
    piles: piles.map(({ items, group, unlike }) => ({ items, group, unlike })),
  };
}
