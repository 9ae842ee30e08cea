"""Few samples or many: what differs between the exact and the large regime.

There is one way to compute everything, a block of rows at a time; few samples fit into
a block or two. They differ in how many digits are kept, and in the kernel of the
features, which is factored for few and found from some for many.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from likewise import _regime
from likewise._arrays import spans
from likewise._ties import slight
from likewise.spectral import DOUBLE, Array, Backend, backend_for, backend_of

ROWS = 4096  # samples looked at together: what is made of them stays in the cache
CARD_ROWS = 1 << 24  # the same on a card, which works on all of them at once
N_VECTORS = 50  # eigenvectors at least
N_EXTRA = 10  # eigenvectors beyond the groups at least
N_LOOKED = 200  # eigenvalues looked at when the number of groups is not known
N_NUMBERS = 6 * 10**7  # of all eigenvectors together; of 5,000 samples all would fit


@dataclass(frozen=True, slots=True)
class Regime:
    """How exactly a problem is worked on, and of how much.

    Attributes
    ----------
    dtype : type
        Of what is kept for every sample.
    faint : float
        Weight of an expert up to which it is not asked about all samples.
    """

    dtype: type[np.float64] | type[np.float32]
    faint: float

    @property
    def slight(self) -> float:
        """How far gains tie with the best: rounding must not choose."""
        return slight(self.dtype)

    def backend(self, device: str) -> Backend:
        """Return what works on all samples: few stay on the processor."""
        return DOUBLE if self.dtype is np.float64 else backend_for(device)


EXACT = Regime(np.float64, faint=0.0)
LARGE = Regime(np.float32, faint=1e-6)


def regime_for(n_samples: int) -> Regime:
    """Return how exactly so many samples are worked on."""
    return EXACT if n_samples <= _regime.FLAGSHIP_EXACT else LARGE


def parts(values: Array) -> Iterator[slice]:
    """Yield slices of an array's rows, as many at a time as suits where it is."""
    is_here = backend_of(values).is_processor
    return spans(len(values), ROWS if is_here else CARD_ROWS)


def n_vectors(n: int, groups: int) -> int:
    """Return how many eigenvectors n samples have: four for each group, if they fit.

    Examples
    --------
    >>> [n_vectors(n, 50) for n in (100, 10_000, 500_000, 1_000_000)]
    [100, 200, 120, 60]
    """
    most = max(N_NUMBERS // n, groups + N_EXTRA)
    return min(n, max(N_VECTORS, 4 * groups), most)


def n_looked(n: int) -> int:
    """Return how many eigenvalues are looked at for groups: 60 of a million samples."""
    return min(n, max(n // 3, 3), N_LOOKED, max(N_NUMBERS // n, N_VECTORS))
