// The question page: one state, shown; one act at a time, sent. What is asked is a pair,
// a sheet of items, or an overview of groups.

import { Refused, changeSettings, get, troubleOf } from "../lib/api.js";
import { pairOf } from "../lib/cards.js";
import { byId, every, greyOut, isDialogOpen, wireDoing } from "../lib/dom.js";
import { isForPage, openKeys, plain, wireKeys } from "../lib/keys.js";
import { openPair, wireLarge } from "../lib/large.js";
import { forThisTab, recalled, remember } from "../lib/memory.js";
import { openNaming, wireNaming } from "../lib/naming.js";
import { isBusy, notify, resend, send, tell, tellReply, wireSending } from "../lib/sending.js";
import {
  beginLooking, decoded, keyed, painted, preloaded, secondsLooked, wireLooking,
} from "../lib/timing.js";
import { askedOf, fillDone, kindOf } from "./asked.js";
import { wireChecks } from "./checks.js";
import { wireCriterion } from "./criterion.js";
import * as overview from "./overview.js";
import { closePicker, openPicker, wirePicker } from "./picker.js";
import { closePiles, openPiles, wirePiles } from "./piles.js";
import { leadsToTiles, meant } from "./pressing.js";
import * as sheet from "./sheet.js";
import { showSlip, wireSlip } from "./slip.js";
import { fits } from "./tiles.js";
import { fill, fillEarly, showStop, showWelcome } from "./view.js";

/** @typedef {import("../lib/messages.js").State} State */

const WORDS = {
  unreachable: "The server does not answer. Is the app still running?",
  noGroups: "The groups could not be fetched: close this and try again.",
  tapFirst: "Tap an item first, then say that you are not sure.",
  tapTwo: "Tap two groups or more that are the same.",
  noName: "This one is in no group yet: answer first, then name the group.",
  namesake: (name) => `Another group is already called “${name}”, so nothing was saved. `
    + "Choose another name, or merge the two on the groups page.",
  noMisfits: "Nothing to put elsewhere: first tap what does not belong.",
};
const GUARD = 150; // milliseconds in which a key still means the pair before
const FLICKER = 400; // milliseconds to hold the old pair while the new one decodes
const CLOSED = "likewise-picker-closed"; // the question at which it was closed
const POLLS = { preparing: 1000, waiting: 3000 };

/** @type {State} */
let state = null;
let drawn = null; // what is asked on the page, as JSON
let watched = null; // the id of what the person is timed at
let openFrom = Infinity;
let wantsStop = true;
let wantsWelcome = true;
let placed = null; // the item of the last question that was answered
let ahead = []; // pictures being preloaded, held so that the browser goes on with them

// Showing

async function show(next) {
  const asked = askedOf(next);
  const isNew = asked !== null && JSON.stringify(asked) !== drawn;
  const [parts, images] = isNew ? drawnOf(next) : [null, []];
  if (drawn !== null) await decoded(images, FLICKER);
  if (asked?.id !== askedOf(state)?.id) closeDialogs();
  state = next;
  drawn = JSON.stringify(asked);
  fill(state);
  if (isNew) OPENS[kindOf(state)](asked, parts);
  if (!state.progress?.stop) wantsStop = true;
  showStop(state, wantsStop);
  showWelcome(state, wantsWelcome);
  showSlip(state.slip, state.who);
  enable();
  if (isNew) await settleOn(images);
  else openFrom = Math.min(openFrom, performance.now());
}

const DRAWS = { pair: pairOf, sheet: sheet.drawSheet, overview: overview.drawOverview };
const OPENS = {
  pair: (_, cards) => byId("pair").replaceChildren(...cards),
  sheet: sheet.openSheet,
  overview: overview.openOverview,
};
const TILES = { sheet, overview };

/** What is asked, made but not shown yet, and the pictures to wait for. */
function drawnOf(next) {
  const parts = DRAWS[kindOf(next)](askedOf(next));
  const images = Object.values(parts).flat().flatMap((part) =>
    [...part.querySelectorAll(".card-body img, .item img, .picture > img")]);
  return [parts, images];
}

async function settleOn(images) {
  const { id } = askedOf(state);
  openFrom = Infinity;
  await painted(images);
  openFrom = performance.now() + GUARD;
  if (askedOf(state)?.id !== id) return;
  if (watched !== id) beginLooking();
  watched = id;
  if (state.screen && isFree()) TILES[kindOf(state)].goToTiles();
  if (!state.question) return;
  if (state.question.picker && recalled(forThisTab, CLOSED) !== id) {
    offerGroups(state.question.picker_why);
  }
  get("/api/ahead").then(({ pictures }) => { ahead = preloaded(pictures); }, () => {});
}

// The focus went with the screen before, or is nowhere; fingers need none.
const isFree = () => !isDialogOpen() && !window.matchMedia("(hover: none)").matches
  && [document.body, null].includes(document.activeElement);

function closeDialogs() {
  closePicker();
  closePiles();
}


function enable() {
  if (state === null) return;
  greyOut((name) => name !== "keys" && (isBusy() || IS_OFF[name]?.() === true));
}

const IS_OFF = {
  undo: () => !state.can_undo,
  sort: () => sheet.unsorted().length === 0,
  set: () => !overview.isSet(),
};

/** What is marked has changed: the one button says what it means now. */
function showMarked() {
  fillDone(...TILES[kindOf(state)].doneWords());
  enable();
}

function offerGroups(why = null) {
  if (state.question && !isDialogOpen()) openPicker(state.question, why);
}

// Acting

const room = () => ({ fits: fits(state.kind) });
const timed = () => ({ ...room(), seconds: secondsLooked() });
const answer = (verdict) =>
  act("/api/answer", { question: state.question.id, verdict, ...timed() });
const pick = (question, group, rejected) =>
  act("/api/pick", { question, group, rejected, ...room() });

const DOES = {
  same: () => answer("same"),
  different: () => answer("different"),
  unsure: () => answer("unsure"),
  pick: () => offerGroups(),
  none: () => pick(state.question.id, "new", []),
  name: nameGroup,
  aside: () => act("/api/aside", { item: state.question.sample.item }),
  undo: () => act("/api/undo"),
};
const ON_SCREENS = {
  undo: DOES.undo,
  done: () => SENDS[kindOf(state)](),
  skip: () => act("/api/skip", { screen: state.screen.id }),
  doubt: () => sheet.doubt() || tell(WORDS.tapFirst),
  sort: offerSorting,
  set: () => overview.finishSet() || tell(WORDS.tapTwo),
};
const SENDS = {
  sheet: () => act("/api/sheet", { ...sheet.filledSheet(), ...timed() }),
  overview: () => {
    const words = overview.unfinished();
    if (words) tell(words);
    else act("/api/overview", { ...overview.filledOverview(), ...timed() });
  },
};
const ALWAYS = {
  keys: () => openKeys(state.hints),
  view: () => (state.screen ? TILES[kindOf(state)].enlargeTile() : openPair()),
};

function offerSorting() {
  const left = sheet.unsorted();
  if (left.length === 0) tell(WORDS.noMisfits);
  else openPiles(state.screen.id, left);
}

// The group of the right card, or one that has just begun.
function nameGroup() {
  const holder = document.querySelector("#pair .against[data-group]");
  if (holder) openNaming(holder);
  else tell(WORDS.noName);
}

/** Offer to name a group that has just begun. */
function offerName(path, { group }) {
  const isNew = path === "/api/pick" && group === "new";
  const holder = byId("new-group");
  holder.hidden = !isNew;
  if (isNew) holder.dataset.group = placed;
}

function act(path, body) {
  if (state.question) placed = state.question.sample.item;
  if (isBusy()) return;
  keyed();
  send(path, body);
}

function perform(name) {
  const does = state.screen ? ON_SCREENS : DOES;
  if (name in ALWAYS) ALWAYS[name]();
  else if (isOpen() && (name === "undo" ? state.can_undo : askedOf(state))) does[name]?.();
}

const isOpen = () => !isBusy() && performance.now() >= openFrom;

async function showReply(reply, { path, body }) {
  tellReply(reply, reply.can_undo);
  offerName(path, body);
  await show(reply.status ? reply : await present()); // it may be of another page
}

const present = () => get(`/api/state?fits=${fits(state.kind)}`);

// Looking again

async function refresh(always = false) {
  try {
    const next = await present();
    const isOther = next.version !== state.version
      || next.status !== state.status
      || next.status === "preparing"
      || askedOf(next)?.id !== askedOf(state)?.id;
    if (state.status === "preparing" && next.status !== "preparing") {
      location.reload(); // the server knows by now which files could not be read
    } else if (always || (isOther && !isBusy())) {
      await show(next);
    } else if (!isBusy()) {
      state.early = next.early; // what is asked stays as it is, whoever asks from now on
      fillEarly(next);
    }
  } catch (error) {
    if (error instanceof Refused) notify(error.message);
  }
}

async function poll() {
  if ((state.status in POLLS || state.early) && !isBusy()) await refresh();
  setTimeout(poll, POLLS[state.status] ?? POLLS.waiting);
}

function lookAgain() {
  if (!document.hidden && !isBusy()) refresh();
}

async function change(settings) {
  try {
    await show(await changeSettings(settings));
    return true;
  } catch (error) {
    notify(troubleOf(error, WORDS.unreachable));
    return false;
  }
}

async function changeScreens(screens) {
  const isChanged = await change({ screens });
  if (isChanged && screens === "pairs" && state.screen) perform("skip");
}

// Keys

function press(event) {
  const isHeld = event.repeat && event.target.closest("[data-do], .pick") !== null;
  const name = isForPage(event) ? meant(event, kindOf(state)) : null;
  if ((isHeld && event.key !== "Tab") || name !== null) event.preventDefault();
  if (name !== null) perform(name);
  else if (state.screen && isForPage(event)) pressTile(event);
}

// Letters mark tiles, and arrows go to them from wherever the focus is.
function pressTile(event) {
  const tiles = TILES[kindOf(state)];
  if (leadsToTiles(event)) {
    tiles.goToTiles();
    event.preventDefault();
  } else if (isOpen() && tiles.tapKey(plain(event))) event.preventDefault();
}

// A tap that still means the screen before marks nothing.
function holdTiles(event) {
  if (event.target.closest(".pick") && !isOpen()) event.stopPropagation();
}

// Wiring

function wire() {
  wireSending({ draw: showReply, drawAnew: () => refresh(true), setBusy: enable });
  wireLarge();
  wireLooking();
  sheet.wireSheet(showMarked);
  overview.wireOverview(showMarked);
  wirePiles(sheet.putPile, () => isFree() && sheet.goToTiles());
  wirePicker(
    pick,
    () => remember(forThisTab, CLOSED, state.question?.id ?? null),
    (page) => get(`/api/candidates?page=${page}`).catch((error) => {
      throw new Error(troubleOf(error, WORDS.noGroups));
    }),
  );
  wireNaming(
    (item, name) => act("/api/rename", { item, name }),
    (_, __, name) => notify(WORDS.namesake(name)),
  );
  byId("name-new").addEventListener("click", () => openNaming(byId("new-group")));
  wireSlip({
    change: (answer, verdict) => act("/api/change", { answer, verdict }),
    keep: (answer) => act("/api/keep", { answer }),
  });
  wireCriterion((criterion) => change({ criterion }));
  wireKeys((hints) => change({ hints }));
  wireChecks(() => state, change);
  byId("why-on").addEventListener("change", ({ target }) => change({ why: target.checked }));
  for (const box of every("[name=screens]")) {
    box.addEventListener("change", () => changeScreens(box.value));
  }
  byId("stage").addEventListener("click", holdTiles, { capture: true });
  wireDoing(perform);
  byId("keep-going").addEventListener("click", () => {
    wantsStop = false;
    showStop(state, wantsStop);
  });
  byId("welcome-close").addEventListener("click", () => {
    wantsWelcome = false;
    showWelcome(state, wantsWelcome);
  });
  document.addEventListener("keydown", press);
  document.addEventListener("visibilitychange", lookAgain);
  window.addEventListener("focus", lookAgain);
}

wire();
await show(JSON.parse(byId("state").textContent));
await resend();
poll();
