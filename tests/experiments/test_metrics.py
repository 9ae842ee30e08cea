"""How well a clustering agrees with the classes: definitions and properties."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as reference

from likewise.experiments import METRICS, all_in_one, jaccard, v_measure
from likewise.experiments._metrics import ari, completeness, homogeneity

SYMMETRIC = ["jaccard", "v_measure", "ari"]
RENAMING_CHANGES_NOTHING = ["jaccard", "v_measure", "ari"]
ONE_FOR_EQUAL = ["jaccard", "v_measure", "ari"]
AT_MOST_ONE = ["jaccard", "v_measure", "ari"]

two_labelings = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=12
).map(lambda drawn: tuple(np.array(drawn).T))


def test_every_metric_is_in_some_list_of_properties() -> None:
    listed = SYMMETRIC + RENAMING_CHANGES_NOTHING + ONE_FOR_EQUAL + AT_MOST_ONE

    assert set(listed) == set(METRICS)


@given(two_labelings)
def test_jaccard_counts_pairs(drawn: Any) -> None:
    truth, labels = drawn
    both = either = 0
    for i in range(len(truth)):
        for j in range(i):
            together = truth[i] == truth[j], labels[i] == labels[j]
            both += all(together)
            either += any(together)

    assert jaccard(truth, labels) == (both / either if either else 1.0)


@given(two_labelings)
def test_homogeneity_and_completeness_are_those_of_scikit_learn(drawn: Any) -> None:
    assert homogeneity(*drawn) == pytest.approx(reference.homogeneity_score(*drawn))
    assert completeness(*drawn) == pytest.approx(reference.completeness_score(*drawn))


@given(two_labelings)
def test_v_measure_is_that_of_scikit_learn(drawn: Any) -> None:
    expected = reference.v_measure_score(*drawn)

    assert v_measure(*drawn) == pytest.approx(expected, abs=1e-9)


@given(two_labelings)
def test_ari_is_that_of_scikit_learn(drawn: Any) -> None:
    assert ari(*drawn) == pytest.approx(reference.adjusted_rand_score(*drawn))


@pytest.mark.parametrize("name", SYMMETRIC)
@given(drawn=two_labelings)
def test_truth_and_labels_may_change_places(name: str, drawn: Any) -> None:
    truth, labels = drawn

    assert METRICS[name](truth, labels) == pytest.approx(METRICS[name](labels, truth))


@pytest.mark.parametrize("name", RENAMING_CHANGES_NOTHING)
@given(drawn=two_labelings, names=st.permutations(range(4)))
def test_renaming_clusters_changes_nothing(
    name: str, drawn: Any, names: list[int]
) -> None:
    truth, labels = drawn

    renamed = METRICS[name](truth, np.array(names)[labels])

    assert renamed == pytest.approx(METRICS[name](truth, labels))


@pytest.mark.parametrize("name", RENAMING_CHANGES_NOTHING)
@given(drawn=two_labelings)
def test_clusters_may_be_called_by_words(name: str, drawn: Any) -> None:
    truth, labels = drawn
    words = np.array(["oak", "elm", "yew", "ash"])

    called = METRICS[name](words[truth], words[labels])

    assert called == pytest.approx(METRICS[name](truth, labels))


@pytest.mark.parametrize("name", ONE_FOR_EQUAL)
@given(drawn=two_labelings)
def test_equal_labelings_score_one(name: str, drawn: Any) -> None:
    assert METRICS[name](drawn[0], drawn[0]) == pytest.approx(1.0)


@pytest.mark.parametrize("name", AT_MOST_ONE)
@given(drawn=two_labelings)
def test_no_labeling_scores_more_than_one(name: str, drawn: Any) -> None:
    assert METRICS[name](*drawn) <= 1.0 + 1e-9


@pytest.mark.parametrize("name", METRICS)
def test_a_score_is_a_plain_number(name: str) -> None:
    assert type(METRICS[name]([0, 0, 1, 1], [0, 1, 1, 1])) is float


@pytest.mark.parametrize("name", METRICS)
def test_labelings_of_different_lengths_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"inconsistent numbers of samples|shapes"):
        METRICS[name]([0, 1, 1], [0, 1])


@given(st.lists(st.integers(0, 3), min_size=2, max_size=12))
def test_all_in_one_is_the_share_of_pairs_that_belong_together(
    truth: list[int],
) -> None:
    pairs = list(combinations(truth, 2))

    assert all_in_one(truth) == sum(a == b for a, b in pairs) / len(pairs)
