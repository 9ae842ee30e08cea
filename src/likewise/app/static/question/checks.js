// Check questions on the page: how often, and what to do when answers disagree.

import { byId, say } from "../lib/dom.js";
import { forThisTab, recalled, remember } from "../lib/memory.js";

const WORDS = {
  disagrees: "This disagrees with earlier answers.",
};
const GONE_ON = "likewise-gone-on"; // the disagreement that the person has seen

/** Say that the last answer disagrees, until the person goes on. */
export function showDisagreement(answer) {
  const isSeen = answer === null || recalled(forThisTab, GONE_ON) === answer;
  say(byId("disagreement"), isSeen ? null : WORDS.disagrees, byId("disagreement-words"));
  if (!isSeen) byId("disagreement-look").href = `/disagreements#answer-${answer}`;
}

const isShown = () => !byId("disagreement").hidden;

export function look() {
  if (isShown()) byId("disagreement-look").click();
}

/** Hide the notice about an answer for good. */
export function goOn(answer) {
  if (!isShown()) return;
  remember(forThisTab, GONE_ON, answer);
  showDisagreement(null);
}

/** Wire notice and field; `current()` is the state, `change(n)` saves how often. */
export function wireChecks(current, change) {
  const field = byId("checks");
  const save = () => {
    const isMeant = field.value !== "" && field.checkValidity();
    if (isMeant && field.valueAsNumber !== current().checks) change(field.valueAsNumber);
    else field.value = current().checks;
  };
  field.addEventListener("change", save);
  byId("keys").addEventListener("close", save); // also by Esc, with the field unsaved
  byId("disagreement-close").addEventListener("click", () => goOn(current().disagreement));
}
