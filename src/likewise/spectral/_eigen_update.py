"""Eigenpairs after a local change of the operator.

One more known sample changes few rows of the operator. What the old vectors lack then
is nearly of rank one: a few directions, a few steps of a Krylov space from them, and
the eigenpairs within the old vectors and these together. That applies the operator to
some 24 columns, where filtering the whole block would apply it to some 600.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from likewise._arrays import Floats, Indices
from likewise._cores import all_cores
from likewise.errors import InputError
from likewise.spectral._backend import Array, Backend
from likewise.spectral._eigen_cold import (
    GUARDS,
    TOLERANCE,
    Pairs,
    Progress,
    refined,
    solve,
    sufficient,
)
from likewise.spectral._eigen_filter import (
    DEGREE,
    Ritz,
    damped,
    degree_for,
    drawn,
    filtered,
    orthonormal,
    rayleigh_ritz,
    ritz_of,
    spanned,
)
from likewise.spectral._laplacian_large import TOP, Operator

DIRECTIONS = 8
STEPS = 3
LOOSE = 2  # columns tried around each sample that was set aside or taken back
ROUNDING = 1e-5  # what is left of a column of length 1 below this is rounding
SINGULAR = 1e-2  # mass of a direction that is in the other columns already


@dataclass(frozen=True, slots=True, eq=False)
class Change:
    """What an answer, or a few, have changed; in the engine's order.

    Attributes
    ----------
    rows : ndarray of shape (r,)
        The rows in which the operators differ are among these; ascending. They are the
        known samples, those whose scale has changed, and the neighbours of these.
    groups : tuple of ndarray
        The members of each group that is none of the groups before.
    cut : ndarray of shape (c,)
        The samples that were set aside, or taken back.
    loose : ndarray of shape (l,)
        Those and their neighbours, as far as they are not aside now.
    """

    rows: Indices
    groups: tuple[Indices, ...]
    cut: Indices
    loose: Indices


def change_between(before: Operator, after: Operator) -> Change:
    """Return the change from one operator of a graph to another."""
    normal = before.graph.normal
    either = np.union1d(before.touched.samples, after.touched.samples)
    was, is_ = (side.touched.ratio_of(either) for side in (before, after))
    moved = either[was != is_]
    beside = normal[moved].indices.astype(np.intp)
    known = np.union1d(before.ties.samples, after.ties.samples)
    cut = np.setxor1d(after.aside, before.aside)
    around = np.union1d(cut, normal[cut].indices.astype(np.intp))
    return Change(
        rows=np.union1d(known, np.union1d(moved, beside)),
        groups=_new_groups(before, after),
        cut=cut,
        loose=np.setdiff1d(around, after.aside),
    )


def _new_groups(before: Operator, after: Operator) -> tuple[Indices, ...]:
    old, new = before.ties, after.ties
    was = np.full(len(new.samples), -1)
    _, here, there = np.intersect1d(
        new.samples, old.samples, assume_unique=True, return_indices=True
    )
    was[here] = old.group[there]
    first = np.full(int(new.group.max(initial=-1)) + 1, -1)
    first[new.group] = was
    is_mixed = was != first[new.group]
    sizes_before = np.bincount(old.group, minlength=1)[first]
    has_grown = np.bincount(new.group, minlength=len(first)) != sizes_before
    is_new = has_grown | (first < 0)
    is_new[new.group[is_mixed]] = True
    present = np.unique(new.group)
    return tuple(new.samples[new.group == g] for g in present[is_new[present]])


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


def loose_directions(change: Change, operator: Operator, values: Floats) -> Array:
    """Return something low around the samples that were set aside or taken back.

    What only they held to the rest, or hold together now, is an eigenvector of which
    the old vectors may have next to nothing: columns drawn around them, and filtered,
    will show it.
    """
    backend, count = operator.graph.backend, len(change.loose)
    columns = LOOSE * len(change.cut) if count else 0
    start = backend.zeros(operator.n_samples, columns)
    if columns:
        around = np.random.default_rng(0).standard_normal((count, columns))
        first = np.argsort(operator.graph.order[change.loose])  # as the caller counts
        at = backend.indices(change.loose[first])
        start[at] = backend.array(around / np.sqrt(count))
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


FINE = 5e-5  # below this a pass of the filter takes less time than local ones
FAINT = 0.1  # of the tolerance: directions of change that are not worth a column
NEARLY = 2.0  # of what they aim at: what local passes may leave
HALVED = 0.5  # of the residual before: a local pass that leaves more is the last
LOCAL_PASSES = 4
FILTER_PASSES = 6
SPARE = 5  # guards that are left before the block grows
REFRESHED = 100  # changes after which rounding is cleared away


@all_cores()
def updated(
    pairs: Pairs,
    operator: Operator,
    *,
    wanted: int | None = None,
    tolerance: float = TOLERANCE,
    used: int | None = None,
    progress: Progress | None = None,
) -> Pairs:
    """Return the lowest eigenpairs of an operator that has changed a little.

    Parameters
    ----------
    pairs : Pairs
        Those of an operator of the same graph; they stay as they are.
    operator : Operator
        What they are to be of.
    wanted : int, optional
        How many are wanted now, where that has changed.
    tolerance, used, progress
        As in :func:`~likewise.spectral._eigen_cold.solve`.

    Returns
    -------
    Pairs

    Notes
    -----
    After one answer that is one pass over few columns. More passes follow as long as
    the residual asks for them; passes of the filter over the whole block where the
    tolerance is below 5e-5, where a guard is wanted now, or where local passes are of
    no use; and a solution from nothing where many groups have changed at once, where
    the samples are few, or where the residual does not drop. Residuals end where those
    of a solution from nothing do, or at 5e-5, so that both span the same space.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> from likewise.spectral import graph_of, operator_of, solve
    >>> ring = sp.csr_array(np.roll(np.eye(99), 1, axis=1))
    >>> graph = graph_of(ring + ring.T)
    >>> pairs = solve(operator_of(graph), 4)
    >>> linked = operator_of(graph, samples=[0, 50], group=[0, 0])
    >>> later = updated(pairs, linked)
    >>> later.columns < pairs.columns, later.worst < 1e-3
    (True, True)
    """
    if operator.graph is not pairs.operator.graph:
        raise InputError("These eigenpairs are of another graph: solve anew.")
    wanted = min(pairs.wanted if wanted is None else wanted, operator.n_samples)
    used, change = used or wanted, change_between(pairs.operator, operator)
    if _is_small(change) and _has_room(pairs, wanted):
        needed = _aim(pairs, used, tolerance)
        found = _changed(pairs, operator, change, needed)
        if wanted > pairs.wanted:
            found = _grown(found, wanted)
        else:
            found = _settled(replace(found, wanted=wanted), needed)
            found = _sifted(found, _enough(found, used, tolerance))
        if found.worst > _enough(found, used, tolerance):
            found = refined(found, tolerance, used, progress, max_passes=FILTER_PASSES)
        elif progress is not None:
            progress(1, found.worst)
        if found.worst <= _enough(found, used, tolerance):
            return found
    return solve(operator, wanted, tolerance=tolerance, used=used, progress=progress)


def _aim(pairs: Pairs, used: int, tolerance: float) -> float:
    """Return the residual that local passes aim at: none of them reaches less."""
    needed = sufficient(pairs.values, used, tolerance)
    return needed if tolerance < FINE else max(needed, FINE)


def _enough(pairs: Pairs, used: int, tolerance: float) -> float:
    """Return the residual that passes may leave: no cheap one would halve it."""
    aim = _aim(pairs, used, tolerance)
    return max(aim, min(NEARLY * aim, tolerance))


def _is_small(change: Change) -> bool:
    return len(change.groups) <= DIRECTIONS and len(change.cut) <= DIRECTIONS


def _has_room(pairs: Pairs, wanted: int) -> bool:
    """Tell whether samples are so many that going on is less work than starting."""
    width = max(len(pairs.values), wanted + GUARDS) + DIRECTIONS * STEPS
    return pairs.operator.n_samples >= 2 * width


def _changed(
    pairs: Pairs, operator: Operator, change: Change, tolerance: float
) -> Pairs:
    """Return the pairs after a pass over what the change has brought."""
    repair = repair_of(change, operator, pairs.ritz)
    loose = loose_directions(change, operator, pairs.values)
    start = change_directions(change, operator, repair)
    if loose.shape[1]:
        start = operator.graph.backend.beside([start, loose])
    ritz, columns = extended(operator, pairs.ritz, repair, start, _faint(tolerance))
    columns += DEGREE * loose.shape[1]
    found = Pairs(operator, ritz, pairs.wanted, columns, pairs.age + 1)
    return found if found.age < REFRESHED else _refreshed(found)


def _refreshed(pairs: Pairs) -> Pairs:
    """Return the pairs without what rounding has added up over many changes."""
    backend = pairs.operator.graph.backend
    basis = orthonormal(backend, pairs.ritz.basis)
    ritz = rayleigh_ritz(backend, basis, pairs.operator @ basis)
    columns = pairs.columns + len(ritz.values)
    return Pairs(pairs.operator, ritz, pairs.wanted, columns)


def _settled(pairs: Pairs, tolerance: float) -> Pairs:
    """Return the pairs after local passes, as long as they help."""
    for _ in range(LOCAL_PASSES):
        if pairs.worst <= tolerance or tolerance < FINE:
            break
        wrong = np.flatnonzero(pairs.residual[: pairs.wanted] > tolerance / 3)
        start = residual_directions(pairs.operator, pairs.ritz, wrong)
        ritz, columns = extended(
            pairs.operator, pairs.ritz, None, start, _faint(tolerance)
        )
        before = pairs.worst
        pairs = replace(pairs, ritz=ritz, columns=pairs.columns + columns)
        if pairs.worst > HALVED * before:
            break
    return pairs


def _sifted(pairs: Pairs, tolerance: float) -> Pairs:
    """Return the pairs with those filtered that are not accurate, if these are few.

    What is left of a residual after local passes is spread over the whole spectrum, and
    a few products do not remove it. The filter does, and a pass over all columns would
    take as many times more products.
    """
    operator, values = pairs.operator, pairs.values
    wrong = np.flatnonzero(pairs.residual[: pairs.wanted] > tolerance)
    if tolerance < FINE or not 0 < len(wrong) <= DIRECTIONS:
        return pairs
    degree = degree_for(values[0], values[-1])
    start = pairs.ritz.basis[:, operator.graph.backend.indices(wrong)]
    start = damped(operator, start, values[0], values[-1], degree)
    ritz, columns = extended(operator, pairs.ritz, None, start, ROUNDING)
    columns += pairs.columns + degree * len(wrong)
    return replace(pairs, ritz=ritz, columns=columns)


def _grown(pairs: Pairs, wanted: int) -> Pairs:
    """Return the pairs with guards among those wanted, and new guards if few are left.

    A guard may be far from an eigenvector: a pass of the filter brings it there.
    """
    ritz, backend = pairs.ritz, pairs.operator.graph.backend
    missing = wanted + GUARDS - len(ritz.values)
    basis = ritz.basis
    if missing > GUARDS - SPARE:
        new = drawn(pairs.operator, np.random.default_rng((0, wanted)), missing)
        basis = backend.beside([basis, new])
    moved, columns = filtered(pairs.operator, basis, ritz.values[0], ritz.values[-1])
    return Pairs(pairs.operator, moved, wanted, pairs.columns + columns)


def _faint(tolerance: float) -> float:
    return FAINT * tolerance * TOP
