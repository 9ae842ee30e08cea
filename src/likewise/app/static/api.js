// Talking to the server, and not letting an act get lost on the way.

import { forThisTab, recalled, remember } from "./memory.js";

const WORDS = {
  refused: "The server refused this without saying why.",
  unable: "The server cannot do this now, and does not say why.",
  silent: "The app does not answer: start it again if it was stopped.",
  kept: "Leave this page open: what you did is kept here, and saved as soon as it can be.",
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

/** The server is there but cannot do it now: its disk is full, its database away. */
export class Unable extends Refused {
  constructor(status, words) {
    super(status, words || WORDS.unable);
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
  if (reply.ok) return reply.json(); // throws when the reply was cut off: ask again
  const { error } = await reply.json().catch(() => ({}));
  throw new (reply.status >= 500 ? Unable : Refused)(reply.status, error);
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

/** The act that was under way when the page was left, or null; `key` as delivered. */
export const unsaved = (key = UNSAVED) => recalled(forThisTab, key);

/**
 * Send an act until the server has it.
 *
 * `onFailure(n, words)` hears of each failed try, and why from the second one on; null
 * where that was said before.
 */
export async function delivered(act, onFailure, key = UNSAVED) {
  remember(forThisTab, key, act);
  let told = null;
  for (let tries = 1; ; tries += 1) {
    try {
      const reply = await post(act.path, act.body);
      remember(forThisTab, key, null);
      return reply;
    } catch (error) {
      if (error instanceof Refused && !(error instanceof Unable)) {
        if (error.status !== 401) remember(forThisTab, key, null);
        throw error;
      }
      const words = tries > 1 ? troubleOf(error) : null;
      onFailure(tries, words === told ? null : words);
      told = words;
      await pause(PAUSES[Math.min(tries, PAUSES.length) - 1]);
    }
  }
}

const troubleOf = (error) =>
  `${error instanceof Unable ? error.message : WORDS.silent} ${WORDS.kept}`;

const pause = (ms) => new Promise((done) => { setTimeout(done, ms); });
