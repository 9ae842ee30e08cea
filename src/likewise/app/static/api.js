// Talking to the server, and not letting an act get lost on the way.

import { forThisTab, recalled, remember } from "./memory.js";

const WORDS = {
  refused: "The server refused this without saying why.",
  outside: "You are not signed in any more: open the printed address again. "
    + "Your last answer is kept here until then.",
};
const PATIENCE = 30_000; // milliseconds for one request
const PAUSES = [500, 1000, 2000, 4000]; // before the next try; then always the last
const UNSAVED = "likewise-unsaved";

/** The server understood, and said no. */
export class Refused extends Error {
  constructor(status, words) {
    super(status === 401 ? WORDS.outside : words || WORDS.refused);
    this.status = status;
  }
}

export const get = (path) => asked(path, {});

export const post = (path, body) => asked(path, {
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify(body),
});

async function asked(path, options) {
  const headers = { ...options.headers, Accept: "application/json" };
  const signal = AbortSignal.timeout(PATIENCE);
  const reply = await fetch(path, { ...options, headers, signal });
  if (reply.status >= 500) throw new Error(`${reply.status}`);
  const said = await reply.json().catch(() => ({}));
  if (!reply.ok) throw new Refused(reply.status, said.error);
  return said;
}

/** An act, with the id that it keeps however often it is sent. */
export const actOf = (path, body) => ({
  path,
  body: { ...body, client_id: newId() },
});

// Browsers have randomUUID on this machine and behind https only, not on http elsewhere.
function newId() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = [...crypto.getRandomValues(new Uint8Array(16))];
  return bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The act that was under way when the page was left, or null. */
export const unsaved = () => recalled(forThisTab, UNSAVED);

/** Send an act until the server has it; `onFailure(n)` hears of each failed try. */
export async function delivered(act, onFailure) {
  remember(forThisTab, UNSAVED, act);
  for (let tries = 1; ; tries += 1) {
    try {
      const reply = await post(act.path, act.body);
      remember(forThisTab, UNSAVED, null);
      return reply;
    } catch (error) {
      if (error instanceof Refused) {
        if (error.status !== 401) remember(forThisTab, UNSAVED, null);
        throw error;
      }
      onFailure(tries);
      await pause(PAUSES[Math.min(tries, PAUSES.length) - 1]);
    }
  }
}

const pause = (ms) => new Promise((done) => { setTimeout(done, ms); });
