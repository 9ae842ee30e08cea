"""Labels that respect every known pair and keep their numbers."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.definitions import answers, classes_of
from tests.strategies import links

from likewise._arrays import Floats, Indices
from likewise.knowledge import Knowledge, Verdict, in_use, numbered, respect
from likewise.knowledge._constraints import Link

SAME, DIFFERENT = Verdict.SAME, Verdict.DIFFERENT
N, K = 8, 3


def after(told: list[Link]) -> Knowledge:
    return Knowledge(N).after_all(answers(told))


def respected(
    raw: list[int], known: Knowledge, likeness: Floats | None = None
) -> Indices:
    k = max(K, len(known.certain), max(raw) + 1)
    if likeness is None:
        likeness = np.full((N, k), 1 / k)
    return respect(np.array(raw), likeness, known.constraints, known.certain)


some_clusters = st.lists(st.integers(0, K - 1), min_size=N, max_size=N)


@given(some_clusters, links(N))
def test_no_known_pair_is_violated(raw: list[int], told: list[Link]) -> None:
    known = after(told)

    labels = respected(raw, known)

    for i, j in combinations(range(N), 2):
        relation = known.constraints.relation(i, j)
        assert relation is None or (labels[i] == labels[j]) == (relation is SAME)


@given(some_clusters, links(N))
def test_certain_set_t_has_label_t(raw: list[int], told: list[Link]) -> None:
    known = after(told)

    labels = respected(raw, known)

    for t, group in enumerate(known.certain):
        assert set(labels[list(known.constraints.samples(group))]) == {t}


@given(some_clusters, links(N))
def test_labels_leave_no_number_out(raw: list[int], told: list[Link]) -> None:
    labels = respected(raw, after(told))

    assert sorted(set(labels.tolist())) == list(range(labels.max() + 1))


@given(some_clusters, links(N, verdicts=(SAME,)))
def test_must_links_alone_never_add_a_cluster(raw: list[int], told: list[Link]) -> None:
    assert respected(raw, after(told)).max() < K


@given(some_clusters, links(N))
def test_clusters_are_added_for_cannot_links_only(
    raw: list[int], told: list[Link]
) -> None:
    known = after(told)

    labels = respected(raw, known)

    # A group that starts a cluster of its own is apart from something in each other.
    for extra in range(max(K, len(known.certain)), labels.max() + 1):
        groups = {
            known.constraints.group(int(s)) for s in np.flatnonzero(labels == extra)
        }
        barred = [
            {int(labels[other]) for other in known.constraints.apart_from(group)}
            for group in groups
        ]
        assert any(set(range(K)) <= labels_barred for labels_barred in barred)


@given(some_clusters)
def test_without_answers_the_clusters_stay(raw: list[int]) -> None:
    actual = respected(raw, after([]))

    assert classes_of(actual.tolist()) == classes_of(raw)


@given(some_clusters)
def test_without_answers_clusters_are_numbered_by_their_first_sample(
    raw: list[int],
) -> None:
    labels = respected(raw, after([]))

    first = [labels.tolist().index(label) for label in range(labels.max() + 1)]
    assert first == sorted(first)


@given(some_clusters, links(N), st.permutations(range(K)))
def test_how_raw_clusters_are_called_does_not_matter(
    raw: list[int], told: list[Link], names: list[int]
) -> None:
    known = after(told)
    rng = np.random.default_rng(0)
    likeness = rng.random((N, max(K, len(known.certain))))
    renamed = likeness.copy()
    renamed[:, names] = likeness[:, :K]

    actual = respected([names[label] for label in raw], known, renamed)

    np.testing.assert_array_equal(actual, respected(raw, known, likeness))


def test_a_group_goes_where_most_of_it_is() -> None:
    known = after([(7, 6, DIFFERENT), (0, 1, SAME), (1, 2, SAME)])

    labels = respected([0, 0, 1, 1, 1, 1, 1, 0], known)

    assert set(labels[:3]) == {labels[7]}


def test_likeness_breaks_ties() -> None:
    known = after([(7, 6, DIFFERENT), (0, 1, SAME)])
    likeness = np.tile([0.1, 0.8, 0.1], (N, 1))

    labels = respected([0, 1, 0, 0, 1, 1, 1, 0], known, likeness)

    assert labels[0] == labels[1] == labels[6]


def test_a_group_avoids_the_clusters_it_is_apart_from() -> None:
    known = after([(7, 6, DIFFERENT), (0, 7, DIFFERENT)])

    labels = respected([0, 0, 0, 1, 1, 1, 1, 0], known)

    assert labels[0] != labels[7]
    assert labels.max() == 1


def test_a_cluster_is_added_when_all_are_barred() -> None:
    told = [(0, 1, DIFFERENT), (2, 0, DIFFERENT), (2, 1, DIFFERENT)]
    told += [(3, 0, DIFFERENT), (3, 1, DIFFERENT), (3, 2, DIFFERENT)]

    labels = respected([0, 1, 2, 0, 0, 0, 0, 0], after(told))

    assert len(set(labels[:4].tolist())) == 4


def test_a_cluster_that_is_left_empty_leaves_no_gap() -> None:
    known = after([(7, 6, DIFFERENT), (0, 1, SAME), (1, 2, SAME)])

    # The cluster of sample 0 alone comes before that of 1 and 2, who draw it away.
    labels = respected([0, 1, 1, 1, 2, 2, 2, 3], known)

    assert sorted(set(labels.tolist())) == [0, 1, 2]


def test_inputs_are_not_changed() -> None:
    raw, likeness = np.array([0, 1] * 4), np.full((N, 2), 0.5)
    known = after([(0, 1, SAME), (2, 3, DIFFERENT)])

    respect(raw, likeness, known.constraints, known.certain)

    assert raw.tolist() == [0, 1] * 4
    assert (likeness == 0.5).all()


@dataclass(frozen=True)
class OnlyRows:
    """What gives rows, but never all of them."""

    rows: Floats

    @property
    def shape(self) -> tuple[int, ...]:
        return self.rows.shape

    def __getitem__(self, some: Indices) -> Floats:
        assert len(some) < len(self.rows)
        return self.rows[some]


@given(some_clusters, st.lists(links(N - 1), max_size=4), st.integers(0, 2**32 - 1))
def test_only_rows_of_known_samples_are_looked_at(
    raw: list[int], told: list[list[Link]], seed: int
) -> None:
    known = after([link for some in told for link in some])
    k = max(K, len(known.certain))
    likeness = np.random.default_rng(seed).random((N, k))
    how = known.constraints, known.certain

    actual = respect(np.array(raw), OnlyRows(likeness), *how)

    np.testing.assert_array_equal(actual, respect(np.array(raw), likeness, *how))


@given(st.lists(st.integers(0, 9), max_size=12))
def test_labels_in_use_keep_their_order(labels: list[int]) -> None:
    expected = [sorted(set(labels)).index(label) for label in labels]

    assert in_use(np.array(labels, dtype=np.intp)).tolist() == expected


# Clusters as they are, called after the certain sets


@given(some_clusters, links(N))
def test_numbered_clusters_are_the_raw_ones(raw: list[int], told: list[Link]) -> None:
    known = after(told)
    k = max(K, len(known.certain))

    labels = numbered(
        np.array(raw), np.full((N, k), 1 / k), known.constraints, known.certain
    )

    assert classes_of(labels.tolist()) == classes_of(raw)
    assert set(labels.tolist()) <= set(range(k))


def test_a_cluster_is_called_after_the_set_that_most_of_is_in_it() -> None:
    known = after([(0, 1, DIFFERENT), (0, 2, SAME), (1, 3, SAME)])
    raw = np.array([2, 0, 2, 0, 1, 1, 2, 1])

    labels = numbered(raw, np.zeros((N, 3)), known.constraints, known.certain)

    for number, group in enumerate(known.certain):
        assert set(labels[list(known.constraints.samples(group))]) == {number}
    assert labels[[4, 5, 7]].tolist() == [2, 2, 2]
