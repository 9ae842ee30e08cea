// The large picture: whatever carries data-large opens it. Texts and rows unfold in place.

import { byId, wireClosing } from "./dom.js";

export function wireLarge() {
  document.addEventListener("click", (event) => {
    const opener = event.target.closest("[data-large]");
    if (opener) open(opener.dataset.large, opener.dataset.title);
    else event.target.closest(".enlarge")?.closest(".item").classList.toggle("whole");
  });
  wireClosing("large");
  byId("large-zoom").addEventListener("click", zoom);
}

function open(address, title) {
  const image = byId("large-picture");
  byId("large-title").textContent = title;
  byId("large-history").href = `/history?item=${address.match(/\d+/)[0]}`;
  image.alt = title;
  image.src = address;
  setZoom(false);
  byId("large").showModal();
  byId("large-zoom").focus();
}

function zoom(event) {
  const box = byId("large-zoom").parentElement;
  const image = byId("large-picture");
  const area = image.getBoundingClientRect();
  const byKey = event.detail === 0;
  const x = byKey ? 0.5 : (event.clientX - area.left) / area.width;
  const y = byKey ? 0.5 : (event.clientY - area.top) / area.height;
  setZoom(byId("large-zoom").getAttribute("aria-pressed") !== "true");
  box.scrollLeft = x * image.clientWidth - box.clientWidth / 2;
  box.scrollTop = y * image.clientHeight - box.clientHeight / 2;
}

const setZoom = (isOn) => byId("large-zoom").setAttribute("aria-pressed", `${isOn}`);
