// Talking to the server.

const WORDS = {
  refused: "The server refused this and gave no reason.",
  unable: "The server cannot do this now.",
  outside: "Open the link that was printed in the terminal.",
};
const PATIENCE = 30_000; // milliseconds for one request
export const OUTSIDE = 401; // the status of a reply to somebody who is not signed in

const outside = (words) => "You are not signed in any more. "
  + `${words} Your last answer is kept here until then.`;

/** The server understood, and said no. */
export class Refused extends Error {
  constructor(status, words) {
    super(status === OUTSIDE ? outside(words || WORDS.outside) : words || WORDS.refused);
    this.status = status;
  }
}

/** The server is there but cannot do it now: its disk is full, its database away. */
export class Unable extends Refused {
  constructor(status, words) {
    super(status, words || WORDS.unable);
  }
}

/** What the server said against it, or other words where it said nothing. */
export const troubleOf = (error, otherwise) =>
  (error instanceof Refused ? error.message : otherwise);

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

/** What an act would record, without doing it. */
export const previewed = (body) => post("/api/preview", { ...body, client_id: newId() });

/** Change what holds for everybody. */
export const changeSettings = (settings) => post("/api/settings", settings);

/** The page at this address as the server draws it now, or null if it is no more. */
export async function fetchedPage() {
  const { pathname, search } = window.location;
  const reply = await fetch(pathname + search, { headers: { Accept: "text/html" } });
  if (!reply.ok) return null;
  return new DOMParser().parseFromString(await reply.text(), "text/html");
}

// Browsers have randomUUID on this machine and behind https only, not on http elsewhere.
export function newId() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = [...crypto.getRandomValues(new Uint8Array(16))];
  return bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
