"""Rows in cells, by torch: each is compared with the cells around its own."""

from __future__ import annotations

import numpy as np
import pytest

from likewise import _regime as regime
from likewise._arrays import AnyFloats, Floats, significant
from likewise.affinity import Search, nearest_neighbours
from likewise.affinity import _cells as cells
from likewise.affinity._card import AllPairsByTorch
from likewise.affinity._cells import CellsByTorch
from likewise.affinity._knn import IN_CELLS_AT_ONCE, search_for
from likewise.affinity._rows import Rows

torch = pytest.importorskip("torch")
KIND = "torch-cpu-cells"


def clustered(rng: np.random.Generator, n: int = 3000, d: int = 6) -> AnyFloats:
    centres = rng.normal(scale=4.0, size=(12, d))
    rows: Floats = centres[rng.integers(12, size=n)] + rng.normal(size=(n, d))
    return rows.astype(np.float32)


def pairs_of(X: AnyFloats) -> AllPairsByTorch:
    return AllPairsByTorch.on("torch-cpu", Rows(X), lambda _: None)


def index_of(X: AnyFloats, n_cells: int) -> CellsByTorch:
    return CellsByTorch.of(pairs_of(X), n_cells)


def test_every_row_is_in_the_cell_whose_middle_is_nearest(
    rng: np.random.Generator,
) -> None:
    X = clustered(rng)

    index = index_of(X, 40)

    middles, number = index.middles.numpy(), index.number.numpy()
    apart = ((X[number, np.newaxis] - middles) ** 2).sum(axis=2)
    cell = np.repeat(np.arange(40), np.diff(index.starts))
    mine = apart[np.arange(len(X)), cell]
    np.testing.assert_allclose(mine, apart.min(axis=1), rtol=1e-4, atol=1e-3)
    np.testing.assert_array_equal(np.sort(number), np.arange(len(X)))
    np.testing.assert_array_equal(index.at(np.array([7, 0])), X[[7, 0]])


def test_what_is_found_is_nearest_of_all_that_was_compared(
    rng: np.random.Generator,
) -> None:
    X = clustered(rng)
    index = index_of(X, 40)

    near, squared = index.ranked(X[:50], 8)

    number, starts = index.number.numpy(), index.starts
    home = np.repeat(np.arange(40), np.diff(starts))[index.place.numpy()[:50]]
    for at in range(50):
        compared = np.concatenate(
            [number[starts[c] : starts[c + 1]] for c in index.around[home[at]]]
        )
        apart = ((X[compared].astype(float) - X[at]) ** 2).sum(axis=1)
        order = np.lexsort((compared, significant(apart.astype(np.float32))))[:8]
        np.testing.assert_allclose(squared[at], apart[order], rtol=1e-4, atol=1e-5)
        assert near[at, 0] == at


def test_as_many_cells_are_compared_as_find_most_neighbours(
    monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator
) -> None:
    X = rng.standard_normal((4000, 8)).astype(np.float32)
    monkeypatch.setattr(cells, "PROBED", (1, 8, 200))

    index = index_of(X, 200)

    assert index.around.shape == (200, 200)
    np.testing.assert_array_equal(index.around[:, 0], np.arange(200))
    true = pairs_of(X).ranked(X[:200], 10)[1]
    assert (index.ranked(X[:200], 10)[1] <= true[:, -1:] * 1.0001).mean() >= 0.95


def test_few_cells_are_enough_where_neighbours_lie_together(
    monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator
) -> None:
    monkeypatch.setattr(cells, "PROBED", (16, 60))

    index = index_of(clustered(rng, d=2), 60)

    assert index.around.shape[1] == 16


@pytest.mark.parametrize("kind", ["equal", "integers", "one far away"])
def test_ugly_rows_are_searched_too(kind: str, rng: np.random.Generator) -> None:
    X = {
        "equal": np.ones((300, 3)),
        "integers": rng.integers(3, size=(300, 3)),
        "one far away": np.vstack([rng.normal(size=(299, 3)), [[1e6, 0, 0]]]),
    }[kind].astype(np.float32)

    near, squared = index_of(X, 10).ranked(X, 20)

    assert near.min() >= 0
    assert all(len(set(row)) == 20 for row in near.tolist())
    apart = ((X[near].astype(float) - X[:, np.newaxis]) ** 2).sum(axis=2)
    np.testing.assert_allclose(squared, apart, rtol=1e-4, atol=1e-4)


def test_a_search_in_cells_says_how_many_neighbours_it_finds(
    monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator
) -> None:
    monkeypatch.setattr(cells, "N_IN_CELL", 60)
    X = clustered(rng)

    found = nearest_neighbours(X, 10, search=Search(KIND, len(X), 1000))

    true = nearest_neighbours(X, 10, search=Search("torch-cpu", len(X), 1000))
    is_near = found.distances <= true.distances[:, -1:] * 1.0001
    assert found.recall == pytest.approx(is_near.mean(), abs=0.03)
    assert found.recall >= 0.9
    again = nearest_neighbours(X, 10, search=Search(KIND, len(X), 700))
    np.testing.assert_array_equal(found.indices, again.indices)


def test_shards_find_what_the_whole_finds(
    monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator
) -> None:
    monkeypatch.setattr(cells, "N_IN_CELL", 60)
    X = clustered(rng)

    found = nearest_neighbours(X, 10, search=Search(KIND, 1000, 1000))

    true = nearest_neighbours(X, 10, search=Search("torch-cpu", len(X), 1000))
    assert (found.distances <= true.distances[:, -1:] * 1.0001).mean() >= 0.9


def test_very_many_samples_are_searched_in_cells(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(regime, "CARD_ALL_PAIRS", 25_000)

    few, many = (
        search_for(np.zeros((n, 4), dtype=np.float32), "torch-cpu")
        for n in (25_000, 25_001)
    )

    assert (few.kind, many.kind) == ("torch-cpu", KIND)
    assert many.block == IN_CELLS_AT_ONCE
