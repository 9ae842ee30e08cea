// The list of groups: tick some, and make them one.

import { byId } from "./dom.js";
import { isTyping, openKeys, plain, wireKeys } from "./keys.js";
import { Merging } from "./merging.js";
import { wake } from "./redraw.js";
import { Sender, say } from "./sending.js";
import { changeHints } from "./settings.js";

const WORDS = {
  none: "Tick groups to merge them",
  one: "1 group ticked: tick another one to merge them",
  some: (number) => `${number} groups ticked`,
  few: "Merging needs two groups: tick two or more.",
  noUndo: "There is nothing of yours to undo.",
};
const LETTERS = { g: "merge", m: "merge", z: "undo", "?": "keys" };
const ENOUGH = 2;

const boxes = () => [...document.querySelectorAll(".ticking input")];
const ticked = () => boxes().filter((box) => box.checked).map((box) => Number(box.value));

function showTicked() {
  const { length } = ticked();
  byId("chosen").textContent = [WORDS.none, WORDS.one][length] ?? WORDS.some(length);
  for (const button of document.querySelectorAll("[data-do]")) {
    const isOff = { merge: length < ENOUGH, undo: !sender.canUndo }[button.dataset.do] ?? false;
    button.setAttribute("aria-disabled", `${isOff}`);
  }
}

function untick() {
  for (const box of boxes()) box.checked = false;
  showTicked();
}

let focused = null; // the group that had the focus before the page was drawn anew

const sender = new Sender(() => {
  untick();
  const again = boxes().find((box) => box.value === focused) ?? boxes()[0];
  if (focused !== null) again?.focus();
});

function act(path, body) {
  const box = document.activeElement.closest?.(".group")?.querySelector(".ticking input");
  focused = box?.value ?? `${body.groups?.[0] ?? ""}`;
  return sender.send(path, body);
}

const merging = new Merging();
const merge = (groups) => act("/api/merge", { groups });

const DOES = {
  merge: () => (ticked().length < ENOUGH ? say(WORDS.few, false) : merging.open(ticked(), merge)),
  undo: () => (sender.canUndo ? act("/api/undo", {}) : say(WORDS.noUndo, false)),
  keys: () => openKeys({ hints: byId("review").dataset.hints === "true" }),
};

function press(event) {
  if (document.querySelector("dialog[open]") || isTyping(event.target)) return;
  if (event.key === "Escape") untick();
  const isUndo = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z";
  const key = event.key === "?" ? "?" : plain(event);
  const name = isUndo ? "undo" : LETTERS[key];
  if (!name || sender.isBusy) return;
  event.preventDefault();
  DOES[name]();
}

function click(event) {
  const button = event.target.closest("[data-do]");
  if (button && !button.disabled && !sender.isBusy) DOES[button.dataset.do]();
}

wireKeys((hints) => changeHints(hints, showTicked));
document.addEventListener("keydown", press);
document.addEventListener("click", click);
document.addEventListener("change", showTicked);
wake();
showTicked();
await sender.resend();
