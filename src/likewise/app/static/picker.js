// The picker: one item, and the groups that it may belong to.

import { Refused, get } from "./api.js";
import { chip, nameOf, small, tint, whole } from "./cards.js";
import { byId, counted, made } from "./dom.js";
import { plain } from "./keys.js";

const WORDS = {
  loading: "Looking for groups …",
  unreachable: "The groups could not be fetched: close this and try again.",
  empty: "There are no groups yet.",
  page: (from, to) => `Groups ${from} to ${to}, likeliest first`,
  more: "None of these: show more",
  last: "None of these: a new group",
  likely: (probability) => `≈ ${Math.round(100 * probability)} %`,
};
const KEYS = [..."123456789abc"];
const COLUMNS = 6; // of a row: those in which the pair differs most
const NONE = ["0", "n"];
const GUARD = 150; // milliseconds in which keys still mean the page before

export class Picker {
  /** `choose(question, group, rejected)` puts its item somewhere; `closed()` hears of Esc. */
  constructor(choose, closed) {
    this.dialog = byId("picker");
    this.choose = choose;
    byId("picker-close").addEventListener("click", () => this.dialog.close());
    byId("picker-none").addEventListener("click", () => this.none());
    this.dialog.addEventListener("keydown", (event) => this.press(event));
    this.dialog.addEventListener("close", closed);
  }

  open(question) {
    if (this.dialog.open) return;
    this.question = question;
    this.columns = question.sample.columns.slice(0, COLUMNS).map((one) => one.name);
    this.earlier = []; // groups of the pages before: the item is in none of them
    byId("picker-sample").replaceChildren(this.sample(question));
    this.dialog.showModal();
    this.turn(0);
  }

  close() {
    if (this.dialog.open) this.dialog.close();
  }

  sample({ sample, against }) {
    const title = made("figcaption", { class: "title" }, sample.title);
    return made("figure", {}, whole(sample, against), title);
  }

  async turn(page) {
    this.found = null;
    byId("picker-words").textContent = WORDS.loading;
    byId("picker-none").hidden = true;
    const asked = this.question.id;
    try {
      const found = await get(`/api/candidates?page=${page}`);
      if (asked !== this.question.id || !this.dialog.open) return;
      if (found.question === asked) this.show(found);
      else this.dialog.close();
    } catch (error) {
      const isTold = error instanceof Refused;
      byId("picker-words").textContent = isTold ? error.message : WORDS.unreachable;
    }
  }

  show(found) {
    this.found = found;
    this.openFrom = performance.now() + GUARD;
    const before = this.earlier.length;
    const shown = found.groups.map((group, at) => this.candidate(group, KEYS[at]));
    byId("candidates").replaceChildren(...shown);
    byId("picker-words").textContent = shown.length > 0
      ? WORDS.page(before + 1, before + shown.length)
      : WORDS.empty;
    const none = byId("picker-none");
    none.replaceChildren(
      found.has_more ? WORDS.more : WORDS.last,
      " ",
      made("kbd", { class: "letter", "aria-hidden": "true" }, "0"),
    );
    none.hidden = false;
    (shown[0]?.firstElementChild ?? none).focus();
  }

  candidate(group, key) {
    const button = made(
      "button",
      { type: "button", class: `candidate ${tint(group)}` },
      made(
        "span",
        { class: "candidate-head" },
        made("kbd", { class: "letter", "aria-hidden": "true" }, key),
        chip(group),
        made("b", {}, nameOf(group)),
      ),
      made(
        "span",
        { class: `members members-${group.members[0]?.kind}` },
        ...group.members.map((member) => small(member, this.columns)),
      ),
      made("span", { class: "size" }, this.size(group)),
    );
    button.addEventListener("click", () => this.pick(group.id));
    return made("li", {}, button);
  }

  size({ size, probability }) {
    const items = counted(size, "item");
    return probability === null ? items : `${items} · ${WORDS.likely(probability)}`;
  }

  press(event) {
    const key = plain(event);
    if (key === null || !this.found || performance.now() < this.openFrom) return;
    const group = this.found.groups[KEYS.indexOf(key)];
    if (NONE.includes(key)) this.none();
    else if (group) this.pick(group.id);
    else return;
    event.preventDefault();
  }

  none() {
    if (!this.found) return;
    const { groups, has_more: hasMore, page } = this.found;
    this.earlier.push(...groups.map((group) => group.id));
    if (hasMore) this.turn(page + 1);
    else this.pick("new");
  }

  pick(group) {
    if (!this.found) return;
    this.found = null;
    const rejected = [...this.earlier];
    this.dialog.close();
    this.choose(this.question.id, group, rejected);
  }
}
