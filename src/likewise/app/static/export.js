// The export page: folders written by the server.

import { post, troubleOf } from "./lib/api.js";
import { byId, numeral, wake } from "./lib/dom.js";

const WORDS = {
  writing: "Writing …",
  written: ({ folder, n_files: n }) => `${numeral(n)} files are in ${folder}.`,
  missing: (missing) => ` ${missing.length} are gone: ${missing.slice(0, 5).join(", ")}.`,
  unreachable: "The server does not answer: try again.",
};

async function write(event) {
  event.preventDefault();
  byId("written").textContent = WORDS.writing;
  try {
    const to = byId("to")?.value.trim() || null;
    const done = await post("/api/folders", { how: byId("how").value, to });
    const gone = done.missing.length ? WORDS.missing(done.missing) : "";
    byId("written").textContent = WORDS.written(done) + gone;
  } catch (error) {
    byId("written").textContent = troubleOf(error, WORDS.unreachable);
  }
}

byId("folders")?.addEventListener("submit", write);
wake("#folders button");
