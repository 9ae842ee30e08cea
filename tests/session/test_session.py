"""Ask and tell: the one object that people, programs and simulations drive."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from tests.definitions import classes_of
from tests.lines import LINE, ask, told
from tests.problems import Tiny, random_affinity

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
from likewise.knowledge import MemoryJournal
from likewise.methods import problem_of


@pytest.fixture
def session() -> Session:
    """Two rows of six samples, 0 to 5 and 6 to 11, far from each other."""
    return Session(LINE, n_clusters=2)


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


def test_a_contradiction_may_be_kept_as_doubtful() -> None:
    session = Session(LINE, "urasc+n", n_clusters=2)
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


def test_a_sample_set_aside_has_no_label(session: Session) -> None:
    session.set_aside(3)

    assert session.labels[3] == -1
    assert set(session.labels.tolist()) == {-1, 0, 1}


def test_a_sample_set_aside_pulls_no_others_together() -> None:
    # Two heaps of four, and a ninth sample that ties one of each to itself.
    W = np.full((9, 9), 0.1)
    W[:4, :4] = W[4:8, 4:8] = 1.0
    W[8, [0, 4]] = W[[0, 4], 8] = 50.0
    session = Session(W, n_clusters=2, affinity="precomputed")
    heaps = {frozenset(range(4)), frozenset(range(4, 8))}
    assert not heaps & classes_of(session.labels.tolist())

    session.set_aside(8)

    assert classes_of(session.labels[:8].tolist()) == heaps


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


def test_known_classes_that_are_words_name_their_groups() -> None:
    session = Session(LINE, known={0: "oak", 11: "oak", 5: "elm", 6: "elm", 7: 3})

    assert [group.name for group in session.groups] == ["oak", "elm", ""]
    assert len(session.acts) == 1  # begun at once, and undone at once


@pytest.mark.parametrize("known", [[0, 1] * 6, ["0", "1.0"] * 6, [None] * 12])
def test_numbers_of_classes_name_nothing(known: list[Any]) -> None:
    assert not Session(LINE, known=known).names


def test_a_known_class_that_cannot_be_a_name_stops_nobody() -> None:
    session = Session(LINE, known={0: "a\x1b", 1: "x" * 999, 2: "\u3164", 3: ""})

    assert session.names == {0: "a\ufffd", 1: "x" * 200}


def test_when_every_class_is_known_nothing_is_left_to_ask(three_blobs: Tiny) -> None:
    session = Session(three_blobs.X, "urasc+n", known=three_blobs.truth)

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


def test_picking_the_group_that_a_sample_is_named_after_compares_it_with_another() -> (
    None
):
    session = Session([[0.0], [0.2], [0.4], [5.0], [5.2]], n_clusters=2)
    session.tell_pair(0, 1, "same")

    session.tell_group(0, 0)

    assert session.history[-1].question.pair == (0, 1)


def test_progress_is_told_while_neighbours_are_searched_for() -> None:
    told: list[tuple[int, int]] = []

    Session([[0.0], [0.1], [5.0]], progress=lambda *how: told.append(how))

    assert told[-1] == (3, 3)


def test_sessions_share_a_problem_made_beforehand() -> None:
    problem = problem_of(LINE, affinity="auto", n_clusters=2)

    for method in ("urasc+n", "random", "likewise"):
        mine, theirs = Session(problem, method), Session(LINE, method, 2)
        for session in (mine, theirs):
            for _ in run(session, LabelOracle([0] * 6 + [1] * 6), 8):
                pass
        assert mine.labels.tolist() == theirs.labels.tolist()
        assert mine.history == theirs.history


def test_a_problem_made_beforehand_is_not_disputed() -> None:
    problem = problem_of(LINE, affinity="auto", n_clusters=2)

    for said in ({"n_clusters": 4}, {"affinity": "gaussian"}):
        with pytest.raises(InputError, match="leave out n_clusters and affinity"):
            Session(problem, **said)
    with pytest.raises(InputError, match="Samples cannot be added"):
        Session(problem).add(LINE[:1])
