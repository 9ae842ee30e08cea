// What keys mean, by what is asked.

import { isModified, isUndo, plain } from "../lib/keys.js";

const ALL_LETTERS = { z: "undo", "?": "keys" };
const LETTERS = {
  pair: { d: "different", u: "unsure", s: "same", g: "pick", n: "none", x: "aside", v: "view", e: "name" },
  sheet: { u: "doubt", g: "sort", p: "skip", v: "view" },
  overview: { s: "set", p: "skip", v: "view" },
};
const ARROWS = { ArrowLeft: "different", ArrowDown: "unsure", ArrowRight: "same" };
const ON_TILES = /^Arrow|^Home$|^End$/;

/** What a key does where a pair, a sheet or an overview is asked; null for nothing. */
export function meant(event, kind) {
  if (event.repeat) return null;
  if (isUndo(event)) return "undo";
  if (kind in LETTERS && kind !== "pair" && event.key === "Enter" && isOnTiles(event)) return "done";
  if (kind === "pair" && event.key in ARROWS && !isModified(event)) {
    return isScrolling(event) ? null : ARROWS[event.key];
  }
  const key = plain(event);
  return LETTERS[kind]?.[key] ?? ALL_LETTERS[key] ?? null;
}

/** Whether a key leads to the tiles, from wherever the focus is. */
export const leadsToTiles = (event) => ON_TILES.test(event.key) && !isModified(event)
  && event.target.closest(".pick, .text, .rows, summary") === null;

const isOnTiles = (event) => !isModified(event)
  && (event.target === document.body || event.target.closest(".pick, main") !== null)
  && event.target.closest("a, button:not(.pick), summary") === null;

// Down is for reading on in a long text that has the focus.
function isScrolling(event) {
  const box = event.target.closest(".text, .rows");
  return event.key === "ArrowDown" && box !== null && box.scrollHeight > box.clientHeight;
}
