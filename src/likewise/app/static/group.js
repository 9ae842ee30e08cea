// The page of one group: its name, and its pictures in large.

import { Refused, actOf, post } from "./api.js";
import { alive, byId } from "./dom.js";
import { wireLarge } from "./large.js";

const WORDS = {
  saving: "Saving …",
  saved: "Saved",
  unreachable: "Not saved: the server does not answer. Try again.",
};

async function rename(event) {
  event.preventDefault();
  const form = event.currentTarget;
  const name = byId("name").value.trim();
  byId("renamed").textContent = WORDS.saving;
  try {
    const { path, body } = actOf("/api/rename", { item: Number(form.dataset.item), name });
    const { group } = await post(path, body);
    byId("group-name").textContent = group.name || byId("group-name").dataset.nameless;
    byId("renamed").textContent = WORDS.saved;
  } catch (error) {
    const isTold = error instanceof Refused;
    byId("renamed").textContent = isTold ? error.message : WORDS.unreachable;
  }
}

byId("rename").addEventListener("submit", rename);
wireLarge();
alive("#rename button, button.picture");
