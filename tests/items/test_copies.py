"""What is there more than once is one item, with the keys of its copies."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageEnhance
from tests.generated import noise, packed
from tests.items.drawer_folders import photo

from likewise.encoders import encoder_for
from likewise.items import (
    LOOK,
    Alike,
    Gathered,
    Item,
    VectorCache,
    alike,
    each_apart,
    encode,
    fold_files,
    folded,
    gather,
    lookalikes,
    new_and_gone,
    traces_of,
)
from likewise.items._copies import look_of
from likewise.items._item import RowItems, columns_shown

piles = st.dictionaries(st.sampled_from("abcdefgh"), st.sampled_from("1234"))


def keys(found: Gathered) -> dict[str, tuple[str, ...]]:
    return {item.key: item.copies for item in found.items}


def pile(content: dict[str, str]) -> Gathered:
    items = [Item(key, "image", digest) for key, digest in sorted(content.items())]
    return folded(Gathered(Path(), "image", items)).gathered


@given(st.lists(st.integers(0, 4)))
def test_the_first_of_each_stays_and_every_other_is_its_copy(marks: list[int]) -> None:
    firsts, copies = alike(marks)

    assert [marks[at] for at in firsts] == list(dict.fromkeys(marks))
    assert sorted([*firsts, *(at for some in copies.values() for at in some)]) == list(
        range(len(marks))
    )
    assert all(marks[at] == marks[first] for first in copies for at in copies[first])


def test_nothing_is_alike_in_nothing() -> None:
    assert alike([]) == Alike([], {})


def test_pictures_of_the_same_bytes_are_one(tmp_path: Path) -> None:
    for name, seed in (("2.png", 1), ("10.png", 1), ("a/2.png", 1), ("3.png", 2)):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(packed(noise(seed=seed)))

    found, places = fold_files(gather(tmp_path))

    assert keys(found) == {"2.png": ("10.png", "a/2.png"), "3.png": ()}
    assert list(places) == [0, 1]


def test_texts_of_the_same_words_are_one(tmp_path: Path) -> None:
    for name, text in (("1", "an oak"), ("2", "  an oak\n"), ("3", "an Oak")):
        (tmp_path / f"{name}.txt").write_text(text)

    found = fold_files(gather(tmp_path)).gathered

    assert keys(found) == {"1.txt": ("2.txt",), "3.txt": ()}


def test_lines_of_the_same_words_are_one(tmp_path: Path) -> None:
    (tmp_path / "lines.txt").write_text("oak\nelm\n oak \nfir\nelm\noak\n")

    found, places = fold_files(gather(tmp_path / "lines.txt"))

    assert keys(found) == {"1": ("3", "6"), "2": ("5",), "4": ()}
    assert [item.shown["text"] for item in found.items] == ["oak", "elm", "fir"]
    assert [trace.copies for trace in traces_of(found.items)] == list(
        keys(found).values()
    )
    assert found.items[1:][0].key == "2"
    assert list(places) == [0, 1, 3]


def test_rows_of_a_table_are_one_where_that_is_asked_for() -> None:
    shown = columns_shown({"name": ["oak", "elm", "oak"]})
    items = RowItems("row", shown, [b"oak", b"elm", b"oak"])
    found = Gathered(Path(), "row", items, rows=np.array([[1.0], [2.0], [1.0]]))

    once = folded(found).gathered

    assert len(fold_files(found).gathered.items) == 3
    assert keys(once) == {"1": ("3",), "2": ()}
    np.testing.assert_array_equal(once.rows, [[1.0], [2.0]])


def test_apart_is_as_it_was_found(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / f"{name}.txt").write_text("an oak")

    found = each_apart(gather(tmp_path))

    assert keys(found.gathered) == {"a.txt": (), "b.txt": ()}
    assert list(found.places) == [0, 1]


# When it is looked at again


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        ({"a": "1", "b": "1", "c": "1"}, {"a": ("b", "c")}),
        ({"a": "1"}, {"a": ()}),
        ({"b": "1", "c": "2"}, {"b": ()}),
        ({"b": "1", "c": "1"}, {"b": ("c",)}),
        ({"A": "1", "a": "1", "b": "1"}, {"a": ("A", "b")}),
        ({"a": "1", "b": "2"}, {"a": ()}),
        ({"a": "2", "b": "1"}, {"b": ()}),
    ],
)
def test_copies_come_and_go(
    now: dict[str, str], expected: dict[str, tuple[str, ...]]
) -> None:
    before = pile({"a": "1", "b": "1"})

    changes = new_and_gone(before.items, pile(now))

    assert not changes.gone
    assert changes.copies == expected


def test_a_picture_whose_file_is_gone_goes_by_a_copy() -> None:
    before = pile({"a": "1", "b": "1", "c": "1"})

    changes = new_and_gone(before.items, pile({"b": "1", "c": "1"}))

    assert [(old.key, now.key) for old, now in changes.moved] == [("a", "b")]
    assert changes.copies == {"b": ("c",)}
    assert not changes.new


@given(piles, piles)
def test_every_file_is_accounted_for_once(
    before: dict[str, str], now: dict[str, str]
) -> None:
    known = pile(before)
    changes = new_and_gone(known.items, pile(now))
    gone = {item.key for item in changes.gone}
    moved = {old.key: item.key for old, item in changes.moved}
    kept = {moved.get(i.key, i.key): i for i in known.items if i.key not in gone}
    files = [
        key
        for name, item in kept.items()
        for key in (name, *changes.copies.get(name, item.copies))
    ]
    files += [key for item in changes.new for key in (item.key, *item.copies)]

    assert sorted(files) == sorted(now)
    assert all(now[name] == item.digest for name, item in kept.items())
    assert gone == {i.key for i in known.items if i.digest not in now.values()}


# Pictures that look the same


def saved_again(picture: Image.Image) -> dict[str, Image.Image]:
    """Return copies of a picture as programs make them."""
    width, height = picture.size
    packed_more = Image.open(io.BytesIO(packed(picture, "JPEG", quality=30)))
    return {
        "packed more": packed_more.convert("RGB"),
        "smaller": picture.resize((width // 2, height // 2)),
        "brighter": ImageEnhance.Brightness(picture).enhance(1.15),
        "duller": ImageEnhance.Contrast(picture).enhance(0.85),
    }


@pytest.mark.parametrize("seed", range(5))
def test_what_was_saved_again_looks_the_same(seed: int) -> None:
    picture = photo(seed, (480, 320))
    copies = saved_again(picture)

    found = lookalikes(np.array([look_of(one) for one in (picture, *copies.values())]))

    assert found == [(at, 0) for at in range(1, 5)]


def test_other_pictures_do_not_look_the_same() -> None:
    looks = [look_of(photo(seed, (120, 80))) for seed in range(150)]

    assert lookalikes(np.array(looks)) == []


def test_the_same_shapes_in_other_colours_are_other_pictures() -> None:
    red, blue = photo(1), Image.merge("RGB", photo(1).split()[::-1])

    assert lookalikes(np.array([look_of(red), look_of(blue)])) == []


def test_pictures_without_anything_to_see_are_not_compared() -> None:
    colours = ("red", "red", "white", "white")
    looks = [look_of(Image.new("RGB", (30, 20), colour)) for colour in colours]

    assert lookalikes(np.array(looks)) == []
    assert lookalikes(np.zeros((0, LOOK), dtype=np.uint8)) == []


def test_looks_are_made_while_pictures_are_open_and_survive_a_stop(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "pile"
    folder.mkdir()
    for at in range(3):
        (folder / f"{at}.png").write_bytes(packed(photo(at)))
    cache = VectorCache(tmp_path / "cache")

    first = encode(folder, lambda kind: encoder_for(kind, "hog+colour"), cache=cache)
    again = encode(folder, lambda kind: encoder_for(kind, "hog+colour"), cache=cache)

    assert len(first.looks) == 3
    for digest, look in first.looks.items():
        np.testing.assert_array_equal(again.looks[digest], look)
