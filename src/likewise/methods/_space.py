"""Where the samples lie, for methods that measure distances."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sp

from likewise._arrays import Floats, Indices, Samples
from likewise.knowledge import Knowledge
from likewise.methods._problem import Problem
from likewise.methods._recipe import Recipe
from likewise.methods.constrained import ExactClustering

DIGITS = 9  # of coordinates over the largest; the rest may be rounding


@dataclass(frozen=True)
class Space:
    """Where the samples lie, computed when somebody first looks.

    Attributes
    ----------
    problem : Problem
    n_axes : int
        How many eigenvectors stand for the features where there are none.
    """

    problem: Problem
    n_axes: int

    @cached_property
    def coordinates(self) -> Samples:
        """The features around zero, of shape (n, d).

        Where only similarities were given, the samples in the eigenspace of the plain
        graph: the lowest eigenvectors of its normalised Laplacian, rows of length 1.
        Sparse features stay sparse, and where they are.
        """
        X = self.problem.features
        if X is None:
            nothing = Knowledge(self.problem.n_samples)
            return ExactClustering(
                self.problem, Recipe(), self.n_axes, nothing
            ).coordinates
        return X if sp.issparse(X) else X - X.mean(axis=0)

    @cached_property
    def levelled(self) -> Samples:
        """The coordinates over the largest of them, to nine decimals.

        For k-means, and whatever else is sensitive to the last digits: these depend on
        the unit of the features and on the processor.
        """
        X = self.coordinates
        if sp.issparse(X):
            return X.multiply(1 / (abs(X).max() or 1.0)).round(DIGITS).tocsr()
        return np.round(X / (np.abs(X).max(initial=0.0) or 1.0), DIGITS)

    def to_nearest(self, samples: Indices, others: Indices) -> Floats:
        """Return the distance of each sample to the nearest of the others."""
        from sklearn.metrics import pairwise_distances_argmin_min

        X = self.coordinates
        return pairwise_distances_argmin_min(X[samples], X[others])[1]


def k_means_clusters(X: Samples, k: int, *, n_starts: int, seed: int) -> Indices:
    """Return the clusters of k-means, from starts that a seed draws.

    Where samples are equal there may be fewer clusters, and nobody is warned of it.
    """
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        found = KMeans(k, n_init=n_starts, random_state=seed).fit_predict(X)
    return np.asarray(found, dtype=np.intp)
