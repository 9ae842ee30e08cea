"""Whether what a method expects is what is answered."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from likewise._arrays import Floats, as_whole, described
from likewise.errors import InputError
from likewise.experiments.paper import tidy
from likewise.knowledge import Answer, Verdict
from likewise.plots._axes import axes_of
from likewise.session import Session

COLOUR = "#1b6ca8"
Z = 1.96  # of a 95 % interval


def calibration(
    answers: Session | Iterable[Answer], *, bins: int = 8, ax: Any = None
) -> Any:
    """Draw how often "same" was answered against how probable it was held.

    When a method asks, it writes down how likely "same" is; the journal keeps it. On
    the diagonal it is right about that.

    Parameters
    ----------
    answers : Session, or iterable of Answer
        Those that a method asked for and that were not "unsure" are counted.
    bins : int, default=8
        The answers are cut into so many parts of equal size, by their probability.
    ax : matplotlib Axes, optional
        Of a new figure unless given.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> session = Session([[0.0], [0.2], [5.0], [5.2]], n_clusters=2)
    >>> session.tell(session.ask(), "different")
    >>> calibration(session, ax=Figure().add_subplot()).get_title()
    '1 answer'
    """
    bins = as_whole(bins, "The number of bins", 1)
    expected, same = _told(answers)
    ax = axes_of(ax, 4.6, 4.4)
    order = np.argsort(expected, kind="stable")
    parts = np.array_split(order, min(bins, len(order)))
    at = np.array([expected[part].mean() for part in parts])
    low, seen, high = np.array([_interval(same[part]) for part in parts]).T
    ax.plot([0, 1], [0, 1], ":", color="#8a8a8a", linewidth=1.1)
    gaps = np.abs([seen - low, high - seen])
    ax.errorbar(at, seen, gaps, fmt="o-", color=COLOUR, linewidth=1.6, elinewidth=0.8)
    tidy(ax)
    ax.set(
        title=f"{len(same):,} answer{'' if len(same) == 1 else 's'}",
        xlabel='expected probability of "same"',
        ylabel='share answered "same"',
        xlim=(-0.02, 1.02),
        ylim=(-0.02, 1.02),
    )
    return ax


def _told(answers: Session | Iterable[Answer]) -> tuple[Floats, Floats]:
    """Return what was expected, and whether it was the same, of each answer."""
    listed = answers.history if isinstance(answers, Session) else answers
    if not isinstance(listed, Iterable):
        raise InputError(f"Give a session or its answers, not {described(answers)}.")
    told = [
        (answer.question.predicted.same, answer.verdict is Verdict.SAME)
        for answer in listed
        if answer.question.predicted is not None
        and answer.verdict is not Verdict.UNSURE
    ]
    if not told:
        raise InputError(
            "No answer is to a question that a method asked: tell what ask returns."
        )
    found = np.array(told, dtype=np.float64)
    return found[:, 0], found[:, 1]


def _interval(same: Floats) -> tuple[float, float, float]:
    """Return the interval of a share, and the share itself (Wilson, 1927)."""
    n, share = len(same), float(same.mean())
    middle = (share + Z**2 / (2 * n)) / (1 + Z**2 / n)
    half = Z / (1 + Z**2 / n) * np.sqrt(share * (1 - share) / n + (Z / (2 * n)) ** 2)
    return float(max(middle - half, 0)), share, float(min(middle + half, 1))
