// How long ago something was, when pictures are really on the screen, and for how long.

import { sizes } from "./cards.js";

const LONGEST = 3000; // milliseconds to wait for a picture that does not come
const NOW = "just now";
const UNITS = [["year", 31_536_000], ["month", 2_592_000], ["day", 86_400],
  ["hour", 3600], ["minute", 60]];
const SPOKEN = new Intl.RelativeTimeFormat("en", { numeric: "always" });

/** How long ago a time was, in words; it counts seconds since 1970. */
export function ago(time) {
  const seconds = Date.now() / 1000 - time;
  const [unit, length] = UNITS.find(([, size]) => seconds >= size) ?? [null, 1];
  return unit ? SPOKEN.format(-Math.floor(seconds / length), unit) : NOW;
}

/** Mark the moment of a key, for those who measure. */
export const keyed = () => performance.mark("key");

/** Wait until pictures are decoded, or failed, or `limit` milliseconds are over. */
export function decoded(images, limit = LONGEST) {
  const all = Promise.all(images.map((image) => image.decode().catch(() => null)));
  const over = new Promise((done) => { setTimeout(done, limit); });
  return Promise.race([all, over]);
}

/** Wait until pictures are painted; mark it, and how long it took since the key. */
export async function painted(images) {
  await decoded(images);
  await frame();
  await frame();
  performance.mark("painted");
  if (performance.getEntriesByName("key", "mark").length === 0) return;
  performance.measure("answer", "key", "painted");
}

// How long a person has looked: time in which the page is hidden does not count.

let looked = 0; // milliseconds up to now, but for the present stretch
let since = null; // when that began, or null while nobody looks

/** Begin to count the time that a person takes. */
export function beginLooking() {
  looked = 0;
  since = document.hidden ? null : performance.now();
}

/** The seconds that a person has looked. */
export const secondsLooked = () =>
  Math.round(looked + (since === null ? 0 : performance.now() - since)) / 1000;

/** Let the time stand still while the page is hidden. */
export function wireLooking() {
  document.addEventListener("visibilitychange", () => {
    if (since !== null) looked += performance.now() - since;
    since = document.hidden ? null : performance.now();
  });
}

// A hidden tab paints no frames: nobody waits there either.
const frame = () => new Promise((done) => {
  if (document.hidden) setTimeout(done, 0);
  else requestAnimationFrame(done);
});

/** Fetch pictures that may be needed next. */
export function preloaded(pictures) {
  return pictures.map((address) => {
    const { src, ...others } = sizes(address);
    const image = Object.assign(new Image(), others); // src last: one request, of that size
    image.src = src;
    return image;
  });
}
