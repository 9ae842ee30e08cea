"""Definitions written out as they are read, however slow."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations, permutations

import numpy as np

from likewise._arrays import Floats, Indices
from likewise.knowledge import Answer, Constraints, Question, Verdict
from likewise.knowledge._constraints import Link

Relations = dict[tuple[int, int], Verdict | None]


def truth_of(labels: Sequence[int], i: int, j: int) -> Verdict:
    return Verdict.SAME if labels[i] == labels[j] else Verdict.DIFFERENT


def brute_relations(links: Iterable[Link], n: int) -> Relations:
    """Return the closure of links that do not contradict each other.

    Together: joined by a path of "same". Apart: a "different" has one end together with
    the one, its other end together with the other.
    """
    told = list(links)
    same = np.eye(n, dtype=bool)
    for i, j, verdict in told:
        if verdict is Verdict.SAME:
            same[i, j] = same[j, i] = True
    for k in range(n):
        same |= np.outer(same[:, k], same[k])
    apart = np.zeros((n, n), dtype=bool)
    for i, j, verdict in told:
        if verdict is Verdict.DIFFERENT:
            apart |= np.outer(same[i], same[j]) | np.outer(same[j], same[i])
    known = {True: Verdict.SAME, False: None}
    return {
        (i, j): Verdict.DIFFERENT if apart[i, j] else known[bool(same[i, j])]
        for i, j in np.ndindex(n, n)
    }


def consistent(links: Iterable[Link], n: int) -> list[Link]:
    """Return the links in order, without those that deny the ones kept before."""
    kept: list[Link] = []
    for i, j, told in links:
        implied = brute_relations(kept, n)[i, j]
        if told is Verdict.UNSURE or implied in (None, told):
            kept.append((i, j, told))
    return kept


def all_relations(constraints: Constraints, n: int) -> Relations:
    return {(i, j): constraints.relation(i, j) for i, j in np.ndindex(n, n)}


def all_links(labels: Sequence[int]) -> list[Link]:
    """Return the truth about every pair."""
    pairs = combinations(range(len(labels)), 2)
    return [(i, j, truth_of(labels, i, j)) for i, j in pairs]


def answers(links: Iterable[Link], *, how: str = "asked") -> list[Answer]:
    """Return links as answers numbered from 1."""
    return [
        Answer(Question(i, j), verdict, number, how)
        for number, (i, j, verdict) in enumerate(links, start=1)
    ]


def links_of(given: Iterable[Answer]) -> list[Link]:
    return [(a.question.sample, a.question.against, a.verdict) for a in given]


def classes_of(labels: Sequence[int]) -> set[frozenset[int]]:
    """Return a labeling as a set of sets, which forgets how clusters are called."""
    found: dict[int, list[int]] = {}
    for sample, label in enumerate(labels):
        found.setdefault(int(label), []).append(sample)
    return {frozenset(members) for members in found.values()}


def euclidean(X: Floats) -> Floats:
    return np.sqrt(((X[:, np.newaxis] - X) ** 2).sum(axis=2))


def matched(truth: Indices, labels: Indices) -> float:
    """Return the share of samples in the right group, by the best of all matchings."""
    n = max(truth.max(), labels.max()) + 1
    return max(
        float(np.mean(np.array(names)[labels] == truth))
        for names in permutations(range(n))
    )
