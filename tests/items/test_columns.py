"""What a column holds is told from its strings alone, whatever they are."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from likewise.items._blocks import Making, block_of, drawn_in
from likewise.items._columns import (
    KINDS,
    dates_of,
    guess,
    looks_like_records,
    numbers_of,
    title_of,
    yes_or_no,
)

N = 30
PROSE = "the cat sat on the mat and looked at a bird that sang in the old tree"
WORDS = PROSE.split()
ANY_CELL = st.one_of(
    st.text(max_size=30),
    st.sampled_from(
        ["", "NA", "1", "1,5", "1.234,5", "12 %", "€ 3", "-", "1e400", "inf"]
    ),
    st.sampled_from(
        ["2024-02-30", "31.12.99", "1/2/3", "May 2020", "²", "٣", "\ud800"]
    ),
    st.floats().map(str),
    st.datetimes().map(str),
)


COLUMNS: dict[str, tuple[str, list[str], str]] = {
    "row numbers": ("", [str(at + 1) for at in range(N)], "identifier"),
    "keys": ("customer_id", [str(at * 7919 % 10_007) for at in range(N)], "identifier"),
    "codes": ("order", [f"A-{at * 37:05d}" for at in range(N)], "identifier"),
    "digests": (
        "mark",
        [f"{at * 2**120 + 2**127:032x}" for at in range(N)],
        "identifier",
    ),
    "numbers": ("x", [f"{at * 0.37:.2f}" for at in range(N)], "number"),
    "a number once in a while": (
        "x",
        [*map(str, range(3, N)), "", "n/a", "?"],
        "number",
    ),
    "thousands": ("x", [f"{at * 1234567:,}" for at in range(N)], "number"),
    "spaces for thousands": (
        "x",
        [f"{at * 12345:,}".replace(",", " ") for at in range(N)],
        "number",
    ),
    "Swiss": (
        "x",
        [f"CHF {at * 12345:,}.50".replace(",", "'") for at in range(N)],
        "number",
    ),
    "in the red": (
        "x",
        [f"({at}.50)" if at % 2 else f"{at}-" for at in range(N)],
        "number",
    ),
    "numbers side by side": ("x", [f"{at} {at + 9}" for at in range(N)], "identifier"),
    "a minus apart": ("x", [f"- {at}.5 €" for at in range(N)], "number"),
    "percent": ("x", [f"{at} %" for at in range(N)], "number"),
    "exponents": ("x", [f"{at}e-3" for at in range(N)], "number"),
    "a few kinds": ("x", ["red", "Blue", "green"] * 10, "category"),
    "zip codes": ("zip", [f"0{1000 + at % 5}" for at in range(N)], "category"),
    "zip codes, each once": (
        "zip",
        [f"{at * 97:05d}" for at in range(N)],
        "identifier",
    ),
    "ISO": ("x", [f"2024-01-{at + 1:02d}" for at in range(N)], "date"),
    "ISO with times": (
        "x",
        [f"2024-01-{at + 1:02d}T10:{at:02d}:00Z" for at in range(N)],
        "date",
    ),
    "compact": ("x", [f"202401{at + 1:02d}" for at in range(N)], "date"),
    "with points": ("x", [f"{at + 1}.1.24" for at in range(N)], "date"),
    "American": ("x", [f"1/{at + 1}/2024 3:15 PM" for at in range(N)], "date"),
    "British": ("x", [f"{at + 1}/1/2024" for at in range(N)], "date"),
    "month names": ("x", [f"{at + 1} March 2024" for at in range(N)], "date"),
    "German months": ("x", [f"{at + 1}. Dez 2024" for at in range(N)], "date"),
    "years": ("Baujahr", [str(1950 + at) for at in range(N)], "date"),
    "sizes of four digits": ("size", [str(1950 + at * 3) for at in range(N)], "number"),
    "names": ("name", [f"{a} {b}" for a in WORDS[:6] for b in WORDS[5:10]], "text"),
    "addresses": (
        "x",
        [f"{at} {WORDS[at % 9]} {WORDS[at % 7]}" for at in range(N)],
        "text",
    ),
    "prose": ("x", [" ".join(WORDS[at % 5 :]) for at in range(N)], "long text"),
    "yes": ("x", ["yes", "No"] * 15, "yes/no"),
    "ones": ("x", ["0", "1", "1"] * 10, "yes/no"),
    "oui": ("x", ["oui", "non", ""] * 10, "yes/no"),
    "nothing": ("x", [""] * N, "nothing"),
    "always the same": ("x", ["x"] * N, "nothing"),
    "not available": ("x", ["NA", "n/a", "-"] * 10, "nothing"),
    "pictures": ("x", [f"p/{at}.JPG" for at in range(N)], "picture"),
    "pictures elsewhere": ("x", [f"q/{at}.jpg" for at in range(N)], "identifier"),
}


@pytest.mark.parametrize(("name", "values", "kind"), COLUMNS.values(), ids=COLUMNS)
def test_what_a_column_holds(name: str, values: list[str], kind: str) -> None:
    at = 0 if name == "" else 1

    assert guess(name, values, at, lambda key: key.startswith("p/")).kind == kind


@given(st.text(max_size=9), st.lists(ANY_CELL, max_size=30), st.integers(0, 2))
def test_a_guess_never_fails(name: str, values: list[str], at: int) -> None:
    found = guess(name, values, at, lambda _: True)

    assert found.kind in KINDS


@settings(deadline=None, max_examples=60)
@given(
    st.lists(ANY_CELL, min_size=1, max_size=12),
    st.sampled_from([kind for kind in KINDS if kind not in ("picture", "long text")]),
    st.booleans(),
)
def test_any_column_can_be_of_any_kind(
    values: list[str], kind: str, scale: bool
) -> None:
    block = block_of(kind, values, 2.0, Making(Path(), scale))

    assert block.shape[0] == len(values)
    assert np.isfinite(block).all()
    if scale:
        assert block.var(axis=0).sum() == pytest.approx(2) or not block.any()


@pytest.mark.parametrize("kind", KINDS)
def test_a_column_of_nothing_is_of_any_kind(kind: str) -> None:
    block = block_of(kind, ["", "n/a", ""], 1.0, Making(Path()))

    assert block.shape[0] == 3
    assert not block.any()


@given(st.lists(st.floats(-1e9, 1e9).map(lambda x: round(x, 3)), min_size=1))
def test_numbers_are_the_same_however_they_are_written(numbers: list[float]) -> None:
    english = [f"{x:,.3f}" for x in numbers]
    swapped = str.maketrans(",.", ".,")

    np.testing.assert_allclose(numbers_of([*english, "0.5"])[:-1], numbers)
    european = [*(x.translate(swapped) for x in english), "0,5"]
    np.testing.assert_allclose(numbers_of(european)[:-1], numbers)


@given(st.lists(st.datetimes().map(lambda d: d.replace(microsecond=0)), min_size=1))
def test_times_are_the_same_however_they_are_written(times: list) -> None:  # type: ignore[type-arg]
    expected = dates_of([when.isoformat() for when in times])
    sure = "31.12.1999"  # so that the day stands first

    found = dates_of(
        [*(f"{w.day}.{w.month}.{w.year:04d} {w:%H:%M:%S}" for w in times), sure]
    )

    np.testing.assert_allclose(found[:-1], expected, atol=1e-5)


def test_words_among_numbers_are_missing() -> None:
    found = numbers_of(["1", "two", "3", "1e400", "inf", ""])

    assert [math.isnan(x) for x in found] == [False, True, False, True, True, True]


def test_yes_and_no_in_any_words() -> None:
    assert yes_or_no(["ja", "Nein", "?"])[:2].tolist() == [1, 0]
    assert yes_or_no(["b", "a"]).tolist() == [1, 0]


# Blocks


def test_one_value_far_off_does_not_make_all_others_alike() -> None:
    values = [*map(str, range(20)), "1e12"]

    block = block_of("number", values, 1.0, Making(Path())).ravel()

    assert block.std() == pytest.approx(1)
    assert np.ptp(block[:20]) > 0.5


@given(st.lists(st.floats(0, 1), min_size=4, max_size=50))
def test_an_ordinary_column_is_standardised_as_ever(numbers: list[float]) -> None:
    low, high = np.percentile(numbers, [25, 75])
    found = drawn_in(np.array(numbers))

    if high - low > 0.2:
        np.testing.assert_array_equal(found, numbers)


def test_much_that_is_missing_has_a_flag() -> None:
    few = block_of("number", [*map(str, range(99)), ""], 1.0, Making(Path()))
    many = block_of("number", [*map(str, range(50)), *[""] * 50], 1.0, Making(Path()))

    assert few.shape == (100, 1)
    assert many.shape == (100, 2)
    assert few[-1] == pytest.approx(0, abs=0.1)


def test_the_end_of_a_year_is_near_its_beginning() -> None:
    days = [
        f"{year}-{month:02d}-15" for year in range(2000, 2006) for month in range(1, 13)
    ]

    block = block_of("date", days, 1.0, Making(Path()))[:, 1:3]

    near, far = (np.linalg.norm(block[11] - block[at]) for at in (12, 6))
    assert near < far / 2


def test_rare_kinds_share_a_column() -> None:
    words = ["oak", "elm"] * 10 + ["ash", "fir", "yew"]

    block = block_of("category", words, 1.0, Making(Path(), scale=False))

    assert block.shape == (23, 3)
    assert (block[-3:] == [0, 0, 1]).all()


def test_names_that_are_spelt_alike_are_near() -> None:
    names = ["Catherine Miller", "Katherine Miller", "Bob Stone", "Rob Stone", "Li Wei"]

    block = block_of("text", names * 3, 1.0, Making(Path()))

    apart = np.linalg.norm(block[:5, None] - block[None, :5], axis=2)
    assert apart[0, 1] < apart[0, 2:].min()
    assert apart[2, 3] < apart[2, 4]


def test_records_are_known_by_texts_of_which_hardly_any_is_there_twice() -> None:
    names, towns = [f"name {at}" for at in range(30)], ["Ulm", "Bonn"] * 15

    assert looks_like_records({"a": "text", "b": "text"}, [names, towns])
    assert not looks_like_records({"a": "text", "b": "category"}, [names, towns])
    assert not looks_like_records({"a": "text", "b": "text"}, [towns, towns])


def test_a_column_that_is_called_so_is_the_title() -> None:
    kinds = ["identifier", "text", "text"]

    assert title_of(["key", "street", "Company name"], kinds) == "Company name"
    assert title_of(["key", "street", "town"], kinds) == "street"
    assert title_of(["no", "item"], ["identifier", "category"]) == "item"
    assert title_of(["no", "size"], ["identifier", "number"]) == "no"
    assert title_of(["a", "b"], ["number", "category"]) is None
