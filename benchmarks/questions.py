"""How many questions each method needs on the development sets.

    python benchmarks/questions.py [--sets wine,iris] [--methods urasc+n,random]
        [--k known,unknown] [--noise 0,0.02,0.05] [--subsets full,0,1,2] [--cap N]
        [--data FOLDER] [--out FOLDER] [--tag WORD] [--jobs N]

One run for each data set, method, subset (all samples, or 90 % drawn with that seed,
or with classes thinned unequally: thin0, thin1, ...),
k told or not, and rate of wrong answers. Finished runs are kept in
OUT/questions.jsonl, under the tag, and are not repeated. Prints Markdown tables and
draws OUT/questions.png, with one more picture for each further k and rate.
`--quick` is a small choice for a look: ten minutes at most on two cores (`--jobs 2`).
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib.metadata import version
from itertools import product
from pathlib import Path

import numpy as np
from benchmarks import runs as summary
from benchmarks.runs import MARKS, Cell, Run
from benchmarks.sets import SETS, add_suite
from joblib import Parallel, delayed
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn
from threadpoolctl import threadpool_limits

from likewise import METHODS, LabelOracle, MissingDataError, Session, jaccard, run
from likewise._arrays import Indices
from likewise.datasets import DATASETS, Dataset, load
from likewise.experiments import (
    LEVELS,
    Outcome,
    Trial,
    all_in_one,
    ari,
    budget_of,
    questions_to,
    v_measure,
)
from likewise.experiments.paper import COLOURS, draw_panels
from likewise.experiments.runner import Curve


@dataclass(frozen=True, slots=True)
class Choice:
    """Which cells to run: the product of all these; no budget is above the cap."""

    sets: tuple[str, ...]
    methods: tuple[str, ...]
    subsets: tuple[str, ...]
    k: tuple[str, ...]
    noise: tuple[float, ...]
    cap: int


FULL = Choice(
    sets=SETS,
    methods=tuple(METHODS),
    subsets=("full", "0", "1", "2"),
    k=("known", "unknown"),
    noise=(0.0, 0.02, 0.05),
    cap=1300,
)
QUICK_METHODS = ("likewise", "urasc+n", "urasc+p", "random")
QUICK = Choice(
    sets=("wine", "iris", "sonar", "breast_cancer", "dog", "digits"),
    methods=tuple(name for name in QUICK_METHODS if name in METHODS),
    subsets=("0",),
    k=("known",),
    noise=(0.0, 0.05),
    cap=200,
)

DIGITS = 4  # of the score after each answer


@dataclass(frozen=True, slots=True)
class Failure:
    """A cell that could not be run, and why."""

    cell: Cell
    reason: str


@dataclass(frozen=True, slots=True)
class Trace:
    """What one session showed.

    Attributes
    ----------
    labels : list of ndarray
        Before any question and after each answer.
    expected : list of float
        The session's own expected Jaccard at the marks.
    n_checks : int
        Questions whose answer was known already, or about a sample that was settled.
    seconds : float
        Processor time of asking, telling and labelling.
    """

    labels: list[Indices]
    expected: list[float]
    n_checks: int
    seconds: float


def part_of(dataset: Dataset, subset: str) -> Dataset:
    """Return all samples, 90 % of them drawn with a seed, or classes thinned unequally.

    Thinned, each class keeps a share of its samples drawn between 20 and 100 %.
    """
    if subset == "full":
        return dataset
    if not subset.startswith("thin"):
        return dataset.nine_tenths(int(subset))
    rng = np.random.default_rng(int(subset.removeprefix("thin")))
    order = rng.permutation(len(dataset.y))
    shares = rng.uniform(0.2, 1.0, dataset.n_classes)
    y = dataset.y[order]
    ranks = [np.sum(y[:at] == c) for at, c in enumerate(y)]
    return dataset.subset(order[ranks < np.ceil(shares[y] * np.bincount(y)[y])])


def seed_of(subset: str) -> int:
    """Return the seed of the sessions on a part of the samples."""
    return 0 if subset == "full" else int(subset.removeprefix("thin"))


def trace(cell: Cell, part: Dataset, n_clusters: int | None) -> Trace:
    """Let the true classes answer, and keep what the session showed."""
    trial = cell.trial
    session = Session(part.X, trial.method, n_clusters, random_state=trial.seed)
    oracle = LabelOracle(part.y, error_rate=trial.noise, seed=trial.seed)
    marks = summary.marks_of(trial.budget)
    labels, seconds = [session.labels], 0.0
    expected = [session.progress.expected_jaccard]
    steps = run(session, oracle, trial.budget)
    while True:
        start = time.process_time()  # not the clock: other programs run beside it
        view = next(steps, None)
        if view is None:
            break
        labels.append(view.labels)
        seconds += time.process_time() - start
        if view.n_questions in marks:
            expected.append(session.progress.expected_jaccard)
    last = session.progress.expected_jaccard  # a run that ends early keeps its last
    expected += [last] * (len(marks) - len(expected))
    asked = [a.question.predicted for a in session.history]
    n_checks = sum(p is not None and p.kind.startswith("check") for p in asked)
    return Trace(labels, expected, n_checks, seconds)


def scored(cell: Cell, seen: Trace, truth: Indices) -> Run:
    """Return the scores of what a session showed."""
    curve = jaccards(seen.labels, truth)
    points = summary.points_of(cell.trial.budget)
    last = len(seen.labels) - 1
    shown = [seen.labels[min(point, last)] for point in points]
    scores = {
        "jaccard": tuple(summary.carried(curve, points)),
        "v_measure": tuple(v_measure(truth, labels) for labels in shown),
        "ari": tuple(ari(truth, labels) for labels in shown),
    }
    return Run(
        cell=cell,
        outcome=Outcome(cell.trial, tuple(points), scores, seen.seconds, last),
        reached=[questions_to(level, curve) for level in LEVELS],
        expected=seen.expected,
        all_in_one=all_in_one(truth),
        n_checks=seen.n_checks,
        curve=[round(value, DIGITS) for value in curve],
    )


def jaccards(labelings: Sequence[Indices], truth: Indices) -> list[float]:
    """Return the score of each labeling; one that did not change is scored once."""
    scores: list[float] = []
    for at, labels in enumerate(labelings):
        is_same = at > 0 and np.array_equal(labels, labelings[at - 1])
        scores.append(scores[-1] if is_same else jaccard(truth, labels))
    return scores


def run_cell(cell: Cell, dataset: Dataset) -> Run | Failure:
    """Run one cell; whatever goes wrong in it is returned, for the rest to go on."""
    part = part_of(dataset, cell.subset)
    try:
        with threadpool_limits(1):
            n_clusters = dataset.n_classes if cell.trial.k == "known" else None
            return scored(cell, trace(cell, part, n_clusters), part.y)
    except Exception as error:
        return Failure(cell, f"{type(error).__name__}: {error}")


def load_sets(names: Iterable[str], data: Path) -> dict[str, Dataset]:
    """Return the data sets that are there; say which are not."""
    found: dict[str, Dataset] = {}
    for name in names:
        try:
            found[name] = load(name, data)
        except MissingDataError as error:
            say(f"Skipped {name}. {error}")
    return found


def cells_of(choice: Choice, sets: Mapping[str, Dataset], tag: str) -> list[Cell]:
    """Return every cell that was chosen."""
    budgets = {
        name: budget_of(len(dataset.y), dataset.n_classes, choice.cap)
        for name, dataset in sets.items()
    }
    return [
        Cell(tag, subset, Trial(name, method, seed_of(subset), budgets[name], k, noise))
        for k, noise, name, method, subset in product(
            choice.k, choice.noise, sets, choice.methods, choice.subsets
        )
    ]


def read_runs(path: Path) -> dict[Cell, Run]:
    """Return the finished runs in a file; a line that was cut off is taken out."""
    if not path.exists():
        return {}
    whole = path.read_text(encoding="utf-8")
    kept = whole[: whole.rfind("\n") + 1]
    if kept != whole:
        path.write_text(kept, encoding="utf-8")
    runs = map(_read_run, kept.splitlines())
    return {run.cell: run for run in runs}


def _read_run(line: str) -> Run:
    try:
        return summary.of_line(line)
    except (ValueError, KeyError, TypeError):
        raise SystemExit(
            f"The line that begins with {line[:60]!r} is no run of this program: "
            f"remove it, or choose another folder with --out."
        ) from None


def run_missing(
    cells: Sequence[Cell], sets: Mapping[str, Dataset], path: Path, jobs: int
) -> list[Failure]:
    """Run cells, put each on file when it is finished, and return those that failed."""
    costs = {cell: cell.trial.budget * len(sets[cell.trial.data].y) for cell in cells}
    failures: list[Failure] = []
    work = Parallel(n_jobs=jobs, return_as="generator_unordered")
    tasks = (delayed(run_cell)(cell, sets[cell.trial.data]) for cell in cells)
    with path.open("a", encoding="utf-8") as file, progress(costs) as advance:
        for result in work(tasks):
            if isinstance(result, Failure):
                failures.append(result)
                say(f"Failed: {words_of(result.cell)}. {result.reason}")
            else:
                file.write(summary.as_line(result) + "\n")
                file.flush()
            advance(result.cell)
    return failures


@contextmanager
def progress(costs: Mapping[Cell, int]) -> Iterator[Callable[[Cell], None]]:
    """Show how far it is: a bar on a terminal, a line for each cell otherwise."""
    console = Console(stderr=True)
    total, start = sum(costs.values()), time.perf_counter()
    done: list[int] = []

    def note(cell: Cell) -> str:
        done.append(costs[cell])
        elapsed = time.perf_counter() - start
        left = elapsed / sum(done) * (total - sum(done))
        return f"{len(done)} of {len(costs)}, {duration(left)} left"

    if not console.is_terminal:
        yield lambda cell: say(f"{note(cell)}; done: {words_of(cell)}")
        return
    columns = (BarColumn(), TextColumn("{task.fields[note]}", markup=False))
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=total, note=f"{len(costs)} to run")
        yield lambda cell: bar.update(task, advance=costs[cell], note=note(cell))


def duration(seconds: float) -> str:
    """Return a time in the unit that suits it."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def words_of(cell: Cell) -> str:
    """Return a cell in words."""
    where = "all samples" if cell.subset == "full" else f"subset {cell.subset}"
    setting = setting_of(cell.trial.k, cell.trial.noise)
    return f"{cell.trial.data}, {cell.trial.method}, {where}, {setting}"


def setting_of(k: str, noise: float) -> str:
    """Return what the session was told and how often the answers were wrong."""
    return f"k {k}, {100 * noise:.3g} % of the answers wrong"


def say(words: str) -> None:
    """Say something to the person."""
    print(words, file=sys.stderr, flush=True)


def report(runs: Iterable[Run], out: Path) -> None:
    """Print the tables and draw the picture of each k and rate of wrong answers."""
    print(LEGEND)
    settings = summary.grouped(runs, lambda cell: (cell.trial.k, cell.trial.noise))
    for position, ((k, noise), group) in enumerate(settings.items()):
        title = setting_of(k, noise)
        print(f"\n## {title}\n")
        print(summary.markdown(summary.HEADER, summary.table_rows(group)))
        print("\nMean area over the sets:\n")
        header = ["method", "mean area", "of ARI", "sets"]
        print(summary.markdown(header, summary.area_rows(group)))
        print("\nCalibration, predicted / true Jaccard (mean absolute error):\n")
        header = ["method", *(f"at {mark}" for mark in (0, *MARKS))]
        print(summary.markdown(header, summary.calibration_rows(group)))
        name = f"questions-{k}-{noise:.3g}.png" if position else "questions.png"
        draw(group, title, out / name)


LEGEND = """\
Means over the runs (subsets). Area: mean Jaccard at 0, 10, 14, 19, 28, 39 ... questions
up to the budget. To a level: the first question with that Jaccard; `>`: some run did
not get there and counts as its budget. Below the start: how far the mean Jaccard ever
is below that at zero questions; below a level: below one that it had reached. Checks:
share of the questions whose answer was known. All in one: the Jaccard coefficient of
one big cluster. s/question: processor time, without that of the start."""


def draw(runs: Sequence[Run], title: str, path: Path) -> None:
    """Draw a panel for each data set, with the best methods as lines."""
    drawn = summary.best_methods(runs, len(COLOURS))
    n_methods = len(summary.by_method(runs))
    if len(drawn) < n_methods:
        title += f"; the best {len(drawn)} of {n_methods} methods"
    panels = {
        name: {
            method: [_curve(run) for run in group]
            for method, group in summary.by_method(on).items()
            if method in drawn
        }
        for name, on in summary.by_data(runs).items()
    }
    draw_panels(panels, title, path)
    say(f"Drew {path}.")


def _curve(run: Run) -> Curve:
    scores = {"jaccard": list(run.scores("jaccard"))}
    return Curve(0, list(run.outcome.questions), scores)


def _words(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text.split(",")))


def _names(known: Iterable[str]) -> Callable[[str], tuple[str, ...]]:
    """Return what reads a list with commas, each word of which must be known."""
    allowed = tuple(known)

    def names(text: str) -> tuple[str, ...]:
        words = _words(text)
        strange = [word for word in words if word not in allowed]
        if strange:
            raise argparse.ArgumentTypeError(
                f"there is no {strange[0]!r}: choose among {', '.join(allowed)}"
            )
        return words

    return names


def _rates(text: str) -> tuple[float, ...]:
    rates = tuple(map(float, _words(text)))
    if not all(0 <= rate <= 1 for rate in rates):
        raise argparse.ArgumentTypeError(f"{text} are not rates between 0 and 1")
    return rates


def _subsets(text: str) -> tuple[str, ...]:
    words = _words(text)
    seeds = [word.removeprefix("thin") for word in words if word != "full"]
    if not all(seed.isdecimal() for seed in seeds):
        raise argparse.ArgumentTypeError(
            f"{text} are not 'full', 0, 1, ... or thin0 ..."
        )
    return words


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    data = os.environ.get("LIKEWISE_DATA", "../shared/data")
    parser.add_argument("--data", type=Path, default=Path(data))
    parser.add_argument("--sets", type=_names(DATASETS))
    parser.add_argument("--methods", type=_names(METHODS))
    parser.add_argument("--subsets", type=_subsets)
    parser.add_argument("--k", type=_names(FULL.k))
    parser.add_argument("--noise", type=_rates)
    parser.add_argument("--cap", type=int, help="no budget is above it")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--out", type=Path, default=Path("out"))
    parser.add_argument("--tag", default=version("likewise"))
    parser.add_argument("--jobs", type=int, default=1)
    return parser


def main() -> int:
    """Run what is missing, then print and draw everything that was chosen."""
    add_suite()
    chosen = _parser().parse_args()
    axes = ("sets", "methods", "subsets", "k", "noise", "cap")
    given = {axis: getattr(chosen, axis) for axis in axes if getattr(chosen, axis)}
    choice = replace(QUICK if chosen.quick else FULL, **given)
    chosen.out.mkdir(parents=True, exist_ok=True)
    path = chosen.out / "questions.jsonl"
    sets = load_sets(choice.sets, chosen.data)
    cells = cells_of(choice, sets, chosen.tag)
    finished = read_runs(path)
    missing = [cell for cell in cells if cell not in finished]
    say(f"{len(cells)} cells, {len(cells) - len(missing)} of them in {path} already.")
    failures = run_missing(missing, sets, path, chosen.jobs)
    finished = read_runs(path)
    report([finished[cell] for cell in cells if cell in finished], chosen.out)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
