"""Tiny problems, made and not stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from likewise._arrays import Floats, Indices


@dataclass(frozen=True, slots=True)
class Tiny:
    """Samples (or a similarity) and the classes they are of."""

    X: Floats
    truth: Indices


def blobs(sizes: Sequence[int], *, spread: float = 0.3, seed: int = 0) -> Tiny:
    """Return one round heap a class, on a circle of radius 4, in mixed order."""
    rng = np.random.default_rng(seed)
    angle = 2 * np.pi * np.arange(len(sizes)) / len(sizes)
    centres = 4 * np.column_stack([np.cos(angle), np.sin(angle)])
    truth = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    X = centres[truth] + spread * rng.standard_normal((len(truth), 2))
    return Tiny(X, truth)


def two_cliques_and_a_bridge() -> Tiny:
    W = np.zeros((9, 9))
    W[:4, :4] = W[5:, 5:] = 1.0
    W[4, [3, 5]] = W[[3, 5], 4] = 1.0
    np.fill_diagonal(W, 0.0)
    return Tiny(W, np.array([0, 0, 0, 0, 0, 1, 1, 1, 1]))


def random_affinity(n: int, rng: np.random.Generator) -> Floats:
    """Return a dense symmetric similarity in general position."""
    W = np.triu(rng.uniform(0.1, 1.0, (n, n)), 1)
    return W + W.T
