"""Ask and tell: the one object that people, programs and simulations drive."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from tests.definitions import classes_of, truth_of
from tests.problems import Tiny, blobs, random_affinity

from likewise import (
    METHODS,
    Answer,
    ContradictionError,
    InputError,
    LabelOracle,
    Question,
    Session,
    Verdict,
    run,
)
from likewise.journal import MemoryJournal, Renamed, Retracted, SetAside, Told

LINE = np.arange(12.0)[:, np.newaxis] + 20.0 * (np.arange(12) >= 6)[:, np.newaxis]


def told(session: Session) -> list[tuple[int, int, str]]:
    """Return the history without numbers."""
    return [
        (a.question.sample, a.question.against, a.verdict.value)
        for a in session.history
    ]


@pytest.fixture
def session() -> Session:
    """Two rows of six samples, 0 to 5 and 6 to 11, far from each other."""
    return Session(LINE, n_clusters=2)


def ask(session: Session) -> Question:
    question = session.ask()
    assert question is not None
    return question


def test_a_question_stays_open_until_something_is_told(session: Session) -> None:
    first = ask(session)
    assert session.ask() is first

    session.tell(first, "same")

    assert session.ask() != first


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ("same", Verdict.SAME),
        ("Different", Verdict.DIFFERENT),
        (True, Verdict.SAME),
        (False, Verdict.DIFFERENT),
        (None, Verdict.UNSURE),
        (Verdict.UNSURE, Verdict.UNSURE),
    ],
)
def test_an_answer_may_be_said_in_many_ways(
    session: Session, said: Any, verdict: Verdict
) -> None:
    question = ask(session)

    session.tell(question, said)

    assert session.history == (Answer(question, verdict, 1, "asked"),)


def test_what_is_no_answer_is_refused(session: Session) -> None:
    question = ask(session)

    with pytest.raises(InputError, match="'perhaps' is not an answer"):
        session.tell(question, "perhaps")

    assert session.history == ()
    assert session.ask() == question


def test_an_answer_that_nobody_asked_for_is_recorded(session: Session) -> None:
    session.tell_pair(3, 7, "different")

    assert session.history == (Answer(Question(3, 7), Verdict.DIFFERENT, 1, "told"),)


def test_answers_are_counted(session: Session) -> None:
    session.tell(ask(session), "same")
    session.tell_pair(3, 7, "different")

    assert session.n_questions == 2


@pytest.mark.parametrize("sample", [12, -1, 1.5, "1", None, np.float64(2.0)], ids=repr)
def test_samples_that_do_not_exist_are_refused(session: Session, sample: Any) -> None:
    with pytest.raises(InputError, match=r"There is no sample .* from 0 to 11"):
        session.tell_pair(sample, 3, "same")

    assert session.history == ()


def test_a_sample_is_not_compared_with_itself(session: Session) -> None:
    with pytest.raises(InputError, match="Sample 4 was compared with itself"):
        session.tell_pair(4, 4, "same")


def test_numbers_of_numpy_name_samples_too(session: Session) -> None:
    session.tell_pair(np.int64(2), np.int32(3), "same")  # type: ignore[arg-type]

    assert session.groups[0].samples == (2, 3)


def test_a_contradiction_raises_with_its_evidence(session: Session) -> None:
    session.tell_pair(0, 1, "same")
    session.tell_pair(8, 9, "same")
    session.tell_pair(1, 2, "different")

    with pytest.raises(ContradictionError, match=r"answer 1.*answer 3") as caught:
        session.tell_pair(0, 2, "same")

    assert caught.value.pair == (0, 2)
    assert caught.value.evidence == (session.history[0], session.history[2])


def test_a_contradiction_changes_nothing(session: Session) -> None:
    session.tell_pair(0, 1, "same")
    session.tell_pair(1, 2, "different")
    before = session.history, session.groups, session.ask(), session.labels.tolist()

    with pytest.raises(ContradictionError):
        session.tell_pair(0, 2, "same")

    after = session.history, session.groups, session.ask(), session.labels.tolist()
    assert after == before


def test_a_contradiction_is_not_written_to_the_journal() -> None:
    journal = MemoryJournal()
    session = Session(LINE, journal=journal)
    session.tell_pair(0, 1, "same")

    with pytest.raises(ContradictionError):
        session.tell_pair(0, 1, "different")

    assert len(list(journal.read())) == 1


def test_a_contradiction_may_be_kept_as_doubtful(session: Session) -> None:
    session.tell_pair(0, 1, "same")
    labels = session.labels.tolist()

    session.tell_pair(0, 1, "different", on_conflict="keep")

    assert session.doubtful == session.history[1:]
    assert session.labels.tolist() == labels
    assert session.groups[0].samples == (0, 1)


def test_a_doubtful_answer_counts_once_the_other_is_retracted(
    session: Session,
) -> None:
    session.tell_pair(0, 1, "same")
    session.tell_pair(0, 1, "different", on_conflict="keep")

    session.retract(1)

    assert session.doubtful == ()
    assert session.labels[0] != session.labels[1]


def test_conflicts_can_only_be_raised_or_kept(session: Session) -> None:
    with pytest.raises(InputError, match="'raise' or 'keep', but it is 'drop'"):
        session.tell_pair(0, 1, "same", on_conflict="drop")


def test_undo_takes_back_the_last_answer(session: Session) -> None:
    first = ask(session)
    session.tell(first, "same")
    second = ask(session)
    session.tell(second, "different")

    undone = session.undo()

    assert undone == Told((Answer(second, Verdict.DIFFERENT, 2, "asked"),))
    assert session.ask() == second
    assert told(session) == [(first.sample, first.against, "same")]


def test_undo_reaches_back_to_the_beginning(blurred_blobs: Tiny) -> None:
    session = Session(blurred_blobs.X, n_clusters=3)
    seen = [(session.ask(), session.labels.tolist())]
    steps = run(session, LabelOracle(blurred_blobs.truth), budget=10)
    seen += [(session.ask(), view.labels.tolist()) for view in steps]

    while seen:
        assert (session.ask(), session.labels.tolist()) == seen.pop()
        session.undo()
    assert session.history == ()


def test_there_is_nothing_to_undo_at_the_beginning(session: Session) -> None:
    assert session.undo() is None


@pytest.mark.parametrize("act", ["rename", "aside", "back", "retract"])
def test_undo_takes_back_any_act(session: Session, act: str) -> None:
    session.tell_pair(0, 1, "same")
    session.rename(0, "left")
    session.set_aside(5)
    before = session.groups, session.labels.tolist(), session.history

    acts = {
        "rename": lambda: session.rename(1, "right"),
        "aside": lambda: session.set_aside(7),
        "back": lambda: session.put_back(5),
        "retract": lambda: session.retract(1),
    }
    acts[act]()
    assert (session.groups, session.labels.tolist(), session.history) != before
    undone = session.undo()

    expected = {
        "rename": Renamed(1, "right"),
        "aside": SetAside(7),
        "back": SetAside(5, aside=False),
        "retract": Retracted((1,)),
    }
    assert undone == expected[act]
    assert (session.groups, session.labels.tolist(), session.history) == before


def test_any_answer_can_be_retracted(session: Session) -> None:
    session.tell_pair(0, 1, "same")
    session.tell_pair(1, 2, "same")
    session.tell_pair(6, 7, "same")

    session.retract(2)

    assert told(session) == [(0, 1, "same"), (6, 7, "same")]
    assert [group.samples for group in session.groups] == [(0, 1), (6, 7)]


@pytest.mark.parametrize("number", [0, 2, -1])
def test_an_answer_that_does_not_stand_cannot_be_retracted(
    session: Session, number: int
) -> None:
    session.tell_pair(0, 1, "same")

    with pytest.raises(InputError, match=f"no answer {number} to retract"):
        session.retract(number)


def test_an_answer_cannot_be_retracted_twice(session: Session) -> None:
    session.tell_pair(0, 1, "same")
    session.retract(1)

    with pytest.raises(InputError, match="no answer 1 to retract"):
        session.retract(1)


def test_numbers_of_answers_are_stable_and_never_used_again(session: Session) -> None:
    for i in range(4):
        session.tell_pair(i, i + 1, "same")
    session.retract(2)
    session.undo()
    session.undo()
    session.tell_pair(6, 7, "same")

    assert [answer.id for answer in session.history] == [1, 2, 3, 5]


def test_a_sample_set_aside_has_no_label(session: Session) -> None:
    session.set_aside(3)

    assert session.labels[3] == -1
    assert set(session.labels.tolist()) == {-1, 0, 1}


def test_a_sample_put_back_is_as_if_it_had_never_left(session: Session) -> None:
    session.tell_pair(3, 4, "same")
    before = session.labels.tolist(), session.ask()
    session.set_aside(3)

    session.put_back(3)

    assert (session.labels.tolist(), session.ask()) == before


def test_a_group_that_is_wholly_set_aside_has_no_label(session: Session) -> None:
    session.tell_pair(3, 4, "same")
    session.set_aside(3)
    assert session.groups[0].label >= 0

    session.set_aside(4)

    assert session.groups[0].label == -1


def test_nothing_is_asked_when_everything_is_set_aside(session: Session) -> None:
    for sample in range(12):
        session.set_aside(sample)

    assert session.ask() is None
    assert set(session.labels.tolist()) == {-1}
    assert session.progress.settled == 0.0


@pytest.mark.parametrize("act", ["set_aside", "put_back"])
@pytest.mark.parametrize("sample", [-1, 12])
def test_a_sample_that_does_not_exist_cannot_be_set_aside(
    session: Session, act: str, sample: int
) -> None:
    with pytest.raises(InputError, match=f"There is no sample {sample}"):
        getattr(session, act)(sample)


def test_the_group_of_a_sample_that_does_not_exist_cannot_be_renamed(
    session: Session,
) -> None:
    with pytest.raises(InputError, match="There is no sample 99"):
        session.rename(99, "oak")


def test_added_samples_come_behind_and_answers_stay(session: Session) -> None:
    session.tell_pair(0, 1, "same")
    session.tell_pair(0, 7, "different")

    session.add([[2.5], [27.5], [28.5]])

    assert session.n_samples == 15
    assert told(session) == [(0, 1, "same"), (0, 7, "different")]
    assert session.labels[12] == session.labels[0]
    assert session.labels[13] == session.labels[14] == session.labels[7]


def test_added_samples_can_be_asked_about(session: Session) -> None:
    session.add([[2.5]])

    asked = {
        sample
        for view in run(session, LabelOracle([0] * 6 + [1] * 6 + [0]), budget=100)
        if view.answer
        for sample in view.answer.question.pair
    }

    assert 12 in asked


@pytest.mark.parametrize("convert", [np.array, sp.csr_array])
def test_added_similarities_make_the_square_larger(
    convert: Any, rng: np.random.Generator
) -> None:
    W = random_affinity(8, rng)
    session = Session(convert(W[:6, :6]), affinity="precomputed")
    session.tell_pair(0, 1, "same")

    session.add(W[6:])

    whole = Session(convert(W), affinity="precomputed", answers=session.history)
    assert session.labels.tolist() == whole.labels.tolist()
    assert session.ask() == whole.ask()


def test_added_rows_of_a_frame_may_bring_new_kinds() -> None:
    session = Session(pd.DataFrame({"tree": ["oak", "elm", "oak"]}))

    session.add(pd.DataFrame({"tree": ["yew", "elm"]}))

    assert session.n_samples == 5
    assert session.labels.shape == (5,)


def test_samples_of_another_width_are_refused_and_change_nothing(
    session: Session,
) -> None:
    with pytest.raises(InputError, match="2 columns, but 1 are needed"):
        session.add([[1.0, 2.0]])

    assert session.n_samples == 12


def test_known_answers_are_no_questions(session: Session) -> None:
    session = Session(LINE, answers=[(0, 1, "same"), (0, 7, False)])

    assert session.n_questions == 0
    assert [answer.how for answer in session.history] == ["given", "given"]
    assert session.labels[0] == session.labels[1] != session.labels[7]


def test_known_classes_are_respected() -> None:
    session = Session(LINE, known={0: "a", 11: "a", 5: "b", 6: "b"}, n_clusters=2)

    labels = session.labels
    assert labels[0] == labels[11] != labels[5] == labels[6]


def test_when_every_class_is_known_nothing_is_left_to_ask(three_blobs: Tiny) -> None:
    session = Session(three_blobs.X, known=three_blobs.truth)

    assert session.ask() is None
    assert classes_of(session.labels.tolist()) == classes_of(three_blobs.truth.tolist())


def test_known_answers_that_contradict_are_doubtful() -> None:
    session = Session(LINE, answers=[(0, 1, "same"), (1, 0, "different")])

    assert told(session)[1:] == [(1, 0, "different")]
    assert session.doubtful == session.history[1:]


@pytest.mark.parametrize(
    ("start", "sentence"),
    [
        ({"answers": [(0, 99, "same")]}, "There is no sample 99"),
        ({"answers": [(0, 0, "same")]}, "compared with itself"),
        ({"answers": [(0, 1)]}, "is not an answer"),
        ({"known": {99: "a", 0: "a"}}, "There is no sample 99"),
        ({"known": ["a", "b"]}, "12 samples but 2 known classes"),
        ({"method": "urasc"}, r"no method 'urasc'\. Choose one of: .*urasc\+n"),
        ({"affinity": "rbf"}, "no affinity 'rbf'"),
        ({"n_clusters": 13}, r"between 1 and the number of samples \(12\)"),
    ],
    ids=["far", "itself", "short", "class", "length", "method", "affinity", "clusters"],
)
def test_a_wrong_start_is_refused_with_a_sentence(
    start: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(InputError, match=sentence):
        Session(LINE, **start)


def test_a_method_may_be_given_as_such() -> None:
    session = Session(LINE, METHODS["random"])

    assert session.ask() == Session(LINE, "random").ask()


def test_without_a_seed_a_session_works_too() -> None:
    session = Session(LINE, random_state=None)

    assert session.ask() == session.ask()


def test_other_seeds_ask_other_questions() -> None:
    asked = {ask(Session(LINE, "random", random_state=seed)) for seed in range(10)}

    assert len(asked) > 3


def test_a_journal_is_taken_up_again(blurred_blobs: Tiny) -> None:
    journal = MemoryJournal()
    session = Session(blurred_blobs.X, n_clusters=3, journal=journal)
    for _ in run(session, LabelOracle(blurred_blobs.truth), budget=9):
        pass
    session.retract(3)
    session.rename(int(session.groups[0].id), "oak")
    session.set_aside(2)

    resumed = Session(blurred_blobs.X, n_clusters=3, journal=journal)

    assert resumed.history == session.history
    assert resumed.groups == session.groups
    assert resumed.labels.tolist() == session.labels.tolist()
    assert resumed.ask() == session.ask()
    assert resumed.undo() == SetAside(2)


def test_a_journal_with_answers_is_not_given_them_again() -> None:
    journal = MemoryJournal()
    Session(LINE, answers=[(0, 1, "same")], journal=journal)

    resumed = Session(LINE, answers=[(0, 1, "same")], journal=journal)

    assert told(resumed) == [(0, 1, "same")]


def random_act(session: Session, truth: list[int], rng: np.random.Generator) -> None:
    """Undo, retract, tell something or answer a question, by lot."""
    lot, question = rng.random(), session.ask()
    if lot < 0.12:
        session.undo()
    elif lot < 0.22 and session.history:
        session.retract(int(rng.choice([answer.id for answer in session.history])))
    elif lot < 0.45 or question is None:
        i, j = rng.choice(len(truth), 2, replace=False).tolist()
        is_wrong = rng.random() < 0.1
        verdict = (truth_of(truth, i, j) is Verdict.SAME) != is_wrong
        session.tell_pair(i, j, verdict, on_conflict="keep")
    else:
        oracle = LabelOracle(truth, error_rate=0.05, unsure_rate=0.1)
        session.tell(question, oracle(question), on_conflict="keep")


@pytest.mark.parametrize("method", ["urasc+n", "random"])
def test_a_long_session_is_a_function_of_the_answers_that_stand(
    method: str, seed: int
) -> None:
    tiny = blobs((12, 10, 8, 6), spread=1.2, seed=seed)
    rng = np.random.default_rng(seed)
    journal = MemoryJournal()
    session = Session(tiny.X, method, n_clusters=4, journal=journal)

    n_answers = 0
    while n_answers < 300:
        random_act(session, tiny.truth.tolist(), rng)
        n_answers = sum(isinstance(event, Told) for event in journal.read())
        if n_answers % 60 == 0:
            fresh = Session(tiny.X, method, n_clusters=4, answers=session.history)
            assert fresh.labels.tolist() == session.labels.tolist()
            assert fresh.ask() == session.ask()
    assert told(fresh) == told(session)
    assert len(session.doubtful) > 0
