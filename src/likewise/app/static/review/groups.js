// The list of groups: tick some, and make them one.

import { byId, every, greyOut, isDialogOpen } from "../lib/dom.js";
import { resend, tell } from "../lib/sending.js";
import { act, canUndo, wireActing } from "./acting.js";
import { openMerging, wireMerging } from "./merging.js";

const WORDS = {
  none: "Tick groups to merge them",
  one: "1 group ticked: tick another one to merge them",
  some: (number) => `${number} groups ticked`,
  few: "Merging needs two groups: tick two or more.",
};
const LETTERS = { g: "merge", m: "merge", z: "undo", "?": "keys" };
const ENOUGH = 2;

let focused = null; // the group that had the focus before the page was drawn anew

const boxes = () => every(".ticking input");
const ticked = () => boxes().filter((box) => box.checked).map((box) => Number(box.value));

function showTicked() {
  const { length } = ticked();
  byId("chosen").textContent = [WORDS.none, WORDS.one][length] ?? WORDS.some(length);
  greyOut((name) => ({ merge: length < ENOUGH, undo: !canUndo() }[name] ?? false));
}

function untick() {
  for (const box of boxes()) box.checked = false;
  showTicked();
}

function refocus() {
  untick();
  if (focused === null || isDialogOpen()) return;
  (boxes().find((box) => box.value === focused) ?? boxes()[0])?.focus();
}

function noteFocus({ groups }) {
  const box = document.activeElement.closest?.(".group")?.querySelector(".ticking input");
  focused = box?.value ?? `${groups?.[0] ?? ""}`;
}

const merge = (groups) => act("/api/merge", { groups });

function openTicked() {
  if (ticked().length < ENOUGH) tell(WORDS.few);
  else openMerging(ticked(), merge);
}

wireMerging();
wireActing({
  does: { merge: openTicked },
  letters: LETTERS,
  letGo: untick,
  before: noteFocus,
  drawn: refocus,
});
document.addEventListener("change", showTicked);
showTicked();
await resend();
