"""After the idea of CAC1: ask whether large clusters near each other are one."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from likewise._arrays import Floats, Indices
from likewise._ties import tied_best
from likewise.methods._base import Method
from likewise.methods._rivals._forest import (
    Flags,
    ForestModel,
    begin_forest,
    first_between,
    learn_forest,
    propose_edge,
)


def largest_and_nearest(model: ForestModel, askable: Flags) -> int | None:
    r"""Return the edge between the largest and nearest clusters, or None.

    Of two clusters A and B that are not known to be apart the nearest pair is asked
    about, and of all these pairs the one with the largest

    .. math:: p(d_{AB}) \, |A| \, |B|,

    p falling with the distance (:func:`chance`): the expected number of pairs that the
    answer brings together.

    Parameters
    ----------
    model : ForestModel
    askable : ndarray of bool of shape (m,)
        Which edges may be asked about.

    Notes
    -----
    Of the original (A. Biswas, D. Jacobs, Large scale image clustering with active
    pairwise constraints, ICML workshop 2011) no more was at hand than the sentence that
    the paper of URASC has on it: it heuristically seeks constraints between large
    nearby clusters. The measure is ours, and so is what an answer does: "same" makes
    the two clusters one, "different" keeps them apart, and the forest, with as many
    trees, grows anew. Nothing inside of a cluster is asked about while two clusters
    may be one. When all are known to be apart, the clusters are those of the same
    hierarchy where it has twice as many, then four times as many, and so on.
    """
    edges = model.pairs.edges
    for parts in _levels(model):
        m, sizes = int(parts.max()) + 1, model.sizes(parts)
        nearest = _nearest(model, parts, askable)
        bars = model.bars(parts)
        free = ~bars.apart[bars.row][:, bars.row] & (nearest < len(edges.length))
        a, b = np.nonzero(np.triu(free, 1))
        if a.size:
            found = nearest[a, b]
            scores = chance(edges.rank[found], m) * sizes[a] * sizes[b]
            return int(found[tied_best(scores)].min())
    return None


def _levels(model: ForestModel) -> Iterator[Indices]:
    """Yield the trees, then more and more of them, down to the groups."""
    n_joins, n_trees = len(model.forest.joins), int(model.raw.max()) + 1
    more = 0
    while more < n_joins:
        yield model.forest.parts(n_joins - more)
        more = 2 * more + n_trees
    yield model.start


def _nearest(model: ForestModel, parts: Indices, askable: Flags) -> Indices:
    """Return the nearest edge between each two parts that may be asked about."""
    edges, m = model.pairs.edges, int(parts.max()) + 1
    place = parts[edges.first] * m + parts[edges.second]
    if askable.all():
        return first_between(place, np.arange(len(place)), m)
    listed = np.flatnonzero(askable)
    return first_between(place[listed], listed, m, none=len(place))


def chance(rank: Floats, n_clusters: int) -> Floats:
    r"""Return how likely pairs are of one class, by their distance alone.

    .. math:: p = \frac{1/k}{1/k + r}

    with r the share of all pairs that are at most as far from each other. Of k classes
    of one size about 1/k of all pairs are together; a pair is of one class by even
    chance where as many pairs are nearer than that.

    Parameters
    ----------
    rank : ndarray
        r above.
    n_clusters : int

    Notes
    -----
    This estimate is ours. It needs no label and no scale, falls as
    distance grows, and does not change under any monotone function of the distance.
    """
    return 1 / (1 + n_clusters * rank)


CAC1 = Method(
    "cac1",
    "After the idea of CAC1: asks whether large clusters near each other are one.",
    begin_forest,
    learn_forest,
    partial(propose_edge, largest_and_nearest),
)
