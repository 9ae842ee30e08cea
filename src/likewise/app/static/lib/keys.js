// Which keys are meant as keys, and the list of them.

import { byId, isDialogOpen, made, wireClosing } from "./dom.js";
import { forThisBrowser, recalled, remember } from "./memory.js";

const NO_LETTERS = "likewise-no-letters";

const lettersAreKeys = () => !recalled(forThisBrowser, NO_LETTERS);

export const isModified = (event) =>
  event.ctrlKey || event.metaKey || event.altKey || event.shiftKey;

/** The letter, digit or sign that was pressed as a key of ours, or null. */
export function plain(event) {
  const isAsked = event.key === "?" && !event.ctrlKey && !event.metaKey && !event.altKey;
  if (event.repeat || (isModified(event) && !isAsked) || !lettersAreKeys()) return null;
  return event.key.length === 1 ? event.key.toLowerCase() : null;
}

/** Whether undo was pressed as everywhere else, which no switch takes away. */
export function isUndo(event) {
  const isCommand = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
  return isCommand && !event.repeat && event.key.toLowerCase() === "z";
}

/** Whether keys go to the page: no dialog is open, and nobody is typing. */
export const isForPage = (event) => !isDialogOpen() && !isTyping(event.target);

const isTyping = (target) =>
  target.closest("input:not([type=checkbox]), textarea, select") !== null;

/** The picture of a key, for those who see it. */
export const keycap = (key) => made("kbd", { class: "letter", "aria-hidden": "true" }, key);

/** Hide or show the pictures of keys that are letters. */
export const showLetters = () =>
  document.body.classList.toggle("no-letters", !lettersAreKeys());

/** Wire the list of keys; `changeHints(wanted)` is called for the second box. */
export function wireKeys(changeHints) {
  wireClosing("keys");
  byId("letters").addEventListener("change", (event) => {
    remember(forThisBrowser, NO_LETTERS, event.target.checked ? null : true);
    showLetters();
  });
  byId("hints").addEventListener("change", (event) => changeHints(event.target.checked));
  showLetters();
}

export function openKeys(hasHints) {
  byId("letters").checked = lettersAreKeys();
  byId("hints").checked = hasHints;
  byId("keys").showModal();
}
