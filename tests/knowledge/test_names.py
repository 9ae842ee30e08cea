"""Names: checked once, composed, trimmed, and shown whatever was kept before."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Set

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import pairs

from likewise.errors import InputError
from likewise.knowledge import (
    GroupNames,
    Renamed,
    Together,
    checked_name,
    checked_text,
    decode,
    readable,
    standing,
    valid_text,
)

ANY = st.text(st.characters(exclude_categories=[]))


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("oak", "oak"),
        (" oak\n", "oak"),
        ("\u3000oak\xa0", "oak"),
        ("e\u0301tude", "\xe9tude"),
        ("\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",) * 2,  # Persian
        ("\u0915\u094d\u200d\u0937",) * 2,  # Hindi
        ("\u0d05\u0d35\u0d28\u0d4d\u200d",) * 2,  # Malayalam, at the end of a word
        ("\U0001f469\u200d\U0001f467",) * 2,  # a family
        ("\u2764\ufe0f",) * 2,
        ("\u0601\u0661",) * 2,  # a year in Arabic
        ("x" * 200,) * 2,
        (" " + "x" * 200 + " ", "x" * 200),
    ],
)
def test_a_name_is_kept_composed_and_trimmed(name: str, kept: str) -> None:
    assert checked_name(name) == kept


@pytest.mark.parametrize(
    "name",
    [
        "\ud800", "a\udfff", "a\x00b", "\x1b[2J", "a\nb", "a\tb", "a\x7f", "a\x9b",
        "a\xad", "\u200eann", "a\u202eb", "a\u2066b", "a\u200bb", "\ufeffa", "a\u2028b",
        "\u200da",
        "a\u200c", "a\u200d b", "a\u200d\u200db", "\ufdd0", "a\U0010ffff", "\U000e0041",
        "",
        "  ", "\u3164", "\u2800 \u2800", "x" * 201, 3, None, b"oak", ["oak"],
    ],
)  # fmt: skip
def test_a_name_that_cannot_be_is_refused_in_one_sentence(name: object) -> None:
    with pytest.raises(InputError) as caught:
        checked_name(name)

    words = str(caught.value)
    assert words.endswith(".")
    assert words.isprintable()


def test_an_empty_name_may_take_one_away() -> None:
    assert checked_name(" ", may_be_empty=True) == ""
    with pytest.raises(InputError):
        checked_name("\u3164", may_be_empty=True)


@given(ANY)
def test_a_name_that_is_taken_can_be_written_anywhere_and_stays(name: str) -> None:
    try:
        kept = checked_name(name)
    except InputError:
        return
    assert kept.encode().decode() == kept == checked_name(kept) == readable(kept)
    assert unicodedata.is_normalized("NFC", kept)
    assert 0 < len(kept) <= 200
    assert not any(unicodedata.category(sign) in ("Cc", "Cs") for sign in kept)


@given(ANY)
def test_whatever_was_kept_can_be_shown(name: str) -> None:
    shown = readable(name)

    assert shown.encode().decode() == shown
    assert len(shown) == len(name)
    assert "\x1b" not in shown
    assert "\u202e" not in shown


@given(ANY)
def test_what_is_no_unicode_is_replaced_and_nothing_else(text: str) -> None:
    pairs = list(zip(text, valid_text(text), strict=True))

    assert all(a == b or (b == "\ufffd" and not is_unicode(a)) for a, b in pairs)
    assert is_unicode(valid_text(text))


def is_unicode(text: str) -> bool:
    return not any("\ud800" <= sign <= "\udfff" for sign in text)


def test_a_journal_with_names_of_before_is_read() -> None:
    kept = ['{"renamed": 3, "name": "\\ud800"}', '{"renamed": 4, "name": "a\\u001bb"}']
    events = [decode(json.loads(line)) for line in kept]

    assert standing(events).names == {3: "\ufffd", 4: "a\ufffdb"}
    together = decode({"together": [json.loads(line) for line in kept]})
    assert together == Together((Renamed(3, "\ufffd"), Renamed(4, "a\ufffdb")))


@pytest.mark.parametrize("text", ["", "a\x00", "\ud800", 3, None])
def test_a_text_that_no_database_holds_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        checked_text(text)


# Groups that grow together


def test_of_two_groups_that_become_one_the_larger_ones_name_counts() -> None:
    names = GroupNames().linked([(0, 1), (1, 2), (5, 6)])
    names.rename(0, "oak")
    names.rename(5, "elm")

    assert list(names.linked([(2, 6)]).given.values()) == ["elm", "oak"]


def test_of_two_that_are_as_large_the_later_name_counts() -> None:
    names = GroupNames().linked([(5, 6), (0, 1)])
    names.rename(6, "elm")
    names.rename(0, "oak")

    assert list(names.linked([(1, 5)]).given.values()) == ["elm", "oak"]


def test_a_group_without_a_name_takes_that_of_the_other() -> None:
    names = GroupNames().linked([(0, 1), (1, 2), (5, 6)])
    names.rename(5, "elm")
    names.rename(0, "oak")
    names.rename(0, "")

    assert list(names.linked([(2, 6)]).given.values()) == ["", "elm"]


def test_who_names_the_group_of_both_afterwards_is_heard() -> None:
    names = GroupNames().linked([(0, 1), (1, 2), (5, 6)])
    names.rename(0, "oak")
    names.linked([(2, 6)]).rename(5, "elm")

    assert list(names.given.values()) == ["oak", "elm"]


@given(st.permutations(range(8)), st.lists(pairs(8)))
def test_whichever_groups_are_joined_the_larger_one_is_not_renamed(
    order: list[int], links: list[tuple[int, int]]
) -> None:
    names = GroupNames()
    for sample in order:
        names.rename(sample, str(sample))
    home = {sample: frozenset([sample]) for sample in order}

    def called(group: Set[int]) -> str:
        return [name for sample, name in names.given.items() if sample in group][-1]

    for link in links:
        small, large = sorted((home[sample] for sample in link), key=len)
        before = {called(large)} | (
            {called(small)} if len(small) == len(large) else set()
        )
        names.linked([link])
        home.update(dict.fromkeys(small | large, small | large))
        assert called(small | large) in before
        assert set(names.given.values()) == set(map(str, order))
