// A group's name, changed where it stands.

import { previewed } from "../lib/api.js";
import { byId } from "../lib/dom.js";
import { facts } from "./acting.js";

/**
 * Wire the form; it is drawn anew with the page.
 *
 * `named(name)` saves a name, `offered(groups, name)` hears that others have it already.
 */
export function wireNaming(named, offered) {
  document.addEventListener("submit", (event) => {
    if (event.target.id !== "rename") return;
    event.preventDefault();
    submit(named, offered);
  });
  document.addEventListener("click", (event) => {
    if (event.target.closest("#rename-cancel")) close();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && event.target.closest("#rename")) close();
  });
}

export function openNaming() {
  show(true);
  byId("name").select();
}

function close() {
  byId("rename").reset();
  show(false);
  document.querySelector("[data-do=rename]").focus();
}

function show(isOpen) {
  byId("rename").hidden = !isOpen;
  byId("group-name").hidden = isOpen;
}

async function submit(named, offered) {
  const { group, name: before } = facts();
  const name = byId("name").value.trim();
  if (name === before) {
    close();
    return;
  }
  const wanted = { item: Number(group), name };
  const found = name ? await previewed(wanted).catch(() => null) : null;
  const others = found?.groups.slice(1) ?? [];
  if (others.length > 0) offered(others.map((one) => one.id), name);
  else named(name);
}
