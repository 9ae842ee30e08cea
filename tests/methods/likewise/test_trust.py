"""What readers are worth to the flagship."""

from __future__ import annotations

import numpy as np
import pytest
from tests.problems import blobs

from likewise import Session
from likewise.knowledge import Answer, Knowledge, Question, Verdict
from likewise.methods import problem_of
from likewise.methods._likewise._method import LIKEWISE, FieldModel
from likewise.methods._likewise._trust import is_judged
from likewise.session import LabelOracle

TEAM = {"ann": 0.0, "bob": 0.02}
TINY = blobs((30, 30, 30), spread=1.2, seed=5)
N_ANSWERS = 165


class Guesser:
    """Says "same" of every other pair, whatever it is."""

    def __call__(self, question: Question) -> Verdict:
        says_same = np.random.default_rng(question.pair).random() < 1 / 2
        return Verdict.SAME if says_same else Verdict.DIFFERENT


def answered(names: list[str], n_answers: int = N_ANSWERS) -> Session:
    """Return a session in which readers answer in turn, each tenth pair again."""
    oracles = {
        name: LabelOracle(TINY.truth, error_rate=TEAM[name], seed=at)
        if name in TEAM
        else Guesser()
        for at, name in enumerate(names)
    }
    session = Session(TINY.X, n_clusters=3)
    for at in range(n_answers):
        by, question = names[at % len(names)], session.ask()
        if at % 10 == 9:
            question = session.history[at // 2].question
        elif question is None:
            i, j = np.random.default_rng(at).choice(len(TINY.truth), 2, replace=False)
            question = Question(int(i), int(j))
        verdict = oracles[by](question)
        session.tell(question, verdict, by=by, on_conflict="keep")
    return session


def model_of(session: Session) -> FieldModel:
    model = session.view.model
    assert isinstance(model, FieldModel)
    return model


@pytest.fixture(scope="module")
def with_guesser() -> Session:
    return answered(["ann", "bob", "dot"])


def test_it_is_said_anew_ever_more_rarely_and_only_of_several() -> None:
    told = [Answer(Question(0, 1), Verdict.SAME, by=by) for by in "ab"] * 300
    times = [n for n in range(600) if is_judged(told[:n])]
    assert times == [40, 60, 80, 120, 160, 240, 320, 480]
    alone = [Answer(Question(0, 1), Verdict.SAME, by="ann")] * 40
    assert not is_judged(alone)


def test_who_guesses_is_found_and_weighs_nothing(with_guesser: Session) -> None:
    trust = model_of(with_guesser).beliefs.trust
    assert trust["dot"] == 0
    assert min(trust["ann"], trust["bob"]) > 0.5
    assert [one.name for one in with_guesser.readers if one.is_guessing] == ["dot"]


def test_what_weighs_nothing_is_as_if_it_had_not_been_said(
    with_guesser: Session,
) -> None:
    ballots = model_of(with_guesser).beliefs.ballots
    heard = [a for a in with_guesser.history if a.by != "dot"]
    n_told = sum(len(cast) for cast in ballots.values())
    assert n_told <= 2 * len(heard)
    truth = LabelOracle(TINY.truth)
    labels = with_guesser.labels
    for answer in heard:
        i, j = answer.question.pair
        if answer.by == "ann":
            assert (labels[i] == labels[j]) == (truth(answer.question) is Verdict.SAME)


def test_learning_equals_beginning_where_readers_are_judged(
    with_guesser: Session,
) -> None:
    problem = problem_of(TINY.X, affinity="auto", n_clusters=3)
    answers = with_guesser.history
    model = LIKEWISE.begin(
        problem, Knowledge(len(TINY.truth)), np.random.default_rng(0)
    )
    for n in range(1, len(answers) + 1):
        known = Knowledge(len(TINY.truth)).after_all(answers[:n])
        model = LIKEWISE.learn(model, known, answers[n - 1])
        if n in (39, 40, 59, 60, 61, 119, 120, 160, 165):
            afresh = LIKEWISE.begin(problem, known, np.random.default_rng(0))
            assert model.beliefs == afresh.beliefs
            assert model.labels.tolist() == afresh.labels.tolist()


def test_what_words_are_worth_adds_up_exactly(with_guesser: Session) -> None:
    for worth in model_of(with_guesser).beliefs.trust.values():
        assert (64 * worth).is_integer()


def test_one_reader_alone_is_judged_by_what_was_expected() -> None:
    session = answered(["ann"], 45)
    assert model_of(session).beliefs.trust == {}
    (reader,) = session.readers
    assert reader.errors is not None
    assert reader.errors.wrong.low <= 0.05
    assert not reader.is_guessing
