// Lists of what was said: moved through by keys, changed by buttons, drawn anew in place.

import { fetchedPage } from "../lib/api.js";
import { byId, every, wake } from "../lib/dom.js";
import { isForPage, isModified, isUndo, plain, showLetters } from "../lib/keys.js";
import { wireLarge } from "../lib/large.js";
import { isBusy, resend, send, tellReply, wireSending } from "../lib/sending.js";
import { ago } from "../lib/timing.js";

const WORDS = {
  stale: "This list could not be refreshed: reload the page.",
};
const KEYS = {
  1: "same", s: "same", 2: "different", d: "different", 3: "unsure", u: "unsure",
  t: "retract", b: "back", k: "keep",
};
const STEPS = { ArrowDown: 1, ArrowUp: -1 };
const SWAPPED = ["progress", "tab-disagreements"];
const KEPT = "[id^=answer-], [id^=act-], [id^=pair-], [id^=decision-]"; // drawn anew only if they have changed

const done = []; // acts of this page that the person may want to undo, the last on top
const sources = new WeakMap(); // entries as the server drew them
let canUndo = false;
let isUndoing = false; // which is not to be undone in its turn
let onDrawn = () => {};

// Entries

const entries = () => every("#found .entry").filter((one) => one.checkVisibility());
const current = () => document.activeElement?.closest("#found .entry") ?? null;

function go(entry, options = {}) {
  for (const other of every("#found .entry[tabindex='0']")) other.tabIndex = -1;
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

const mayUndo = () => canUndo || done.length > 0;

function undo() {
  if (isBusy() || !mayUndo()) return;
  isUndoing = true;
  if (done.length > 0) send("/api/undo-act", { act: done.pop() });
  else send("/api/undo");
}

function perform({ disabled, dataset: { path, body } }) {
  if (isBusy() || disabled) return;
  isUndoing = false;
  send(path, JSON.parse(body));
}

async function showReply(reply) {
  if (!isUndoing && typeof reply.act === "number") done.push(reply.act);
  canUndo = reply.can_undo;
  await drawAnew();
  tellReply(reply, false);
}

function setBusy(isNow) {
  byId("undo").setAttribute("aria-disabled", `${isNow || !mayUndo()}`);
  byId("deeds").setAttribute("aria-busy", `${isNow}`);
}

// Drawing anew: what has not changed stays the same element, so nothing flickers.

async function drawAnew() {
  const fresh = await fetchedPage();
  if (fresh === null) throw new Error(WORDS.stale);
  const place = placeOfFocus();
  for (const id of SWAPPED) {
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
  for (const entry of every(KEPT)) {
    if (!sources.has(entry)) sources.set(entry, entry.outerHTML);
  }
  tellTimes();
  wake("#found .do, #found .picture");
  onDrawn();
}

function tellTimes() {
  for (const time of every("#found time")) {
    const date = new Date(time.dateTime);
    time.textContent = ago(date.getTime() / 1000);
    time.title = date.toLocaleString("en", { dateStyle: "full", timeStyle: "medium" });
  }
}

// Keys

function press(event) {
  if (!isForPage(event)) return;
  const key = plain(event);
  const wanted = event.key === "Delete" && !isModified(event) ? "retract" : KEYS[key];
  const found = wanted && !event.repeat ? button(current(), wanted) : null;
  if (isUndo(event) || key === "z") undo();
  else if (event.key in STEPS && !isModified(event)) step(STEPS[event.key]);
  else if (found) perform(found);
  else return;
  event.preventDefault();
}

/** Wire a page of entries; `drawn()` is called whenever they are drawn. */
export function wireEntries(drawn) {
  onDrawn = drawn;
  canUndo = byId("deeds").dataset.canUndo === "true";
  wireSending({ draw: showReply, drawAnew, setBusy, stale: WORDS.stale });
  wireLarge();
  showLetters();
  document.addEventListener("click", (event) => {
    const pressed = event.target.closest("[data-path]");
    if (pressed) perform(pressed);
  });
  document.addEventListener("keydown", press);
  byId("undo").addEventListener("click", undo);
  document.querySelector(".tabs [aria-current]")?.scrollIntoView({ block: "nearest" });
  enliven();
  setBusy(false);
  document.body.classList.add("ready");
  resend();
}
