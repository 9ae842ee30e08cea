// Choosing a group: most similar first, by a click, a digit, or a few letters.

import { get, troubleOf } from "../lib/api.js";
import { candidate } from "../lib/cards.js";
import { byId, counted, wireClosing } from "../lib/dom.js";
import { plain } from "../lib/keys.js";

/** @typedef {import("../lib/messages.js").Group} Group */

const WORDS = {
  loading: "Looking for groups …",
  unreachable: "The groups could not be fetched: close this and try again.",
  empty: "There is no other group.",
  unfound: "No group has that name.",
  found: (number) => `${counted(number, "group")}, most similar first`,
};
const MEMBERS = 4;
const MOST = 60; // shown at once; a name finds the others
const DIGITS = [..."123456789"];
const MOVES = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

/** @type {Group[]} */
let found = []; // those that are shown
let asked = null; // what is being looked for
let choose = null;

export function wireChooser() {
  wireClosing("chooser");
  byId("filter").addEventListener("input", look);
  byId("chooser").addEventListener("keydown", press);
}

/**
 * Let a person choose a group; `chosen(group)` hears which.
 *
 * `near` is an item or null, and the group `besides` is not offered.
 */
export async function openChooser(title, near, besides, chosen) {
  choose = chosen;
  asked = { near, besides };
  byId("chooser-title").textContent = title;
  byId("filter").value = "";
  byId("choices").replaceChildren();
  byId("chooser-words").textContent = WORDS.loading;
  byId("chooser").showModal();
  if (await look()) (byId("choices").querySelector("button") ?? byId("chooser-close")).focus();
}

// Groups that fit what was typed; whether they are still what is wanted.
async function look() {
  const mine = { ...asked, called: byId("filter").value.trim() };
  asked = mine;
  found = []; // Enter means none of those before
  const query = new URLSearchParams({ members: MEMBERS, most: MOST + 1, called: mine.called });
  if (mine.near !== null) query.set("near", mine.near);
  try {
    const reply = await get(`/api/groups?${query}`);
    if (asked === mine) show(reply, mine);
  } catch (error) {
    if (asked === mine) byId("chooser-words").textContent = troubleOf(error, WORDS.unreachable);
  }
  return asked === mine;
}

function show({ groups, total }, { besides, called }) {
  const others = groups.filter((group) => group.id !== besides);
  const number = total - (groups.length - others.length);
  found = others.slice(0, MOST);
  byId("choices").replaceChildren(...found.map((group, at) => candidate(group, {
    key: DIGITS[at] ?? null,
    words: counted(group.size, "item"),
    choose: () => done(group),
  })));
  const none = called ? WORDS.unfound : WORDS.empty;
  byId("chooser-words").textContent = number > 0 ? WORDS.found(number) : none;
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
