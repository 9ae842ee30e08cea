"""Promises kept by every store."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.stores import KINDS, Reopen, events, held_by, reopener, running
from tests.strategies import pairs

from likewise import Answer, InputError, Question, Verdict
from likewise.errors import NotAllowedError, StaleError, StorageError
from likewise.knowledge import (
    Event,
    Overview,
    Prediction,
    Renamed,
    SetAside,
    Sheet,
    Shown,
    Told,
    Undone,
)
from likewise.storage import (
    Act,
    Invite,
    Item,
    Latest,
    Member,
    MemoryStore,
    OpenQuestion,
    Project,
    Store,
    Team,
)

SAME = Told((Answer(Question(3, 1), Verdict.SAME, 1),))
PHOTO = Item("a/oak.jpg", "image", "d1", {"size": 7})
NOTE = Item("b.txt", "text", "d2", {"text": "Ä –"})
ROW = Item("17", "row")


@pytest.fixture(params=KINDS)
def reopen(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Reopen]:
    opened: list[Store] = []
    again = reopener(request.param, tmp_path)

    def kept() -> Store:
        opened.append(again())
        return opened[-1]

    yield kept
    for store in opened:
        store.close()


@pytest.fixture
def project(reopen: Reopen) -> Project:
    return reopen().create("leaves", {"k": 3}, now=5.0)


def wanted(who: str, sample: int, against: int, until: float = 10.0) -> OpenQuestion:
    return OpenQuestion(who, Question(sample, against), until)


def wanted_screen(
    who: str, asked: list[tuple[int, int]], until: float = 10.0
) -> OpenQuestion:
    """Return what a person may be given: one question, or a sheet of several."""
    questions = tuple(Question(*pair) for pair in asked)
    if len(questions) == 1:
        return OpenQuestion(who, questions[0], until)
    sheet = Sheet((questions[0].against,), questions)
    return OpenQuestion(who, questions[0], until, screen=sheet)


# Projects


def test_a_new_store_is_empty(reopen: Reopen) -> None:
    assert reopen().projects() == ()


def test_projects_are_listed_as_they_came(reopen: Reopen) -> None:
    store = reopen()
    for name in ("oak", "ash", "Ä b/c"):
        store.create(name, {"name": name}, now=2.5)
    store.project("ash").add_items([PHOTO, NOTE])
    store.project("ash").act(SAME, who="ann", now=3.0)

    listed = reopen().projects()

    assert reopen().project("ash").name == "ash"
    assert [info.name for info in listed] == ["oak", "ash", "Ä b/c"]
    assert [(info.n_items, info.n_acts) for info in listed] == [(0, 0), (2, 1), (0, 0)]
    assert listed[2].settings == {"name": "Ä b/c"}
    assert listed[2].created == 2.5


def test_a_name_is_taken_once(reopen: Reopen) -> None:
    reopen().create("oak", {}, now=0.0)

    with pytest.raises(InputError, match="'oak' already"):
        reopen().create("oak", {}, now=0.0)


def test_a_missing_project_is_told_with_those_there(reopen: Reopen) -> None:
    with pytest.raises(InputError, match="create it first"):
        reopen().project("elm")
    reopen().create("oak", {}, now=0.0)

    with pytest.raises(InputError, match="choose one of: oak"):
        reopen().project("elm")


@pytest.mark.parametrize("name", ["", "a\x00b", "\ud800"])
def test_a_name_that_no_database_holds_is_refused(reopen: Reopen, name: str) -> None:
    with pytest.raises(InputError):
        reopen().create(name, {}, now=0.0)


def test_settings_change_one_by_one(reopen: Reopen, project: Project) -> None:
    project.change({"who": ["ann"], "k": None})
    project.change({"seed": 2**70})

    settings = reopen().project("leaves").info().settings
    assert settings == {"k": None, "who": ["ann"], "seed": 2**70}


def test_projects_do_not_see_each_other(reopen: Reopen, project: Project) -> None:
    other = reopen().create("other", {}, now=0.0)
    for mine in (project, other):
        mine.add_items([PHOTO])
        mine.put_array("X", np.eye(2))
        act = mine.act(SAME, who="ann", now=0.0, client_id="c")
        assert (act.number, act.is_repeat) == (0, False)
        assert mine.open_question(wanted("ann", 3, 1), now=0.0) is not None

    project.close_question(running(project, 0.0)[0].id)
    assert held_by(project, "ann") is None
    assert held_by(other, "ann") is not None


# Items


def test_items_are_numbered_as_they_came(reopen: Reopen, project: Project) -> None:
    assert project.add_items([PHOTO, NOTE]) == range(2)
    assert project.add_items([]) == range(2, 2)
    assert project.add_items([ROW]) == range(2, 3)

    again = reopen().project("leaves")
    assert again.items() == (PHOTO, NOTE, ROW)
    assert again.items(1, 2) == (NOTE,)
    assert again.items(2) == (ROW,)


def test_a_key_is_taken_once_and_nothing_is_added(project: Project) -> None:
    project.add_items([PHOTO])

    for added in ([NOTE, PHOTO], [NOTE, NOTE]):
        with pytest.raises(InputError, match="already"):
            project.add_items(added)
    assert project.items() == (PHOTO,)


def test_items_are_found_by_their_positions(project: Project) -> None:
    project.add_items([PHOTO, NOTE, ROW])

    assert project.items_at([2, 0, 2]) == {2: ROW, 0: PHOTO}
    assert project.items_at([3, -1]) == project.items_at([]) == {}


def test_traces_tell_items_apart_without_what_they_show(project: Project) -> None:
    project.add_items([PHOTO, NOTE])
    project.mark_all({"b.txt": "gone"})

    expected = [("a/oak.jpg", "d1", "here", ()), ("b.txt", "d2", "gone", ())]
    assert list(project.traces()) == expected


def test_items_keep_the_keys_of_their_copies(reopen: Reopen, project: Project) -> None:
    twin = replace(NOTE, copies=("c.txt", "Ä.txt"))
    project.add_items([PHOTO, twin])

    again = reopen().project("leaves")
    assert again.items() == (PHOTO, twin)
    assert again.items_at([1]) == {1: twin}
    assert [trace.copies for trace in again.traces()] == [(), twin.copies]


def test_copies_come_and_go_all_or_none(reopen: Reopen, project: Project) -> None:
    project.add_items([PHOTO, replace(NOTE, copies=("c.txt",)), ROW])

    project.note_copies({"a/oak.jpg": ("x.jpg", "y.jpg"), "b.txt": ()})
    for wrong in ({"17": ("18",), "x": ("z",)}, {"17": ("18",), "b.txt": ("",)}):
        with pytest.raises(InputError, match=r"no item 'x'|cannot be a name"):
            project.note_copies(wrong)
    project.rekey({"a/oak.jpg": "x.jpg"})

    copies = [item.copies for item in reopen().project("leaves").items()]
    assert copies == [("x.jpg", "y.jpg"), (), ()]


def test_items_are_marked_all_or_none(reopen: Reopen, project: Project) -> None:
    project.add_items([PHOTO, NOTE, ROW])

    project.mark_all({"b.txt": "gone", "17": "changed"})
    with pytest.raises(InputError, match="no item 'x'"):
        project.mark_all({"a/oak.jpg": "gone", "x": "gone"})

    statuses = [item.status for item in reopen().project("leaves").items()]
    assert statuses == ["here", "gone", "changed"]


def test_an_unknown_key_kind_or_status_is_told(project: Project) -> None:
    with pytest.raises(InputError, match="no item 'x'"):
        project.mark_all({"x": "gone"})
    with pytest.raises(InputError, match="status 'lost'"):
        project.mark_all({"x": "lost"})
    with pytest.raises(InputError, match="kind 'film'"):
        project.add_items([Item("x", "film")])


def test_items_get_other_keys_and_keep_their_positions(
    reopen: Reopen, project: Project
) -> None:
    project.add_items([PHOTO, NOTE, ROW])
    project.rekey({"a/oak.jpg": "b/oak.jpg", "17": "18"})

    again = reopen().project("leaves")
    assert [item.key for item in again.items()] == ["b/oak.jpg", "b.txt", "18"]
    assert again.items()[0] == replace(PHOTO, key="b/oak.jpg")


def test_items_may_swap_their_keys(reopen: Reopen, project: Project) -> None:
    project.add_items([PHOTO, NOTE, ROW])
    keys = [item.key for item in project.items()]
    project.rekey(dict(zip(keys, [*keys[1:], keys[0]], strict=True)))

    assert [i.key for i in reopen().project("leaves").items()] == [*keys[1:], keys[0]]


def test_a_key_that_stays_is_no_change(project: Project) -> None:
    project.add_items([PHOTO, NOTE])
    project.rekey({"b.txt": "b.txt"})
    project.rekey({})

    assert project.items() == (PHOTO, NOTE)


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"a/oak.jpg": "c", "elm": "d"}, "no item 'elm'"),
        ({"a/oak.jpg": "b.txt"}, "'b.txt' already"),
        ({"a/oak.jpg": "c", "b.txt": "c"}, "'c' already"),
        ({"a/oak.jpg": "c", "b.txt": ""}, "cannot be a name"),
        ({"a/oak.jpg": "c", "b.txt": "\x00"}, "cannot be a name"),
    ],
)
def test_keys_that_cannot_be_change_nothing(
    reopen: Reopen, project: Project, keys: dict[str, str], words: str
) -> None:
    project.add_items([PHOTO, NOTE])

    with pytest.raises(InputError, match=words):
        project.rekey(keys)
    assert reopen().project("leaves").items() == (PHOTO, NOTE)


def test_projects_may_have_the_same_keys(reopen: Reopen, project: Project) -> None:
    other = reopen().create("other", {}, now=0.0)
    project.add_items([PHOTO])
    other.add_items([NOTE])
    project.rekey({PHOTO.key: NOTE.key})

    assert project.items()[0].key == other.items()[0].key == NOTE.key


# Arrays


ARRAYS: dict[str, Any] = {
    "float64": np.linspace(0, 1, 12).reshape(4, 3),
    "float32": np.arange(6, dtype=np.float32).reshape(3, 2),
    "fortran": np.asfortranarray(np.arange(6.0).reshape(3, 2)),
    "flat": np.array([1, -2, 3]),
    "cube": np.ones((2, 3, 4), dtype=bool),
    "empty": np.empty((0, 5)),
    "long": np.arange(9000, dtype=np.int32)[:, np.newaxis],
}


@pytest.mark.parametrize("kind", ARRAYS)
def test_an_array_comes_back_as_it_went_in(
    reopen: Reopen, project: Project, kind: str
) -> None:
    project.put_array("X", ARRAYS[kind])

    actual = reopen().project("leaves").array("X")

    assert actual.dtype == ARRAYS[kind].dtype
    np.testing.assert_array_equal(actual, ARRAYS[kind], strict=True)


def test_a_sparse_matrix_comes_back_sparse(reopen: Reopen, project: Project) -> None:
    X = sp.random_array((5000, 30), density=0.01, format="csr", rng=0)
    project.put_array("X", X[:10])
    project.append_rows("X", X[10:])

    actual = reopen().project("leaves").array("X")

    assert sp.issparse(actual)
    assert (actual != X).sum() == 0


@pytest.mark.parametrize("sizes", [(0, 3), (1, 1, 1), (4000, 200, 9000), (4096, 1)])
def test_appended_rows_follow(
    reopen: Reopen, project: Project, sizes: tuple[int, ...]
) -> None:
    X = np.arange(2 * sum(sizes), dtype=np.float32).reshape(-1, 2)
    first, *others = np.split(X, np.cumsum(sizes)[:-1])
    project.put_array("X", first)
    for rows in others:
        project.append_rows("X", rows)

    again = reopen().project("leaves")
    np.testing.assert_array_equal(again.array("X"), X, strict=True)
    assert again.n_rows("X") == len(X)


def test_an_array_put_again_is_replaced(project: Project) -> None:
    project.put_array("X", np.zeros((9000, 2)))
    project.put_array("X", np.ones((1, 3)))

    np.testing.assert_array_equal(project.array("X"), np.ones((1, 3)))


def test_rows_of_another_form_are_refused(project: Project) -> None:
    project.put_array("X", np.zeros((2, 3)))

    for rows in (np.zeros((2, 4)), np.zeros((2, 3), np.float32), sp.eye_array(3)):
        with pytest.raises(InputError, match="convert"):
            project.append_rows("X", rows)
    assert project.n_rows("X") == 2


def test_a_missing_array_is_told(project: Project) -> None:
    assert project.n_rows("X") == 0
    with pytest.raises(InputError, match="no array 'X'"):
        project.array("X")
    with pytest.raises(InputError, match="no array 'X'"):
        project.append_rows("X", np.zeros((1, 1)))


def test_objects_are_no_array(project: Project) -> None:
    for X in (np.array([{}]), np.float64(3), np.array(["a"])):
        with pytest.raises(InputError, match="cannot be kept"):
            project.put_array("X", X)


# Acts


_numbers = itertools.count()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(acted=st.lists(events(), max_size=4))
def test_every_event_comes_back_as_it_went_in(
    reopen: Reopen, acted: list[Event]
) -> None:
    name = f"p{next(_numbers)}"
    store = reopen()
    project = store.create(name, {}, now=0.0)
    for at, event in enumerate(acted):
        project.act(event, who="ann", now=float(at))

    acts = store.project(name).acts()
    store.close()

    assert [act.event for act in acts] == acted
    assert [(act.number, act.at) for act in acts] == [
        (at, float(at)) for at in range(len(acted))
    ]
    assert [repr(act.event) for act in acts] == [repr(event) for event in acted]


def test_numbers_of_numpy_are_taken(project: Project) -> None:
    predicted = Prediction(np.float64(0.5), aux=np.float32(0.5), if_same=np.bool_(True))  # type: ignore[arg-type]
    question = Question(np.int64(3), np.int64(1), predicted)  # type: ignore[arg-type]

    project.act(Told((Answer(question, Verdict.SAME, 1),)), who="ann", now=0.0)

    assert project.acts()[0].event == SAME


def test_an_act_says_who_and_when(reopen: Reopen, project: Project) -> None:
    first = project.act(SAME, who="ann", now=1_763_000_000.25, client_id="c1")
    second = project.act(Undone(0), who="bob", now=1_763_000_001.5)

    assert (first.number, second.number) == (0, 1)
    assert reopen().project("leaves").acts() == (first, second)
    assert reopen().project("leaves").acts(since=1) == (second,)
    assert first.at == 1_763_000_000.25


def test_a_repeated_act_counts_once(reopen: Reopen, project: Project) -> None:
    first = project.act(SAME, who="ann", now=1.0, client_id="c1", expected=0)
    project.act(Renamed(3, "oak"), who="bob", now=2.0)

    again = reopen().project("leaves")
    second = again.act(SetAside(1), who="ann", now=9.0, client_id="c1", expected=0)

    assert second == first
    assert (first.is_repeat, second.is_repeat) == (False, True)
    assert len(project.acts()) == 2


def test_who_has_not_seen_every_act_is_refused(project: Project) -> None:
    opened = project.open_question(wanted("bob", 3, 1), now=0.0)
    assert opened is not None
    project.act(SAME, who="ann", now=1.0, expected=0)

    for expected in (0, 2):
        with pytest.raises(StaleError, match="1 acts"):
            project.act(SAME, who="bob", now=2.0, expected=expected, closes=opened.id)
    assert len(project.acts()) == 1
    assert held_by(project, "bob") == opened


def test_who_has_seen_more_than_there_is_is_told(project: Project) -> None:
    project.act(SAME, who="ann", now=1.0)

    assert project.latest(1).acts == ()
    for seen in (2, 7):
        with pytest.raises(StorageError, match="set back or exchanged"):
            project.latest(seen)


def test_what_an_id_stood_for_is_kept(reopen: Reopen, project: Project) -> None:
    """Acts of earlier versions have none; the event itself is as it was."""
    project.act(SAME, who="ann", now=1.0, client_id="one", digest="d1")
    project.act(Undone(0), who="ann", now=1.0, client_id="two", digest="d2")
    project.act(Renamed(3, "oak"), who="ann", now=2.0, client_id="three")

    there = reopen().project("leaves")
    assert [act.digest for act in there.acts()] == ["d1", "d2", None]
    assert [act.event for act in there.acts()] == [SAME, Undone(0), Renamed(3, "oak")]
    again = there.act(SAME, who="bob", now=3.0, client_id="two", digest="d3")
    assert (again.is_repeat, again.digest) == (True, "d2")


def test_the_id_of_the_client_goes_before_the_question(project: Project) -> None:
    opened = project.open_question(wanted("ann", 3, 1), now=0.0)
    assert opened is not None
    project.act(SAME, who="ann", now=1.0, closes=opened.id)
    second = project.act(Undone(0), who="ann", now=2.0, client_id="c")

    repeated = project.act(
        Undone(0), who="ann", now=3.0, client_id="c", closes=opened.id
    )

    assert repeated == second


# Open questions


def test_an_answer_closes_its_question(reopen: Reopen, project: Project) -> None:
    predicted = Prediction(0.25, "check", 0.5, False, 7)
    first = project.open_question(
        OpenQuestion("ann", Question(3, 1, predicted), 10.0), now=0.0
    )
    assert first is not None
    again = reopen().project("leaves")
    stored = held_by(again, "ann")
    assert stored == first
    assert stored is not None
    assert stored.question.predicted == predicted

    act = again.act(SAME, who="ann", now=1.0, closes=first.id)

    assert act.closed == first.id
    assert held_by(reopen().project("leaves"), "ann") is None
    second = again.open_question(wanted("ann", 4, 1), now=1.0)
    assert second is not None
    assert second.id > first.id
    assert held_by(reopen().project("leaves"), "ann") == second


def test_new_acts_and_all_open_questions_are_read_at_once(project: Project) -> None:
    first = project.open_question(wanted("ann", 3, 1, until=5.0), now=0.0)
    second = project.open_question(wanted("bob", 4, 1, until=9.0), now=0.0)
    acts = [project.act(Renamed(at, "oak"), who="ann", now=0.0) for at in range(3)]

    assert first is not None
    assert second is not None
    assert project.latest(0) == Latest(tuple(acts), (first, second))
    assert project.latest(2).acts == (acts[2],)
    assert project.latest(3).acts == ()


def test_a_question_that_was_answered_returns_that_act(project: Project) -> None:
    opened = project.open_question(wanted("ann", 3, 1), now=0.0)
    assert opened is not None
    first = project.act(SAME, who="ann", now=1.0, client_id="a", closes=opened.id)

    second = project.act(
        Undone(0), who="ann", now=2.0, client_id="b", closes=opened.id, expected=0
    )

    assert second == first
    assert second.is_repeat
    assert len(project.acts()) == 1


def test_a_question_closed_without_an_answer_takes_none(project: Project) -> None:
    opened = project.open_question(wanted("ann", 3, 1), now=0.0)
    assert opened is not None
    project.close_question(opened.id)

    with pytest.raises(StaleError, match="no longer open"):
        project.act(SAME, who="ann", now=1.0, closes=opened.id)
    assert project.acts() == ()
    assert held_by(project, "ann") is None


def test_a_person_has_one_question(project: Project) -> None:
    first = project.open_question(wanted("ann", 3, 1), now=0.0)

    assert project.open_question(wanted("ann", 5, 2), now=99.0) is None
    assert held_by(project, "ann") == first


@pytest.mark.parametrize("pair", [(3, 1), (3, 2), (1, 3)])
def test_two_people_never_hold_the_same(
    project: Project, pair: tuple[int, int]
) -> None:
    project.open_question(wanted("ann", 3, 1), now=0.0)

    assert project.open_question(wanted("bob", *pair), now=9.0) is None
    assert held_by(project, "bob") is None


def test_two_people_may_compare_with_the_same_sample(project: Project) -> None:
    project.open_question(wanted("ann", 3, 1), now=0.0)

    assert project.open_question(wanted("bob", 4, 1), now=0.0) is not None


SHEET = Sheet(
    (1, 9),
    (Question(3, 1, Prediction(0.75, "sample", 0.5, True, -1)), Question(4, 1)),
    "members",
    sorts=True,
    worth=2.5,
    seconds=7.25,
)
OVERVIEW = Overview((Question(3, 1), Question(4, 1), Question(4, 3)), 1.5, 4.0)


@pytest.mark.parametrize("screen", [SHEET, OVERVIEW])
def test_a_screen_is_kept_whole(
    reopen: Reopen, project: Project, screen: Sheet | Overview
) -> None:
    opened = project.open_question(
        OpenQuestion("ann", screen.questions[0], 10.0, screen=screen), now=0.0
    )
    assert opened is not None

    again = reopen().project("leaves")
    stored = held_by(again, "ann")

    assert stored == opened
    assert stored is not None
    assert stored.screen == screen
    assert stored.screen is not None
    assert (stored.screen.worth, stored.screen.seconds) == (
        screen.worth,
        screen.seconds,
    )
    assert stored.questions == screen.questions
    assert again.extend(opened.id, 20.0) == replace(opened, until=20.0)


@pytest.mark.parametrize("asked", [[(4, 7)], [(5, 2), (3, 2)], [(1, 4)], [(1, 3)]])
def test_two_people_never_have_the_same_item_before_them(
    project: Project, asked: list[tuple[int, int]]
) -> None:
    first = OpenQuestion("ann", Question(3, 1), 10.0, screen=SHEET)
    assert project.open_question(first, now=0.0) is not None

    assert project.open_question(wanted_screen("bob", asked), now=9.0) is None
    assert project.open_question(wanted_screen("bob", asked), now=10.0) is not None
    assert held_by(project, "ann") is None


def test_two_people_may_have_sheets_of_one_group(project: Project) -> None:
    project.open_question(wanted_screen("ann", [(3, 1), (4, 1)]), now=0.0)

    second = project.open_question(wanted_screen("bob", [(5, 1), (6, 1)]), now=0.0)

    assert second is not None


def test_what_was_on_a_screen_is_kept_with_its_act(
    reopen: Reopen, project: Project
) -> None:
    shown = Shown("sheet", (1, 9), (3, 4), "members", (3,), (8,), 6.5)
    told = Told(tuple(SHEET.answers([3])), shown)

    project.act(told, who="ann", now=0.0)

    (act,) = reopen().project("leaves").acts()
    assert act.event == told


def test_questions_are_listed_after_their_leases_too(project: Project) -> None:
    first = project.open_question(wanted("ann", 3, 1, until=5.0), now=0.0)
    second = project.open_question(wanted("bob", 4, 1, until=9.0), now=0.0)

    assert running(project, 4.0) == (first, second)
    assert running(project, 5.0) == (second,)
    assert held_by(project, "ann") == first


def test_an_answer_after_the_lease_is_taken(project: Project) -> None:
    opened = project.open_question(wanted("ann", 3, 1, until=5.0), now=0.0)
    assert opened is not None

    act = project.act(SAME, who="ann", now=99.0, closes=opened.id)

    assert not act.is_repeat


def test_a_question_whose_lease_is_over_goes_to_who_wants_it(project: Project) -> None:
    late = project.open_question(wanted("ann", 3, 1, until=5.0), now=0.0)
    assert late is not None

    taken = project.open_question(wanted("bob", 3, 2, until=15.0), now=5.0)

    assert taken is not None
    assert held_by(project, "ann") is None
    assert project.extend(late.id, 20.0) is None
    with pytest.raises(StaleError):
        project.act(SAME, who="ann", now=6.0, closes=late.id)


def test_questions_for_several_people_are_opened_at_once(project: Project) -> None:
    there = project.open_question(wanted("ann", 1, 2), now=0.0)
    late = project.open_question(wanted("eve", 7, 8, until=3.0), now=0.0)
    asked = [
        wanted("bob", 3, 4),
        wanted("ann", 5, 6),  # has one
        wanted("cat", 1, 9),  # asked about
        wanted("dan", 3, 9),  # asked about since just now
        wanted("fay", 7, 8),  # somebody's, but the lease is over
    ]

    opened = project.open_questions(asked, now=5.0)

    assert there is not None
    assert late is not None
    assert [one and one.who for one in opened] == ["bob", None, None, None, "fay"]
    ids = {one.id for one in opened if one is not None}
    assert len(ids | {there.id, late.id}) == 4
    assert {q.who for q in project.latest(0).questions} == {"ann", "bob", "fay"}


def test_a_lease_can_run_longer(reopen: Reopen, project: Project) -> None:
    opened = project.open_question(wanted("ann", 3, 1, until=5.0), now=0.0)
    assert opened is not None

    longer = project.extend(opened.id, 50.0)

    assert longer is not None
    assert longer.until == 50.0
    assert running(reopen().project("leaves"), 49.0) == (longer,)


def test_an_id_is_never_given_twice(project: Project) -> None:
    ids = []
    for _ in range(3):
        opened = project.open_question(wanted("ann", 3, 1), now=0.0)
        assert opened is not None
        project.close_question(opened.id)
        ids.append(opened.id)

    assert len(set(ids)) == 3


# Against the store in memory


PEOPLE = st.sampled_from(["ann", "bob", "cat"])
IDS = st.integers(0, 4)  # the how manieth question that was opened
WANTED = st.builds(
    wanted_screen,
    PEOPLE,
    st.lists(pairs(6), min_size=1, max_size=3),
    st.integers(0, 9).map(float),
)
STEPS = st.one_of(
    st.tuples(st.just("open"), WANTED),
    st.tuples(st.just("close"), IDS),
    st.tuples(st.just("extend"), IDS),
    st.tuples(
        st.just("act"),
        PEOPLE,
        st.none() | st.integers(0, 3).map(str),
        st.none() | st.integers(0, 3),
        st.none() | IDS,
    ),
)


def done(project: Project, step: tuple[Any, ...], ids: list[int], now: int) -> Any:
    """Take a step, and return what the project says to it."""
    id_ = dict(enumerate(ids)).get
    match step:
        case "open", wanted:
            return project.open_question(wanted, now=now)
        case "close", number:
            return project.close_question(id_(number, 0))
        case "extend", number:
            return project.extend(id_(number, 0), now + 3.0)
    _, who, client_id, expected, number = step
    closes = None if number is None else id_(number, 0)
    return project.act(
        Renamed(now, who),
        who=who,
        now=now,
        client_id=client_id,
        expected=expected,
        closes=closes,
    )


def told_by(project: Project, steps: list[tuple[Any, ...]]) -> list[Any]:
    """Return what a project says to each step, with its ids counted from 1."""
    ids: list[int] = []

    def plain(said: Any) -> Any:
        if isinstance(said, OpenQuestion):
            ids.extend({said.id}.difference(ids))
            return replace(said, id=ids.index(said.id) + 1)
        if isinstance(said, Act):
            return said.number, said.event, said.is_repeat
        return said

    told = []
    for now, step in enumerate(steps):
        try:
            told.append(plain(done(project, step, ids, now)))
        except StaleError:
            told.append("stale")
        told += [plain(question) for question in project.latest(0).questions]
    return told


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(steps=st.lists(STEPS, max_size=12))
def test_every_store_says_what_the_one_in_memory_says(
    reopen: Reopen, steps: list[tuple[Any, ...]]
) -> None:
    store = reopen()
    actual = told_by(store.create(f"p{next(_numbers)}", {}, now=0.0), steps)
    store.close()

    assert actual == told_by(MemoryStore().create("p", {}, now=0.0), steps)


# Many at once


def test_twenty_people_at_once_lose_nothing_and_double_nothing(
    project: Project,
) -> None:
    def work(person: int) -> None:
        for at in range(10):
            for _ in range(2):  # each call is repeated, as after a lost reply
                project.act(
                    Renamed(at, f"{person}"),
                    who=f"p{person}",
                    now=0.0,
                    client_id=f"{person}-{at}",
                )

    with ThreadPoolExecutor(20) as pool:
        list(pool.map(work, range(20)))

    acts = project.acts()
    assert [act.number for act in acts] == list(range(200))
    assert {act.client_id for act in acts} == {
        f"{person}-{at}" for person in range(20) for at in range(10)
    }


def test_one_of_twenty_gets_a_sample(project: Project) -> None:
    def work(person: int) -> bool:
        question = wanted(f"p{person}", 3, person + 4)
        return project.open_question(question, now=0.0) is not None

    with ThreadPoolExecutor(20) as pool:
        got = list(pool.map(work, range(20)))

    assert sum(got) == 1
    assert len(project.latest(0).questions) == 1


def test_a_question_that_two_answer_at_once_is_answered_once(project: Project) -> None:
    opened = project.open_question(wanted("ann", 3, 1), now=0.0)
    assert opened is not None

    def work(tab: int) -> bool:
        act = project.act(
            SAME, who="ann", now=0.0, client_id=f"tab {tab}", closes=opened.id
        )
        return act.is_repeat

    with ThreadPoolExecutor(8) as pool:
        repeats = list(pool.map(work, range(8)))

    assert sorted(repeats) == [False] + [True] * 7
    assert len(project.acts()) == 1


# People


LINK = Invite("reviewer", "digest of a token", "ann", made=1.0, expires=9.0)


def test_nobody_is_in_a_new_project(project: Project) -> None:
    assert project.team() == Team()


def test_an_invite_is_kept_as_it_was_made(reopen: Reopen, project: Project) -> None:
    kept = [
        project.invite(LINK),
        project.invite(replace(LINK, digest="x", uses=3, who="Zoë", role="owner")),
    ]

    assert reopen().project("leaves").team().invites == tuple(kept)
    assert replace(kept[0], id=0) == LINK
    assert kept[0].id != kept[1].id


def test_who_comes_in_by_an_invite_has_its_role(
    reopen: Reopen, project: Project
) -> None:
    link = project.invite(LINK)

    bob = project.join("Bob", LINK.digest, now=2.5)

    assert bob == Member("Bob", "reviewer", 2.5, link.id)
    again = reopen().project("leaves")
    assert again.team() == Team((bob,), (link,))


def test_an_invite_is_used_up(project: Project) -> None:
    project.invite(replace(LINK, uses=2))
    for name in ("bob", "eve"):
        project.join(name, LINK.digest, now=2.0)

    with pytest.raises(NotAllowedError, match="used up: ask ann for a new one"):
        project.join("zoe", LINK.digest, now=2.0)
    assert [one.name for one in project.team().members] == ["bob", "eve"]
    assert [one.uses for one in project.team().invites] == [0]


def test_an_invite_expires(project: Project) -> None:
    project.invite(LINK)
    project.join("bob", LINK.digest, now=8.9)

    with pytest.raises(NotAllowedError, match="expired: ask ann"):
        project.join("eve", LINK.digest, now=9.0)


def test_no_other_digest_lets_anybody_in(reopen: Reopen, project: Project) -> None:
    other = reopen().create("other", {}, now=0.0)
    other.invite(LINK)

    for digest in (LINK.digest, "", "digest of a toke"):
        with pytest.raises(NotAllowedError, match="no such link"):
            project.join("bob", digest, now=2.0)
    assert project.team() == Team()


@pytest.mark.parametrize("name", ["Bob", "bob", "Ｂｏｂ", " BOB "])
def test_a_name_is_one_members(project: Project, name: str) -> None:
    project.invite(replace(LINK, uses=2))
    project.join("Bob", LINK.digest, now=2.0)

    with pytest.raises(StaleError, match="choose another name"):
        project.join(name, LINK.digest, now=3.0)
    assert [one.uses for one in project.team().invites] == [1]


@pytest.mark.parametrize("name", ["", "a\x00b", "\ud800"])
def test_a_member_has_a_name_that_can_be_seen(project: Project, name: str) -> None:
    project.invite(LINK)

    with pytest.raises(InputError):
        project.join(name, LINK.digest, now=2.0)
    assert project.team().members == ()


def test_a_revoked_invite_removes_who_came_by_it(
    reopen: Reopen, project: Project
) -> None:
    link, other = project.invite(LINK), project.invite(replace(LINK, digest="x"))
    project.join("bob", LINK.digest, now=2.0)
    project.join("eve", "x", now=2.0)

    project.revoke(link.id, now=3.0)
    project.revoke(link.id, now=4.0)
    project.revoke(link.id + other.id, now=4.0)

    found = reopen().project("leaves").team()
    removed = {one.name: one.removed for one in found.members}
    assert removed == {"bob": 3.0, "eve": None}
    assert [one.revoked for one in found.invites] == [3.0, None]
    with pytest.raises(NotAllowedError, match="taken back: ask ann"):
        project.join("zoe", LINK.digest, now=5.0)


def test_a_member_is_changed_and_removed(reopen: Reopen, project: Project) -> None:
    bob = Member("Bob", "reader", 2.0)
    project.set_member(bob)
    changed = replace(bob, name="bob", role="owner", removed=7.0)
    project.set_member(changed)

    assert reopen().project("leaves").team().members == (changed,)


def test_an_invite_of_a_member_lets_them_in_again(project: Project) -> None:
    project.set_member(Member("Bob", "reader", 2.0, removed=3.0))
    project.set_member(Member("Eve", "owner", 2.0))
    for who in ("bob", "eve"):
        project.invite(replace(LINK, digest=who, who=who.title(), uses=1))

    bob = project.join("", "bob", now=5.0)
    eve = project.join("anything", "eve", now=5.0)

    assert (bob.name, bob.role, bob.joined, bob.removed) == (
        "Bob",
        "reviewer",
        5.0,
        None,
    )
    assert (eve.name, eve.role, eve.joined) == ("Eve", "owner", 2.0)
    assert {one.name for one in project.team().members} == {"Bob", "Eve"}
    with pytest.raises(NotAllowedError, match="used up"):
        project.join("", "bob", now=5.0)


def test_an_unknown_role_is_refused(project: Project) -> None:
    with pytest.raises(InputError, match="no role 'king'"):
        project.invite(replace(LINK, role="king"))
    with pytest.raises(InputError, match="no role 'king'"):
        project.set_member(Member("bob", "king", 0.0))


def test_of_many_who_join_at_once_no_more_come_in_than_may(project: Project) -> None:
    project.invite(replace(LINK, uses=3))

    def tried(number: int) -> str:
        try:
            return project.join(f"bob {number}", LINK.digest, now=2.0).name
        except NotAllowedError as error:
            return str(error)

    with ThreadPoolExecutor(8) as pool:
        said = list(pool.map(tried, range(8)))

    assert sum("used up" in words for words in said) == 5
    assert len(project.team().members) == 3
