// The merge dialog: what would become one, and what that records.

import { Refused, actOf, post } from "./api.js";
import { byId, say } from "./dom.js";
import { plain } from "./keys.js";
import { sentence } from "./sending.js";
import { groupRow } from "./strips.js";

const WORDS = {
  title: (number) => (number === 2 ? "Merge these two groups?" : `Merge these ${number} groups?`),
  looking: "Looking what this would record …",
  unreachable: "The server does not answer: close this and try again.",
  namesake: (name) => `Another group is called “${name}” already. They can become one, `
    + "or both keep the name.",
  keep: "Keep both",
};

export class Merging {
  constructor() {
    this.dialog = byId("merging");
    byId("merging-close").addEventListener("click", () => this.dialog.close());
    byId("merging-do").addEventListener("click", () => this.done(() => this.merge(this.groups)));
    byId("merging-keep").addEventListener("click", () => this.done(this.keep));
    this.dialog.addEventListener("keydown", (event) => {
      if (plain(event) === "g" && this.isReady) byId("merging-do").click();
    });
  }

  /** Ask whether groups, each named by an item, are to be one; `merge(groups)` if so. */
  open(groups, merge) {
    this.show(groups, merge);
    say(byId("merging-why"), null);
    byId("merging-keep").hidden = true;
    this.keep = null;
    return this.look();
  }

  /** Offer a merge with those that have a name already; `keep()` leaves them apart. */
  offer(groups, name, merge, keep) {
    this.show(groups, merge);
    say(byId("merging-why"), WORDS.namesake(name));
    byId("merging-keep").hidden = false;
    byId("merging-keep").textContent = WORDS.keep;
    this.keep = keep;
    return this.look();
  }

  show(groups, merge) {
    this.groups = groups;
    this.merge = merge;
    this.isReady = false;
    byId("merging-title").textContent = WORDS.title(groups.length);
    byId("merging-groups").replaceChildren();
    byId("merging-words").textContent = WORDS.looking;
    byId("merging-do").disabled = true;
    this.dialog.showModal();
  }

  async look() {
    try {
      const { body } = actOf("", { groups: this.groups });
      const { recorded, groups } = await post("/api/preview", body);
      byId("merging-groups").replaceChildren(...groups.map(groupRow));
      byId("merging-words").textContent = sentence(recorded);
      byId("merging-do").disabled = false;
      byId("merging-do").focus();
      this.isReady = true;
    } catch (error) {
      const isTold = error instanceof Refused;
      byId("merging-words").textContent = isTold ? error.message : WORDS.unreachable;
    }
  }

  done(act) {
    this.dialog.close();
    act();
  }
}
