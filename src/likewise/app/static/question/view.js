// From a state to the page: everything but what is asked is filled in where it stands.

import { byId, counted, every, numeral, say } from "../lib/dom.js";
import { askedOf, asking, fillBar, kindOf } from "./asked.js";
import { percent } from "./checks.js";

/** @typedef {import("../lib/messages.js").State} State */

const WORDS = {
  error: "Stopped: ",
  of: (done, total) => `${numeral(done)} of ${numeral(total)}`,
  stop: (moved, total) => `Good place to stop: ${numeral(moved)} of `
    + `${counted(total, "item")} moved lately.`,
  settled: (state) => `${counted(state.n_items, "item")} in `
    + `${counted(state.progress.groups, "group")}, after `
    + `${counted(state.progress.answers, "answer")}.`,
  early: (stage, done, total) =>
    (total > 1 ? ` ${stage}: ${Math.floor(100 * done / total)} %.` : ` ${stage} …`),
  whole: (total) => `All ${counted(total, "item")} are compared: questions now come from `
    + "all of them.",
  deferred: (number) => ` ${numeral(number)} not sure.`,
  aside: (number) => ` ${numeral(number)} set aside.`,
  title: (state) => `${state.project} · likewise`,
};
const TOO_WIDE = 0.6; // an estimate that says nothing is not drawn
const PANELS = {
  preparing: "preparing",
  pair: "pair",
  sheet: "sheet",
  overview: "overview",
  waiting: "waiting",
  settled: "settled-page",
};
const ASKED = ["pair", "sheet", "overview"];

/**
 * Fill in a state.
 *
 * @param {State} state
 */
export function fill(state) {
  for (const [kind, id] of Object.entries(PANELS)) byId(id).hidden = kindOf(state) !== kind;
  byId("criterion").textContent = asking(state);
  byId("edit").hidden = state.screen !== null || !byId("criterion-form").hidden;
  byId("why-on").checked = state.why;
  byId("about").textContent = state.about;
  document.title = WORDS.title(state);
  say(byId("why"), askedOf(state)?.why);
  byId("stage").classList.toggle("hinted", state.hints);
  fillPreparing(state.preparing);
  fillEarly(state);
  fillProgress(state.progress);
  say(byId("n-disagreements"), state.disagreements ? `${state.disagreements}` : null);
  fillBar(state);
  if (document.activeElement !== byId("checks")) byId("checks").value = state.checks;
  if (document.activeElement !== byId("overlap")) byId("overlap").value = percent(state.overlap);
  byId("refer-on").checked = state.refer;
  for (const box of every("[name=screens]")) box.checked = box.value === state.screens;
  for (const row of every("#keys [data-on]")) row.hidden = !isOn(row, kindOf(state));
  if (state.status === "settled") byId("settled-words").textContent = ending(state);
}

// Keys of what is asked; where nothing is, those of pairs.
const isOn = (row, kind) =>
  row.dataset.on.split(" ").includes(ASKED.includes(kind) ? kind : "pair");

function fillPreparing(preparing) {
  if (!preparing) return;
  const { stage, done, total, error } = preparing;
  const words = total > 1 ? `${stage}: ${WORDS.of(done, total)}` : stage;
  if (byId("stage-words").textContent !== words) byId("stage-words").textContent = words;
  const bar = byId("stage-bar");
  bar.max = total;
  if (total > 1) bar.value = done;
  else bar.removeAttribute("value");
  bar.hidden = Boolean(error);
  byId("stage-hint").hidden = Boolean(error);
  say(byId("stage-error"), error && WORDS.error + error);
}

/**
 * Say of which items the questions are; once it was said, there is a line: nothing moves.
 *
 * @param {State} state
 */
export function fillEarly({ early, preparing, n_items: total }) {
  const line = byId("early");
  if (early && (preparing || line.hidden)) line.textContent = early + stageOf(preparing);
  else if (!early && !line.hidden) line.textContent = WORDS.whole(total);
  line.hidden = line.hidden && !early;
}

function stageOf(preparing) {
  if (!preparing) return "";
  const { stage, done, total, error } = preparing;
  return error ? ` ${WORDS.error}${error}` : WORDS.early(stage, done, total);
}

function fillProgress(progress) {
  byId("progress").hidden = !progress;
  if (!progress) return;
  fillCount("answer", progress.answers);
  fillCount("group", progress.groups);
  byId("n-moved").textContent = numeral(progress.moved);
  byId("outlook").textContent = progress.sentence;
  byId("outlook").title = progress.standing;
  byId("right-bar").value = progress.right;
  byId("right-bar").hidden = progress.high - progress.low > TOO_WIDE;
}

function fillCount(word, number) {
  const [amount, words] = counted(number, word).split(" ");
  byId(`n-${word}s`).textContent = amount;
  byId(`n-${word}s-word`).textContent = words;
}

function ending(state) {
  const { deferred, aside } = state.progress;
  return WORDS.settled(state)
    + (deferred ? WORDS.deferred(deferred) : "")
    + (aside ? WORDS.aside(aside) : "");
}

/** Say before the first answer what will happen, until the person has read it. */
export function showWelcome(state, isWanted) {
  say(byId("welcome"), isWanted ? state.welcome : null, byId("welcome-words"));
}

/** Say that it is a good place to stop, until the person wants to keep going. */
export function showStop(state, isWanted) {
  const { progress } = state;
  const stops = isWanted && state.status === "asking" && progress?.stop;
  const words = stops ? WORDS.stop(progress.moved, state.n_items) : null;
  say(byId("stop"), words, byId("stop-words"));
}
