"""Curves drawn: scores against answered questions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import cycle
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from likewise._arrays import Floats
from likewise.errors import MissingExtraError
from likewise.experiments._trials import Outcome
from likewise.experiments.paper._intervals import half_widths
from likewise.experiments.paper._outcomes import curves_of, flag_of, on_plot
from likewise.experiments.paper._plans import Figure, Line, Panel
from likewise.experiments.runner import Curve

LOG_TICKS = (0, 10, 20, 50, 100, 200, 500, 1000)
FAINT = "#8a8a8a"
THIN = ("x", "+", "1")  # markers without an inside


@dataclass(frozen=True, slots=True)
class Look:
    """How a curve is drawn.

    Attributes
    ----------
    colour : str
    marker : str
        Tells curves apart where colours are not seen; empty for none.
    dashes : str
        "-" for a whole line, "--" for a dashed one, ":" for a dotted one.
    width : float
    """

    colour: str
    marker: str = ""
    dashes: str = "-"
    width: float = 1.6

    @property
    def pen(self) -> dict[str, Any]:
        """The same in matplotlib's words; markers stand apart by their place on it."""
        return {
            "color": self.colour,
            "linestyle": self.dashes,
            "linewidth": self.width,
            "marker": self.marker or None,
            "markersize": 5,
            "markeredgewidth": 1.2 if self.marker in THIN else 0,
        }


FLOOR = Look(FAINT, dashes=":", width=1.1)


def new_sheet(width: float, height: float) -> Any:
    """Return an empty figure of so many inches."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("matplotlib", "plots") from None
    return Figure(figsize=(width, height), dpi=150, layout="constrained")


def plots_of(titles: Sequence[str], columns: int) -> tuple[Any, list[Any]]:
    """Return a figure with a plot for each title, row by row."""
    columns = min(columns, len(titles))
    rows = -(-len(titles) // columns)
    sheet = new_sheet(max(3.2 * columns, 6), 2.4 * rows + 0.9)
    grid = sheet.subplots(rows, columns, sharey=True, squeeze=False)
    plots = list(grid.flat[: len(titles)])
    for axes, title in zip(plots, titles, strict=True):
        axes.set_title(title, fontsize=10)
    for axes in grid.flat[len(titles) :]:
        axes.set_axis_off()
    for axes in plots[-columns:]:
        axes.set_xlabel("answered questions", fontsize=9)
        axes.xaxis.set_tick_params(labelbottom=True)
    return sheet, plots


def band(axes: Any, at: Floats, mean: Floats, half: Floats, look: Look) -> Any:
    """Draw a mean and its interval; return the line."""
    low, high = mean - half, mean + half
    axes.fill_between(at, low, high, color=look.colour, alpha=0.13, linewidth=0)
    start = (len(axes.lines) % 7) * 0.04  # so that markers of close curves are all seen
    [line] = axes.plot(at, mean, markevery=(0.03 + start, 0.28), **look.pen)
    return line


def floor(axes: Any, height: float) -> None:
    """Draw a faint line across."""
    axes.axhline(
        height, color=FLOOR.colour, linestyle=FLOOR.dashes, linewidth=FLOOR.width
    )


def words(axes: Any, text: str) -> None:
    """Say something in the middle of an empty plot."""
    middle = {"ha": "center", "va": "center", "transform": axes.transAxes}
    axes.text(0.5, 0.5, text, color=FAINT, style="italic", **middle)


def linear_axis(axes: Any, last: float) -> None:
    """Let questions run from 0 to the last of them, scores from 0 to 1."""
    axes.set(xlim=(0, last), ylim=(0, 1.02))
    axes.locator_params(axis="x", nbins=5)
    axes.tick_params(labelsize=8)
    tidy(axes)


def log_axis(axes: Any, last: float) -> None:
    """Let questions run from 0 to the last of them on a log scale."""
    ticks = [tick for tick in LOG_TICKS if tick <= last]
    linear_axis(axes, last)
    axes.set_xscale("symlog", linthresh=10, linscale=0.4)  # a log axis that has a zero
    axes.set_xticks(ticks, labels=map(str, ticks), minor=False)
    axes.set_xticks([], minor=True)


def tidy(axes: Any) -> None:
    """Leave only the lines that help."""
    axes.set_ylim(0, 1.02)
    axes.grid(alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)


def caption(sheet: Any, title: str, height: str, legend: Mapping[str, Look]) -> None:
    """Write the title, the name of the scores and, at the right, what each line is."""
    from matplotlib.lines import Line2D

    sheet.suptitle(title, fontsize=11)
    sheet.supylabel(height, fontsize=10)
    sheet.legend(
        [Line2D([], [], **look.pen) for look in legend.values()],
        list(legend),
        loc="outside right upper",
        frameon=False,
        fontsize=9,
        handlelength=2.6,
    )


def save(sheet: Any, path: Path) -> Path:
    """Write a figure: the same bytes whenever it is the same figure."""
    from matplotlib import rc_context

    undated = {"metadata": {"Date": None}} if path.suffix == ".svg" else {}
    with rc_context({"svg.hashsalt": "likewise"}):
        sheet.savefig(path, **undated)
    return path


# Of methods without a look of their own.
COLOURS = ("#1b6ca8", "#d1495b", "#3c8d5a", "#edae49", "#6a4c93", "#555555")
BOTTOM = {"ari": -0.06}  # of an axis; the index falls below 0 by chance
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
    "lot": Look("#333333", "+", ":"),
    "cobras": Look("#e7298a", "*", "-."),
    "a3s": Look("#66a61e", "8", "-."),
    "npu": Look("#7570b3", "H", "-."),
    "lca": Look("#a6761d", "1", "-."),
}
STRANGERS = ("#1a1a1a", "#6a3d9a", "#7a9a01", "#c2185b", "#00695c", "#8d6e63")
HIDDEN = "--"  # dashes of a line that is not told k

Plots: TypeAlias = Mapping[tuple[Panel, str], Mapping[Line, Sequence[Outcome]]]


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
    return {
        line: replace(looks[line.method], dashes=HIDDEN)
        if line.k == "unknown"
        else looks[line.method]
        for line in found
    }


def mean_and_band(
    curves: Sequence[Curve], metric: str
) -> tuple[Floats, Floats, Floats]:
    """Return questions, mean and half of its 95 % interval at each.

    A run that ended keeps its score; of fewer than three the interval is nothing.
    """
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
    half = half_widths(values)
    return grid, values.mean(axis=0), np.where(np.isfinite(half), half, 0.0)


def draw_curves(
    curves: Mapping[str, Sequence[Curve]],
    title: str,
    path: Path,
    metric: str = "jaccard",
) -> None:
    """Draw one line a method, with its 95 % interval, into a picture file."""
    sheet = new_sheet(7, 4.2)
    axes = sheet.add_subplot()
    curves_on(axes, curves, metric)
    axes.set_title(title)
    axes.legend(frameon=False, loc="lower right")
    save(sheet, path)


def curves_on(axes: Any, curves: Mapping[str, Sequence[Curve]], metric: str) -> None:
    """Draw one line a method, with its 95 % interval, onto axes."""
    for (name, runs), colour in zip(curves.items(), cycle(COLOURS)):
        _draw_curve(axes, runs, metric, Look(colour, width=2)).set_label(name)
    axes.set(xlabel="answered questions", ylabel=NAMES[metric])
    tidy(axes)


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
    sheet, plots = plots_of(list(panels), columns=4)
    for axes, curves in zip(plots, panels.values(), strict=True):
        drawn = {name: curves[name] for name in looks if name in curves}
        for name, runs in drawn.items():
            _draw_curve(axes, runs, "jaccard", looks[name])
        ends = (runs[0].questions[-1] for runs in drawn.values())
        log_axis(axes, max((LOG_TICKS[1], *ends)))
    caption(sheet, title, NAMES["jaccard"], looks)
    save(sheet, path)


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
        Of kind "curves". The recipes of a panel stand side by side.
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
        (panel, recipe): on_plot(figure, found, panel, recipe)
        for panel, recipe in figure.plots
    }
    paths = []
    for metric in figure.metrics:
        sheet = _draw_plots(figure, plots, metric, all_in_one)
        name = figure.name if len(figure.metrics) == 1 else f"{figure.name}-{metric}"
        paths += [save(sheet, folder / f"{name}.{x}") for x in ("png", "svg")]
    return paths


def _draw_plots(
    figure: Figure, plots: Plots, metric: str, all_in_one: Mapping[str, float]
) -> Any:
    looks = looks_of(figure.lines)
    titles = [_title(figure, plot, plots[plot], all_in_one) for plot in plots]
    sheet, all_axes = plots_of(titles, columns=4 if len(figure.recipes) > 1 else 3)
    floors = all_in_one if metric == "jaccard" else {}
    for axes, ((panel, _), lines) in zip(all_axes, plots.items(), strict=True):
        for line, runs in lines.items():
            _draw_curve(axes, [_curve(run) for run in runs], metric, looks[line])
        if not lines:
            words(axes, "not run")
        elif panel.data in floors:
            floor(axes, floors[panel.data])
        linear_axis(axes, panel.budget)
        axes.set_ylim(bottom=BOTTOM.get(metric, 0))
    drawn = {line for lines in plots.values() for line in lines}
    legend = {line.title: look for line, look in looks.items() if line in drawn}
    if any(lines and panel.data in floors for (panel, _), lines in plots.items()):
        legend["all in one cluster"] = FLOOR
    several = f": recipe {' | '.join(figure.recipes)}" if figure.recipes[1:] else ""
    caption(sheet, f"{figure.title}{several}", NAMES.get(metric, metric), legend)
    return sheet


def _title(
    figure: Figure,
    plot: tuple[Panel, str],
    lines: Mapping[Line, Sequence[Outcome]],
    all_in_one: Mapping[str, float],
) -> str:
    panel, recipe = plot
    flag = flag_of(lines, all_in_one.get(panel.data))
    named = f", {recipe}" if len(figure.recipes) > 1 else ""
    return f"{panel.title}{named}" + (f"\n({flag})" if flag else "")


def _draw_curve(axes: Any, runs: Sequence[Curve], metric: str, look: Look) -> Any:
    _, mean, half = mean_and_band(runs, metric)
    at = np.unique(np.concatenate([run.questions for run in runs]))
    return band(axes, at, mean[at], half[at], look)


def _curve(run: Outcome) -> Curve:
    scores = {metric: list(values) for metric, values in run.scores.items()}
    return Curve(run.trial.seed, list(run.questions), scores)
