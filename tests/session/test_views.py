"""What a session shows: groups, labels, progress, views."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from tests.definitions import classes_of
from tests.problems import Tiny

from likewise import LabelOracle, Session, run

LINE = np.arange(12.0)[:, np.newaxis] + 20.0 * (np.arange(12) >= 6)[:, np.newaxis]


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


def test_the_latest_name_wins_when_two_groups_become_one(session: Session) -> None:
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
