"""Which screen is worth most for its seconds: pairs, sheets, sorted sheets, overviews."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from likewise._arrays import Floats, Indices
from likewise._ties import best_first, first_best
from likewise.knowledge import Costs, Overview, Pair, Question, Screen, Sheet, Tap

KINDS = ("pair", "sheet", "sort", "overview")
MOST = 48  # items on a sheet, unless the person's screen holds fewer
N_SPEAKERS = 3  # members that speak for a group on a sheet
OFFERED = 8  # groups that a pile may be put into, at once
TRIED = 12  # sheets that are worked out item by item
LOOKED_AT = 300  # items that are looked at for one sheet
FILL = 0.4  # an item is shown if it is worth so much, for its seconds, of the sheet
TRUST = 0.5  # of what a sheet promises: it is filled before its own answers are in
HIDDEN = 0.3  # groups that are the same, expected among those never seen together
N_GROUPS = 24  # groups on an overview


class Fading(Protocol):
    """What is left of the worth of items while others are settled."""

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
    new : ndarray of shape (s,)
        The probability that it is of none of them.
    worth : ndarray of shape (s, m)
        Pairs that a verdict on an item and a group is expected to change; 0 where it
        may not be asked.
    whole : ndarray of shape (s, m)
        The same, were it then put where it belongs.
    same, merging : ndarray of shape (m, m)
        The probability that two groups are one, and what a verdict on them is worth.
    glance : ndarray of shape (m, m)
        What it is worth to see two groups side by side that nobody has compared.
    n_hidden : float
        How many of these are expected to be one.
    fading : callable
        ``fading(items)`` returns what is left of these items' worth.
    question : callable
        ``question(item, group)`` returns what to ask, None if there is nothing.
    merge : callable
        ``merge(group, other)`` returns what to ask about two groups, or None.
    pair : Pair or None
        The best single question, with what it is worth.
    """

    samples: Indices
    speakers: tuple[tuple[int, ...], ...]
    chance: Floats
    new: Floats
    worth: Floats
    whole: Floats
    same: Floats
    merging: Floats
    glance: Floats
    fading: Callable[[Indices], Fading]
    question: Callable[[int, int], Question | None]
    merge: Callable[[int, int], Question | None]
    glanced: Callable[[int, int], Question | None]
    pair: Pair | None = None
    n_hidden: float = HIDDEN


@dataclass(frozen=True)
class Plan:
    """A sheet as it is being filled: what it is worth, and what it costs.

    Attributes
    ----------
    prospect : Prospect
    costs : Costs
    group : int
        Of the speakers.
    tap : {"misfits", "members"}
    sorts : bool
    """

    prospect: Prospect
    costs: Costs
    group: int
    tap: Tap
    sorts: bool

    @property
    def worth(self) -> Floats:
        """What each item is worth here, of shape (s,)."""
        seen = self.prospect.whole if self.sorts else self.prospect.worth
        return seen[:, self.group]

    @property
    def seconds(self) -> Floats:
        """What each item takes, but for its pile, of shape (s,)."""
        return self._seconds(self.prospect.chance[:, self.group])

    @property
    def merging(self) -> Floats:
        """What each other group is worth here; a sorted sheet has none."""
        found = self.prospect.merging[self.group]
        return np.zeros_like(found) if self.sorts else found

    @property
    def merging_seconds(self) -> Floats:
        return self._seconds(self.prospect.same[self.group])

    def _seconds(self, chance: Floats) -> Floats:
        taps = 1 - chance if self.tap == "misfits" else chance
        return self.costs.item + self.costs.tap * taps

    @property
    def pile(self) -> float:
        """What a pile takes."""
        n_others = len(self.prospect.speakers) - 1
        return self.costs.sorting(min(OFFERED, max(n_others, 1)))

    def bound(self, most: int) -> float:
        """Return more than any such sheet is worth a second."""
        seconds = self.seconds
        if self.sorts:
            seconds = seconds + 0.1 * self.pile * (
                1 - self.prospect.chance[:, self.group]
            )
        worth = np.concatenate([self.worth, self.merging])
        rate = worth / np.concatenate([seconds, self.merging_seconds])
        best = np.argsort(-rate, kind="stable")[:most]
        total = self.costs.base + np.cumsum(worth[best] / np.maximum(rate[best], 1e-30))
        return float((np.cumsum(worth[best]) / total).max(initial=0.0))

    def filled(self, most: int) -> Sheet | None:
        """Return the sheet with items and groups, as long as they pay."""
        prospect, group = self.prospect, self.group
        worth = self.worth
        at = np.flatnonzero(worth > 0)
        if len(at) > LOOKED_AT:
            at = np.sort(at[np.argsort(-worth[at], kind="stable")[:LOOKED_AT]])
        start = worth[at]
        worth, seconds = start.copy(), self.seconds[at]
        fading = prospect.fading(prospect.samples[at])
        elsewhere = self._elsewhere(at)
        unseen = np.ones(elsewhere.shape[1])
        others = np.flatnonzero(self.merging > 0)
        mergers, merging_seconds = self.merging[others], self.merging_seconds[others]
        open_, open_groups = np.ones(len(at), bool), np.ones(len(others), bool)
        total, cost = 0.0, self.costs.base
        questions: list[tuple[float, Question]] = []
        while len(questions) < most:
            here = seconds + (self.pile * (elsewhere @ unseen) if self.sorts else 0.0)
            rates = np.where(open_, worth / here, -1.0)
            merge_rates = np.where(open_groups, mergers / merging_seconds, -1.0)
            both = np.concatenate([rates, merge_rates])
            if not len(both):
                break
            best = first_best(both)
            if both[best] <= 0 or (total and both[best] < FILL * total / cost):
                break
            if best < len(at):
                open_[best] = False
                sample = int(prospect.samples[at[best]])
                question = prospect.question(sample, group)
                if question is None:
                    continue
                gained, spent = worth[best], here[best]
                unseen = unseen * (1 - elsewhere[best])
                worth = start * fading.after(best)
                chance = prospect.chance[at[best], group]
            else:
                other = best - len(at)
                open_groups[other] = False
                question = prospect.merge(group, int(others[other]))
                if question is None:
                    continue
                gained, spent = mergers[other], merging_seconds[other]
                chance = prospect.same[group, others[other]]
            total, cost = total + float(gained), cost + float(spent)
            questions.append((float(chance), question))
        if not questions:
            return None
        questions.sort(key=lambda one: one[0])
        asked = tuple(question for _, question in questions)
        speakers = prospect.speakers[group][:N_SPEAKERS]
        return Sheet(speakers, asked, self.tap, self.sorts, total, cost)

    def _elsewhere(self, at: Indices) -> Floats:
        """Return where items are that are not here, the last column for nowhere."""
        chance = self.prospect.chance[at].copy()
        chance[:, self.group] = 0.0
        rest = 1 - self.prospect.chance[at].sum(axis=1, keepdims=True)
        return np.hstack([chance, np.maximum(rest, 0.0)])


def best_screen(
    prospect: Prospect,
    costs: Costs,
    kinds: Collection[str] = KINDS,
    most: int = MOST,
) -> Screen | None:
    """Return the screen that is expected to change most pairs a second; or None."""
    found: list[Screen] = []
    if "pair" in kinds and prospect.pair is not None:
        found.append(prospect.pair)
    found += _sheets(prospect, costs, kinds, most)
    if "overview" in kinds:
        found += _overviews(prospect, costs, min(most, N_GROUPS))
    worth = [one for one in found if one.worth > 0]
    if not worth:
        return None
    rates = [
        one.worth / one.seconds * (1 if isinstance(one, Pair) else TRUST)
        for one in worth
    ]
    return worth[first_best(rates)]


def _sheets(
    prospect: Prospect, costs: Costs, kinds: Collection[str], most: int
) -> Iterator[Sheet]:
    """Yield sheets, while there may be a better one."""
    plans = [
        Plan(prospect, costs, group, tap, sorts)
        for group in range(len(prospect.speakers))
        for tap, sorts in _ways(prospect, kinds)
    ]
    bounds = np.array([plan.bound(most) for plan in plans])
    best = 0.0
    for at in np.argsort(-bounds, kind="stable")[:TRIED]:
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


def _overviews(prospect: Prospect, costs: Costs, most: int) -> Iterator[Overview]:
    """Yield the overview of the groups that are worth most side by side."""
    m = len(prospect.speakers)
    if m < 3:  # noqa: PLR2004 - two are a pair
        return
    glance = prospect.glance
    order = list(best_first(glance.sum(axis=1)))[:most]
    shown = sorted(order)
    worth = float(glance[np.ix_(shown, shown)].sum() / 2)
    asked = [
        prospect.glanced(g, h)
        for at, g in enumerate(shown)
        for h in shown[:at]
        if glance[g, h] > 0
    ]
    questions = tuple(question for question in asked if question is not None)
    if questions:
        seconds = costs.sheet(len(shown), 2 * prospect.n_hidden)
        yield Overview(questions, worth, seconds)
