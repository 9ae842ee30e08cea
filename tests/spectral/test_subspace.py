"""Tall blocks of columns, however badly conditioned."""

from __future__ import annotations

import numpy as np
import pytest
from tests.spectral.scenes import largest_angle

from likewise._arrays import Floats
from likewise.spectral._backend import backend_for
from likewise.spectral._eigen_cold import orthonormal, rayleigh_ritz, spanned

BACKEND = backend_for("cpu")


def nearly_dependent(distance: float, seed: int) -> Floats:
    """Return eight columns of which each is close to the one before."""
    rng = np.random.default_rng(seed)
    columns = rng.standard_normal((300, 8))
    return np.cumsum(columns * distance ** np.arange(8), axis=1)


@pytest.mark.parametrize("distance", [1.0, 0.5, 0.1, 0.01, 0.0])
def test_columns_become_orthonormal_and_none_is_dropped(
    distance: float, seed: int
) -> None:
    actual = orthonormal(BACKEND, BACKEND.array(nearly_dependent(distance, seed)))

    assert actual.shape == (300, 8)
    np.testing.assert_allclose(actual.T @ actual, np.eye(8), atol=3e-6)


@pytest.mark.parametrize("length", [1e-12, 1.0, 1e12])
def test_the_length_of_a_column_does_not_matter(
    length: float, rng: np.random.Generator
) -> None:
    V = rng.standard_normal((300, 4)) * [1.0, length, 1.0, 1.0]

    actual = orthonormal(BACKEND, BACKEND.array(V))

    np.testing.assert_allclose(actual.T @ actual, np.eye(4), atol=3e-6)
    assert largest_angle(V / [1.0, length, 1.0, 1.0], actual) < 1e-3


def test_a_column_of_zeros_gets_a_direction(rng: np.random.Generator) -> None:
    V = rng.standard_normal((50, 3)) * [1.0, 0.0, 1.0]

    actual = orthonormal(BACKEND, BACKEND.array(V))

    np.testing.assert_allclose(actual.T @ actual, np.eye(3), atol=3e-6)


def test_a_span_leaves_out_what_is_too_short(rng: np.random.Generator) -> None:
    axes = np.linalg.qr(rng.standard_normal((50, 3)))[0]

    actual = spanned(BACKEND, BACKEND.array(axes * [1.0, 1e-3, 1e-6]), 1e-4)

    assert actual.shape == (50, 2)
    assert largest_angle(axes[:, :2], actual) < 0.01


def test_pairs_within_a_block_are_those_of_the_compressed_operator(
    rng: np.random.Generator,
) -> None:
    A = rng.standard_normal((40, 40))
    A = A + A.T
    basis = np.linalg.qr(rng.standard_normal((40, 5)))[0]

    actual = rayleigh_ritz(BACKEND, BACKEND.array(basis), BACKEND.array(A @ basis))

    expected = np.linalg.eigvalsh(basis.T @ A @ basis)
    np.testing.assert_allclose(actual.values, expected, atol=1e-5)
    off = A @ actual.basis - actual.basis * actual.values
    np.testing.assert_allclose(actual.residual, np.linalg.norm(off, axis=0), rtol=1e-4)
