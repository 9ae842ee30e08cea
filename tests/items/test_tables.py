"""Rows become items when somebody looks at them, and are known again by content."""

from __future__ import annotations

import csv
import hashlib
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise._arrays import as_samples, from_words
from likewise._regime import EXACT_SEARCH
from likewise.errors import AssumptionWarning, InputError
from likewise.items import (
    Gathered,
    Reading,
    gather,
    new_and_gone,
    read_table,
    traces_of,
)
from likewise.items._item import AT_ONCE, Lazy, RowItems, columns_shown
from likewise.items._separated import _LONG_CELLS, LONGEST_LINE


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

    assert [trace.key for trace in traces_of(items)] == ["1", "2"]


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


# Words


def test_each_kind_of_a_category_has_a_column(tmp_path: Path) -> None:
    words = [f"kind {at * 7 % 40}" for at in range(2000)]
    file = tmp_path / "t.csv"
    file.write_text(
        "\n".join(["size,word", *(f"1.{at},{w}" for at, w in enumerate(words))])
    )

    X = read_table(file, Reading(scale=False)).X

    kinds, codes = np.unique(np.array(words), return_inverse=True)
    np.testing.assert_array_equal(X[:, 1:], np.eye(len(kinds))[codes])


CATEGORIES = """
import resource, sys
from pathlib import Path
from likewise.items import Reading, gather
most = 1_500_000_000
resource.setrlimit(resource.RLIMIT_AS, (most, most))
print(gather(Path(sys.argv[1])).rows.shape)
"""


def test_a_column_of_many_kinds_takes_little_memory(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    rows = [f"word {at % 30_000},{at % 9}" for at in range(60_000)]
    file.write_text("\n".join(["word,size", *rows]))

    done = subprocess.run(
        [sys.executable, "-c", CATEGORIES, str(file)], capture_output=True, text=True
    )

    assert done.stdout == "(60000, 33)\n", done.stderr


def test_many_kinds_are_about_as_far_from_each_other_as_few() -> None:
    words = [f"kind {at}" for at in range(1500)] * 2

    with pytest.warns(AssumptionWarning, match="1,500 kinds"):
        X = from_words("word", words)

    assert X.shape == (3000, 64)
    np.testing.assert_array_equal(X[:1500], X[1500:])
    apart = np.linalg.norm(X[:1500, None][:200] - X[None, 200:1500], axis=2)
    assert 0.8 < apart.min() <= apart.max() < 1.9
    assert abs(apart.mean() - np.sqrt(2)) < 0.02


def test_the_signs_of_a_word_never_change() -> None:
    words = ["oak", *(f"kind {at}" for at in range(1200))]

    with pytest.warns(AssumptionWarning):
        signs = from_words("word", words)[0] * 8

    packed = np.packbits(signs > 0).tobytes()
    assert packed == hashlib.blake2b(b"oak", digest_size=8).digest()


def test_a_frame_with_many_kinds_takes_little_memory() -> None:
    frame = pd.DataFrame({"word": [f"kind {at % 2000}" for at in range(4000)]})

    with pytest.warns(AssumptionWarning, match="2,000 kinds"):
        assert as_samples(frame).shape == (4000, 64)


def test_a_column_that_tells_rows_apart_is_shown_but_not_compared(
    tmp_path: Path,
) -> None:
    file = tmp_path / "t.csv"
    rows = [f"name {at},{at % 9}" for at in range(200)]
    file.write_text("\n".join(["name,size", *rows]))

    with pytest.warns(AssumptionWarning, match="'name' left out: it names each row"):
        table = read_table(file, Reading(scale=False))

    assert table.X.tolist() == [[at % 9] for at in range(200)]
    assert table.shown[3] == {"name": "name 3", "size": "3"}


def test_a_long_word_is_not_padded_to(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    rows = [f"{'x' * 100_000 if at == 7 else 'y'},{at}" for at in range(20_000)]
    file.write_text("\n".join(["word,size", *rows]))

    done = subprocess.run(
        [sys.executable, "-c", CATEGORIES, str(file)], capture_output=True, text=True
    )

    assert done.stdout == "(20000, 3)\n", done.stderr


def test_words_that_do_not_fit_as_numbers_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LIKEWISE_MEMORY", "0.005")
    file = tmp_path / "t.csv"
    rows = [f"word {at % 500},{at}" for at in range(2_000)]
    file.write_text("\n".join(["word,size", *rows]))
    how = Reading(kinds=(("word", "category"),))

    with pytest.raises(InputError, match=r"leave column 'word', the widest, out"):
        read_table(file, how)


def test_a_long_cell_is_read_and_the_limit_of_others_stays(tmp_path: Path) -> None:
    limit = csv.field_size_limit()
    file = tmp_path / "long.csv"
    file.write_text(f'name,said\noak,"{"a" * (limit + 1)}"\nelm,short\n')

    pile = read_table(file)

    assert len(pile.shown[0]["said"]) == limit + 1
    assert csv.field_size_limit() == limit


def test_the_limit_of_cells_is_put_back_by_whoever_reads_last() -> None:
    limit = csv.field_size_limit()

    with _LONG_CELLS:
        with _LONG_CELLS:
            assert csv.field_size_limit() >= LONGEST_LINE
        assert csv.field_size_limit() >= LONGEST_LINE

    assert csv.field_size_limit() == limit


def test_of_duplicates_nothing_is_said_about_numbers_or_dates(tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    places = [f"{1000 + at}" for at in range(49)]
    rows = [f"p-{at},Ann {at},{place}" for at, place in enumerate([*places, "none?"])]
    file.write_text("\n".join(["person_id,name,postcode", *rows]))
    kinds = (("name", "text"),)

    with pytest.warns(AssumptionWarning, match="no numbers"):
        similar = read_table(file, Reading(kinds=kinds))
    with pytest.warns(AssumptionWarning, match="left out"):
        same = read_table(file, Reading(kinds=kinds, seek="duplicates"))

    assert any("no numbers" in clause for clause in similar.noticed)
    assert same.noticed == ("'person_id' left out: it names each row",)
