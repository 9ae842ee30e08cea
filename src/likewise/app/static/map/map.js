// The map page: fetched, drawn, and looked at by pointer or keys.

import { Refused, get } from "../lib/api.js";
import { chip, nameOf, tint } from "../lib/cards.js";
import { byId, counted, every, made, numeral, say, wake } from "../lib/dom.js";
import { wireGestures } from "./gestures.js";
import { Painter } from "./painter.js";
import { Sheet } from "./sheet.js";
import { forgetSpot, hideSpot, openItem, said, showSpot, wireItem } from "./spot.js";
import { View, ZOOMS } from "./view.js";

const WORDS = {
  drawing: "Drawing the map. It appears here when it is ready.",
  unreachable: "The server does not answer. This page tries again by itself.",
  all: (n) => `${counted(n, "item")}; similar ones lie close together.`,
  some: (n, all) => `${numeral(n)} of ${counted(all, "item")} are shown, some of `
    + "every group; similar ones lie close together.",
  step: (words, number, of) => `${words}. ${number} of ${of}.`,
  label: (sheet) => `Map of ${counted(sheet.n, "item")} in `
    + `${counted(sheet.groups.length, "group")}. The list of groups leads to each of them by keyboard.`,
};
const AGAIN = 400; // milliseconds between looks at a map that is being drawn
const NEAR = 10; // pixels from an item at which it is meant
const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
const KEYS = { "+": "in", "=": "in", "-": "out", _: "out", 0: "whole" };

const canvas = byId("map");
const view = new View();
const painter = new Painter(canvas);
const looks = { lit: null, current: -1 }; // the group, and the item, that are looked at
/** @type {?Sheet} */
let sheet = null;
let walk = []; // the items of the group that is stepped through
let frame = 0;

// Drawing

function redraw() {
  if (!frame) frame = requestAnimationFrame(draw);
}

function draw() {
  frame = 0;
  if (!sheet) return;
  performance.mark("map-begin");
  painter.draw(sheet, view, looks);
  performance.clearMeasures("map");
  performance.measure("map", "map-begin");
  canvas.dataset.view = JSON.stringify([view.across, view.down, view.x, view.y]);
  if (looks.current >= 0) showSpot(sheet, view, looks.current);
}

function resize() {
  const [width, height] = painter.resize();
  if (sheet) view.resize(width, height, sheet.bounds);
  redraw();
}

// Looking

function look(at) {
  if (at === looks.current) return;
  looks.current = at;
  canvas.classList.toggle("over", at >= 0);
  if (at < 0) hideSpot();
  redraw();
}

function light(number) {
  looks.lit = number;
  for (const button of every(".entry")) {
    button.setAttribute("aria-pressed", `${Number(button.dataset.number) === number}`);
  }
  redraw();
}

async function step(number, to) {
  if (sheet.group[walk[0]] !== number) walk = sheet.outwards(number);
  if (walk.length === 0) return;
  const at = walk[(to(walk.indexOf(looks.current)) + walk.length) % walk.length];
  if (looks.lit !== number) light(number);
  view.reach(sheet.x[at], sheet.y[at]);
  look(at);
  const words = await said(sheet, at);
  if (looks.current !== at) return;
  byId("told").textContent = WORDS.step(words, walk.indexOf(at) + 1, walk.length);
}

function change(how) {
  if (!sheet) return;
  if (how === "whole") view.fit(sheet.bounds);
  else view.zoom(ZOOMS[how]);
  redraw();
}

// The list of groups

function fill() {
  const hadFocus = document.activeElement?.closest(".entry")?.dataset.number;
  byId("groups").replaceChildren(...sheet.groups.map((group) => made("li", {}, entry(group))));
  byId("words").textContent = sheet.n < sheet.nItems
    ? WORDS.some(sheet.n, sheet.nItems)
    : WORDS.all(sheet.n);
  byId("how").textContent = sheet.about;
  canvas.setAttribute("aria-label", WORDS.label(sheet));
  for (const name of sheet.statuses) {
    byId(`key-${name}`).hidden = !sheet.status.includes(sheet.statuses.indexOf(name));
  }
  light(sheet.byNumber.has(looks.lit) ? looks.lit : null);
  if (hadFocus) document.querySelector(`.entry[data-number="${hadFocus}"]`)?.focus();
}

function entry(group) {
  const facts = { type: "button", class: `entry ${tint(group)}`, "data-number": group.number };
  const button = made(
    "button",
    { ...facts, "aria-pressed": "false" },
    chip(group),
    made("span", { class: "title" }, nameOf(group)),
    made("span", { class: "size" }, numeral(group.size)),
  );
  button.addEventListener("click", () => light(looks.lit === group.number ? null : group.number));
  button.addEventListener("keydown", (event) => press(event, group.number));
  return button;
}

function press(event, number) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const isHere = looks.current >= 0 && sheet.group[looks.current] === number;
  if (event.key in STEPS) step(number, (at) => next(at, STEPS[event.key]));
  else if (event.key === "Home") step(number, () => 0);
  else if (event.key === "End") step(number, () => -1);
  else if (event.key === "Enter" && isHere) openItem(sheet, looks.current);
  else return;
  event.preventDefault();
}

const next = (at, by) => (at < 0 ? Math.min(by, 0) : at + by); // at first either end

// Fetching

async function refresh() {
  const now = new Sheet(await get("/api/map"));
  const item = looks.current < 0 ? null : sheet.items[looks.current];
  sheet = now;
  walk = [];
  looks.current = item === null ? -1 : sheet.find(item);
  forgetSpot();
  say(byId("waiting"), null, byId("waiting-words"));
  fill();
  byId("legend").hidden = false;
}

async function begin() {
  try {
    await refresh();
    wake(".zoom button");
    resize();
  } catch (error) {
    const isDrawing = error.status === 503;
    const isTold = error instanceof Refused && error.status < 500;
    const words = isDrawing ? WORDS.drawing : WORDS.unreachable;
    say(byId("waiting"), isTold ? error.message : words, byId("waiting-words"));
    byId("waiting").classList.toggle("busy", isDrawing);
    if (!isTold) setTimeout(begin, AGAIN);
  }
}

function lookAgain() {
  if (!sheet || document.hidden) return;
  refresh().then(redraw, () => {}); // what was drawn stays, until the server answers
}

// Wiring

function wire() {
  wireGestures(canvas, view, {
    change: redraw,
    reset: () => change("whole"),
    hover: (x, y) => { if (sheet) look(sheet.nearest(view, x, y, NEAR)); },
    leave: () => look(-1),
    click: (x, y) => {
      const at = sheet ? sheet.nearest(view, x, y, NEAR) : -1;
      if (at >= 0) openItem(sheet, at);
    },
  });
  for (const button of every("[data-zoom]")) {
    button.addEventListener("click", () => change(button.dataset.zoom));
  }
  byId("area").addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key in KEYS) change(KEYS[event.key]);
    else if (event.key === "Escape") { light(null); look(-1); }
  });
  wireItem();
  new ResizeObserver(resize).observe(canvas.parentElement);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    painter.restyle();
    redraw();
  });
  document.addEventListener("visibilitychange", lookAgain);
  window.addEventListener("focus", lookAgain);
}

wire();
begin();
