// The items of the map as columns of numbers, and finding one among them.

/** @typedef {import("../lib/messages.js").Places} Places */

export const N_TINTS = 24;
const NO_GROUP = { number: 0, name: "" };

// What is drawn last lies on top.
const LAYERS = ["aside", "deferred", "guessed", "confirmed"];
const EDGE = 4095;

export class Sheet {
  /** @param {Places} said */
  constructor(said) {
    this.version = said.version;
    this.about = said.about;
    this.nItems = said.n_items;
    this.n = said.x.length;
    this.items = Int32Array.from(said.items ?? said.x.keys());
    this.x = Float32Array.from(said.x, (place) => place / EDGE);
    this.y = Float32Array.from(said.y, (place) => place / EDGE);
    this.group = Int32Array.from(said.group);
    this.status = Uint8Array.from(said.status);
    this.statuses = said.statuses;
    this.groups = said.groups;
    this.byNumber = new Map(said.groups.map((group) => [group.number, group]));
    const looks = this.statuses.length;
    this.look = Uint8Array.from(this.group, (number, at) =>
      (number > 0 ? number % N_TINTS : N_TINTS) * looks + this.status[at]);
    this.looks = [...new Set(this.look)].map((look) =>
      ({ look, tint: Math.floor(look / looks), status: this.statuses[look % looks] }));
    this.order = this.layered();
    this.bounds = { x: extent(this.x), y: extent(this.y) };
    this.members = this.gathered();
    this.middles = said.groups
      .map(({ number }) => ({ number, at: this.outwards(number)[0] }))
      .filter(({ at }) => at !== undefined);
  }

  layered() {
    const layer = this.statuses.map((name) => LAYERS.indexOf(name));
    const order = Uint32Array.from(this.items.keys());
    return order.sort((a, b) => layer[this.status[a]] - layer[this.status[b]] || a - b);
  }

  gathered() {
    const members = new Map([...this.byNumber.keys()].map((number) => [number, []]));
    this.group.forEach((number, at) => members.get(number)?.push(at));
    return members;
  }

  groupOf(at) {
    return this.byNumber.get(this.group[at]) ?? NO_GROUP;
  }

  statusOf(at) {
    return this.statuses[this.status[at]];
  }

  /** Where an item is in the columns; -1 if it is not among those shown. */
  find(item) {
    return this.items.indexOf(item);
  }

  /** The topmost of the items nearest to a place on the screen, or -1. */
  nearest(view, px, py, reach) {
    let found = -1;
    let least = reach * reach;
    for (const at of this.order) {
      const dx = this.x[at] * view.across + view.x - px;
      const dy = this.y[at] * view.down + view.y - py;
      const apart = dx * dx + dy * dy;
      if (apart <= least) [found, least] = [at, apart];
    }
    return found;
  }

  /** The items of a group, those nearest to its middle first. */
  outwards(number) {
    const members = this.members.get(number) ?? [];
    const [x, y] = [this.x, this.y].map((column) => median(members.map((at) => column[at])));
    const apart = (at) => (this.x[at] - x) ** 2 + (this.y[at] - y) ** 2;
    return [...members].sort((a, b) => apart(a) - apart(b) || a - b);
  }
}

// Not the mean, which a few items far away would draw out of the group.
const median = (places) => places.sort((a, b) => a - b)[places.length >> 1];

function extent(column) {
  let [low, high] = [Infinity, -Infinity];
  for (const place of column) {
    if (place < low) low = place;
    if (place > high) high = place;
  }
  return [low, high];
}
