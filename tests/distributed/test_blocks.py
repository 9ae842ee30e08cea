"""A graph in blocks, and back from its folder."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from tests.problems import random_affinity

from likewise.distributed import open_graph
from likewise.distributed._graph import saved
from likewise.errors import MissingDataError


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
