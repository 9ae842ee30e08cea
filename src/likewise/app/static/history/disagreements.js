// The page of disagreements: the one that the address names is marked.

import { byId, every } from "../lib/dom.js";
import { wireEntries } from "./entries.js";

const named = () => byId(location.hash.slice(1));

function mark() {
  for (const old of every(".marked")) old.classList.remove("marked");
  named()?.classList.add("marked");
}

function lead() {
  mark();
  named()?.scrollIntoView({ block: "start" });
  named()?.focus({ preventScroll: true });
}

wireEntries(mark);
lead();
window.addEventListener("hashchange", lead);
