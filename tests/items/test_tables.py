"""Rows become items when somebody looks at them, and are known again by content."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise._regime import EXACT_SEARCH
from likewise.items import (
    Gathered,
    Reading,
    gather,
    new_and_gone,
    read_table,
    traces_of,
)
from likewise.items._item import AT_ONCE, Lazy, RowItems, columns_shown


def squares(n: int) -> Lazy[int]:
    return Lazy(n, lambda start, stop: (at * at for at in range(start, stop)))


@given(st.integers(0, 9), st.data())
def test_a_lazy_sequence_is_like_a_tuple(n: int, data: st.DataObject) -> None:
    expected, found = tuple(at * at for at in range(n)), squares(n)
    some = data.draw(st.slices(n))

    assert len(found) == n
    assert tuple(found) == expected
    assert tuple(found[some]) == expected[some]
    assert [found[at] for at in range(-n, n)] == [expected[at] for at in range(-n, n)]


def test_a_lazy_sequence_ends() -> None:
    with pytest.raises(IndexError):
        squares(3)[3]


def test_many_entries_are_made_a_block_at_a_time() -> None:
    made: list[tuple[int, int]] = []

    def block(start: int, stop: int) -> range:
        made.append((start, stop))
        return range(start, stop)

    entries = iter(Lazy(3 * AT_ONCE, block))
    next(entries)

    assert made == [(0, AT_ONCE)]
    assert list(entries) == list(range(1, 3 * AT_ONCE))


def test_what_a_row_shows_is_not_made_to_tell_it_from_others() -> None:
    shown: Lazy[dict[str, str]] = Lazy(2, lambda *_: pytest.fail("it was made"))
    items = RowItems("row", shown, [b"a", b"b"])

    assert [key for key, _ in traces_of(items)] == ["1", "2"]


def test_only_new_rows_are_made_into_items() -> None:
    names = [str(at) for at in range(6)]
    shown = columns_shown({"name": names})
    old = RowItems("row", shown[:4], map(str.encode, names[:4]))
    now = RowItems("row", shown, map(str.encode, names))

    changes = new_and_gone(list(old), Gathered(Path(), "row", now))

    assert [dict(item.shown) for item in changes.new] == [{"name": "4"}, {"name": "5"}]
    assert not changes.gone
    assert not changes.moved


# What earlier projects know rows by


@pytest.mark.parametrize("n", [3, EXACT_SEARCH + 1])
def test_a_row_of_an_array_is_known_by_its_numbers_in_double_precision(
    tmp_path: Path, n: int
) -> None:
    X = np.random.default_rng(0).normal(size=(n, 2)).astype(np.float32)
    np.save(tmp_path / "X.npy", X)

    items = gather(tmp_path / "X.npy").items

    for at in (0, n - 1):
        content = X[at].astype(np.float64).tobytes()
        assert items[at].key == str(at + 1)
        assert items[at].digest == hashlib.sha256(content).hexdigest()


def test_a_row_of_a_table_is_known_by_its_words(tmp_path: Path) -> None:
    file = tmp_path / "trees.csv"
    file.write_text('name,size\n"oak, old",3\nelm,4\n')

    items = gather(file).items

    shown = {"name": "oak, old", "size": "3"}
    assert items[0].shown == shown
    assert items[0].digest == hashlib.sha256(json.dumps(shown).encode()).hexdigest()


def test_the_features_of_many_rows_are_not_written_down_twice(tmp_path: Path) -> None:
    for n in (EXACT_SEARCH, EXACT_SEARCH + 1):
        np.save(tmp_path / f"{n}.npy", np.ones((n, 1), dtype=np.float32))

    few, many = (
        gather(tmp_path / f"{n}.npy").items[0] for n in (EXACT_SEARCH, EXACT_SEARCH + 1)
    )

    assert few.shown == {"feature 0": "1"}
    assert many.shown == {}


def test_how_far_a_table_is_read_is_told(tmp_path: Path) -> None:
    file, told = tmp_path / "long.csv", []
    file.write_text("x,y\n" + "1.5,2.5\n" * 25_000)

    pile = read_table(file, Reading(), lambda done, total: told.append((done, total)))

    assert len(pile.shown) == 25_000
    assert [done for done, _ in told] == [10_000, 20_000, 25_000]
    assert all(abs(total - 25_000) < 100 for _, total in told)


def test_how_far_a_folder_is_looked_through_is_told(tmp_path: Path) -> None:
    for at in range(150):
        (tmp_path / f"{at}.txt").write_text(f"text {at}")
    told: list[tuple[int, int]] = []

    gather(tmp_path, watch=lambda done, total: told.append((done, total)))

    assert told == [(done, 150) for done in range(0, 150, 10)]


def test_numbers_and_words_of_a_column_are_told_apart_as_ever(tmp_path: Path) -> None:
    file = tmp_path / "mixed.csv"
    file.write_text("x,kind\n 1.5 ,a\n2e3,b\n-0,a\n")

    X = read_table(file, Reading(scale=False)).X

    np.testing.assert_array_equal(X, [[1.5, 1, 0], [2000, 0, 1], [0, 1, 0]])
