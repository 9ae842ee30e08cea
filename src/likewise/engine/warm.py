"""Eigenpairs one answer further."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from likewise.engine.change import Change, change_between
from likewise.engine.cold import (
    FINEST,
    GUARDS,
    TOLERANCE,
    Progress,
    refined,
    solve,
)
from likewise.engine.filter import COLUMNS, DEGREE, filtered
from likewise.engine.local import (
    DIRECTIONS,
    STEPS,
    change_directions,
    extended,
    loose_directions,
    repair_of,
    residual_directions,
)
from likewise.engine.operator import TOP, Operator
from likewise.engine.pairs import Pairs
from likewise.engine.subspace import orthonormal, rayleigh_ritz
from likewise.errors import InputError

FINE = 5e-5  # below this a pass of the filter takes less time than local ones
FAINT = 0.1  # of the tolerance: directions of change that are not worth a column
NEARLY = 2.5  # of the tolerance: what local passes may leave
HALVED = 0.5  # of the residual before: a local pass that leaves more is the last
LOCAL_PASSES = 4
FILTER_PASSES = 6
SPARE = 5  # guards that are left before the block grows
REFRESHED = 100  # changes after which rounding is cleared away


def updated(
    pairs: Pairs,
    operator: Operator,
    *,
    wanted: int | None = None,
    tolerance: float = TOLERANCE,
    seed: int = 0,
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
    tolerance, seed, progress
        As in :func:`~likewise.engine.cold.solve`.

    Returns
    -------
    Pairs

    Notes
    -----
    After one answer that is one pass over few columns. More passes follow as long as
    the residual asks for them; passes of the filter over the whole block where the
    tolerance is below 5e-5, where a guard is wanted now, or where local passes are of
    no use; and a solution from nothing where many groups have changed at once, where
    the samples are few, or where the residual does not drop. Where it is below 1e-3,
    a smaller tolerance is worth one pass of the filter and no more, and none where
    local passes have come within 2.5 times of it.

    Examples
    --------
    >>> import scipy.sparse as sp
    >>> from likewise.engine import graph_of, operator_of, solve
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
    tolerance = max(tolerance, FINEST)
    wanted = min(pairs.wanted if wanted is None else wanted, operator.n_samples)
    change = change_between(pairs.operator, operator)
    found = None
    if _is_small(change) and _has_room(pairs, wanted):
        found = _changed(pairs, operator, change, tolerance, seed)
        if wanted > pairs.wanted:
            found = _grown(found, wanted, seed)
        else:
            found = _settled(replace(found, wanted=wanted), tolerance)
        if found.worst > _enough(tolerance):
            passes = FILTER_PASSES if found.worst > TOLERANCE else 1
            found = refined(found, tolerance, progress, max_passes=passes)
        elif progress is not None:
            progress(1, found.worst)
    if found is None or found.worst > max(tolerance, TOLERANCE):
        return solve(
            operator, wanted, tolerance=tolerance, seed=seed, progress=progress
        )
    return found


def _enough(tolerance: float) -> float:
    """Return the residual that local passes may leave: no cheap pass would halve it."""
    if tolerance < FINE:
        return tolerance
    return max(tolerance, min(NEARLY * tolerance, TOLERANCE))


def _is_small(change: Change) -> bool:
    return len(change.groups) <= DIRECTIONS and len(change.cut) <= DIRECTIONS


def _has_room(pairs: Pairs, wanted: int) -> bool:
    """Tell whether samples are so many that going on is less work than starting."""
    width = max(len(pairs.values), wanted + GUARDS) + DIRECTIONS * STEPS
    return pairs.operator.n_samples >= 2 * width


def _changed(
    pairs: Pairs, operator: Operator, change: Change, tolerance: float, seed: int
) -> Pairs:
    """Return the pairs after a pass over what the change has brought."""
    repair = repair_of(change, operator, pairs.ritz)
    loose = loose_directions(change, operator, pairs.values, seed)
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


def _grown(pairs: Pairs, wanted: int, seed: int) -> Pairs:
    """Return the pairs with guards among those wanted, and new guards if few are left.

    A guard may be far from an eigenvector: a pass of the filter brings it there.
    """
    ritz, backend = pairs.ritz, pairs.operator.graph.backend
    missing = wanted + GUARDS - len(ritz.values)
    basis = ritz.basis
    if missing > GUARDS - SPARE:
        rng = np.random.default_rng((seed, wanted))
        drawn = rng.standard_normal((len(basis), missing), dtype=np.float32)
        basis = backend.beside([basis, backend.array(drawn)])
    moved = filtered(pairs.operator, basis, ritz.values[0], ritz.values[-1])
    columns = pairs.columns + len(moved.values) * COLUMNS
    return Pairs(pairs.operator, moved, wanted, columns)


def _faint(tolerance: float) -> float:
    return FAINT * tolerance * TOP
