"""What drawings are made of: sheets of plots, bands, axes, legends, files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from likewise._arrays import Floats
from likewise.errors import MissingExtraError

LOG_TICKS = (0, 10, 20, 50, 100, 200, 500, 1000)
FAINT = "#8a8a8a"


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
            "markeredgewidth": 1.2 if self.marker == "x" else 0,
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


def band(axes: Any, at: Floats, mean: Floats, spread: Floats, look: Look) -> Any:
    """Draw a mean and its spread; return the line."""
    low, high = mean - spread, mean + spread
    axes.fill_between(at, low, high, color=look.colour, alpha=0.13, linewidth=0)
    start = (len(axes.lines) % 5) * 0.05  # so that markers of close curves are all seen
    [line] = axes.plot(at, mean, markevery=(0.05 + start, 0.25), **look.pen)
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
    """Write the title, the name of the scores and, below, what each line is."""
    from matplotlib.lines import Line2D

    sheet.suptitle(title, fontsize=11)
    sheet.supylabel(height, fontsize=10)
    sheet.legend(
        [Line2D([], [], **look.pen) for look in legend.values()],
        list(legend),
        loc="outside lower center",
        ncols=5,
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
