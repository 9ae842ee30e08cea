"""CAC1: ask about large clusters that are near each other."""

from __future__ import annotations

from functools import partial

import numpy as np

from likewise._arrays import Floats
from likewise._ties import first_best
from likewise.methods._base import Method
from likewise.methods._rivals._forest import (
    Flags,
    ForestModel,
    begin_forest,
    chance,
    learn_forest,
    propose_edge,
)


def largest_and_nearest(model: ForestModel, askable: Flags) -> int | None:
    r"""Return the edge between the largest and nearest clusters, or None.

    Of two clusters A and B their nearest pair is asked about, and of all these pairs
    the one with the largest

    .. math:: \min(|A|, |B|) \; p(d_{AB}),

    p falling with the distance (:func:`chance`). Clusters
    are the trees of the forest that are not known to be apart, and the two parts that
    any join of the forest has made one.

    Parameters
    ----------
    model : ForestModel
    askable : ndarray of bool of shape (m,)
        Which edges may be asked about.

    Notes
    -----
    The original merges and splits clusters by rules of its own. Here "same" becomes a
    must-link and "different" a cannot-link, and the forest that grows anew, with as
    many trees, merges and splits by itself. Trees alone are not enough to ask about:
    that would find what to merge and never what to split, until all of k (k - 1) / 2
    pairs of trees are known to be apart. The size of a pair is read as that of the
    smaller cluster: so many samples change place with the answer.
    """
    edges, joins = model.pairs.edges, model.forest.joins
    scores = _across(model)
    sides = model.forest.sides(model.pairs.active.astype(np.float64))
    n_clusters = int(model.raw.max()) + 1
    scores[joins] = sides.min(axis=1) * chance(edges.rank[joins], n_clusters)
    scores[~askable] = 0.0
    return first_best(scores) if scores.any() else None


def _across(model: ForestModel) -> Floats:
    """Return the score of each edge between trees that may be one, 0 for others."""
    edges, trees = model.pairs.edges, model.raw
    a, b = trees[edges.first], trees[edges.second]
    free = np.flatnonzero((a != b) & ~model.bars(trees).between(a, b))
    sizes, n_clusters = model.sizes(trees), int(trees.max()) + 1
    scores = np.zeros(len(a))
    scores[free] = np.minimum(sizes[a[free]], sizes[b[free]])
    scores[free] *= chance(edges.rank[free], n_clusters)
    return scores


CAC1 = Method(
    "cac1",
    "CAC1: asks whether large clusters that are near each other are one.",
    begin_forest,
    learn_forest,
    partial(propose_edge, largest_and_nearest),
)
