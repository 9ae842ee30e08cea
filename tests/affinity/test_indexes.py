"""Links between near rows, each distinct one linked once."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from likewise.affinity import _indexes as links
from likewise.affinity._indexes import Links, first_equals
from likewise.affinity._rows import Rows
from likewise.errors import MissingExtraError


@pytest.mark.parametrize(("enough", "ef"), [(0.0, 2), (1.0, 400)])
def test_links_go_on_from_more_samples_until_enough_are_found(
    enough: float, ef: int, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Of 1,000 neighbours in 40 dimensions a search from few rows never finds all.
    X = rng.standard_normal((3000, 40))
    monkeypatch.setattr(links, "N_FOUND", 5)
    monkeypatch.setattr(links, "ENOUGH", enough)
    monkeypatch.setattr(links, "EF_SEARCH", (2, 400))

    index = Links.of(Rows(X.astype(np.float32)), lambda _: None)

    assert index.ef == ef


def test_links_hold_each_distinct_sample_once(rng: np.random.Generator) -> None:
    X = rng.standard_normal((50, 3)).astype(np.float32)
    rows = np.concatenate([X, X[:20]])

    index = Links.of(Rows(rows), lambda _: None)

    assert len(index) == 70
    assert index.index.ntotal == 50
    np.testing.assert_array_equal(index.at(np.arange(70)), rows)


@pytest.fixture
def without_faiss(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "faiss", None)


@pytest.mark.usefixtures("without_faiss")
def test_links_without_the_extra_say_what_to_install() -> None:
    with pytest.raises(MissingExtraError, match=r"likewise\[scale\]"):
        Links.of(Rows(np.zeros((3, 2), np.float32)), lambda _: None)


def test_the_first_of_equal_rows_is_found(rng: np.random.Generator) -> None:
    X = rng.integers(0, 3, (500, 3)).astype(np.float32)
    _, first, group = np.unique(X, axis=0, return_index=True, return_inverse=True)

    np.testing.assert_array_equal(first_equals(Rows(X)), first[group.ravel()])


def test_zero_with_either_sign_is_equal() -> None:
    X = np.array([[0.0], [-0.0]], dtype=np.float32)

    np.testing.assert_array_equal(first_equals(Rows(X)), [0, 0])


def test_rows_that_only_seem_equal_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(links, "_sums", lambda some: np.zeros(len(some), np.uint64))
    X = np.array([[1.0], [2.0], [1.0]], dtype=np.float32)

    np.testing.assert_array_equal(first_equals(Rows(X)), [0, 1, 0])
