"""The graph of nearest neighbours, which takes longest to find: found once.

It is kept in a file beside its project, and where others use the same database from
other machines, in that too, if samples are many.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from importlib.metadata import version
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from likewise._arrays import Samples, Sparse, as_samples
from likewise._cached import Arrays, digest_of, packed_matrix, unpacked_matrix
from likewise._regime import EXACT_SEARCH, KEPT
from likewise.affinity import Affinity, Report, found_before, self_tuning
from likewise.storage._cache import FileCache
from likewise.storage._protocol import Project

MAKING = 1  # to be raised whenever the same samples would get another graph
SEAL = "graph-seal"
SCALE = "graph-scale"
GRAPH = "graph"  # the kind of file
WIDTH = 64  # numbers in a row of what is kept, so that blocks are large
N_HASHED = 1 << 16  # rows that are read together


def kept_affinity(
    project: Project, progress: Report | None = None, *, device: str = "cpu"
) -> Callable[[Any], Affinity]:
    """Return the affinity "auto" of a project, which finds its graph once.

    Of up to 1,000 samples nothing is kept: it is found as fast as it is read.

    Parameters
    ----------
    project : Project
    progress : callable, optional
    device : str, default="cpu"
        As in :func:`~likewise.affinity.auto`.

    Examples
    --------
    >>> from likewise.storage import open_store
    >>> project = open_store("memory://").create("leaves", {}, now=0.0)
    >>> kept_affinity(project)([[0.0], [0.1], [5.0]]).weights.shape
    (3, 3)
    """

    def affinity(given: Any) -> Affinity:
        X = as_samples(given)
        cache = _cache_for(project, X)
        mark = "" if cache is None else _mark(given, X)
        found = _in_file(cache, mark, X)
        if found is not None:
            return found
        found = read_graph(project, X)
        if found is None:
            found = self_tuning(X, device=device, progress=progress)
            _keep_in_project(project, found, X)
        return _keep_in_file(_with(found, cache, mark))

    return affinity


def read_affinity(project: Project) -> Callable[[Any], Affinity]:
    """Return the affinity "auto" of a project to which nothing is to be written."""

    def affinity(given: Any) -> Affinity:
        X = as_samples(given)
        cache = _cache_for(project, X)
        looking = None if cache is None else replace(cache, is_writable=False)
        mark = "" if cache is None else _mark(given, X)
        found = _in_file(looking, mark, X) or read_graph(project, X) or self_tuning(X)
        return _with(found, looking, mark)

    return affinity


def keep_graph(project: Project, found: Affinity) -> Affinity:
    """Keep the graph of a project, and return it with where more is to be kept."""
    X = found.features
    if X is None or found.scale is None or found.cache is not None:
        return found
    kept = _with(found, _cache_for(project, X), _mark(X, X))
    if kept.cache is not None and kept.cache.read(GRAPH, kept.mark) is not None:
        return kept
    _keep_in_project(project, found, X)
    return _keep_in_file(kept)


# In files


def _cache_for(project: Project, X: Samples) -> FileCache | None:
    return project.cache if X.shape[0] > KEPT else None


def _mark(given: Any, X: Samples) -> str:
    """Return the digest of samples, as they were given if that is an array."""
    is_array = isinstance(given, np.ndarray) or sp.issparse(given)
    return digest_of(f"auto {MAKING}", given if is_array else X)


def _with(found: Affinity, cache: FileCache | None, mark: str) -> Affinity:
    if cache is None or found.cache is not None:
        return found
    return replace(found, cache=cache, mark=mark)


def _in_file(cache: FileCache | None, mark: str, X: Samples) -> Affinity | None:
    if cache is None:
        return None
    arrays = cache.read(GRAPH, mark)
    if arrays is None:
        return None
    found = found_before(
        X,
        unpacked_matrix("weights", arrays),
        unpacked_matrix("neighbours", arrays),
        arrays["scale"],
        float(arrays["recall"]),
    )
    return replace(found, cache=cache, mark=mark)


def _keep_in_file(found: Affinity) -> Affinity:
    if found.cache is not None:
        found.cache.keep(GRAPH, found.mark, _packed(found))
    return found


def _packed(found: Affinity) -> Arrays:
    return {
        "scale": np.asarray(found.scale),
        "recall": np.array(found.recall),
        **packed_matrix("weights", found.weights),
        **packed_matrix("neighbours", found.neighbours),
    }


# In the database


def read_graph(project: Project, X: Samples) -> Affinity | None:
    """Return the graph that a database has of these samples, or None."""
    if not _is_kept(X) or not project.n_rows(SEAL):
        return None
    recall, *digest = project.array(SEAL)
    if not np.array_equal(digest, _digest(X)):
        return None
    n = X.shape[0]
    scale = _read(project, SCALE, n)
    weights = _read_matrix(project, "graph-weights", n)
    neighbours = _read_matrix(project, "graph-neighbours", n)
    return found_before(X, weights, neighbours, scale, float(recall))


def _keep_in_project(project: Project, found: Affinity, X: Samples) -> None:
    """Keep the graph of many samples where no file would be found again."""
    is_needed = project.is_shared or project.cache is None
    if not is_needed or found.scale is None or not _is_kept(X):
        return
    project.put_array(SEAL, np.zeros(1))  # whoever is killed now has kept nothing
    _keep(project, SCALE, found.scale)
    _keep_matrix(project, "graph-weights", found.weights)
    _keep_matrix(project, "graph-neighbours", found.neighbours)
    project.put_array(SEAL, np.array([found.recall, *_digest(X)]))


def _is_kept(X: Any) -> bool:
    return isinstance(X, np.ndarray) and X.shape[0] > EXACT_SEARCH


def _digest(X: NDArray[Any]) -> list[float]:
    """Return what tells samples, and our way to find a graph, from others."""
    made = f"{MAKING} {version('likewise')} {X.dtype} {X.shape}"
    digest = hashlib.blake2b(made.encode(), digest_size=32)
    for start in range(0, len(X), N_HASHED):
        digest.update(np.ascontiguousarray(X[start : start + N_HASHED]).data)
    return [float(byte) for byte in digest.digest()]


def _keep_matrix(project: Project, name: str, W: Sparse) -> None:
    _keep(project, f"{name}-starts", W.indptr)
    _keep(project, f"{name}-columns", W.indices)
    _keep(project, f"{name}-values", W.data)


def _read_matrix(project: Project, name: str, n: int) -> Sparse:
    starts = _read(project, f"{name}-starts", n + 1)
    columns = _read(project, f"{name}-columns", int(starts[-1]))
    values = _read(project, f"{name}-values", int(starts[-1]))
    return sp.csr_array((values, columns, starts), shape=(n, n))


def _keep(project: Project, name: str, values: NDArray[Any]) -> None:
    padded = np.pad(values, (0, -len(values) % WIDTH))
    project.put_array(name, padded.reshape(-1, WIDTH))


def _read(project: Project, name: str, n: int) -> NDArray[Any]:
    return np.asarray(project.array(name)).reshape(-1)[:n]
