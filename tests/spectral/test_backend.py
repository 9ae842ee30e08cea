"""The two array libraries do the same, and say so when one is missing."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from likewise.errors import AssumptionWarning, InputError, MissingExtraError
from likewise.spectral._backend import Backend, NumpyBackend, TorchBackend, backend_for

torch = pytest.importorskip("torch")

BACKENDS = [NumpyBackend(), TorchBackend(torch, "cpu")]
backend_each = pytest.mark.parametrize(
    "backend", BACKENDS, ids=lambda backend: type(backend).__name__
)


@backend_each
def test_arrays_come_back_as_they_went_in(backend: Backend) -> None:
    values = np.arange(6.0).reshape(3, 2)

    actual = backend.host(backend.array(values))

    assert actual.dtype == np.float32
    np.testing.assert_array_equal(actual, values)


@backend_each
def test_a_sparse_product_is_the_dense_one(
    backend: Backend, rng: np.random.Generator
) -> None:
    matrix = sp.random_array((7, 5), density=0.4, rng=rng, format="csr")
    X = rng.standard_normal((5, 3))

    actual = backend.host(backend.sparse(matrix) @ backend.array(X))

    np.testing.assert_allclose(actual, matrix.toarray() @ X, atol=1e-6)


@backend_each
@pytest.mark.parametrize("exactly", [False, True])
def test_a_gram_matrix_is_summed_over_all_chunks(
    backend: Backend, exactly: bool, rng: np.random.Generator
) -> None:
    n = NumpyBackend.rows_at_once + 100
    A, B = rng.standard_normal((n, 3)), rng.standard_normal((n, 2))

    actual = backend.gram(backend.array(A), backend.array(B), exactly=exactly)

    assert actual.dtype == np.float64
    np.testing.assert_allclose(actual, A.T @ B, rtol=1e-4, atol=1e-3)


@backend_each
def test_blocks_are_combined_with_their_factors(
    backend: Backend, rng: np.random.Generator
) -> None:
    n = NumpyBackend.rows_at_once + 100
    A, B = rng.standard_normal((n, 3)), rng.standard_normal((n, 2))
    U, V = rng.standard_normal((3, 4)), rng.standard_normal((2, 4))

    actual = backend.host(
        backend.combined([backend.array(A), backend.array(B)], [U, V])
    )

    np.testing.assert_allclose(actual, A @ U + B @ V, atol=1e-4)


@backend_each
def test_reflections_give_as_many_columns_as_there_were(backend: Backend) -> None:
    twice = np.ones((6, 3))

    actual = backend.host(backend.householder(backend.array(twice)))

    np.testing.assert_allclose(actual.T @ actual, np.eye(3), atol=1e-6)


@backend_each
@pytest.mark.parametrize("weights", [None, [0.5, 2.0, 1.0]])
def test_a_tally_adds_up_by_key(backend: Backend, weights: Any) -> None:
    weighed = None if weights is None else backend.array(weights)

    actual = backend.tally(backend.indices([1, 3, 1]), weighed, 5)

    expected = [0, 2, 0, 1, 0] if weights is None else [0, 1.5, 0, 2, 0]
    np.testing.assert_allclose(backend.host(actual), expected)


def test_torch_runs_on_the_processor_where_asked() -> None:
    assert isinstance(backend_for("torch-cpu"), TorchBackend)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a card")
def test_without_a_card_the_processor_does_the_work_and_a_warning_says_so() -> None:
    with pytest.warns(AssumptionWarning, match="no card"):
        assert isinstance(backend_for("cuda"), NumpyBackend)


def test_without_torch_the_processor_does_the_work_and_the_extra_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)

    with pytest.warns(AssumptionWarning, match=r"likewise\[gpu\]"):
        assert isinstance(backend_for("cuda"), NumpyBackend)


def test_torch_on_the_processor_without_torch_is_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)

    with pytest.raises(MissingExtraError, match=r"likewise\[gpu\]"):
        backend_for("torch-cpu")


def test_a_device_that_there_is_not_is_refused_with_the_choices() -> None:
    with pytest.raises(InputError, match="cpu, cuda, torch-cpu"):
        backend_for("abacus")
