"""How many seconds of a person it takes, by what is shown.

    python -m benchmarks.seconds [--sets wine,dog] [--ways pairs,review:0,screens]
        [--k unknown,known] [--subsets 0,1,2] [--wrong 0] [--overlooked 0] [--item 1]
        [--cap 1600] [--data FOLDER] [--out FOLDER] [--tag WORD] [--jobs N]

A person who knows the classes sorts a set in one of several ways, and each screen costs
seconds (``likewise.Costs``, an assumption):

- `pairs`: one question after the other;
- `review:N`: N questions, then the list of groups once, and then every group page by
  page, what does not belong being put where it does;
- `screens`: what the planner shows, of all kinds; `screens:sheet+pair` of some.

With `--wrong`, so many verdicts are wrong; with `--overlooked`, so many of what should
be tapped are not. Prints seconds and screens to each Jaccard coefficient, and keeps
finished runs in OUT/seconds.jsonl, under the tag.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.questions import load_sets, part_of, seed_of
from benchmarks.sets import SETS, add_suite
from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

from likewise import Costs, Overview, Pair, Pile, Session, Sheet, jaccard
from likewise._arrays import Indices

LEVELS = (0.8, 0.9, 0.95, 0.99)
PER_PAGE, PER_PICKER, OFFERED = 48, 12, 8
MEANT = 12  # of a group's surest items, by which a person takes it for a class


@dataclass
class Person:
    """Knows the classes; slips, and overlooks things.

    Attributes
    ----------
    y : ndarray of shape (n,)
    costs : Costs
    wrong, overlooked : float
        Share of verdicts that are wrong, and of what should be tapped and is not.
    """

    y: Indices
    costs: Costs
    wrong: float
    overlooked: float
    rng: np.random.Generator
    seconds: float = 0.0
    screens: Counter[str] = field(default_factory=Counter)

    def pays(self, kind: str, seconds: float) -> None:
        """Spend time on a screen."""
        self.screens[kind] += 1
        self.seconds += seconds

    def seen(self, items: Sequence[int]) -> Indices:
        """Return the classes that items are taken for."""
        found = self.y[list(items)].copy()
        slips = self.rng.random(len(found)) < self.wrong
        others = self.rng.integers(1, self.y.max() + 1, len(found))
        return np.where(slips, (found + others) % (self.y.max() + 1), found)

    def pair(self, i: int, j: int, kind: str) -> bool:
        """Say whether two are the same."""
        about_groups = kind.endswith("groups")
        self.pays("pair", self.costs.groups if about_groups else self.costs.pair)
        return bool(self.y[i] == self.y[j]) ^ bool(self.rng.random() < self.wrong)

    def tapped(self, should: Iterable[bool]) -> list[bool]:
        """Return what is tapped of what should be."""
        listed = list(should)
        sees = self.rng.random(len(listed)) >= self.overlooked
        return [bool(a and b) for a, b in zip(listed, sees, strict=True)]


class Watch:
    """Keeps how good the groups are after each screen; ends at a level or a time."""

    def __init__(self, session: Session, person: Person, cap: float) -> None:
        self.session, self.person, self.cap = session, person, cap
        self.curve: list[tuple[float, int, float]] = []
        self.spent = [0.0, 0]  # seconds of the processor, and how often
        self.slowest = 0.0

    @property
    def is_over(self) -> bool:
        """Whether the last level is reached, or all time is spent."""
        seconds, _, score = self.curve[-1]
        return score >= LEVELS[-1] or seconds >= self.cap

    def look(self) -> None:
        """Note how good the groups are."""
        score = jaccard(self.person.y, self.session.labels)
        n_screens = self.person.screens.total()
        self.curve.append((self.person.seconds, n_screens, score))

    def reached(self, level: float) -> tuple[float, int] | None:
        """Return after how many seconds and screens a level was reached first."""
        for seconds, screens, score in self.curve:
            if score >= level:
                return seconds, screens
        return None


def pairs(session: Session, person: Person, limit: int | None = None) -> Iterator[None]:
    """Answer one question after the other."""
    asked = 0
    while (question := session.ask()) is not None and asked != limit:
        kind = question.predicted.kind if question.predicted else ""
        said = person.pair(question.sample, question.against, kind)
        session.tell(question, said, on_conflict="keep")
        asked += 1
        yield


def review(session: Session, person: Person, n_questions: int) -> Iterator[None]:
    """Answer some questions, then go through the groups, page by page."""
    yield from pairs(session, person, n_questions)
    yield from _merged(session, person)
    done: set[int] = set()
    while True:
        found, sure = _members(session)
        todo = [
            (sum(i not in done and sure[i] < 0.9 for i in ids), sum(i not in done for i in ids), g)
            for g, ids in found.items()
        ]
        todo = [one for one in todo if one[1]]
        if not todo:
            return
        ids = found[max(todo)[2]]
        page = [int(i) for i in ids if i not in done][:PER_PAGE]
        yield from _page(session, person, ids, page, sure)
        done.update(page)


def _members(session: Session) -> tuple[dict[int, Indices], Any]:
    labels, sure = session.labels, session.view.model.confidence
    found = {}
    for g in np.unique(labels[labels >= 0]).tolist():
        ids = np.flatnonzero(labels == g)
        found[g] = ids[np.argsort(sure[ids], kind="stable")]
    return found, sure


def _meant(person: Person, ids: Indices, sure: Any) -> int:
    surest = ids[np.argsort(-sure[ids], kind="stable")][:MEANT]
    return Counter(person.y[surest].tolist()).most_common(1)[0][0]


def _merged(session: Session, person: Person) -> Iterator[None]:
    found, sure = _members(session)
    costs = person.costs
    person.pays("list", costs.sheet(len(found)))
    alike = defaultdict(list)
    for ids in found.values():
        alike[_meant(person, ids, sure)].append(int(ids[-1]))
    for ids in alike.values():
        if len({int(session.labels[i]) for i in ids}) > 1:
            person.pays("merge", costs.groups + costs.tap * len(ids))
            session.revise(session.repairs.merge(ids))
            yield


def _page(session, person, ids, page, sure) -> Iterator[None]:
    costs = person.costs
    meant = _meant(person, ids, sure)
    seen = person.seen(page)
    out = person.tapped(seen != meant)
    person.pays("page", costs.sheet(len(page), sum(out)))
    fits = [i for i, is_out in zip(page, out, strict=True) if not is_out]
    strangers = defaultdict(list)
    for i, c, is_out in zip(page, seen.tolist(), out, strict=True):
        if is_out:
            strangers[c].append(i)
    if fits:
        session.revise(session.repairs.confirm(fits))
        yield
    for other, items in strangers.items():
        found, sure = _members(session)
        homes = [(len(m), int(m[-1])) for m in found.values() if _meant(person, m, sure) == other]
        homes = [h for h in homes if session.labels[h[1]] != session.labels[items[0]]]
        ranked = list(dict.fromkeys(x.group.label for x in session.candidates(items[0])))
        goals = {int(session.labels[h[1]]) for h in homes}
        rank = next((r for r, label in enumerate(ranked) if label in goals), len(ranked) - 1)
        last = rank if goals else min(len(ranked), PER_PICKER) - 1
        for at in range(last // PER_PICKER + 1):
            shown = min(PER_PICKER, len(ranked) - PER_PICKER * at)
            person.pays("pick", costs.sorting(max(shown, 1)))
        if homes:
            session.revise(session.repairs.move(items, max(homes)[1]))
        else:
            session.revise(session.repairs.found(items))
        yield


def screens(session: Session, person: Person, kinds: Sequence[str]) -> Iterator[None]:
    """See what the planner shows."""
    wanted = {"kinds": kinds} if kinds else {}
    while (screen := session.ask_screen(seconds=person.costs, **wanted)) is not None:
        match screen:
            case Pair(question):
                kind = question.predicted.kind if question.predicted else ""
                said = person.pair(question.sample, question.against, kind)
                session.tell(question, said, on_conflict="keep")
            case Sheet():
                fill_sheet(session, person, screen)
            case Overview():
                fill_overview(session, person, screen)
        yield


def fill_sheet(session: Session, person: Person, sheet: Sheet) -> None:
    """Tap, and put what does not belong where it does."""
    meant = Counter(person.y[list(sheet.speakers)].tolist()).most_common(1)[0][0]
    seen = person.seen(sheet.items)
    belongs = seen == meant
    taps = person.tapped(~belongs if sheet.tap == "misfits" else belongs)
    tapped = [i for i, is_tapped in zip(sheet.items, taps, strict=True) if is_tapped]
    kind = "sort" if sheet.sorts else f"sheet {sheet.tap}"
    person.pays(kind, person.costs.sheet(len(sheet.items), len(tapped)))
    piles = []
    if sheet.sorts:
        elsewhere = defaultdict(list)
        for item, c in zip(sheet.items, seen.tolist(), strict=True):
            if item in tapped:
                elsewhere[c].append(item)
        piles = [sort(session, person, sheet, items, c) for c, items in elsewhere.items()]
    session.tell_sheet(sheet, tapped, piles, on_conflict="keep")


def sort(session: Session, person: Person, sheet: Sheet, items: list[int], c: int) -> Pile:
    """Choose the group that a pile belongs to, or none."""
    offered = [one.group.id for one in session.candidates(items, unlike=sheet.speakers)][:OFFERED]
    person.seconds += person.costs.sorting(len(offered))
    home = next((group for group in offered if person.y[group] == c), None)
    unlike = offered[: offered.index(home)] if home is not None else offered
    return Pile(tuple(items), home, tuple(unlike) if home is None else ())


def fill_overview(session: Session, person: Person, overview: Overview) -> None:
    """Tap those that are the same."""
    seen = person.seen(overview.speakers)
    alike = defaultdict(list)
    for speaker, c in zip(overview.speakers, seen.tolist(), strict=True):
        alike[c].append(speaker)
    same = []
    for speakers in alike.values():
        there = [s for s, ok in zip(speakers, person.tapped([True] * len(speakers)), strict=True) if ok]
        if len(there) > 1:
            same.append(there)
    n_taps = sum(map(len, same))
    person.pays("overview", person.costs.sheet(len(overview.speakers), n_taps))
    session.tell_overview(overview, same, on_conflict="keep")


@dataclass(frozen=True, slots=True)
class Cell:
    """One run that is wanted."""

    tag: str
    data: str
    way: str
    k: str
    subset: str
    wrong: float = 0.0
    overlooked: float = 0.0
    item: float = 1.0
    cap: float = 1600.0


def ran(cell: Cell, dataset: Any) -> dict[str, Any]:
    """Return what came out of one cell."""
    with threadpool_limits(1):
        part = part_of(dataset, cell.subset)
        k = dataset.n_classes if cell.k == "known" else None
        costs = Costs()
        costs = replace(costs, item=costs.item * cell.item, choice=costs.choice * cell.item)
        rng = np.random.default_rng(seed_of(cell.subset))
        y = np.unique(part.y, return_inverse=True)[1]
        person = Person(y, costs, cell.wrong, cell.overlooked, rng)
        session = Session(part.X, n_clusters=k, random_state=seed_of(cell.subset))
        watch = Watch(session, person, cell.cap)
        watch.look()
        way, _, rest = cell.way.partition(":")
        steps = {
            "pairs": lambda: pairs(session, person),
            "review": lambda: review(session, person, int(rest or 0)),
            "screens": lambda: screens(session, person, [k for k in rest.split("+") if k]),
        }[way]()
        start = time.process_time()
        while not watch.is_over:
            before = time.process_time()
            if next(steps, steps) is steps:
                break
            watch.slowest = max(watch.slowest, time.process_time() - before)
            watch.look()
        spent = time.process_time() - start
    n = max(person.screens.total(), 1)
    half = [s for t, _, s in watch.curve if t <= watch.curve[-1][0] / 2]
    return {
        **asdict(cell),
        "reached": [watch.reached(level) for level in LEVELS],
        "start": watch.curve[0][2],
        "end": watch.curve[-1][2],
        "half": half[-1],
        "seconds": person.seconds,
        "screens": dict(person.screens),
        "ms": 1000 * spent / n,
        "slowest": 1000 * watch.slowest,
        "answers": len(session.history),
    }


def keys_of(row: dict[str, Any]) -> Cell:
    """Return the cell of a run that was kept."""
    names = Cell.__dataclass_fields__
    return Cell(**{name: row[name] for name in names})


def table(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Yield a line for each set and way: means over subsets."""
    groups = defaultdict(list)
    for row in rows:
        groups[row["k"], row["wrong"], row["overlooked"], row["item"], row["data"], row["way"], row["tag"]].append(row)
    for key, runs in groups.items():
        cells = []
        for at in range(len(LEVELS)):
            there = [run["reached"][at] for run in runs]
            if None in there:
                n = sum(one is not None for one in there)
                cells.append(f"– ({n}/{len(there)})")
            else:
                s, c = np.mean(there, axis=0)
                cells.append(f"{s:.0f} ({c:.0f})")
        kinds = Counter()
        for run in runs:
            kinds.update(run["screens"])
        shown = " ".join(f"{k}:{v / len(runs):.0f}" for k, v in sorted(kinds.items()))
        end = np.mean([run["end"] for run in runs])
        yield f"| {' | '.join(map(str, key))} | {np.mean([r['start'] for r in runs]):.2f} | {' | '.join(cells)} | {end:.3f} | {shown} | {np.mean([r['ms'] for r in runs]):.0f} |"


def main() -> None:
    """Run what is missing, and print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--ways", default="pairs,review:0,review:100,screens")
    parser.add_argument("--k", default="unknown")
    parser.add_argument("--subsets", default="0,1,2")
    parser.add_argument("--wrong", default="0")
    parser.add_argument("--overlooked", default="0")
    parser.add_argument("--item", default="1")
    parser.add_argument("--cap", type=float, default=1600.0)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--out", type=Path, default=Path("results"))
    parser.add_argument("--tag", default="now")
    parser.add_argument("--jobs", type=int, default=1)
    said = parser.parse_args()
    add_suite()
    sets = load_sets(said.sets.split(","), said.data)
    cells = [
        Cell(said.tag, name, way, k, subset, float(w), float(o), float(f), said.cap)
        for k, w, o, f, name, way, subset in product(
            said.k.split(","), said.wrong.split(","), said.overlooked.split(","), said.item.split(","),
            sets, said.ways.split(","), said.subsets.split(","))
    ]
    said.out.mkdir(parents=True, exist_ok=True)
    path = said.out / "seconds.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    there = {keys_of(row): row for row in rows}
    missing = [cell for cell in cells if cell not in there]
    for row in Parallel(said.jobs, return_as="generator_unordered")(
        delayed(ran)(cell, sets[cell.data]) for cell in missing
    ):
        there[keys_of(row)] = row
        with path.open("a") as file:
            file.write(json.dumps(row) + "\n")
    for line in table([there[cell] for cell in cells]):
        print(line)


if __name__ == "__main__":
    main()
