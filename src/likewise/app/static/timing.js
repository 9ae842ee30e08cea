// When a pair is really on the screen, and marks for those who measure it.

const LONGEST = 3000; // milliseconds to wait for a picture that does not come

export const keyed = () => performance.mark("key");

/** Wait until pictures are decoded, or failed, or `limit` milliseconds are over. */
export function decoded(images, limit = LONGEST) {
  const all = Promise.all(images.map((image) => image.decode().catch(() => null)));
  const over = new Promise((done) => { setTimeout(done, limit); });
  return Promise.race([all, over]);
}

/** Wait until a pair is painted; mark it, and how long it took since the key. */
export async function painted(images) {
  await decoded(images);
  await frame();
  await frame();
  performance.mark("painted");
  if (performance.getEntriesByName("key", "mark").length === 0) return;
  performance.measure("answer", "key", "painted");
}

// A hidden tab paints no frames: nobody waits there either.
const frame = () => new Promise((done) => {
  if (document.hidden) setTimeout(done, 0);
  else requestAnimationFrame(done);
});

/** Fetch pictures that may be needed next. */
export function preload(pictures) {
  return pictures.map((address) => {
    const image = new Image();
    image.src = address;
    return image;
  });
}
