// Putting elsewhere what does not belong: select those of one kind, choose their group.

import { get, troubleOf } from "../lib/api.js";
import { candidate, pick } from "../lib/cards.js";
import { byId, counted, wireClosing } from "../lib/dom.js";
import { plain } from "../lib/keys.js";
import { Selection, itemOf } from "../lib/selection.js";

/** @typedef {import("../lib/messages.js").Candidates} Candidates */
/** @typedef {import("../lib/messages.js").Card} Card */

const WORDS = {
  loading: "Looking for groups …",
  unreachable: "The groups could not be fetched: close this and try again.",
  empty: "There is no other group.",
  choose: "Select items of one kind, then choose their group.",
  page: (chosen, from, to) =>
    `${counted(chosen, "item")} selected. Groups ${from} to ${to}, likeliest first`,
  likely: (probability) => `≈ ${Math.round(100 * probability)} %`,
};
const DIGITS = [..."123456789"];
const NONE = ["0", "n"];
const GUARD = 150; // milliseconds in which keys still mean the page before

let screen = 0; // the sheet
/** @type {Card[]} */
let left = []; // what was not put anywhere yet
/** @type {?Candidates} */
let found = null;
let seen = []; // the groups that were shown for the present pile
let openFrom = 0;
let turns = 0; // how often groups were asked for: replies to others than the last are late
let put = null;
/** @type {Selection} */
let selection = null;

/** Wire it; `putPile(items, group, unlike)` puts items into a group, or into none. */
export function wirePiles(putPile, closed) {
  put = putPile;
  wireClosing("piles");
  selection = new Selection(byId("piles-items"), choosing);
  byId("piles-none").addEventListener("click", none);
  byId("piles-more").addEventListener("click", () => turn(found.page + 1));
  byId("piles").addEventListener("keydown", press);
  byId("piles").addEventListener("close", closed);
  wireDragging();
}

/** Let a person put some items of a sheet where they belong. */
export function openPiles(id, cards) {
  screen = id;
  left = cards;
  byId("piles").showModal();
  begin();
}

export const closePiles = () => byId("piles").close();

// One pile: the first item is selected, others of its kind are added

function begin() {
  if (left.length === 0) {
    closePiles();
    return;
  }
  const items = left.map((card) => pick(card, { isConfirmed: false }));
  byId("piles-items").className = `items items-${left[0].kind}`;
  byId("piles-items").replaceChildren(...items);
  selection.forget();
  openFrom = 0;
  selection.put(new Set([left[0].item]));
  selection.goTo([left[0].item]);
  turn(0);
}

// Groups are fetched for the first item that is selected: they stay while others are added.
function choosing() {
  const isNone = selection.items.length === 0;
  if (isNone) forgetGroups(WORDS.choose);
  else if (byId("piles").open && found === null && openFrom === Infinity) turn(0);
  else if (found !== null) showWords();
}

function forgetGroups(words) {
  turns += 1;
  found = null;
  seen = [];
  openFrom = Infinity;
  byId("piles-groups").replaceChildren();
  byId("piles-words").textContent = words;
  for (const id of ["piles-none", "piles-more"]) byId(id).hidden = true;
}

async function turn(page) {
  const asked = selection.items;
  const before = page > 0 ? seen : [];
  forgetGroups(WORDS.loading);
  seen = before;
  openFrom = 0; // under way: not to be asked for twice
  const turned = turns;
  try {
    const query = asked.map((item) => `items=${item}`).join("&");
    const next = await get(`/api/candidates?${query}&page=${page}`);
    if (!byId("piles").open || turned !== turns) return;
    if (next.question === screen) show(next);
    else closePiles();
  } catch (error) {
    if (turned === turns) byId("piles-words").textContent = troubleOf(error, WORDS.unreachable);
  }
}

function show(next) {
  found = next;
  openFrom = performance.now() + GUARD;
  seen.push(...found.groups.map((group) => group.id));
  byId("piles-groups").replaceChildren(...found.groups.map((group, at) => {
    const choice = candidate(group, {
      key: DIGITS[at] ?? null,
      words: wordsOf(group),
      choose: () => chosen(group),
    });
    choice.firstElementChild.dataset.at = at;
    return choice;
  }));
  byId("piles-none").hidden = false;
  byId("piles-more").hidden = !found.has_more;
  showWords();
}

function wordsOf(group) {
  const items = counted(group.size, "item");
  return group.probability === null ? items : `${items} · ${WORDS.likely(group.probability)}`;
}

function showWords() {
  const { length } = found.groups;
  const from = seen.length - length;
  byId("piles-words").textContent = length > 0
    ? WORDS.page(selection.items.length, from + 1, from + length)
    : WORDS.empty;
}

// Choosing

function chosen(group) {
  const { items } = selection;
  if (found === null || items.length === 0) return;
  const unlike = group === null ? seen : [];
  found = null;
  left = left.filter((card) => !items.includes(card.item));
  put(items, group, unlike);
  begin();
}

const none = () => chosen(null);

function press(event) {
  const key = plain(event);
  if (key === null || !found || performance.now() < openFrom) return;
  const group = found.groups[DIGITS.indexOf(key)];
  if (NONE.includes(key)) none();
  else if (group) chosen(group);
  else return;
  event.preventDefault();
}

// Dragging, with a mouse: what is held is selected, and put where it is let go

const FAR = 8; // pixels from which on it is no click

function wireDragging() {
  byId("piles-items").addEventListener("pointerdown", (event) => {
    const tile = event.target.closest(".item");
    if (tile && event.pointerType === "mouse" && event.button === 0) hold(tile, event);
  });
  byId("piles-items").addEventListener("dragstart", (event) => event.preventDefault());
}

function hold(tile, { clientX: x, clientY: y }) {
  let ghost = null;
  const move = (event) => {
    const isFar = Math.hypot(event.clientX - x, event.clientY - y) > FAR;
    if (ghost === null && isFar) ghost = lift(tile);
    if (ghost === null) return;
    ghost.style.translate = `${event.clientX}px ${event.clientY}px`;
    aim(groupAt(event));
  };
  const drop = (event) => {
    document.removeEventListener("pointermove", move);
    document.removeEventListener("pointerup", drop);
    if (ghost === null) return;
    ghost.remove();
    aim(null);
    swallowClick();
    const target = groupAt(event);
    if (target === byId("piles-none")) none();
    else if (target && found) chosen(found.groups[Number(target.dataset.at)]);
  };
  document.addEventListener("pointermove", move);
  document.addEventListener("pointerup", drop);
}

function lift(tile) {
  const item = itemOf(tile);
  if (!selection.chosen.has(item)) selection.put(new Set([...selection.chosen, item]));
  const ghost = tile.querySelector(".face").cloneNode(true);
  ghost.classList.add("held");
  byId("piles").append(ghost);
  return ghost;
}

const groupAt = (event) => document.elementFromPoint(event.clientX, event.clientY)
  ?.closest("#piles-groups .candidate, #piles-none") ?? null;

function aim(target) {
  for (const one of byId("piles").querySelectorAll(".aimed")) one.classList.remove("aimed");
  target?.classList.add("aimed");
}

// The click that ends a drag selects nothing.
function swallowClick() {
  const swallow = (event) => event.stopPropagation();
  window.addEventListener("click", swallow, { capture: true, once: true });
  setTimeout(() => window.removeEventListener("click", swallow, { capture: true }), 0);
}
