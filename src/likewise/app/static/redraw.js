// The page drawn anew in place: nothing reloads, nothing flickers, nothing jumps.

import { alive } from "./dom.js";

const SWAPPED = ["review", "progress"];
const ALIVE = ".pick, .enlarge, [data-do], .ticking input";
const LIST = "/groups";

/** Fetch the page at this address again and put it where the old one is. */
export async function redraw(address = window.location.href) {
  const reply = await fetch(address, { headers: { Accept: "text/html" } });
  if (!reply.ok) {
    window.location.assign(LIST); // what the page was about is no more
    return;
  }
  const page = new DOMParser().parseFromString(await reply.text(), "text/html");
  for (const id of SWAPPED) swap(document.getElementById(id), page.getElementById(id));
  document.title = page.title;
  wake();
}

export const wake = () => alive(ALIVE);

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
