// Lists of what was said: moved through by keys, changed by buttons, drawn anew in place.

import { Refused, actOf, delivered, unsaved } from "./api.js";
import { alive, byId, say } from "./dom.js";
import { isTyping, lettersAreKeys } from "./keys.js";
import { wireLarge } from "./large.js";

const WORDS = {
  saving: "Saving …",
  undone: "Undone",
  trouble: (tries) => `Not saved yet, trying again (${tries})`,
  stale: "This list could not be fetched anew: load the page again.",
  now: "just now",
};
const KEYS = {
  1: "same", s: "same", 2: "different", d: "different", 3: "unsure", u: "unsure",
  t: "retract", b: "back", k: "keep",
};
const STEPS = { ArrowDown: 1, ArrowUp: -1 };
const UNSAVED = "likewise-unsaved-entry";
const KEPT = "[id^=answer-], [id^=act-]"; // drawn anew only if they have changed
const UNITS = [["year", 31_536_000], ["month", 2_592_000], ["day", 86_400],
  ["hour", 3600], ["minute", 60]];
const SPOKEN = new Intl.RelativeTimeFormat("en", { numeric: "always" });

const done = []; // acts of this page that the person may want to undo, the last on top
const sources = new WeakMap(); // entries as the server drew them
let canUndo = false;
let isBusy = false;
let redrawn = () => {};

// Times

/** How long ago, in words. */
export function ago(seconds) {
  const [unit, length] = UNITS.find(([, size]) => seconds >= size) ?? [null, 1];
  return unit ? SPOKEN.format(-Math.floor(seconds / length), unit) : WORDS.now;
}

function tellTimes() {
  for (const time of document.querySelectorAll("#found time")) {
    const date = new Date(time.dateTime);
    time.textContent = ago((Date.now() - date.getTime()) / 1000);
    time.title = date.toLocaleString("en", { dateStyle: "full", timeStyle: "medium" });
  }
}

// Entries

const entries = () =>
  [...document.querySelectorAll("#found .entry")].filter((one) => one.checkVisibility());
const current = () => document.activeElement?.closest("#found .entry") ?? null;

function go(entry, options = {}) {
  for (const other of document.querySelectorAll("#found .entry[tabindex='0']")) {
    other.tabIndex = -1;
  }
  entry.tabIndex = 0;
  entry.focus(options);
}

function step(by) {
  const all = entries();
  const at = all.indexOf(current());
  const next = at < 0 ? all.find((one) => one.tabIndex === 0) ?? all[0] : all[at + by];
  if (!next) return;
  go(next, { preventScroll: true });
  next.scrollIntoView({ block: "nearest" });
}

const button = (entry, key) =>
  entry?.querySelector(`:scope > .does [data-key=${key}]`) ?? null;

// Acting

async function send(act, isUndo = false) {
  setBusy(true);
  notify(null);
  tell(WORDS.saving);
  try {
    const reply = await delivered(act, showTrouble, UNSAVED);
    if (!isUndo && typeof reply.act === "number") done.push(reply.act);
    canUndo = reply.can_undo;
    await redraw();
    tell(reply.saved);
    notify(reply.notice, reply.disagreement);
  } catch (error) {
    tell("");
    notify(error instanceof Refused ? error.message : WORDS.stale);
    if (error instanceof Refused) await redraw().catch(() => {});
  } finally {
    setBusy(false);
  }
}

function showTrouble(tries, words) {
  tell(WORDS.trouble(tries), true);
  if (words) notify(words);
}

function undo() {
  if (isBusy || !(canUndo || done.length)) return;
  const isHere = done.length > 0;
  const act = isHere
    ? actOf("/api/undo-act", { act: done.pop() })
    : actOf("/api/undo", {});
  send(act, true);
}

function perform(pressed) {
  if (isBusy || pressed.disabled) return;
  const { path, body } = pressed.dataset;
  send(actOf(path, JSON.parse(body)));
}

function setBusy(isNow) {
  isBusy = isNow;
  byId("undo").setAttribute("aria-disabled", `${isBusy || !(canUndo || done.length)}`);
  byId("deeds").setAttribute("aria-busy", `${isBusy}`);
}

function tell(words, isTrouble = false) {
  byId("saved").textContent = words ?? "";
  byId("saved").classList.toggle("trouble", isTrouble);
}

function notify(words, answer) {
  say(byId("notice"), words, byId("notice-words"));
  byId("notice-link").hidden = !answer;
  byId("notice-link").href = `/disagreements#answer-${answer}`;
}

// Drawing anew: what has not changed stays the same element, so nothing flickers.

async function redraw() {
  const address = location.pathname + location.search;
  const reply = await fetch(address, { headers: { Accept: "text/html" } });
  if (!reply.ok) throw new Error(`${reply.status}`);
  const fresh = new DOMParser().parseFromString(await reply.text(), "text/html");
  const place = placeOfFocus();
  for (const id of ["progress", "tab-disagreements"]) {
    const [old, now] = [byId(id), fresh.getElementById(id)];
    if (old && now) old.replaceWith(document.adoptNode(now));
  }
  const found = document.adoptNode(fresh.getElementById("found"));
  reuse(found);
  byId("found").replaceWith(found);
  enliven();
  refocus(place);
}

function reuse(found) {
  for (const now of found.querySelectorAll(KEPT)) {
    const old = byId(now.id);
    if (now.parentElement.closest(KEPT) || !old) continue;
    if (sources.get(old) === now.outerHTML) now.replaceWith(old);
    else reopen(old, now);
  }
}

function reopen(old, now) {
  for (const details of old.querySelectorAll("details[open]")) {
    now.querySelector(`#${details.id}`)?.setAttribute("open", "");
  }
  sources.set(now, now.outerHTML);
}

function placeOfFocus() {
  const entry = current();
  if (entry === null) return null;
  return {
    id: entry.id,
    key: document.activeElement.dataset.key,
    at: entries().indexOf(entry),
    top: entry.getBoundingClientRect().top,
  };
}

function refocus(place) {
  if (place === null) return;
  const same = byId(place.id);
  const all = entries();
  const entry = same ?? all[Math.min(place.at, all.length - 1)];
  if (!entry) {
    document.querySelector("#found h1").focus();
    return;
  }
  go(entry, { preventScroll: true });
  if (place.key) button(entry, place.key)?.focus({ preventScroll: true });
  if (same) scrollBy(0, same.getBoundingClientRect().top - place.top);
  else entry.scrollIntoView({ block: "nearest" });
}

function enliven() {
  for (const entry of document.querySelectorAll(KEPT)) {
    if (!sources.has(entry)) sources.set(entry, entry.outerHTML);
  }
  tellTimes();
  alive("#found .do, #found .picture");
  redrawn();
}

// Keys

function press(event) {
  if (document.querySelector("dialog[open]") || isTyping(event.target)) return;
  const key = event.key.toLowerCase();
  const isPlain = !(event.ctrlKey || event.metaKey || event.altKey || event.shiftKey);
  if (key === "z" && (isPlain ? lettersAreKeys() : event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    if (!event.repeat) undo();
  } else if (isPlain && event.key in STEPS) {
    event.preventDefault();
    step(STEPS[event.key]);
  } else if (isPlain && !event.repeat) {
    const wanted = key === "delete" ? "retract" : lettersAreKeys() && KEYS[key];
    const found = wanted ? button(current(), wanted) : null;
    if (found) {
      event.preventDefault();
      perform(found);
    }
  }
}

/** Wire a page of entries; `onDrawn()` is called whenever they are drawn. */
export function wireEntries(onDrawn = () => {}) {
  redrawn = onDrawn;
  canUndo = byId("deeds").dataset.canUndo === "true";
  wireLarge();
  document.body.classList.toggle("no-letters", !lettersAreKeys());
  document.addEventListener("click", (event) => {
    const pressed = event.target.closest("[data-path]");
    if (pressed) perform(pressed);
  });
  document.addEventListener("keydown", press);
  byId("undo").addEventListener("click", undo);
  byId("notice-close").addEventListener("click", () => notify(null));
  document.querySelector(".tabs [aria-current]")?.scrollIntoView({ block: "nearest" });
  enliven();
  setBusy(false);
  document.body.classList.add("ready");
  const left = unsaved(UNSAVED);
  if (left !== null) send(left);
}
