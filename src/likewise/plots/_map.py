"""Where the samples of a session lie."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from likewise._arrays import described
from likewise.errors import InputError
from likewise.plots._axes import axes_of
from likewise.session import (
    Plane,
    Session,
    plane_of_affinity,
    plane_of_graph,
    statuses_within,
)

ASIDE = "#b0b0b0"
MOST_NAMED = 12  # groups that a legend says the names of


def map(  # noqa: A001 - the word for it
    session: Session, *, plane: ArrayLike | None = None, ax: Any = None
) -> Any:
    """Draw the samples in two dimensions, coloured by group.

    Samples that answers have settled have a dark rim; those that are guessed are faint,
    those set aside grey.

    Parameters
    ----------
    session : Session
    plane : array-like of shape (n_samples, 2), optional
        Where each sample lies; from its features and its graph unless given.
    ax : matplotlib Axes, optional
        Of a new figure unless given.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> session = Session([[0.0], [0.2], [5.0], [5.2]], n_clusters=2)
    >>> map(session, ax=Figure().add_subplot()).get_title()
    '4 samples, 2 groups, 0 settled'
    """
    points = _plane(session) if plane is None else _checked(plane, session.n_samples)
    labels, ax = session.labels, axes_of(ax, 5.5, 5.0)
    settled = np.zeros(session.n_samples, dtype=bool)
    settled[list(statuses_within(session.repairs).confirmed)] = True
    for group in np.unique(labels):
        _draw_group(ax, points, int(group), labels == group, settled)
    n_groups = int(labels.max()) + 1
    ax.set(
        title=f"{session.n_samples:,} samples, {n_groups} groups, "
        f"{int(settled.sum()):,} settled",
        xticks=[],
        yticks=[],
    )
    ax.spines[:].set_visible(False)
    if n_groups <= MOST_NAMED:
        ax.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return ax


def _draw_group(ax: Any, points: Any, group: int, mine: Any, settled: Any) -> None:
    colour, name = (ASIDE, "aside") if group < 0 else (f"C{group % 10}", f"{group}")
    looks = {"s": 18, "color": colour, "linewidths": 0.8}
    guessed, sure = points[mine & ~settled], points[mine & settled]
    ax.scatter(*guessed.T, alpha=0.35, **(looks | {"linewidths": 0}))
    ax.scatter(*sure.T, **(looks | {"edgecolors": "#222222"}))
    ax.scatter([], [], **looks, label=name)


def _plane(session: Session) -> Plane:
    X, W = session.features, session.weights
    return plane_of_affinity(W, 0) if X is None else plane_of_graph(X, W, 0)


def _checked(plane: ArrayLike, n: int) -> Any:
    points = np.asarray(plane)
    if points.shape != (n, 2) or points.dtype.kind not in "biuf":
        raise InputError(
            f"A plane has two numbers for each of the {n} samples, not "
            f"{described(plane)}."
        )
    return points
