"""Anything that answers by itself, and the loop that lets it."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.problems import Tiny

from likewise import FunctionOracle, LabelOracle, Question, Session, Verdict, run
from likewise.errors import InputError
from likewise.session._oracles import as_oracle

SAME, DIFFERENT, UNSURE = Verdict.SAME, Verdict.DIFFERENT, Verdict.UNSURE
PAIRS = list(combinations(range(80), 2))


@pytest.mark.parametrize(
    "labels",
    [
        ["oak", "oak", "elm"],
        [1, 1, 0],
        np.array([1.0, 1.0, 2.0]),
        pd.Series(["a", "a", "b"], index=[7, 8, 9]),
        (True, True, False),
    ],
    ids=["words", "numbers", "array", "series", "tuple"],
)
def test_labels_answer_truthfully(labels: Any) -> None:
    oracle = LabelOracle(labels)

    assert oracle(Question(0, 1)) is SAME
    assert oracle(Question(2, 0)) is DIFFERENT


def test_a_pair_always_gets_the_same_answer() -> None:
    oracle = LabelOracle(np.arange(80) % 3, error_rate=0.4, unsure_rate=0.2)

    first = [oracle(Question(i, j)) for i, j in PAIRS]
    again = [oracle(Question(i, j)) for i, j in reversed(PAIRS)]

    assert first == again[::-1]


def test_a_pair_gets_the_same_answer_in_either_order() -> None:
    oracle = LabelOracle(np.arange(80) % 3, error_rate=0.4, unsure_rate=0.2)

    assert all(oracle(Question(i, j)) is oracle(Question(j, i)) for i, j in PAIRS)


def test_the_seed_decides_which_pairs_are_answered_wrongly() -> None:
    def told(seed: int) -> list[Verdict]:
        oracle = LabelOracle(np.arange(80) % 3, error_rate=0.3, seed=seed)
        return [oracle(Question(*pair)) for pair in PAIRS]

    assert told(1) == told(1) != told(2)


@pytest.mark.parametrize("rate", [0.02, 0.3, 0.9])
def test_the_error_rate_is_kept(rate: float) -> None:
    labels = np.arange(80) % 3
    oracle, truth = LabelOracle(labels, error_rate=rate), LabelOracle(labels)

    wrong = np.mean([oracle(Question(*p)) is not truth(Question(*p)) for p in PAIRS])

    # 3160 pairs: four standard deviations of the mean.
    assert wrong == pytest.approx(rate, abs=4 * np.sqrt(rate * (1 - rate) / len(PAIRS)))


@pytest.mark.parametrize("rate", [0.02, 0.3, 0.9])
def test_the_unsure_rate_is_kept(rate: float) -> None:
    oracle = LabelOracle(np.arange(80) % 3, error_rate=0.5, unsure_rate=rate)

    unsure = np.mean([oracle(Question(*pair)) is UNSURE for pair in PAIRS])

    assert unsure == pytest.approx(
        rate, abs=4 * np.sqrt(rate * (1 - rate) / len(PAIRS))
    )


def test_errors_and_doubts_fall_on_pairs_independently() -> None:
    labels = np.arange(80) % 3
    oracle = LabelOracle(labels, error_rate=0.3, unsure_rate=0.4)
    truth = LabelOracle(labels)

    told = [(oracle(Question(*p)), truth(Question(*p))) for p in PAIRS]

    wrong = [said is not true for said, true in told if said is not UNSURE]
    assert np.mean(wrong) == pytest.approx(0.3, abs=4 * np.sqrt(0.21 / len(wrong)))


def test_doubts_do_not_change_what_is_said_of_other_pairs() -> None:
    labels = np.arange(80) % 3
    sure = LabelOracle(labels, error_rate=0.5)
    doubting = LabelOracle(labels, error_rate=0.5, unsure_rate=0.5)

    told = [(sure(Question(*p)), doubting(Question(*p))) for p in PAIRS]

    assert all(after in (before, UNSURE) for before, after in told)


@pytest.mark.parametrize("rate", [0.0, 1.0])
def test_extreme_rates_are_exact(rate: float) -> None:
    oracle = LabelOracle([0, 0, 1], error_rate=rate)

    assert oracle(Question(0, 1)) is (DIFFERENT if rate else SAME)
    assert oracle(Question(0, 2)) is (SAME if rate else DIFFERENT)


@pytest.mark.parametrize("name", ["error_rate", "unsure_rate"])
@pytest.mark.parametrize("rate", [-0.1, 1.1, np.nan])
def test_a_rate_that_is_no_probability_is_refused(name: str, rate: float) -> None:
    rates: dict[str, Any] = {name: rate}

    with pytest.raises(InputError, match=f"{name} must be between 0 and 1"):
        LabelOracle([0, 1], **rates)


@pytest.mark.parametrize(
    ("said", "verdict"),
    [(True, SAME), (False, DIFFERENT), (None, UNSURE), ("same", SAME)],
)
def test_a_function_may_answer_in_many_ways(said: Any, verdict: Verdict) -> None:
    oracle = FunctionOracle(lambda i, j: said if i < j else None)

    assert oracle(Question(0, 1)) is verdict


def test_a_function_of_two_samples_becomes_an_oracle() -> None:
    oracle = as_oracle(lambda i, j: i % 2 == j % 2)

    assert oracle(Question(1, 3)) is SAME


def test_a_function_of_a_question_is_an_oracle_already() -> None:
    def oracle(question: Question) -> Verdict:
        return Verdict.of(question.sample == question.against + 1)

    assert as_oracle(oracle) is oracle


@pytest.mark.parametrize(
    "oracle", [LabelOracle([0]), FunctionOracle(lambda i, j: i < j)]
)
def test_an_oracle_stays_as_it_is(oracle: Any) -> None:
    assert as_oracle(oracle) is oracle


def test_what_cannot_be_called_is_refused() -> None:
    with pytest.raises(InputError, match="must be callable, but this is a list"):
        as_oracle([0, 1, 1])


def test_running_gives_one_view_for_each_answer(three_blobs: Tiny) -> None:
    session = Session(three_blobs.X, n_clusters=3)

    views = list(run(session, LabelOracle(three_blobs.truth), budget=7))

    assert [view.n_questions for view in views] == [1, 2, 3, 4, 5, 6, 7]
    assert [view.answer for view in views] == list(session.history)


def test_a_view_stays_as_it_was_when_the_run_goes_on(blurred_blobs: Tiny) -> None:
    session = Session(blurred_blobs.X, n_clusters=3)
    seen = [
        (view, view.labels)
        for view in run(session, LabelOracle(blurred_blobs.truth), budget=20)
    ]

    for view, labels in seen:
        np.testing.assert_array_equal(view.labels, labels)


def test_a_run_ends_when_nothing_is_left_to_ask() -> None:
    session = Session([[0.0], [0.1], [3.0], [3.1]])

    views = list(run(session, LabelOracle([0, 0, 1, 1]), budget=1000))

    assert len(views) <= 6
    assert session.ask() is None


def test_nothing_is_asked_with_no_budget(three_blobs: Tiny) -> None:
    session = Session(three_blobs.X)

    assert list(run(session, LabelOracle(three_blobs.truth), budget=0)) == []
    assert session.n_questions == 0


def test_an_oracle_that_breaks_leaves_the_session_as_it_was(three_blobs: Tiny) -> None:
    session = Session(three_blobs.X, n_clusters=3)
    session.tell_pair(0, 1, "unsure")
    question, labels = session.ask(), session.labels

    def broken(i: int, j: int) -> bool:
        raise ZeroDivisionError(i, j)

    with pytest.raises(ZeroDivisionError):
        list(run(session, broken, 3))

    assert session.ask() == question
    assert session.n_questions == 1
    np.testing.assert_array_equal(session.labels, labels)


def test_a_run_is_refused_when_it_is_begun(three_blobs: Tiny) -> None:
    with pytest.raises(InputError, match="budget must be a whole number"):
        run(Session(three_blobs.X), LabelOracle(three_blobs.truth), 1.5)  # type: ignore[arg-type]
