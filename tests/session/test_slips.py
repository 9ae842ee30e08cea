"""Which answer is the likeliest slip, and which question tells."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.problems import blobs

from likewise import Session
from likewise.errors import InputError
from likewise.knowledge import (
    Answer,
    Constraints,
    Knowledge,
    Prediction,
    Question,
    Verdict,
)
from likewise.session._control import recheck_of
from likewise.session._slips import (
    Clash,
    Doubts,
    clash_of,
    decider_of,
    is_clear,
    is_deciding,
    suspects,
)

N = 7
PAIRS = list(combinations(range(N), 2))
TRUTH = (0, 0, 0, 1, 1, 2, 2)


def told(links: list[tuple[int, int, str]], how: str = "asked") -> Knowledge:
    """Return what is known after some answers, numbered from 1 on."""
    answers = [
        Answer(Question(i, j), Verdict(verdict), number, how)
        for number, (i, j, verdict) in enumerate(links, start=1)
    ]
    return Knowledge(N).after_all(answers)


def said(pair: tuple[int, int]) -> str:
    i, j = pair
    return "same" if TRUTH[i] == TRUTH[j] else "different"


def closure(answers: list[Answer]) -> Constraints:
    links = [(*answer.question.pair, answer.verdict) for answer in answers]
    return Constraints().after_all(links)


def solved_by_brute_force(known: Knowledge, answer: Answer, clash: Clash) -> int:
    """Count the contradictions that go with an answer, from the definition."""
    doubtful = [known.answers[at] for at in known.doubtful]
    group = known.constraints.group
    here = {group(s) for s in clash.answer.question.pair}
    near = [a for a in doubtful if here & {group(s) for s in a.question.pair}]
    stays = [a for a in known.answers if a not in doubtful and a != answer]
    there = closure(stays)
    return sum(a == answer or there.fits(*a.question.pair, a.verdict) for a in near)


@st.composite
def contradicted(draw: st.DrawFn) -> Knowledge:
    """Right answers about some pairs, and wrong ones among them."""
    pairs = draw(st.lists(st.sampled_from(PAIRS), min_size=3, max_size=16))
    wrong = draw(st.sets(st.integers(0, len(pairs) - 1), min_size=1, max_size=3))
    other = {"same": "different", "different": "same"}
    links = [
        (*pair, other[said(pair)] if at in wrong else said(pair))
        for at, pair in enumerate(pairs)
    ]
    return told(links)


@given(contradicted())
def test_the_first_explains_as_many_contradictions_as_any(known: Knowledge) -> None:
    for at in known.doubtful:
        clash = clash_of(known, known.answers[at])
        found = suspects(known, clash)

        assert {one.answer.id for one in found} == {a.id for a in clash.answers}
        counts = [solved_by_brute_force(known, one.answer, clash) for one in found]
        assert [one.n_solved for one in found] == counts
        assert counts == sorted(counts, reverse=True)


@given(contradicted())
def test_a_deciding_question_follows_from_some_of_them_and_not_from_all(
    known: Knowledge,
) -> None:
    for at in known.doubtful:
        found = suspects(known, clash_of(known, known.answers[at]))
        question = decider_of(known, found)
        if question is None:
            continue
        most = max(one.n_solved for one in found)
        ids = {one.answer.id for one in found if one.n_solved == most}
        chain = {answer.id for answer in known.evidence(*question.pair)}
        assert is_deciding(question)
        once = {one.answer.question.pair for one in found}
        if question.against in known.compared.get(question.sample, ()):
            assert question.pair in once  # asked for again
        else:
            assert ids & chain
            assert ids - chain


def test_one_answer_that_two_contradictions_share_is_the_slip() -> None:
    known = told(
        [
            (0, 1, "same"),
            (1, 2, "same"),
            (2, 3, "same"),  # the slip
            (3, 4, "same"),
            (0, 3, "different"),
            (2, 4, "different"),
        ]
    )
    found = suspects(known, clash_of(known, known.answers[-1]))

    assert found[0].answer.id == 3
    assert found[0].n_solved == 2
    assert is_clear(found)


def test_what_others_confirm_is_not_the_slip() -> None:
    known = told([(0, 1, "same"), (0, 2, "same"), (1, 2, "same"), (0, 1, "different")])
    found = suspects(known, clash_of(known, known.answers[-1]))

    assert found[0].answer.id == 4
    assert is_clear(found)


def test_among_equals_what_was_left_untapped_and_is_older_comes_first() -> None:
    answers = [
        Answer(Question(0, 1), Verdict.SAME, 1),
        Answer(Question(1, 2), Verdict.SAME, 2, "passed"),
        Answer(Question(0, 2), Verdict.DIFFERENT, 3),
    ]
    known = Knowledge(N).after_all(answers)
    order = [one.answer.id for one in suspects(known, clash_of(known, answers[-1]))]

    assert order == [2, 1, 3]


def test_who_was_wrong_more_often_and_what_is_doubted_count() -> None:
    known = told([(0, 1, "same"), (1, 2, "same"), (0, 2, "different")])
    clash = clash_of(known, known.answers[-1])
    doubted = suspects(known, clash, doubt=lambda a: float(a.id == 2))
    faulty = suspects(known, clash, fault=lambda a: float(a.id == 3))

    assert doubted[0].answer.id == 2
    assert faulty[0].answer.id == 3


def test_what_was_asked_again_out_of_doubt_is_not_doubted_twice() -> None:
    again = Question(0, 1, Prediction(0.1, "check groups", 1.0))
    first = Answer(Question(0, 1), Verdict.SAME, 1)
    drawn = Answer(again, Verdict.DIFFERENT, 2)
    plain = Answer(Question(0, 1), Verdict.DIFFERENT, 2)

    def clear(last: Answer) -> bool:
        known = Knowledge(N).after_all([first, last])
        clash = clash_of(known, last)
        return is_clear(suspects(known, clash, doubt=lambda a: 9.0 * (a.id == 1)))

    assert clear(plain)
    assert not clear(drawn)


def test_what_somebody_left_to_disagree_counts_no_more() -> None:
    links = [(0, 1, "same"), (1, 2, "same"), (0, 2, "different"), (1, 2, "different")]
    known = told(links)
    clash = clash_of(known, known.answers[-1])

    assert suspects(known, clash)[0].n_solved == 2
    assert suspects(known, clash, kept={3})[0].n_solved == 1


def test_a_deciding_question_splits_a_long_chain() -> None:
    links = [(0, 1, "same"), (1, 2, "same"), (2, 3, "same"), (0, 3, "different")]
    known = told(links)
    question = decider_of(known, suspects(known, clash_of(known, known.answers[-1])))

    assert question is not None
    assert question.pair in {(0, 2), (1, 3)}


# Doubted answers

TINY = blobs((8, 8, 8))


def sorting() -> Session:
    return Session(TINY.X, n_clusters=3)


def two_of(*, same: bool) -> tuple[int, int]:
    pairs = combinations(range(len(TINY.X)), 2)
    return next((i, j) for i, j in pairs if (TINY.truth[i] == TINY.truth[j]) == same)


@pytest.mark.parametrize("same", [True, False])
def test_what_lies_around_speaks_against_a_slip_and_for_the_truth(same: bool) -> None:
    session = sorting()
    doubts = Doubts(session.neighbours, session.labels)
    i, j = two_of(same=same)
    right = Verdict.SAME if same else Verdict.DIFFERENT
    wrong = Verdict.DIFFERENT if same else Verdict.SAME

    assert doubts(Answer(Question(i, j), right)) < 0
    assert doubts(Answer(Question(i, j), wrong)) > 0
    assert doubts(Answer(Question(i, j), Verdict.UNSURE)) == 0


def test_the_most_doubted_answer_is_asked_for_again_once() -> None:
    known = told([(0, 1, "same"), (2, 3, "same"), (4, 5, "same")])
    doubt = dict(zip((1, 2, 3), (0.9, 2.0, 0.1), strict=True))
    question = recheck_of(known, lambda answer: doubt[answer.id])

    assert question is not None
    assert question.pair == (2, 3)
    assert question.is_check
    again = known.after(Answer(question, Verdict.SAME, 4))
    second = recheck_of(again, lambda answer: doubt.get(answer.id, 0.0))
    assert second is not None
    assert second.pair == (0, 1)


def test_what_is_left_out_pending_or_disputed_is_not_asked_again() -> None:
    known = told([(0, 1, "same"), (1, 2, "same"), (0, 2, "different"), (3, 4, "same")])

    def sure(answer: Answer) -> float:
        return float(np.exp(answer.id))

    question = recheck_of(known, sure)
    assert question is not None
    assert question.pair == (3, 4)  # all others are disputed
    assert recheck_of(known, sure, left_out={4}) is None
    assert recheck_of(known, sure, pending=[Question(4, 6)]) is None


def test_nobody_is_suspected_where_nothing_is_contradicted() -> None:
    session = sorting()
    session.tell_pair(0, 1, "same")

    with pytest.raises(InputError, match="No others deny answer 1"):
        session.suspects(1)
