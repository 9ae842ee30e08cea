// The question page: one state, shown; one act at a time, sent.

import { Refused, changeSettings, get, troubleOf } from "../lib/api.js";
import { pairOf } from "../lib/cards.js";
import { byId, greyOut, isDialogOpen, wireDoing } from "../lib/dom.js";
import { isForPage, isModified, isUndo, openKeys, plain, wireKeys } from "../lib/keys.js";
import { wireLarge } from "../lib/large.js";
import { forThisTab, recalled, remember } from "../lib/memory.js";
import { isBusy, notify, resend, send, tellReply, wireSending } from "../lib/sending.js";
import { decoded, keyed, painted, preloaded } from "../lib/timing.js";
import { goOn, look, showDisagreement, wireChecks } from "./checks.js";
import { wireCriterion } from "./criterion.js";
import { closePicker, openPicker, wirePicker } from "./picker.js";
import { fill, showStop } from "./view.js";

/** @typedef {import("../lib/messages.js").State} State */

const WORDS = {
  unreachable: "The server does not answer. Is the app still running?",
};
const LETTERS = {
  d: "different", u: "unsure", s: "same", z: "undo",
  g: "pick", n: "none", x: "aside", l: "look", "?": "keys",
};
const ARROWS = { ArrowLeft: "different", ArrowDown: "unsure", ArrowRight: "same" };
const GUARD = 150; // milliseconds in which a key still means the pair before
const FLICKER = 400; // milliseconds to hold the old pair while the new one decodes
const CLOSED = "likewise-picker-closed"; // the question at which it was closed
const POLLS = { preparing: 1000, waiting: 3000 };

/** @type {State} */
let state = null;
let drawn = null; // the question whose cards are on the page, as JSON
let openFrom = Infinity;
let wantsStop = true;
let ahead = []; // pictures being preloaded, held so that the browser goes on with them

// Showing

async function show(next) {
  const question = JSON.stringify(next.question);
  const isNew = next.question !== null && question !== drawn;
  const cards = isNew ? pairOf(next.question) : null;
  const images = (cards ?? []).flatMap((card) => [...card.querySelectorAll(".card-body img")]);
  if (drawn !== null) await decoded(images, FLICKER);
  if (next.question?.id !== state?.question?.id) closePicker();
  state = next;
  drawn = question;
  fill(state, cards);
  if (!state.progress?.stop) wantsStop = true;
  showStop(state, wantsStop);
  showDisagreement(state.disagreement);
  enable();
  if (isNew) await settleOn(images);
  else openFrom = Math.min(openFrom, performance.now());
}

async function settleOn(images) {
  const asked = state.question.id;
  openFrom = Infinity;
  await painted(images);
  openFrom = performance.now() + GUARD;
  if (state.question?.id !== asked) return;
  if (state.question.picker && recalled(forThisTab, CLOSED) !== asked) offerGroups();
  get("/api/ahead").then(({ pictures }) => { ahead = preloaded(pictures); }, () => {});
}

function enable() {
  if (state === null) return;
  greyOut((name) => name !== "keys" && (isBusy() || (name === "undo" && !state.can_undo)));
}

function offerGroups() {
  if (state.question && !isDialogOpen()) openPicker(state.question);
}

// Acting

const answer = (verdict) => act("/api/answer", { question: state.question.id, verdict });
const pick = (question, group, rejected) => act("/api/pick", { question, group, rejected });

const DOES = {
  same: () => answer("same"),
  different: () => answer("different"),
  unsure: () => answer("unsure"),
  pick: offerGroups,
  none: () => pick(state.question.id, "new", []),
  aside: () => act("/api/aside", { item: state.question.sample.item }),
  undo: () => act("/api/undo"),
};
const ALWAYS = { keys: () => openKeys(state.hints), look };

function act(path, body) {
  if (isBusy()) return;
  keyed();
  send(path, body);
}

function perform(name) {
  const isOpen = !isBusy() && performance.now() >= openFrom;
  if (name in ALWAYS) ALWAYS[name]();
  else if (isOpen && (name === "undo" ? state.can_undo : state.question)) DOES[name]();
}

async function showReply(reply) {
  tellReply(reply, reply.can_undo);
  await show(reply.status ? reply : await get("/api/state")); // it may be of another page
}

// Looking again

async function refresh(always = false) {
  try {
    const next = await get("/api/state");
    const isOther = next.version !== state.version
      || next.status !== state.status
      || next.status === "preparing"
      || next.question?.id !== state.question?.id;
    if (state.status === "preparing" && next.status !== "preparing") {
      location.reload(); // the server knows by now which files could not be read
    } else if (always || (isOther && !isBusy())) {
      await show(next);
    }
  } catch (error) {
    if (error instanceof Refused) notify(error.message);
  }
}

async function poll() {
  if (state.status in POLLS && !isBusy()) await refresh();
  setTimeout(poll, POLLS[state.status] ?? POLLS.waiting);
}

function lookAgain() {
  if (!document.hidden && !isBusy()) refresh();
}

async function change(settings) {
  try {
    await show(await changeSettings(settings));
    return true;
  } catch (error) {
    notify(troubleOf(error, WORDS.unreachable));
    return false;
  }
}

// Keys

function press(event) {
  const isHeld = event.repeat && event.target.closest("[data-do]") !== null;
  const name = isForPage(event) ? meant(event) : null;
  if (event.key === "Escape" && isForPage(event)) goOn(state.disagreement);
  if (isHeld || name !== null) event.preventDefault();
  if (name !== null) perform(name);
}

function meant(event) {
  if (event.repeat) return null;
  if (isUndo(event)) return "undo";
  if (event.key in ARROWS && !isModified(event)) {
    return isScrolling(event) ? null : ARROWS[event.key];
  }
  return LETTERS[plain(event)] ?? null;
}

// Down is for reading on in a long text that has the focus.
function isScrolling(event) {
  const box = event.target.closest(".text, .rows");
  return event.key === "ArrowDown" && box !== null && box.scrollHeight > box.clientHeight;
}

// Wiring

function wire() {
  wireSending({ draw: showReply, drawAnew: () => refresh(true), setBusy: enable });
  wireLarge();
  wirePicker(pick, () => remember(forThisTab, CLOSED, state.question?.id ?? null));
  wireCriterion((criterion) => change({ criterion }));
  wireKeys((hints) => change({ hints }));
  wireChecks(() => state, (checks) => change({ checks }));
  wireDoing(perform);
  byId("keep-going").addEventListener("click", () => {
    wantsStop = false;
    showStop(state, wantsStop);
  });
  document.addEventListener("keydown", press);
  document.addEventListener("visibilitychange", lookAgain);
  window.addEventListener("focus", lookAgain);
}

wire();
await show(JSON.parse(byId("state").textContent));
await resend();
poll();
