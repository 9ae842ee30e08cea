"""The graph of nearest neighbours of samples that lie in pieces."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from likewise._arrays import Sparse, with_short_indices
from likewise.affinity import (
    N_EDGES,
    N_SHARES,
    Pieces,
    Report,
    Search,
    as_is,
    graph_in,
    kind_for,
    neighbours_in,
    scale_in,
    search_of,
)
from likewise.distributed._pieces import Client, pieces_of, runner_of
from likewise.errors import InputError, MissingDataError

PATTERN = "rows-*.npz"  # the files of a graph in a folder


def neighbours(
    X: Any,
    client: Client | None = None,
    k: int = N_EDGES,
    *,
    folder: str | Path | None = None,
    search: Search | None = None,
    progress: Report | None = None,
) -> BlockGraph:
    """Return the graph of the k nearest neighbours, in blocks of rows.

    Each task searches one piece in the index of another; the k best of all are kept,
    weighted, made symmetric and connected, a block at a time. Only numbers for each
    sample come here, never its neighbours, unless the graph is to be returned.

    Parameters
    ----------
    X : array, sparse matrix, memory map, path, Dask array, or a list of those
        The features, in one or more pieces; paths are those of ``.npy`` files that
        every worker can read.
    client : distributed.Client, optional
        A Dask client; the tasks run here, one after the other, without.
    k : int
        Neighbours that make the graph.
    folder : str or Path, optional
        Where blocks are written as they are made, by the workers; else they are
        returned.
    search : Search, optional
        The kind of search, the rows of a piece and the rows searched for at a time;
        chosen by the number of samples and features unless given.
    progress : callable, optional
        Called as ``progress(done, total)``, in pieces whose neighbours are known.

    Returns
    -------
    BlockGraph
        With an exact search, the weights of ``likewise.affinity.auto``.

    Examples
    --------
    >>> graph = neighbours([np.zeros((3, 2)), np.ones((4, 2))], k=2)
    >>> graph.whole().shape
    (7, 7)
    """
    if k < 1:
        raise InputError(f"k must be 1 or more, but it is {k}.")
    place = None if folder is None else empty_folder(folder)
    pieces = pieces_of(X, runner_of(client), search.shard if search else None)
    found = neighbours_in(
        pieces, max(k, N_SHARES), _checked(search, pieces), report=progress
    )
    scale = scale_in(pieces.runner, found.near)
    blocks: list[Sparse] | list[Path] = (
        graph_in(pieces, found.near, scale, k, as_is)
        if place is None
        else graph_in(pieces, found.near, scale, k, partial(saved, place, found.recall))
    )
    return BlockGraph(len(pieces), tuple(blocks), found.recall)


def _checked(search: Search | None, pieces: Pieces) -> Search:
    n, d = len(pieces), pieces.n_features
    if search is None:
        return search_of(kind_for(n, d, is_sparse=pieces.middle is None), n, d)
    if search.kind == "whole" or (search.kind == "products") != (pieces.middle is None):
        raise InputError(
            f"A search of the kind {search.kind!r} is not for such pieces: leave "
            f"search out."
        )
    return search


@dataclass(frozen=True, slots=True)
class BlockGraph:
    """A symmetric graph, cut into blocks of rows.

    Attributes
    ----------
    n_samples : int
    blocks : tuple of csr_array of shape (rows, n_samples), or of Path
        In the order of the samples; the files are those of :func:`saved`.
    recall : float
        The share of the true nearest neighbours that were found.
    """

    n_samples: int
    blocks: tuple[Sparse | Path, ...]
    recall: float = 1.0

    def block(self, at: int) -> Sparse:
        """Return one block of rows."""
        held = self.blocks[at]
        return _read(held) if isinstance(held, Path) else held

    def whole(self) -> Sparse:
        """Return all of it, for ``Session(..., affinity="precomputed")``.

        Returns
        -------
        csr_array of shape (n_samples, n_samples)
        """
        blocks = [self.block(at) for at in range(len(self.blocks))]
        return with_short_indices(sp.csr_array(sp.vstack(blocks, format="csr")))


def empty_folder(folder: str | Path) -> Path:
    """Return a folder for the blocks of a graph; made if there is none."""
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    if any(place.glob(PATTERN)):
        raise InputError(f"{place} holds a graph already: choose another folder.")
    return place


def saved(folder: Path, recall: float, start: int, block: Sparse) -> Path:
    """Write a block of rows to a folder, and return its file.

    The file appears when it is whole: who finds it can read it.
    """
    path = folder / f"rows-{start:012d}.npz"
    part = path.with_suffix(".part")
    with part.open("wb") as file:
        np.savez(
            file,
            data=block.data,
            indices=block.indices,
            indptr=block.indptr,
            shape=block.shape,
            start=start,
            recall=recall,
        )
    return part.replace(path)


def open_graph(folder: str | Path) -> BlockGraph:
    """Return the graph that lies in a folder; its blocks stay there."""
    files = sorted(Path(folder).glob(PATTERN))
    n_rows, n_samples, recall = 0, 0, 1.0
    for path in files:
        with np.load(path, allow_pickle=False) as found:
            is_next = int(found["start"]) == n_rows
            n_rows += int(found["shape"][0]) if is_next else 0
            n_samples, recall = int(found["shape"][1]), float(found["recall"])
    if not files or n_rows != n_samples:
        raise MissingDataError(
            f"{folder} holds {n_rows} of {n_samples} rows of a graph: build it again."
        )
    return BlockGraph(n_samples, tuple(files), recall)


def _read(path: Path) -> Sparse:
    with np.load(path, allow_pickle=False) as found:
        parts = found["data"], found["indices"], found["indptr"]
        return sp.csr_array(parts, shape=tuple(found["shape"]))
