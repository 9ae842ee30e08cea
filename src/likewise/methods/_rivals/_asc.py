"""Flexible constrained spectral clustering: cheap cuts that agree with the answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TypeAlias

import numpy as np
from scipy.linalg import eigh, eigvalsh, qr

from likewise import _regime as regime
from likewise._arrays import Floats, Indices, Weights
from likewise._ties import exceeds, first_best, first_least, ranked, reaches
from likewise.knowledge import (
    Answer,
    Constraints,
    Knowledge,
    Question,
    Verdict,
    respect,
)
from likewise.methods._base import Method
from likewise.methods._outlook import ClusteredModel
from likewise.methods._problem import Problem
from likewise.methods._recipe import Recipe
from likewise.methods._scores import neighbour_probabilities
from likewise.spectral import (
    ConstrainedWeights,
    known_blocks,
    lowest,
    signed_normalised,
)

N_SMOOTH = 50  # lowest eigenvectors of which a cut is made where there are more
FREE = 1e-6  # an eigenvalue below this one is the cost of cutting nothing
FLOOR = 1e-6  # added to every cost: cutting nothing must not cost nothing


@dataclass(frozen=True, slots=True)
class Basis:
    """Ways to cut a graph in two, by what they cost; answers do not change it.

    Attributes
    ----------
    costs : ndarray of shape (p,)
        Eigenvalues of L = I - D^-1/2 W D^-1/2, ascending.
    cuts : ndarray of shape (n, p)
        Their eigenvectors, orthogonal to the trivial one.
    trivial : ndarray of shape (n,)
        D^1/2 1, of length 1: the eigenvector that cuts nothing.
    scale : ndarray of shape (n,)
        The diagonal of D^-1/2; 0 for a sample without neighbours.
    """

    costs: Floats
    cuts: Floats
    trivial: Floats
    scale: Floats


def basis_of(W: Weights) -> Basis:
    """Return the cuts of a graph, all of them or the cheapest ones.

    Parameters
    ----------
    W : ndarray or csr_array of shape (n, n)
        Symmetric, not negative, zero diagonal.

    Notes
    -----
    Up to 1000 samples a cut may be any vector, as in the paper; above, where that would
    take O(n^3), it is made of the 50 lowest eigenvectors. That is smoother around the
    known samples and does not do worse.
    """
    n = W.shape[0]
    untouched = ConstrainedWeights(W, known_blocks(Constraints(), ()))
    found = lowest(
        signed_normalised(untouched), n if n <= regime.ALL_CUTS else N_SMOOTH
    )
    roots = np.sqrt(untouched.absolute_degrees())
    trivial = roots / (np.linalg.norm(roots) or 1.0)
    free = found.values < FREE
    costs, cuts = found.values[~free], found.vectors[:, ~free]
    if free.any():  # a graph in pieces has other vectors that cost nothing: keep them
        along = found.vectors[:, free].T @ trivial
        turn, _ = qr(along[:, np.newaxis])
        cuts = np.hstack([found.vectors[:, free] @ turn[:, 1:], cuts])
        costs = np.concatenate([np.zeros(free.sum() - 1), costs])
    return Basis(costs, cuts, trivial, found.scale)


def indicator(basis: Basis, sides: Floats) -> Floats:
    r"""Return on which side of the cut each sample is, and how far from it.

    The relaxed indicator :math:`u = D^{-1/2} v` of the cheapest cut that agrees with
    the known pairs,

    .. math::
        \min_v v^T L v \quad \text{subject to} \quad v^T \bar Q v \ge \beta v^T v,
        \qquad L v = \lambda (\bar Q - \beta I) v,

    where :math:`\bar Q = D^{-1/2} Q D^{-1/2}` and Q is 1 for a must-linked pair, -1 for
    a cannot-linked one. Every eigenvector with :math:`\lambda > 0` agrees well enough;
    the one with the smallest :math:`v^T L v / v^T v` is taken.

    Parameters
    ----------
    basis : Basis
    sides : ndarray of shape (n, m)
        A column for each set of samples whose relations are all known: 1 on the one
        side, -1 on the other, 0 elsewhere. Then :math:`Q = \sum_c s_c s_c^T`, a known
        sample being must-linked to itself.

    Returns
    -------
    ndarray of shape (n,)
        Of mean square 1, up to its sign; 0 for a sample without neighbours. Without
        known pairs the second eigenvector of L.

    Notes
    -----
    The paper leaves :math:`\beta` to the user. Here it is half way between what the
    trivial vector reaches and the most that any vector can reach: half the largest
    eigenvalue of :math:`\bar Q` while the known pairs are balanced. So the trivial
    vector never agrees well enough, and some other always does.

    With M the matrix on the right and L diagonal in its eigenvectors, the trivial one
    is eliminated (:math:`v_0^T M v = 0`), and what remains,
    :math:`L^{-1/2} M' L^{-1/2} z = \lambda^{-1} z`, is symmetric; :math:`10^{-6} I` is
    added to L for graphs in pieces.

    References
    ----------
    X. Wang, I. Davidson. Flexible constrained spectral clustering. KDD 2010.
    """
    scaled = basis.scale[:, np.newaxis] * sides
    inside, trivially = basis.cuts.T @ scaled, basis.trivial @ scaled
    reached = float(trivially @ trivially)
    most = _largest_eigenvalue(inside.T @ inside + np.outer(trivially, trivially))
    if most - reached <= FREE * most:
        return _unit(basis.scale * basis.cuts[:, 0])
    beta = (most + reached) / 2
    return _unit(basis.scale * _cheapest(basis, inside, trivially, beta))


def _largest_eigenvalue(square: Floats) -> float:
    if not square.size:
        return 0.0
    top = len(square) - 1
    return float(eigvalsh(square, subset_by_index=[top, top])[0])


def _cheapest(basis: Basis, inside: Floats, trivially: Floats, beta: float) -> Floats:
    """Return v: the cheapest eigenvector that agrees better than beta."""
    corner = trivially @ trivially - beta  # v0' M v0, negative
    edge = inside @ trivially  # M v0
    M = inside @ inside.T - np.outer(edge, edge) / corner
    M[np.diag_indices_from(M)] -= beta
    root = 1 / np.sqrt(basis.costs + FLOOR)
    standard = root[:, np.newaxis] * M * root
    _, z = eigh(standard, subset_by_value=(0.0, np.inf))
    part = root[:, np.newaxis] * z
    rest = -(edge @ part) / corner
    costs = (basis.costs @ part**2) / ((part**2).sum(axis=0) + rest**2)
    best = first_least(costs)
    return basis.cuts @ part[:, best] + rest[best] * basis.trivial


def _unit(u: Floats) -> Floats:
    """Return u of mean square 1, and positive where it is largest."""
    length = float(np.sqrt((u**2).mean()))
    if length == 0:
        return u
    return u / (length * np.sign(u[first_best(np.abs(u))]))


TWO = 2  # groups that one cut tells apart

Mask: TypeAlias = np.ndarray
Closed: TypeAlias = Callable[[int, Indices], Mask]


@dataclass(frozen=True)
class Cuts:
    """The ways to cut a problem's graph, found when they are first looked at."""

    problem: Problem

    @cached_property
    def basis(self) -> Basis:
        """Its cuts by what they cost."""
        return basis_of(self.problem.weights)


@dataclass(frozen=True, slots=True)
class Sides:
    """What answers tell when there are two groups: who is with whom, who is opposite.

    Attributes
    ----------
    cluster : ndarray of shape (n,)
        Samples with the same number are tied to each other by answers.
    side : ndarray of shape (n,)
        1 or -1: the same for two samples of a cluster that are of the same group.
    """

    cluster: Indices
    side: Floats

    def columns(self) -> Floats:
        """Return a column of sides for each cluster of at least two samples."""
        tied = np.flatnonzero(np.bincount(self.cluster) > 1)
        return (self.cluster[:, np.newaxis] == tied) * self.side[:, np.newaxis]


def sides_of(known: Knowledge) -> Sides:
    """Return the closure of the answers for two groups.

    Two samples that are apart from a third are together. An answer that would need a
    third group is left out.
    """
    cluster, side = np.arange(known.n_samples), np.ones(known.n_samples)
    for position, answer in enumerate(known.answers):
        i, j = answer.question.sample, answer.question.against
        says_nothing = answer.verdict is Verdict.UNSURE or position in known.doubtful
        if says_nothing or cluster[i] == cluster[j]:
            continue
        turn = side[i] * side[j] * (1 if answer.verdict is Verdict.SAME else -1)
        joining = cluster == cluster[j]
        side[joining] *= turn
        cluster[joining] = cluster[i]
    return Sides(cluster, side)


@dataclass(frozen=True)
class CutModel(ClusteredModel):
    """A graph cut in two under the answers so far.

    Attributes
    ----------
    problem : Problem
    known : Knowledge
    cuts : Cuts
    """

    cuts: Cuts

    @cached_property
    def sides(self) -> Sides:
        """What the answers tell when there are two groups."""
        return sides_of(self.known)

    @cached_property
    def indicator(self) -> Floats:
        """The relaxed indicator u of the cut."""
        return indicator(self.cuts.basis, self.sides.columns())

    @cached_property
    def labels(self) -> Indices:
        """The side of the cut: the sign of u, for samples tied by answers as a whole.

        Tied samples go where the sum of their u says, then every known pair is
        respected: only answers that need a third group make one.
        """
        known, problem = self.known, self.problem
        k = max(min(problem.n_clusters or TWO, problem.n_samples), len(known.certain))
        cluster, side = self.sides.cluster, self.sides.side
        pull = np.bincount(cluster, weights=side * self.indicator)[cluster]
        is_there = reaches(pull, 0.0, unit=1.0)  # u has mean square 1
        raw = (np.where(is_there, side, -side) < 0).astype(np.intp) * (k > 1)
        shares = neighbour_probabilities(problem.neighbours, raw, k)
        return respect(raw, shares, known.constraints, known.certain)


def begin(problem: Problem, known: Knowledge, _: np.random.Generator) -> CutModel:
    """Make the model of any state of the answers."""
    problem = problem.without(known.aside)
    return CutModel(problem, known, Cuts(problem))


def learn(model: CutModel, known: Knowledge, _: Answer) -> CutModel:
    """Keep the graph's own cuts, which no answer changes."""
    return replace(model, known=known)


def propose(
    model: CutModel,
    known: Knowledge,
    rng: np.random.Generator,  # noqa: ARG001 - nothing is left to chance
    pending: tuple[Question, ...] = (),
) -> Question | None:
    r"""Ask about the pair with the largest expected error.

    With u the relaxed indicator, q what the answer would be and Q1 the rank-one part of
    the known Q (its largest eigenvalue and the eigenvector),

    .. math::
        e_{ij} = \sum_{q = \pm 1} P(Q_{ij} = q) (u_i u_j - q)^2
               = (u_i u_j)^2 - 2 u_i u_j \bar Q_{ij} + 1, \qquad
        P(Q_{ij} = 1) = \tfrac12 (1 + \bar Q_{ij}),

    where :math:`\bar Q_{ij}` is Q1 cut to between -1 and 1.

    Notes
    -----
    Q is taken to be the closure of the answers for two groups. It consists of blocks
    of rank one, and its rank-one part is the largest of them: on every pair that is
    open Q1 is 0, each answer as likely as the other, and the largest error is where
    :math:`|u_i u_j|` is largest. So no matrix of pairs is needed. Without the closure
    Q1 would guess at what the closure knows.

    u is largest around the samples that are known, so the questions go on near them:
    the method explores little, and samples drawn by lot may serve its cut better.

    Pairs that are known only because there are no more than two groups come last: a
    session does not conclude from the number of groups.

    References
    ----------
    X. Wang, I. Davidson. Active spectral clustering. ICDM 2010.
    """
    known = known.after_all(Answer(open_, Verdict.UNSURE) for open_ in pending)
    active = np.setdiff1d(np.arange(known.n_samples), list(known.aside))
    fresh = np.setdiff1d(active, [open_.sample for open_ in pending])
    cluster, size = model.sides.cluster, np.abs(model.indicator)
    sieves = (partial(_tied, cluster), partial(_told, known.constraints, _names(known)))
    for samples in (fresh, active) if pending else (active,):
        for closed in sieves:
            found = _largest(size, samples, closed, known)
            if found is not None:
                return _about_the_less_known(*found, np.bincount(cluster)[cluster])
    return None


def _largest(
    size: Floats, samples: Indices, closed: Closed, known: Knowledge
) -> tuple[int, int] | None:
    """Return the open pair with the largest |u_i u_j|, a row of pairs at a time."""
    order = samples[ranked(size[samples])]
    best, pair = -1.0, None
    for at, i in enumerate(order.tolist()):
        if not exceeds(size[i] ** 2, best):  # all that follow are smaller
            break
        others = order[at + 1 :]
        others = others[~closed(i, others)]
        others = others[~np.isin(others, list(known.unsure.get(i, ())))]
        if others.size and exceeds(size[i] * size[others[0]], best):
            best, pair = size[i] * size[others[0]], (i, int(others[0]))
    return pair


def _tied(cluster: Indices, i: int, others: Indices) -> Mask:
    return cluster[others] == cluster[i]


def _told(constraints: Constraints, names: Indices, i: int, others: Indices) -> Mask:
    group = constraints.group(i)
    return np.isin(names[others], [group, *constraints.apart_from(group)])


def _names(known: Knowledge) -> Indices:
    names = np.arange(known.n_samples)
    groups = known.constraints.group_of
    names[list(groups)] = list(groups.values())
    return names


def _about_the_less_known(i: int, j: int, tied: Indices) -> Question:
    return Question(i, j) if tied[i] < tied[j] else Question(j, i)


def _under(_: Recipe) -> Method[CutModel]:
    """Return the method as it is: it has no recipe, but another graph to cut."""
    return ASC


ASC = Method(
    "asc",
    "ASC: cuts the graph in two and asks about the pair it should get most wrong.",
    begin,
    learn,
    propose,
    most_clusters=TWO,
    under=_under,
)
