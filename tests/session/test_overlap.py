"""Second opinions: which pair another reader is asked about, and what it counts for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
from tests.problems import blobs

from likewise import LabelOracle, Question, Session
from likewise.knowledge import (
    DECIDED,
    PASSED,
    TAPPED,
    Answer,
    Knowledge,
    Prediction,
    Verdict,
)
from likewise.session import (
    OVERLAP,
    agreement_in,
    is_overlap_due,
    is_second,
    referral_of,
    second_opinion,
)
from likewise.session._control import is_drawn
from likewise.session._overlap import REFERRED, is_overlap

PILE = blobs((8, 8, 8), spread=1.2)


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def answer(i: int, j: int, said: str, by: str, **how: Any) -> Answer:
    asked = Question(i, j, how.pop("predicted", None))
    return Answer(asked, Verdict(said), how.pop("id", 0), by=by, **how)


def knowing(*answers: Answer, n_samples: int = 40) -> Knowledge:
    numbered = [
        Answer(a.question, a.verdict, n, a.how, a.by) for n, a in enumerate(answers, 1)
    ]
    return Knowledge(n_samples).after_all(numbered)


def chain_of(by: str, n: int, start: int = 0) -> list[Answer]:
    return [answer(start, start + at, "different", by) for at in range(1, n + 1)]


# When it is time


def own(kinds: str) -> list[Answer]:
    """Return answers of one reader: (o)verlaps, (t)apped, (p)assed, or asked."""
    ways = {"t": TAPPED, "p": PASSED}
    asked = {"o": Prediction(0.9, OVERLAP, 1.0)}
    return [
        answer(at, 99, "same", "bob", predicted=asked.get(k), how=ways.get(k, "asked"))
        for at, k in enumerate(kinds)
    ]


@pytest.mark.parametrize(
    ("lately", "share", "is_due"),
    [
        ("", 0.1, False),
        ("a" * 8, 0.1, False),
        ("a" * 9, 0.1, True),
        ("o" + "a" * 8, 0.1, False),
        ("o" + "a" * 9, 0.1, True),
        ("t" * 9, 0.1, True),
        ("p" * 30, 0.1, False),  # nobody was asked about what was left untapped
        ("a", 0.5, True),
        ("o", 0.5, False),
        ("o", 1.0, False),  # never two in a row
        ("a" * 50, 0.0, False),
    ],
)
def test_one_question_in_ten_is_due(lately: str, share: float, *, is_due: bool) -> None:
    assert is_overlap_due(own(lately), share) is is_due


# Which pair


@pytest.mark.parametrize(
    "out",
    [
        answer(0, 1, "same", "bob"),  # who is asked has answered it
        answer(0, 1, "unsure", "ann"),
        answer(0, 1, "same", "ann", how="given"),
        answer(0, 1, "same", "ann", how="told"),
        answer(0, 1, "same", "ann", how=PASSED),
        answer(0, 1, "same", "ann", how=DECIDED),
        answer(0, 1, "same", "ann", predicted=Prediction(0.9, "check groups", 2.0)),
        answer(0, 1, "same", ""),  # nobody knows who said it
    ],
)
def test_only_what_one_other_reader_was_asked(out: Answer) -> None:
    assert second_opinion(knowing(out), "bob", rng()) is None


def test_neither_aside_nor_pending_nor_contested() -> None:
    first = answer(0, 1, "same", "ann")
    known = knowing(first)

    assert second_opinion(known, "bob", rng(), [Question(1, 7)]) is None
    aside = Knowledge(40, aside=frozenset({0})).after(first)
    assert second_opinion(aside, "bob", rng()) is None
    denied = knowing(first, answer(0, 1, "different", "eve"))
    assert second_opinion(denied, "bob", rng()) is None


def test_two_opinions_are_enough() -> None:
    asked = Prediction(0.9, OVERLAP, 1.0)
    known = knowing(
        answer(0, 1, "same", "ann"), answer(0, 1, "same", "eve", predicted=asked)
    )
    assert second_opinion(known, "bob", rng()) is None


def test_what_was_referred_to_somebody_may_still_be_drawn_for_a_third() -> None:
    asked = Prediction(0.9, REFERRED, 1.0)
    known = knowing(
        answer(0, 1, "same", "ann"), answer(0, 1, "same", "eve", predicted=asked)
    )
    found = second_opinion(known, "bob", rng())
    assert found is not None
    assert found.pair == (0, 1)


def test_all_answers_of_the_first_reader_are_drawn_alike() -> None:
    known = knowing(*chain_of("ann", 5))
    drawn = Counter(_asked(known, "bob", seed).pair for seed in range(600))

    assert len(drawn) == 5
    assert min(drawn.values()) > 90


def test_the_reader_with_whom_least_is_shared_comes_first() -> None:
    again = Prediction(0.9, OVERLAP, 1.0)
    known = knowing(
        *chain_of("ann", 5),
        *chain_of("eve", 5, start=10),
        answer(0, 1, "different", "bob", predicted=again),
    )
    firsts = {_asked(known, "bob", seed).sample for seed in range(20)}
    assert firsts == {10}


def test_a_model_is_never_asked_about_a_model() -> None:
    known = knowing(answer(0, 1, "same", "model:small"))

    assert second_opinion(known, "model:large", rng()) is None
    assert second_opinion(known, "ann", rng()) is not None
    assert second_opinion(knowing(answer(0, 1, "same", "ann")), "model:small", rng())


def test_it_is_a_check_that_concludes_nothing_and_was_not_drawn_as_one() -> None:
    for said in ("same", "different"):
        found = _asked(knowing(answer(0, 1, said, "ann")), "bob")
        assert found.is_check
        assert is_overlap(found)
        assert is_second(found)
        assert not is_drawn(found)
        assert found.predicted is not None
        assert not found.predicted.if_same
        assert (found.predicted.same > 0.5) == (said == "same")


def _asked(known: Knowledge, by: str, seed: int = 0) -> Question:
    found = second_opinion(known, by, rng(seed))
    assert found is not None
    return found


# Unsure, and surprising


def guessed(same: float, kind: str = "sample") -> Prediction:
    return Prediction(same, kind)


@pytest.mark.parametrize(
    ("said", "predicted", "is_put"),
    [
        ("unsure", None, True),
        ("same", guessed(0.05), True),
        ("same", guessed(0.11), False),
        ("different", guessed(0.95), True),
        ("different", guessed(0.05), False),
        ("different", guessed(0.95, "group"), False),  # nobody guessed
        ("same", None, False),
        ("unsure", guessed(0.5, "check groups"), False),
    ],
)
def test_what_puzzles_is_put_to_another(
    said: str, predicted: Prediction | None, *, is_put: bool
) -> None:
    known = knowing(answer(0, 1, said, "ann", predicted=predicted))
    found = referral_of(known, "bob")

    assert (found is not None) is is_put
    assert referral_of(known, "ann") is None
    if found is not None:
        assert is_second(found)
        assert not is_overlap(found)
        assert not is_drawn(found)


def test_it_is_put_once() -> None:
    asked = Prediction(0.5, REFERRED, 1.0)
    known = knowing(
        answer(0, 1, "unsure", "ann"), answer(0, 1, "unsure", "bob", predicted=asked)
    )
    assert referral_of(known, "eve") is None


def test_what_others_have_settled_is_not_referred() -> None:
    links = answer(0, 2, "same", "bob"), answer(1, 2, "same", "bob")
    known = knowing(answer(0, 1, "unsure", "ann"), *links)
    assert referral_of(known, "bob") is None


def test_a_model_does_not_ask_a_model() -> None:
    known = knowing(answer(0, 1, "unsure", "model:small"))

    assert referral_of(known, "model:large") is None
    assert referral_of(known, "bob") is not None


# What they count for


def test_agreement_is_by_lot_and_not_by_doubt() -> None:
    for kind, n_pairs in (
        (OVERLAP, 1),
        (REFERRED, 0),
        ("check groups", 0),
        ("sample", 1),
    ):
        asked = Prediction(0.9, kind, 1.0)
        told = [
            answer(0, 1, "same", "ann"),
            answer(0, 1, "different", "bob", predicted=asked),
        ]
        assert agreement_in(told).n_pairs == n_pairs, kind


def test_what_is_asked_for_again_leaves_what_was_said_by_lot() -> None:
    told = [
        answer(0, 1, "same", "ann"),
        answer(0, 1, "different", "bob", predicted=Prediction(0.9, OVERLAP, 1.0)),
        answer(0, 1, "same", "bob", predicted=Prediction(0.5, "check groups", 1.0)),
        answer(0, 1, "same", "eve", how=DECIDED),
    ]
    assert agreement_in(told).both == {("ann", "bob"): (1, 0)}


def test_freely_told_pairs_count() -> None:
    told = [answer(0, 1, "same", by, how="told") for by in ("ann", "bob")]
    assert agreement_in(told).n_pairs == 1


# In a session


def taking_turns(session: Session, people: Iterable[str], n: int = 30) -> None:
    oracle, names = LabelOracle(PILE.truth), list(people)
    for at in range(n):
        who = names[at % len(names)]
        question = session.second_opinion(who) if at % 5 == 4 else None
        question = question or session.ask()
        if question is None:
            break
        session.tell(question, oracle(question), by=who)


def test_one_reader_gives_what_it_gave_before() -> None:
    alone, plain = Session(PILE.X), Session(PILE.X)
    taking_turns(alone, ["ann"])
    oracle = LabelOracle(PILE.truth)
    while plain.n_questions < alone.n_questions:
        question = plain.ask()
        assert question is not None
        plain.tell(question, oracle(question), by="ann")

    assert alone.history == plain.history


@pytest.mark.parametrize("method", ["likewise", "urasc+n"])
def test_overlaps_among_questions_harm_nothing(method: str) -> None:
    session = Session(PILE.X, method, n_clusters=3)
    taking_turns(session, ["ann", "bob"], 80)
    again = [a for a in session.history if is_overlap(a.question)]

    assert again
    assert not session.doubtful
    assert session.agreement.raw == 1.0
    assert len(set(session.labels[PILE.truth == 0])) == 1


def test_the_same_answers_give_the_same_second_opinion() -> None:
    first, again = Session(PILE.X), Session(PILE.X)
    for session in (first, again):
        taking_turns(session, ["ann", "bob"], 12)

    assert first.second_opinion("eve") == again.second_opinion("eve")
    assert first.second_opinion("eve") is not None


def test_why_does_not_tell_what_the_first_reader_said() -> None:
    said = set()
    for verdict in ("same", "different"):
        session = Session(PILE.X)
        asked = session.ask()
        assert asked is not None
        session.tell(asked, verdict, by="ann")
        question = session.second_opinion("bob")
        assert question is not None
        said.add(session.explain(question))
    assert len(said) == 1


def test_a_decision_wins_and_agreement_stays_what_it_was() -> None:
    session = Session(PILE.X)
    session.tell_pair(0, 1, "same", by="ann")
    session.tell_pair(0, 1, "different", by="bob", on_conflict="keep")
    before = session.agreement

    session.revise(session.repairs.decide(0, 1, Verdict.DIFFERENT), by="vera")

    assert not session.doubtful
    assert session.known.constraints.relation(0, 1) is Verdict.DIFFERENT
    assert session.agreement == before
    session.undo()
    assert len(session.doubtful) == 1
    assert session.known.constraints.relation(0, 1) is Verdict.SAME


def test_a_decision_wins_over_a_chain() -> None:
    session = Session(PILE.X)
    for i, j in ((0, 2), (1, 2)):
        session.tell_pair(i, j, "same", by="eve")
    session.tell_pair(0, 1, "same", by="ann")
    session.tell_pair(0, 1, "different", by="bob", on_conflict="keep")

    session.revise(session.repairs.decide(0, 1, Verdict.DIFFERENT), by="vera")

    assert not session.doubtful
    assert session.known.constraints.relation(0, 1) is Verdict.DIFFERENT


def test_nobody_can_tell_takes_both_back() -> None:
    session = Session(PILE.X)
    session.tell_pair(0, 1, "same", by="ann")
    session.tell_pair(0, 1, "different", by="bob", on_conflict="keep")

    session.revise(session.repairs.decide(0, 1, Verdict.UNSURE), by="vera")

    assert [a.verdict for a in session.history] == [Verdict.UNSURE]
    assert session.known.constraints.relation(0, 1) is None
