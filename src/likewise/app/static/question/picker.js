// The picker: one item, and the groups that it may belong to.

import { candidate, tally, whole } from "../lib/cards.js";
import { byId, forSeek, made, say, wireClosing } from "../lib/dom.js";
import { keycap, plain } from "../lib/keys.js";

/** @typedef {import("../lib/messages.js").Candidates} Candidates */
/** @typedef {import("../lib/messages.js").Question} Question */

const WORDS = {
  loading: "Looking for groups …",
  empty: "There are no groups yet.",
  page: (from, to) => `Groups ${from} to ${to}, likeliest first`,
  more: "None of these: show more",
  last: forSeek({
    groups: "None of these: a new group",
    duplicates: "None of these: it is alone so far",
  }),
  likely: (probability) => `≈ ${Math.round(100 * probability)} %`,
};
const KEYS = [..."123456789abc"];
const COLUMNS = 6; // of a row: those in which the pair differs most
const NONE = ["0", "n"];
const GUARD = 150; // milliseconds in which keys still mean the page before

/** @type {Question} */
let question = null;
/** @type {?Candidates} */
let found = null;
let earlier = []; // groups of the pages before: the item is in none of them
let openFrom = 0;
let choose = null;
let fetched = null;

/**
 * Wire it.
 *
 * `chosen(question, group, rejected)` puts its item somewhere; `pageOf(page)` promises
 * `Candidates`, or fails with words for people.
 */
export function wirePicker(chosen, closed, pageOf) {
  [choose, fetched] = [chosen, pageOf];
  wireClosing("picker");
  byId("picker-none").addEventListener("click", none);
  byId("picker").addEventListener("keydown", press);
  byId("picker").addEventListener("close", closed);
}

/** Let a person say which group an item belongs to; `why` it opened, if by itself. */
export function openPicker(asked, why = null) {
  if (byId("picker").open) return;
  question = asked;
  earlier = [];
  byId("picker-sample").replaceChildren(made(
    "figure",
    {},
    whole(question.sample, question.against),
    made("figcaption", { class: "title" }, question.sample.title),
  ));
  say(byId("picker-why"), why);
  byId("picker").showModal();
  turn(0);
}

export const closePicker = () => byId("picker").close();

async function turn(page) {
  found = null;
  byId("picker-words").textContent = WORDS.loading;
  byId("picker-none").hidden = true;
  const asked = question.id;
  try {
    const next = await fetched(page);
    if (asked !== question.id || !byId("picker").open) return;
    if (next.question === asked) show(next);
    else closePicker();
  } catch (error) {
    byId("picker-words").textContent = error.message;
  }
}

function show(next) {
  found = next;
  openFrom = performance.now() + GUARD;
  const before = earlier.length;
  const shown = found.groups.map((group, at) => choice(group, KEYS[at]));
  byId("candidates").replaceChildren(...shown);
  byId("picker-words").textContent = shown.length > 0
    ? WORDS.page(before + 1, before + shown.length)
    : WORDS.empty;
  const other = byId("picker-none");
  other.replaceChildren(found.has_more ? WORDS.more : WORDS.last, " ", keycap("0"));
  other.hidden = false;
  (shown[0]?.firstElementChild ?? other).focus();
}

function choice(group, key) {
  const items = tally(group.size, group.confirmed);
  return candidate(group, {
    key,
    order: question.sample.columns.slice(0, COLUMNS).map((column) => column.name),
    words: group.probability === null ? items : `${items} · ${WORDS.likely(group.probability)}`,
    choose: () => pick(group.id),
  });
}

function press(event) {
  const key = plain(event);
  if (key === null || !found || performance.now() < openFrom) return;
  const group = found.groups[KEYS.indexOf(key)];
  if (NONE.includes(key)) none();
  else if (group) pick(group.id);
  else return;
  event.preventDefault();
}

function none() {
  if (!found) return;
  earlier.push(...found.groups.map((group) => group.id));
  if (found.has_more) turn(found.page + 1);
  else pick("new");
}

function pick(group) {
  if (!found) return;
  found = null;
  closePicker();
  choose(question.id, group, earlier);
}
