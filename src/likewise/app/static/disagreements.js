// The page of disagreements: the one that the address names is marked.

import { wireEntries } from "./entries.js";

function mark() {
  const named = document.getElementById(location.hash.slice(1));
  for (const old of document.querySelectorAll(".marked")) old.classList.remove("marked");
  named?.classList.add("marked");
  return named;
}

function lead() {
  const named = mark();
  named?.scrollIntoView({ block: "start" });
  named?.focus({ preventScroll: true });
}

wireEntries(mark);
lead();
window.addEventListener("hashchange", lead);
