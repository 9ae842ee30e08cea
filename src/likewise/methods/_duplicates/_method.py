"""The method "duplicates": which records are the same thing, and what to ask."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import islice

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from likewise._arrays import Floats, Indices
from likewise._ties import best_first, ranked
from likewise.knowledge import Answer, Knowledge, Prediction, Question, Verdict
from likewise.methods._base import Chances, Expectation, Found, Method
from likewise.methods._duplicates._clusters import (
    LIMIT,
    NEVER,
    Links,
    joined,
    links_between,
    units_of,
)
from likewise.methods._duplicates._pairs import Prior, Weights, fitted, prior_of
from likewise.methods._problem import Problem
from likewise.methods._screens import N_SPEAKERS, Prospect

LOOKED_AT = 300  # pairs whose answers are weighed against each other
HOPELESS = -12.0  # log odds below which a pair is not looked at
OFFERED = 8  # clusters that a sample may be put into
ENOUGH = 0.98  # of duplicates found, and of records right, from which on one may stop
SPREAD, EARLY = 1.2, 1.0  # of the share that is right, in log odds, and at the start
LIKELY_NONE = 1.6  # records expected to be wrong, up to which all may well be right
CLEARED = 2.0  # records whose doubt one question ends
N_GROUPS, N_ITEMS = 24, 200  # that may be on a sheet


@dataclass(frozen=True, eq=False)
class Open:
    """Pairs that may be asked about.

    Attributes
    ----------
    at : ndarray of shape (n_open,)
        Their places among the candidates.
    same : ndarray of shape (n_open,)
        The probability that their two clusters, or two parts of one, are one.
    worth : ndarray of shape (n_open,)
        What an answer is expected to mend.
    """

    at: Indices
    same: Floats
    worth: Floats


@dataclass(frozen=True, eq=False)
class Beliefs:
    """What is believed of candidate pairs and of records, given the clusters.

    Attributes
    ----------
    clusters : ndarray of shape (n,)
    first, second : ndarray of shape (n_pairs,)
        Candidate pairs that are in the game.
    odds : ndarray of shape (n_pairs,)
        Their log odds, with what is known for sure.
    relation : ndarray of shape (n_pairs,)
        1 where a pair is known to be the same, -1 where different, 0 where neither.
    """

    clusters: Indices
    first: Indices
    second: Indices
    odds: Floats
    relation: NDArray[np.int8]

    @cached_property
    def _inside(self) -> NDArray[np.bool_]:
        return self.clusters[self.first] == self.clusters[self.second]

    @cached_property
    def _links(self) -> Links:
        return links_between(self.clusters, self.first, self.second, self.odds)

    @cached_property
    def _link_of(self) -> Indices:
        """The link between clusters that each pair is part of, where it is of one."""
        links, k = self._links, len(self._links.sizes)
        a, b = self.clusters[self.first], self.clusters[self.second]
        key = np.minimum(a, b) * k + np.maximum(a, b)
        return np.searchsorted(links.first * k + links.second, key)

    @cached_property
    def _support(self) -> Floats:
        """The mean log odds of each record with the others of its cluster."""
        n, inside = len(self.clusters), self._inside
        i, j = self.first[inside], self.second[inside]
        odds = np.clip(self.odds[inside], -LIMIT, LIMIT)
        total = 1.0 * (np.bincount(i, odds, n) + np.bincount(j, odds, n))
        count = np.bincount(i, minlength=n) + np.bincount(j, minlength=n)
        others = self._links.sizes[self.clusters] - 1
        total += (others - count) * NEVER
        return np.where(others > 0, total / np.maximum(others, 1), LIMIT)

    @cached_property
    def same(self) -> Floats:
        """The probability that the two of each pair are the same thing."""
        apart = expit(self._links.mean)
        found = np.empty(len(self.first))
        inside, support = self._inside, self._support
        found[~inside] = apart[self._link_of[~inside]]
        i, j = self.first[inside], self.second[inside]
        found[inside] = expit(np.minimum(support[i], support[j]))
        return found

    @cached_property
    def stake(self) -> Floats:
        """Pairs that hang on each pair."""
        sizes = self._links.sizes
        a, b = sizes[self.clusters[self.first]], sizes[self.clusters[self.second]]
        return np.where(self._inside, a - 1, a * b)

    @cached_property
    def right(self) -> Floats:
        """The probability that each record is with its duplicates and no others."""
        links, likely = self._links, expit(self._links.mean)
        missed = np.zeros(len(links.sizes))
        np.maximum.at(missed, links.first, likely)
        np.maximum.at(missed, links.second, likely)
        return expit(self._support) * (1 - missed[self.clusters])

    def pairs(self, kept: NDArray[np.bool_]) -> tuple[float, float, float]:
        """Return the pairs together that are right, all true ones, all together."""
        links = self._links
        sizes = np.bincount(self.clusters[kept], minlength=len(links.sizes))
        n_together = float((sizes * (sizes - 1) / 2).sum())
        hits = float(
            (expit(self._support[kept]) * (sizes[self.clusters[kept]] - 1)).sum() / 2
        )
        missed = float(
            (expit(links.mean) * sizes[links.first] * sizes[links.second]).sum()
        )
        return hits, hits + missed, n_together

    def homes(self, sample: int) -> dict[int, float]:
        """Return the clusters that a record may belong to, and how likely."""
        own = int(self.clusters[sample])
        found: dict[int, float] = {}
        if self._links.sizes[own] > 1:
            found[own] = float(expit(self._support[sample]))
        links = self._links
        for mine, other in ((links.first, links.second), (links.second, links.first)):
            for at in np.flatnonzero(mine == own).tolist():
                found[int(other[at])] = float(expit(links.mean[at]))
        return found


@dataclass(frozen=True)
class DuplicatesModel:
    """What is believed of records, and of pairs of them.

    Attributes
    ----------
    problem : Problem
    known : Knowledge
    """

    problem: Problem
    known: Knowledge

    @cached_property
    def prior(self) -> Prior:
        """What was believed before any answer, worked out once."""
        return self.problem.once("duplicates", lambda: prior_of(self.problem))

    @cached_property
    def weights(self) -> Weights:
        """The weights of the fields, as the answers have taught them."""
        told = [
            (*answer.question.pair, answer.verdict is Verdict.SAME)
            for at, answer in enumerate(self.known.answers)
            if answer.verdict is not Verdict.UNSURE and at not in self.known.doubtful
        ]
        pairs = np.array(told, dtype=np.intp).reshape(-1, 3).T
        rows = self.prior.compared(pairs[0], pairs[1]).design
        return fitted(self.prior, rows, pairs[2].astype(bool))

    @cached_property
    def _kept(self) -> NDArray[np.bool_]:
        """Which samples are in the game."""
        kept = np.ones(self.problem.n_samples, dtype=bool)
        kept[list(self.known.aside)] = False
        return kept

    @cached_property
    def _odds(self) -> Floats:
        """Log odds of the candidate pairs, before what is known for sure."""
        return self.prior.pairs.odds(self.weights.mean)

    @cached_property
    def _sure(self) -> Floats:
        r"""Log odds that know how little they know.

        :math:`\eta / \sqrt{1 + \pi v / 8}`, with v the variance (MacKay, 1992).
        """
        odds = self._odds.copy()
        doubtful = np.flatnonzero(np.abs(odds) < -HOPELESS)
        rows = self.prior.pairs.some(doubtful).design
        variance = np.einsum("ij,ij->i", rows @ self.weights.cov, rows)
        odds[doubtful] /= np.sqrt(1 + np.pi * variance / 8)
        return odds

    @cached_property
    def _active(self) -> Indices:
        """Candidate pairs that are in the game."""
        both = self._kept[self.prior.first] & self._kept[self.prior.second]
        return np.flatnonzero(both)

    @cached_property
    def clusters(self) -> Indices:
        """The cluster of each sample, numbered by first samples."""
        at, prior = self._active, self.prior
        return joined(
            self.known.constraints,
            self.problem.n_samples,
            prior.first[at],
            prior.second[at],
            self._odds[at],
        )

    @cached_property
    def labels(self) -> Indices:
        """The cluster of each sample; certain set t has label t."""
        speakers = [int(self.clusters[group]) for group in self.known.certain]
        n_clusters = int(self.clusters.max(initial=-1)) + 1
        rest = np.setdiff1d(np.arange(n_clusters), speakers)
        number = np.empty(n_clusters, dtype=np.intp)
        number[np.concatenate([speakers, rest]).astype(np.intp)] = np.arange(n_clusters)
        return number[self.clusters]

    @cached_property
    def beliefs(self) -> Beliefs:
        """What is believed of pairs and records, given the clusters."""
        at, prior = self._active, self.prior
        first, second = prior.first[at], prior.second[at]
        relation = _relations(self.known, self.problem.n_samples, first, second)
        odds = np.where(relation == 0, self._sure[at], relation * LIMIT)
        return Beliefs(self.clusters, first, second, odds, relation)

    @cached_property
    def confidence(self) -> Floats:
        """The probability that a record is with all its duplicates, and no others."""
        return self.beliefs.right

    @cached_property
    def expectation(self) -> Expectation:
        """How good the labels are expected to be."""
        beliefs, kept = self.beliefs, self._kept
        n_kept = max(int(kept.sum()), 1)
        doubt = 1 - beliefs.right[kept]
        right = 1 - float(doubt.sum()) / n_kept
        hits, n_true, n_together = beliefs.pairs(kept)
        sizes = np.bincount(self.clusters[kept])
        found = Found(
            n_records=int(sizes[sizes > 1].sum()),
            recall=hits / n_true if n_true else 1.0,
            precision=hits / n_together if n_together else 1.0,
        )
        either = n_true + n_together - hits
        return Expectation(
            hits / either if either else 1.0,
            either - hits,
            self._n_settled,
            is_enough=min(right, found.recall, found.precision) >= ENOUGH,
            right=right,
            interval=_interval(doubt, right, len(self.known.answers)),
            until=(_until(doubt, right, 0.95), _until(doubt, right, 0.98)),
            seeks="duplicates",
            found=found,
        )

    @property
    def _n_settled(self) -> int:
        """How many samples answers have put into a group."""
        certain = set(self.known.certain)
        groups = self.known.constraints.members.items()
        return sum(
            s not in self.known.aside
            for group, members in groups
            if len(members) > 1 or group in certain
            for s in members
        )

    def chances(self, sample: int) -> Chances:
        """Return the clusters that a record may belong to, likeliest first."""
        found = self.beliefs.homes(sample)
        total = max(sum(found.values()), 1.0)
        order = ranked(np.array(list(found.values()))).tolist() if found else []
        homes = list(found.items())
        groups = tuple(
            (members, homes[at][1] / total)
            for at in order[:OFFERED]
            if (members := self.members(homes[at][0], but=sample))
        )
        return Chances(groups, max(1.0 - sum(p for _, p in groups), 0.0))

    def members(self, cluster: int, but: int = -1) -> tuple[int, ...]:
        """Return the samples of a cluster; those that answers speak of first."""
        members = np.flatnonzero((self.clusters == cluster) & self._kept).tolist()
        known = self.known.constraints.group_of
        return tuple(sorted(set(members) - {but}, key=lambda s: (s not in known, s)))

    @cached_property
    def open(self) -> Open:
        r"""The pairs that may be asked about, and what they are worth.

        With p the probability of "same", s the pairs that hang on the answer and
        :math:`\Sigma` what is not known of the weights, an answer to x is worth

        .. math::
            s_x p_x (1 - p_x) + \sum_k s_k (p_k (1 - p_k))^2
            \frac{(\phi_k^T \Sigma \phi_x)^2}
            {1 / (p_x (1 - p_x)) + \phi_x^T \Sigma \phi_x}:

        the squared error of the pair itself, and that which the others lose because
        the weights are known better.
        """
        beliefs, n = self.beliefs, self.problem.n_samples
        unsure = [i * n + j for i, others in self.known.unsure.items() for j in others]
        is_told = np.isin(beliefs.first * n + beliefs.second, unsure)
        at = np.flatnonzero((beliefs.relation == 0) & ~is_told)
        same, stake = beliefs.same[at], beliefs.stake[at]
        direct = stake * same * (1 - same)
        best = np.fromiter(islice(best_first(direct), LOOKED_AT), dtype=np.intp)
        worth = direct.copy()
        worth[best] += self._taught(self._active[at[best]], same[best], stake[best])
        return Open(self._active[at], same, worth)

    def _taught(self, pairs: Indices, same: Floats, stake: Floats) -> Floats:
        """Return what answers to pairs teach of each other.

        What is all but sure teaches nothing, however far from all others it lies.
        """
        rows = self.prior.pairs.some(pairs).design
        shared = rows @ self.weights.cov @ rows.T
        own = expit(self._odds[pairs])
        known = 1 / np.maximum(own * (1 - own), 1e-12) + np.diag(shared)
        gain = (stake * (same * (1 - same)) ** 2)[:, np.newaxis] * shared**2
        np.fill_diagonal(gain, 0.0)
        return np.asarray(gain.sum(axis=0) / known)

    def questions(self, taken: frozenset[int]) -> Iterator[tuple[Question, float]]:
        """Yield questions with their worth, best first, none about samples taken."""
        found, prior = self.open, self.prior
        for at in best_first(found.worth):
            i, j = int(prior.first[found.at[at]]), int(prior.second[found.at[at]])
            if taken.isdisjoint((i, j)):
                said = Prediction(float(found.same[at]), "duplicate")
                yield Question(i, j, said), float(found.worth[at])
        for i, j in self._beyond(taken):
            yield Question(i, j, Prediction(float(expit(NEVER)), "duplicate")), 0.0

    def _beyond(self, taken: frozenset[int]) -> Iterator[tuple[int, int]]:
        """Yield pairs that are no candidates: when all else has been answered."""
        known = self.known
        out = taken | known.aside
        groups = dict.fromkeys(map(known.constraints.group, range(known.n_samples)))
        speakers = {
            group: [s for s in known.constraints.samples(group) if s not in out]
            for group in groups
        }
        free = [group for group, its in speakers.items() if its]
        for place, group in enumerate(free):
            apart = known.constraints.apart_from(group)
            others = [other for other in free[place + 1 :] if other not in apart]
            yield from (
                pair
                for other in self._nearest(speakers[group][0], others)
                for pair in _untold(known, speakers[group], speakers[other])
            )

    def _nearest(self, sample: int, groups: list[int]) -> list[int]:
        if not groups:
            return []
        near = self.problem.closeness(sample, np.array(groups, dtype=np.intp))
        return [groups[at] for at in ranked(near)]


def _untold(
    known: Knowledge, some: Iterable[int], others: list[int]
) -> Iterator[tuple[int, int]]:
    for i in some:
        told = known.unsure.get(i, frozenset())
        yield from ((i, j) for j in others if j not in told)


def _relations(
    known: Knowledge, n: int, first: Indices, second: Indices
) -> NDArray[np.int8]:
    """Return what is known of pairs: 1 for same, -1 for different, 0 for nothing."""
    unit = units_of(known.constraints, n)
    a, b = unit[first], unit[second]
    apart = [
        int(min(unit[group], unit[other])) * n + int(max(unit[group], unit[other]))
        for group, others in known.constraints.apart.items()
        for other in others
    ]
    found = (a == b).astype(np.int8)
    key = np.minimum(a, b) * n + np.maximum(a, b)
    found[np.isin(key, np.array(apart, dtype=np.intp))] = -1
    return found


def _interval(doubt: Floats, right: float, n_answers: int) -> tuple[float, float]:
    """Return from where to where the share of right records is.

    Its width was chosen on 30 moments of generated companies: the truth was within it
    24 times there.
    """
    middle = logit(np.clip(right, 1e-6, 1 - 1e-6))
    about = SPREAD + EARLY / np.sqrt(n_answers + 1)
    low, high = float(expit(middle - about)), float(expit(middle + about))
    all_right = doubt.sum() < LIKELY_NONE
    return min(low, right), 1.0 if all_right else max(high, right)


def _until(doubt: Floats, right: float, level: float) -> int:
    """Return about how many questions it takes until so many records are right.

    Each ends the doubt about two records, the most doubtful first.
    """
    if right >= level:
        return 0
    left = doubt.sum() - np.cumsum(np.sort(doubt)[::-1])
    n_doubtful = int((left > (1 - level) * len(doubt)).sum()) + 1
    return int(np.ceil(n_doubtful / CLEARED))


def begin(
    problem: Problem,
    known: Knowledge,
    rng: np.random.Generator,  # noqa: ARG001 - nothing is drawn
) -> DuplicatesModel:
    """Return the model of any state."""
    return DuplicatesModel(problem, known)


def learn(
    model: DuplicatesModel,
    known: Knowledge,
    answer: Answer,  # noqa: ARG001 - it is in what is known
) -> DuplicatesModel:
    """Return the model one answer further."""
    return DuplicatesModel(model.problem, known)


def propose(
    model: DuplicatesModel,
    known: Knowledge,  # noqa: ARG001 - the model has it
    rng: np.random.Generator,  # noqa: ARG001 - nothing is drawn
    pending: tuple[Question, ...] = (),
) -> Question | None:
    """Return the pair whose answer is expected to mend most, or None."""
    taken = frozenset(s for question in pending for s in question.pair)
    return next((question for question, _ in model.questions(taken)), None)


class Unfading:
    """What is left of the worth of items while others are settled: all of it."""

    def __init__(self, items: Indices) -> None:
        self._left = np.ones(len(items))

    def after(self, at: int) -> Floats:  # noqa: ARG002 - no other item is of its group
        """Settle one more item; return the share of worth that each has left."""
        return self._left


def prospect(model: DuplicatesModel, pending: tuple[Question, ...]) -> Prospect:
    """Return what may be shown: a record with those that it may be the same as.

    A pair is shown beside the cluster that more of the best pairs have in common; there
    are few such clusters on offer, however many there are, and no overview of them.
    """
    taken = frozenset(s for question in pending for s in question.pair)
    asked = list(islice(model.questions(taken), N_ITEMS))
    placed = _beside(model, [question for question, worth in asked if worth > 0])
    groups = list(dict.fromkeys(hub for _, hub in placed))[:N_GROUPS]
    samples = np.unique([s for s, hub in placed if hub in groups]).astype(np.intp)
    speakers = tuple(_speakers(model, hub) for hub in groups)
    chance, worth = np.zeros((2, len(samples), len(groups)))
    for (sample, hub), (question, value) in zip(placed, asked, strict=False):
        if hub in groups and question.predicted is not None:
            at = int(np.searchsorted(samples, sample)), groups.index(hub)
            chance[at], worth[at] = question.predicted.same, value
    none = np.zeros((len(groups), len(groups)))
    return Prospect(
        samples,
        speakers,
        chance,
        worth,
        np.zeros_like(worth),
        none,
        none,
        none,
        Unfading,
        partial(_question, model, speakers),
        _nothing,
        _nothing,
        asked[0] if asked else None,
    )


def _beside(model: DuplicatesModel, asked: list[Question]) -> list[tuple[int, int]]:
    """Return, for each question, the sample to show and the cluster beside it."""
    clusters = model.clusters
    often = Counter(int(clusters[s]) for question in asked for s in question.pair)
    placed = []
    for question in asked:
        i, j = question.pair
        a, b = int(clusters[i]), int(clusters[j])
        if a == b:
            first = model.members(a)[0]  # who speaks is not asked about
            placed.append((i if j == first else j, a))
        else:
            placed.append((j, a) if (often[a], -a) >= (often[b], -b) else (i, b))
    return placed


def _speakers(model: DuplicatesModel, hub: int) -> tuple[int, ...]:
    """Return who speaks for a cluster: one record, and what is known to be the same.

    Guesses would not do: a sheet asks what is the same as all of them.
    """
    first, *others = model.members(hub)
    relation = model.known.constraints.relation
    same = [other for other in others if relation(first, other) is Verdict.SAME]
    return (first, *same)[:N_SPEAKERS]


def _question(
    model: DuplicatesModel,
    speakers: tuple[tuple[int, ...], ...],
    sample: int,
    group: int,
) -> Question | None:
    """Return what to ask about a sample and those who speak for a cluster."""
    known = model.known
    done = known.compared.get(sample, frozenset())
    for against in speakers[group]:
        is_open = known.constraints.relation(sample, against) is None
        if against != sample and against not in done and is_open:
            return Question(sample, against)
    return None


def _nothing(group: int, other: int) -> None:
    """Ask nothing about two clusters at a glance: there are thousands."""


DUPLICATES = Method(
    "duplicates",
    "Records: finds the same thing entered more than once, in groups of one to five.",
    begin,
    learn,
    propose,
    prospect=prospect,
    affinity="fields",
)
