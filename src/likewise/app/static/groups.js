// The groups page: items that were set aside come back.

import { Refused, actOf, post } from "./api.js";
import { alive, byId } from "./dom.js";

const WORDS = { unreachable: "Not saved: the server does not answer. Try again." };

async function putBack(event) {
  const item = Number(event.currentTarget.dataset.item);
  try {
    const { path, body } = actOf("/api/aside", { item, aside: false });
    await post(path, body);
    window.location.reload();
  } catch (error) {
    const isTold = error instanceof Refused;
    byId("put-back").textContent = isTold ? error.message : WORDS.unreachable;
  }
}

for (const button of document.querySelectorAll("button.back")) {
  button.addEventListener("click", putBack);
}
alive("button.back");
