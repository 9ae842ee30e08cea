"""The order of the samples inside the engine."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from hypothesis import given
from tests.spectral.scenes import cliques, isolated
from tests.strategies import affinities

from likewise._arrays import Floats
from likewise.spectral import renumbered
from likewise.spectral._laplacian_large import local_order, places_of


@given(W=affinities(9))
def test_every_sample_has_one_place(W: Floats) -> None:
    order = local_order(sp.csr_array(W))

    assert sorted(order.tolist()) == list(range(9))
    np.testing.assert_array_equal(order[places_of(order)], np.arange(9))


@given(W=affinities(9))
def test_a_renumbered_matrix_has_the_entries_it_had(W: Floats) -> None:
    order = local_order(sp.csr_array(W))

    actual = renumbered(sp.csr_array(W), order)

    np.testing.assert_array_equal(actual.toarray(), W[np.ix_(order, order)])


def test_renumbered_rows_are_in_ascending_order(rng: np.random.Generator) -> None:
    W = sp.random_array((30, 30), density=0.3, rng=rng, format="csr")

    actual = renumbered(W, rng.permutation(30))

    assert all(
        (np.diff(actual.indices[a:b]) > 0).all()
        for a, b in zip(actual.indptr, actual.indptr[1:], strict=False)
    )


def test_neighbours_come_close_together(rng: np.random.Generator) -> None:
    n = 200
    ring = sp.csr_array(np.roll(np.eye(n), 1, axis=1))
    shuffled = renumbered(ring + ring.T, rng.permutation(n))

    rows, columns = renumbered(shuffled, local_order(shuffled)).nonzero()

    assert np.abs(rows - columns).max() <= 3


def test_samples_without_neighbours_have_places_too() -> None:
    W = sp.csr_array(sp.block_diag([isolated(3), cliques([4]), isolated(2)]))

    assert sorted(local_order(W).tolist()) == list(range(9))
