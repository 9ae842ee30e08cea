"""Numbers and clusters of all samples that stay where the samples are worked on.

Only what somebody looks at is brought here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from numpy.typing import DTypeLike, NDArray

from likewise._arrays import Indices
from likewise.spectral._backend import Array, backend_of


@dataclass(frozen=True, slots=True, eq=False)
class DeviceNumbers:
    """A number for each sample.

    Attributes
    ----------
    values : array of shape (n,)
        Where a backend keeps them.
    place : array of shape (n,) or None
        Where each sample stands in there; None where it stands at its number.
    order : ndarray of shape (n,) or None
        Which sample stands there.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.spectral import SINGLE
    >>> turned = SINGLE.indices([1, 0]), np.array([1, 0])
    >>> found = DeviceNumbers(SINGLE.array([0.5, 2.0]), *turned)
    >>> found.take(np.array([0])).tolist()
    [2.0]
    """

    values: Array
    place: Array | None = None
    order: Indices | None = None

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, samples: Indices | slice, /) -> NDArray[Any]:
        """Return the numbers of some samples, as an ordinary array."""
        backend = backend_of(self.values)
        which = samples if isinstance(samples, slice) else backend.indices(samples)
        there = which if self.place is None else self.place[which]
        return self._here(self.values[there])

    def __iter__(self) -> Iterator[Any]:
        """Go through all numbers, brought here at once."""
        return iter(self[slice(None)])

    def take(self, samples: Indices) -> NDArray[Any]:
        """Return the same of listed samples."""
        return self[samples]

    def sample_at(self, at: Indices) -> Indices:
        """Return the samples that stand at some places."""
        return at if self.order is None else self.order[at]

    def __array__(
        self,
        dtype: DTypeLike | None = None,
        copy: bool | None = None,  # noqa: FBT001 - as numpy calls it
    ) -> NDArray[Any]:
        """Return all numbers as an ordinary array."""
        found = self[slice(None)]
        return found if dtype is None else found.astype(dtype, copy=bool(copy))

    def _here(self, values: Array) -> NDArray[Any]:
        return backend_of(values).host(values)


@dataclass(frozen=True, slots=True, eq=False)
class DeviceClusters(DeviceNumbers):
    """The cluster of each sample, as :class:`~likewise.knowledge.Clusters`.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.spectral import SINGLE
    >>> found = DeviceClusters(SINGLE.indices([1, 0, 1]))
    >>> found.counts.tolist(), found.called(np.array([5, 7])).tolist()
    ([1, 2], [7, 5, 7])
    """

    @property
    def counts(self) -> Indices:
        """How many samples each cluster has, up to the last that has any."""
        return self._here(backend_of(self.values).tally(self.values, None, 0))

    def called(self, names: Indices) -> Indices:
        """Return the name of each sample's cluster, as an array of its own."""
        found = backend_of(self.values).indices(names)[self.values]
        return self._here(found if self.place is None else found[self.place])

    def _here(self, values: Array) -> Indices:
        return backend_of(values).host_indices(values)
