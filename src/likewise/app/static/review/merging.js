// The merge dialog: what would become one, and what that records.

import { previewed, troubleOf } from "../lib/api.js";
import { groupRow } from "../lib/cards.js";
import { byId, say, wireClosing } from "../lib/dom.js";
import { plain } from "../lib/keys.js";
import { sentence } from "./acting.js";

const WORDS = {
  title: (number) => (number === 2 ? "Merge these two groups?" : `Merge these ${number} groups?`),
  looking: "Checking what this would change …",
  unreachable: "The server does not answer: close this and try again.",
  namesake: (name) => `Another group is already called “${name}”. Merge them, `
    + "or let both keep the name.",
};

let merge = null; // what is done once a person has said so
let keep = null;

export function wireMerging() {
  wireClosing("merging");
  byId("merging-do").addEventListener("click", () => done(merge));
  byId("merging-keep").addEventListener("click", () => done(keep));
  byId("merging").addEventListener("keydown", (event) => {
    if (plain(event) === "g") byId("merging-do").click(); // dead until it is known what of
  });
}

/** Ask whether groups, each named by an item, are to be one; `merged(groups)` if so. */
export function openMerging(groups, merged) {
  say(byId("merging-why"), null);
  byId("merging-keep").hidden = true;
  show(groups, merged);
}

/** Offer a merge with those that have a name already; `kept()` leaves them apart. */
export function offerMerging(groups, name, merged, kept) {
  say(byId("merging-why"), WORDS.namesake(name));
  byId("merging-keep").hidden = false;
  keep = kept;
  show(groups, merged);
}

async function show(groups, merged) {
  merge = () => merged(groups);
  byId("merging-title").textContent = WORDS.title(groups.length);
  byId("merging-groups").replaceChildren();
  byId("merging-words").textContent = WORDS.looking;
  byId("merging-do").disabled = true;
  byId("merging").showModal();
  try {
    const found = await previewed({ groups });
    byId("merging-groups").replaceChildren(...found.groups.map(groupRow));
    byId("merging-words").textContent = sentence(found.recorded);
    byId("merging-do").disabled = false;
    byId("merging-do").focus();
  } catch (error) {
    byId("merging-words").textContent = troubleOf(error, WORDS.unreachable);
  }
}

function done(act) {
  byId("merging").close();
  act();
}
