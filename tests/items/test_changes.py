"""A pile that changed since it was gathered is compared by content."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from likewise.items import Gathered, Item, new_and_gone

piles = st.dictionaries(st.sampled_from("abcdef"), st.sampled_from("123"), min_size=1)


def items(pile: dict[str, str]) -> tuple[Item, ...]:
    return tuple(Item(key, "image", digest, {}) for key, digest in pile.items())


def compared(before: dict[str, str], now: dict[str, str]) -> tuple[list[str], ...]:
    found = Gathered(Path(), "image", items(now))
    new, gone, moved, _ = new_and_gone(items(before), found)
    pairs = [f"{old.key}>{item.key}" for old, item in moved]
    return [item.key for item in new], [old.key for old in gone], pairs


def test_what_is_the_same_is_in_no_list() -> None:
    assert compared({"a": "1", "b": "1"}, {"b": "1", "a": "1"}) == ([], [], [])


def test_a_renamed_file_is_recognised() -> None:
    before, now = {"a": "1", "b": "2"}, {"c": "1", "b": "2", "d": "3"}

    assert compared(before, now) == (["d"], [], ["a>c"])


def test_a_copy_is_new() -> None:
    assert compared({"a": "1"}, {"a": "1", "b": "1"}) == (["b"], [], [])


def test_files_that_swapped_names_have_moved() -> None:
    before, now = {"a": "1", "b": "2"}, {"a": "2", "b": "1"}

    assert compared(before, now) == ([], [], ["b>a", "a>b"])


def test_a_changed_file_is_gone_and_new() -> None:
    assert compared({"a": "1"}, {"a": "2"}) == (["a"], ["a"], [])


@given(piles, piles)
def test_everything_is_accounted_for_once(
    before: dict[str, str], now: dict[str, str]
) -> None:
    new, gone, moved = compared(before, now)
    same = [key for key in before if now.get(key) == before[key]]
    old = [pair.split(">")[0] for pair in moved]
    fresh = [pair.split(">")[1] for pair in moved]

    assert sorted([*same, *gone, *old]) == sorted(before)
    assert sorted([*same, *new, *fresh]) == sorted(now)
    assert all(before[pair[0]] == now[pair[2]] for pair in moved)
