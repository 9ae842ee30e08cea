// Check questions on the page: how often they come.

import { byId } from "../lib/dom.js";

/** Wire the field; `current()` is the state, `change(n)` saves how often. */
export function wireChecks(current, change) {
  const field = byId("checks");
  const save = () => {
    const isMeant = field.value !== "" && field.checkValidity();
    if (isMeant && field.valueAsNumber !== current().checks) change(field.valueAsNumber);
    else field.value = current().checks;
  };
  field.addEventListener("change", save);
  byId("keys").addEventListener("close", save); // also by Esc, with the field unsaved
}
