"""What a data set is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likewise._arrays import Floats, Indices


@dataclass(frozen=True)
class Dataset:
    """Samples with their true classes.

    Attributes
    ----------
    name : str
    X : ndarray of shape (n_samples, n_features)
        Ready for Euclidean distance.
    y : ndarray of shape (n_samples,)
        The classes, 0..k-1.
    scaling : str
        What was done to the features to make them so.
    paper_affinity : str
        The kernel that the paper used for data of this kind.
    raw : ndarray of shape (n_samples, n_features), or None
        The features as they are stored, where that is not `X`; the chi-square kernel
        takes histograms.
    """

    name: str
    X: Floats
    y: NDArray[np.intp]
    scaling: str
    paper_affinity: str = "gaussian"
    raw: Floats | None = None

    @property
    def n_classes(self) -> int:
        """How many classes there are."""
        return int(self.y.max()) + 1

    def subset(self, kept: Indices) -> Dataset:
        """Return some of the samples, in the order given."""
        raw = None if self.raw is None else self.raw[kept]
        return replace(self, X=self.X[kept], y=self.y[kept], raw=raw)

    def nine_tenths(self, seed: int) -> Dataset:
        """Return 90 % of the samples, drawn and shuffled with a seed."""
        n = len(self.y)
        return self.subset(np.random.default_rng(seed).permutation(n)[: int(0.9 * n)])

    def samples_for(self, affinity: Any) -> Floats:
        """Return the features that suit an affinity."""
        return self.raw if affinity == "chi2" and self.raw is not None else self.X


def coded(classes: Any) -> NDArray[np.intp]:
    """Return classes as numbers 0..k-1."""
    return np.unique(np.asarray(classes), return_inverse=True)[1].astype(np.intp)
