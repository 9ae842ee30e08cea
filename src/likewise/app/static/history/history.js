// The history page: every answer can be changed, taken back and brought back.

import { every } from "../lib/dom.js";
import { wireEntries } from "./entries.js";

// The answer that replaced another may lie on another page, or be folded away.
function lead() {
  for (const link of every("#found .fate a[href^='#']")) {
    if (!document.querySelector(link.getAttribute("href"))) {
      link.replaceWith(...link.childNodes);
    }
  }
}

wireEntries(lead);
