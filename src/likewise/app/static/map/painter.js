// Painting the map: signs for items, numbers for groups, a ring for what is looked at.

import { N_TINTS } from "./sheet.js";
import { cut, press, wordOf } from "./stamp.js";

const LARGEST = 7; // pixels from the middle of an item to its edge
const SMALLEST = 2.5;
const CROWD = 60; // how fast items shrink as they become many
const CROWDING = 0.35;
const GROWTH = 0.35; // how fast they grow as one comes closer
const MOST_GROWTH = 2.2;
const BEYOND = 40; // pixels around the canvas, for signs that are partly outside
const FAINT = 0.22; // of what is not in the group that is looked at
const RING = 4; // pixels between the item looked at and the ring around it
const LABEL = 20; // pixels that the number of a group is high
const LETTERS = "600 12px system-ui, sans-serif";

export class Painter {
  constructor(canvas) {
    this.canvas = canvas;
    this.pen = canvas.getContext("2d");
    this.restyle();
  }

  /** Read the colours of the page, which change with the light. */
  restyle() {
    const probe = this.canvas.parentElement.appendChild(document.createElement("i"));
    const look = getComputedStyle(probe);
    const ground = look.getPropertyValue("--sheet");
    const coloured = (name) => {
      probe.className = `probe ${name}`;
      const [fill, edge, rim] = [look.backgroundColor, look.color, look.borderTopColor];
      return { fill, edge, rim, ground };
    };
    this.tints = Array.from({ length: N_TINTS }, (_, number) => coloured(`tint-${number}`));
    this.rest = coloured("");
    this.ink = look.getPropertyValue("--ink");
    this.onTint = look.getPropertyValue("--on-tint");
    this.ground = ground;
    this.blank = wordOf(ground);
    probe.remove();
    this.stamps = new Map();
  }

  /** Fit the canvas to its box; return the size in pixels of the page. */
  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement;
    this.density = window.devicePixelRatio || 1;
    this.canvas.width = Math.max(Math.round(width * this.density), 1);
    this.canvas.height = Math.max(Math.round(height * this.density), 1);
    this.beyond = Math.ceil(BEYOND * this.density);
    const [across, down] = [this.canvas.width, this.canvas.height];
    this.picture = this.pen.createImageData(across + 2 * this.beyond, down + 2 * this.beyond);
    this.words = new Uint32Array(this.picture.data.buffer);
    this.stamps = new Map();
    return [width, height];
  }

  draw(sheet, view, { lit, current }) {
    const radius = Math.round(this.radius(sheet, view) * this.density * 2) / 2;
    this.words.fill(this.blank);
    if (lit !== null) this.press(sheet, view, this.cut(sheet, radius, FAINT), (one) => one !== lit);
    const isLit = lit === null ? () => true : (one) => one === lit;
    this.press(sheet, view, this.cut(sheet, radius, 1), isLit);
    this.pen.putImageData(this.picture, -this.beyond, -this.beyond);
    this.pen.setTransform(this.density, 0, 0, this.density, 0, 0);
    if (lit === null) this.label(sheet, view);
    if (current >= 0) this.circle(sheet, view, radius / this.density, current);
  }

  radius(sheet, view) {
    const alone = Math.min(LARGEST, Math.max(SMALLEST, CROWD / sheet.n ** CROWDING));
    return alone * Math.min(MOST_GROWTH, Math.max(1, view.closeness ** GROWTH));
  }

  press(sheet, view, stamps, isWanted) {
    const { words, density, beyond, picture: { width, height } } = this;
    const { order, x: xs, y: ys, group, look } = sheet;
    const across = view.across * density;
    const down = view.down * density;
    const left = view.x * density + beyond;
    const top = view.y * density + beyond;
    for (let i = 0; i < order.length; i += 1) {
      const at = order[i];
      const x = Math.round(xs[at] * across + left);
      const y = Math.round(ys[at] * down + top);
      const isInside = x >= beyond / 2 && y >= beyond / 2
        && x < width - beyond / 2 && y < height - beyond / 2;
      if (isInside && isWanted(group[at])) press(words, y * width + x, stamps[look[at]]);
    }
  }

  /** The sign of each look that there is: filled when confirmed, hollow when guessed. */
  cut(sheet, radius, strength) {
    const kept = this.stamps.get(`${radius} ${strength}`) ?? [];
    this.stamps.set(`${radius} ${strength}`, kept);
    const line = Math.max(1.25 * this.density, radius * 0.3);
    const size = { radius, line, strength, width: this.picture.width };
    for (const { look, tint, status } of sheet.looks) {
      kept[look] ??= cut(status, this.tints[tint] ?? this.rest, size);
    }
    return kept;
  }

  /** The number of each group in its middle, if there is room for it. */
  label(sheet, view) {
    const { pen } = this;
    [pen.font, pen.textAlign, pen.textBaseline] = [LETTERS, "center", "middle"];
    const taken = [];
    for (const { number, at } of sheet.middles) {
      const [x, y] = view.place(sheet.x[at], sheet.y[at]);
      const half = Math.max(LABEL, pen.measureText(`${number}`).width + 12) / 2;
      const isFree = taken.every((other) =>
        Math.abs(other.x - x) > other.half + half || Math.abs(other.y - y) > LABEL);
      if (!isFree) continue;
      taken.push({ x, y, half });
      this.chip(number, x, y, half);
    }
  }

  chip(number, x, y, half) {
    const { pen } = this;
    pen.beginPath();
    const isFirst = number <= N_TINTS; // beyond, colours come again in another shape
    pen.roundRect(x - half, y - LABEL / 2, 2 * half, LABEL, isFirst ? LABEL / 2 : 3);
    [pen.fillStyle, pen.strokeStyle] = [this.tints[number % N_TINTS].fill, this.ground];
    pen.lineWidth = 3;
    pen.stroke();
    pen.fill();
    pen.fillStyle = this.onTint;
    pen.fillText(`${number}`, x, y + 1);
  }

  circle(sheet, view, radius, at) {
    const { pen } = this;
    const place = view.place(sheet.x[at], sheet.y[at]);
    for (const [colour, width] of [[this.ground, 5], [this.ink, 2]]) {
      pen.beginPath();
      pen.arc(...place, radius + RING, 0, 2 * Math.PI);
      [pen.strokeStyle, pen.lineWidth] = [colour, width];
      pen.stroke();
    }
  }
}
