"""Few samples, and many: which pieces and numbers each is worked on with."""

from __future__ import annotations

import numpy as np

from likewise.methods._likewise._bases import (
    feature_basis,
    graph_basis,
    sampled_basis,
    scaled_vectors,
)
from likewise.methods._likewise._posterior import (
    Coverage,
    Field,
    LeanCoverage,
    LeanField,
)
from likewise.methods._likewise._probabilities_exact import Whole
from likewise.methods._likewise._probabilities_large import Panorama
from likewise.methods._likewise._scale import Scale
from likewise.methods._likewise._state import always, while_it_holds
from likewise.methods._likewise._surroundings import Surroundings, Survey

N_FEW = 5000  # samples up to which everything is kept, in float64
N_VECTORS = 50  # eigenvectors at least
N_EXTRA = 10  # eigenvectors beyond the groups at least
N_LOOKED = 200  # eigenvalues looked at when the number of groups is not known
N_NUMBERS = 6 * 10**7  # of all eigenvectors together, where there are many samples


def four_for_each(n: int, groups: int) -> int:
    """Return how many eigenvectors few samples have: four for each group."""
    return min(n, max(N_VECTORS, 4 * groups))


def as_many_as_fit(n: int, groups: int) -> int:
    """Return how many eigenvectors many samples have: four for each group, if they fit.

    Examples
    --------
    >>> [as_many_as_fit(n, 50) for n in (10_000, 500_000, 1_000_000)]
    [200, 120, 60]
    """
    most = max(N_NUMBERS // n, groups + N_EXTRA)
    return min(four_for_each(n, groups), most)


def a_third(n: int) -> int:
    """Return how many eigenvalues are looked at of few samples."""
    return min(n, max(n // 3, 3), N_LOOKED)


def some_sixty(n: int) -> int:
    """Return how many eigenvalues are looked at of many samples: 60 of a million."""
    return min(a_third(n), max(N_NUMBERS // n, N_VECTORS))


FEW = Scale(
    dtype=np.float64,
    n_vectors=four_for_each,
    n_looked=a_third,
    digits=9,
    handed_on=always,
    coverage=Coverage.of,
    field=Field.of,
    around=Surroundings,
    picture=Whole,
    graph_basis=graph_basis,
    feature_basis=feature_basis,
)
MANY = Scale(
    dtype=np.float32,
    n_vectors=as_many_as_fit,
    n_looked=some_sixty,
    digits=6,
    handed_on=while_it_holds,
    coverage=LeanCoverage.of,
    field=LeanField.of,
    around=Survey,
    picture=Panorama,
    graph_basis=scaled_vectors,
    feature_basis=sampled_basis,
)


def scale_for(n_samples: int) -> Scale:
    """Return how so many samples are worked on."""
    return FEW if n_samples <= N_FEW else MANY
