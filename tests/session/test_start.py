"""What is known from the start, as answers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from tests.definitions import all_links, all_relations, links_of
from tests.strategies import labelings

from likewise.errors import InputError
from likewise.knowledge import Answer, Constraints, Question, Verdict
from likewise.session import links_of_labels
from likewise.session._start import answers_of


def test_triples_become_answers_that_were_given() -> None:
    expected = [Answer(Question(0, 5), Verdict.SAME, how="given")]

    assert answers_of([(0, 5, "same")]) == expected
    assert answers_of(np.array([[0, 5, 1]])) == expected


def test_answers_stay_as_they_are() -> None:
    answer = Answer(Question(0, 5), Verdict.UNSURE, 7, "told")

    assert answers_of([answer]) == [answer]


@pytest.mark.parametrize("entry", [(0, 1), 5, ("a", "b", "same"), (0, None, "same")])
def test_anything_else_is_refused(entry: Any) -> None:
    with pytest.raises(InputError, match=r"is not an answer: write \(i, j, 'same'\)"):
        answers_of([entry])


def test_a_triple_with_an_unknown_word_is_refused() -> None:
    with pytest.raises(InputError, match="'maybe' is not an answer"):
        answers_of([(0, 1, "maybe")])


@given(labelings())
def test_known_classes_imply_every_pair(labels: list[int]) -> None:
    links = links_of(links_of_labels(labels, len(labels)))

    expected = Constraints().after_all(all_links(labels))
    assert all_relations(Constraints().after_all(links), len(labels)) == all_relations(
        expected, len(labels)
    )


@given(labelings())
def test_known_classes_need_few_answers(labels: list[int]) -> None:
    n, k = len(labels), len(set(labels))

    assert len(links_of_labels(labels, n)) == n - k + k * (k - 1) // 2


def test_of_many_classes_each_is_told_apart_from_the_nearest() -> None:
    labels = [at // 2 for at in range(2000)]
    X = np.arange(2000.0)[:, np.newaxis]

    links = links_of(links_of_labels(labels, 2000, X))

    known = Constraints().after_all(links)
    assert len(links) < 1000 + 24 * 1000
    assert all(known.relation(at, at + 2) is Verdict.DIFFERENT for at in range(1998))
    assert all(known.relation(2 * at, 2 * at + 1) is Verdict.SAME for at in range(1000))


def test_few_classes_are_all_told_apart_wherever_they_are() -> None:
    labels, X = [0, 1, 2, 0], np.arange(4.0)[:, np.newaxis]

    assert links_of_labels(labels, 4, X) == links_of_labels(labels, 4)


@pytest.mark.parametrize("missing", [None, np.nan])
def test_missing_classes_are_left_out_of_a_sequence(missing: Any) -> None:
    known = links_of_labels(["oak", missing, "oak", missing], 4)

    assert links_of(known) == [(2, 0, Verdict.SAME)]


def test_a_mapping_names_the_samples_whose_class_is_known() -> None:
    known = links_of_labels({3: "oak", 7: "elm"}, 10)

    assert links_of(known) == [(7, 3, Verdict.DIFFERENT)]


def test_a_sequence_of_another_length_is_refused() -> None:
    with pytest.raises(InputError, match="There are 3 samples but 2 known classes"):
        links_of_labels(["oak", "elm"], 3)
