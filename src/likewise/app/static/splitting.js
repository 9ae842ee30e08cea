// The split dialog: the parts of a group, put right by hand, before anything is saved.

import { Refused, actOf, get, post } from "./api.js";
import { small } from "./cards.js";
import { byId, counted, made } from "./dom.js";
import { plain } from "./keys.js";
import { Selection } from "./selection.js";
import { sentence } from "./sending.js";
import { stripOf } from "./strips.js";

const WORDS = {
  title: (name) => `Split ${name}`,
  looking: "Looking for parts …",
  unreachable: "The server does not answer: close this and try again.",
  part: (number) => `Part ${number}`,
  facts: (size, confirmed) => `${counted(size, "item")} · ${confirmed.toLocaleString("en")} confirmed`,
  more: (number) => `and ${number.toLocaleString("en")} more`,
  confirmed: "confirmed",
  to: (number) => `To part ${number}`,
  joined: (answer, at) => `These were joined by ${answer}, ${ago(at)}: take it back?`,
  mine: (answer) => `your answer ${answer}`,
  theirs: (answer, who) => `answer ${answer} of ${who}`,
};
const COUNTS = [2, 3, 4, 5];
const SPANS = [["day", 86_400], ["hour", 3600], ["minute", 60]];

const ago = (at) => {
  const seconds = Date.now() / 1000 - at;
  const [unit, length] = SPANS.find(([, span]) => seconds >= span) ?? ["second", 1];
  const words = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
  return words.format(-Math.floor(seconds / length), unit);
};

export class Splitting {
  /** `split(body)` and `unfuse(answer)` are called once a person has said so. */
  constructor(split, unfuse) {
    this.dialog = byId("split");
    this.split = split;
    this.selection = new Selection(byId("parts"), () => {});
    byId("split-close").addEventListener("click", () => this.dialog.close());
    byId("split-do").addEventListener("click", () => this.done(() => split(this.body)));
    byId("unfuse").addEventListener("click", () =>
      this.done(() => unfuse(this.found.fusing.answer)));
    byId("n-parts").append(...COUNTS.map((number) => this.counter(number)));
    this.dialog.addEventListener("keydown", (event) => this.press(event));
  }

  counter(number) {
    const button = made("button", { type: "button", "data-parts": number }, `${number}`);
    button.addEventListener("click", () => this.look(number));
    return button;
  }

  open(group, name) {
    this.group = group;
    byId("split-title").textContent = WORDS.title(name);
    byId("fusing").hidden = true;
    byId("parts").replaceChildren();
    this.dialog.showModal();
    this.look(COUNTS[0]);
  }

  /** Fetch the parts anew; what was put right by hand is forgotten. */
  async look(number) {
    this.number = number;
    this.moved = new Map();
    this.selection.forget();
    this.wait(WORDS.looking);
    for (const button of byId("n-parts").querySelectorAll("button")) {
      button.setAttribute("aria-pressed", `${Number(button.dataset.parts) === number}`);
    }
    try {
      const found = await get(`/api/groups/${this.group}/parts?n=${number}`);
      if (number !== this.number || !this.dialog.open) return;
      this.found = found;
      this.showFusing(found.fusing);
      this.show();
      if (found.fusing) byId("unfuse").focus();
      else this.selection.goTo([]);
    } catch (error) {
      this.wait(error instanceof Refused ? error.message : WORDS.unreachable);
    }
  }

  wait(words) {
    byId("split-do").disabled = true;
    byId("split-words").textContent = words;
  }

  showFusing(fusing) {
    byId("fusing").hidden = !fusing;
    if (!fusing) return;
    const { answer, who, at: when } = fusing;
    const isMine = who === byId("review").dataset.who;
    const told = isMine ? WORDS.mine(answer) : WORDS.theirs(answer, who);
    byId("fusing-words").textContent = WORDS.joined(told, when);
    byId("fusing-sides").replaceChildren(...fusing.pair.map((card, at) => made(
      "div",
      { class: "fusing-side" },
      made("figure", {}, small(card), made("figcaption", { class: "title" }, card.title)),
      made("p", { class: "dim" }, counted(fusing.sizes[at], "item")),
      stripOf(fusing.sides[at]),
    )));
  }

  partOf(item, at) {
    return this.moved.get(item) ?? at;
  }

  show() {
    const shown = this.found.parts.flatMap((part, at) => part.items.map((card, index) =>
      ({ card, at, isConfirmed: part.is_confirmed[index] })));
    byId("parts").replaceChildren(...this.found.parts.map((part, number) => this.section(
      part,
      number,
      shown.filter(({ card, at }) => this.partOf(card.item, at) === number),
    )));
    byId("to-parts").replaceChildren(...this.found.parts.map((_, number) => this.mover(number)));
    this.selection.rove(this.selection.picks[0]);
    this.preview();
  }

  section(part, number, shown) {
    const came = shown.filter(({ at }) => at !== number);
    const left = part.items.filter((card) => this.partOf(card.item, number) !== number);
    const size = part.size + came.length - left.length;
    const rest = part.size - part.items.length;
    const known = came.filter((one) => one.isConfirmed).length
      - part.items.filter((card, at) => left.includes(card) && part.is_confirmed[at]).length;
    return made(
      "section",
      { class: "part", "aria-label": WORDS.part(number + 1) },
      made("h3", {}, WORDS.part(number + 1)),
      made("p", { class: "dim" }, WORDS.facts(size, part.confirmed + known)),
      made("ul", { class: `items items-${shown[0]?.card.kind}` }, ...shown.map(pickOf)),
      rest > 0 ? made("p", { class: "dim" }, WORDS.more(rest)) : null,
    );
  }

  mover(number) {
    const key = made("kbd", { class: "letter", "aria-hidden": "true" }, `${number + 1}`);
    const button = made("button", { type: "button" }, WORDS.to(number + 1), " ", key);
    button.addEventListener("click", () => this.move(number));
    return button;
  }

  move(number) {
    const items = this.selection.meant;
    if (items.length === 0 || number >= this.found.parts.length) return;
    this.selection.chosen = new Set(items);
    const next = this.selection.followers();
    for (const item of items) this.moved.set(item, number);
    this.selection.forget();
    this.show();
    this.selection.goTo(next);
  }

  get body() {
    return {
      group: this.group,
      n_parts: this.number,
      moved: [...this.moved].map(([item, part]) => ({ item, part })),
      seen: this.found.parts.map((part) => part.items[0].item),
    };
  }

  async preview() {
    const asked = JSON.stringify(this.body);
    this.wait(WORDS.looking);
    try {
      const { recorded } = await post("/api/preview", actOf("", this.body).body);
      if (asked !== JSON.stringify(this.body)) return;
      byId("split-words").textContent = sentence(recorded);
      byId("split-do").disabled = false;
    } catch (error) {
      if (asked !== JSON.stringify(this.body)) return;
      this.wait(error instanceof Refused ? error.message : WORDS.unreachable);
    }
  }

  press(event) {
    const key = plain(event);
    const at = COUNTS.indexOf(this.number);
    if (/^[1-5]$/.test(key ?? "") && this.found) this.move(Number(key) - 1);
    else if (key === "p") byId("split-do").click();
    else if (key === "t" && !byId("fusing").hidden) byId("unfuse").click();
    else if (key === "+" && at < COUNTS.length - 1) this.look(COUNTS[at + 1]);
    else if (key === "-" && at > 0) this.look(COUNTS[at - 1]);
    else return;
    event.preventDefault();
  }

  done(act) {
    this.dialog.close();
    act();
  }
}

function pickOf({ card, isConfirmed }) {
  const words = isConfirmed ? made("span", { class: "lock" }, WORDS.confirmed) : null;
  return made("li", { class: "item", "data-item": card.item }, made(
    "button",
    { type: "button", class: "pick", "aria-pressed": "false", tabindex: "-1" },
    made("span", { class: `face face-${card.kind}` }, small(card)),
    words && made("span", { class: "caption" }, words),
    made("span", { class: "tick", "aria-hidden": "true" }, "✓"),
  ));
}
