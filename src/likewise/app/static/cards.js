// An item as people see it: a picture, a text, or the row of a table.

import { counted, drawn, made } from "./dom.js";

const WORDS = {
  sample: "This one",
  against: "Another one",
  group: "Group",
  gone: "file is gone",
  changed: "file has changed",
  differs: "differs",
  further: "More of this group",
  column: "Column",
  value: "Value",
  larger: "Show it larger",
};
const IN_STRIP = 3; // columns of a row that are shown in small
const IN_SMALL = 240; // characters of a text that are

export const tint = (group) => `tint-${group.number % 8}`;

export const nameOf = (group) =>
  group.name || (group.number > 0 ? `${WORDS.group} ${group.number}` : WORDS.group);

/** Both cards of a question. */
export function pairOf(question) {
  const { sample, against, group } = question;
  return [
    card("sample", [made("h2", {}, WORDS.sample)], sample, against, null),
    card(
      `against ${group ? tint(group) : ""}`,
      group ? groupHead(group) : [made("h2", {}, WORDS.against)],
      against,
      sample,
      group,
    ),
  ];
}

export const chip = (group) =>
  made("span", { class: `chip ${tint(group)}`, "aria-hidden": "true" }, `${group.number}`);

function groupHead(group) {
  return [
    chip(group),
    made("h2", { title: nameOf(group) }, nameOf(group)),
    made("p", { class: "size" }, counted(group.size, "item")),
  ];
}

function card(kind, head, item, other, group) {
  return made(
    "section",
    { class: `card ${kind} kind-${item.kind}` },
    made("div", { class: "card-head" }, ...head, badge(item)),
    made("div", { class: "card-body" }, whole(item, other)),
    made(
      "div",
      { class: "card-foot" },
      made("p", { class: "title", title: item.title }, item.title),
      group && group.members.length > 0 ? strip(group, item) : null,
    ),
  );
}

function badge(item) {
  if (item.status === "here") return null;
  return made("span", { class: "badge" }, WORDS[item.status]);
}

/** All of an item; a row beside the row that it is compared with. */
export function whole(item, other) {
  if (item.kind === "image") return picture(item);
  if (item.kind === "row") return table(item, other);
  const text = { class: "text", tabindex: "0", "aria-label": item.title };
  return made("article", text, item.text ?? "");
}

// A button, since it opens the large picture.
function picture(item) {
  return made(
    "button",
    {
      type: "button",
      class: "picture",
      "data-large": item.picture,
      "data-title": item.title,
      title: WORDS.larger,
    },
    made("img", { src: item.thumb, alt: item.title }),
  );
}

function strip(group, item) {
  const order = item.columns.slice(0, IN_STRIP).map((column) => column.name);
  return made(
    "ul",
    { class: "strip", "aria-label": WORDS.further },
    ...group.members.map((member) => made(
      "li",
      {},
      member.kind === "image" ? picture(member) : excerpt(member, order),
    )),
  );
}

/** An item in small: its picture, the beginning of its text, or some columns. */
export function small(item, order) {
  if (item.kind !== "image") return excerpt(item, order);
  return made("img", { src: item.thumb, alt: item.title });
}

function excerpt(item, order) {
  const what = { class: "excerpt", title: item.title };
  if (item.kind === "text") return made("span", what, beginning(item.text ?? ""));
  const wanted = order ?? item.columns.slice(0, IN_STRIP).map((column) => column.name);
  const columns = wanted.map((name) => item.columns.find((one) => one.name === name));
  return made("span", what, ...columns.filter(Boolean).map((column) => made(
    "span",
    { class: "pair" },
    made("span", {}, column.name),
    " ",
    made("b", {}, column.value),
  )));
}

const beginning = (text) =>
  (text.length > IN_SMALL ? `${text.slice(0, text.lastIndexOf(" ", IN_SMALL))} …` : text);

// Rows

function table(item, other) {
  const others = new Map(other.columns.map((column) => [column.name, column.value]));
  return made(
    "div",
    { class: "rows", tabindex: "0", role: "region", "aria-label": item.title },
    made(
      "table",
      {},
      made("thead", {}, made(
        "tr",
        {},
        made("th", { scope: "col" }, WORDS.column),
        made("th", { scope: "col" }, WORDS.value),
      )),
      made("tbody", {}, ...item.columns.map((column) =>
        row(column, others.get(column.name) ?? ""))),
    ),
  );
}

function row(column, other) {
  const marked = { class: "mark", role: "img", "aria-label": WORDS.differs };
  const mark = made("span", marked, "≠");
  return made(
    "tr",
    { class: column.differs ? "differs" : null },
    made("th", { scope: "row" }, column.name),
    made("td", {}, made(
      "div",
      { class: "cell" },
      made("span", { class: "value" }, column.differs ? mark : null, column.value),
      bar(column.value, other),
    )),
  );
}

function bar(value, other) {
  if (value.trim() === "" || other.trim() === "") return null;
  const [mine, theirs] = [Number(value), Number(other)];
  if (!Number.isFinite(mine) || !Number.isFinite(theirs)) return null;
  const low = Math.min(0, mine, theirs);
  const range = Math.max(0, mine, theirs) - low || 1;
  const from = (100 * (Math.min(mine, 0) - low)) / range;
  const length = Math.max((100 * Math.abs(mine)) / range, 0.5);
  return drawn(
    "svg",
    { class: "bar-of", viewBox: "0 0 100 6", preserveAspectRatio: "none", "aria-hidden": "true" },
    drawn("rect", { class: "ground", width: 100, height: 6 }),
    drawn("rect", { x: from, width: length, height: 6 }),
  );
}
