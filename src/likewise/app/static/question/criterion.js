// The question that people are asked, changed in place.

import { byId } from "../lib/dom.js";

/** Wire the form; `save(words)` returns a promise. */
export function wireCriterion(save) {
  const form = byId("criterion-form");
  const input = byId("criterion-input");
  byId("edit").addEventListener("click", () => {
    input.value = byId("criterion").textContent; // only a pair has the button
    toggle(true);
    input.select();
  });
  byId("criterion-cancel").addEventListener("click", () => toggle(false));
  input.addEventListener("keydown", (event) => {
    if (event.key === "Escape") toggle(false);
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const words = input.value.trim();
    if (words && await save(words)) toggle(false);
  });
}

function toggle(isEditing) {
  byId("criterion-form").hidden = !isEditing;
  byId("criterion").hidden = isEditing;
  byId("edit").hidden = isEditing;
  byId(isEditing ? "criterion-input" : "edit").focus();
}
