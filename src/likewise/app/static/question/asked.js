// What is asked: its words, and the buttons that answer it.

import { byId, every, forSeek, say } from "../lib/dom.js";

/** @typedef {import("../lib/messages.js").State} State */

const WORDS = forSeek({
  groups: {
    sheet: {
      misfits: "Which of these do not belong to this group?",
      members: "Which of these belong to this group?",
    },
    overview: "Which of these groups are the same?",
  },
  duplicates: {
    sheet: {
      misfits: "Which of these are not the same as this one?",
      members: "Which of these are the same as this one?",
    },
    overview: "Which of these are the same thing?",
  },
});
const TOOLS = { // those that are not for everything
  pick: ["pair"],
  none: ["pair"],
  aside: ["pair"],
  doubt: ["sheet"],
  sort: ["sheet"],
  set: ["overview"],
  skip: ["sheet", "overview"],
};

/** What is asked: a question, a sheet, an overview, or null. */
export const askedOf = (state) => state?.question ?? state?.screen ?? null;

/** Whether a pair, a sheet or an overview is asked, or else what there is to do. */
export const kindOf = (state) =>
  (state.question ? "pair" : state.screen?.kind ?? state.status);

/** The criterion is worded for two: what is asked of more is asked in other words. */
export function asking({ criterion, screen }) {
  if (!screen) return criterion;
  return screen.kind === "sheet" ? WORDS.sheet[screen.tap] : WORDS.overview;
}

/**
 * Show the buttons of what is asked.
 *
 * @param {State} state
 */
export function fillBar(state) {
  const kind = kindOf(state);
  byId("bar").hidden = kind === "preparing";
  byId("answers").hidden = kind !== "pair";
  byId("deal").hidden = !state.screen;
  for (const button of every("[data-do]")) {
    const { do: name } = button.dataset;
    if (name in TOOLS) button.hidden = !TOOLS[name].includes(kind);
    if (name === "sort" && !state.screen?.sorts) button.hidden = true;
    const before = button.querySelector(".before");
    if (before) before.hidden = state.question?.before !== name;
  }
}

/** Say on the one button what it means, and what is marked. */
export function fillDone(words, below) {
  byId("done-words").textContent = words;
  say(byId("done-below"), below);
}
