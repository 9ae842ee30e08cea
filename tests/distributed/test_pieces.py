"""Samples in pieces, from wherever they come."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from tests.distributed.conftest import dask_array

from likewise._arrays import Floats, dense
from likewise.affinity import LocalRunner, rows_of
from likewise.affinity import _rows as module
from likewise.affinity._rows import single_rows
from likewise.distributed._pieces import Saved, pieces_of
from likewise.errors import InputError


@pytest.fixture
def X(rng: np.random.Generator) -> Floats:
    return rng.standard_normal((50, 3))


def in_pieces(X: Any, n_rows: int | None = None) -> Any:
    return pieces_of(X, LocalRunner(), n_rows)


def saved(X: Floats, folder: Path) -> Path:
    path = folder / "features.npy"
    np.save(path, X)
    return path


SOURCES = {
    "array": lambda X, _: X,
    "list of arrays": lambda X, _: [X[:10], X[10:11], X[11:]],
    "lists of numbers": lambda X, _: X.tolist(),
    "path": saved,
    "name": lambda X, folder: str(saved(X, folder)),
    "paths": lambda X, folder: [saved(X, folder)],
    "memory map": lambda X, folder: np.load(saved(X, folder), mmap_mode="r"),
    "Dask array": lambda X, _: dask_array(X, (20, 2)),
    "sparse": lambda X, _: sp.csr_array(X),
}


@pytest.mark.parametrize("make", SOURCES.values(), ids=SOURCES)
@pytest.mark.parametrize("n_rows", [None, 7, 50])
def test_rows_are_found_wherever_they_lie(
    make: Any, n_rows: int | None, X: Floats, tmp_path: Path
) -> None:
    pieces = in_pieces(make(X, tmp_path), n_rows)
    which = np.array([49, 0, 7, 7, 10, 30])

    middle = 0.0 if pieces.middle is None else pieces.middle
    np.testing.assert_allclose(
        dense(pieces.fetched(which)), X[which] - middle, rtol=1e-5, atol=1e-6
    )
    assert len(pieces) == 50
    assert pieces.n_features == 3


@pytest.mark.parametrize("n_rows", [50, 9])
def test_the_middle_is_that_of_the_whole(n_rows: int, X: Floats) -> None:
    middle = single_rows(X).middle

    assert middle is not None
    np.testing.assert_array_equal(in_pieces(X, n_rows).middle, middle)


def test_a_memory_map_is_read_from_its_file(X: Floats, tmp_path: Path) -> None:
    X = np.load(saved(X, tmp_path), mmap_mode="r")

    pieces = in_pieces(X, 20)

    assert [type(source) for source in pieces.sources] == [Saved] * 3


def test_a_part_of_a_memory_map_is_that_part(X: Floats, tmp_path: Path) -> None:
    part = np.load(saved(X, tmp_path), mmap_mode="r")[::-1]

    pieces = in_pieces(part)

    np.testing.assert_array_equal(rows_of(pieces.sources[0], None)[:], X[::-1])


def test_a_memory_map_of_bare_numbers_is_taken(X: Floats, tmp_path: Path) -> None:
    X.tofile(tmp_path / "bare")
    mapped = np.memmap(tmp_path / "bare", np.float64, "r", shape=(50, 3))

    np.testing.assert_array_equal(rows_of(in_pieces(mapped).sources[0], None)[:], X)


NUMBERS = [np.uint8, np.int64, bool]


@pytest.mark.parametrize(
    ("convert", "kind"),
    [
        *((np.asarray, kind) for kind in (*NUMBERS, object, str)),
        *((sp.csr_array, kind) for kind in NUMBERS),
        (sp.coo_array, float),
    ],
)
def test_numbers_of_any_kind_are_taken(convert: Any, kind: type) -> None:
    X = np.array([[1, 0], [0, 1], [0, 0]])

    pieces = in_pieces(convert(X.astype(kind)), 2)

    rows = dense(pieces.fetched(np.array([2, 0])))
    np.testing.assert_allclose(rows[1] - rows[0], [1, 0])
    assert rows.dtype.kind == "f"


@pytest.mark.parametrize(
    ("pieces", "sentence"),
    [
        ([np.zeros((2, 3)), np.zeros((2, 4))], r"\[3, 4\] features"),
        ([np.zeros((2, 3)), np.zeros(2)], r"shape \(2,\)"),
        ([np.zeros((0, 3))], "no samples"),
        ([np.zeros((2, 3)), np.full((2, 3), np.nan)], "contain NaN"),
    ],
)
def test_pieces_that_do_not_fit_are_refused(pieces: Any, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        in_pieces(pieces)


def test_many_rows_are_fetched_in_order(X: Floats, monkeypatch: Any) -> None:
    monkeypatch.setattr(module, "N_SENT", 3)
    pieces = in_pieces(sp.csr_array(X), 20)
    which = np.tile(np.arange(50)[::-1], 2)

    np.testing.assert_array_equal(dense(pieces.fetched(which)), X[which])


def test_a_dask_array_of_unknown_length_is_refused(X: Floats) -> None:
    chunks = dask_array(X, (20, 3))

    with pytest.raises(InputError, match="compute_chunk_sizes"):
        in_pieces(chunks[chunks[:, 0] > 0])


def test_what_was_written_to_a_private_memory_map_counts(
    X: Floats, tmp_path: Path
) -> None:
    mapped = np.load(saved(X, tmp_path), mmap_mode="c")
    mapped[3] = 7.0

    np.testing.assert_array_equal(
        rows_of(in_pieces(mapped).sources[0], None)[:][3], 7.0
    )
