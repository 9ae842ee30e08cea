"""How good the groups are against answered questions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from likewise._arrays import described
from likewise.errors import InputError
from likewise.experiments import METRICS
from likewise.experiments.paper import curves_on
from likewise.experiments.runner import Curve
from likewise.plots._axes import axes_of

Runs: TypeAlias = Curve | Iterable[Curve]


def curve(
    runs: Runs | Mapping[str, Runs], *, metric: str = "jaccard", ax: Any = None
) -> Any:
    """Draw a score against answered questions, one line for each name.

    Parameters
    ----------
    runs : Curve, iterable of Curve, or mapping of str to either
        What :func:`likewise.experiments.runner.simulate` returns. Of several runs, as
        of several seeds, the mean is drawn, with its 95 % interval from three on.
    metric : {"jaccard", "v_measure", "ari"}
    ax : matplotlib Axes, optional
        Of a new figure unless given.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from likewise.experiments.runner import Plan, simulate
    >>> from matplotlib.figure import Figure
    >>> plan = Plan([[0.0], [0.1], [5.0], [5.1]], [0, 0, 1, 1], "random", 3, 2)
    >>> ax = curve(simulate(plan, seed=0), ax=Figure().add_subplot())
    >>> ax.get_xlabel()
    'answered questions'
    """
    if metric not in METRICS:
        raise InputError(
            f"There is no metric {metric!r}. Choose one of: {', '.join(METRICS)}."
        )
    named = runs if isinstance(runs, Mapping) else {"": runs}
    curves = {name: _listed(its) for name, its in named.items()}
    if not curves:
        raise InputError("There is nothing to draw: give the Curve of a run at least.")
    ax = axes_of(ax)
    curves_on(ax, curves, metric)
    if any(curves):
        ax.legend(frameon=False, loc="lower right")
    return ax


def _listed(runs: Runs) -> list[Curve]:
    if isinstance(runs, Curve):
        return [runs]
    found = list(runs) if isinstance(runs, Iterable) else [runs]
    if not found or not all(isinstance(run, Curve) for run in found):
        raise InputError(
            f"A line is drawn of the Curve that simulate returns, or of several, not "
            f"of {described(runs)}."
        )
    return found
