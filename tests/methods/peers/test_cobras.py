"""COBRAS against its definition."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.cluster import KMeans
from tests.definitions import answers, truth_of
from tests.problems import Tiny, blobs

from likewise import LabelOracle, Session, run
from likewise._arrays import Floats
from likewise.knowledge import Answer, Constraints, Verdict
from likewise.methods import problem_of
from likewise.methods._peers._cobras import Region, k_means, region, script, split
from likewise.methods._peers._script import Stages, by_place
from likewise.methods._space import Space


def inertia(X: Floats, labels: Any) -> float:
    parts = [X[labels == c] for c in set(labels.tolist())]
    return float(sum(((part - part.mean(axis=0)) ** 2).sum() for part in parts))


@pytest.mark.parametrize("k", [1, 2, 5])
@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
def test_k_means_is_as_good_as_another_one(
    k: int, convert: Any, rng: np.random.Generator
) -> None:
    X = blobs((10, 10, 10, 10, 10), spread=0.5).X
    other = KMeans(k, n_init=10, random_state=0).fit(X)

    labels = k_means(convert(X), k, rng)

    assert inertia(X, labels) <= other.inertia_ * 1.001


def test_samples_at_one_place_are_halved(rng: np.random.Generator) -> None:
    X = np.ones((5, 2))

    parts = split(X, region(X, np.arange(5)), 4, rng)

    assert [part.samples.tolist() for part in parts] == [[0, 1, 2], [3, 4]]


def test_the_speaker_is_the_sample_nearest_to_the_middle() -> None:
    X = np.array([[0.0], [1.0], [5.0], [2.5]])

    assert region(X, np.arange(4)).speaker == 3


class Plain:
    """COBRAS as it is told in words: with lists, and everything looked at anew."""

    def __init__(self, tiny: Tiny, seed: int) -> None:
        self.X, self.truth = tiny.X, tiny.truth
        self.rng = np.random.default_rng(seed)
        self.known = Constraints()
        self.clusters: list[list[Region]] = []
        self.asked: list[tuple[int, int]] = []

    def play(self) -> None:
        part: Region | None = region(self.X, by_place(self.X, np.arange(len(self.X))))
        while part is not None:
            new = split(self.X, part, 2 ** self.level(part), self.rng)
            self.clusters += [[r] for r in new]
            while self.merged():
                pass
            part = self.largest()

    def is_same(self, one: Region, two: Region) -> bool:
        i, j = pair = one.speaker, two.speaker
        if self.known.relation(i, j) is None:
            self.asked.append(pair)
            verdict = Verdict.of(bool(self.truth[i] == self.truth[j]))
            self.known = self.known.after(i, j, verdict)
        return self.known.relation(i, j) is Verdict.SAME

    def level(self, part: Region) -> int:
        depth = 0
        while True:
            halves = split(self.X, part, 2, self.rng)
            if self.is_same(*halves):
                return max(depth, 1)
            depth += 1
            halves = tuple(r for r in halves if len(r.samples) > 1)
            if not halves:
                return depth
            part = min(halves, key=lambda r: len(r.samples))

    def merged(self) -> bool:
        pairs = sorted(combinations(self.clusters, 2), key=lambda ab: self.gap(*ab))
        for a, b in pairs:
            if not self.barred(a, b) and self.is_same(a[0], b[0]):
                a += b
                self.clusters = [c for c in self.clusters if c is not b]
                return True
        return False

    def barred(self, a: list[Region], b: list[Region]) -> bool:
        relations = (self.known.relation(r.speaker, s.speaker) for r in a for s in b)
        return Verdict.DIFFERENT in relations

    def gap(self, a: list[Region], b: list[Region]) -> float:
        return min(float(np.linalg.norm(r.centre - s.centre)) for r in a for s in b)

    def largest(self) -> Region | None:
        everyone = [(r, c) for c in self.clusters for r in c if len(r.samples) > 1]
        if not everyone:
            return None
        part, home = max(everyone, key=lambda found: len(found[0].samples))
        home[:] = [r for r in home if r is not part]
        self.clusters = [c for c in self.clusters if c]
        return part


@pytest.mark.parametrize("seed", range(6))
def test_it_asks_what_its_definition_asks(seed: int) -> None:
    tiny = blobs((9, 8, 7, 6), spread=2.0, seed=seed)
    plain, n = Plain(tiny, seed), len(tiny.X)
    space = Space(problem_of(tiny.X, affinity="auto", n_clusters=None), 2)
    stages = Stages(script(space, np.arange(n), seed))
    told: tuple[Answer, ...] = ()

    while (pair := stages.after(told).pair) is not None:
        told = (*told, *answers([(*pair, truth_of(tiny.truth.tolist(), *pair))]))
    plain.play()

    assert [answer.question.pair for answer in told] == [
        (min(pair), max(pair)) for pair in plain.asked
    ]
    assert len(plain.clusters) == 4


def test_it_finds_heaps_with_few_questions_and_without_their_number() -> None:
    tiny = blobs((20, 20, 20, 20), spread=0.3)
    session = Session(tiny.X, "cobras", random_state=0)

    for view in run(session, LabelOracle(tiny.truth), 12):
        labels = view.labels

    assert len(set(zip(labels.tolist(), tiny.truth.tolist(), strict=True))) == 4
