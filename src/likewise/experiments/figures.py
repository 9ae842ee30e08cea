"""Curves drawn: scores against answered questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from likewise.arrays import Floats
from likewise.errors import MissingExtraError
from likewise.experiments.runner import Curve

COLOURS = ("#1b6ca8", "#d1495b", "#3c8d5a", "#edae49", "#6a4c93", "#555555")
TICKS = (0, 10, 20, 50, 100, 200, 500, 1000)


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
    figure = _figure(7, 4.2)
    axes = figure.add_subplot()
    for (name, runs), colour in zip(curves.items(), COLOURS, strict=False):
        grid, mean, spread = mean_and_spread(runs, metric)
        axes.plot(grid, mean, color=colour, label=name, linewidth=2)
        axes.fill_between(grid, mean - spread, mean + spread, color=colour, alpha=0.15)
    axes.set(title=title, xlabel="answered questions", ylabel=metric, ylim=(0, 1.02))
    axes.grid(alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="lower right")
    figure.savefig(path)


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
    colours = dict(zip(methods, COLOURS, strict=False))
    columns = min(4, len(panels))
    rows = -(-len(panels) // columns)
    figure = _figure(max(3.2 * columns, 6), 2.4 * rows + 0.9)
    grid = figure.subplots(rows, columns, sharey=True, squeeze=False)
    for axes, (name, curves) in zip(grid.flat, panels.items(), strict=False):
        _draw_panel(axes, curves, colours)
        axes.set_title(name, fontsize=10)
    for axes in grid.flat[len(panels) :]:
        axes.set_axis_off()
    for axes in grid.flat[len(panels) - columns : len(panels)]:
        axes.set_xlabel("answered questions", fontsize=9)
    figure.suptitle(title, fontsize=11)
    figure.supylabel("Jaccard", fontsize=10)
    lines = [grid.flat[0].plot([], [], color=colours[m], lw=2)[0] for m in colours]
    figure.legend(
        lines, list(colours), loc="outside lower center", ncols=6, frameon=False
    )
    figure.savefig(path)


def _draw_panel(
    axes: Any, curves: Mapping[str, Sequence[Curve]], colours: Mapping[str, str]
) -> None:
    last = TICKS[1]
    for name in [method for method in colours if method in curves]:
        _, mean, spread = mean_and_spread(curves[name], "jaccard")
        at, colour = curves[name][0].questions, colours[name]
        low, high = (mean - spread)[at], (mean + spread)[at]
        axes.plot(at, mean[at], color=colour, linewidth=1.6)
        axes.fill_between(at, low, high, color=colour, alpha=0.15, linewidth=0)
        last = max(last, at[-1])
    ticks = [tick for tick in TICKS if tick <= last]
    axes.set_xscale("symlog", linthresh=10, linscale=0.4)  # a log axis that has a zero
    axes.set_xticks(ticks, labels=map(str, ticks), minor=False)
    axes.set_xticks([], minor=True)
    axes.set(xlim=(0, last), ylim=(0, 1.02))
    axes.tick_params(labelsize=8)
    axes.grid(alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)


def _figure(width: float, height: float) -> Any:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("matplotlib", "plots") from None
    return Figure(figsize=(width, height), dpi=150, layout="constrained")
