// Choosing a group: the most alike first, by a click, a digit, or a few letters.

import { get, troubleOf } from "../lib/api.js";
import { candidate, nameOf } from "../lib/cards.js";
import { byId, counted, wireClosing } from "../lib/dom.js";
import { plain } from "../lib/keys.js";

/** @typedef {import("../lib/messages.js").Group} Group */

const WORDS = {
  loading: "Looking for groups …",
  unreachable: "The groups could not be fetched: close this and try again.",
  empty: "There is no other group.",
  unfound: "No group is called so.",
  found: (number) => `${counted(number, "group")}, the most alike first`,
};
const MEMBERS = 4;
const MOST = 60; // shown at once; a name finds the others
const DIGITS = [..."123456789"];
const MOVES = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

/** @type {Group[]} */
let groups = [];
/** @type {Group[]} */
let found = []; // those that fit what was typed
let choose = null;

export function wireChooser() {
  wireClosing("chooser");
  byId("filter").addEventListener("input", show);
  byId("chooser").addEventListener("keydown", press);
}

/**
 * Let a person choose a group; `chosen(group)` hears which.
 *
 * `near` is an item or null, and the group `besides` is not offered.
 */
export async function openChooser(title, near, besides, chosen) {
  choose = chosen;
  [groups, found] = [[], []];
  byId("chooser-title").textContent = title;
  byId("filter").value = "";
  byId("choices").replaceChildren();
  byId("chooser-words").textContent = WORDS.loading;
  byId("chooser").showModal();
  try {
    const query = `members=${MEMBERS}${near === null ? "" : `&near=${near}`}`;
    const all = await get(`/api/groups?${query}`);
    groups = all.groups.filter((group) => group.id !== besides);
    show();
    (byId("choices").querySelector("button") ?? byId("chooser-close")).focus();
  } catch (error) {
    byId("chooser-words").textContent = troubleOf(error, WORDS.unreachable);
  }
}

function show() {
  const wanted = byId("filter").value.trim().toLowerCase();
  const isMeant = (group) => nameOf(group).toLowerCase().includes(wanted)
    || `${group.number}` === wanted;
  found = groups.filter(isMeant);
  byId("choices").replaceChildren(...found.slice(0, MOST).map((group, at) => candidate(group, {
    key: DIGITS[at] ?? null,
    words: counted(group.size, "item"),
    choose: () => done(group),
  })));
  const none = groups.length > 0 ? WORDS.unfound : WORDS.empty;
  byId("chooser-words").textContent = found.length > 0 ? WORDS.found(found.length) : none;
}

function done(group) {
  byId("chooser").close();
  choose(group);
}

function press(event) {
  const isTyped = event.target === byId("filter");
  if (event.key in MOVES && !(isTyped && event.key.match(/Left|Right/))) {
    event.preventDefault();
    step(MOVES[event.key]);
  } else if (isTyped) {
    if (event.key === "Enter" && found.length > 0) done(found[0]);
  } else {
    type(event, plain(event));
  }
}

function type(event, key) {
  const group = found[DIGITS.indexOf(key)];
  if (group) {
    event.preventDefault();
    done(group);
  } else if (key !== null && /^[\p{L}\p{N}/]$/u.test(key)) {
    if (key === "/") event.preventDefault();
    byId("filter").focus(); // the letter goes there
  }
}

function step(by) {
  const buttons = [...byId("choices").querySelectorAll("button")];
  const at = buttons.indexOf(document.activeElement);
  buttons[Math.min(Math.max(at + by, 0), buttons.length - 1)]?.focus();
}
