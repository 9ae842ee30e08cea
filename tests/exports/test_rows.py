"""Rows: what is known of each item."""

from __future__ import annotations

import numpy as np
from tests.exports.piles import KEYS, acting, answered, project_of, session_of

from likewise import Session
from likewise.exports import Row, confirmed_only, rows_of
from likewise.exports._rows import items_of
from likewise.storage import Project


def rows(project: Project) -> list[Row]:
    return list(rows_of(session_of(project), items_of(project)))


def test_rows_come_in_the_order_of_the_items() -> None:
    found = rows(project_of())

    assert [row.item for row in found] == list(range(12))
    assert [row.key for row in found] == list(KEYS)


def test_each_copy_has_a_row_of_its_own() -> None:
    project = answered(lambda s: s.tell_pair(0, 6, "different"))
    project.note_copies({KEYS[2]: ("x.png", "y.png")})

    found = rows(project)

    alike = [row for row in found if row.item == 2]
    assert [row.key for row in alike] == [KEYS[2], "x.png", "y.png"]
    assert {(row.group, row.status, row.probability) for row in alike} == {
        (found[2].group, found[2].status, found[2].probability)
    }
    assert len(found) == len(KEYS) + 2


def test_groups_are_numbered_from_one_as_the_labels_are_from_zero() -> None:
    project = answered(lambda s: s.tell_pair(0, 6, "different"))

    groups = [row.group for row in rows(project)]

    np.testing.assert_array_equal(groups, session_of(project).labels + 1)


def test_a_name_stands_beside_every_item_of_its_group() -> None:
    project = answered(
        lambda s: s.tell_pair(0, 6, "different"), lambda s: s.rename(6, "oak")
    )

    found = rows(project)

    mine = {row.group for row in found if row.name == "oak"}
    assert mine == {found[6].group}
    assert all(row.name == "oak" for row in found if row.group in mine)


def test_an_item_set_aside_has_no_group_and_no_probability() -> None:
    project = answered(lambda s: s.set_aside(4))

    row = rows(project)[4]

    assert (row.group, row.name, row.status, row.probability) == (
        None,
        "",
        "aside",
        None,
    )


def test_each_item_has_its_status() -> None:
    project = answered(
        lambda s: s.tell_pair(0, 1, "same"),
        lambda s: s.tell_pair(2, 0, "unsure"),
        lambda s: s.set_aside(3),
    )

    found = [row.status for row in rows(project)]

    assert found[:5] == ["confirmed", "confirmed", "deferred", "aside", "guessed"]


def test_probabilities_are_probabilities() -> None:
    found = [row.probability for row in rows(project_of())]

    assert all(sure is not None and 0 <= sure <= 1 for sure in found)


def test_rows_stay_as_they_were_when_the_session_goes_on() -> None:
    project = project_of()
    session = acting(project)
    before = rows_of(session, items_of(project))
    session.tell_pair(0, 1, "same")

    assert all(row.status == "guessed" for row in before)


def test_items_that_came_after_the_session_are_left_out() -> None:
    project = project_of()
    session = session_of(project)
    project.add_items([*project_of(["new.png"], [[1.0]]).items()])

    assert len(list(rows_of(session, items_of(project)))) == 12


def test_samples_without_items_are_called_by_their_numbers() -> None:
    project = project_of(())

    assert [row.key for row in rows(project)][:3] == ["0", "1", "2"]


def test_only_what_is_confirmed_can_be_chosen() -> None:
    project = answered(lambda s: s.tell_pair(0, 1, "same"))

    chosen = confirmed_only(rows(project))

    assert [row.item for row in chosen] == [0, 1]


def test_the_session_of_a_project_has_the_settings_it_was_begun_with() -> None:
    project = project_of(n_clusters=3, method="urasc+n", random_state=7)

    session = session_of(project)

    expected = Session(
        np.asarray(project.array("features")), "urasc+n", 3, random_state=7
    )
    np.testing.assert_array_equal(session.labels, expected.labels)
