// What the pages of groups share: acts by key and button, and the page drawn anew in place.

import { changeSettings, fetchedPage } from "../lib/api.js";
import { byId, every, numeral, wake, wireDoing } from "../lib/dom.js";
import { isForPage, isUndo, openKeys, plain, wireKeys } from "../lib/keys.js";
import { isBusy, send, tell, tellReply, wireSending } from "../lib/sending.js";

/** @typedef {import("../lib/messages.js").Recorded} Recorded */

const WORDS = {
  noUndo: "You have nothing to undo.",
  answers: (number, word) => `${numeral(number)} “${word}”`,
  records: (told, total, takenBack) => `This records ${told} `
    + `${total === 1 ? "answer" : "answers"} and takes back `
    + `${numeral(takenBack)}; it can be undone.`,
};
const SWAPPED = ["review", "progress"];
const ASLEEP = ".pick, .enlarge, [data-do], .ticking input";
const LIST = "/groups";
const UNDO = "/api/undo";

/** What the server says about this page: its tab, its group, and so on. */
export const facts = () => byId("review").dataset;

export const canUndo = () => facts().canUndo === "true";

/**
 * What differs between these pages.
 *
 * @typedef {object} Acting
 * @property {Record<string, () => void>} does What each button does.
 * @property {Record<string, string>} letters Which letter means which button.
 * @property {() => void} letGo Forgets what is chosen: Esc was pressed.
 * @property {(body: object) => void} before Hears of each act before it is sent.
 * @property {() => void} drawn Hears that the page was drawn anew.
 */

/** @type {Acting} */
let page = null;

/** Say what this page does, and wire its keys and buttons. */
export function wireActing(acting) {
  page = acting;
  wireSending({ draw: showReply, drawAnew, setBusy });
  wireKeys(async (hints) => {
    await changeSettings({ hints });
    await drawAnew();
  });
  wireDoing(perform);
  document.addEventListener("keydown", press);
  wake(ASLEEP);
}

/** Send an act, unless another one is under way. */
export async function act(path, body = {}) {
  if (isBusy()) return;
  page.before(body);
  await send(path, body);
}

const SHARED = {
  undo: () => (canUndo() ? act(UNDO) : tell(WORDS.noUndo)),
  keys: () => openKeys(facts().hints === "true"),
};

function perform(name) {
  if (!isBusy()) (SHARED[name] ?? page.does[name])();
}

function press(event) {
  if (!isForPage(event)) return;
  if (event.key === "Escape") page.letGo();
  const name = isUndo(event) ? "undo" : page.letters[plain(event)];
  if (!name || !isOffered(name)) return;
  event.preventDefault();
  perform(name);
}

// Only what has a button on this page, and what no button stands for.
const BY_KEY = ["all", "view", "rename"];
const isOffered = (name) => BY_KEY.includes(name) || every(`[data-do="${name}"]`).length > 0;

async function showReply(reply, { path }) {
  if (facts().tab === "group" && typeof reply.stay === "number") {
    history.replaceState(null, "", `/groups/${reply.stay}${window.location.search}`);
  }
  await drawAnew();
  tellReply(reply, reply.can_undo && path !== UNDO);
}

function setBusy(isNow) {
  document.body.classList.toggle("busy", isNow);
  byId("review").setAttribute("aria-busy", `${isNow}`);
}

/**
 * What an act would record, as a sentence.
 *
 * @param {Recorded} recorded
 */
export function sentence({ same, different, taken_back: takenBack }) {
  const told = [
    same || !different ? WORDS.answers(same, "same") : null,
    different ? WORDS.answers(different, "different") : null,
  ].filter(Boolean);
  return WORDS.records(told.join(" and "), same + different, takenBack);
}

// Drawing anew: nothing reloads, nothing flickers, nothing jumps.

async function drawAnew() {
  const fresh = await fetchedPage();
  if (fresh === null) window.location.assign(LIST); // what the page was about is no more
  for (const id of SWAPPED) swap(byId(id), fresh?.getElementById(id));
  document.title = fresh?.title ?? document.title;
  wake(ASLEEP);
  page.drawn();
}

function swap(old, fresh) {
  if (!old || !fresh) return;
  keepPictures(old, fresh);
  for (const name of old.getAttributeNames()) old.removeAttribute(name);
  for (const { name, value } of fresh.attributes) old.setAttribute(name, value);
  old.replaceChildren(...fresh.childNodes);
}

// Pictures that are on the screen already stay: new ones would be blank for a moment.
function keepPictures(old, fresh) {
  const there = new Map();
  for (const image of old.querySelectorAll("img[src]")) {
    const address = image.getAttribute("src");
    there.set(address, [...(there.get(address) ?? []), image]);
  }
  for (const image of fresh.querySelectorAll("img[src]")) {
    const kept = there.get(image.getAttribute("src"))?.shift();
    if (kept) image.replaceWith(kept);
  }
}
