"""Graphs to run the engine on, and what it should find, worked out densely."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from sklearn.neighbors import NearestNeighbors

from likewise._arrays import AnyFloats, Floats, Indices, Sparse, dense
from likewise.affinity import auto
from likewise.knowledge import Constraints
from likewise.spectral import (
    Blocks,
    ConstrainedWeights,
    Graph,
    Laplacian,
    Operator,
    Pairs,
    known_blocks,
    operator_of,
    signed_normalised,
)
from likewise.spectral._eigen_cold import FINEST
from likewise.spectral._eigen_filter import ritz_of
from likewise.spectral._laplacian_large import TOP


@dataclass(frozen=True)
class Crowd:
    """A graph of nearest neighbours, and the classes of its samples."""

    weights: Sparse
    truth: Indices


def crowd(n: int, n_classes: int, *, spread: float = 1.5, seed: int = 0) -> Crowd:
    """Return clouds in 6 dimensions, with their 10 nearest neighbours either way.

    The larger the spread of their centres, the wider the gap after `n_classes`
    eigenvalues.
    """
    rng = np.random.default_rng(seed)
    truth = rng.integers(n_classes, size=n)
    X = rng.normal(scale=spread, size=(n_classes, 6))[truth] + rng.normal(size=(n, 6))
    distance, index = NearestNeighbors(n_neighbors=10).fit(X).kneighbors()
    scale = distance[:, 6]
    weights = np.exp(-(distance**2) / (scale[:, np.newaxis] * scale[index]))
    starts = np.arange(0, 10 * n + 1, 10)
    directed = sp.csr_array((weights.ravel(), index.ravel(), starts), shape=(n, n))
    return Crowd(sp.csr_array(directed.maximum(directed.T)), truth)


def cliques(sizes: Sequence[int]) -> Sparse:
    """Return groups of which all members are alike, and nothing between them."""
    blocks = [np.ones((size, size)) - np.eye(size) for size in sizes]
    return sp.csr_array(sp.block_diag(blocks))


def ring_of_cliques(count: int, size: int, link: float) -> Sparse:
    """Return cliques, each tied to the next; `count` eigenvalues are far below 1."""
    inside = np.kron(np.eye(count), np.ones((size, size)) - np.eye(size))
    one_way = np.kron(np.roll(np.eye(count), 1, axis=1), np.ones((size, size)))
    return sp.csr_array(inside + link * (one_way + one_way.T))


def nearly_in_parts(seed: int) -> tuple[Laplacian, int]:
    """Return a graph with several nearly equal eigenvalues, and how many are wanted.

    By turns far heaps, heaps at any distance, copies that a faint edge ties, and a
    lattice, whose eigenvalues come in pairs; in each third some samples are known.
    """
    rng = np.random.default_rng(seed)
    n, parts, d = (int(rng.integers(*ends)) for ends in ((420, 800), (2, 14), (2, 8)))
    truth = rng.integers(parts, size=n)
    if seed % 4 == 0:
        far = 30 * np.eye(parts)[truth]
        W = auto(far + 0.3 * rng.standard_normal(far.shape)).weights
    elif seed % 4 == 1:
        middles = rng.normal(scale=10.0, size=(parts, d))
        W = auto(middles[truth] + rng.standard_normal((n, d))).weights
    elif seed % 4 == 2:
        size = n // parts
        copy = dense(auto(rng.standard_normal((size, d))).weights)
        tie = np.kron(
            np.roll(np.eye(parts), 1, axis=1), np.eye(size, 1) @ np.eye(1, size)
        )
        faint = 10.0 ** -rng.integers(3, 13)
        W = sp.csr_array(np.kron(np.eye(parts), copy) + faint * (tie + tie.T))
    else:
        W = lattice(int(rng.integers(21, 27)))
    truth = rng.integers(parts, size=W.shape[0])
    some = rng.permutation(W.shape[0])[: int(rng.integers(2, 60))]
    known = certain(truth, some) if seed % 3 == 0 else NOTHING
    return laplacian_under(W, known), int(rng.integers(2, parts + 8))


def lattice(side: int) -> Sparse:
    """Return a square of samples, each tied to those beside it."""
    row = sp.diags_array([1.0, 1.0], offsets=[-1, 1], shape=(side, side))
    return sp.csr_array(sp.kronsum(row, row))


def heaps(n: int, seed: int = 0) -> Floats:
    """Return three clear heaps of points in the plane."""
    rng = np.random.default_rng(seed)
    middles = np.array([[0.0, 0.0], [8.0, 0.0], [0.0, 8.0]])
    return middles[rng.integers(3, size=n)] + rng.standard_normal((n, 2))


def isolated(n: int) -> Sparse:
    return sp.csr_array((n, n))


def certain(truth: Indices, samples: Indices) -> Blocks:
    """Return some samples with their classes known, classes apart from each other."""
    _, group = np.unique(truth[samples], return_inverse=True)
    count = int(group.max(initial=-1)) + 1
    apart = sp.csr_array(np.ones((count, count)) - np.eye(count))
    return Blocks(np.asarray(samples, dtype=np.intp), group, apart)


def everything(constraints: Constraints) -> Blocks:
    return known_blocks(constraints, tuple(constraints.members))


NOTHING = everything(Constraints())


def operator_under(
    graph: Graph,
    known: Blocks = NOTHING,
    *,
    cannot_link: float = 0.0,
    aside: Sequence[int] = (),
) -> Operator:
    return operator_of(
        graph,
        known.samples,
        known.group,
        known.apart,
        cannot_link=cannot_link,
        aside=aside,
    )


def laplacian_under(
    W: Sparse,
    known: Blocks = NOTHING,
    *,
    cannot_link: float = 0.0,
    aside: Sequence[int] = (),
) -> Laplacian:
    """Return the same operator as the rest of the package has it, in float64."""
    kept = np.ones(W.shape[0])
    kept[list(aside)] = 0.0
    cut = sp.csr_array(sp.diags_array(kept) @ W @ sp.diags_array(kept))
    cut.eliminate_zeros()
    return signed_normalised(ConstrainedWeights.of(cut, known, cannot_link))


def eigenvalues(laplacian: Laplacian) -> Floats:
    return np.linalg.eigvalsh(laplacian.toarray()).astype(np.float64)


def exact_pairs(operator: Operator, laplacian: Laplacian, wanted: int) -> Pairs:
    """Return pairs that are exact, guards too."""
    graph, p = operator.graph, wanted + 10
    values, vectors = np.linalg.eigh(laplacian.toarray())
    basis = graph.backend.array(vectors[graph.order, :p])
    ritz = ritz_of(graph.backend, values[:p], basis, operator @ basis)
    return Pairs(operator, ritz, wanted, columns=0)


def angle_left(values: Floats, k: int, tolerance: float) -> float:
    """Return the largest angle that residuals leave to k vectors, in degrees.

    Davis and Kahan: the sine of the angle between the span of k columns with residuals
    R and the eigenvectors is at most the length of R over the distance of their values
    from all others. Each column of R is at most the tolerance times the top of the
    spectrum, R at most the root of k times that, and so are the values off. A gap that
    is not much larger than R promises nothing, and a scene with one shows nothing.
    """
    off = np.sqrt(k) * TOP * (tolerance + FINEST)
    gap = values[k] - values[k - 1] - off
    assert gap > 4 * off, "choose a scene with a wider gap"
    return float(np.degrees(np.arcsin(off / gap)))


def largest_angle(A: AnyFloats, B: AnyFloats) -> float:
    """Return the largest angle between two subspaces, in degrees."""
    A, B = (np.linalg.qr(V.astype(np.float64))[0] for V in (A, B))
    sine = float(np.linalg.norm(B - A @ (A.T @ B), 2))
    return float(np.degrees(np.arcsin(min(1.0, sine))))
