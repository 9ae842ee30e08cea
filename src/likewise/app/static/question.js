// The question page: one state, shown; one act at a time, sent.

import { Refused, actOf, delivered, get, post, unsaved } from "./api.js";
import { pairOf } from "./cards.js";
import { goOn, look, showDisagreement, wireChecks } from "./checks.js";
import { wireCriterion } from "./criterion.js";
import { byId } from "./dom.js";
import { isTyping, meant, openKeys, wireKeys } from "./keys.js";
import { wireLarge } from "./large.js";
import { forThisTab, recalled, remember } from "./memory.js";
import { Picker } from "./picker.js";
import { decoded, keyed, painted, preload } from "./timing.js";
import { enable, fill, showNotice, showSaved, showStop } from "./view.js";

const WORDS = {
  saving: "Saving …",
  trouble: (tries) => `Not saved yet, trying again (${tries})`,
  unreachable: "The server does not answer. Is the app still running?",
};
const GUARD = 150; // milliseconds in which a key still means the pair before
const FLICKER = 400; // milliseconds to hold the old pair while the new one decodes
const CLOSED = "likewise-picker-closed"; // the question at which it was closed
const POLLS = { preparing: 1000, waiting: 3000 };

let state = null;
let drawn = null; // the question whose cards are on the page, as JSON
let isBusy = false;
let openFrom = Infinity;
let wantsStop = true;
let kept = []; // pictures being preloaded, held so that the browser goes on with them

// Showing

async function show(next) {
  const question = JSON.stringify(next.question);
  const isNew = next.question !== null && question !== drawn;
  const cards = isNew ? pairOf(next.question) : null;
  const images = (cards ?? []).flatMap((card) => [...card.querySelectorAll(".card-body img")]);
  if (drawn !== null) await decoded(images, FLICKER);
  if (next.question?.id !== state?.question?.id) picker.close();
  state = next;
  drawn = question;
  fill(state, cards);
  if (!state.progress?.stop) wantsStop = true;
  showStop(state, wantsStop);
  showDisagreement(state.disagreement);
  enable(state, isBusy);
  if (isNew) await settleOn(images);
  else openFrom = Math.min(openFrom, performance.now());
}

async function settleOn(images) {
  const asked = state.question.id;
  openFrom = Infinity;
  await painted(images);
  openFrom = performance.now() + GUARD;
  if (state.question?.id !== asked) return;
  if (state.question.picker && recalled(forThisTab, CLOSED) !== asked) openPicker();
  get("/api/ahead").then(({ pictures }) => { kept = preload(pictures); }, () => {});
}

function openPicker() {
  if (state.question && !document.querySelector("dialog[open]")) {
    picker.open(state.question);
  }
}

// Acting

const answered = (verdict) =>
  actOf("/api/answer", { question: state.question.id, verdict });
const picked = (question, group, rejected) =>
  actOf("/api/pick", { question, group, rejected });

const ACTS = {
  same: () => answered("same"),
  different: () => answered("different"),
  unsure: () => answered("unsure"),
  none: () => picked(state.question.id, "new", []),
  aside: () => actOf("/api/aside", { item: state.question.sample.item }),
  undo: () => actOf("/api/undo", {}),
};

function perform(name) {
  if (name === "keys") openKeys(state);
  if (name === "look") look();
  if (name === "keys" || name === "look" || isBusy || performance.now() < openFrom) return;
  if (name === "undo" ? !state.can_undo : !state.question) return;
  if (name === "pick") openPicker();
  else send(ACTS[name]());
}

async function send(act) {
  setBusy(true);
  keyed();
  showNotice(null);
  showSaved(WORDS.saving, false);
  try {
    const next = await delivered(act, showTrouble);
    showSaved(next.saved, next.can_undo);
    showNotice(next.notice);
    await show(next);
  } catch (error) {
    await explain(error);
  } finally {
    setBusy(false);
  }
}

function showTrouble(tries, words) {
  showSaved(WORDS.trouble(tries), false, true);
  if (words) showNotice(words);
}

function setBusy(isNow) {
  isBusy = isNow;
  if (state) enable(state, isBusy);
}

async function explain(error) {
  showSaved(null, false);
  showNotice(error instanceof Refused ? error.message : WORDS.unreachable);
  if (error instanceof Refused && error.status !== 401) await refresh(true);
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
    } else if (always || (isOther && !isBusy)) {
      await show(next);
    }
  } catch (error) {
    if (error instanceof Refused) showNotice(error.message);
  }
}

async function poll() {
  if (state.status in POLLS && !isBusy) await refresh();
  setTimeout(poll, POLLS[state.status] ?? POLLS.waiting);
}

const lookAgain = () => { if (!document.hidden && !isBusy) refresh(); };

async function change(settings) {
  try {
    await show(await post("/api/settings", settings));
    return true;
  } catch (error) {
    showNotice(error instanceof Refused ? error.message : WORDS.unreachable);
    return false;
  }
}

// Wiring

const picker = new Picker(
  (...choice) => { if (!isBusy) send(picked(...choice)); },
  () => remember(forThisTab, CLOSED, state.question?.id ?? null),
);

function wire() {
  wireLarge();
  wireCriterion((criterion) => change({ criterion }));
  wireKeys((hints) => change({ hints }));
  wireChecks(() => state, (checks) => change({ checks }));
  for (const button of document.querySelectorAll("[data-act]")) {
    button.addEventListener("click", () => perform(button.dataset.act));
  }
  byId("keep-going").addEventListener("click", () => {
    wantsStop = false;
    showStop(state, wantsStop);
  });
  byId("notice-close").addEventListener("click", () => showNotice(null));
  document.addEventListener("keydown", press);
  document.addEventListener("visibilitychange", lookAgain);
  window.addEventListener("focus", lookAgain);
}

function press(event) {
  const isHeld = event.repeat && event.target.closest("[data-act]") !== null;
  const isOver = document.querySelector("dialog[open]") !== null;
  const name = isOver ? null : meant(event);
  if (event.key === "Escape" && !isOver && !isTyping(event.target)) goOn(state.disagreement);
  if (isHeld || name !== null) event.preventDefault();
  if (name !== null) perform(name);
}

wire();
await show(JSON.parse(byId("state").textContent));
const left = unsaved();
if (left !== null) await send(left);
poll();
