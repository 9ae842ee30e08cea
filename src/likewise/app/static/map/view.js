// Which part of the map is seen.

const MARGIN = 32; // pixels around all items
const CLOSEST = 60; // times as large as the whole map
const FARTHEST = 0.7;
const STEP = 1.6; // of a button
const ROOM = MARGIN - 4; // pixels between an item that is stepped to and the edge
const STRETCH = 1.6; // of one axis against the other
const LEAST = 1e-3; // of the map that is ever shown

/** A place (x, y) of the map is at (x * across + view.x, y * down + view.y) on the screen. */
export class View {
  constructor() {
    [this.across, this.down, this.x, this.y] = [1, 1, 0, 0];
    [this.width, this.height] = [0, 0];
    this.closeness = 1; // how much larger than the whole map
    this.isWhole = true;
  }

  /** Show everything; the longer side of the screen is used as far as it looks right. */
  fit({ x: [left, right], y: [top, bottom] }) {
    const wide = Math.max(this.width - 2 * MARGIN, 1) / Math.max(right - left, LEAST);
    const high = Math.max(this.height - 2 * MARGIN, 1) / Math.max(bottom - top, LEAST);
    this.across = Math.min(wide, high * STRETCH);
    this.down = Math.min(high, wide * STRETCH);
    this.x = this.width / 2 - (this.across * (left + right)) / 2;
    this.y = this.height / 2 - (this.down * (top + bottom)) / 2;
    this.closeness = 1;
    this.isWhole = true;
  }

  /** Take another size; what was in the middle stays there. */
  resize(width, height, bounds) {
    const { isWhole, closeness } = this;
    const x = (this.width / 2 - this.x) / this.across;
    const y = (this.height / 2 - this.y) / this.down;
    [this.width, this.height] = [width, height];
    this.fit(bounds);
    if (isWhole) return;
    this.zoom(closeness);
    [this.x, this.y] = [width / 2 - x * this.across, height / 2 - y * this.down];
  }

  zoom(factor, px = this.width / 2, py = this.height / 2) {
    const closeness = within(this.closeness * factor, FARTHEST, CLOSEST);
    const by = closeness / this.closeness;
    this.x = px - (px - this.x) * by;
    this.y = py - (py - this.y) * by;
    this.across *= by;
    this.down *= by;
    this.closeness = closeness;
    this.isWhole = false;
  }

  pan(dx, dy) {
    this.x += dx;
    this.y += dy;
    this.isWhole = false;
  }

  /** Where a place of the map is on the screen. */
  place(x, y) {
    return [x * this.across + this.x, y * this.down + this.y];
  }

  /** Bring a place of the map into sight, if it is not. */
  reach(x, y) {
    const [px, py] = this.place(x, y);
    const dx = within(px, ROOM, this.width - ROOM) - px;
    const dy = within(py, ROOM, this.height - ROOM) - py;
    if (dx || dy) this.pan(dx, dy);
  }
}

const within = (value, low, high) => Math.max(Math.min(value, high), Math.min(low, high));

export const ZOOMS = { in: STEP, out: 1 / STEP };
