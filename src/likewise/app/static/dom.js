// Making and finding elements. Text is always set as text, never as HTML.

export const byId = (id) => document.getElementById(id);

/** An element with attributes and children; a null attribute is left out. */
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

export const counted = (number, one, many = `${one}s`) =>
  `${number.toLocaleString("en")} ${number === 1 ? one : many}`;

/** Buttons that need a script are dead until it is there, so that no click is lost. */
export function alive(selector) {
  for (const button of document.querySelectorAll(selector)) button.disabled = false;
}
