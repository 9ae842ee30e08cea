// Making and finding elements. Text is always set as text, never as HTML.

let root = document;

/** Look for elements in a part of a page, where not all of it is ours. */
export function keepTo(part) {
  root = part;
}

export const byId = (id) => root.getElementById(id);
export const every = (selector) => [...root.querySelectorAll(selector)];

/** What has the focus, or null. */
export const focused = () => root.activeElement;

/** What is said where groups, or where duplicates are looked for. */
export const forSeek = (words) => words[document.body.dataset.seek] ?? words.groups;

/** An element with attributes and children; a null attribute or child is left out. */
export function made(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** The same for drawings. */
export function drawn(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  return filled(element, attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

/** Show an element if there are words for it, and hide it otherwise. */
export function say(element, words, inside = element) {
  if (inside.textContent !== (words ?? "")) inside.textContent = words ?? "";
  element.hidden = !words;
}

export const numeral = (number) => number.toLocaleString("en");

export const counted = (number, one, many = `${one}s`) =>
  `${numeral(number)} ${number === 1 ? one : many}`;

/** Buttons that need a script are dead until it is there, so that no click is lost. */
export function wake(selector) {
  for (const button of every(selector)) button.disabled = false;
}

/** Do what a button with `data-do` names, whenever one is clicked. */
export function wireDoing(perform) {
  root.addEventListener("click", (event) => {
    const button = event.target.closest("[data-do]");
    if (button && !button.disabled) perform(button.dataset.do);
  });
}

/** Grey out what cannot be done now; `disabled` would take the focus away. */
export function greyOut(isOff) {
  for (const button of every("[data-do]")) {
    button.setAttribute("aria-disabled", `${isOff(button.dataset.do)}`);
  }
}

export const isDialogOpen = () => root.querySelector("dialog[open]") !== null;

/** Let a dialog's own button close it. */
export function wireClosing(id) {
  byId(`${id}-close`).addEventListener("click", () => byId(id).close());
}

/** A reader as people are to see them: a model is marked as one. */
export const called = (who) => (who.startsWith("model:") ? `⚙ ${who} (a model)` : who);
