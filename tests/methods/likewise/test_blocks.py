"""Half of a symmetric matrix."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from likewise._arrays import Floats, dense
from likewise.methods._likewise import _blocks as blocks
from likewise.methods._likewise._blocks import upper


@pytest.fixture
def W(seed: int) -> Floats:
    """Return a symmetric matrix without a diagonal, most of it and one row empty."""
    rng = np.random.default_rng(seed)
    half = np.triu(rng.random((23, 23)) * (rng.random((23, 23)) < 0.3), 1)
    half[4], half[:, 4] = 0.0, 0.0
    return np.asarray(half + half.T)


def test_both_halves_make_the_whole(W: Floats, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "ROWS", 6)

    for matrix in (W, sp.csr_array(W)):
        half = dense(upper(matrix))
        np.testing.assert_array_equal(half, np.triu(W, 1))
        np.testing.assert_array_equal(half + half.T, W)


def test_half_a_sparse_matrix_keeps_the_kind_of_its_numbers(W: Floats) -> None:
    matrix = sp.csr_array(W.astype(np.float32))

    half = upper(matrix)

    assert half.dtype == np.float32
    assert half.indices.dtype == half.indptr.dtype == matrix.indices.dtype
