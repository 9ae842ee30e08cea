// The groups as covers: go through them, name them, select some and make them one.

import { changeSettings } from "../lib/api.js";
import { byId, every, greyOut, isDialogOpen, wake } from "../lib/dom.js";
import { isForPage, isModified } from "../lib/keys.js";
import { MOVES } from "../lib/selection.js";
import { resend, tell } from "../lib/sending.js";
import { act, canUndo, wireActing } from "./acting.js";
import { offerMerging, openMerging, wireMerging } from "./merging.js";
import { openNaming, wireNaming } from "../lib/naming.js";

const WORDS = {
  none: "Select groups to merge them",
  one: "1 group selected: select another one to merge them",
  some: (number) => `${number} groups selected`,
  few: "Select two groups or more to merge them.",
  noGroup: "Go to a group first: then name it.",
};
const LETTERS = { g: "merge", m: "merge", e: "rename", z: "undo", "?": "keys" };
const ENOUGH = 2;

let focused = null; // the group that had the focus before the page was drawn anew

const boxes = () => every(".ticking input");
const links = () => every(".group h2 a");
const ticked = () => boxes().filter((box) => box.checked).map((box) => Number(box.value));
const groupAt = (element) => element?.closest?.(".group") ?? null;
const linkOf = (group) => group?.querySelector("h2 a");

function showTicked() {
  const { length } = ticked();
  byId("chosen").textContent = [WORDS.none, WORDS.one][length] ?? WORDS.some(length);
  greyOut((name) => ({ merge: length < ENOUGH, undo: !canUndo() }[name] ?? false));
}

function untick() {
  for (const box of boxes()) box.checked = false;
  showTicked();
}

function refocus() {
  wake(".pencil");
  untick();
  if (focused === null || isDialogOpen()) return;
  const there = every(".group").find((group) => group.dataset.group === focused);
  (linkOf(there) ?? links()[0])?.focus();
}

function noteFocus({ groups, item }) {
  const there = groupAt(document.activeElement)?.dataset.group;
  focused = there ?? `${groups?.[0] ?? item ?? ""}`;
}

const rename = (item, name) => act("/api/rename", { item, name });
const merge = (groups) => act("/api/merge", { groups });

// Pictures that are almost identical: the page says which.
const lookalikes = () => JSON.parse(document.querySelector(".alike-offer").dataset.pairs);

async function leaveApart() {
  await changeSettings({ alike: false });
  document.querySelector(".alike-offer").remove();
}

function openTicked() {
  if (ticked().length < ENOUGH) tell(WORDS.few);
  else openMerging(ticked(), merge);
}

function nameGroup(group) {
  if (group) openNaming(group);
  else tell(WORDS.noGroup);
}

function offerMerge(item, others, name) {
  const hasName = Boolean(document.querySelector(`[data-group="${item}"]`)?.dataset.name);
  offerMerging([item, ...others], name, async (groups) => {
    if (hasName) await rename(item, name); // so that both are called the same
    await merge(groups);
  }, () => rename(item, name));
}

// Arrows go from cover to cover, Space selects the one that has the focus.
function press(event) {
  if (!isForPage(event) || isModified(event)) return;
  const all = links();
  const at = all.indexOf(linkOf(groupAt(document.activeElement)));
  if (event.key in MOVES) {
    const next = at < 0 ? 0 : MOVES[event.key](at, all);
    all[Math.min(Math.max(next, 0), all.length - 1)]?.focus();
  } else if (event.key === " " && event.target === all[at]) {
    groupAt(event.target).querySelector(".ticking input").click();
  } else return;
  event.preventDefault();
}

wireMerging();
wireNaming(rename, offerMerge);
wireActing({
  does: {
    merge: openTicked,
    rename: () => nameGroup(groupAt(document.activeElement)),
    together: () => act("/api/alike", { pairs: lookalikes() }),
    apart: leaveApart,
  },
  letters: LETTERS,
  letGo: untick,
  before: noteFocus,
  drawn: refocus,
});
document.addEventListener("keydown", press);
document.addEventListener("change", showTicked);
document.addEventListener("click", (event) => {
  if (event.target.closest("[data-rename]")) nameGroup(groupAt(event.target));
});
wake(".pencil");
showTicked();
await resend();
