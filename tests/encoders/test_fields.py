"""Fields of records as vectors of their characters."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise._arrays import FIELD, fields_of
from likewise.encoders import encode_fields
from likewise.errors import InputError


def cosine(one: str, other: str) -> float:
    a, b = encode_fields([[one, other]]).astype(float)
    return float(a @ b)


@given(st.lists(st.one_of(st.none(), st.text(max_size=20)), min_size=1, max_size=5))
def test_each_value_has_length_one_or_is_missing(values: list[str | None]) -> None:
    lengths = np.linalg.norm(encode_fields([values]), axis=1)

    assert np.all((lengths == 0) | (np.abs(lengths - 1) < 1e-5))


def test_fields_lie_side_by_side_and_are_cut_apart_again() -> None:
    names, towns = ["Ada", "Bo"], ["Rome", None]

    records = encode_fields([names, towns])

    assert records.dtype == np.float32
    np.testing.assert_array_equal(records[:, :FIELD], encode_fields([names]))
    np.testing.assert_array_equal(fields_of(records)[:, 1], encode_fields([towns]))


@pytest.mark.parametrize("missing", [None, "", "  ", "-", float("nan"), "?!"])
def test_what_says_nothing_is_missing(missing: str | None) -> None:
    assert not encode_fields([[missing]]).any()


@pytest.mark.parametrize(
    ("one", "other"),
    [("Zoë", "ZOE"), ("Straße 5", "strasse 5"), ("a, b", "b a"), ("A-1", "a 1")],
)
def test_case_accents_signs_and_the_order_of_words_do_not_count(
    one: str, other: str
) -> None:
    assert cosine(one, other) == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize(
    ("value", "typo", "another"),
    [
        ("matthew", "mathew", "michaela"),
        ("tullaroop street", "tularoop street", "goldfinch circuit"),
        ("19601205", "19601250", "19443187"),
    ],
)
def test_an_error_is_nearer_than_another_value(
    value: str, typo: str, another: str
) -> None:
    assert 1.0 > cosine(value, typo) > 0.7 > cosine(value, another)


def test_digits_count() -> None:
    assert cosine("unit 1", "unit 2") < 1.0


def test_a_value_does_not_depend_on_the_others() -> None:
    alone, beside = encode_fields([["ada"]]), encode_fields([["bo", "ada", "bo"]])

    np.testing.assert_array_equal(alone[0], beside[1])
    np.testing.assert_array_equal(beside[0], beside[2])


@pytest.mark.parametrize("columns", [[], [["a"], ["b", "c"]]])
def test_columns_of_different_lengths_are_refused(columns: list[list[str]]) -> None:
    with pytest.raises(InputError, match="one list of the same length"):
        encode_fields(columns)


def test_what_is_no_text_is_refused() -> None:
    with pytest.raises(InputError, match="there is 3: give str"):
        encode_fields([[3]])  # type: ignore[list-item]


def test_no_records_are_no_rows() -> None:
    assert encode_fields([[], []]).shape == (0, 2 * FIELD)
