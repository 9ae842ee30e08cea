"""All pairs by torch: eleven digits choose, float32 decides."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from likewise import _regime as regime
from likewise._arrays import AnyFloats, AnyIndices, Floats, significant
from likewise.affinity import Search, auto, nearest_neighbours
from likewise.affinity import _card as card
from likewise.affinity._card import AllPairsByTorch, few_digits, round_off, smallest
from likewise.affinity._knn import search_for
from likewise.affinity._rows import Rows
from likewise.errors import AssumptionWarning, InputError

torch = pytest.importorskip("torch")


def index_of(X: Floats) -> AllPairsByTorch:
    return AllPairsByTorch.on("torch-cpu", Rows(X.astype(np.float32)), lambda _: None)


def true_neighbours(X: AnyFloats, k: int) -> AnyIndices:
    """Return the k nearest by the definition, itself among them, in float64."""
    whole = X.astype(np.float32).astype(np.float64)
    apart = ((whole[:, np.newaxis] - whole) ** 2).sum(axis=2)
    return np.lexsort(
        (np.broadcast_to(np.arange(len(X)), apart.shape), significant(apart)), axis=1
    )[:, :k]


def test_numbers_are_rounded_to_eleven_digits(rng: np.random.Generator) -> None:
    values = torch.from_numpy(rng.standard_normal(1000).astype(np.float32))

    near = round_off(torch, values)

    mantissa, _ = np.frexp(near.numpy())
    np.testing.assert_array_equal(np.ldexp(mantissa, 11) % 1, 0.0)
    assert float(((near - values) / values).abs().max()) <= card.DIGITS


@pytest.mark.parametrize("count", [5, 640, 3217])
def test_the_smallest_entries_are_found_in_few_groups(
    count: int, rng: np.random.Generator
) -> None:
    values = rng.integers(500, size=(20, count)).astype(np.float32)

    least, columns = smallest(torch, torch.from_numpy(values), 10)

    np.testing.assert_array_equal(
        np.sort(least.numpy(), axis=1), np.sort(values, axis=1)[:, :10]
    )
    np.testing.assert_array_equal(
        np.take_along_axis(values, columns.numpy(), axis=1), least.numpy()
    )
    assert all(len(set(row)) == min(count, 10) for row in columns.tolist())


def tight_and_far(rng: np.random.Generator) -> Floats:
    """Return heaps so tight and so far from zero that eleven digits tell nothing."""
    heaps = 4.0 * rng.standard_normal((5, 6))
    return np.repeat(heaps, 100, axis=0) + 1e-3 * rng.standard_normal((500, 6))


def test_eleven_digits_alone_would_choose_others(rng: np.random.Generator) -> None:
    X = tight_and_far(rng)
    index, queries = index_of(X), torch.from_numpy(X.astype(np.float32))

    near, _, doubtful = index._tried(queries, 20, 36, is_rounded=True)

    assert (np.sort(near) != np.sort(true_neighbours(X, 20))).mean() > 0.1
    assert len(doubtful) == 500


def test_where_a_doubt_is_left_float32_decides(rng: np.random.Generator) -> None:
    X = tight_and_far(rng)

    near, squared = index_of(X).ranked(X.astype(np.float32), 20)

    single = X.astype(np.float32)
    expected = ((single[near] - single[:, np.newaxis]) ** 2).sum(axis=2)
    np.testing.assert_allclose(squared, expected, rtol=1e-5)
    assert (np.sort(near) == np.sort(true_neighbours(X, 20))).mean() > 0.999


def test_no_row_is_sure_that_has_not_found_its_neighbours(
    rng: np.random.Generator,
) -> None:
    """Whatever the spread of the heaps: what is sure is right."""
    n_sure = 0
    for spread in (1e-3, 1e-2, 0.03, 0.1, 1.0):
        heaps = np.repeat(20.0 * rng.standard_normal((6, 4)), 100, axis=0)
        X = heaps + spread * rng.standard_normal((600, 4))
        queries = torch.from_numpy(X.astype(np.float32))
        near, _, doubtful = index_of(X)._tried(queries, 10, 14, is_rounded=True)
        sure = np.setdiff1d(np.arange(600), doubtful)
        true = true_neighbours(X, 10)
        np.testing.assert_array_equal(np.sort(near[sure]), np.sort(true[sure]))
        n_sure += len(sure)

    assert 100 < n_sure < 2900


@pytest.mark.parametrize("n_pairs", [1000, 17_000])
def test_neighbours_do_not_depend_on_how_many_pairs_are_compared_at_a_time(
    n_pairs: int, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    X = rng.standard_normal((400, 5))
    monkeypatch.setitem(card.COMPARED, "cpu", n_pairs)

    near, _ = index_of(X).ranked(X.astype(np.float32), 15)

    np.testing.assert_array_equal(near, true_neighbours(X, 15))


def test_more_equal_rows_than_candidates_are_neighbours_still() -> None:
    X = np.repeat(np.eye(2), 1500, axis=0)

    near, squared = index_of(X).ranked(X[:2].astype(np.float32), 21)

    assert squared.max() == 0.0
    assert all(len(set(row)) == 21 for row in near.tolist())


@pytest.mark.parametrize("before", [False, True])
def test_a_card_multiplies_afterwards_as_it_was_told(before: bool) -> None:
    matmul = torch.backends.cuda.matmul
    was, matmul.allow_tf32 = matmul.allow_tf32, before

    with few_digits(torch, is_allowed=not before):
        assert matmul.allow_tf32 is not before

    after, matmul.allow_tf32 = matmul.allow_tf32, was
    assert after is before


def test_a_card_multiplies_as_it_was_told_after_an_error_too() -> None:
    with pytest.raises(ZeroDivisionError), few_digits(torch, is_allowed=True):
        raise ZeroDivisionError

    assert not torch.backends.cuda.matmul.allow_tf32


def test_many_dense_samples_are_searched_on_the_device() -> None:
    assert search_for(np.zeros((20_001, 3)), "torch-cpu").kind == "torch-cpu"
    assert search_for(np.zeros((20_000, 3)), "torch-cpu").kind == "whole"
    assert search_for(sp.csr_array((20_001, 3)), "torch-cpu").kind == "products"


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a card")
def test_without_a_card_the_processor_searches_and_a_warning_says_so() -> None:
    with pytest.warns(AssumptionWarning, match="the processor does the work"):
        assert search_for(np.zeros((20_001, 3)), "cuda").kind == "flat"


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a card")
def test_a_search_on_a_card_that_there_is_not_is_refused() -> None:
    with (
        pytest.warns(AssumptionWarning),
        pytest.raises(InputError, match=r"no device 'cuda'.*another search"),
    ):
        nearest_neighbours(np.zeros((30, 2)), 3, search=Search("cuda", 30, 30))


def test_the_graph_is_the_same_on_every_device(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of heaps that have to be joined, too."""
    monkeypatch.setattr(regime, "EXACT_SEARCH", 500)
    X = rng.standard_normal((900, 3)).astype(np.float32)
    X += 30.0 * np.repeat(rng.standard_normal((30, 3)), 30, axis=0).astype(np.float32)

    one, other = (auto(X, device=device) for device in ("cpu", "torch-cpu"))

    assert other.recall == 1.0
    for a, b in (
        (one.weights, other.weights),
        (one.neighbours, other.neighbours),
    ):
        np.testing.assert_array_equal(a.indptr, b.indptr)
        np.testing.assert_array_equal(a.indices, b.indices)
        np.testing.assert_allclose(a.data, b.data, rtol=1e-4)
