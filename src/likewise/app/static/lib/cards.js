// Items as people see them (a picture, a text, the row of a table), and groups of them.

import { counted, drawn, made, numeral } from "./dom.js";
import { keycap } from "./keys.js";

/** @typedef {import("./messages.js").Card} Card */
/** @typedef {import("./messages.js").Column} Column */
/** @typedef {import("./messages.js").Group} Group */
/** @typedef {import("./messages.js").Question} Question */

const WORDS = {
  sample: "This one",
  against: "Another one",
  group: "Group",
  gone: "file is gone",
  changed: "file has changed",
  differs: "differs",
  further: "More of this group",
  name: "Name this group",
  column: "Column",
  value: "Value",
  larger: "Show it larger",
  enlarge: (title) => `Show ${title} larger`,
  confirmed: "confirmed",
  alike: (number) => `${numeral(number)} copies`,
  copies: (number) => `${numeral(number)} files or rows with the same content`,
};
const IN_STRIP = 3; // columns of a row that are shown in small
const IN_SMALL = 240; // characters of a text that are
const IN_TILE = 3000; // characters of a text that can be unfolded
const IN_DIALOG = { image: 6, text: 1, row: 1 }; // items of a group that dialogs show
const ON_CARD = "(max-width: 40rem) 100vw, 50vw"; // how wide pictures are on the page
const ON_TILE = "16rem";
const IN_ROW = "6rem";

// Pictures

/**
 * A small picture in both sizes: the browser takes the one that is sharp on its screen.
 * One that no server has is there in one size.
 */
export const sizes = (thumb, wide = ON_CARD) => (thumb.startsWith("/")
  ? { src: thumb, srcset: `${thumb} 480w, ${thumb}&size=960 960w`, sizes: wide }
  : { src: thumb });

const photo = (card, wide) => made("img", { ...sizes(card.thumb, wide), alt: card.title });

/** What opens an item in large. */
const opens = (card) => ({
  "data-large": card.picture ?? "",
  "data-face": card.item,
  "data-kind": card.picture ? "image" : card.kind,
  "data-title": card.title,
});

// Groups

const N_TINTS = 24; // colours that can be told apart; beyond, the shape differs too
const N_FORMS = 3;

export const tint = (group) => `tint-${group.number % N_TINTS}`;

const form = (group) => `form-${Math.floor((group.number - 1) / N_TINTS) % N_FORMS}`;

export const nameOf = (group) =>
  group.name || (group.number > 0 ? `${WORDS.group} ${group.number}` : WORDS.group);

export const chip = (group) =>
  made("span", { class: `chip ${tint(group)} ${form(group)}`, "aria-hidden": "true" }, `${group.number}`);

export const tally = (size, confirmed) =>
  `${counted(size, "item")} · ${numeral(confirmed)} ${WORDS.confirmed}`;

/**
 * A group to choose, with some of its items; `choose()` is called when it is.
 *
 * @param {Group} group
 * @param {{key: ?string, order?: string[], words: string, choose: () => void}} how
 *   `order` names the columns that are shown of rows.
 */
export function candidate(group, { key, order, words, choose }) {
  const button = made(
    "button",
    { type: "button", class: `candidate ${tint(group)}` },
    ...glance(group, { key, order, words }),
  );
  button.addEventListener("click", choose);
  return made("li", {}, button);
}

// A group at a glance: what it is called, some of its items, and words about it.
function glance(group, { key, order, words }) {
  return [
    made(
      "span",
      { class: "candidate-head" },
      key === null ? null : keycap(key),
      group.number > 0 ? chip(group) : null,
      made("b", {}, nameOf(group)),
    ),
    made(
      "span",
      { class: `members members-${group.members[0]?.kind}` },
      ...group.members.map((member) => small(member, order)),
    ),
    made("span", { class: "size" }, words),
  ];
}

/** A group with its strip, as dialogs show it. */
export function groupRow(group) {
  return made(
    "li",
    { class: `merging-group ${tint(group)}` },
    made(
      "p",
      { class: "group-head" },
      chip(group),
      made("b", {}, nameOf(group)),
      made("span", { class: "dim" }, tally(group.size, group.confirmed)),
    ),
    strip(group.members),
  );
}

/** Some items in a row, as dialogs show them. */
export function strip(cards) {
  const kind = cards[0]?.kind ?? "image";
  const shown = cards.slice(0, IN_DIALOG[kind]);
  return made(
    "ul",
    { class: `strip strip-${kind}` },
    ...shown.map((card) => made("li", {}, small(card))),
  );
}

// The two cards of a question

/**
 * Both cards of a question.
 *
 * @param {Question} question
 * @param {boolean} canName Whether the group of the right one may be named here.
 */
export function pairOf(question, canName = true) {
  const { sample, against, group } = question;
  return [
    card("sample", [made("h2", {}, WORDS.sample)], sample, against, null),
    card(
      `against ${group ? tint(group) : ""}`,
      group ? groupHead(group, canName) : [made("h2", {}, WORDS.against)],
      against,
      sample,
      group,
    ),
  ];
}

function groupHead(group, canName) {
  const naming = { type: "button", class: "quiet name", "data-do": "name", title: WORDS.name };
  const name = canName ? made("button", naming, nameOf(group)) : nameOf(group);
  return [
    chip(group),
    made("h2", { class: "named", title: nameOf(group) }, name),
    made("p", { class: "size" }, counted(group.size, "item")),
  ];
}

function card(kind, head, item, other, group) {
  return made(
    "section",
    {
      class: `card ${kind} kind-${item.kind}`,
      "data-group": group?.id,
      "data-name": group?.name,
      "data-number": group?.number,
    },
    made(
      "div",
      { class: "card-head" },
      ...head,
      badge(item),
      alike(item),
      item.picture ? null : enlarger(item),
    ),
    made("div", { class: "card-body" }, whole(item, other)),
    made(
      "div",
      { class: "card-foot" },
      made("p", { class: "title", title: item.title }, item.title),
      group && group.members.length > 0 ? further(group, item) : null,
    ),
  );
}

function badge(item) {
  if (item.status === "here") return null;
  return made("span", { class: "badge" }, WORDS[item.status]);
}

// How many have the same content, where it is more than this one.
function alike(item) {
  if (!item.copies) return null;
  const number = item.copies + 1;
  return made("span", { class: "alike", title: WORDS.copies(number) }, WORDS.alike(number));
}

function further(group, item) {
  const order = item.columns.slice(0, IN_STRIP).map((column) => column.name);
  return made(
    "ul",
    { class: "strip", "aria-label": WORDS.further },
    ...group.members.map((member) => made(
      "li",
      {},
      member.picture ? picture(member, IN_ROW) : excerpt(member, order),
    )),
  );
}

// One item, in full and in small

/** All of an item; a row beside the row that it is compared with. */
export function whole(item, other) {
  if (item.kind === "image") return picture(item);
  if (item.kind === "row" && item.picture) {
    return made("div", { class: "pictured" }, picture(item), table(item, other));
  }
  if (item.kind === "row") return table(item, other);
  const text = { class: "text", tabindex: "0", "aria-label": item.title };
  return made("article", text, item.text ?? "");
}

// A button, since it opens the large picture.
function picture(item, wide) {
  return made(
    "button",
    { type: "button", class: "picture", ...opens(item), title: WORDS.larger },
    photo(item, wide),
  );
}

/** An item in small: its picture, the beginning of its text, or some columns. */
export function small(item, order, letters = IN_SMALL) {
  if (!item.thumb) return excerpt(item, order, letters);
  if (item.kind === "image") return photo(item, ON_TILE);
  return made("span", { class: "beside" }, photo(item, ON_TILE), excerpt(item, order));
}

function excerpt(item, order, letters = IN_SMALL) {
  const what = { class: "excerpt", title: item.title };
  if (item.kind === "text") return made("span", what, beginning(item.text ?? "", letters));
  const wanted = order ?? item.columns.slice(0, IN_STRIP).map((column) => column.name);
  const columns = wanted.map((name) => item.columns.find((one) => one.name === name));
  return made("span", what, ...columns.filter(Boolean).map((column) => made(
    "span",
    { class: "pair" },
    made("span", {}, column.name),
    " ",
    made("b", {}, column.value),
  )));
}

/**
 * An item that can be selected.
 *
 * @param {Card} card
 */
export function pick(card, { isConfirmed }) {
  const lock = isConfirmed ? made("span", { class: "lock" }, WORDS.confirmed) : null;
  const count = alike(card);
  return selectable(
    card,
    "pick",
    made("span", { class: `face face-${card.kind}` }, small(card)),
    (lock || count) && made("span", { class: "caption" }, lock, count),
  );
}

/**
 * An item to look at and to mark; the page writes what it is marked as into `.said`.
 *
 * @param {Card} card
 * @param {{key: ?string, order?: string[]}} how
 *   `order` names the columns that are shown of rows.
 */
export function tile(card, { key, order }) {
  const found = selectable(
    card,
    "pick",
    made("span", { class: `face face-${card.kind}` }, small(card, order, IN_TILE)),
    made(
      "span",
      { class: "caption" },
      made("span", { class: "said" }),
      badge(card),
      alike(card),
    ),
    key && keycap(key),
  );
  found.append(enlarger(card));
  return found;
}

/**
 * A group to mark in the same way, by the item that speaks for it.
 *
 * @param {{speaker: Card, more: Card[], number: number, name: string, size: number}} group
 */
export function groupTile(group, { key, order }) {
  const { speaker, more } = group;
  const members = [speaker, ...more];
  const [number, unit] = counted(group.size, "item").split(" ");
  const words = made("span", {}, number, made("span", { class: "unit" }, ` ${unit}`));
  const found = selectable(
    speaker,
    `pick ${tint(group)}`,
    ...glance({ ...group, members }, { key, order, words }),
    made("span", { class: "said" }),
  );
  found.append(enlarger(speaker));
  return found;
}

const selectable = (card, kind, ...inside) =>
  made("li", { class: "item", "data-item": card.item }, made(
    "button",
    { type: "button", class: kind, "aria-pressed": "false", tabindex: "-1" },
    ...inside,
    made("span", { class: "tick", "aria-hidden": "true" }, "✓"),
  ));

const enlarger = (card) => made(
  "button",
  {
    type: "button",
    class: "enlarge",
    tabindex: "-1",
    "aria-label": WORDS.enlarge(card.title),
    ...opens(card),
  },
  drawn(
    "svg",
    { viewBox: "0 0 16 16", "aria-hidden": "true" },
    drawn("path", { d: "M9 2h5v5M14 2 9 7M7 14H2V9M2 14l5-5" }),
  ),
);

/** Items that speak for a group; pictures open large. */
export const speakers = (cards, order) => cards.map((card) => made(
  "li",
  { class: `speaker speaker-${card.picture ? "image" : card.kind}` },
  card.picture ? picture(card, IN_ROW) : excerpt(card, order),
));

const beginning = (text, letters) =>
  (text.length > letters ? `${text.slice(0, text.lastIndexOf(" ", letters))} …` : text);

// Rows

function table(item, other) {
  const others = new Map(other.columns.map((column) => [column.name, column.value]));
  return made(
    "div",
    { class: "rows", tabindex: "0", role: "region", "aria-label": item.title },
    made(
      "table",
      {},
      made("thead", {}, made(
        "tr",
        {},
        made("th", { scope: "col" }, WORDS.column),
        made("th", { scope: "col" }, WORDS.value),
      )),
      made("tbody", {}, ...item.columns.map((column) =>
        row(column, others.get(column.name) ?? ""))),
    ),
  );
}

function row(column, other) {
  const marked = { class: "mark", role: "img", "aria-label": WORDS.differs };
  const mark = made("span", marked, "≠");
  return made(
    "tr",
    { class: column.differs ? "differs" : null },
    made("th", { scope: "row" }, column.name),
    made("td", {}, made(
      "div",
      { class: "cell" },
      made("span", { class: "value" }, column.differs ? mark : null, column.value),
      bar(column.value, other),
    )),
  );
}

function bar(value, other) {
  if (value.trim() === "" || other.trim() === "") return null;
  const [mine, theirs] = [Number(value), Number(other)];
  if (!Number.isFinite(mine) || !Number.isFinite(theirs)) return null;
  const low = Math.min(0, mine, theirs);
  const range = Math.max(0, mine, theirs) - low || 1;
  const from = (100 * (Math.min(mine, 0) - low)) / range;
  const length = Math.max((100 * Math.abs(mine)) / range, 0.5);
  return drawn(
    "svg",
    { class: "bar-of", viewBox: "0 0 100 6", preserveAspectRatio: "none", "aria-hidden": "true" },
    drawn("rect", { class: "ground", width: 100, height: 6 }),
    drawn("rect", { x: from, width: length, height: 6 }),
  );
}
