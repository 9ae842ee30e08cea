"""The graph of nearest neighbours, which takes longest to find: kept in its project."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from likewise._arrays import Samples, Sparse, as_samples
from likewise._regime import EXACT_SEARCH
from likewise.affinity import Affinity, Report, scaled_closeness, self_tuning
from likewise.storage._protocol import Project

MAKING = 1  # to be raised whenever the same samples would get another graph
SEAL = "graph-seal"
SCALE = "graph-scale"
WIDTH = 64  # numbers in a row of what is kept, so that blocks are large
N_HASHED = 1 << 16  # rows that are read together


def kept_affinity(
    project: Project, progress: Report | None = None, *, device: str = "cpu"
) -> Callable[[Any], Affinity]:
    """Return the affinity "auto" of a project, which finds its graph once.

    Of up to 20,000 samples nothing is kept: it is found as fast as it is read.

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

    def affinity(X: Any) -> Affinity:
        X = as_samples(X)
        found = read_graph(project, X)
        if found is None:
            found = self_tuning(X, device=device, progress=progress)
            keep_graph(project, found)
        return found

    return affinity


def read_affinity(project: Project) -> Callable[[Any], Affinity]:
    """Return the affinity "auto" of a project to which nothing is to be written."""

    def affinity(X: Any) -> Affinity:
        X = as_samples(X)
        found = read_graph(project, X)
        return self_tuning(X) if found is None else found

    return affinity


def read_graph(project: Project, X: Samples) -> Affinity | None:
    """Return the graph that is kept of these samples, which were checked, or None."""
    if not _is_kept(X) or not project.n_rows(SEAL):
        return None
    recall, *digest = project.array(SEAL)
    if not np.array_equal(digest, _digest(X)):
        return None
    n = X.shape[0]
    scale = _read(project, SCALE, n)
    return Affinity(
        weights=_read_matrix(project, "graph-weights", n),
        neighbours=_read_matrix(project, "graph-neighbours", n),
        closeness=partial(scaled_closeness, X, scale),
        features=X,
        recall=float(recall),
        scale=scale,
    )


def keep_graph(project: Project, found: Affinity) -> None:
    """Keep the graph of many samples; one that is there is replaced."""
    X, scale = found.features, found.scale
    if X is None or scale is None or not _is_kept(X):
        return
    project.put_array(SEAL, np.zeros(1))  # whoever is killed now has kept nothing
    _keep(project, SCALE, scale)
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
