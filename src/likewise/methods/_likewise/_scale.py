"""How a problem is worked on: what is kept of it, how exactly, and of how many."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from likewise._arrays import AnyFloats, Floats, Indices


class Covering(Protocol):
    """How well the settled samples cover the others."""

    @property
    def noise(self) -> float:
        """Of an answer at a sample."""

    @property
    def variance(self) -> AnyFloats:
        """What is left of each sample's uncertainty, of shape (n,)."""

    def variance_at(self, samples: Indices) -> Floats:
        """Return the same for some samples, to all digits."""

    def lengths(self, samples: Indices) -> AnyFloats:
        """Return how far an answer at each sample would reach, squared."""

    def after(self, sample: int, sign: int = 1) -> Covering:
        """Return the same with one more settled sample, or one less (-1)."""


class Telling(Protocol):
    """Which class is near, by the classes of the settled samples."""

    def at(self, samples: slice | Indices) -> AnyFloats:
        """Return how much speaks for each class at some samples, of shape (s, m)."""

    def left_out(self, settled: Indices, classes: Indices) -> Floats:
        """Return the same at settled samples, had each not been settled."""


@dataclass(frozen=True, slots=True)
class Scale:
    """A choice of pieces and of numbers, for few samples or for many.

    Attributes
    ----------
    dtype : type
        Of what is kept for every sample.
    n_vectors : callable
        ``n_vectors(n, groups)``: how many eigenvectors n samples have.
    n_looked : callable
        ``n_looked(n)``: how many eigenvalues are looked at when the number of groups is
        not known.
    digits : int
        To which gains are compared: rounding must not choose.
    handed_on : callable
        ``handed_on(state, beliefs)``: what to go on from to a state for other beliefs,
        or None.
    coverage, field, around, picture : callable
        What posteriors, surroundings and pictures are made with.
    graph_basis, feature_basis : callable
        What class indicators are regressed on.
    """

    dtype: Any
    n_vectors: Callable[[int, int], int]
    n_looked: Callable[[int], int]
    digits: int
    handed_on: Callable[[Any, Any], Any]
    coverage: Callable[..., Covering]
    field: Callable[..., Telling]
    around: Callable[..., Any]
    picture: Callable[..., Any]
    graph_basis: Callable[..., Any]
    feature_basis: Callable[..., Any]
