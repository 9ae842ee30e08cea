// Choosing items in a grid: by clicks, by keys, one, some or all.

import { focused } from "./dom.js";

/** Where an arrow leads from one of some elements: a position, perhaps none of theirs. */
export const MOVES = {
  ArrowLeft: (at) => at - 1,
  ArrowRight: (at) => at + 1,
  ArrowUp: (at, picks) => nearestInRow(at, picks, -1),
  ArrowDown: (at, picks) => nearestInRow(at, picks, 1),
  Home: () => 0,
  End: (at, picks) => picks.length - 1,
};

export class Selection {
  /**
   * `root` holds the grid, whatever becomes of it; `changed()` hears of each change.
   * With `opens`, Enter shows an item larger.
   */
  constructor(root, changed, { opens = true } = {}) {
    this.root = root;
    this.changed = changed;
    this.opens = opens;
    this.forget();
    root.addEventListener("click", (event) => this.click(event));
    root.addEventListener("keydown", (event) => this.press(event));
    root.addEventListener("mousedown", (event) => this.hold(event));
    root.addEventListener("focusin", (event) => this.rove(event.target.closest(".pick")));
  }

  forget() {
    this.chosen = new Set();
    this.base = new Set(); // what was chosen before the present range
    this.from = null; // where that range begins
  }

  get picks() {
    return [...this.root.querySelectorAll(".pick")];
  }

  /** The numbers of the chosen items, in the order in which they are shown. */
  get items() {
    return this.picks.map(itemOf).filter((item) => this.chosen.has(item));
  }

  /** The one that has the focus, or null. */
  get focused() {
    const now = focused();
    return this.root.contains(now) ? now.closest(".pick") : null;
  }

  /** The chosen items, or else the one that has the focus. */
  get meant() {
    const { focused } = this;
    return this.chosen.size > 0 || focused === null ? this.items : [itemOf(focused)];
  }

  all() {
    this.put(new Set(this.picks.map(itemOf)));
  }

  none() {
    this.forget();
    this.show();
  }

  put(chosen) {
    this.chosen = chosen;
    this.show();
  }

  show() {
    for (const pick of this.picks) {
      pick.setAttribute("aria-pressed", `${this.chosen.has(itemOf(pick))}`);
    }
    this.changed();
  }

  click(event) {
    const pick = event.target.closest(".pick");
    if (pick === null || pick.disabled) return;
    if (event.shiftKey && this.from !== null) this.stretch(pick);
    else this.toggle(pick);
  }

  toggle(pick) {
    const item = itemOf(pick);
    const chosen = new Set(this.chosen);
    if (!chosen.delete(item)) chosen.add(item);
    this.from = item;
    this.base = new Set(chosen);
    this.put(chosen);
  }

  /** Choose everything from where the range begins to here. */
  stretch(pick) {
    const items = this.picks.map(itemOf);
    const ends = [items.indexOf(this.from), items.indexOf(itemOf(pick))];
    const [first, last] = [Math.min(...ends), Math.max(...ends)];
    this.put(new Set([...this.base, ...items.slice(Math.max(first, 0), last + 1)]));
  }

  press(event) {
    const pick = event.target.closest(".pick");
    if (pick === null || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" && this.opens) {
      event.preventDefault();
      pick.parentElement.querySelector(".enlarge")?.click();
    } else if (event.key in MOVES) {
      event.preventDefault();
      this.move(pick, MOVES[event.key], event.shiftKey);
    }
  }

  move(pick, step, isRange) {
    const { picks } = this;
    const to = picks[Math.min(Math.max(step(picks.indexOf(pick), picks), 0), picks.length - 1)];
    if (isRange && (this.from === null || !this.chosen.has(itemOf(pick)))) {
      this.from = itemOf(pick);
      this.base = new Set(this.chosen);
    }
    if (isRange) this.stretch(to);
    to.focus();
  }

  // Shift and a click would mark the words between as text.
  hold(event) {
    if (event.shiftKey && event.target.closest(".pick")) event.preventDefault();
  }

  /** One item at a time is reached by Tab. */
  rove(pick) {
    if (!pick) return;
    for (const other of this.picks) other.tabIndex = other === pick ? 0 : -1;
  }

  /** The items that may have the focus once the chosen ones are gone, best first. */
  followers() {
    const items = this.picks.map(itemOf);
    const last = items.findLastIndex((item) => this.chosen.has(item));
    const others = (some) => some.filter((item) => !this.chosen.has(item));
    return [...others(items.slice(last + 1)), ...others(items.slice(0, last + 1)).reverse()];
  }

  /** Go to the first of some items that is there. */
  goTo(items) {
    const there = new Map(this.picks.map((pick) => [itemOf(pick), pick]));
    const found = items.map((item) => there.get(item)).find(Boolean) ?? this.picks[0];
    this.rove(found);
    found?.focus();
    return Boolean(found);
  }
}

export const itemOf = (pick) => Number(pick.closest("[data-item]").dataset.item);

function nearestInRow(at, picks, step) {
  const boxes = picks.map((pick) => pick.getBoundingClientRect());
  const here = boxes[at];
  const isBeyond = (box) => (box.top - here.top) * step > here.height / 2;
  const beyond = boxes.map((box, index) => [box, index]).filter(([box]) => isBeyond(box));
  if (beyond.length === 0) return at;
  const row = step > 0 ? beyond[0][0].top : beyond.at(-1)[0].top;
  const inRow = beyond.filter(([box]) => Math.abs(box.top - row) < here.height / 2);
  const away = ([box]) => Math.abs(box.left - here.left);
  return inRow.reduce((best, one) => (away(one) < away(best) ? one : best))[1];
}
