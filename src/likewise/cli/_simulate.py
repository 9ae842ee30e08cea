"""``likewise simulate``: how many questions it would have taken."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
import typer

from likewise.cli._options import (
    AffinityName,
    AsJson,
    Bandwidth,
    DataFolder,
    Ignore,
    Method,
    Scale,
)
from likewise.cli._output import print_json, print_table, progress, say
from likewise.cli._source import chosen_affinity, known_k, labelled, scaled
from likewise.datasets import Dataset
from likewise.errors import InputError
from likewise.experiments import LEVELS, METRICS, all_in_one, questions_to
from likewise.experiments.runner import Curve, Plan
from likewise.experiments.runner import simulate as run_once
from likewise.items import Reading
from likewise.methods import find_method


def simulate(
    data: Annotated[str, typer.Argument(help="A data set's name, or a file.")],
    method: Method = "likewise",
    budget: Annotated[int, typer.Option(help="Questions to answer.", min=0)] = 100,
    seeds: Annotated[int, typer.Option(help="Runs, with seeds 0, 1, ...", min=1)] = 5,
    noise: Annotated[float, typer.Option(help="Rate of wrong answers.")] = 0.0,
    unsure: Annotated[float, typer.Option(help="Rate of 'unsure'.")] = 0.0,
    n_clusters: Annotated[
        str, typer.Option(help="A number, 'unknown', or 'true'.")
    ] = "true",
    affinity: AffinityName = "auto",
    bandwidth: Bandwidth = None,
    folder: DataFolder = None,
    label: Annotated[str | None, typer.Option(help="Class column of a table.")] = None,
    ignore: Ignore = None,
    scale: Scale = "auto",
    as_json: AsJson = False,
) -> None:
    """Let true labels answer the questions, and score the clustering after each one."""
    found = find_method(method)
    dataset = labelled(data, folder, Reading(label, tuple(ignore or ()), scaled(scale)))
    kernel = chosen_affinity(affinity, bandwidth, dataset.paper_affinity)
    name = dataset.paper_affinity if affinity == "paper" else affinity
    for option, rate in (("--noise", noise), ("--unsure", unsure)):
        if not 0 <= rate <= 1:
            raise InputError(f"{option} must be between 0 and 1, but it is {rate}.")
    plan = Plan(
        X=dataset.samples_for(name),
        y=dataset.y,
        method=found,
        budget=budget,
        n_clusters=known_k(n_clusters, dataset.n_classes),
        affinity=kernel,
        error_rate=noise,
        unsure_rate=unsure,
    )
    curves = _run_all(plan, seeds, f"{dataset.name}, {method}")
    if as_json:
        print_json(_as_object(dataset, method, noise, curves))
    else:
        _show(dataset, curves, budget)


def _run_all(plan: Plan, seeds: int, title: str) -> list[Curve]:
    with progress(title, seeds * plan.budget) as update:

        def watch(curve: Curve) -> None:
            done = curve.seed * plan.budget + curve.questions[-1]
            update(done, f"Jaccard {curve.scores['jaccard'][-1]:.3f}")

        return [run_once(plan, seed, watch) for seed in range(seeds)]


def _as_object(
    dataset: Dataset, method: str, noise: float, curves: list[Curve]
) -> dict[str, Any]:
    return {
        "data": dataset.name,
        "n": len(dataset.y),
        "k": dataset.n_classes,
        "method": method,
        "noise": noise,
        "runs": [curve.as_dict() for curve in curves],
    }


def _show(dataset: Dataset, curves: list[Curve], budget: int) -> None:
    marks = sorted({0, *np.linspace(0, budget, 11).astype(int).tolist()})
    rows = [
        [
            mark,
            *(
                _mean_and_spread([_at(c, metric, mark) for c in curves])
                for metric in METRICS
            ),
        ]
        for mark in marks
    ]
    print_table(["questions", *METRICS], rows)
    for level in LEVELS:
        say(f"Questions to Jaccard {level}: {_questions_to(curves, level, budget)}")
    one = all_in_one(dataset.y)
    seconds = sum(curve.seconds for curve in curves)
    say(f"Everything in one group would score Jaccard {one:.3f}. Took {seconds:.1f} s.")


def _at(curve: Curve, metric: str, mark: int) -> float:
    position = int(np.searchsorted(curve.questions, mark, side="right")) - 1
    return curve.scores[metric][position]


def _mean_and_spread(values: list[float]) -> str:
    return f"{np.mean(values):.3f} ± {np.std(values):.3f}"


def _questions_to(curves: list[Curve], level: float, budget: int) -> str:
    """Return the mean; a run that does not get there counts as its budget."""
    first = [questions_to(level, curve.scores["jaccard"]) for curve in curves]
    missed = sum(value is None for value in first)
    mean = np.mean([budget if value is None else value for value in first])
    note = f" (not reached in {missed} of {len(first)} runs)" if missed else ""
    return f"{mean:.0f}{note}"
