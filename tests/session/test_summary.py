"""What a session shows: groups, statuses, and numbers that stay."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from html import escape
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.definitions import classes_of, matched
from tests.lines import LINE
from tests.problems import Tiny
from tests.strategies import links

from likewise import LabelOracle, MissingExtraError, Session, run
from likewise.knowledge import (
    Answer,
    Event,
    Knowledge,
    Numbered,
    Overview,
    Pair,
    Question,
    Renamed,
    Sheet,
    Together,
    Undone,
    Verdict,
)
from likewise.knowledge._constraints import Link
from likewise.session import Numbers, cluster_names, statuses_of, usual_questions
from likewise.session._summary import Candidate, Progress, groups_of


@pytest.fixture
def session() -> Session:
    """Two rows of six samples, 0 to 5 and 6 to 11, far from each other."""
    return Session(LINE, n_clusters=2)


def test_groups_are_what_answers_made_known(session: Session) -> None:
    session.tell_pair(4, 2, "same")
    session.tell_pair(7, 4, "different")
    session.tell_pair(9, 8, "same")

    groups = {group.id: group for group in session.groups}

    assert list(groups) == [4, 7, 9]
    assert [groups[id_].samples for id_ in groups] == [(4, 2), (7,), (9, 8)]
    assert [groups[id_].is_certain for id_ in groups] == [True, True, False]


def test_a_group_tells_its_label(session: Session) -> None:
    session.tell_pair(4, 2, "same")
    session.tell_pair(7, 4, "different")

    for group in session.groups:
        assert {group.label} == set(session.labels[list(group.samples)].tolist())


def test_the_name_of_a_group_stays_when_it_grows(session: Session) -> None:
    session.tell_pair(4, 2, "same")
    session.rename(2, "oak")

    session.tell_pair(1, 0, "same")
    session.tell_pair(0, 2, "same")

    (group,) = session.groups
    assert (group.id, group.name, group.samples) == (4, "oak", (4, 2, 1, 0))


def test_a_group_may_be_named_by_itself(session: Session) -> None:
    session.tell_pair(4, 2, "same")

    session.rename(session.groups[0], "oak")

    assert session.groups[0].name == "oak"


def test_the_larger_ones_name_wins_until_the_answer_is_undone(session: Session) -> None:
    session.tell_pair(4, 2, "same")
    session.tell_pair(4, 3, "same")
    session.tell_pair(1, 0, "same")
    session.rename(4, "oak")
    session.rename(1, "elm")

    session.tell_pair(0, 2, "same")
    assert [group.name for group in session.groups] == ["oak"]
    assert set(session.to_frame().name[:5]) == {"oak"}

    session.undo()
    assert [group.name for group in session.groups] == ["oak", "elm"]


def test_of_two_groups_as_large_the_latest_name_wins(session: Session) -> None:
    session.tell_pair(4, 2, "same")
    session.tell_pair(1, 0, "same")
    session.rename(1, "elm")
    session.rename(4, "oak")

    session.tell_pair(0, 2, "same")

    assert [group.name for group in session.groups] == ["oak"]


def test_an_empty_name_takes_the_name_away(session: Session) -> None:
    session.tell_pair(4, 2, "same")
    session.rename(4, "oak")

    session.rename(4, "")

    assert session.groups[0].name == ""


def test_labels_of_certain_sets_keep_their_numbers(blurred_blobs: Tiny) -> None:
    session = Session(blurred_blobs.X, n_clusters=3)

    numbers: dict[int, int] = {}
    for _ in run(session, LabelOracle(blurred_blobs.truth), budget=40):
        for group in session.groups:
            if group.is_certain:
                assert numbers.setdefault(group.id, group.label) == group.label


def test_labels_are_a_copy(session: Session) -> None:
    before = session.labels.tolist()

    session.labels[:] = 7

    assert session.labels.tolist() == before


def test_without_answers_the_labels_are_those_of_plain_clustering(
    three_blobs: Tiny,
) -> None:
    labels = Session(three_blobs.X, n_clusters=3).labels

    assert classes_of(labels.tolist()) == classes_of(three_blobs.truth.tolist())


def test_progress_goes_from_nothing_to_everything(three_blobs: Tiny) -> None:
    session = Session(three_blobs.X, n_clusters=3)
    settled = [session.progress.settled]
    steps = run(session, LabelOracle(three_blobs.truth), budget=1000)
    settled += [session.progress.settled for _ in steps]

    assert settled[0] == 0.0
    assert settled == sorted(settled)
    assert settled[-1] == 1.0


@pytest.mark.parametrize("method", ["likewise", "urasc+n"])
def test_when_everything_is_settled_nothing_is_expected_to_be_wrong(
    method: str, three_blobs: Tiny
) -> None:
    session = Session(three_blobs.X, method, known=three_blobs.truth)

    progress = session.progress

    assert progress.expected_wrong_pairs == pytest.approx(0.0, abs=2.0)
    assert progress.expected_jaccard == pytest.approx(1.0, abs=0.02)
    assert progress.settled == 1.0


SHORT = Progress(0.874, (0.842, 0.897), 38, 90, 0.4, 70.0, 0.7, False)
DONE = replace(SHORT, expected_right=0.963, interval=(0.95, 0.98), until_95=0)


@pytest.mark.parametrize(
    ("progress", "sentence"),
    [
        (
            SHORT,
            "About 87 % are probably in the right group. "
            "About 40 more questions to 95 %, about 90 to 98 %.",
        ),
        (
            replace(SHORT, until_98=None),
            "About 87 % are probably in the right group. "
            "About 40 more questions to 95 %.",
        ),
        (
            replace(SHORT, until_95=None, until_98=None),
            "About 87 % are probably in the right group.",
        ),
        (
            replace(SHORT, until_95=None, until_98=None, is_good_place_to_stop=True),
            "About 87 % are probably in the right group. "
            "More questions would hardly help.",
        ),
        (
            replace(SHORT, interval=(0.75, 0.935)),
            "About 87 % (75 to 94 %) are probably in the right group. "
            "About 40 more questions to 95 %, about 90 to 98 %.",
        ),
        (
            replace(SHORT, interval=(0.52, 0.97)),
            "Probably 52 to 98 % are in the right group. "
            "Perhaps 20 to 80 more questions to 95 %.",
        ),
        (
            replace(SHORT, interval=(0.1, 0.99)),
            "It is too early to say how much is right: answer a few more.",
        ),
        (
            DONE,
            "About 96 % are probably in the right group. "
            "About 90 more questions to 98 %.",
        ),
        (
            replace(DONE, is_good_place_to_stop=True),
            "About 96 % are probably in the right group: a good place to stop. "
            "About 90 more questions to 98 %.",
        ),
        (
            replace(DONE, until_98=0, is_good_place_to_stop=True),
            "About 96 % are probably in the right group: a good place to stop.",
        ),
        (
            replace(SHORT, seeks="duplicates"),
            "About 87 % of the entries probably have all their duplicates, and no "
            "others. "
            "About 40 more questions to 95 %, about 90 to 98 %.",
        ),
    ],
)
def test_progress_is_one_line(progress: Progress, sentence: str) -> None:
    assert progress.sentence == sentence
    assert repr(progress) == f"<Progress: {sentence}>"


def test_minutes_stand_beside_questions() -> None:
    assert SHORT.timed(2.0).endswith(
        "About 40 more questions to 95 % (a minute), about 90 to 98 % (3 minutes)."
    )


@given(st.integers(1, 10**6))
def test_no_number_of_questions_looks_exact(until: int) -> None:
    words = replace(SHORT, until_95=until, until_98=None).sentence
    said = int(words.partition(". About ")[2].partition(" ")[0])

    assert said % 5 == 0
    assert said == 5 or 0.7 <= said / until <= 1.45


@pytest.mark.parametrize(
    ("settled", "standing"),
    [
        (0.0, "No answer has confirmed any of them yet: all are guessed."),
        (0.001, "Answers have confirmed 1 %; the others are guessed."),
        (0.999, "Answers have confirmed 99 %; the others are guessed."),
        (1.0, "Answers have confirmed all of them."),
    ],
)
def test_what_is_confirmed_is_a_line_of_its_own(settled: float, standing: str) -> None:
    assert replace(SHORT, settled=settled).standing == standing


def test_before_the_first_answer_nothing_is_promised(blurred_blobs: Tiny) -> None:
    words = Session(blurred_blobs.X).progress.sentence

    assert words == "It is too early to say how much is right: answer a few more."


def test_a_share_below_95_percent_is_never_said_to_be_95() -> None:
    progress = replace(SHORT, expected_right=0.9499, interval=(0.85, 1.0))

    assert progress.sentence.startswith("About 94 % (85 to 100 %)")


def test_what_nobody_can_be_wrong_about_is_said_to_be_right(three_blobs: Tiny) -> None:
    session = Session(three_blobs.X, known=three_blobs.truth)

    progress = session.progress

    assert (progress.expected_right, progress.interval) == (1.0, (1.0, 1.0))
    assert (progress.until_95, progress.until_98) == (0, 0)
    assert progress.sentence == "All are in the right group, if the answers are right."


@given(st.integers(1, 10**7))
def test_a_first_guess_asks_no_more_than_there_are(n_samples: int) -> None:
    low, high = usual_questions(n_samples)

    assert 0 < low <= high <= n_samples


# What a notebook shows


EVIL = "<script>oak</script>"


def html_of(value: Any) -> str:
    """Return what a notebook shows of a value."""
    return str(value._repr_html_())


def test_groups_questions_and_progress_are_shown_as_text(session: Session) -> None:
    session.tell_pair(4, 2, "same")
    session.rename(4, EVIL)
    (group,), question = session.groups, session.ask()
    assert question is not None

    assert repr(group) == f"<Group 4 {EVIL!r}: 2 samples>"
    assert "&lt;script&gt;" in group._repr_html_()
    assert "2 samples: 4, 2" in group._repr_html_()
    assert repr(question) == (
        f"<Question: are samples {question.sample} and {question.against} the same?>"
    )
    session.tell_pair(4, 7, "different", by=EVIL)
    shown: list[Any] = [group, question, session.progress, session, session.history[0]]
    shown += [*session.readers, session.agreement, Candidate(group, 0.5)]
    shown += [session.reliability, session.view, Pair(question)]
    for value in shown:
        html = value._repr_html_()
        assert html.startswith("<div>")
        assert "<script>" not in html
    assert "<td>&lt;script&gt;oak&lt;/script&gt;</td>" in session._repr_html_()


def test_groups_answers_candidates_and_readers_are_tables(session: Session) -> None:
    for sample in range(1, 6):
        session.tell_pair(0, sample, "same", by=EVIL)
    session.tell_pair(0, 7, "different")
    session.rename(0, EVIL)

    for value in (session.groups, session.history, session.candidates(9)):
        html = html_of(value)
        assert isinstance(value, tuple)
        assert html.startswith("<table>")
        assert "<script>" not in html
    assert f"<td>{escape(EVIL)}</td><td>5</td>" in html_of(session.readers)
    newest = "<td>6</td><td>0</td><td>7</td><td>different</td>"
    assert html_of(session.history).index(newest) < 200
    assert "none yet" in html_of(Session([[0.0], [1.0]]).history)


def test_screens_are_shown_as_what_they_ask() -> None:
    sheet = Sheet((7, 8), (Question(1, 7), Question(2, 7)))
    overview = Overview((Question(1, 0), Question(2, 0), Question(2, 1)))

    asked = "Sheet: which of samples 1, 2 do not belong with 7, 8?"
    assert sheet._repr_html_() == f"<div>{asked}</div>"
    glanced = "Overview: which of the groups of samples 0, 1, 2 are one?"
    assert overview._repr_html_() == f"<div>{glanced}</div>"


def test_a_session_is_shown_without_being_worked_out(session: Session) -> None:
    assert repr(session) == "<Session: 12 samples, likewise, 0 answers>"

    session.tell_pair(4, 2, "same")
    assert repr(session) == "<Session: 12 samples, likewise, 1 answer>"

    assert session.labels.max() == 1
    line = "12 samples, likewise, 1 answer, 2 groups"
    assert repr(session) == f"<Session: {line}; {session.progress.sentence}>"
    assert session._repr_html_() == f"<div>{line}<br>{session.progress.sentence}</div>"


def test_a_session_is_a_table(session: Session) -> None:
    session.tell_pair(4, 2, "same")
    session.rename(4, "oak")
    session.set_aside(7)

    frame = session.to_frame()

    columns = ["sample", "group", "name", "status", "confidence"]
    assert frame.columns.tolist() == columns
    assert frame.group.tolist() == session.labels.tolist()
    assert frame.status[[2, 4, 5, 7]].tolist() == [
        *("confirmed", "confirmed", "guessed", "aside")
    ]
    assert set(frame.name[frame.group == frame.group[4]]) == {"oak"}
    assert frame.confidence.isna().tolist() == [sample == 7 for sample in range(12)]


def test_without_pandas_a_table_names_the_extra(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)

    with pytest.raises(MissingExtraError, match=r"likewise\[tables\]"):
        session.to_frame()


def test_the_share_that_is_right_is_about_what_it_is(blurred_blobs: Tiny) -> None:
    session = Session(blurred_blobs.X, n_clusters=3)
    for _ in run(session, LabelOracle(blurred_blobs.truth), budget=20):
        low, high = session.progress.interval
        assert low < session.progress.expected_right < high

    truth = matched(blurred_blobs.truth, session.labels)
    assert session.progress.expected_right == pytest.approx(truth, abs=0.15)


def test_a_blurred_beginning_is_no_place_to_stop(blurred_blobs: Tiny) -> None:
    progress = Session(blurred_blobs.X, n_clusters=3).progress

    assert progress.expected_wrong_pairs > 0
    assert 0 < progress.expected_jaccard < 0.95
    assert not progress.is_good_place_to_stop


def test_expectations_are_sums_over_pairs(blurred_blobs: Tiny) -> None:
    session = Session(blurred_blobs.X, "urasc+n", n_clusters=3)
    session.set_aside(5)
    labels, sure = session.labels, session.view.model.confidence
    right = wrong = 0.0
    for i, j in combinations(np.flatnonzero(labels >= 0), 2):
        if labels[i] == labels[j]:
            right += sure[i] * sure[j]
            wrong += 1 - sure[i] * sure[j]

    progress = session.progress

    # As many pairs are taken to be wrongly apart as are wrongly together.
    assert progress.expected_wrong_pairs == pytest.approx(2 * wrong)
    assert progress.expected_jaccard == pytest.approx(right / (right + 2 * wrong))


def test_progress_counts_only_samples_that_are_in_the_game(session: Session) -> None:
    for sample in range(1, 6):
        session.tell_pair(sample, 0, "same")
    for sample in range(4):
        session.set_aside(sample)

    assert session.progress.settled == 2 / 8


def test_a_view_stays_as_it_is(session: Session) -> None:
    view = session.view
    before = view.labels.tolist()

    session.tell_pair(0, 11, "same")

    assert (view.answer, view.n_questions) == (None, 0)
    assert view.labels.tolist() == before


def test_a_view_shows_the_last_answer(session: Session) -> None:
    session.tell_pair(0, 11, "same")

    assert session.view.answer == session.history[-1]
    assert session.view.labels.tolist() == session.labels.tolist()


# How settled samples are


def known_after(told: list[Link], aside: frozenset[int] = frozenset()) -> Knowledge:
    answers = [Answer(Question(i, j), verdict) for i, j, verdict in told]
    return Knowledge(8, aside=aside).after_all(answers)


@given(links())
def test_each_sample_has_one_status(told: list[Link]) -> None:
    known = known_after(told, frozenset({3}))

    found = statuses_of(known)

    assert found.of(3) == "aside"
    sets = (found.confirmed, found.deferred, found.aside)
    assert sum(map(len, sets)) == len(frozenset().union(*sets))


@given(links())
def test_what_is_certain_or_with_others_is_confirmed(told: list[Link]) -> None:
    known = known_after(told)

    groups = groups_of(known, np.zeros(8, dtype=np.intp), {})
    sure = [group.samples for group in groups if group.is_certain or group.samples[1:]]
    assert statuses_of(known).confirmed == set().union(*sure)


def test_an_unsure_answer_defers_the_sample_that_was_to_be_placed() -> None:
    known = Knowledge(3).after(Answer(Question(2, 0), Verdict.UNSURE))

    found = statuses_of(known)

    assert [found.of(sample) for sample in range(3)] == [
        "guessed",
        "guessed",
        "deferred",
    ]


def test_a_later_answer_ends_the_deferring() -> None:
    told = [(2, 0, Verdict.UNSURE), (2, 1, Verdict.SAME)]

    assert statuses_of(known_after(told)).of(2) == "confirmed"


def test_the_latest_name_of_any_sample_names_the_cluster() -> None:
    labels = np.array([0, 0, 1, -1])

    names = cluster_names(labels, {0: "ash", 2: "elm", 1: "oak", 3: "junk"})

    assert names == {0: "oak", 1: "elm"}


def test_a_name_that_was_taken_away_leaves_an_older_one_of_another_sample() -> None:
    assert cluster_names(np.array([0, 0]), {0: "ash", 1: ""}) == {0: "ash"}


# Numbers stay with groups


NOTHING = Knowledge(6)


def first(labels: np.ndarray) -> Numbers:
    return Numbers().brought_to(labels, NOTHING, speaker_of(labels))


def speaker_of(labels: np.ndarray) -> Callable[[int], int]:
    return lambda label: int(np.flatnonzero(labels == label)[0])


def test_numbers_begin_at_one_in_the_order_of_labels() -> None:
    labels = np.array([1, 1, 0, 0, 2, 2])

    assert first(labels).of(labels) == {0: 1, 1: 2, 2: 3}


def test_a_number_goes_where_its_sample_goes() -> None:
    numbers = first(np.array([0, 0, 1, 1, 2, 2]))

    assert numbers.of(np.array([2, 2, 0, 0, 1, 1])) == {2: 1, 0: 2, 1: 3}


def test_clusters_that_become_one_keep_the_lower_number() -> None:
    numbers = first(np.array([0, 0, 1, 1, 2, 2]))

    assert numbers.of(np.array([0, 0, 1, 1, 1, 1])) == {0: 1, 1: 2}


def test_a_number_comes_back_when_clusters_are_parted_again() -> None:
    labels = np.array([0, 0, 1, 1, 2, 2])
    merged = np.array([0, 0, 1, 1, 1, 1])
    numbers = first(labels).brought_to(merged, NOTHING, speaker_of(merged))

    assert numbers.of(labels) == {0: 1, 1: 2, 2: 3}


def test_a_new_cluster_gets_a_new_number() -> None:
    numbers = first(np.array([0, 0, 1, 1, 1, 1]))
    labels = np.array([0, 0, 1, 1, 2, 2])

    assert numbers.brought_to(labels, NOTHING, speaker_of(labels)).of(labels)[2] == 3


def test_a_number_moves_to_a_confirmed_sample_and_stays() -> None:
    labels = np.array([0, 0, 0, 1, 1, 1])
    known = NOTHING.after(Answer(Question(1, 2), Verdict.SAME))
    confirmed = first(labels).brought_to(labels, known, lambda label: [1, 3][label])

    assert confirmed.anchors == {1: 1, 2: 3}
    again = confirmed.brought_to(labels, known, lambda label: [2, 4][label])
    assert again.anchors == {1: 1, 2: 4}


def test_samples_set_aside_have_no_number() -> None:
    labels = np.array([0, 0, -1, -1, 1, 1])

    assert set(first(labels).of(labels)) == {0, 1}


def test_numbers_follow_from_all_events_also_undone_ones() -> None:
    events: list[Event] = [
        Numbered(((1, 4), (2, 7))),
        Together((Renamed(4, "oak"), Numbered(((1, 5),)))),
        Undone(1),
    ]

    assert Numbers.after(events).anchors == {1: 5, 2: 7}


def test_older_projects_begin_with_the_numbers_of_their_settings() -> None:
    older = Numbers.kept_in({"numbers": {"1": 3, "2": 6}})

    found = Numbers.after([Numbered(((2, 7), (3, 0)))], older)

    assert found.anchors == {1: 3, 2: 7, 3: 0}


anchors = st.dictionaries(st.integers(1, 4), st.integers(0, 5))


@given(anchors, anchors)
def test_what_is_recorded_leads_from_old_numbers_to_new(
    before: dict[int, int], more: dict[int, int]
) -> None:
    start, wanted = Numbers(before), Numbers({**before, **more})

    event = wanted.since(start)

    assert (event is None) == (start == wanted)
    assert Numbers.after([event] if event else [], start) == wanted


def test_numbers_that_an_older_project_kept_in_its_settings_count() -> None:
    numbers = Numbers({1: 4, 2: 0})

    assert Numbers.kept_in({"numbers": {"1": 4, "2": 0}}) == numbers
    assert Numbers.kept_in({}) == Numbers()


@given(st.lists(st.lists(st.integers(0, 3), min_size=6, max_size=6), min_size=1))
def test_every_cluster_has_a_number_of_its_own(path: list[list[int]]) -> None:
    numbers = Numbers()
    for drawn in path:
        labels = np.unique(drawn, return_inverse=True)[1]
        numbers = numbers.brought_to(labels, NOTHING, speaker_of(labels))
        of = numbers.of(labels)
        assert set(of) == set(labels.tolist())
        assert len(set(of.values())) == len(of)
