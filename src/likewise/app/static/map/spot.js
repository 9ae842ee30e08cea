// An item of the map, looked at: a small card beside it, and all of it in a dialog.

import { get } from "../lib/api.js";
import { chip, nameOf, small, whole } from "../lib/cards.js";
import { byId, made, wireClosing } from "../lib/dom.js";

const WORDS = {
  status: {
    confirmed: "confirmed", guessed: "guessed", deferred: "not sure", aside: "set aside",
  },
  group: (group) => `All of ${nameOf(group)}`,
  missing: "This cannot be shown now: the server does not answer.",
};
const MANY = 400; // cards that are kept
const GAP = 14; // pixels between an item and its card
const EDGE = 4; // and between the card and the edge
const NOTHING = { columns: [] }; // that a row would be compared with

const kept = new Map();
let shown = null; // the item beside which the small card is

/** The card of an item, fetched once. */
async function cardOf(item) {
  if (!kept.has(item)) {
    if (kept.size >= MANY) kept.delete(kept.keys().next().value);
    kept.set(item, get(`/api/map/${item}`));
    kept.get(item).catch(() => kept.delete(item));
  }
  return kept.get(item);
}

// The small card

export function hideSpot() {
  byId("spot").hidden = true;
  shown = null;
}

/** Let the small card be filled anew: the group of its item may be another one by now. */
export const forgetSpot = () => { shown = null; };

/** Show the small card: group and status at once, the rest when it is there. */
export async function showSpot(sheet, view, at) {
  const item = sheet.items[at];
  if (item !== shown) {
    shown = item;
    byId("spot-group").replaceChildren(...about(sheet, at));
    byId("spot-title").textContent = "";
    byId("spot-body").replaceChildren();
  }
  byId("spot").hidden = false;
  place(view, ...view.place(sheet.x[at], sheet.y[at]));
  const card = await cardOf(item).catch(() => null);
  if (shown !== item || card === null || byId("spot-title").textContent) return;
  byId("spot-title").textContent = card.title;
  byId("spot-body").replaceChildren(small(card));
}

// Beside the item, where there is more room, and never outside.
function place(view, x, y) {
  const { offsetWidth: width, offsetHeight: height, style } = byId("spot");
  const beside = x < view.width / 2 ? x + GAP : x - GAP - width;
  const left = Math.max(Math.min(beside, view.width - width - EDGE), EDGE);
  const top = Math.max(Math.min(y - height / 2, view.height - height - EDGE), EDGE);
  style.translate = `${Math.round(left)}px ${Math.round(top)}px`;
}

function about(sheet, at) {
  const group = sheet.groupOf(at);
  const status = made("span", { class: "dim" }, WORDS.status[sheet.statusOf(at)]);
  return group.number > 0
    ? [chip(group), made("b", { class: "title" }, nameOf(group)), status]
    : [status];
}

/** What a screen reader says of an item that was stepped to. */
export async function said(sheet, at) {
  const card = await cardOf(sheet.items[at]).catch(() => null);
  const group = sheet.groupOf(at);
  const where = group.number > 0 ? `${nameOf(group)}, ` : "";
  return `${card?.title ?? ""}: ${where}${WORDS.status[sheet.statusOf(at)]}`;
}

// The dialog

export const wireItem = () => wireClosing("opened");

/** Open all of an item, with the way to its group. */
export async function openItem(sheet, at) {
  const item = sheet.items[at];
  const group = sheet.groupOf(at);
  const link = byId("opened-link");
  link.hidden = group.number === 0;
  link.href = `/groups/${item}`;
  link.textContent = WORDS.group(group);
  byId("opened-group").replaceChildren(...about(sheet, at));
  byId("opened-title").textContent = "";
  byId("opened-body").replaceChildren();
  byId("opened").dataset.item = item;
  if (!byId("opened").open) byId("opened").showModal();
  try {
    const card = await cardOf(item);
    if (byId("opened").dataset.item !== `${item}`) return;
    byId("opened-title").textContent = card.title;
    byId("opened-body").replaceChildren(inFull(card));
  } catch {
    byId("opened-body").replaceChildren(made("p", { class: "notice" }, WORDS.missing));
  }
}

function inFull(card) {
  if (card.kind !== "image") return whole(card, NOTHING);
  return made("img", { src: card.picture, alt: card.title });
}
