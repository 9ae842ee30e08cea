"""The paper's evaluation, from its plans to results that a stopped run takes up."""

from __future__ import annotations

import csv
import gzip
import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, fields
from itertools import groupby
from pathlib import Path
from typing import TypeAlias

from joblib import Parallel, delayed

from likewise.datasets import DATASETS, Dataset
from likewise.errors import InputError, MissingDataError, MissingExtraError
from likewise.experiments._metrics import METRICS
from likewise.experiments._trials import (
    DIGITS,
    Batch,
    Failure,
    Job,
    Outcome,
    Trial,
    budget_of,
    method_of,
    points_of,
)
from likewise.experiments.paper._plans import SIMULATED, Figure, Panel
from likewise.experiments.paper._provenance import (
    Facts,
    Log,
    Provenance,
    facts_of,
    provenance_here,
    read_provenance,
    write_provenance,
)
from likewise.methods import METHODS, AnyMethod

KEYS = ("data", "method", "seed")
SETTINGS = tuple(f.name for f in fields(Trial) if f.name not in KEYS)
HEADER = (*KEYS, *SETTINGS, "metric", "seconds", "answered", "curve")
TYPES = {f.name: {"int": int, "float": float}.get(str(f.type), str)
         for f in fields(Trial)}  # fmt: skip
N_BATCHES = 128  # at least, where there are as many jobs: busy cores to the end
VALUE = re.compile(r"-?\d\.\d{4}")  # one that was cut off is shorter


@dataclass(frozen=True, slots=True)
class Results:
    """Outcomes of trials in a csv file that a stopped run takes up again.

    One row for each trial and metric: where, what, under which settings, and the curve,
    its values at :func:`points_of` the budget, separated by blanks. An outcome is
    written as a whole and flushed to the disk. Of one that was cut off in the middle
    nothing counts, and :meth:`mend` removes it.

    Attributes
    ----------
    path : Path
        One that ends in ``.gz`` is compressed, and can only be read.
    """

    path: Path

    def read(self) -> dict[Trial, Outcome]:
        """Return every outcome that is there in full, by its trial."""
        if not self.path.exists():
            return {}
        opened = gzip.open if self.path.suffix == ".gz" else open
        try:
            with opened(self.path, "rt", encoding="utf-8", newline="") as lines:
                rows = csv.DictReader(lines)
                if rows.fieldnames is not None and tuple(rows.fieldnames) != HEADER:
                    raise self._refusal()
                return dict(_outcomes(row for row in rows if None not in row.values()))
        except (EOFError, gzip.BadGzipFile, UnicodeDecodeError):
            raise self._refusal() from None

    def _refusal(self) -> InputError:
        return InputError(
            f"{self.path} is not a file of results of this version: choose another "
            f"folder with --out."
        )

    def append(self, outcomes: Iterable[Outcome]) -> None:
        """Write outcomes behind the others, each on the disk before the next."""
        is_new = not self.path.exists()
        with self.path.open("a", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            if is_new:
                writer.writerow(HEADER)
            for outcome in outcomes:
                writer.writerows(_rows(outcome))
                file.flush()
                os.fsync(file.fileno())

    def mend(self) -> dict[Trial, Outcome]:
        """Rewrite the file with the outcomes that are whole, and return them."""
        found = self.read()
        fresh = Results(self.path.with_suffix(".part"))
        fresh.path.unlink(missing_ok=True)
        fresh.append(found.values())
        if fresh.path.exists():
            fresh.path.replace(self.path)
        return found


def _rows(outcome: Outcome) -> Iterator[list[object]]:
    trial = outcome.trial
    settings = [getattr(trial, key) for key in (*KEYS, *SETTINGS)]
    for metric, values in outcome.scores.items():
        curve = " ".join(f"{value:.{DIGITS}f}" for value in values)
        seconds = f"{outcome.seconds:.{DIGITS}f}"
        yield [*settings, metric, seconds, outcome.answered, curve]


def _outcomes(rows: Iterable[dict[str, str]]) -> Iterator[tuple[Trial, Outcome]]:
    for trial, group in groupby(rows, key=_trial):
        found = {row["metric"]: row for row in group}
        points = tuple(points_of(trial.budget))
        curves = {metric: _curve(row["curve"]) for metric, row in found.items()}
        if set(curves) == set(METRICS) and set(map(len, curves.values())) == {
            len(points)
        }:
            last = found["jaccard"]
            took, answered = float(last["seconds"]), int(last["answered"])
            yield trial, Outcome(trial, points, curves, took, answered)


def _trial(row: dict[str, str]) -> Trial:
    return Trial(**{name: kind(row[name]) for name, kind in TYPES.items()})


def _curve(text: str) -> tuple[float, ...]:
    values = text.split(" ")
    return tuple(map(float, values)) if all(map(VALUE.fullmatch, values)) else ()


Result: TypeAlias = Outcome | Failure
# Who does the jobs: cores, or a cluster.
Schedule: TypeAlias = Callable[[Sequence[Job]], Iterator[Result]]


def batches_of(jobs: Sequence[Job]) -> list[Batch]:
    """Return jobs in batches of one subset each, the longest batch first.

    No batch is much longer than a small share of all the work, unless a single job is:
    then some cores, or some more, are busy to the end.
    """
    most = sum(job.cost for job in jobs) / N_BATCHES
    parts: dict[tuple[str, int], list[list[Job]]] = {}
    for job in jobs:
        found = parts.setdefault((job.trial.data, job.trial.seed), [])
        if not found or sum(other.cost for other in found[-1]) + job.cost > most:
            found.append([])
        found[-1].append(job)
    batches = [Batch(tuple(some)) for found in parts.values() for some in found]
    return sorted(batches, key=lambda batch: -sum(job.cost for job in batch.jobs))


def on_cores(jobs: Sequence[Job], n_jobs: int) -> Iterator[Result]:
    """Run jobs on some of this machine's cores, those of one subset together.

    Parameters
    ----------
    jobs : sequence of Job
    n_jobs : int
        How many at a time; -1 for as many as there are cores.

    Yields
    ------
    Outcome or Failure
        Of each job, in the order in which they end.
    """
    run = Parallel(n_jobs, return_as="generator_unordered", batch_size=1)
    calls = (delayed(_called)(batch) for batch in batches_of(jobs))
    with closing(run(calls)) as results:
        for some in results:
            yield from some


def on_cluster(jobs: Sequence[Job], address: str) -> Iterator[Result]:
    """Run jobs on a Dask cluster, given by its scheduler's address.

    Yields
    ------
    Outcome or Failure
        Of each job, in the order in which they end; a worker that dies is a failure of
        all that it had been given at once.
    """
    try:
        from distributed import Client, as_completed
    except ImportError:
        raise MissingExtraError("distributed", "dask") from None
    try:
        client = Client(address)
    except (OSError, ValueError) as error:
        raise InputError(
            f"No Dask scheduler answers at {address} ({error}): start one with `dask "
            f"scheduler`, or leave out --scheduler."
        ) from None
    with client:
        batches = batches_of(jobs)
        futures = {client.submit(_called, b, pure=False): b for b in batches}
        for future in as_completed(list(futures)):
            lost = future.exception()
            if lost is None:
                yield from future.result()
            else:
                reason = f"{type(lost).__name__}: {lost}"
                yield from (Failure(j.trial, reason) for j in futures[future].jobs)
            future.release()


def _called(batch: Batch) -> list[Result]:
    return batch()


Watch = Callable[[int, str], None]


@dataclass(frozen=True)
class Evaluation:
    """What came out of the plans.

    Attributes
    ----------
    figures : tuple of Figure
    repeats : int
    outcomes : mapping of Trial to Outcome
    failures : tuple of Failure
    left_out : tuple of str
        What was not run, and why, in sentences.
    provenance : tuple of Provenance
        One for each stretch of work; none where nobody knows.
    """

    figures: tuple[Figure, ...]
    repeats: int
    outcomes: Mapping[Trial, Outcome]
    failures: tuple[Failure, ...] = ()
    left_out: tuple[str, ...] = ()
    provenance: tuple[Provenance, ...] = ()

    @property
    def sets(self) -> dict[str, Facts]:
        """What is known of each data set."""
        return {name: f for one in self.provenance for name, f in one.sets.items()}

    @property
    def all_in_one(self) -> dict[str, float]:
        """For each data set the Jaccard coefficient of one big cluster."""
        return {name: facts.all_in_one for name, facts in self.sets.items()}


@dataclass(frozen=True)
class Grid:
    """The trials of some figures that can be run here.

    Attributes
    ----------
    figures : tuple of Figure
    repeats : int
        Sessions behind each curve.
    jobs : tuple of Job
        Each trial once, the longest first.
    sets : mapping of str to Dataset
        The data sets that were found.
    left_out : tuple of str
    """

    figures: tuple[Figure, ...]
    repeats: int
    jobs: tuple[Job, ...]
    sets: Mapping[str, Dataset]
    left_out: tuple[str, ...]

    @property
    def n_questions(self) -> int:
        """How many questions all of it takes."""
        return sum(job.trial.budget for job in self.jobs)


@dataclass(frozen=True, slots=True)
class Work:
    """What is to be done on one data set.

    Attributes
    ----------
    data : str
    n, k : int
        Samples and classes.
    methods, trials, questions : int
        How many.
    """

    data: str
    n: int
    k: int
    methods: int
    trials: int
    questions: int


def work_of(grid: Grid) -> list[Work]:
    """Return what is to be done, by data set."""
    found = []
    for name, dataset in grid.sets.items():
        trials = [job.trial for job in grid.jobs if job.trial.data == name]
        methods = {trial.method for trial in trials}
        asked = sum(trial.budget for trial in trials)
        size = len(dataset.y), dataset.n_classes
        found.append(Work(name, *size, len(methods), len(trials), asked))
    return found


def added_panel(name: str, data: Path | None) -> Panel:
    """Return a plot for a data set that no plan names, with a budget by its size."""
    found = DATASETS.find(name).load(data)
    return Panel(name, budget_of(len(found.y), found.n_classes))


def grid_of(figures: Sequence[Figure], repeats: int, data: Path | None) -> Grid:
    """Return what is to be run, and say what cannot be.

    A data set that is missing is left out, and so is a method on more classes than it
    can tell apart, or where a plan says so; a name that nobody knows is an error before
    anything runs.
    """
    sets, missing = _found_sets(figures, data)
    jobs: list[Job] = []
    too_many: dict[AnyMethod, dict[str, None]] = {}
    for trial in dict.fromkeys(t for f in figures for t in f.trials(repeats)):
        method = METHODS.find(trial.method)
        if trial.data not in sets:
            continue
        found = sets[trial.data]
        if method.most_clusters is not None and found.n_classes > method.most_clusters:
            too_many.setdefault(method, {})[trial.data] = None
            continue
        cost, load = float(trial.budget * len(found.y)), DATASETS.find(trial.data).load
        jobs.append(Job(trial, method_of(trial, method), load, data, cost))
    left_out = [
        *missing,
        *(
            f"{method.name} is for {method.most_clusters} classes at most: left out on "
            f"{', '.join(names)}."
            for method, names in too_many.items()
        ),
        *_left_out_by_plan(figures),
    ]
    jobs.sort(key=lambda job: -job.cost)
    return Grid(tuple(figures), repeats, tuple(jobs), sets, tuple(left_out))


def _found_sets(
    figures: Sequence[Figure], data: Path | None
) -> tuple[dict[str, Dataset], dict[str, None]]:
    """Return the data sets that are there, and a sentence for each that is not."""
    sets: dict[str, Dataset] = {}
    missing: dict[str, None] = {}
    run = (figure for figure in figures if figure.kind in SIMULATED)
    for name in dict.fromkeys(p.data for f in run for p in f.panels):
        try:
            sets[name] = DATASETS.find(name).load(data)
        except MissingDataError as error:
            missing[str(error)] = None
    return sets, missing


def _left_out_by_plan(figures: Sequence[Figure]) -> list[str]:
    dropped = dict.fromkeys(name for figure in figures for name in figure.dropped)
    quick = [f"A quick run leaves out {', '.join(dropped)}."] if dropped else []
    return quick + [
        f"{method} is left out on {panel.title} in {figure.name}, as its plan says."
        for figure in figures
        for panel in figure.panels
        for method in panel.without
        if method in figure.methods
    ]


def evaluate(
    grid: Grid,
    results: Results,
    schedule: Schedule,
    watch: Watch = lambda *_: None,
    *,
    is_quick: bool = False,
    clock: Callable[[], float] = time.monotonic,
) -> Evaluation:
    """Run what is not among the results yet, and return everything.

    Parameters
    ----------
    grid : Grid
    results : Results
        Where outcomes are kept; those that are there are not repeated.
    schedule : callable
        ``schedule(jobs)`` yields what comes out of them.
    watch : callable
        ``watch(done, note)`` after each; `done` in questions.
    is_quick : bool
        Whether the figures ask a part of their questions only; it is written down.
    clock : callable
        Returns seconds.
    """
    found, folder = results.mend(), results.path.parent
    todo = [job for job in grid.jobs if job.trial not in found]
    log = Log(folder, read_provenance(folder), _begun(grid, is_quick=is_quick), clock)
    done = grid.n_questions - sum(job.trial.budget for job in todo)
    for result in schedule(todo) if todo else ():
        trial, note = result.trial, ""
        done += trial.budget
        if isinstance(result, Failure):
            note = "failed: "
        else:
            results.append([result])
            found[trial] = result
        log.add(result)
        watch(done, f"{note}{trial.data}, {trial.method}, seed {trial.seed}")
    return Evaluation(
        grid.figures,
        grid.repeats,
        {job.trial: found[job.trial] for job in grid.jobs if job.trial in found},
        log.now.failures,
        grid.left_out,
        log.entries,
    )


def _begun(grid: Grid, *, is_quick: bool) -> Provenance:
    return provenance_here(
        dict.fromkeys(job.trial.recipe for job in grid.jobs),
        repeats=grid.repeats,
        is_quick=is_quick,
        sets={name: facts_of(dataset) for name, dataset in grid.sets.items()},
        left_out=grid.left_out,
    )


def kept_evaluation(figures: Sequence[Figure], paths: Sequence[Path]) -> Evaluation:
    """Return what some files of results hold for some figures; nothing is run.

    Parameters
    ----------
    figures : sequence of Figure
    paths : sequence of Path
        Files of results, of one machine or several; what is known of where they come
        from lies beside them.
    """
    outcomes, origins = _kept(paths)
    repeats = 1 + max((trial.seed for trial in outcomes), default=-1)
    wanted = dict.fromkeys(t for figure in figures for t in figure.trials(repeats))
    failed = {f.trial: f for one in origins for f in one.failures}
    return Evaluation(
        tuple(figures),
        repeats,
        {trial: outcomes[trial] for trial in wanted if trial in outcomes},
        tuple(f for trial, f in failed.items() if trial not in outcomes),
        tuple(dict.fromkeys(words for one in origins for words in one.left_out)),
        origins,
    )


def join_results(paths: Sequence[Path], into: Results) -> None:
    """Write what several files of results hold as one, and where it comes from."""
    outcomes, origins = _kept(paths)
    there = into.mend()
    into.append(o for trial, o in outcomes.items() if trial not in there)
    write_provenance(into.path.parent, origins)


def _kept(
    paths: Sequence[Path],
) -> tuple[dict[Trial, Outcome], tuple[Provenance, ...]]:
    outcomes: dict[Trial, Outcome] = {}
    for path in paths:
        if not path.is_file():
            raise InputError(f"There is no file of results {path}.")
        outcomes |= Results(path).read()
    folders = dict.fromkeys(path.parent for path in paths)
    origins = tuple(one for folder in folders for one in read_provenance(folder))
    return outcomes, origins
