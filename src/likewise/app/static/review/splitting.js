// The split dialog: the parts of a group, put right by hand, before anything is saved.

import { get, previewed, troubleOf } from "../lib/api.js";
import { pick, small, strip, tally } from "../lib/cards.js";
import { byId, called, counted, made, numeral, wireClosing } from "../lib/dom.js";
import { keycap, plain } from "../lib/keys.js";
import { Selection } from "../lib/selection.js";
import { ago } from "../lib/timing.js";
import { facts, sentence } from "./acting.js";

/** @typedef {import("../lib/messages.js").Fusing} Fusing */
/** @typedef {import("../lib/messages.js").Part} Part */

const WORDS = {
  title: (name) => `Split ${name}`,
  looking: "Looking for parts …",
  unreachable: "The server does not answer: close this and try again.",
  part: (number) => `Part ${number}`,
  more: (number) => `and ${numeral(number)} more`,
  to: (number) => `To part ${number}`,
  joined: (answer, at) => `These were joined by ${answer}, ${ago(at)}: take it back?`,
  mine: (answer) => `your answer ${answer}`,
  theirs: (answer, who) => `answer ${answer} of ${called(who)}`,
};
const COUNTS = [2, 3, 4, 5];

/** @type {Selection} */
let selection = null;
let group = null; // an item of what is split
let nParts = COUNTS[0];
/** @type {?{parts: Part[], fusing: ?Fusing}} */
let found = null;
let moved = new Map(); // items that were put into another part, and which

/** Wire the dialog; `act(path, body)` is called once a person has said so. */
export function wireSplitting(act) {
  selection = new Selection(byId("parts"), () => {});
  wireClosing("split");
  byId("split-do").addEventListener("click", () => done(() => act("/api/split", wanted())));
  byId("unfuse").addEventListener("click", () =>
    done(() => act("/api/unfuse", { answer: found.fusing.answer })));
  byId("n-parts").append(...COUNTS.map((number) =>
    button(() => look(number), { "data-parts": number }, `${number}`)));
  byId("split").addEventListener("keydown", press);
}

/** Show how the group of an item may fall apart. */
export function openSplitting(item, name) {
  group = item;
  byId("split-title").textContent = WORDS.title(name);
  byId("fusing").hidden = true;
  byId("parts").replaceChildren();
  byId("split").showModal();
  look(COUNTS[0]);
}

function button(click, attributes, ...children) {
  const one = made("button", { type: "button", ...attributes }, ...children);
  one.addEventListener("click", click);
  return one;
}

function done(act) {
  byId("split").close();
  act();
}

// Looking

/** Fetch the parts anew; what was put right by hand is forgotten. */
async function look(number) {
  nParts = number;
  moved = new Map();
  selection.forget();
  wait(WORDS.looking);
  for (const one of byId("n-parts").querySelectorAll("button")) {
    one.setAttribute("aria-pressed", `${Number(one.dataset.parts) === number}`);
  }
  try {
    const next = await get(`/api/groups/${group}/parts?n=${number}`);
    if (number !== nParts || !byId("split").open) return;
    found = next;
    showFusing(found.fusing);
    show();
    if (found.fusing) byId("unfuse").focus();
    else selection.goTo([]);
  } catch (error) {
    wait(troubleOf(error, WORDS.unreachable));
  }
}

function wait(words) {
  byId("split-do").disabled = true;
  byId("split-words").textContent = words;
}

function showFusing(fusing) {
  byId("fusing").hidden = !fusing;
  if (!fusing) return;
  const { answer, who, at: when } = fusing;
  const told = who === facts().who ? WORDS.mine(answer) : WORDS.theirs(answer, who);
  byId("fusing-words").textContent = WORDS.joined(told, when);
  byId("fusing-sides").replaceChildren(...fusing.pair.map((card, at) => made(
    "div",
    { class: "fusing-side" },
    made("figure", {}, small(card), made("figcaption", { class: "title" }, card.title)),
    made("p", { class: "dim" }, counted(fusing.sizes[at], "item")),
    strip(fusing.sides[at]),
  )));
}

// The parts

const partOf = (item, at) => moved.get(item) ?? at;

function show() {
  const shown = found.parts.flatMap((part, at) => part.items.map((card, index) =>
    ({ card, at, isConfirmed: part.is_confirmed[index] })));
  byId("parts").replaceChildren(...found.parts.map((part, number) => section(
    part,
    number,
    shown.filter(({ card, at }) => partOf(card.item, at) === number),
  )));
  byId("to-parts").replaceChildren(...found.parts.map((_, number) =>
    button(() => move(number), {}, WORDS.to(number + 1), " ", keycap(`${number + 1}`))));
  selection.rove(selection.picks[0]);
  preview();
}

function section(part, number, shown) {
  const came = shown.filter(({ at }) => at !== number);
  const left = part.items.filter((card) => partOf(card.item, number) !== number);
  const size = part.size + came.length - left.length;
  const rest = part.size - part.items.length;
  const known = came.filter((one) => one.isConfirmed).length
    - part.items.filter((card, at) => left.includes(card) && part.is_confirmed[at]).length;
  return made(
    "section",
    { class: "part", "aria-label": WORDS.part(number + 1) },
    made("h3", {}, WORDS.part(number + 1)),
    made("p", { class: "dim" }, tally(size, part.confirmed + known)),
    made(
      "ul",
      { class: `items items-${shown[0]?.card.kind}` },
      ...shown.map(({ card, isConfirmed }) => pick(card, { isConfirmed })),
    ),
    rest > 0 ? made("p", { class: "dim" }, WORDS.more(rest)) : null,
  );
}

function move(number) {
  const items = selection.meant;
  if (items.length === 0 || number >= found.parts.length) return;
  selection.chosen = new Set(items);
  const next = selection.followers();
  for (const item of items) moved.set(item, number);
  selection.forget();
  show();
  selection.goTo(next);
}

const wanted = () => ({
  group,
  n_parts: nParts,
  moved: [...moved].map(([item, part]) => ({ item, part })),
  seen: found.parts.map((part) => part.items[0].item),
});

async function preview() {
  const asked = JSON.stringify(wanted());
  const isOver = () => asked !== JSON.stringify(wanted());
  wait(WORDS.looking);
  try {
    const { recorded } = await previewed(wanted());
    if (isOver()) return;
    byId("split-words").textContent = sentence(recorded);
    byId("split-do").disabled = false;
  } catch (error) {
    if (!isOver()) wait(troubleOf(error, WORDS.unreachable));
  }
}

function press(event) {
  const key = plain(event);
  const at = COUNTS.indexOf(nParts);
  if (/^[1-5]$/.test(key ?? "") && found) move(Number(key) - 1);
  else if (key === "p") byId("split-do").click();
  else if (key === "t" && !byId("fusing").hidden) byId("unfuse").click();
  else if (key === "+" && at < COUNTS.length - 1) look(COUNTS[at + 1]);
  else if (key === "-" && at > 0) look(COUNTS[at - 1]);
  else return;
  event.preventDefault();
}
