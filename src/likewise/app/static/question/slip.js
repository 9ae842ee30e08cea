// Answers that cannot all be right: the person decides at once which one was a slip.

import { small } from "../lib/cards.js";
import { byId, called, counted, made, wireClosing } from "../lib/dom.js";
import { keycap, plain } from "../lib/keys.js";
import { forThisTab, recalled, remember } from "../lib/memory.js";
import { ago } from "../lib/timing.js";

/** @typedef {import("../lib/messages.js").Said} Said */
/** @typedef {import("../lib/messages.js").Slip} Slip */

const WORDS = {
  likeliest: "Most likely the slip",
  last: "Your last answer",
  other: "It contradicts this one",
  verdict: { same: "same", different: "different" },
  said: (who, verdict) => `${called(who)} said “${verdict}”`,
  you: "You",
  change: (verdict) => `Change to “${verdict}”`,
  locked: (who) => `Only ${who} or a reviewer can change this.`,
  more: (number) => `${counted(number, "more answer")} in between`,
  solves: (number) => `Without the first one, ${counted(number, "contradiction")} would be gone.`,
};
const SIGNS = { same: "=", different: "≠" };
const OPPOSITE = { same: "different", different: "same" };
const LATER = "likewise-gone-on"; // what the person has put off
const GUARD = 150; // milliseconds in which keys still mean the page before
const KEEP = ["3", "k"];

/** @type {?Slip} */
let slip = null;
let isDecided = false;
let openFrom = 0;
let does = null;

/** Wire it; `change(answer, verdict)` and `keep(answer)` are what a person decides. */
export function wireSlip(deciding) {
  does = deciding;
  wireClosing("slip");
  byId("slip-keep").addEventListener("click", keep);
  byId("slip").addEventListener("keydown", press);
  byId("slip").addEventListener("close", () => {
    if (slip && !isDecided) remember(forThisTab, LATER, slip.answer);
  });
}

/**
 * Ask which answer was a slip, unless the person has put that off.
 *
 * @param {?Slip} next
 * @param {string} who
 */
export function showSlip(next, who) {
  const isSeen = next === null || recalled(forThisTab, LATER) === next.answer;
  if (isSeen) {
    isDecided = true;
    byId("slip").close();
    return;
  }
  if (byId("slip").open && slip?.answer === next.answer) return;
  slip = next;
  isDecided = false;
  draw(who);
  openFrom = performance.now() + GUARD;
  if (!byId("slip").open) byId("slip").showModal();
  byId("slip").querySelector(".slip-change")?.focus();
}

// The likeliest slip and the answer just given come first, whichever they are.
function chosen() {
  const [first, ...others] = slip.suspects;
  const last = others.find((one) => one.last) ?? others[0];
  return [[first, last], others.filter((one) => one !== last)];
}

function draw(who) {
  const [two, others] = chosen();
  byId("slip-answers").replaceChildren(...two.map((one, at) => drawn(one, who, `${at + 1}`, at)));
  byId("slip-others").replaceChildren(...others.map((one) => drawn(one, who, null, 1)));
  byId("slip-more").hidden = others.length === 0;
  byId("slip-more").open = false;
  byId("slip-summary").textContent = WORDS.more(others.length);
  const words = slip.solves > 1 ? WORDS.solves(slip.solves) : "";
  byId("slip-words").textContent = words;
  byId("slip-words").hidden = !words;
  byId("slip-look").href = `/disagreements#answer-${slip.answer}`;
}

/** @param {Said} one */
function drawn(one, who, key, at) {
  const { verdict } = one;
  const said = WORDS.said(one.who === who ? WORDS.you : one.who, WORDS.verdict[verdict]);
  return made(
    "li",
    { class: "slip-answer", "data-answer": one.id },
    made("h3", {}, headOf(one, at)),
    made(
      "div",
      { class: `slip-pair slip-${one.sample.kind}` },
      face(one.sample),
      made("span", { class: `sign verdict-${verdict}`, "aria-hidden": "true" }, SIGNS[verdict]),
      face(one.against),
    ),
    made("p", {}, said, made("span", { class: "dim" }, ` · ${ago(one.at)}`)),
    one.may_change ? changer(one, key) : made("p", { class: "dim" }, WORDS.locked(one.who)),
  );
}

function headOf(one, at) {
  if (at === 0) return one.last ? `${WORDS.likeliest}: ${WORDS.last.toLowerCase()}` : WORDS.likeliest;
  return one.last ? WORDS.last : WORDS.other;
}

const face = (card) => made(
  "figure",
  {},
  small(card),
  made("figcaption", { class: "title", title: card.title }, card.title),
);

function changer(one, key) {
  const button = made(
    "button",
    { type: "button", class: "slip-change" },
    WORDS.change(WORDS.verdict[OPPOSITE[one.verdict]]),
    key && keycap(key),
  );
  button.addEventListener("click", () => change(one));
  return button;
}

// Deciding

function change(one) {
  decide();
  does.change(one.id, OPPOSITE[one.verdict]);
}

function keep() {
  decide();
  does.keep(slip.answer);
}

function decide() {
  isDecided = true;
  byId("slip").close();
}

function press(event) {
  const key = plain(event);
  if (key === null || performance.now() < openFrom) return;
  const one = chosen()[0][["1", "2"].indexOf(key)];
  if (KEEP.includes(key)) keep();
  else if (one?.may_change) change(one);
  else return;
  event.preventDefault();
}
