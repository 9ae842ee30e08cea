"""How many seconds of a person it takes, by what is shown.

    python -m benchmarks.seconds [--sets wine,dog] [--ways pairs,review:0,screens]
        [--k unknown,known] [--subsets 0,1,2] [--wrong 0,0.02] [--overlooked 0,0.1]
        [--item 1,0.5,2] [--cap 1600] [--data FOLDER] [--out FOLDER] [--tag WORD]
        [--jobs N]

A person who knows the classes sorts a set in one of several ways, and each screen costs
seconds (``likewise.Costs``, an assumption):

- `pairs`: one question after the other;
- `review:N`: N questions, then the list of groups once, and then every group page by
  page, what does not belong being put where it does;
- `screens`: what the planner shows, of all kinds; `screens:sheet+pair` of some.

With `--wrong`, so many verdicts are wrong; with `--overlooked`, so many of what should
be tapped are not; `--item` makes it so many times longer to look at an item. `--speed`
says how long planning and telling a screen take the processor, by the number of samples
(and what that is of 2,000 x 2,000 numbers sorted in the same run). Finished
runs are kept in OUT/seconds.jsonl, under the tag, and are not repeated. Prints the mean
seconds (and screens) to each Jaccard coefficient.
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
from likewise._arrays import Floats, Indices
from likewise.datasets import Dataset
from likewise.knowledge import Screen
from likewise.methods import OFFERED

LEVELS = (0.8, 0.9, 0.95, 0.99)
PER_PAGE, PER_PICKER = 48, 12
MEANT = 12  # of a group's surest items, by which a person takes it for a class
NEEDS_A_LOOK = 0.9  # an item that is less sure
Row = dict[str, Any]


@dataclass
class Person:
    """Knows the classes; slips, and overlooks things.

    Attributes
    ----------
    y : ndarray of shape (n,)
    costs : Costs
    wrong, overlooked : float
        Share of verdicts that are wrong, and of what should be tapped and is not.
    rng : Generator
    seconds : float
        Spent so far.
    screens : Counter
        What was seen so far, by its kind.
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

    def seen(self, items: Sequence[int]) -> list[int]:
        """Return the classes that items are taken for."""
        true, k = self.y[list(items)], int(self.y.max()) + 1
        slips = self.rng.random(len(true)) < self.wrong
        others = (true + self.rng.integers(1, max(k, 2), len(true))) % k
        return [int(c) for c in np.where(slips, others, true)]

    def answers(self, session: Session, screen: Pair) -> None:
        """Say whether two are the same."""
        question = screen.question
        predicted = question.predicted
        about_groups = predicted is not None and predicted.kind.endswith("groups")
        self.pays("pair", self.costs.groups if about_groups else self.costs.pair)
        same = self.y[question.sample] == self.y[question.against]
        said = bool(same) ^ bool(self.rng.random() < self.wrong)
        session.tell(question, said, on_conflict="keep")

    def taps(self, items: Iterable[int]) -> list[int]:
        """Return what is tapped of what should be."""
        return [i for i in items if self.rng.random() >= self.overlooked]

    def fills(self, session: Session, sheet: Sheet) -> None:
        """Tap, and put what does not belong where it does."""
        meant = Counter(self.y[list(sheet.speakers)].tolist()).most_common(1)[0][0]
        seen = dict(zip(sheet.items, self.seen(sheet.items), strict=True))
        members = [item for item, c in seen.items() if c == meant]
        misfits = [item for item, c in seen.items() if c != meant]
        tapped = self.taps(misfits if sheet.tap == "misfits" else members)
        kind = "sorted sheet" if sheet.sorts else "sheet"
        self.pays(kind, self.costs.sheet(len(sheet.items), len(tapped)))
        piles = []
        for c in dict.fromkeys(seen[item] for item in tapped if sheet.sorts):
            items = [item for item in tapped if seen[item] == c]
            piles.append(self.sorts(session, sheet, items, c))
        session.tell_sheet(sheet, tapped, piles, on_conflict="keep")

    def sorts(self, session: Session, sheet: Sheet, items: list[int], c: int) -> Pile:
        """Choose the group that a pile belongs to, or none."""
        found = session.candidates(items, unlike=sheet.speakers)[:OFFERED]
        offered = [one.group.id for one in found]
        self.seconds += self.costs.sorting(len(offered))
        home = next((group for group in offered if self.y[group] == c), None)
        return Pile(tuple(items), home, () if home is not None else tuple(offered))

    def compares(self, session: Session, overview: Overview) -> None:
        """Tap groups that are the same."""
        seen = self.seen(overview.speakers)
        alike: dict[int, list[int]] = defaultdict(list)
        for speaker, c in zip(overview.speakers, seen, strict=True):
            alike[c].append(speaker)
        tapped = (self.taps(group) for group in alike.values() if len(group) > 1)
        same = [group for group in tapped if len(group) > 1]
        n_taps = sum(map(len, same))
        self.pays("overview", self.costs.sheet(len(overview.speakers), n_taps))
        session.tell_overview(overview, same, on_conflict="keep")


# Ways to sort


def screens(session: Session, person: Person, kinds: Sequence[str]) -> Iterator[None]:
    """See what the planner shows."""
    while True:
        screen: Screen | None = (
            session.ask_screen(kinds, person.costs)
            if kinds
            else session.ask_screen(seconds=person.costs)
        )
        match screen:
            case Pair():
                person.answers(session, screen)
            case Sheet():
                person.fills(session, screen)
            case Overview():
                person.compares(session, screen)
            case None:
                return
        yield


def pairs(session: Session, person: Person, limit: int | None = None) -> Iterator[None]:
    """Answer one question after the other."""
    asked = 0
    while (question := session.ask()) is not None and asked != limit:
        person.answers(session, Pair(question))
        asked += 1
        yield


def review(session: Session, person: Person, n_questions: int) -> Iterator[None]:
    """Answer some questions, then go through the groups, page by page."""
    yield from pairs(session, person, n_questions)
    yield from merged(session, person)
    done: set[int] = set()
    while (ids := most_open(session, done)) is not None:
        page = [int(i) for i in ids if i not in done][:PER_PAGE]
        yield from looked_through(session, person, ids, page)
        done.update(page)


def members_of(session: Session) -> tuple[dict[int, Indices], Floats]:
    """Return the items of each group, the least sure first; and how sure all are."""
    labels, sure = session.labels, session.view.model.confidence
    found = {}
    for g in np.unique(labels[labels >= 0]).tolist():
        ids = np.flatnonzero(labels == g)
        found[g] = ids[np.argsort(sure[ids], kind="stable")]
    return found, sure


def most_open(session: Session, done: set[int]) -> Indices | None:
    """Return the group that needs a look most; None when all was seen."""
    found, sure = members_of(session)
    todo = []
    for g, ids in found.items():
        left = [i for i in ids.tolist() if i not in done]
        todo.append((sum(sure[i] < NEEDS_A_LOOK for i in left), len(left), g))
    most = max((one for one in todo if one[1]), default=None)
    return None if most is None else found[most[2]]


def meant_by(person: Person, ids: Indices, sure: Floats) -> int:
    """Return the class that a person takes a group for."""
    surest = ids[np.argsort(-sure[ids], kind="stable")][:MEANT]
    return int(Counter(person.y[surest].tolist()).most_common(1)[0][0])


def merged(session: Session, person: Person) -> Iterator[None]:
    """Look at the list of groups once, and make those one that are the same."""
    (found, sure), costs = members_of(session), person.costs
    person.pays("list", costs.sheet(len(found)))
    alike: dict[int, list[int]] = defaultdict(list)
    for ids in found.values():
        alike[meant_by(person, ids, sure)].append(int(ids[-1]))
    for group in alike.values():
        if len({int(session.labels[i]) for i in group}) > 1:
            person.pays("merge", costs.groups + costs.tap * len(group))
            session.revise(session.repairs.merge(group))
            yield


def looked_through(
    session: Session, person: Person, ids: Indices, page: Sequence[int]
) -> Iterator[None]:
    """Look through a page of a group: confirm what fits, move what does not."""
    meant = meant_by(person, ids, members_of(session)[1])
    seen = dict(zip(page, person.seen(page), strict=True))
    out = person.taps(item for item, c in seen.items() if c != meant)
    person.pays("page", person.costs.sheet(len(page), len(out)))
    fits = [item for item in page if item not in out]
    if fits:
        session.revise(session.repairs.confirm(fits))
        yield
    for c in dict.fromkeys(seen[item] for item in out):
        moved(session, person, [item for item in out if seen[item] == c], c)
        yield


def moved(session: Session, person: Person, items: list[int], c: int) -> None:
    """Put strangers into their group, found in a picker, or begin one."""
    found, sure = members_of(session)
    labels = session.labels
    homes = [
        (len(ids), int(ids[-1]))
        for g, ids in found.items()
        if meant_by(person, ids, sure) == c and g != labels[items[0]]
    ]
    listed = [one.group.label for one in session.candidates(items[0])]
    ranked, goals = list(dict.fromkeys(listed)), {int(labels[h]) for _, h in homes}
    first = next((at for at, label in enumerate(ranked) if label in goals), None)
    last = min(len(ranked), PER_PICKER) - 1 if not goals else len(ranked) - 1
    for at in range((last if first is None else first) // PER_PICKER + 1):
        shown = min(PER_PICKER, len(ranked) - PER_PICKER * at)
        person.pays("pick", person.costs.sorting(max(shown, 1)))
    if homes:
        session.revise(session.repairs.move(items, max(homes)[1]))
    else:
        session.revise(session.repairs.found(items))


# Runs


@dataclass(frozen=True, slots=True)
class Cell:
    """One run that is wanted."""

    tag: str
    data: str
    way: str
    k: str
    subset: str
    wrong: float
    overlooked: float
    item: float
    cap: float


def steps_of(cell: Cell, session: Session, person: Person) -> Iterator[None]:
    """Return the steps of a person who sorts in some way."""
    way, _, rest = cell.way.partition(":")
    if way == "pairs":
        return pairs(session, person)
    if way == "review":
        return review(session, person, int(rest or 0))
    return screens(session, person, [kind for kind in rest.split("+") if kind])


def ran(cell: Cell, dataset: Dataset) -> Row:
    """Return what came out of one cell."""
    part = part_of(dataset, cell.subset)
    seed, costs = seed_of(cell.subset), Costs()
    slower = {"item": costs.item * cell.item, "choice": costs.choice * cell.item}
    y = np.unique(part.y, return_inverse=True)[1]
    rng = np.random.default_rng(seed)
    person = Person(y, replace(costs, **slower), cell.wrong, cell.overlooked, rng)
    k = dataset.n_classes if cell.k == "known" else None
    with threadpool_limits(1):
        session = Session(part.X, n_clusters=k, random_state=seed)
        curve = [(0.0, 0, jaccard(y, session.labels))]
        steps, spent = steps_of(cell, session, person), 0.0
        while curve[-1][2] < LEVELS[-1] and person.seconds < cell.cap:
            start = time.process_time()
            if next(steps, cell) is cell:
                break
            labels = session.labels
            spent += time.process_time() - start
            score = jaccard(y, labels)
            curve.append((person.seconds, person.screens.total(), score))
    return {**asdict(cell), **summary(curve, person), "spent": spent}


def summary(curve: Sequence[tuple[float, int, float]], person: Person) -> Row:
    """Return when levels were reached, and what was seen."""
    reached = [
        next(((s, n) for s, n, score in curve if score >= level), None)
        for level in LEVELS
    ]
    half = [score for seconds, _, score in curve if seconds <= person.seconds / 2]
    return {
        "reached": reached,
        "start": curve[0][2],
        "half": half[-1],
        "end": curve[-1][2],
        "seconds": person.seconds,
        "screens": dict(person.screens),
    }


def cell_of(row: Row) -> Cell:
    """Return the cell of a run that was kept."""
    return Cell(**{name: row[name] for name in Cell.__dataclass_fields__})


def table(rows: Iterable[Row]) -> Iterator[str]:
    """Yield a line for each set and way: means over subsets, and what was shown."""
    head = ("k", "wrong", "overlooked", "item", "data", "way")
    levels = [f"to {level}" for level in LEVELS]
    names = (*head, "start", *levels, "half-way", "end", "shown", "ms a screen")
    yield f"| {' | '.join(names)} |"
    yield "|---" * len(names) + "|"
    groups: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for row in rows:
        groups[tuple(row[name] for name in head)].append(row)
    for key, runs in groups.items():
        reached = [_mean([run["reached"][at] for run in runs]) for at in range(4)]
        scores = [f"{np.mean([r[n] for r in runs]):.3f}" for n in ("half", "end")]
        shown: Counter[str] = sum((Counter(r["screens"]) for r in runs), Counter())
        kinds = ", ".join(f"{n / len(runs):.0f} {k}" for k, n in shown.most_common())
        ms = 1000 * sum(run["spent"] for run in runs) / max(shown.total(), 1)
        start = f"{np.mean([run['start'] for run in runs]):.2f}"
        cells = (*map(str, key), start, *reached, *scores, kinds, f"{ms:.0f}")
        yield f"| {' | '.join(cells)} |"


def _mean(reached: Sequence[tuple[float, int] | None]) -> str:
    there = [one for one in reached if one is not None]
    if len(there) < len(reached):
        return f"– ({len(there)} of {len(reached)})"
    seconds, n_screens = np.mean(there, axis=0)
    return f"{seconds:.0f} ({n_screens:.0f})"


def speed(n_samples: int, n_screens: int = 20, k: int = 40) -> str:
    """Return how long screens of so many samples take, as a line of a table."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, k, n_samples)
    X = 1.6 * rng.standard_normal((k, 16))[y] + rng.standard_normal((n_samples, 16))
    person = Person(y, Costs(), 0.0, 0.0, rng)
    spent = []
    with threadpool_limits(1):
        start = time.process_time()
        np.sort(rng.random((2000, 2000)), axis=1)
        unit = time.process_time() - start
        session = Session(X)
        _ = session.labels
        steps = screens(session, person, ("sheet", "sort", "overview", "pair"))
        for _ in range(n_screens):
            start = time.process_time()
            next(steps, None)
            _ = session.labels
            spent.append(time.process_time() - start)
    middle, most = 1000 * float(np.median(spent)), 1000 * max(spent)
    shown = ", ".join(f"{n} {kind}" for kind, n in person.screens.most_common())
    units = f"{most / 1000 / unit:.2f}"
    return f"| {n_samples} | {middle:.0f} | {most:.0f} | {units} | {shown} |"


def wanted_of(said: argparse.Namespace, sets: Iterable[str]) -> list[Cell]:
    """Return every cell that was asked for."""
    return [
        Cell(said.tag, name, way, k, subset, float(w), float(o), float(f), said.cap)
        for k, w, o, f, name, way, subset in product(
            *(said.k.split(","), said.wrong.split(","), said.overlooked.split(",")),
            *(
                said.item.split(","),
                sets,
                said.ways.split(","),
                said.subsets.split(","),
            ),
        )
    ]


def main() -> None:
    """Run what is missing, and print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--ways", default="pairs,review:0,review:100,screens")
    for name, usual in (("k", "unknown"), ("subsets", "0,1,2"), ("wrong", "0")):
        parser.add_argument(f"--{name}", default=usual)
    for name, usual in (("overlooked", "0"), ("item", "1"), ("tag", "now")):
        parser.add_argument(f"--{name}", default=usual)
    parser.add_argument("--cap", type=float, default=1600.0)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--out", type=Path, default=Path("results"))
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--speed", default="")
    said = parser.parse_args()
    if said.speed:
        print("| samples | ms a screen | at most | of the yardstick | shown |")
        print("|---|---|---|---|---|")
        for size in said.speed.split(","):
            print(speed(int(size)))
        return
    add_suite()
    sets = load_sets(said.sets.split(","), said.data)
    cells = wanted_of(said, sets)
    said.out.mkdir(parents=True, exist_ok=True)
    path = said.out / "seconds.jsonl"
    kept = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    there = {cell_of(row): row for row in map(json.loads, kept)}
    work = [delayed(ran)(cell, sets[cell.data]) for cell in cells if cell not in there]
    for row in Parallel(said.jobs, return_as="generator_unordered")(work):
        there[cell_of(row)] = row
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
    for line in table(there[cell] for cell in cells):
        print(line)


if __name__ == "__main__":
    main()
