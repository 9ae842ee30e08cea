"""Eigenpairs after a local change of the operator.

One more known sample changes few rows of the operator. What the old vectors lack then
is nearly of rank one: a few directions, a few steps of a Krylov space from them, and
the eigenpairs within the old vectors and these together. That applies the operator to
some 24 columns, where filtering the whole block would apply it to some 600.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from likewise.arrays import Floats, Indices
from likewise.engine.backend import Array, Backend
from likewise.engine.change import Change
from likewise.engine.filter import damped
from likewise.engine.operator import Operator
from likewise.engine.subspace import Ritz, ritz_of, spanned

DIRECTIONS = 8
STEPS = 3
LOOSE = 2  # columns tried around each sample that was set aside or taken back
ROUNDING = 1e-5  # what is left of a column of length 1 below this is rounding
SINGULAR = 1e-2  # mass of a direction that is in the other columns already


@dataclass(frozen=True, slots=True, eq=False)
class Repair:
    """What has to be added to the image of a basis under the operator before.

    Attributes
    ----------
    rows : array of shape (r,)
    change : array of shape (r, p)
    """

    rows: Array
    change: Array


def repair_of(change: Change, operator: Operator, ritz: Ritz) -> Repair:
    """Return what the image of a basis lacks after a change of the operator."""
    at = operator.graph.backend.indices(change.rows)
    return Repair(at, operator.at(change.rows, ritz.basis) - ritz.image[at])


def change_directions(change: Change, operator: Operator, repair: Repair) -> Array:
    """Return where to look for what the old vectors lack.

    The leading directions of the repair, and each new group by itself: a group may be
    an eigenvector of which the old vectors have nothing, and no residual would tell.
    """
    backend, turn = operator.graph.backend, _leading(operator, repair.change)
    start = backend.zeros(operator.n_samples, turn.shape[1] + len(change.groups))
    start[repair.rows, : turn.shape[1]] = repair.change @ backend.array(turn)
    samples, scale = operator.ties.samples, operator.ties.scale
    for column, members in enumerate(change.groups, start=turn.shape[1]):
        root = 1 / scale[np.searchsorted(samples, members)]
        smooth = backend.array(root / np.linalg.norm(root))
        start[backend.indices(members), column] = smooth
    return start


def loose_directions(
    change: Change, operator: Operator, values: Floats, seed: int
) -> Array:
    """Return something low around the samples that were set aside or taken back.

    What only they held to the rest, or hold together now, is an eigenvector of which
    the old vectors may have next to nothing: columns drawn around them, and filtered,
    will show it.
    """
    backend, count = operator.graph.backend, len(change.loose)
    columns = LOOSE * len(change.cut) if count else 0
    start = backend.zeros(operator.n_samples, columns)
    if columns:
        drawn = np.random.default_rng(seed).standard_normal((count, columns))
        start[backend.indices(change.loose)] = backend.array(drawn / np.sqrt(count))
        start = damped(operator, start, values[0], values[-1])
    return start


def residual_directions(operator: Operator, ritz: Ritz, wrong: Indices) -> Array:
    """Return the leading directions of the residuals of some columns."""
    backend = operator.graph.backend
    columns = backend.indices(wrong)
    values = backend.array(ritz.values[wrong])
    off = ritz.image[:, columns] - ritz.basis[:, columns] * values
    return backend.combined([off], [_leading(operator, off)])


def _leading(operator: Operator, columns: Array) -> Floats:
    _, turn = np.linalg.eigh(operator.graph.backend.gram(columns, columns))
    return turn[:, -DIRECTIONS:]


def extended(
    operator: Operator, ritz: Ritz, repair: Repair | None, start: Array, faint: float
) -> tuple[Ritz, int]:
    """Return the eigenpairs within a basis and a Krylov space beside it.

    Parameters
    ----------
    operator : Operator
    ritz : Ritz
        Eigenpairs of the operator, or of the one before if there is a repair.
    repair : Repair or None
    start : array of shape (n, d)
        Where the Krylov space begins.
    faint : float
        Directions of the start that are shorter are left out.

    Returns
    -------
    Ritz
        As many pairs as there were.
    int
        The columns that the operator was applied to.
    """
    backend, X = operator.graph.backend, ritz.basis
    blocks: list[Array] = []
    images: list[Array] = []
    crosses: list[Floats] = []
    inner = backend.gram(X, start)
    for step in range(STEPS):
        start = _without(backend, start, X, inner, blocks)
        block = spanned(backend, start, ROUNDING if step else faint)
        if not block.shape[1]:
            break
        inner = _cross(backend, ritz, repair, block)  # X'(A K) is (A X)'K
        start = operator @ block
        blocks, images = [*blocks, block], [*images, start]
        crosses = [*crosses, inner]
    p, nothing = len(ritz.values), backend.zeros(len(X), 0)
    K, AK = backend.beside([nothing, *blocks]), backend.beside([nothing, *images])
    cross = np.hstack([np.zeros((p, 0)), *crosses])
    values, turn = _inner_pairs(backend, ritz, repair, K, AK, cross)
    basis = backend.combined([X, K], [turn[:p], turn[p:]])
    image = backend.combined([ritz.image, AK], [turn[:p], turn[p:]])
    if repair is not None:
        image[repair.rows] += repair.change @ backend.array(turn[:p])
    return ritz_of(backend, values, basis, image), K.shape[1]


def _without(
    backend: Backend, V: Array, X: Array, inner: Floats, blocks: Sequence[Array]
) -> Array:
    """Return V less its parts along X, which are `inner`, and along the blocks."""
    parts = [-backend.gram(block, V) for block in blocks]
    factors = [np.eye(V.shape[1]), -inner, *parts]
    return backend.combined([V, X, *blocks], factors)


def _cross(backend: Backend, ritz: Ritz, repair: Repair | None, K: Array) -> Floats:
    """Return (A X)'K for the operator A as it is now."""
    cross = backend.gram(ritz.image, K)
    if repair is not None:
        cross = cross + backend.gram(repair.change, K[repair.rows])
    return cross


def _inner_pairs(
    backend: Backend,
    ritz: Ritz,
    repair: Repair | None,
    K: Array,
    AK: Array,
    cross: Floats,
) -> tuple[Floats, Floats]:
    """Return the eigenpairs within the basis and K, as coefficients of their columns.

    K is orthogonal to the basis as far as float32 goes; the rest is in the mass matrix.
    """
    X, p, top = ritz.basis, len(ritz.values), np.diag(ritz.values)
    if repair is not None:
        top = top + backend.gram(X[repair.rows], repair.change)
    inner = np.block([[top, cross], [cross.T, backend.gram(K, AK)]])
    overlap = backend.gram(X, K)
    mass = np.block([[np.eye(p), overlap], [overlap.T, backend.gram(K, K)]])
    spread, axes = np.linalg.eigh(mass)
    usable = spread > SINGULAR
    axes = axes[:, usable] / np.sqrt(spread[usable])
    values, turn = np.linalg.eigh(axes.T @ (inner + inner.T) @ axes / 2)
    return values[:p], axes @ turn[:, :p]
