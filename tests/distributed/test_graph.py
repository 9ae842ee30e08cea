"""The graph of samples in pieces is that of the samples, in memory or a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from tests.distributed.conftest import dask_array
from tests.problems import random_affinity

from likewise import InputError, Session
from likewise import _regime as regime
from likewise._arrays import AnyFloats, AnyIndices, Floats, Sparse
from likewise.affinity import Search, auto, nearest_neighbours
from likewise.affinity import _indexes as links
from likewise.affinity._graph import local_scale, neighbour_graph
from likewise.affinity._indexes import Links
from likewise.distributed import neighbours, open_graph
from likewise.distributed._graph import saved
from likewise.errors import MissingDataError

EXACT = ("flat", "blocks")


@pytest.fixture
def X(rng: np.random.Generator) -> Floats:
    """Heaps, two of them far from the others, in mixed order."""
    places = np.repeat(4 * rng.standard_normal((6, 5)), 100, axis=0)
    places[:150] += 50
    return rng.permutation(places + rng.standard_normal(places.shape))


def on_one_machine(X: Any, kind: str) -> Sparse:
    near = nearest_neighbours(X, 20, search=Search(kind, X.shape[0], 100))
    return neighbour_graph(X, near, local_scale(near), 10)


def assert_same(actual: Sparse, expected: Sparse) -> None:
    np.testing.assert_array_equal(actual.indptr, expected.indptr)
    np.testing.assert_array_equal(actual.indices, expected.indices)
    np.testing.assert_allclose(actual.data, expected.data, rtol=1e-5)
    assert actual.dtype == np.float32
    assert actual.indices.dtype == np.int32


@pytest.mark.parametrize("kind", EXACT)
@pytest.mark.parametrize("size", [600, 250, 77])
def test_pieces_have_the_graph_of_the_whole(kind: str, size: int, X: Floats) -> None:
    graph = neighbours(X, search=Search(kind, size, 50))

    assert len(graph.blocks) == -(-600 // size)
    assert_same(graph.whole(), on_one_machine(X, kind))


def test_an_exact_graph_in_pieces_has_the_weights_of_auto(X: Floats) -> None:
    graph = neighbours([X[:100], X[100:]])

    np.testing.assert_allclose(
        graph.whole().toarray(), auto(X).weights.toarray(), rtol=1e-3, atol=1e-5
    )


def test_sparse_pieces_have_the_graph_of_the_whole(X: Floats) -> None:
    sparse = sp.csr_array(np.where(np.abs(X) < 1, 0.0, X))

    graph = neighbours([sparse[:300], sparse[300:]])

    assert_same(graph.whole(), on_one_machine(sparse, "products"))


def test_blocks_in_a_folder_are_the_graph(tmp_path: Path, X: Floats) -> None:
    search = Search("flat", 200, 100)

    graph = neighbours(X, folder=tmp_path / "graph", search=search)

    assert all(isinstance(block, Path) for block in graph.blocks)
    assert_same(graph.whole(), neighbours(X, search=search).whole())
    assert open_graph(tmp_path / "graph") == graph


def test_a_folder_that_holds_a_graph_is_left_as_it_is(
    tmp_path: Path, X: Floats
) -> None:
    neighbours(X, folder=tmp_path)

    with pytest.raises(InputError, match="holds a graph already"):
        neighbours(X, folder=tmp_path)


def test_links_in_pieces_state_their_recall(
    X: Floats, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, bad in (("M", 2), ("EF_CONSTRUCTION", 2), ("EF_SEARCH", (2,))):
        monkeypatch.setattr(links, name, bad)

    graph = neighbours(X, search=Search("hnsw", 300, 100))

    assert 0 < graph.recall < 1
    assert connected_components(graph.whole(), directed=False)[0] == 1


def test_neighbours_that_links_have_missed_are_searched_for(
    X: Floats, monkeypatch: pytest.MonkeyPatch
) -> None:
    enough = Links.candidates

    def too_few(index: Links, queries: AnyFloats, k: int) -> AnyIndices:
        found = enough(index, queries, k)
        found[:, 3:] = -1
        return found

    monkeypatch.setattr(Links, "candidates", too_few)

    graph = neighbours(X, search=Search("hnsw", 300, 100))

    assert_same(graph.whole(), on_one_machine(X, "flat"))
    assert graph.recall == 1.0


def test_many_far_pieces_are_connected_without_all_samples_here(
    monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator
) -> None:
    monkeypatch.setattr(regime, "EXACT_SEARCH", 0)
    sizes = [15] * 10 + [60, 200]
    places = np.repeat(20 * rng.standard_normal((12, 4)), sizes, axis=0)
    X = places + 0.1 * rng.standard_normal(places.shape)

    graph = neighbours(X, search=Search("flat", 100, 100)).whole()

    assert connected_components(graph, directed=False)[0] == 1
    assert abs(graph - graph.T).nnz == 0


def test_progress_counts_pieces(X: Floats) -> None:
    seen: list[tuple[int, int]] = []

    neighbours(X, search=Search("flat", 200, 100), progress=lambda *at: seen.append(at))

    assert seen[-1] == (3, 3)


@pytest.mark.parametrize("kind", ["whole", "products"])
def test_a_search_that_is_not_for_pieces_is_refused(kind: str, X: Floats) -> None:
    with pytest.raises(InputError, match="leave search out"):
        neighbours(X, search=Search(kind, 200, 100))


def test_a_session_takes_the_graph(X: Floats) -> None:
    graph = neighbours([X[:300], X[300:]]).whole()

    session = Session(graph, n_clusters=3, affinity="precomputed")

    assert session.ask() is not None


@pytest.mark.slow
@pytest.mark.parametrize("kind", EXACT)
def test_two_processes_make_the_graph_of_one(kind: str, client: Any, X: Floats) -> None:
    graph = neighbours(X, client, search=Search(kind, 150, 100))

    assert len(graph.blocks) == 4
    assert_same(graph.whole(), on_one_machine(X, kind))


@pytest.mark.slow
def test_two_processes_search_by_links(client: Any, X: Floats) -> None:
    search = Search("hnsw", 150, 100)

    graph = neighbours(X, client, search=search)

    assert_same(graph.whole(), neighbours(X, search=search).whole())
    assert graph.recall > 0.95


@pytest.mark.slow
def test_two_processes_read_files_and_write_blocks(
    client: Any, tmp_path: Path, X: Floats
) -> None:
    paths = [tmp_path / "a.npy", tmp_path / "b.npy"]
    np.save(paths[0], X[:250].astype(np.float32))
    np.save(paths[1], X[250:].astype(np.float32))
    seen: list[tuple[int, int]] = []

    graph = neighbours(
        paths, client, folder=tmp_path / "graph", progress=lambda *at: seen.append(at)
    )

    assert_same(graph.whole(), on_one_machine(X.astype(np.float32), "flat"))
    assert seen == [(1, 2), (2, 2)]


@pytest.mark.slow
def test_two_processes_take_a_dask_array(client: Any, X: Floats) -> None:
    graph = neighbours(dask_array(X, (200, 3)), client)

    assert_same(graph.whole(), on_one_machine(X, "flat"))


@pytest.mark.slow
def test_an_error_on_a_worker_is_raised_here(client: Any, X: Floats) -> None:
    X[400, 2] = np.nan

    with pytest.raises(InputError, match="contain NaN"):
        neighbours([X[:300], X[300:]], client)


@pytest.mark.parametrize("n", [1, 2, 30])
def test_pieces_that_hang_together_need_no_bridges(
    n: int, rng: np.random.Generator
) -> None:
    X = rng.standard_normal((n, 3))

    graph = neighbours(X).whole()

    np.testing.assert_allclose(
        graph.toarray(), auto(X).weights.toarray(), rtol=1e-3, atol=1e-5
    )


def test_equal_samples_in_many_pieces_are_neighbours(rng: np.random.Generator) -> None:
    X = rng.permutation(np.repeat(rng.standard_normal((6, 3)), 50, axis=0))

    for kind in ("flat", "hnsw"):
        graph = neighbours(X, search=Search(kind, 70, 50))

        assert graph.recall == 1.0
        assert connected_components(graph.whole(), directed=False)[0] == 1


def test_small_numbers_in_a_file_are_what_they_are(
    tmp_path: Path, rng: np.random.Generator
) -> None:
    X = rng.integers(0, 255, (300, 5)).astype(np.uint8)
    np.save(tmp_path / "features.npy", X)

    graph = neighbours(tmp_path / "features.npy", search=Search("flat", 100, 50))

    assert_same(graph.whole(), on_one_machine(X.astype(np.float32), "flat"))


@pytest.mark.parametrize("k", [0, -1])
def test_a_graph_of_no_neighbours_is_refused(k: int, X: Floats) -> None:
    with pytest.raises(InputError, match=f"1 or more, but it is {k}"):
        neighbours(X, k=k)


@pytest.fixture
def W(rng: np.random.Generator) -> sp.csr_array:
    return sp.csr_array(random_affinity(9, rng).astype(np.float32))


def test_a_saved_graph_is_read_block_by_block(tmp_path: Path, W: sp.csr_array) -> None:
    saved(tmp_path, 0.9, 4, W[4:])
    saved(tmp_path, 0.9, 0, W[:4])

    graph = open_graph(tmp_path)

    assert graph.recall == 0.9
    assert graph.n_samples == 9
    np.testing.assert_array_equal(graph.block(1).toarray(), W[4:].toarray())
    np.testing.assert_array_equal(graph.whole().toarray(), W.toarray())
    assert graph.block(0).dtype == np.float32


def test_a_graph_with_a_block_missing_is_refused(
    tmp_path: Path, W: sp.csr_array
) -> None:
    saved(tmp_path, 1.0, 0, W[:4])
    saved(tmp_path, 1.0, 6, W[6:])

    with pytest.raises(MissingDataError, match="4 of 9 rows"):
        open_graph(tmp_path)


def test_a_folder_without_a_graph_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MissingDataError, match="build it again"):
        open_graph(tmp_path)


def test_a_block_that_was_not_finished_is_not_there(
    tmp_path: Path, W: sp.csr_array
) -> None:
    saved(tmp_path, 1.0, 0, W)

    assert [path.suffix for path in tmp_path.iterdir()] == [".npz"]
