// Wheel, drag, pinch and click on the map.

const WHEEL = 0.0016; // how much closer per pixel of the wheel
const LINE = 16; // pixels of a wheel that counts in lines
const STILL = 5; // pixels that a click may move

const fingers = new Map(); // where each of them was last
let moved = 0; // the farthest that one went at once, in pixels
let element = null;
let view = null;
let on = null;

/**
 * Hear gestures on an element, which change what is seen.
 *
 * @param {HTMLElement} canvas
 * @param {import("./view.js").View} seen
 * @param {Record<string, Function>} told What becomes of them: `change()`, `reset()`,
 *   `hover(x, y)`, `leave()` and `click(x, y)`.
 */
export function wireGestures(canvas, seen, told) {
  [element, view, on] = [canvas, seen, told];
  const heard = {
    pointerdown: down, pointermove: move, pointerup: up,
    pointercancel: cancel, pointerleave: leave, wheel,
  };
  for (const [name, listener] of Object.entries(heard)) {
    element.addEventListener(name, listener, { passive: false });
  }
  element.addEventListener("dblclick", () => on.reset());
}

function placeOf(event) {
  const box = element.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
}

function down(event) {
  if (event.button !== 0) return;
  element.setPointerCapture(event.pointerId);
  if (fingers.size === 0) moved = 0;
  fingers.set(event.pointerId, placeOf(event));
}

function move(event) {
  const now = placeOf(event);
  const before = fingers.get(event.pointerId);
  if (!before) {
    on.hover(...now);
    return;
  }
  moved = Math.max(moved, Math.hypot(now[0] - before[0], now[1] - before[1]));
  if (fingers.size > 1) pinch(event.pointerId, before, now);
  else if (moved > STILL) view.pan(now[0] - before[0], now[1] - before[1]);
  else return; // the hand trembles: neither moved nor forgotten
  fingers.set(event.pointerId, now);
  on.change();
}

function pinch(id, before, now) {
  moved = Infinity;
  const other = [...fingers].find(([key]) => key !== id)[1];
  const gap = (place) => Math.max(Math.hypot(place[0] - other[0], place[1] - other[1]), 1);
  view.pan((now[0] - before[0]) / 2, (now[1] - before[1]) / 2);
  view.zoom(gap(now) / gap(before), (now[0] + other[0]) / 2, (now[1] + other[1]) / 2);
}

function up(event) {
  const was = fingers.delete(event.pointerId);
  if (was && fingers.size === 0 && moved <= STILL) on.click(...placeOf(event));
}

const cancel = (event) => fingers.delete(event.pointerId);

function leave() {
  if (fingers.size === 0) on.leave();
}

function wheel(event) {
  event.preventDefault();
  const unit = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : LINE;
  view.zoom(Math.exp(-event.deltaY * unit * WHEEL), ...placeOf(event));
  on.change();
}
