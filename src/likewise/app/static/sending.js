// One act at a time: sent, drawn, and said.

import { Refused, actOf, delivered, unsaved } from "./api.js";
import { byId, counted } from "./dom.js";
import { redraw } from "./redraw.js";

const WORDS = {
  saving: "Saving …",
  saved: "Saved",
  unreachable: "The server does not answer. Is the app still running?",
  trouble: (tries) => `Not saved yet, trying again (${tries})`,
  sizes: (before, after) => `${before.toLocaleString("en")} → ${counted(after, "item")}`,
  confirmed: (before, after) =>
    `${before.toLocaleString("en")} → ${after.toLocaleString("en")} confirmed`,
  takenBack: (number) => `${counted(number, "answer")} taken back`,
};
const UNSAVED = "likewise-unsaved-review";

export class Sender {
  /** `drawn()` is called when the page is new, before anything is said. */
  constructor(drawn) {
    this.drawn = drawn;
    this.isBusy = false;
  }

  get canUndo() {
    return byId("review").dataset.canUndo === "true";
  }

  /** Send an act, draw the page anew and say what came of it; null if refused. */
  async send(path, body) {
    if (this.isBusy) return null;
    return this.deliver(actOf(path, body));
  }

  /** Send what was under way when the page was left. */
  async resend() {
    const left = unsaved(UNSAVED);
    if (left !== null) await this.deliver(left);
  }

  async deliver(act) {
    this.setBusy(true);
    say(WORDS.saving, false);
    try {
      const usual = { saved: WORDS.saved, can_undo: true };
      const reply = { ...usual, ...await delivered(act, showTrouble, UNSAVED) };
      await this.draw(reply);
      if (reply.notice) say(reply.notice, false, true);
      else say(saidOf(reply), reply.can_undo && act.path !== "/api/undo");
      return reply;
    } catch (error) {
      if (error instanceof Refused && error.status !== 401) await this.draw({}).catch(() => {});
      say(error instanceof Refused ? error.message : WORDS.unreachable, false, true);
      return null;
    } finally {
      this.setBusy(false);
    }
  }

  async draw(reply) {
    const { tab } = byId("review").dataset;
    if (tab === "group" && typeof reply.stay === "number") {
      history.replaceState(null, "", `/groups/${reply.stay}${window.location.search}`);
    }
    await redraw();
    this.drawn(reply);
  }

  setBusy(isNow) {
    this.isBusy = isNow;
    document.body.classList.toggle("busy", isNow);
    byId("review").setAttribute("aria-busy", `${isNow}`);
  }
}

const showTrouble = (tries, words) => say(words ?? WORDS.trouble(tries), false, true);

/** Say what became of the last act, or why nothing did. */
export function say(words, canUndo, isTrouble = false) {
  byId("saved").textContent = words ?? "";
  byId("saved").classList.toggle("trouble", isTrouble);
  byId("saved-undo").hidden = !canUndo;
}

function saidOf({ saved, before, after, recorded }) {
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

/** What an act would record, as a sentence. */
export function sentence({ same, different, taken_back: takenBack }) {
  const answers = (number, word) => `${number.toLocaleString("en")} “${word}”`;
  const told = [
    same || !different ? answers(same, "same") : null,
    different ? answers(different, "different") : null,
  ].filter(Boolean);
  const total = same + different;
  return `This records ${told.join(" and ")} ${total === 1 ? "answer" : "answers"} and takes back `
    + `${takenBack.toLocaleString("en")}; it can be undone.`;
}
