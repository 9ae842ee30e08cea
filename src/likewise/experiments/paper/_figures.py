"""Curves drawn: scores against answered questions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from likewise._arrays import Floats
from likewise.experiments.paper import _canvas as canvas
from likewise.experiments.paper._canvas import FLOOR, Look
from likewise.experiments.paper._outcomes import curves_of, on_panel
from likewise.experiments.paper._plans import Figure, Line, Panel
from likewise.experiments.paper._trials import Outcome
from likewise.experiments.runner import Curve

COLOURS = ("#1b6ca8", "#d1495b", "#3c8d5a", "#edae49", "#6a4c93", "#555555")
NAMES = {"jaccard": "Jaccard", "v_measure": "V-measure", "ari": "adjusted Rand index"}

# The same in all figures; hues that stay apart for the colour-blind.
LOOKS = {
    "likewise": Look("#d55e00", "o", width=2.2),
    "urasc+n": Look("#0072b2", "s"),
    "urasc+p": Look("#56b4e9", "D"),
    "urasc-go": Look("#cc79a7", "v"),
    "urasc-no": Look("#009e73", "^"),
    "urasc-po": Look("#e69f00", "p"),
    "active-hacc": Look("#117733", "P"),
    "cac1": Look("#aa4499", "X"),
    "ffqs": Look("#b09a1c", "<"),
    "asc": Look("#882255", ">"),
    "quire": Look("#2b9a8b", "h"),
    "pknn+al": Look("#a5682a", "d"),
    "random": Look("#777777", "x"),
}
STRANGERS = ("#1a1a1a", "#6a3d9a", "#7a9a01", "#c2185b", "#00695c", "#8d6e63")
DASHES = {"known": "-", "unknown": "--"}

Plots: TypeAlias = Mapping[Panel, Mapping[Line, Sequence[Curve]]]


def looks_of(lines: Iterable[Line]) -> dict[Line, Look]:
    """Return how each line of a figure is drawn: dashed where k is not told.

    Examples
    --------
    >>> looks_of([Line("random", "unknown")])[Line("random", "unknown")].dashes
    '--'
    """
    found = tuple(lines)
    strange = [m for m in dict.fromkeys(x.method for x in found) if m not in LOOKS]
    looks = LOOKS | {
        method: Look(STRANGERS[position % len(STRANGERS)])
        for position, method in enumerate(strange)
    }
    return {line: replace(looks[line.method], dashes=DASHES[line.k]) for line in found}


def mean_and_spread(
    curves: Sequence[Curve], metric: str
) -> tuple[Floats, Floats, Floats]:
    """Return questions, mean and spread; a run that ended keeps its score."""
    longest = max(curve.questions[-1] for curve in curves)
    grid = np.arange(longest + 1, dtype=np.float64)
    values = np.array(
        [
            np.asarray(curve.scores[metric])[
                np.searchsorted(curve.questions, grid, side="right") - 1
            ]
            for curve in curves
        ]
    )
    return grid, values.mean(axis=0), values.std(axis=0)


def draw_curves(
    curves: Mapping[str, Sequence[Curve]],
    title: str,
    path: Path,
    metric: str = "jaccard",
) -> None:
    """Draw one line a method, with its spread, into a picture file."""
    sheet = canvas.new_sheet(7, 4.2)
    axes = sheet.add_subplot()
    for (name, runs), colour in zip(curves.items(), COLOURS, strict=False):
        _draw_curve(axes, runs, metric, Look(colour, width=2)).set_label(name)
    axes.set(title=title, xlabel="answered questions", ylabel=metric)
    canvas.tidy(axes)
    axes.legend(frameon=False, loc="lower right")
    canvas.save(sheet, path)


def draw_panels(
    panels: Mapping[str, Mapping[str, Sequence[Curve]]], title: str, path: Path
) -> None:
    """Draw Jaccard on a log axis: a panel for each data set, one line a method.

    Parameters
    ----------
    panels : mapping of data set to mapping of method to curves
        All curves of a panel have the same numbers of questions. As many methods are
        drawn as there are ``COLOURS``.
    title : str
    path : Path
    """
    methods = list(dict.fromkeys(name for panel in panels.values() for name in panel))
    looks = {m: Look(c) for m, c in zip(methods, COLOURS, strict=False)}
    sheet, plots = canvas.plots_of(list(panels), columns=4)
    for axes, curves in zip(plots, panels.values(), strict=True):
        drawn = {name: curves[name] for name in looks if name in curves}
        for name, runs in drawn.items():
            _draw_curve(axes, runs, "jaccard", looks[name])
        ends = (runs[0].questions[-1] for runs in drawn.values())
        canvas.log_axis(axes, max((canvas.LOG_TICKS[1], *ends)))
    canvas.caption(sheet, title, NAMES["jaccard"], looks)
    canvas.save(sheet, path)


def draw_figure(
    figure: Figure,
    outcomes: Iterable[Outcome],
    folder: Path,
    all_in_one: Mapping[str, float],
) -> list[Path]:
    """Draw a figure of the evaluation, as PNG and as SVG, once for each metric.

    Parameters
    ----------
    figure : Figure
        Of kind "curves".
    outcomes : iterable of Outcome
        Those that belong to other figures are left alone.
    folder : Path
        Where ``<name>.png`` goes, or ``<name>-<metric>.png`` where there are several.
    all_in_one : mapping of str to float
        For each data set the Jaccard coefficient of one big cluster: a dotted line.

    Returns
    -------
    list of Path
        What was written: for each metric the PNG, then the SVG.
    """
    found = curves_of(figure, outcomes)
    plots = {
        panel: {
            line: [_curve(run) for run in runs]
            for line, runs in on_panel(found, panel).items()
        }
        for panel in figure.panels
    }
    paths = []
    for metric in figure.metrics:
        floors = all_in_one if metric == "jaccard" else {}
        sheet = _draw_plots(figure, plots, metric, floors)
        name = figure.name if len(figure.metrics) == 1 else f"{figure.name}-{metric}"
        paths += [canvas.save(sheet, folder / f"{name}.{x}") for x in ("png", "svg")]
    return paths


def _draw_plots(
    figure: Figure, plots: Plots, metric: str, floors: Mapping[str, float]
) -> Any:
    looks = looks_of(figure.lines)
    sheet, all_axes = canvas.plots_of([panel.title for panel in plots], columns=3)
    for axes, (panel, curves) in zip(all_axes, plots.items(), strict=True):
        for line, runs in curves.items():
            _draw_curve(axes, runs, metric, looks[line])
        if not curves:
            canvas.words(axes, "not run")
        elif panel.data in floors:
            canvas.floor(axes, floors[panel.data])
        canvas.linear_axis(axes, panel.budget)
    drawn = {line for curves in plots.values() for line in curves}
    legend = {line.title: look for line, look in looks.items() if line in drawn}
    if any(curves and panel.data in floors for panel, curves in plots.items()):
        legend["all in one cluster"] = FLOOR
    canvas.caption(sheet, figure.title, NAMES.get(metric, metric), legend)
    return sheet


def _draw_curve(axes: Any, runs: Sequence[Curve], metric: str, look: Look) -> Any:
    _, mean, spread = mean_and_spread(runs, metric)
    at = np.unique(np.concatenate([run.questions for run in runs]))
    return canvas.band(axes, at, mean[at], spread[at], look)


def _curve(run: Outcome) -> Curve:
    scores = {metric: list(values) for metric, values in run.scores.items()}
    return Curve(run.trial.seed, list(run.questions), scores)
