"""How alike clusters are, by the weights between them."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import affinities

from likewise.session import _splitting as closeness
from likewise.session import likeness_of


@given(affinities(n_samples=9), st.lists(st.integers(-1, 3), min_size=9, max_size=9))
def test_a_graph_and_a_matrix_say_the_same(W: np.ndarray, labels: list[int]) -> None:
    found = likeness_of(sp.csr_array(W), np.array(labels)).values

    expected = likeness_of(W, np.array(labels)).values
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


def test_a_graph_is_looked_at_some_rows_at_a_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    W = sp.random_array((30, 30), density=0.3, rng=np.random.default_rng(0)).tocsr()
    labels = np.arange(30) % 4
    whole = likeness_of(W, labels).values
    monkeypatch.setattr(closeness, "N_ROWS", 7)

    np.testing.assert_allclose(likeness_of(W, labels).values, whole)
