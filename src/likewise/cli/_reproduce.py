"""``likewise reproduce``: the paper's experiments, as figures and one report."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from likewise.cli._options import AsJson, DataFolder
from likewise.cli._output import print_json, progress, say
from likewise.errors import InputError
from likewise.experiments.paper import (
    FIGURES,
    Evaluation,
    Figure,
    Grid,
    Results,
    Schedule,
    added_panel,
    evaluate,
    grid_of,
    on_cluster,
    on_cores,
    publish,
    read_figure,
)
from likewise.methods import find_method

SEEDS, QUICK_SEEDS = 5, 1


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
    seeds: Annotated[
        int | None, typer.Option(help="Sessions behind each curve.", min=1)
    ] = None,
    jobs: Annotated[int, typer.Option(help="Sessions at a time; -1: all cores.")] = 1,
    scheduler: Annotated[
        str | None, typer.Option(help="Address of a Dask scheduler to send them to.")
    ] = None,
    method: Annotated[
        list[str] | None, typer.Option(help="A method to add; repeatable.")
    ] = None,
    also: Annotated[
        list[str] | None, typer.Option(help="A data set to add; repeatable.")
    ] = None,
    affinity: Annotated[
        str, typer.Option(help="auto, or paper: the paper's kernels.")
    ] = "auto",
    as_json: AsJson = False,
) -> None:
    """Make the paper's figures again, with `likewise` beside its rivals."""
    plans = [
        _plan(name, method or [], also or [], folder, affinity, quick)
        for name in figures or FIGURES
    ]
    seeds = seeds or (QUICK_SEEDS if quick else SEEDS)
    out.mkdir(parents=True, exist_ok=True)
    schedule = _schedule(jobs, scheduler)
    found = _run(grid_of(plans, seeds, folder), out, schedule)
    for failure in found.failures:
        say(f"Failed: {failure.trial}: {failure.reason}")
    say("Drawing the figures.")
    written = publish(found, folder, out)
    if as_json:
        print_json({"written": [str(path) for path in written]})
    else:
        say(f"The report is {out / 'report.html'}.")
    if found.failures:
        raise typer.Exit(1)


def _plan(
    name: str,
    methods: list[str],
    sets: list[str],
    folder: Path | None,
    affinity: str,
    quick: bool,
) -> Figure:
    for method in methods:
        find_method(method)
    panels = [added_panel(added, folder) for added in sets]
    figure = read_figure(name).also(methods, panels).under(affinity)
    return figure.quick() if quick else figure


def _schedule(jobs: int, scheduler: str | None) -> Schedule:
    if scheduler is not None:
        return partial(on_cluster, address=scheduler)
    if jobs == 0 or jobs < -1:
        raise InputError(f"--jobs is 1 or more, or -1 for all cores, but it is {jobs}.")
    return partial(on_cores, n_jobs=jobs)


def _run(grid: Grid, out: Path, schedule: Schedule) -> Evaluation:
    for words in grid.left_out:
        say(words)
    with progress("Questions answered", max(grid.n_questions, 1)) as update:
        return evaluate(grid, Results(out / "results.csv"), schedule, update)
