"""Every ugly table opens, and its columns are known for what they are."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
from tests.items.drawer import DRAWER, Ugly

from likewise import Session
from likewise.errors import AssumptionWarning, InputError
from likewise.items import Preview, Reading, Table, gather, preview_table, read_table


def opened(path: Path, how: Reading | None = None) -> tuple[Table, str]:
    """Return a table, and all that was said about it."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        table = read_table(path, how)
    assert all(one.category is AssumptionWarning for one in said)
    assert len(said) <= 1
    return table, str(said[0].message) if said else ""


@pytest.mark.parametrize("ugly", DRAWER.values(), ids=DRAWER)
def test_every_table_of_the_drawer_opens(ugly: Ugly, tmp_path: Path) -> None:
    table, said = opened(ugly.write(tmp_path))

    assert table.how is not None
    assert dict(table.how.kinds) == ugly.kinds
    assert all(words in said for words in ugly.noticed), said
    assert np.isfinite(table.X).all()
    assert list(table.shown[0]) == list(ugly.kinds)
    question = Session(table.X).ask()
    assert question is not None
    assert table.shown[question.sample] != table.shown[question.against]


@pytest.mark.parametrize("ugly", DRAWER.values(), ids=DRAWER)
def test_what_is_shown_before_is_what_is_read(ugly: Ugly, tmp_path: Path) -> None:
    path = ugly.write(tmp_path)

    before: Preview = preview_table(path)
    table, _ = opened(path)

    assert table.how is not None
    assert before.how.kinds == table.how.kinds
    assert before.how.weights == table.how.weights
    assert before.noticed == table.noticed
    assert before.rows[0] == tuple(table.shown[0].values())
    assert before.is_whole


@pytest.mark.parametrize("ugly", DRAWER.values(), ids=DRAWER)
def test_no_column_drowns_the_others(ugly: Ugly, tmp_path: Path) -> None:
    """Whatever it holds, it adds as much to the distances as any other."""
    path = ugly.write(tmp_path)
    (full, _), total = opened(path), 0.0
    assert full.how is not None
    counted = [name for name, weight in full.how.weights if weight > 0]
    for name in counted:
        alone = tuple((n, w if n == name else 0.0) for n, w in full.how.weights)
        one, _ = opened(path, Reading(kinds=full.how.kinds, weights=alone))
        assert one.X.var(axis=0).sum() == pytest.approx(1, abs=1e-6)
        total += 1

    assert full.X.var(axis=0).sum() == pytest.approx(total, abs=1e-5)


@pytest.mark.parametrize("name", ["people", "dates of all sorts"])
def test_fields_of_records_are_compared_one_by_one(name: str, tmp_path: Path) -> None:
    ugly = DRAWER[name]
    table, _ = opened(ugly.write(tmp_path), Reading(seek="duplicates"))

    assert table.how is not None
    n_counted = sum(weight > 0 for _, weight in table.how.weights)
    assert table.X.shape[1] % n_counted == 0
    lengths = np.linalg.norm(table.X.reshape(len(table.X), n_counted, -1), axis=2)
    assert set(np.round(lengths, 5).ravel()) <= {0.0, 1.0}


def test_people_look_like_records_and_trees_do_not(tmp_path: Path) -> None:
    people, trees = (DRAWER[name].write(tmp_path) for name in ("people", "bars"))

    assert preview_table(people).how.seek == "duplicates"
    assert preview_table(people).how.title == "name"
    assert preview_table(trees).how.seek == "groups"


def test_a_database_of_several_tables_names_them(tmp_path: Path) -> None:
    path = DRAWER["a table of a database"].write(tmp_path)

    with pytest.raises(
        InputError, match=r"2 tables: name one .* It has: trees, shrubs"
    ):
        read_table(tmp_path / "some.db")
    with pytest.raises(
        InputError, match=r"no table 'bushes' in some.db. It has: trees"
    ):
        read_table(tmp_path / "some.db::bushes")
    assert len(gather(path).items) == 24


def test_a_sheet_that_is_not_there_is_named(tmp_path: Path) -> None:
    DRAWER["another sheet"].write(tmp_path)

    with pytest.raises(InputError, match=r"no sheet 'X' in sheets.xlsx. It has: Notes"):
        read_table(tmp_path / "sheets.xlsx::X")


def test_a_choice_is_kept_to(tmp_path: Path) -> None:
    path = DRAWER["bars"].write(tmp_path)
    kinds = (("count", "category"),)
    how = Reading(kinds=kinds, weights=(("height", 0.0), ("count", 4.0)), title="tree")

    table, _ = opened(path, how)

    assert table.how is not None
    assert dict(table.how.kinds)["count"] == "category"
    assert dict(table.how.weights) == {"tree": 1.0, "height": 0.0, "count": 4.0}
    assert table.X.var(axis=0).sum() == pytest.approx(5)


@pytest.mark.parametrize(
    ("how", "words"),
    [
        (
            {"kinds": (("a", "colour"),)},
            "cannot be of the kind 'colour'. Choose one of",
        ),
        ({"weights": (("a", -1.0),)}, "is a number from 0 to 1,000"),
        ({"weights": (("a", float("nan")),)}, "is a number from 0"),
        ({"seek": "gold"}, "groups or duplicates, not for 'gold'"),
    ],
)
def test_a_choice_that_cannot_be_is_one_sentence(how: dict, words: str) -> None:  # type: ignore[type-arg]
    with pytest.raises(InputError, match=words):
        Reading(**how)


def test_columns_that_are_not_there_are_named(tmp_path: Path) -> None:
    path = DRAWER["bars"].write(tmp_path)

    for how in (
        Reading(title="x"),
        Reading(kinds=(("x", "text"),)),
        Reading(ignore=("x",)),
    ):
        with pytest.raises(
            InputError, match=r"no column 'x'. The columns are: tree, h"
        ):
            read_table(path, how)
    nothing = tuple((name, 0.0) for name in ("tree", "height", "count"))
    with pytest.raises(InputError, match="let at least one count"):
        read_table(path, Reading(weights=nothing))
