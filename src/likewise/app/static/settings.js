// Hints are switched on and off for everybody, and the page shows them at once.

import { post } from "./api.js";
import { redraw } from "./redraw.js";

export async function changeHints(hints, drawn) {
  await post("/api/settings", { hints });
  await redraw();
  drawn();
}
