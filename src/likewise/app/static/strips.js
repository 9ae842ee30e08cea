// Groups in small, as the dialogs show them.

import { chip, nameOf, small, tint } from "./cards.js";
import { counted, made } from "./dom.js";

const WORDS = {
  confirmed: (number) => `${number.toLocaleString("en")} confirmed`,
};
const SHOWN = { image: 6, text: 1, row: 1 };

/** A group with its strip. */
export function groupRow(group) {
  const facts = `${counted(group.size, "item")} · ${WORDS.confirmed(group.confirmed)}`;
  return made(
    "li",
    { class: `merging-group ${tint(group)}` },
    made(
      "p",
      { class: "group-head" },
      chip(group),
      made("b", {}, nameOf(group)),
      made("span", { class: "dim" }, facts),
    ),
    stripOf(group.members),
  );
}

/** Some items in a row. */
export function stripOf(cards) {
  const kind = cards[0]?.kind ?? "image";
  const shown = cards.slice(0, SHOWN[kind]);
  return made(
    "ul",
    { class: `strip strip-${kind}` },
    ...shown.map((card) => made("li", {}, small(card))),
  );
}
