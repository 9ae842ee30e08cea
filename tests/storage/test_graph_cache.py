"""The graph of many samples is found once, and taken up as it was."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from likewise.affinity import auto
from likewise.storage import (
    MemoryStore,
    Project,
    keep_graph,
    kept_affinity,
    read_affinity,
)
from likewise.storage import _graph_cache as graphs
from likewise.storage._graph_cache import read_graph


@pytest.fixture(autouse=True)
def few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graphs, "EXACT_SEARCH", 20)


@pytest.fixture
def project() -> Project:
    return MemoryStore().create("pile", {}, now=0.0)


@pytest.fixture
def X() -> Any:
    return np.random.default_rng(0).normal(size=(70, 3))


def test_the_graph_is_taken_up_bit_by_bit(project: Project, X: Any) -> None:
    made, read = auto(X), None
    keep_graph(project, made)
    read = read_graph(project, X)

    assert read is not None
    for name in ("weights", "neighbours"):
        one, other = getattr(made, name), getattr(read, name)
        for part in ("data", "indices", "indptr"):
            expected, actual = getattr(one, part), getattr(other, part)
            np.testing.assert_array_equal(actual, expected)
            assert actual.dtype == expected.dtype
    others = np.arange(70)
    np.testing.assert_array_equal(read.closeness(3, others), made.closeness(3, others))
    assert read.recall == made.recall


def test_neighbours_are_searched_once(project: Project, X: Any) -> None:
    told: list[tuple[int, int]] = []
    affinity = kept_affinity(project, lambda done, total: told.append((done, total)))

    affinity(X)
    n_told = len(told)
    affinity(X)

    assert len(told) == n_told


def test_other_samples_get_another_graph(project: Project, X: Any) -> None:
    keep_graph(project, auto(X))

    assert read_graph(project, X + 1) is None
    assert read_graph(project, X[:-1]) is None
    assert read_graph(project, X.astype(np.float32)[:, :2]) is None


def test_a_graph_that_was_kept_by_half_is_found_anew(project: Project, X: Any) -> None:
    keep_graph(project, auto(X))
    project.put_array(graphs.SEAL, np.zeros(1))

    assert read_graph(project, X) is None


def test_few_samples_need_no_kept_graph(project: Project) -> None:
    kept_affinity(project)([[0.0], [0.1], [5.0]])

    assert project.n_rows(graphs.SEAL) == 0


def test_whoever_only_looks_writes_nothing(project: Project, X: Any) -> None:
    found = read_affinity(project)(X)

    assert found.weights.shape == (70, 70)
    assert project.n_rows(graphs.SEAL) == 0
