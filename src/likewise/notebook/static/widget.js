// The widget of a notebook: the screens of the question page, with a kernel where the page
// has a server. Each view of it has modules of its own.

import { pairOf, whole } from "../../app/static/lib/cards.js";
import {
  byId, every, focused, greyOut, isDialogOpen, keepTo, made, say, wireClosing, wireDoing,
} from "../../app/static/lib/dom.js";
import { isForPage, keycap, plain } from "../../app/static/lib/keys.js";
import {
  beginLooking, decoded, painted, secondsLooked, wireLooking,
} from "../../app/static/lib/timing.js";
import { askedOf, asking, fillBar, fillDone, kindOf } from "../../app/static/question/asked.js";
import * as overview from "../../app/static/question/overview.js";
import { closePicker, openPicker, wirePicker } from "../../app/static/question/picker.js";
import { leadsToTiles, meant } from "../../app/static/question/pressing.js";
import * as sheet from "../../app/static/question/sheet.js";
import { fits } from "../../app/static/question/tiles.js";

/** @typedef {import("../../app/static/lib/messages.js").State} State */

const WORDS = {
  waiting: "The kernel is busy: this is answered as soon as it is free.",
  gone: "The kernel does not know this widget any more: run its cell again.",
  tapFirst: "Tap an item first, then say that you are not sure.",
  tapTwo: "Tap two groups or more that are the same.",
  settled: "Everything is sorted",
  labels: "The groups are in session.labels.",
};
const PATIENCE = 1500; // milliseconds after which it is said that the kernel is busy
const GUARD = 150; // milliseconds in which a key still means the screen before
const FLICKER = 400; // milliseconds to hold the old screen while the new one decodes
const PANELS = { pair: "pair", sheet: "sheet", overview: "overview", settled: "settled-page" };
const TILES = { sheet, overview };
const DRAWS = { pair: (question) => pairOf(question, false), sheet: sheet.drawSheet, overview: overview.drawOverview };
const OPENS = {
  pair: (_, cards) => byId("pair").replaceChildren(...cards),
  sheet: sheet.openSheet,
  overview: overview.openOverview,
};
const ANSWERS = [
  ["different", "≠", "Different", ["D", "←"]],
  ["unsure", "?", "Not sure", ["U", "↓"]],
  ["same", "=", "Same", ["S", "→"]],
];
const TOOLS = [
  ["undo", "Undo", "Z"],
  ["doubt", "Not sure", "U"],
  ["skip", "One pair instead", "P"],
  ["pick", "Pick the group", "G"],
  ["none", "None of the groups", "N"],
  ["aside", "Set aside", "X"],
  ["view", "Larger", "V"],
];

let model = null;
/** @type {State} */
let state = null;
let drawn; // the id of what is asked
let isBusy = false;
let openFrom = 0;
let addresses = []; // of pictures
let closed = null; // the question at which the picker was closed

// Talking to the kernel

const waiting = new Map(); // requests, and what hears of their replies
const view = `${Math.random()}`.slice(2);
let asked = 0;

/** Ask the kernel for something; what it says against it is thrown. */
function ask(what, body = {}) {
  asked += 1;
  const id = `${view}-${asked}`;
  return new Promise((done, failed) => {
    waiting.set(id, { done, failed });
    model.send({ id, what, ...body });
  });
}

function hear({ id, error, ...reply }, buffers) {
  const mine = waiting.get(id);
  waiting.delete(id);
  const isOther = !mine && reply.state && reply.state.version !== state?.version;
  if (!mine && !isOther) return;
  const found = pictured(reply, reply.pictures, buffers);
  if (isOther) show(found.state); // somebody has answered in another view
  else if (error) mine.failed(new Error(error));
  else mine.done(found);
}

/** Put the addresses of the pictures that came along into the cards. */
function pictured(reply, numbers = [], buffers = []) {
  const made = new Map(numbers.map((number, at) =>
    [number, URL.createObjectURL(new Blob([buffers[at]], { type: "image/jpeg" }))]));
  addresses.push(...made.values());
  return JSON.parse(JSON.stringify(reply), (name, value) =>
    (name === "thumb" || name === "picture" ? made.get(value) ?? null : value));
}

/** Let go of all pictures but for some that are shown. */
function forgetOthers(images) {
  const shown = new Set(images.map((image) => image.getAttribute("src")));
  for (const address of addresses) if (!shown.has(address)) URL.revokeObjectURL(address);
  addresses = [...shown];
}

// Showing

async function show(next) {
  const id = askedOf(next)?.id ?? null;
  const isNew = id !== drawn;
  const parts = isNew && askedOf(next) ? DRAWS[kindOf(next)](askedOf(next)) : [];
  const images = Object.values(parts).flat().flatMap((part) => [...part.querySelectorAll("img")]);
  if (drawn !== undefined) await decoded(images, FLICKER);
  if (isNew) closePicker();
  const wasHere = focused() !== null;
  if (wasHere && isNew) byId("main").focus({ preventScroll: true });
  [state, drawn] = [next, id];
  fill();
  if (isNew && askedOf(state)) OPENS[kindOf(state)](askedOf(state), parts);
  forgetOthers(isNew ? images : every("img"));
  if (isNew) await settleOn(images, wasHere);
  enable();
}

function fill() {
  for (const [kind, id] of Object.entries(PANELS)) byId(id).hidden = kindOf(state) !== kind;
  byId("criterion").textContent = asking(state);
  byId("settled-words").textContent = `${state.sentence} ${WORDS.labels}`;
  say(byId("why"), askedOf(state)?.why);
  byId("outlook").textContent = state.sentence;
  byId("saved").textContent = state.saved ?? "";
  say(byId("notice"), state.notice);
  fillBar(state);
}

async function settleOn(images, wasHere) {
  const id = drawn;
  openFrom = Infinity;
  await painted(images);
  openFrom = performance.now() + GUARD;
  if (drawn !== id) return;
  beginLooking();
  if (state.screen && wasHere) TILES[kindOf(state)].goToTiles();
  if (state.question?.picker && closed !== id) offerGroups(state.question.picker_why);
}

function setBusy(isNow) {
  isBusy = isNow;
  enable();
  if (isNow) byId("main").setAttribute("aria-busy", "true");
  else setTimeout(() => byId("main").setAttribute("aria-busy", `${isBusy}`), 2 * GUARD);
}

const enable = () => greyOut((name) => isBusy
  || (name === "undo" && !state?.can_undo)
  || (name === "set" && !overview.isSet()));

function showMarked() {
  fillDone(...TILES[kindOf(state)].doneWords());
  enable();
}

// Acting

const room = () => ({ fits: fits(model.get("_kind")) });

async function act(what, body = {}) {
  if (isBusy) return;
  setBusy(true);
  const late = setTimeout(() => say(byId("notice"), WORDS.waiting), PATIENCE);
  const said = { screen: askedOf(state)?.id, seconds: secondsLooked(), ...room(), ...body };
  try {
    await show((await ask(what, said)).state);
  } catch (error) {
    say(byId("notice"), error.message);
  } finally {
    clearTimeout(late);
    setBusy(false);
  }
}

const tell = (words) => say(byId("notice"), words);
const offerGroups = (why = null) => !isDialogOpen() && openPicker(state.question, why);
const answer = (verdict) => act("answer", { verdict });

const DOES = {
  pair: {
    same: () => answer("same"),
    different: () => answer("different"),
    unsure: () => answer("unsure"),
    pick: () => offerGroups(),
    none: () => act("pick", { group: "new", rejected: [] }),
    aside: () => act("aside"),
  },
  sheet: {
    done: () => act("sheet", sheet.filledSheet()),
    doubt: () => sheet.doubt() || tell(WORDS.tapFirst),
    skip: () => act("skip"),
  },
  overview: {
    done: () => (overview.unfinished()
      ? tell(overview.unfinished()) : act("overview", overview.filledOverview())),
    set: () => overview.finishSet() || tell(WORDS.tapTwo),
    skip: () => act("skip"),
  },
};

function perform(name) {
  if (isBusy || performance.now() < openFrom) return;
  if (name === "undo") {
    if (state.can_undo) act("undo");
  } else if (name === "view") enlarge();
  else DOES[kindOf(state)]?.[name]?.();
}

// Looking closer

function enlarge() {
  if (state.screen) TILES[kindOf(state)].enlargeTile();
  else if (state.question) look([state.question.sample.item, state.question.against.item]);
}

async function look(items) {
  const { cards } = await ask("look", { items });
  byId("large-title").textContent = cards.map((card) => card.title).join(" · ");
  byId("large-body").replaceChildren(...cards.map((card, at) =>
    made("div", { class: "page" }, whole(card, cards[1 - at] ?? card))));
  byId("large").showModal();
}

function openLarge(event) {
  const opener = event.target.closest("[data-large]");
  if (!opener) return;
  if (opener.closest("#large")) byId("large").close();
  else look([Number(opener.dataset.face)]);
}

// Keys: only those that are pressed here, and none of them goes on to the notebook

function press(event) {
  event.stopPropagation();
  if (!isForPage(event)) {
    if (byId("large").open && plain(event) === "v") byId("large").close();
    return;
  }
  const name = meant(event, kindOf(state));
  const isHeld = event.repeat && event.target.closest("[data-do], .pick") !== null;
  if ((isHeld && event.key !== "Tab") || name !== null) event.preventDefault();
  if (name !== null) perform(name);
  else if (state.screen) pressTile(event);
}

function pressTile(event) {
  const tiles = TILES[kindOf(state)];
  if (leadsToTiles(event)) {
    tiles.goToTiles();
    event.preventDefault();
  } else if (!isBusy && tiles.tapKey(plain(event))) event.preventDefault();
}

// The page

const answerButton = ([name, sign, words, keys]) => made(
  "button",
  { type: "button", class: `answer ${name}`, "data-do": name },
  made("span", { class: "sign", "aria-hidden": "true" }, sign),
  made("span", { class: "words" }, words, made("span", { class: "before", hidden: "" }, "your answer before")),
  made("span", { class: "keys", "aria-hidden": "true" }, ...keys.map(keycap)),
);

const toolButton = ([name, words, key]) => made(
  "button",
  { type: "button", class: "tool", "data-do": name, "aria-keyshortcuts": key },
  words,
  " ",
  keycap(key),
);

const dealButtons = () => [
  made(
    "button",
    { type: "button", class: "answer same", "data-do": "done" },
    made("span", { class: "sign", "aria-hidden": "true" }, "✓"),
    made(
      "span",
      { class: "words" },
      made("span", { id: "done-words" }),
      made("span", { class: "below", id: "done-below", hidden: "" }),
    ),
    made("span", { class: "keys", "aria-hidden": "true" }, keycap("Enter")),
  ),
  answerButton(["set", "=", "These are the same", ["S"]]),
];

const band = (kind, ...more) => made(
  "div",
  { class: "band" },
  ...more,
  made(
    "div",
    { class: "band-words" },
    kind === "sheet" ? made("p", { class: "band-group", id: "sheet-group" }) : null,
    made("h2", { id: `${kind}-task` }),
    made("p", { class: "band-before dim", id: `${kind}-before`, hidden: "" }),
  ),
);

const screen = (kind, list, label, ...more) => made(
  "section",
  { class: `screen ${kind}`, id: kind, "aria-labelledby": `${kind}-task`, hidden: "" },
  band(kind, ...more),
  made("ul", { class: "items", id: list, "aria-label": label }),
);

const dialog = (id, kind, title, close, ...inside) => made(
  "dialog",
  { id, class: kind, "aria-labelledby": `${id}-title` },
  made(
    "div",
    { class: "dialog-head" },
    made("h2", { id: `${id}-title` }, title),
    made("button", { type: "button", class: "quiet", id: `${id}-close` }, close, " ", made("kbd", {}, "Esc")),
  ),
  ...inside,
);

const page = () => made(
  "main",
  { id: "main", class: "likewise", tabindex: "-1" },
  made("div", { class: "criterion" }, made("h1", { id: "criterion" })),
  made("div", { class: "slot" }, made("p", { class: "why", id: "why", hidden: "" })),
  made(
    "div",
    { class: "stage hinted", id: "stage" },
    made("div", { class: "pair", id: "pair", hidden: "" }),
    screen(
      "sheet",
      "sheet-items",
      "Items to look through, the most doubtful first",
      made("ul", { class: "speakers", id: "sheet-speakers", "aria-label": "Some of the group" }),
    ),
    screen("overview", "overview-groups", "Groups to compare"),
    made(
      "div",
      { class: "panel", id: "settled-page", hidden: "" },
      made("h2", {}, WORDS.settled),
      made("p", { id: "settled-words" }),
    ),
  ),
  made("p", { class: "notice", id: "notice", role: "alert", hidden: "" }),
  made(
    "section",
    { class: "bar", id: "bar", "aria-label": "Your answer" },
    made("div", { class: "answers", id: "answers", role: "group" }, ...ANSWERS.map(answerButton)),
    made("div", { class: "answers deal", id: "deal", role: "group", hidden: "" }, ...dealButtons()),
    made(
      "div",
      { class: "tools" },
      ...TOOLS.map(toolButton),
      made("p", { class: "saved" }, made("span", { id: "saved", role: "status" })),
    ),
    made("p", { class: "dim", id: "outlook" }),
  ),
);

const dialogs = () => [
  dialog(
    "picker",
    "wide",
    "Which group is it in?",
    "Back to the pair",
    made("p", { class: "picker-why", id: "picker-why", role: "status", hidden: "" }),
    made(
      "div",
      { class: "picker-body" },
      made("div", { class: "picker-sample", id: "picker-sample" }),
      made("ol", { class: "candidates", id: "candidates", "aria-label": "Groups, likeliest first" }),
    ),
    made(
      "div",
      { class: "dialog-foot" },
      made("p", { id: "picker-words", role: "status" }),
      made("button", { type: "button", id: "picker-none" }),
    ),
  ),
  dialog("large", "", "", "Close", made("div", { class: "large-body", id: "large-body", tabindex: "-1" })),
];

function wire(root) {
  wireDoing(perform);
  wireLooking();
  sheet.wireSheet(showMarked);
  overview.wireOverview(showMarked);
  wirePicker(
    (_, group, rejected) => act("pick", { group, rejected }),
    () => { closed = state.question?.id ?? null; },
    async (number) => (await ask("candidates", { screen: state.question.id, page: number })).found,
  );
  wireClosing("large");
  root.addEventListener("click", openLarge);
  root.addEventListener("keydown", press);
  for (const kind of ["keyup", "keypress"]) {
    root.addEventListener(kind, (event) => event.stopPropagation());
  }
  for (const one of every("dialog")) {
    one.addEventListener("close", () => byId("main").focus({ preventScroll: true }));
  }
}

// How many items fit is known once the cell is on the page.
function whenWide(element, then) {
  const watch = new ResizeObserver(() => {
    if (element.clientWidth === 0) return;
    watch.disconnect();
    then();
  });
  watch.observe(element);
}

/** Show the widget in a cell; what is returned takes it away again. */
export function render({ model: given, el }) {
  model = given;
  // JupyterLab has shortcuts of single letters, which are not meant here.
  const host = made("div", { "data-lm-suppress-shortcuts": "true" });
  const root = host.attachShadow({ mode: "open" });
  const style = new CSSStyleSheet();
  style.replaceSync(model.get("_style"));
  root.adoptedStyleSheets = [style];
  keepTo(root);
  root.append(page(), ...dialogs());
  el.append(host);
  wire(root);
  model.on("msg:custom", hear);
  const late = setTimeout(() => tell(WORDS.gone), 10 * PATIENCE);
  whenWide(byId("stage"), () => ask("state", room()).then(({ state: first }) => {
    clearTimeout(late);
    tell(null);
    return show(first);
  }).finally(() => setBusy(false)));
  return () => {
    model.off("msg:custom", hear);
    clearTimeout(late);
    forgetOthers([]);
  };
}
