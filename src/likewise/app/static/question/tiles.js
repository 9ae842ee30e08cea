// What sheets and overviews share: tiles that fill the window, their keys, and marks that
// are kept until they are sent.

import { byId } from "../lib/dom.js";
import { forThisTab, recalled, remember } from "../lib/memory.js";

/** Keys of tiles: none that does something else on these screens. */
export const KEYS = [..."1234567890abcdefhijkmnoqrtwxy"];

const SMALL = "(max-width: 40rem), (max-height: 34rem)"; // there the whole page scrolls
const ON_PHONE = 8; // items: more would be scrolled through for long
const [FEWEST, MOST] = [4, 48];
const MARGINS = 56; // pixels at both sides of the tiles
const GAP = 10; // pixels between tiles
const EDGE = 8; // pixels around all of them
const BAND = 128; // pixels of what is pinned above them, and the gaps around it
const SHAPES = { // in pixels: width over height, and heights
  image: { ratio: 1, least: 104, usual: 124, largest: 280 },
  text: { ratio: 2, least: 104, usual: 124, largest: 240 },
  row: { ratio: 2, least: 104, usual: 124, largest: 240 },
  group: { ratio: 1.35, least: 108, usual: 150, largest: 280 },
};
const STRETCH = 1.25; // a tile may be this much wider than it need be
const DRAFT = "likewise-draft"; // what is marked on the present screen
const SENT = "likewise-sent"; // where misfits of the last sheet were put

const isSmall = () => window.matchMedia(SMALL).matches;

/** How many items fit the window at once. */
export function fits(kind) {
  if (isSmall()) return ON_PHONE;
  const { ratio, usual } = SHAPES[kind];
  const { clientWidth, clientHeight } = byId("stage");
  const columns = Math.floor((clientWidth - MARGINS + GAP) / (usual * ratio + GAP));
  const rows = Math.floor((clientHeight - BAND + GAP) / (usual + GAP));
  return Math.min(Math.max(columns * Math.max(rows, 1), FEWEST), MOST);
}

/** Whether there is room for sorting what does not belong. */
export const hasRoom = () => !isSmall();

/** Make tiles as large as they can be while all are seen at once; else they scroll. */
export function fitTiles(grid, shape) {
  if (isSmall() || grid.children.length === 0) {
    for (const name of ["--columns", "--wide", "--tall"]) grid.style.removeProperty(name);
    return;
  }
  const { columns, wide, tall } = bestTiles(grid, SHAPES[shape]);
  grid.style.setProperty("--columns", `${columns}`);
  grid.style.setProperty("--wide", `${wide}px`);
  grid.style.setProperty("--tall", `${tall}px`);
}

function bestTiles(grid, { ratio, least, largest }) {
  const number = grid.children.length;
  const screen = grid.parentElement;
  const width = grid.clientWidth - EDGE;
  const height = screen.clientHeight - (grid.offsetTop - screen.offsetTop) - EDGE;
  const wideIn = (columns) => (width - GAP * (columns - 1)) / columns;
  const tallIn = (columns) => {
    const rows = Math.ceil(number / columns);
    return Math.min(wideIn(columns) / ratio, (height - GAP * (rows - 1)) / rows);
  };
  const all = Array.from({ length: number }, (_, at) => at + 1);
  let columns = all.reduce((best, one) => (tallIn(one) > tallIn(best) ? one : best));
  let tall = Math.min(tallIn(columns), largest);
  if (tall < least) {
    columns = Math.max(Math.floor((width + GAP) / (least * ratio + GAP)), 1);
    tall = Math.min(wideIn(columns) / ratio, largest);
  }
  const wide = Math.min(wideIn(columns), tall * ratio * STRETCH);
  return { columns, wide: Math.floor(wide), tall: Math.floor(tall) };
}

/** Show the item of a tile larger. */
export const enlarge = (pick) => pick?.parentElement.querySelector(".enlarge").click();

/** Keep what is marked on a screen, so that it is there after the page was loaded again. */
export const keepDraft = (id, marks) => remember(forThisTab, DRAFT, { id, marks });

/** What was marked on a screen, or null. */
export function draftOf(id) {
  const draft = recalled(forThisTab, DRAFT);
  return draft?.id === id ? draft.marks : null;
}

/** Keep the piles of a sheet that is sent: if it is undone, they are there again. */
export const keepPiles = (tapped, piles) => remember(forThisTab, SENT, { tapped, piles });

/** The piles of the sheet that was just undone, by what was tapped on it. */
export function pilesOf(tapped) {
  const sent = recalled(forThisTab, SENT);
  return `${sent?.tapped}` === `${tapped}` ? sent.piles : [];
}

/** Mark the tile with a key; whether there is one. */
export function toggleByKey(marks, key) {
  const pick = marks.picks[KEYS.indexOf(key)];
  if (!pick) return false;
  marks.toggle(pick);
  pick.focus();
  return true;
}
