// Questions that are asked again: how often they come.

import { byId } from "../lib/dom.js";

function wireNumber(id, shown, change) {
  const field = byId(id);
  const save = () => {
    const isMeant = field.value !== "" && field.checkValidity();
    if (isMeant && field.valueAsNumber !== shown()) change(field.valueAsNumber);
    else field.value = shown();
  };
  field.addEventListener("change", save);
  byId("keys").addEventListener("close", save); // also by Esc, with the field unsaved
}

/** Return a share as whole percent, which is how people set it. */
export function percent(share) {
  return Math.round(100 * share);
}

/** Wire the fields; `current()` is the state, `change(settings)` saves them. */
export function wireChecks(current, change) {
  wireNumber("checks", () => current().checks, (checks) => change({ checks }));
  const shared = () => percent(current().overlap);
  wireNumber("overlap", shared, (part) => change({ overlap: part / 100 }));
  byId("refer-on").addEventListener("change", ({ target }) => change({ refer: target.checked }));
}
