// Which key does what, and the list of keys.

import { byId } from "./dom.js";
import { forThisBrowser, recalled, remember } from "./memory.js";

const LETTERS = {
  d: "different", u: "unsure", s: "same", z: "undo",
  g: "pick", n: "none", x: "aside", l: "look", "?": "keys",
};
const ARROWS = { ArrowLeft: "different", ArrowDown: "unsure", ArrowRight: "same" };
const NO_LETTERS = "likewise-no-letters";

export const lettersAreKeys = () => !recalled(forThisBrowser, NO_LETTERS);

/** The act that a key press means on the question page, or null. */
export function meant(event) {
  if (event.repeat || isTyping(event.target)) return null;
  const letter = event.key.toLowerCase();
  if (event.ctrlKey || event.metaKey) {
    return letter === "z" && !event.shiftKey && !event.altKey ? "undo" : null;
  }
  if (event.altKey || (event.shiftKey && letter !== "?")) return null;
  if (event.key in ARROWS) return isScrolling(event) ? null : ARROWS[event.key];
  return lettersAreKeys() ? LETTERS[letter] ?? null : null;
}

/** The letter or digit that was pressed in the picker, or null. */
export function plain(event) {
  const isModified = event.ctrlKey || event.metaKey || event.altKey || event.shiftKey;
  if (event.repeat || isModified || !lettersAreKeys()) return null;
  return event.key.length === 1 ? event.key.toLowerCase() : null;
}

export function isTyping(target) {
  return target.closest("input:not([type=checkbox]), textarea, select") !== null;
}

// Down is for reading on in a long text that has the focus.
function isScrolling(event) {
  const box = event.target.closest(".text, .rows");
  return event.key === "ArrowDown" && box !== null && box.scrollHeight > box.clientHeight;
}

/** Wire the list of keys; `changeHints(wanted)` is called for the second box. */
export function wireKeys(changeHints) {
  const dialog = byId("keys");
  byId("keys-close").addEventListener("click", () => dialog.close());
  byId("letters").addEventListener("change", (event) => {
    remember(forThisBrowser, NO_LETTERS, event.target.checked ? null : true);
    showLetters();
  });
  byId("hints").addEventListener("change", (event) => changeHints(event.target.checked));
  showLetters();
}

export function openKeys(state) {
  byId("letters").checked = lettersAreKeys();
  byId("hints").checked = state.hints;
  byId("keys").showModal();
}

const showLetters = () =>
  document.body.classList.toggle("no-letters", !lettersAreKeys());
