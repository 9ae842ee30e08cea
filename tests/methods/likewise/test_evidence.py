"""What the ballots say about samples and classes, as numbers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.methods.likewise.hand_made import (
    DIFFERENT,
    SAME,
    UNSURE,
    asked,
    journals,
    told,
)

from likewise._arrays import Floats
from likewise.knowledge import Answer
from likewise.methods import WRONG
from likewise.methods._likewise._beliefs import GIVEN, Beliefs
from likewise.methods._likewise._evidence import (
    SILENT,
    Evidence,
    Rates,
    estimated_rates,
    evidence_of,
    weighed,
)

N = 8
EVERYBODY = np.arange(N)
SIGNS = {SAME: 1, DIFFERENT: -1}


def evidence_after(*answers: Answer) -> tuple[Evidence, Beliefs]:
    beliefs = Beliefs.of([0, 5]).after_all(answers)
    return evidence_of(beliefs), beliefs


def counted(journal: list[Answer]) -> tuple[Floats, Floats, Beliefs]:
    """Count answers one by one, by the classes at the end.

    An answer speaks of its sample; of both if it was about two classes, or if the other
    one had no class then. "Same" of both speaks of them once they are one class, and of
    their classes while they are not.
    """
    beliefs = Beliefs.of([0, 5])
    spoken = []
    for answer in journal:
        i, j, predicted = (
            answer.question.sample,
            answer.question.against,
            answer.question.predicted,
        )
        assert predicted is not None
        mutual = predicted.kind.endswith("groups") or j not in beliefs.class_of
        beliefs = beliefs.after(answer)
        if answer.verdict is not UNSURE:
            weight = GIVEN if answer.how == "given" else 1
            spoken.append((i, j, weight * SIGNS[answer.verdict], mutual))
    names = list(beliefs.members)
    samples = np.zeros((N, len(names)))
    classes = np.zeros((len(names), len(names)))
    for i, j, sign, mutual in spoken:
        a, b = beliefs.class_of.get(i), beliefs.class_of.get(j)
        counts = sign < 0 or not mutual or a == b
        if b is not None and counts:
            samples[i, names.index(b)] += sign
        if a is not None and counts and mutual:
            samples[j, names.index(a)] += sign
        if None not in (a, b) and a != b and (sign < 0 or mutual):
            assert a is not None
            assert b is not None
            g, h = names.index(a), names.index(b)
            classes[g, h] += sign
            classes[h, g] += sign
    return samples, classes, beliefs


@given(journals(N, unasked=False))
def test_evidence_is_the_answers_counted_one_by_one(journal: list[Answer]) -> None:
    samples, classes, beliefs = counted(journal)

    actual = evidence_of(beliefs)

    np.testing.assert_allclose(actual.votes(EVERYBODY), samples)
    np.testing.assert_allclose(actual.classes, classes)


@given(journals(N))
def test_evidence_about_samples_is_their_votes(journal: list[Answer]) -> None:
    actual, beliefs = evidence_after(*journal)

    for sample in range(N):
        votes = beliefs.votes(sample)
        expected = [votes[name] for name in beliefs.members]
        np.testing.assert_allclose(actual.votes(EVERYBODY)[sample], expected)


@given(journals(N))
def test_evidence_about_classes_is_symmetric(journal: list[Answer]) -> None:
    actual, _ = evidence_after(*journal)

    np.testing.assert_allclose(actual.classes, actual.classes.T)
    np.testing.assert_allclose(np.diag(actual.classes), 0.0)


@given(journals(N))
def test_only_samples_with_ballots_are_kept(journal: list[Answer]) -> None:
    actual, beliefs = evidence_after(*journal)

    assert actual.asked.tolist() == sorted(beliefs.ballots)
    assert (
        actual.pro.shape
        == actual.contra.shape
        == (
            len(beliefs.ballots),
            len(beliefs.members),
        )
    )


@given(journals(N), st.lists(st.integers(0, N - 1), unique=True))
def test_the_ballots_on_some_samples_are_theirs(
    journal: list[Answer], some: list[int]
) -> None:
    actual, _ = evidence_after(*journal)

    for part, whole in zip(
        actual.on(np.array(some, dtype=np.intp)), actual.on(EVERYBODY), strict=True
    ):
        np.testing.assert_array_equal(part, whole[some])


def test_what_a_sample_is_not_speaks_for_its_class_once_it_has_one() -> None:
    told_apart = asked(3, 0, DIFFERENT)
    before, _ = evidence_after(told_apart)
    assert before.classes[0, 1] == 0

    after, _ = evidence_after(told_apart, asked(3, 5, SAME))

    assert after.classes[0, 1] == -1


def test_same_and_different_about_two_classes_balance() -> None:
    actual, _ = evidence_after(
        asked(5, 0, DIFFERENT, "groups"),
        asked(0, 5, SAME, "check groups", if_same=False),
    )

    assert actual.classes[0, 1] == 0


def test_what_was_said_of_samples_without_a_class_does_not_count() -> None:
    actual, _ = evidence_after(told(3, 4, DIFFERENT))

    assert not actual.votes(EVERYBODY).any()
    assert not actual.classes.any()


@st.composite
def weighings(draw: st.DrawFn) -> tuple[Floats, Floats, Floats, float]:
    s, m = draw(st.integers(1, 4)), draw(st.integers(1, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    whole = rng.dirichlet(np.ones(m + 1), s)
    votes = rng.integers(-4, 5, (s, m)).astype(float)
    return whole[:, :m], whole[:, m], votes, draw(st.floats(0.1, 8.0))


@given(weighings())
def test_weighed_rows_are_those_before_times_what_the_ballots_are_worth(
    drawn: tuple[Floats, Floats, Floats, float],
) -> None:
    rows, new, votes, strength = drawn
    expected = np.zeros_like(rows)
    expected_new = np.zeros_like(new)
    for i in range(len(rows)):
        worth = [
            p * np.exp(strength * v) for p, v in zip(rows[i], votes[i], strict=True)
        ]
        total = sum(worth) + new[i]
        expected[i] = np.array(worth) / total
        expected_new[i] = new[i] / total

    actual, actual_new = weighed(rows, new, votes, strength)

    np.testing.assert_allclose(actual, expected, atol=1e-12)
    np.testing.assert_allclose(actual_new, expected_new, atol=1e-12)
    np.testing.assert_allclose(actual.sum(axis=1) + actual_new, 1.0)


def test_without_ballots_nothing_is_weighed() -> None:
    rows, new = np.array([[0.2, 0.5]]), np.array([0.3])

    actual, actual_new = weighed(rows, new, np.zeros((1, 2)), 4.0)

    np.testing.assert_allclose(actual, rows)
    np.testing.assert_allclose(actual_new, new)


@pytest.mark.parametrize("votes", [[300.0, -300.0], [300.0, 300.0], [-300.0, 0.0]])
def test_very_many_ballots_are_weighed_without_overflow(votes: list[float]) -> None:
    actual, new = weighed(
        np.array([[0.4, 0.4]]), np.array([0.2]), np.array([votes]), 5.0
    )

    assert np.isfinite(actual).all()
    assert actual.sum() + new.sum() == pytest.approx(1.0)


def test_what_an_answer_is_worth_are_its_log_odds() -> None:
    assert Rates(wrong=0.1).strength == pytest.approx(np.log(9))
    assert Rates(wrong=0.5).strength == pytest.approx(0.0)


def rates_of(hits: int, misses: int, *, sure: float = 0.98) -> Rates:
    """Return the rates after so many answers that fit the fields, and that do not.

    Each is one ballot for a class on a sample of its own; there are two classes.
    """
    n = hits + misses
    rows = np.tile([sure, 1 - sure], (n, 1))
    pro = np.zeros((n, 2))
    pro[:hits, 0] = 1.0
    pro[hits:, 1] = 1.0
    return estimated_rates(
        rows, np.zeros(n), pro, np.zeros((n, 2)), np.array([0.5, 0.5])
    )


def test_without_answers_the_rates_are_the_priors() -> None:
    actual = rates_of(0, 0)

    assert actual.wrong == pytest.approx(WRONG[0] / sum(WRONG))
    assert actual.silent == pytest.approx(SILENT[0] / sum(SILENT))


def test_the_more_answers_agree_the_fewer_are_thought_wrong() -> None:
    rates = [rates_of(hits, 0).wrong for hits in (0, 20, 100, 500)]

    assert rates == sorted(rates, reverse=True)
    assert rates[-1] < rates[0] / 2


def test_answers_against_the_fields_are_thought_wrong() -> None:
    rates = [rates_of(100 - misses, misses).wrong for misses in (0, 5, 20)]

    assert rates == sorted(rates)
    assert rates[-1] > WRONG[0] / sum(WRONG)


def test_answers_against_the_fields_make_them_seem_silent() -> None:
    rates = [rates_of(100 - misses, misses).silent for misses in (0, 5, 20)]

    assert rates == sorted(rates)
    assert rates[0] < SILENT[0] / sum(SILENT)


def test_ballots_that_contradict_each_other_are_half_wrong() -> None:
    n = 400
    rows, both = np.full((n, 2), 0.5), np.ones((n, 2))

    actual = estimated_rates(rows, np.zeros(n), both, both, np.array([0.5, 0.5]))

    expected = (WRONG[0] + 2 * n) / (sum(WRONG) + 4 * n)
    assert actual.wrong == pytest.approx(expected)


@given(st.integers(0, 30), st.integers(0, 30), st.floats(0.5, 1.0))
def test_rates_are_between_0_and_1(hits: int, misses: int, sure: float) -> None:
    actual = rates_of(hits, misses, sure=sure)

    assert 0 < actual.wrong < 1
    assert 0 <= actual.silent <= 1
    assert np.isfinite(actual.strength)
