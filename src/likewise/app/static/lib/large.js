// The large view: whatever carries data-large opens it, with the others of the page beside
// it; two that are compared stand side by side.

import { get } from "./api.js";
import { byId, every, made, wireClosing } from "./dom.js";
import { isModified, plain } from "./keys.js";
import { STEP, Zoom, wireZoom } from "./zoom.js";

/** @typedef {import("./messages.js").Card} Card */

/**
 * What an opener says of its item.
 *
 * @typedef {object} Face
 * @property {number} item
 * @property {"image" | "text" | "row"} kind
 * @property {string} title
 * @property {string} picture Its address; empty where there is none.
 * @property {string} [small] The address of the small one on the page.
 */

const WORDS = {
  both: "Side by side",
  count: (at, total) => `${at} of ${total}`,
  loading: "Loading …",
  missing: "This cannot be shown now: the server does not answer.",
  column: "Column",
  value: "Value",
  differs: "differs",
};
const LARGE = 1600; // pixels along the longer edge of a large picture
const CLOSEST = "&size=4096"; // behind the address of one: for looking closer
const MANY = 50; // texts and rows that are kept
const LETTERS = 3; // times larger than usual, at most
const DOES = {
  back: () => step(-1), on: () => step(1), both: sideBySide,
  in: () => zoom.by(STEP), out: () => zoom.by(1 / STEP), fit: () => zoom.fit(),
};
const KEYS = { "+": "in", "=": "in", "-": "out", _: "out", 0: "fit", v: "close", b: "both" };
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

const zoom = new Zoom(showZoom);
const kept = new Map(); // cards that were fetched
/** @type {Face[][]} */
let views = []; // each of one item, or of two
let at = 0; // the one that is shown
let opened = 0; // the one that was shown first

/** @returns {Face} */
const faceOf = (opener, { dataset } = opener) => ({
  item: Number(dataset.face),
  kind: dataset.kind,
  title: dataset.title,
  picture: dataset.large,
  small: imageOf(opener)?.currentSrc,
});

// The small picture that is on the screen already.
const imageOf = (opener) => opener.querySelector("img")
  ?? opener.closest(".item")?.querySelector("img");

export function wireLarge() {
  document.addEventListener("click", (event) => {
    const opener = event.target.closest("[data-large]");
    if (opener && !opener.disabled) openOne(opener);
  });
  wireClosing("large");
  byId("large").addEventListener("keydown", press);
  byId("large").addEventListener("close", goToLast);
  for (const button of every("#large [data-large-do]")) {
    button.addEventListener("click", () => DOES[button.dataset.largeDo]());
  }
}

/** Open the items of some elements side by side, or the only one. */
export function openTogether(openers) {
  const faces = distinct(openers.map((one) => faceOf(one)));
  if (faces.length > 0) open(faces.length === 2 ? [faces, ...alone(faces)] : alone(faces), 0);
}

/** Open the two of a question side by side. */
export const openPair = () => openTogether(every("[data-large]").filter(isCompared));

const isCompared = (opener) => opener.closest(".card") && !opener.closest(".card-foot");

// One of those that the page shows, or the dialog that it is in.
function openOne(opener) {
  const root = opener.closest("dialog") ?? byId("main");
  const openers = [...root.querySelectorAll("[data-large]")].filter((one) => one.checkVisibility());
  const faces = distinct(openers.map((one) => faceOf(one)));
  const pair = openers.filter(isCompared).map((one) => faceOf(one));
  const wanted = faces.findIndex(({ item }) => item === faceOf(opener).item);
  if (pair.length === 2) open([pair, ...alone(faces)], wanted + 1);
  else open(alone(faces), wanted);
}

const alone = (faces) => faces.map((face) => [face]);
const distinct = (faces) => [...new Map(faces.map((face) => [face.item, face])).values()];

function open(next, first) {
  [views, at, opened] = [next, first, first];
  byId("large").showModal();
  show();
}

function step(by) {
  const next = Math.min(Math.max(at + by, 0), views.length - 1);
  if (next === at) return;
  at = next;
  show();
}

const pairAt = () => views.findIndex((faces) => faces.length === 2);

function sideBySide() {
  if (pairAt() < 0) return;
  at = views[at].length === 2 ? at + 1 : pairAt();
  show();
}

// Where one was left, if the page has it as something to go to.
function goToLast() {
  const [{ item }] = views[at];
  byId("large-body").replaceChildren();
  if (at !== opened) document.querySelector(`main [data-item="${item}"] .pick`)?.focus();
}

// Showing

async function show() {
  const faces = views[at];
  const isBoth = faces.length === 2;
  byId("large-title").textContent = isBoth ? WORDS.both : faces[0].title;
  byId("large-count").textContent = views.length > 1 ? WORDS.count(at + 1, views.length) : "";
  byId("large-history").href = `/history?item=${faces[0].item}`;
  byId("large-history").hidden = isBoth;
  const both = byId("large").querySelector("[data-large-do=both]");
  both.hidden = pairAt() < 0;
  both.setAttribute("aria-pressed", `${isBoth}`);
  setOff("back", at === 0);
  setOff("on", at === views.length - 1);
  const body = byId("large-body");
  body.className = `large-body large-${faces[0].kind} ${isBoth ? "large-both" : ""}`;
  body.replaceChildren(...(faces[0].kind === "image" ? faces.map(picture) : [note(WORDS.loading)]));
  zoom.fit();
  body.focus();
  if (faces[0].kind !== "image") await showWords(faces);
}

const setOff = (name, isOff) => byId("large")
  .querySelector(`[data-large-do=${name}]`).setAttribute("aria-disabled", `${isOff}`);

const note = (words) => made("p", { class: "large-note", role: "status" }, words);

async function showWords(faces) {
  const parts = await Promise.all(faces.map(({ item }) => cardOf(item))).then(
    (cards) => (cards[0].kind === "row" ? [table(cards)] : cards.map(page)),
    () => [note(WORDS.missing)],
  );
  if (faces !== views[at]) return; // one has gone on
  byId("large-body").replaceChildren(...parts);
  showZoom();
  if (byId("large").open) byId("large-body").querySelector("[tabindex]")?.focus();
}

async function cardOf(item) {
  if (!kept.has(item)) {
    if (kept.size >= MANY) kept.delete(kept.keys().next().value);
    kept.set(item, get(`/api/map/${item}`));
    kept.get(item).catch(() => kept.delete(item));
  }
  return kept.get(item);
}

// Pictures

function picture(face) {
  const image = made("img", {
    src: face.small || face.picture.replace("/picture/", "/thumb/"), alt: face.title, draggable: "false",
  });
  const pane = made("figure", { class: "pane" }, image, made("figcaption", {}, face.title));
  swapIn(image, face.picture);
  wireZoom(pane, zoom, step);
  return pane;
}

/** Show another picture in the place of one, once it is there. */
async function swapIn(image, address) {
  const next = new Image();
  next.src = address;
  const isThere = await next.decode().then(() => true, () => false);
  if (!isThere || !image.isConnected) return;
  image.src = address;
  sharpen(image);
}

// Closer than the large picture is sharp, a still larger one is fetched.
function sharpen(image) {
  const address = image.getAttribute("src");
  const edge = Math.max(image.naturalWidth, image.naturalHeight);
  const isFull = edge < LARGE || !address.startsWith("/picture/") || address.endsWith(CLOSEST);
  if (isFull || image.dataset.asked) return;
  const wanted = zoom.scale * Math.max(image.clientWidth, image.clientHeight) * devicePixelRatio;
  if (wanted < 1.25 * LARGE) return;
  image.dataset.asked = "true";
  swapIn(image, address + CLOSEST);
}

function showZoom() {
  const body = byId("large-body");
  for (const image of body.querySelectorAll(".pane img")) {
    image.style.transform = zoom.css;
    sharpen(image);
  }
  body.classList.toggle("closer", zoom.scale > 1);
  body.style.setProperty("--letters", `${Math.min(zoom.scale, LETTERS)}`);
  byId("large-scale").textContent = `${Math.round(100 * zoom.scale)} %`;
}

// Texts and rows

const page = (card) => made(
  "div",
  { class: "page" },
  made("p", { class: "title" }, card.title),
  made("article", { class: "text", tabindex: "0", "aria-label": card.title }, card.text ?? ""),
);

/** One row, or two beside each other with what differs first. */
function table(cards) {
  const names = [...new Set(cards.flatMap(({ columns }) => columns.map(({ name }) => name)))];
  const values = cards.map(({ columns }) => new Map(columns.map(({ name, value }) => [name, value])));
  const lines = names.map((name) => [name, ...values.map((one) => one.get(name) ?? "")]);
  const isOther = ([, mine, theirs]) => theirs !== undefined && mine !== theirs;
  const sorted = [...lines.filter(isOther), ...lines.filter((line) => !isOther(line))];
  const heads = cards.length === 2 ? cards.map(({ title }) => title) : [WORDS.value];
  return made(
    "div",
    { class: "rows", tabindex: "0", role: "region", "aria-label": cards[0].title },
    made(
      "table",
      { class: cards.length === 2 ? "compared" : null },
      made("thead", {}, made("tr", {}, ...[WORDS.column, ...heads].map((head) =>
        made("th", { scope: "col" }, head)))),
      made("tbody", {}, ...sorted.map((line) => row(line, isOther(line)))),
    ),
  );
}

function row([name, ...values], differs) {
  const mark = { class: "mark", role: "img", "aria-label": WORDS.differs };
  return made(
    "tr",
    { class: differs ? "differs" : null },
    made("th", { scope: "row" }, differs ? made("span", mark, "≠") : null, name),
    ...values.map((value) => made("td", {}, value)),
  );
}

// Keys

function press(event) {
  const arrow = ARROWS[event.key];
  const name = KEYS[plain(event)] ?? (event.shiftKey && event.key === "+" ? "in" : null);
  if (arrow && event.shiftKey) zoom.go(...arrow);
  else if (arrow && arrow[0] !== 0 && !isModified(event)) step(arrow[0]);
  else if (name === "close") byId("large").close();
  else if (name) DOES[name]();
  else return;
  event.preventDefault();
}
