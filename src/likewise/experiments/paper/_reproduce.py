"""The paper's evaluation, from its plans to results that a stopped run takes up."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from likewise.datasets import DATASETS, Dataset
from likewise.errors import MissingDataError
from likewise.experiments._metrics import all_in_one
from likewise.experiments._summary import budget_of
from likewise.experiments.paper._plans import Figure, Panel
from likewise.experiments.paper._results import Results
from likewise.experiments.paper._scheduling import Schedule
from likewise.experiments.paper._trials import Failure, Job, Outcome, Trial, method_of
from likewise.methods import METHODS, AnyMethod

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
