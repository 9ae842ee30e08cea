// Looking closer: one zoom for all that is side by side, by wheel, fingers, drag and keys.

export const STEP = 1.5; // times larger, by a key or a button
const [LEAST, MOST] = [1, 16];
const CLOSE = 3; // times larger, by a double click
const NOTCH = 0.002; // how much a pixel of the wheel is
const SWIPE = 60; // pixels that a finger goes at least, to see the next
const BY_KEY = 0.15; // of the box, that a key goes

/** How close one is, and where: `x` and `y` are shares of the box, 0 at its left and top. */
export class Zoom {
  constructor(changed) {
    [this.scale, this.x, this.y] = [LEAST, 0, 0];
    this.changed = changed;
  }

  fit() {
    [this.scale, this.x, this.y] = [LEAST, 0, 0];
    this.changed();
  }

  /** Go closer by a factor; what is at a place of the box stays there. */
  by(factor, atX = 0.5, atY = 0.5) {
    const scale = bounded(this.scale * factor, LEAST, MOST);
    const more = scale / this.scale;
    this.scale = scale;
    this.to(atX - (atX - this.x) * more, atY - (atY - this.y) * more);
  }

  /** Go all the way in, or out again. */
  toggle(atX, atY) {
    if (this.scale > LEAST) this.fit();
    else this.by(CLOSE, atX, atY);
  }

  /** Move, never so far that the edge comes in. */
  to(x, y) {
    [this.x, this.y] = [x, y].map((at) => bounded(at, LEAST - this.scale, 0));
    this.changed();
  }

  go(right, down) {
    this.to(this.x - right * BY_KEY, this.y - down * BY_KEY);
  }

  /** As a transformation of what fills the box. */
  get css() {
    return `translate(${100 * this.x}%, ${100 * this.y}%) scale(${this.scale})`;
  }
}

const bounded = (value, least, most) => Math.min(Math.max(value, least), most);

/** Let a box be zoomed and dragged; `swiped(step)` hears of a finger that goes aside. */
export function wireZoom(box, zoom, swiped) {
  const held = new Map(); // pointers, and where they are
  let from = null; // where a finger began
  const place = ({ clientX, clientY }) => {
    const area = box.getBoundingClientRect();
    return [(clientX - area.left) / area.width, (clientY - area.top) / area.height];
  };
  box.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom.by(Math.exp(-event.deltaY * NOTCH), ...place(event));
  }, { passive: false });
  box.addEventListener("dblclick", (event) => zoom.toggle(...place(event)));
  box.addEventListener("pointerdown", (event) => {
    box.setPointerCapture(event.pointerId);
    held.set(event.pointerId, place(event));
    from = held.size === 1 ? event : null;
  });
  box.addEventListener("pointermove", (event) => {
    if (!held.has(event.pointerId)) return;
    const before = [...held.values()];
    held.set(event.pointerId, place(event));
    follow(zoom, before, [...held.values()]);
  });
  const release = (event) => {
    held.delete(event.pointerId);
    if (from && event.type === "pointerup") swipe(zoom, from, event, swiped);
    from = null;
  };
  box.addEventListener("pointerup", release);
  box.addEventListener("pointercancel", release);
}

// One finger drags; two also go closer, as far apart as they are.
function follow(zoom, before, after) {
  const [was, is] = [middle(before), middle(after)];
  if (after.length > 1) zoom.by(apart(after) / Math.max(apart(before), 1e-6), ...was);
  zoom.to(zoom.x + is[0] - was[0], zoom.y + is[1] - was[1]);
}

const middle = (places) => [0, 1].map((axis) =>
  places.reduce((sum, at) => sum + at[axis], 0) / places.length);
const apart = ([one, other]) => Math.hypot(one[0] - other[0], one[1] - other[1]);

function swipe(zoom, from, to, swiped) {
  const aside = to.clientX - from.clientX;
  const isAside = Math.abs(aside) > SWIPE && Math.abs(to.clientY - from.clientY) < SWIPE;
  if (to.pointerType === "touch" && zoom.scale === LEAST && isAside) swiped(aside < 0 ? 1 : -1);
}
