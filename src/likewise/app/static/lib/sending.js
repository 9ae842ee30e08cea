// The one way in which acts are sent: one at a time, kept in this tab until it is saved.

import { OUTSIDE, Refused, Unable, newId, post, troubleOf } from "./api.js";
import { byId, counted, numeral, say } from "./dom.js";
import { forThisTab, recalled, remember } from "./memory.js";

/** @typedef {import("./messages.js").Act} Act */
/** @typedef {import("./messages.js").Reply} Reply */

const WORDS = {
  saving: "Saving …",
  saved: "Saved",
  trouble: (tries) => `Not saved yet, trying again (${tries})`,
  silent: "The app does not answer. If it was stopped, start it again.",
  kept: "Keep this page open: what you did is kept here and saved as soon as possible.",
  unreachable: "The server does not answer. Is the app still running?",
  sizes: (before, after) => `${numeral(before)} → ${counted(after, "item")}`,
  confirmed: (before, after) => `${numeral(before)} → ${numeral(after)} confirmed`,
  takenBack: (number) => `${counted(number, "answer")} taken back`,
};
const UNSAVED = "likewise-unsaved";
const USUAL = { saved: WORDS.saved, can_undo: true }; // of replies that do not say
const PAUSES = [500, 1000, 2000, 4000]; // milliseconds before the next try

/**
 * What a page does about its acts.
 *
 * @typedef {object} Sending
 * @property {(reply: Reply, act: Act) => Promise<void>} draw
 *   Shows what came of an act, and tells it by `tellReply` when it is time.
 * @property {() => Promise<void>} drawAnew Shows how things are, after a refusal.
 * @property {(isNow: boolean) => void} setBusy
 * @property {string} [stale] What is said when an act was saved but could not be shown.
 */

/** @type {Sending} */
let page = null;
let isSending = false;

export const isBusy = () => isSending;

/** Say what this page does about its acts. */
export function wireSending(sending) {
  page = sending;
  byId("notice-close")?.addEventListener("click", () => notify(null));
}

/** Send an act, unless another one is under way. */
export async function send(path, body = {}) {
  if (!isSending) await deliver({ path, body: { ...body, client_id: newId() } });
}

/** Send what was under way when a page of this tab was left. */
export async function resend() {
  const left = recalled(forThisTab, UNSAVED);
  if (left !== null) await deliver(left);
}

async function deliver(act) {
  setBusy(true);
  notify(null);
  tell(WORDS.saving);
  try {
    const reply = await untilSaved(act);
    await page.draw({ ...USUAL, ...reply }, act);
  } catch (error) {
    await explain(error);
  } finally {
    setBusy(false);
  }
}

function setBusy(isNow) {
  isSending = isNow;
  page.setBusy(isNow);
}

/** Send an act until the server has it, or says no. */
async function untilSaved(act) {
  remember(forThisTab, UNSAVED, act);
  let told = null;
  for (let tries = 1; ; tries += 1) {
    try {
      const reply = await post(act.path, act.body);
      remember(forThisTab, UNSAVED, null);
      return reply;
    } catch (error) {
      if (isRefusal(error)) {
        if (error.status !== OUTSIDE) remember(forThisTab, UNSAVED, null);
        throw error;
      }
      const words = tries > 1 ? `${troubleOf(error, WORDS.silent)} ${WORDS.kept}` : null;
      tell(WORDS.trouble(tries), { isTrouble: true });
      if (words !== told) notify(words);
      told = words;
      await pause(PAUSES[Math.min(tries, PAUSES.length) - 1]);
    }
  }
}

const isRefusal = (error) => error instanceof Refused && !(error instanceof Unable);
const pause = (ms) => new Promise((done) => { setTimeout(done, ms); });

async function explain(error) {
  tell(null);
  notify(troubleOf(error, page.stale ?? WORDS.unreachable));
  if (error instanceof Refused && error.status !== OUTSIDE) {
    await page.drawAnew().catch(() => {});
  }
}

// Telling

/** Say at the edge of the page what became of the last act. */
export function tell(words, { canUndo = false, isTrouble = false } = {}) {
  byId("saved").textContent = words ?? "";
  byId("saved").classList.toggle("trouble", isTrouble);
  const undo = byId("saved-undo");
  if (undo) undo.hidden = !words || !canUndo;
}

/** Say something that must not be missed; `answer` is one that disagrees with others. */
export function notify(words, answer = null) {
  const notice = byId("notice");
  if (notice) say(notice, words, byId("notice-words"));
  else if (words) tell(words, { isTrouble: true });
  const link = byId("notice-link");
  if (!link) return;
  link.hidden = !answer;
  link.href = `/disagreements#answer-${answer}`;
}

/** Say what came of an act; `canUndo` offers to undo it. */
export function tellReply(reply, canUndo) {
  tell(outcome(reply), { canUndo });
  notify(reply.notice, reply.disagreement);
}

function outcome({ saved, before, after, recorded }) {
  const words = [saved];
  if (before && after && before.size !== after.size) {
    words.push(WORDS.sizes(before.size, after.size));
  }
  if (before && after && before.confirmed !== after.confirmed) {
    words.push(WORDS.confirmed(before.confirmed, after.confirmed));
  }
  if (recorded?.taken_back) words.push(WORDS.takenBack(recorded.taken_back));
  return words.join(" · ");
}
