// Choosing a group: the most alike first, by a click, a digit, or a few letters.

import { Refused, get } from "./api.js";
import { chip, nameOf, small, tint } from "./cards.js";
import { byId, counted, made } from "./dom.js";
import { plain } from "./keys.js";

const WORDS = {
  loading: "Looking for groups …",
  unreachable: "The groups could not be fetched: close this and try again.",
  empty: "There is no other group.",
  unfound: "No group is called so.",
  found: (number) => `${counted(number, "group")}, the most alike first`,
};
const MEMBERS = 4;
const MOST = 60; // shown at once; a name finds the others
const MOVES = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

export class Chooser {
  constructor() {
    this.dialog = byId("chooser");
    byId("chooser-close").addEventListener("click", () => this.dialog.close());
    byId("filter").addEventListener("input", () => this.show());
    this.dialog.addEventListener("keydown", (event) => this.press(event));
  }

  /** Let a person choose; `near` is an item, `besides` a group that is not offered. */
  async open(title, near, besides, chosen) {
    this.chosen = chosen;
    this.groups = [];
    byId("chooser-title").textContent = title;
    byId("filter").value = "";
    byId("choices").replaceChildren();
    byId("chooser-words").textContent = WORDS.loading;
    this.dialog.showModal();
    try {
      const query = `members=${MEMBERS}${near === null ? "" : `&near=${near}`}`;
      const { groups } = await get(`/api/groups?${query}`);
      this.groups = groups.filter((group) => group.id !== besides);
      this.show();
      (byId("choices").querySelector("button") ?? byId("chooser-close")).focus();
    } catch (error) {
      const isTold = error instanceof Refused;
      byId("chooser-words").textContent = isTold ? error.message : WORDS.unreachable;
    }
  }

  show() {
    const wanted = byId("filter").value.trim().toLowerCase();
    const isMeant = (group) => nameOf(group).toLowerCase().includes(wanted)
      || `${group.number}` === wanted;
    this.found = this.groups.filter(isMeant);
    const shown = this.found.slice(0, MOST).map((group, at) => this.choice(group, at + 1));
    byId("choices").replaceChildren(...shown);
    const none = this.groups.length > 0 ? WORDS.unfound : WORDS.empty;
    byId("chooser-words").textContent = shown.length > 0 ? WORDS.found(this.found.length) : none;
  }

  choice(group, key) {
    const digit = key <= 9
      ? made("kbd", { class: "letter", "aria-hidden": "true" }, `${key}`)
      : null;
    const button = made(
      "button",
      { type: "button", class: `candidate ${tint(group)}` },
      made("span", { class: "candidate-head" }, digit, chip(group), made("b", {}, nameOf(group))),
      made(
        "span",
        { class: `members members-${group.members[0]?.kind}` },
        ...group.members.map((member) => small(member)),
      ),
      made("span", { class: "size" }, counted(group.size, "item")),
    );
    button.addEventListener("click", () => this.choose(group));
    return made("li", {}, button);
  }

  choose(group) {
    this.dialog.close();
    this.chosen(group);
  }

  press(event) {
    const filter = byId("filter");
    const isTyped = event.target === filter;
    if (event.key in MOVES && !(isTyped && event.key.match(/Left|Right/))) {
      event.preventDefault();
      this.step(MOVES[event.key]);
    } else if (isTyped) {
      if (event.key === "Enter" && this.found?.length > 0) this.choose(this.found[0]);
    } else {
      this.type(event, plain(event), filter);
    }
  }

  type(event, key, filter) {
    const group = /^[1-9]$/.test(key ?? "") ? this.found?.[Number(key) - 1] : null;
    if (group) {
      event.preventDefault();
      this.choose(group);
    } else if (key !== null && /^[\p{L}\p{N}/]$/u.test(key)) {
      if (key === "/") event.preventDefault();
      filter.focus(); // the letter goes there
    }
  }

  step(by) {
    const buttons = [...byId("choices").querySelectorAll("button")];
    const at = buttons.indexOf(document.activeElement);
    buttons[Math.min(Math.max(at + by, 0), buttons.length - 1)]?.focus();
  }
}
