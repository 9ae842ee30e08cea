"""What was given, and what is derived from it once."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from typing import TypeAlias, TypeVar, cast

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from likewise._arrays import Samples, Sparse, Weights, described, whole_or_none
from likewise._cached import Form, digest_of
from likewise.affinity import Affinity, Clock, Closeness, Report, affinity_of, checked
from likewise.errors import InputError

T = TypeVar("T")
Kind: TypeAlias = "str | Callable[[Samples], Weights]"


@dataclass(frozen=True, slots=True)
class Problem:
    """Samples to be clustered, and what methods derive from them alone.

    Attributes
    ----------
    affinity : Affinity
        How alike the samples are.
    n_clusters : int or None
        How many groups there are; None when nobody knows.
    device : str
        Where neighbours among many samples are searched and a large spectrum is solved
        for: "cpu", or "cuda" for a graphics card.
    """

    affinity: Affinity
    n_clusters: int | None = None
    device: str = "cpu"
    _derived: dict[Hashable, object] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @property
    def n_samples(self) -> int:
        """How many samples there are."""
        return int(self.weights.shape[0])

    @property
    def weights(self) -> Weights:
        """The similarity matrix W of the paper, before any constraint."""
        return self.affinity.weights

    @property
    def neighbours(self) -> Sparse:
        """Weights from each sample to its nearest neighbours."""
        return self.affinity.neighbours

    @property
    def features(self) -> Samples | None:
        """The samples themselves, or None when only similarities were given."""
        return self.affinity.features

    @property
    def closeness(self) -> Closeness:
        """How close other samples are to one sample."""
        return self.affinity.closeness

    def once(self, key: Hashable, derive: Callable[[], T]) -> T:
        """Return what is derived from the data alone, computed the first time only.

        An undo or a sample set aside needs no new solution of what never changed.
        """
        if key not in self._derived:
            self._derived[key] = derive()
        return cast(T, self._derived[key])

    def kept(
        self, kind: str, key: Hashable, derive: Callable[[], T], form: Form[T]
    ) -> T:
        """Return the same from where it is kept beside the data, if it is.

        Parameters
        ----------
        kind : str
            What it is, in a word.
        key : hashable
            What it depends on besides the problem; written out, it says all.
        derive : callable
        form : Form
        """
        return self.once((kind, key), lambda: self._kept(kind, key, derive, form))

    def _kept(
        self, kind: str, key: Hashable, derive: Callable[[], T], form: Form[T]
    ) -> T:
        cache = self.affinity.cache
        if cache is None:
            return derive()
        named = digest_of(self.digest, kind, key)
        arrays = cache.read(kind, named)
        if arrays is not None:
            return form.unpacked(arrays)
        made = derive()
        cache.keep(kind, named, form.packed(made))
        return made

    @property
    def digest(self) -> str:
        """What tells the problem from all others."""
        return self.once("digest", self._digest)

    def _digest(self) -> str:
        data = self.affinity.mark or self.features
        return digest_of(self.weights, data, self.n_clusters, self.device)

    def kept_by(self, keep: Callable[[Affinity], Affinity]) -> Problem:
        """Return the problem with an affinity that somebody keeps."""
        return replace(self, affinity=keep(self.affinity))

    def without(self, aside: frozenset[int]) -> Problem:
        """Return the problem with some samples cut out of the graph.

        The last one is kept, with all that was derived from it.
        """
        if not aside:
            return self
        last = self._derived.get("cut")
        if not isinstance(last, _Cut) or last.aside != aside:
            last = self._derived["cut"] = _Cut(aside, self._cut(aside))
        return last.problem

    def _cut(self, aside: frozenset[int]) -> Problem:
        kept = np.ones(self.n_samples, dtype=bool)
        kept[list(aside)] = False
        cut = replace(
            self.affinity,
            weights=_masked(self.weights, kept),
            neighbours=_masked(self.neighbours, kept),
        )
        return Problem(cut, self.n_clusters, self.device)


@dataclass(frozen=True, slots=True, eq=False)
class _Cut:
    aside: frozenset[int]
    problem: Problem


def problem_of(
    X: Samples,
    *,
    affinity: Kind,
    n_clusters: int | None,
    device: str = "cpu",
    progress: Report | None = None,
    clock: Clock | None = None,
) -> Problem:
    """Return the problem of clustering ``X``, or say what is wrong with it.

    `progress` and `clock` are those of :func:`~likewise.affinity.auto`.
    """
    device = checked(device)  # before what may take minutes
    k = None if n_clusters is None else whole_or_none(n_clusters)
    if n_clusters is not None and k is None:
        raise InputError(
            f"n_clusters must be a whole number or None, but it is "
            f"{described(n_clusters)}."
        )
    if progress is not None and not callable(progress):
        raise InputError(
            f"progress must be a function of (done, total), but it is "
            f"{described(progress)}."
        )
    similar = affinity_of(X, affinity, device=device, progress=progress, clock=clock)
    n_samples = similar.weights.shape[0]
    if k is not None and not 1 <= k <= n_samples:
        raise InputError(
            f"n_clusters must be between 1 and the number of samples ({n_samples}), "
            f"but it is {k}."
        )
    return Problem(similar, k, device)


def _masked(W: Weights, kept: NDArray[np.bool_]) -> Weights:
    if not sp.issparse(W):
        return W * np.outer(kept, kept)
    is_kept = np.repeat(kept, np.diff(W.indptr)) & kept[W.indices]
    n_cut = np.searchsorted(np.flatnonzero(~is_kept), W.indptr)
    starts = (W.indptr - n_cut).astype(W.indptr.dtype)
    return sp.csr_array((W.data[is_kept], W.indices[is_kept], starts), W.shape)
