"""What the method derives from a problem before any answer."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest
import scipy.sparse as sp
from tests.methods.likewise.hand_made import ground_for
from tests.problems import Tiny, blobs, random_affinity

from likewise._arrays import Floats, Weights, dense
from likewise.methods import problem_of
from likewise.methods._likewise._bases import feature_basis
from likewise.methods._likewise._prior import (
    COVER_NOISE,
    Ground,
    ground_of,
    soft_membership,
)
from likewise.methods._likewise._scales import FEW, N_LOOKED, N_VECTORS


@pytest.fixture
def ground(seed: int) -> Ground:
    return ground_for(blobs((30, 25, 20), spread=1.0, seed=seed), 3)


def normalised_laplacian(weights: Weights) -> Floats:
    W = dense(weights)
    degrees = W.sum(axis=1)
    return np.eye(len(W)) - W / np.sqrt(np.outer(degrees, degrees))


def test_vectors_are_eigenvectors_of_mean_square_1(ground: Ground) -> None:
    n = len(ground.start)
    L = normalised_laplacian(ground.weights)
    V = ground.vectors / np.sqrt(n)
    values = np.diag(V.T @ L @ V)

    np.testing.assert_allclose(V.T @ V, np.eye(V.shape[1]), atol=1e-8)
    np.testing.assert_allclose(L @ V, V * values, atol=1e-7)
    np.testing.assert_allclose((ground.vectors**2).mean(axis=0), 1.0)


def test_vectors_are_the_lowest_ones(ground: Ground) -> None:
    lowest = np.linalg.eigvalsh(normalised_laplacian(ground.weights))
    V = ground.vectors / np.sqrt(len(ground.start))
    values = np.diag(V.T @ normalised_laplacian(ground.weights) @ V)

    np.testing.assert_allclose(values, lowest[: len(values)], atol=1e-7)


def test_the_rougher_a_vector_the_larger_its_precision(ground: Ground) -> None:
    assert (ground.precision > 0).all()
    assert (np.diff(ground.precision) >= 0).all()


def test_prior_variance_and_reach_leave_the_first_vector_out(ground: Ground) -> None:
    expected = [
        sum(row[j] ** 2 / ground.precision[j] for j in range(1, len(row)))
        for row in ground.vectors
    ]

    np.testing.assert_allclose(ground.prior_variance, expected)
    assert ground.reach == pytest.approx(np.mean(expected))
    assert ground.noise == pytest.approx(COVER_NOISE * ground.reach)


@pytest.mark.parametrize(
    ("n", "k", "expected"),
    [
        (30, 3, 30),
        (2 * N_VECTORS, 3, N_VECTORS),
        (2 * N_VECTORS, N_VECTORS // 4 + 5, N_VECTORS // 4 * 4 + 20),
    ],
    ids=["all", "a fixed number", "four for each group"],
)
def test_there_are_enough_vectors_for_the_groups(
    n: int, k: int, expected: int, rng: np.random.Generator
) -> None:
    tiny = Tiny(rng.standard_normal((n, 3)), np.zeros(n, dtype=np.intp))

    assert ground_for(tiny, k).vectors.shape == (n, expected)


def test_when_the_groups_are_not_known_there_are_vectors_for_those_counted(
    seed: int,
) -> None:
    # 30 heaps of 6: more vectors are needed than eigenvalues were looked at.
    tiny = blobs((6,) * 30, spread=0.01, seed=seed)
    assert min(len(tiny.X) // 3, N_LOOKED) < 4 * 30

    ground = ground_for(tiny)

    groups = len(ground.medoids)
    assert ground.n_groups is None
    assert ground.vectors.shape[1] == min(180, max(N_VECTORS, 4 * groups))
    assert groups > 10


def test_there_is_one_basis_for_the_graph_and_one_for_the_features(
    seed: int, rng: np.random.Generator
) -> None:
    tiny = blobs((10, 10), seed=seed)
    W = random_affinity(20, rng)
    without = ground_of(problem_of(W, affinity="precomputed", n_clusters=2), 0, FEW)

    assert len(without.bases) == 1
    bases = ground_for(tiny, 2).bases
    assert len(bases) == 2
    np.testing.assert_array_equal(bases[1], feature_basis(tiny.X))


def test_the_first_classes_are_one_sample_of_each_cluster(ground: Ground) -> None:
    assert ground.n_groups == 3
    np.testing.assert_array_equal(ground.start[ground.medoids], np.arange(3))


def test_shares_are_the_clusters_softened(ground: Ground) -> None:
    expected = soft_membership(ground.weights, ground.start)

    np.testing.assert_allclose(ground.shares.toarray(), expected.toarray())


def test_the_same_problem_and_seed_give_the_same_ground(seed: int) -> None:
    tiny = blobs((15, 20), spread=1.5, seed=seed)

    first, second = ground_for(tiny), ground_for(tiny)

    for part in fields(Ground):
        if part.name not in ("weights", "shares", "bases", "n_groups"):
            np.testing.assert_array_equal(
                getattr(first, part.name), getattr(second, part.name)
            )


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("k", [None, 1])
def test_very_few_samples_have_a_ground(n: int, k: int | None) -> None:
    ground = ground_for(
        Tiny(np.arange(n, dtype=np.float64)[:, np.newaxis], np.arange(n)), k
    )

    assert ground.start.shape == (n,)
    assert ground.reach > 0
    assert (ground.prior_variance > 0).all()
    for basis in ground.bases:
        assert np.isfinite(basis).all()


def test_a_graph_in_pieces_has_a_ground() -> None:
    clique = np.ones((4, 4)) - np.eye(4)
    W = sp.block_diag([clique, clique, np.zeros((2, 2))], format="csr")

    ground = ground_of(problem_of(W, affinity="precomputed", n_clusters=2), 0, FEW)

    assert np.isfinite(ground.vectors).all()
    assert len({*ground.start[:4].tolist()}) == len({*ground.start[4:8].tolist()}) == 1
