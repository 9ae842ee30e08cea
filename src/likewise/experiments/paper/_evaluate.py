"""The paper's evaluation, from its plans to results that a stopped run takes up."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, fields
from itertools import groupby
from pathlib import Path
from typing import TypeAlias

from joblib import Parallel, delayed

from likewise.datasets import DATASETS, Dataset
from likewise.errors import InputError, MissingDataError, MissingExtraError
from likewise.experiments._metrics import METRICS, all_in_one
from likewise.experiments._trials import (
    Failure,
    Job,
    Outcome,
    Trial,
    budget_of,
    method_of,
    points_of,
)
from likewise.experiments.paper._plans import Figure, Panel
from likewise.methods import METHODS, AnyMethod

KEYS = ("data", "method", "seed")
SETTINGS = tuple(f.name for f in fields(Trial) if f.name not in KEYS)
HEADER = (*KEYS, "questions", "metric", "value", "seconds", *SETTINGS)
TYPES = {f.name: {"int": int, "float": float}.get(str(f.type), str)
         for f in fields(Trial)}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Results:
    """Outcomes of trials in a csv file that a stopped run takes up again.

    An outcome is written as a whole and flushed to the disk. Of one that was cut off in
    the middle nothing counts, and :meth:`mend` removes it.

    Attributes
    ----------
    path : Path
    """

    path: Path

    def read(self) -> dict[Trial, Outcome]:
        """Return every outcome that is there in full, by its trial."""
        if not self.path.exists():
            return {}
        with self.path.open(encoding="utf-8", newline="") as lines:
            rows = csv.DictReader(lines)
            if rows.fieldnames is not None and tuple(rows.fieldnames) != HEADER:
                raise InputError(
                    f"{self.path} is not a file of results of this version: "
                    f"choose another folder with --out."
                )
            return dict(_outcomes(row for row in rows if None not in row.values()))

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
    keys = [getattr(trial, key) for key in KEYS]
    settings = [getattr(trial, key) for key in SETTINGS]
    for metric, values in outcome.scores.items():
        for at, value, seconds in zip(
            outcome.questions, values, outcome.seconds, strict=True
        ):
            yield [*keys, at, metric, f"{value:.7f}", f"{seconds:.7f}", *settings]


def _outcomes(rows: Iterable[dict[str, str]]) -> Iterator[tuple[Trial, Outcome]]:
    for trial, group in groupby(rows, key=_trial):
        found = list(group)
        points = tuple(points_of(trial.budget))
        by_metric = {
            metric: [row for row in found if row["metric"] == metric]
            for metric in METRICS
        }
        if all(_at(part) == points for part in by_metric.values()):
            scores = {m: _floats(part, "value") for m, part in by_metric.items()}
            seconds = _floats(by_metric["jaccard"], "seconds")
            yield trial, Outcome(trial, points, scores, seconds)


def _trial(row: dict[str, str]) -> Trial:
    return Trial(**{name: kind(row[name]) for name, kind in TYPES.items()})


def _at(rows: list[dict[str, str]]) -> tuple[int, ...]:
    return tuple(int(row["questions"]) for row in rows)


def _floats(rows: list[dict[str, str]], column: str) -> tuple[float, ...]:
    return tuple(float(row[column]) for row in rows)


Result: TypeAlias = Outcome | Failure
Schedule: TypeAlias = Callable[[Sequence[Job]], Iterator[Result]]


def on_cores(jobs: Sequence[Job], n_jobs: int) -> Iterator[Result]:
    """Run jobs on some of this machine's cores, in the order given.

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
    run = Parallel(n_jobs, return_as="generator_unordered")
    with closing(run(delayed(_called)(job) for job in jobs)) as results:
        yield from results


def on_cluster(jobs: Sequence[Job], address: str) -> Iterator[Result]:
    """Run jobs on a Dask cluster, given by its scheduler's address.

    Yields
    ------
    Outcome or Failure
        Of each job, in the order in which they end; a worker that dies is a failure.
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
        futures = {client.submit(_called, job, pure=False): job for job in jobs}
        for future in as_completed(list(futures)):
            lost = future.exception()
            if lost is None:
                yield future.result()
            else:
                reason = f"{type(lost).__name__}: {lost}"
                yield Failure(futures[future].trial, reason)
            future.release()


def _called(job: Job) -> Result:
    return job()


Watch = Callable[[int, str], None]


@dataclass(frozen=True)
class Evaluation:
    """What came out of the plans.

    Attributes
    ----------
    figures : tuple of Figure
    seeds : int
    outcomes : mapping of Trial to Outcome
    failures : tuple of Failure
    left_out : tuple of str
        What was not run, and why, in sentences.
    all_in_one : mapping of str to float
        For each data set the Jaccard coefficient of one big cluster.
    """

    figures: tuple[Figure, ...]
    seeds: int
    outcomes: Mapping[Trial, Outcome]
    failures: tuple[Failure, ...] = ()
    left_out: tuple[str, ...] = ()
    all_in_one: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Grid:
    """The trials of some figures that can be run here.

    Attributes
    ----------
    figures : tuple of Figure
    seeds : int
        Sessions behind each curve.
    jobs : tuple of Job
        Each trial once, the longest first.
    sets : mapping of str to Dataset
        The data sets that were found.
    left_out : tuple of str
    """

    figures: tuple[Figure, ...]
    seeds: int
    jobs: tuple[Job, ...]
    sets: Mapping[str, Dataset]
    left_out: tuple[str, ...]

    @property
    def n_questions(self) -> int:
        """How many questions all of it takes."""
        return sum(job.trial.budget for job in self.jobs)


def added_panel(name: str, data: Path | None) -> Panel:
    """Return a plot for a data set that no plan names, with a budget by its size."""
    found = DATASETS.find(name).load(data)
    return Panel(name, budget_of(len(found.y), found.n_classes))


def grid_of(figures: Sequence[Figure], seeds: int, data: Path | None) -> Grid:
    """Return what is to be run, and say what cannot be.

    A data set that is missing is left out, and so is a method on more classes than it
    can tell apart; a name that nobody knows is an error before anything runs.
    """
    sets: dict[str, Dataset] = {}
    left_out: dict[str, None] = {}
    for name in dict.fromkeys(p.data for f in figures for p in f.panels):
        try:
            sets[name] = DATASETS.find(name).load(data)
        except MissingDataError as error:
            left_out[str(error)] = None
    jobs: list[Job] = []
    too_many: dict[AnyMethod, dict[str, None]] = {}
    for trial in dict.fromkeys(t for f in figures for t in f.trials(seeds)):
        method = METHODS.find(trial.method)
        if trial.data not in sets:
            continue
        k = sets[trial.data].n_classes
        if method.most_clusters is not None and k > method.most_clusters:
            too_many.setdefault(method, {})[trial.data] = None
            continue
        load = DATASETS.find(trial.data).load
        jobs.append(Job(trial, method_of(trial, method), load, data))
    left_out |= {
        f"{method.name} is for {method.most_clusters} classes at most: left out on "
        f"{', '.join(names)}.": None
        for method, names in too_many.items()
    }
    jobs.sort(key=lambda job: -job.trial.budget * len(sets[job.trial.data].y))
    return Grid(tuple(figures), seeds, tuple(jobs), sets, tuple(left_out))


def evaluate(
    grid: Grid, results: Results, schedule: Schedule, watch: Watch = lambda *_: None
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
    """
    found = results.mend()
    todo = [job for job in grid.jobs if job.trial not in found]
    done = grid.n_questions - sum(job.trial.budget for job in todo)
    failures: list[Failure] = []
    for result in schedule(todo) if todo else ():
        trial, note = result.trial, ""
        done += trial.budget
        if isinstance(result, Failure):
            failures.append(result)
            note = "failed: "
        else:
            results.append([result])
            found[trial] = result
        watch(done, f"{note}{trial.data}, {trial.method}, seed {trial.seed}")
    return Evaluation(
        grid.figures,
        grid.seeds,
        {job.trial: found[job.trial] for job in grid.jobs if job.trial in found},
        tuple(failures),
        grid.left_out,
        {name: all_in_one(dataset.y) for name, dataset in grid.sets.items()},
    )
