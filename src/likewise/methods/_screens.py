"""Which screen is worth most for its seconds: a pair, a sheet, groups at a glance."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from likewise._arrays import Floats, Indices, Sparse, dense
from likewise._ties import best_first, first_best, ranked
from likewise.knowledge import (
    Costs,
    Knowledge,
    Overview,
    Pair,
    Question,
    Screen,
    Sheet,
    Tap,
)
from likewise.methods._scores import neighbour_probabilities

KINDS = ("pair", "sheet", "sort", "overview")  # of screens, by what they cost
MOST = 48  # items on a sheet, unless the person's screen holds fewer
N_SPEAKERS = 3  # members that speak for a group on a sheet
OFFERED = 8  # groups that a pile may be put into, at once
TRIED = 12  # sheets that are worked out item by item
LOOKED_AT = 300  # items that are looked at for one sheet
FILL = 0.4  # an item is shown if it is worth so much, for its seconds, of the sheet
TRUST = 0.6  # of what a sheet promises: it is filled before its own answers are in
HIDDEN = 0.3  # groups that are the same, expected among those never seen together
N_GROUPS = 24  # groups on an overview
AT_ALL = 0.05  # an item that is less likely of a group is not shown beside it
NEARLY_LIKELIEST = 0.8  # nor one that is so much likelier elsewhere
N_ITEMS = 2000  # that may be shown: the most promising ones
ROOM = 0.1  # of a pile, what an item that does not belong takes at least


class Looked(Protocol):
    """A model, of which only the clusters are looked at."""

    @property
    def labels(self) -> Indices: ...

    @property
    def confidence(self) -> Floats: ...


class Fading(Protocol):
    """What is left of the worth of items while others of a sheet are settled."""

    def after(self, at: int) -> Floats:
        """Settle one more item; return the share of worth that each has left."""


@dataclass(frozen=True)
class Prospect:
    """What a method expects of items and groups that may be shown.

    Attributes
    ----------
    samples : ndarray of shape (s,)
        Items that may be shown on a sheet.
    speakers : tuple of tuple of int
        For each of m groups, members that speak for it, most typical first.
    chance : ndarray of shape (s, m)
        The probability that each item is taken for a member of each group.
    worth : ndarray of shape (s, m)
        Pairs that a verdict on an item and a group is expected to change; 0 where it
        is not to be asked.
    whole : ndarray of shape (s, m)
        The same, were it then put where it belongs.
    same, merging : ndarray of shape (m, m)
        The probability that two groups are one, and what a verdict on them is worth.
    glance : ndarray of shape (m, m)
        What it is worth to see two groups side by side.
    fading : callable
        ``fading(items)`` returns what is left of the worth of some of the items.
    question, merge, glanced : callable
        ``question(sample, group)``, ``merge(group, other)``, ``glanced(group, other)``
        return what to ask, on a sheet or at a glance; None if there is nothing.
    pair : (Question, float) or None
        The best single question, and what it is worth.
    """

    samples: Indices
    speakers: tuple[tuple[int, ...], ...]
    chance: Floats
    worth: Floats
    whole: Floats
    same: Floats
    merging: Floats
    glance: Floats
    fading: Callable[[Indices], Fading]
    question: Callable[[int, int], Question | None]
    merge: Callable[[int, int], Question | None]
    glanced: Callable[[int, int], Question | None]
    pair: tuple[Question, float] | None = None


def best_screen(
    prospect: Prospect,
    costs: Costs,
    kinds: Collection[str] = KINDS,
    most: int = MOST,
) -> Screen | None:
    """Return the screen that is expected to change most pairs a second; or None.

    One rule from the first screen to the last. What a sheet or an overview promises
    counts for 0.6 of that: a pair is asked with all answers in.
    """
    found: list[Screen] = [
        *(_pairs(prospect, costs) if "pair" in kinds else ()),
        *_sheets(prospect, costs, kinds, most),
        *(_overviews(prospect, costs, most) if "overview" in kinds else ()),
    ]
    if not found:
        return None
    trust = [1.0 if isinstance(one, Pair) else TRUST for one in found]
    rates = [t * one.worth / one.seconds for t, one in zip(trust, found, strict=True)]
    return found[first_best(rates)]


def _pairs(prospect: Prospect, costs: Costs) -> Iterator[Pair]:
    if prospect.pair is not None:
        question, worth = prospect.pair
        predicted = question.predicted
        about_groups = predicted is not None and predicted.kind.endswith("groups")
        seconds = costs.groups if about_groups else costs.pair
        yield Pair(question, worth, seconds)


def _sheets(
    prospect: Prospect, costs: Costs, kinds: Collection[str], most: int
) -> Iterator[Sheet]:
    """Yield sheets, as long as there may be a better one."""
    plans = [
        Plan(prospect, costs, group, tap, sorts)
        for group in range(len(prospect.speakers))
        for tap, sorts in _ways(prospect, kinds)
    ]
    bounds = np.array([plan.bound(most) for plan in plans])
    best = 0.0
    for at in ranked(bounds)[:TRIED] if plans else ():
        if bounds[at] <= best:
            return
        sheet = plans[at].filled(most)
        if sheet is not None:
            best = max(best, sheet.worth / sheet.seconds)
            yield sheet


def _ways(prospect: Prospect, kinds: Collection[str]) -> Iterator[tuple[Tap, bool]]:
    if "sheet" in kinds:
        yield "misfits", False
        yield "members", False
    if "sort" in kinds and len(prospect.speakers) > 1:
        yield "misfits", True


@dataclass(frozen=True)
class Plan:
    """A way to fill a sheet.

    Attributes
    ----------
    prospect : Prospect
    costs : Costs
    group : int
        Whose members speak.
    tap : {"misfits", "members"}
    sorts : bool
        Whether what does not belong is put where it does.
    """

    prospect: Prospect
    costs: Costs
    group: int
    tap: Tap
    sorts: bool

    @property
    def worth(self) -> Floats:
        """What items and groups are worth here, of shape (s + m,)."""
        prospect, g = self.prospect, self.group
        if self.sorts:
            return np.concatenate(
                [prospect.whole[:, g], np.zeros_like(prospect.same[g])]
            )
        return np.concatenate([prospect.worth[:, g], prospect.merging[g]])

    @property
    def chance(self) -> Floats:
        """The probability that items and groups belong here, of shape (s + m,)."""
        prospect, g = self.prospect, self.group
        return np.concatenate([prospect.chance[:, g], prospect.same[g]])

    @property
    def seconds(self) -> Floats:
        """What each takes, but for its pile, of shape (s + m,)."""
        taps = 1 - self.chance if self.tap == "misfits" else self.chance
        return self.costs.item + self.costs.tap * taps

    @property
    def pile(self) -> float:
        """What a pile takes; nothing where there are none."""
        n_others = len(self.prospect.speakers) - 1
        return self.costs.sorting(min(OFFERED, n_others)) if self.sorts else 0.0

    def bound(self, most: int) -> float:
        """Return about the most that such a sheet may be worth a second."""
        seconds = self.seconds + ROOM * self.pile * (1 - self.chance)
        worth = self.worth
        best = np.argsort(-worth / seconds, kind="stable")[:most]
        total = self.costs.base + np.cumsum(seconds[best])
        return float((np.cumsum(worth[best]) / total).max(initial=0.0))

    def filled(self, most: int) -> Sheet | None:
        """Return the sheet with all that pays, most doubtful first; None for nothing.

        One after the other, what is worth most for its seconds is added, as long as
        that is 0.4 of what the sheet is worth a second.
        """
        draft = Draft.of(self)
        while len(draft.asked) < most and (best := draft.best()) is not None:
            draft.add(best)
        if not draft.asked:
            return None
        asked = sorted(draft.asked, key=lambda one: one[0])
        return Sheet(
            self.prospect.speakers[self.group][:N_SPEAKERS],
            tuple(question for _, question in asked),
            self.tap,
            self.sorts,
            draft.total,
            draft.spent,
        )

    def ask(self, at: int) -> Question | None:
        """Return what to ask about an item, or about another group behind them."""
        n_items = len(self.prospect.samples)
        if at < n_items:
            return self.prospect.question(int(self.prospect.samples[at]), self.group)
        return self.prospect.merge(self.group, at - n_items)


@dataclass
class Draft:
    """A sheet that is being filled.

    Attributes
    ----------
    plan : Plan
    at : ndarray of shape (c,)
        What may be added: items, and groups behind them.
    start, worth, seconds : ndarray of shape (c,)
        What each is worth alone, and beside what was added; what it takes.
    elsewhere : ndarray of shape (c, m + 1)
        In which other group each may be, and in none.
    unseen : ndarray of shape (m + 1,)
        The chance that no pile goes there yet.
    """

    plan: Plan
    at: Indices
    start: Floats
    worth: Floats
    seconds: Floats
    elsewhere: Floats
    unseen: Floats
    fading: Fading
    is_open: NDArray[np.bool_]
    total: float = 0.0
    spent: float = 0.0
    asked: list[tuple[float, Question]] = field(default_factory=list)

    @classmethod
    def of(cls, plan: Plan) -> Draft:
        """Return an empty sheet, with what may be added."""
        worth, n_items = plan.worth, len(plan.prospect.samples)
        at = np.flatnonzero(worth > 0)
        if len(at) > LOOKED_AT:
            at = np.sort(at[np.argsort(-worth[at], kind="stable")[:LOOKED_AT]])
        items = at[at < n_items]
        elsewhere = np.zeros((len(at), len(plan.prospect.speakers) + 1))
        elsewhere[: len(items)] = _elsewhere(plan.prospect.chance[items], plan.group)
        return cls(
            plan,
            at,
            worth[at],
            worth[at],
            plan.seconds[at],
            elsewhere,
            np.ones(elsewhere.shape[1]),
            plan.prospect.fading(plan.prospect.samples[items]),
            np.ones(len(at), dtype=bool),
            spent=plan.costs.base,
        )

    @property
    def takes(self) -> Floats:
        """What each would take now, with a pile that it may need."""
        return self.seconds + self.plan.pile * (self.elsewhere @ self.unseen)

    def best(self) -> int | None:
        """Return what pays most; None when nothing pays any more."""
        rates = np.where(self.is_open, self.worth / self.takes, 0.0)
        best = first_best(rates) if len(rates) else 0
        least = FILL * self.total / self.spent
        pays = len(rates) > 0 and rates[best] > 0 and rates[best] >= least
        return best if pays else None

    def add(self, best: int) -> None:
        """Add an item, or another group, if there is anything to ask about it."""
        self.is_open[best] = False
        question = self.plan.ask(int(self.at[best]))
        if question is None:
            return
        self.total += float(self.worth[best])
        self.spent += float(self.takes[best])
        self.asked.append((float(self.plan.chance[self.at[best]]), question))
        self.unseen = self.unseen * (1 - self.elsewhere[best])
        n_items = int((self.at < len(self.plan.prospect.samples)).sum())
        if best < n_items:
            left = self.fading.after(best)
            self.worth = np.concatenate(
                [self.start[:n_items] * left, self.start[n_items:]]
            )


def _elsewhere(chance: Floats, group: int) -> Floats:
    """Return where items are that are not in a group, the last column for nowhere."""
    rest = np.maximum(1 - chance.sum(axis=1, keepdims=True), 0.0)
    found = np.hstack([chance, rest])
    found[:, group] = 0.0
    return found


def _overviews(prospect: Prospect, costs: Costs, most: int) -> Iterator[Overview]:
    """Yield the overview of the groups that are worth most side by side."""
    glance = prospect.glance
    if len(glance) < 3 or not glance.any():  # noqa: PLR2004 - two are a pair
        return
    order = best_first(glance.sum(axis=1))
    shown = sorted(g for g, _ in zip(order, range(min(most, N_GROUPS)), strict=False))
    asked = [
        (float(glance[g, h]), question)
        for at, g in enumerate(shown)
        for h in shown[:at]
        if glance[g, h] > 0 and (question := prospect.glanced(g, h)) is not None
    ]
    if asked:
        worth, questions = zip(*asked, strict=True)
        seconds = costs.sheet(len(shown), 2 * HIDDEN)
        yield Overview(questions, sum(worth), seconds)


# Of any method: by its clusters, and the neighbours of samples


@dataclass
class Neighbourly:
    """What is left of the worth of items: less where neighbours are settled."""

    weights: Floats
    left: Floats

    def after(self, at: int) -> Floats:
        """Settle one more item; return the share of worth that each has left."""
        self.left = self.left * (1 - self.weights[:, at])
        return self.left


@dataclass(frozen=True)
class Clustered:
    """What may be shown of clusters, estimated from their neighbours' labels.

    Attributes
    ----------
    model : Model
        Of which the labels and the confidence are looked at.
    known : Knowledge
    neighbours : sparse array of shape (n, n)
        Weights to the nearest neighbours.
    is_open : bool
        Whether nobody has said how many groups there are.
    """

    model: Looked
    known: Knowledge
    neighbours: Sparse
    is_open: bool

    @cached_property
    def speakers(self) -> tuple[tuple[int, ...], ...]:
        """For each cluster, some of its samples: known ones first, then the surest."""
        labels, sure = self.model.labels, self.model.confidence
        order = np.lexsort((-sure, ~self._is_settled, labels))
        order = order[~np.isin(order, list(self.known.aside))]
        starts = np.unique(labels[order], return_index=True)[1].tolist()
        ends = [*starts[1:], len(order)]
        return tuple(
            tuple(order[start : min(end, start + 2 * N_SPEAKERS)].tolist())
            for start, end in zip(starts, ends, strict=True)
        )

    @cached_property
    def _is_settled(self) -> NDArray[np.bool_]:
        settled = np.zeros(self.known.n_samples, dtype=bool)
        for members in self.known.constraints.members.values():
            settled[list(members)] = len(members) > 1
        return settled

    @cached_property
    def _chance(self) -> Floats:
        """P(cluster) of every sample, of shape (n, k)."""
        used, labels = np.unique(self.model.labels, return_inverse=True)
        found = neighbour_probabilities(self.neighbours, labels, len(used))
        spoken = [self.model.labels[speakers[0]] for speakers in self.speakers]
        return found[:, np.searchsorted(used, spoken)]

    def chance(self, samples: Indices) -> Floats:
        """Return the probability that samples belong to clusters, of shape (s, k)."""
        return self._chance[samples]

    def items(self, taken: Collection[int]) -> Indices:
        """Return the samples that may be shown: the most doubtful that are open."""
        out = [
            *taken,
            *self.known.aside,
            *(s for one in self.speakers for s in one[:1]),
        ]
        may = ~self._is_settled
        may[out] = False
        samples = np.flatnonzero(may)
        doubt = 1 - (self._chance[samples] ** 2).sum(axis=1)
        return np.sort(samples[np.argsort(-doubt, kind="stable")[:N_ITEMS]])

    def worth(self, samples: Indices) -> tuple[Floats, Floats]:
        """Return what verdicts on samples and clusters are worth, and sorting them."""
        p = self._chance[samples]
        squares = (p**2).sum(axis=1, keepdims=True)
        drop = p**2 * ((1 - p) ** 2 + squares - p**2) / np.maximum(p * (1 - p), 1e-12)
        return drop * self._sizes, (1 - squares) * self._sizes

    @cached_property
    def _sizes(self) -> Floats:
        """How many samples each cluster has, of shape (k,)."""
        counts = np.bincount(self.model.labels).astype(np.float64)
        return counts[[self.model.labels[speakers[0]] for speakers in self.speakers]]

    def may_show(self, samples: Indices) -> NDArray[np.bool_]:
        """Tell which samples may be shown beside which clusters, of shape (s, k)."""
        p = self._chance[samples].copy()
        for at, sample in enumerate(samples.tolist()):
            for group in range(p.shape[1]):
                if p[at, group] >= AT_ALL and self.question(sample, group) is None:
                    p[at, group] = 0.0
        return (p >= AT_ALL) & (p >= NEARLY_LIKELIEST * p.max(axis=1, keepdims=True))

    def question(self, sample: int, group: int) -> Question | None:
        """Return what to ask about a sample and a cluster; None if that is known."""
        done = self.known.compared.get(sample, frozenset())
        relation = self.known.constraints.relation
        for against in self.speakers[group][:N_SPEAKERS]:
            if against not in done and against != sample:
                is_open = relation(sample, against) is None
                return Question(sample, against) if is_open else None
        return None

    def glanced(self, group: int, other: int) -> Question | None:
        """Return what to ask about two clusters at a glance."""
        i, j = self.speakers[group][0], self.speakers[other][0]
        is_open = self.known.constraints.relation(i, j) is None
        return Question(i, j) if is_open else None

    def glance(self) -> Floats:
        """Return what it is worth to see two clusters side by side."""
        k = len(self.speakers)
        if not self.is_open or k < 2:  # noqa: PLR2004 - a pair
            return np.zeros((k, k))
        hidden = 2 * HIDDEN / (k * (k - 1))
        found = 2 * hidden * np.outer(self._sizes, self._sizes)
        np.fill_diagonal(found, 0.0)
        return found

    def fading(self, samples: Indices) -> Neighbourly:
        """Return what is left of the worth of items."""
        near = dense(self.neighbours[samples][:, samples])
        total = np.asarray(self.neighbours[samples].sum(axis=1)).reshape(-1, 1)
        return Neighbourly(near / np.maximum(total, 1e-300), np.ones(len(samples)))


def estimated_prospect(
    clustered: Clustered, asked: Question | None, pending: tuple[Question, ...]
) -> Prospect:
    """Return what may be shown by any method that clusters and asks.

    Parameters
    ----------
    clustered : Clustered
    asked : Question or None
        The question that the method would ask.
    pending : tuple of Question
        Open elsewhere.
    """
    samples = clustered.items({question.sample for question in pending})
    (worth, whole), may = clustered.worth(samples), clustered.may_show(samples)
    k = len(clustered.speakers)
    pair = None
    if asked is not None:
        alone = clustered.worth(np.array([asked.sample, asked.against]))[0]
        pair = asked, float(alone.max())
    return Prospect(
        samples,
        clustered.speakers,
        clustered.chance(samples),
        np.where(may, worth, 0.0),
        np.where(may, whole, 0.0),
        np.zeros((k, k)),
        np.zeros((k, k)),
        clustered.glance(),
        clustered.fading,
        clustered.question,
        lambda group, other: None,  # noqa: ARG005 - nothing says which may be one
        clustered.glanced,
        pair,
    )
