"""``likewise simulate`` and ``likewise reproduce``: how many questions it takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from likewise.cli._options import (
    AffinityName,
    AsJson,
    Bandwidth,
    ColumnsSaid,
    DataFolder,
    Ignore,
    Method,
    Scale,
    chosen_affinity,
    known_k,
    reading_of,
)
from likewise.cli._output import print_json, print_table, progress, say
from likewise.cli._places import is_there
from likewise.errors import InputError, MissingExtraError

if TYPE_CHECKING:
    from likewise.datasets import Dataset
    from likewise.experiments.paper import Evaluation, Figure, Grid, Schedule
    from likewise.experiments.runner import Curve, Plan
    from likewise.items import Reading

FIGURES = (
    *("variants", "learning", "clustering", "noise", "unknown-k", "ablations"),
    *("qualitative", "diagnostic"),
)
REPEATS, QUICK_REPEATS = 10, 3  # each on another nine tenths of the samples


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
    columns: ColumnsSaid = None,
    ignore: Ignore = None,
    scale: Scale = "auto",
    as_json: AsJson = False,
) -> None:
    """Let true labels answer the questions, and score the clustering after each one."""
    from likewise.experiments.runner import Plan
    from likewise.methods import find_method

    found = find_method(method)
    dataset = labelled(data, folder, reading_of(label, ignore, scale, columns))
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


def labelled(name: str, data: Path | None, how: Reading) -> Dataset:
    """Return a data set by its name, or a file of the user's with its label column."""
    from likewise.datasets import DATASETS, Dataset, coded, load
    from likewise.items import read_table

    path = Path(name)
    if name in DATASETS or not (path.suffix or is_there(path)):
        return load(name, data)  # of an unknown name, says which ones there are
    table = read_table(path, how)
    if table.labels is None:
        raise InputError(
            f"{path.name} has no labels to answer from: name its class column with "
            f"--label (in an .npz file, save the classes as y)."
        )
    y = coded(np.array(table.labels))
    return Dataset(path.stem, table.X, y, "as the file says")


def _run_all(plan: Plan, seeds: int, title: str) -> list[Curve]:
    from likewise.experiments.runner import simulate as run_once

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
    from likewise.experiments import LEVELS, METRICS, all_in_one

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
    from likewise.experiments import questions_to

    first = [questions_to(level, curve.scores["jaccard"]) for curve in curves]
    missed = sum(value is None for value in first)
    if missed == len(first):
        return f"not reached within {budget}"
    mean = np.mean([budget if value is None else value for value in first])
    note = f"; {missed} of {len(first)} runs did not get there and count as {budget}"
    return f"{mean:.0f}{note if missed else ''}"


def reproduce(
    figures: Annotated[
        list[str] | None,
        typer.Argument(help=f"{', '.join(FIGURES)} (all of them), or a TOML file."),
    ] = None,
    folder: DataFolder = None,
    out: Annotated[Path, typer.Option(help="Where to write.")] = Path("reproduced"),
    quick: Annotated[
        bool, typer.Option("--quick", help="A fifth of the questions.")
    ] = False,
    repeats: Annotated[
        int | None,
        typer.Option(
            "--repeats",
            "--seeds",
            help="Sessions behind each curve, each on other nine tenths (10).",
            min=1,
        ),
    ] = None,
    jobs: Annotated[int, typer.Option(help="Sessions at a time; -1: all cores.")] = -1,
    scheduler: Annotated[
        str | None, typer.Option(help="Address of a Dask scheduler to send them to.")
    ] = None,
    method: Annotated[
        list[str] | None, typer.Option(help="A method to add; repeatable.")
    ] = None,
    also: Annotated[
        list[str] | None, typer.Option(help="A data set to add; repeatable.")
    ] = None,
    recipe: Annotated[
        str, typer.Option(help="paper, ours, or both side by side.")
    ] = "both",
    kept: Annotated[
        list[Path] | None,
        typer.Option(help="Results to draw, without running anything; repeatable."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be run, and stop.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Make the paper's figures again, with `likewise` beside its rivals."""
    from likewise.experiments.paper import diagnose, grid_of

    is_quick = quick or _were_quick(kept or [])
    plans = [
        _plan(name, method or [], also or [], folder, recipe, is_quick)
        for name in figures or FIGURES
    ]
    if kept:
        out.mkdir(parents=True, exist_ok=True)
        found, source = _joined(plans, kept, out)
        _publish(found, source, folder, out, as_json, [path.parent for path in kept])
        return
    grid = grid_of(plans, repeats or (QUICK_REPEATS if quick else REPEATS), folder)
    if dry_run:
        _show_grid(grid, as_json)
        return
    schedule = _schedule(jobs, scheduler)
    out.mkdir(parents=True, exist_ok=True)
    found = _run(grid, out, schedule, quick)
    for plan in plans:
        if plan.kind == "diagnostic":
            diagnose(plan, grid.repeats, folder, out / "diagnostic.csv", jobs, say)
    for failure in found.failures:
        say(f"Failed: {failure.trial}: {failure.reason}")
    _publish(found, out / "results.csv", folder, out, as_json)
    if found.failures:
        raise typer.Exit(1)


def _were_quick(kept: list[Path]) -> bool:
    """Tell whether kept results are of a quick run, whose budgets are smaller."""
    from likewise.experiments.paper import read_provenance

    return any(one.is_quick for path in kept for one in read_provenance(path.parent))


def _joined(
    plans: list[Figure], kept: list[Path], out: Path
) -> tuple[Evaluation, Path]:
    """Return what files of results hold, and where; several are written as one."""
    from likewise.experiments.paper import Results, join_results, kept_evaluation

    found, [source, *others] = kept_evaluation(plans, kept), kept
    if others:
        source = out / "results.csv"
        join_results(kept, Results(source))
    return found, source


def _publish(
    found: Evaluation,
    results: Path,
    folder: Path | None,
    out: Path,
    as_json: bool,
    beside: Sequence[Path] = (),
) -> None:
    """Draw and write the report; without what draws, say how to do it later."""
    from likewise.experiments.paper import publish

    say("Drawing the figures.")
    try:
        written = publish(found, folder, out, beside)
    except MissingExtraError as error:
        say(f"{error} Then: likewise reproduce --kept {results} --out {out}")
        written = [results]
    else:
        say(f"The report is {out / 'report.html'}.")
    if as_json:
        print_json({"written": [str(path) for path in written]})


def _show_grid(grid: Grid, as_json: bool) -> None:
    """Print what would be run, data set by data set."""
    from likewise.experiments.paper import work_of

    work = work_of(grid)
    if as_json:
        print_json({"sets": [asdict(w) for w in work], "left_out": grid.left_out})
        return
    rows = [[w.data, w.n, w.k, w.methods, w.trials, f"{w.questions:,}"] for w in work]
    print_table(["data", "n", "k", "methods", "sessions", "questions"], rows)
    say(
        f"{len(grid.jobs):,} sessions of {grid.n_questions:,} questions in all, "
        f"{grid.repeats} for each curve."
    )
    for words in grid.left_out:
        say(words)


def _plan(
    name: str,
    methods: list[str],
    sets: list[str],
    folder: Path | None,
    recipe: str,
    quick: bool,
) -> Figure:
    from likewise.experiments.paper import added_panel, read_figure
    from likewise.methods import find_method

    for method in methods:
        find_method(method)
    panels = [added_panel(added, folder) for added in sets]
    figure = read_figure(name).also(methods, panels).under(recipe)
    return figure.quick() if quick else figure


def _schedule(jobs: int, scheduler: str | None) -> Schedule:
    from likewise.experiments.paper import on_cluster, on_cores

    if scheduler is not None:
        return partial(on_cluster, address=scheduler)
    if jobs == 0 or jobs < -1:
        raise InputError(f"--jobs is 1 or more, or -1 for all cores, but it is {jobs}.")
    return partial(on_cores, n_jobs=jobs)


def _run(grid: Grid, out: Path, schedule: Schedule, quick: bool) -> Evaluation:
    from likewise.experiments.paper import Results, evaluate

    for words in grid.left_out:
        say(words)
    with progress("Questions answered", max(grid.n_questions, 1)) as update:
        results = Results(out / "results.csv")
        return evaluate(grid, results, schedule, update, is_quick=quick)
