"""Which groups of one labelling are which of another."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import linear_sum_assignment

from likewise._arrays import Floats, Indices
from likewise.experiments import contingency
from likewise.plots._axes import axes_of

MOST_WRITTEN = 20  # rows and columns up to which the numbers are written


def confusion(truth: ArrayLike, labels: ArrayLike, *, ax: Any = None) -> Any:
    """Draw how many samples each pair of groups has in common.

    Columns are put in the order in which they match the rows best, so that what agrees
    lies on the diagonal.

    Parameters
    ----------
    truth : array-like of shape (n_samples,)
        Known classes, or any labels; one row each.
    labels : array-like of shape (n_samples,)
        Other labels of the same samples, such as ``session.labels``; one column each.
    ax : matplotlib Axes, optional
        Of a new figure unless given.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = confusion(["a", "a", "b"], [1, 1, 0], ax=Figure().add_subplot())
    >>> [label.get_text() for label in ax.get_xticklabels()]
    ['1', '0']
    """
    table = contingency(truth, labels)
    order = _matched(table)
    rows, columns = np.unique(np.asarray(truth)), np.unique(np.asarray(labels))[order]
    table = table[:, order]
    ax = axes_of(ax, 1.8 + 0.34 * len(columns), 1.4 + 0.34 * len(rows))
    shares = table / table.sum(axis=1, keepdims=True)
    ax.imshow(shares, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    ax.set(xlabel="groups", ylabel="classes")
    ax.set_xticks(range(len(columns)), labels=[str(name) for name in columns])
    ax.set_yticks(range(len(rows)), labels=[str(name) for name in rows])
    if max(table.shape) <= MOST_WRITTEN:
        _write(ax, table, shares)
    return ax


def _matched(table: Floats) -> Indices:
    """Return the columns, those that match the rows first, row by row."""
    _, best = linear_sum_assignment(table, maximize=True)
    rest = np.setdiff1d(np.arange(table.shape[1]), best)
    return np.concatenate([best, rest]).astype(np.intp)


def _write(ax: Any, table: Floats, shares: Floats) -> None:
    for row, column in np.argwhere(table > 0):
        light = shares[row, column] > 0.5  # noqa: PLR2004 - on dark ground
        ax.text(
            column,
            row,
            f"{int(table[row, column])}",
            ha="center",
            va="center",
            fontsize=8,
            color="white" if light else "#222222",
        )
