"""Rows around zero in single precision, a block at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from likewise._arrays import spans
from likewise.affinity import middle_of
from likewise.affinity._rows import SPREADS, around, single_rows
from likewise.errors import InputError


@pytest.mark.parametrize("size", [SPREADS[0] / 100, SPREADS[1] * 100])
def test_numbers_that_single_precision_cannot_hold_are_refused(size: float) -> None:
    with pytest.raises(InputError, match="scale them"):
        middle_of(size * np.eye(3))


def test_equal_samples_have_a_middle() -> None:
    np.testing.assert_array_equal(middle_of(np.full((4, 2), 3.0)), 3.0)


def test_a_sample_far_outside_stays_finite() -> None:
    rows = around(np.zeros(2), np.array([[1e300, -1.0]]))

    assert np.isfinite(rows @ rows.T).all()


def test_rows_keep_their_digits_far_from_zero() -> None:
    X = 1e8 + np.arange(8.0)[:, np.newaxis]

    rows = single_rows(X)

    np.testing.assert_array_equal(np.diff(rows[:].ravel()), 1.0)
    np.testing.assert_array_equal(
        rows[np.array([5, 3])] - rows[np.array([3, 3])], [[2], [0]]
    )


def test_spans_cover_all_once() -> None:
    assert [i for span in spans(10, 3) for i in range(10)[span]] == list(range(10))


@pytest.mark.parametrize("kind", [np.uint8, np.float16, np.int32, bool])
def test_rows_of_any_numbers_are_moved_without_rounding(kind: Any) -> None:
    rows = np.array([[0, 1], [200, 3]]).astype(kind)

    moved = around(np.array([100.5, 0.25]), rows)

    np.testing.assert_array_equal(moved, rows.astype(float) - [100.5, 0.25])
    assert moved.dtype == np.float32
