"""Curves drawn: scores against answered questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from likewise.arrays import Floats
from likewise.errors import MissingExtraError
from likewise.experiments.runner import Curve

COLOURS = ("#1b6ca8", "#d1495b", "#3c8d5a", "#edae49", "#6a4c93", "#555555")


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
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("matplotlib", "plots") from None
    figure = Figure(figsize=(7, 4.2), dpi=150, layout="constrained")
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
