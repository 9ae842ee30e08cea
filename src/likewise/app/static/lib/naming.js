// The name of a group, changed where it stands.

import { previewed } from "./api.js";
import { made } from "./dom.js";

const WORDS = {
  label: "Name of the group",
  unnamed: (number) => `Group ${number}`,
  save: "Save",
  cancel: "Cancel",
};
const LONGEST = 200; // characters

let open = null; // the form, and what it stands in for

/**
 * Wire it: whatever has `data-group` and `data-name` holds a name, as `.named`.
 *
 * `named(item, name)` saves a name, `offered(item, others, name)` hears that others have
 * it already.
 */
export function wireNaming(named, offered) {
  document.addEventListener("submit", (event) => {
    if (event.target !== open?.form) return;
    event.preventDefault();
    submit(named, offered);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && event.target.closest(".rename")) closeNaming();
  });
}

/** Let a person type the name of the group that an element holds. */
export function openNaming(holder) {
  closeNaming();
  const title = holder.querySelector(".named");
  const input = made("input", {
    name: "name", maxlength: LONGEST, autocomplete: "off", "aria-label": WORDS.label,
    placeholder: WORDS.unnamed(holder.dataset.number), value: holder.dataset.name,
  });
  const cancel = made("button", { type: "button", class: "quiet" }, WORDS.cancel);
  const form = made("form", { class: "rename" }, input, made("button", {}, WORDS.save), cancel);
  cancel.addEventListener("click", closeNaming);
  open = { form, title, holder, from: document.activeElement };
  title.hidden = true;
  title.after(form);
  input.select();
  input.focus();
}

/** Leave the name as it is. */
export function closeNaming() {
  if (!open) return;
  open.form.remove();
  open.title.hidden = false;
  open.from?.focus();
  open = null;
}

async function submit(named, offered) {
  const { dataset } = open.holder;
  const [item, name] = [Number(dataset.group), open.form.elements.name.value.trim()];
  if (name === dataset.name) {
    closeNaming();
    return;
  }
  const found = name ? await previewed({ item, name }).catch(() => null) : null;
  const others = found?.groups.slice(1) ?? [];
  if (others.length > 0) offered(item, others.map((one) => one.id), name);
  else named(item, name);
}
