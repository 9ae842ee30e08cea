"""The graph of nearest neighbours of samples that lie in pieces."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import repeat
from operator import getitem
from pathlib import Path
from typing import Any

import numpy as np

from likewise._arrays import FEW, AnyIndices, Sparse
from likewise.affinity import (
    N_EDGES,
    N_LISTED,
    N_PROVED,
    N_SHARES,
    Bridges,
    Lists,
    Look,
    Progress,
    Search,
    among_few,
    bridge_weights,
    bridges,
    evenly,
    exact_kind,
    joined,
    kind_for,
    nearest_outside,
    no_bridges,
    own_scale,
    search_of,
    share_found,
    sure,
    typical_where_none,
    without,
)
from likewise.distributed import _tasks as tasks
from likewise.distributed._blocks import BlockGraph, empty_folder
from likewise.distributed._pieces import Pieces, pieces_of
from likewise.distributed._running import crew_of
from likewise.errors import InputError


def neighbours(
    X: Any,
    client: Any = None,
    k: int = N_EDGES,
    *,
    folder: str | Path | None = None,
    search: Search | None = None,
    progress: Progress | None = None,
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
        With an exact search, the weights of ``likewise.affinity._kernels.auto``.

    Examples
    --------
    >>> graph = neighbours([np.zeros((3, 2)), np.ones((4, 2))], k=2)
    >>> graph.whole().shape
    (7, 7)
    """
    if k < 1:
        raise InputError(f"k must be 1 or more, but it is {k}.")
    place = None if folder is None else empty_folder(folder)
    pieces = pieces_of(X, crew_of(client), search.shard if search else None)
    crew, starts = pieces.crew, [span.start for span in pieces.spans]
    near, recall = _near(pieces, _checked(search, pieces), max(k, N_SHARES), progress)
    own = crew.results([crew.task(own_scale, found) for found in near])
    scale = typical_where_none(np.concatenate(own))
    held = crew.kept(scale)
    edges = [
        crew.task(tasks.edges_of, found, held, start, k)
        for found, start in zip(near, starts, strict=True)
    ]
    component = _components(pieces, edges)
    tied = bridge_weights(bridges(component, _looks(pieces, near)), scale)
    if place is None:
        make = [tasks.block_of for _ in starts]
    else:
        make = [partial(tasks.saved_block, place, at, recall) for at in starts]
    blocks = _symmetric(pieces, edges, tied, make)
    return BlockGraph(len(pieces), tuple(blocks), recall)


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


def _near(
    pieces: Pieces, search: Search, k: int, progress: Progress | None
) -> tuple[list[Any], float]:
    """Return what stands for the neighbours of each piece, and their recall."""
    crew, k = pieces.crew, min(k, len(pieces) - 1)
    how = tasks.How(search, pieces.middle, k + 1)
    best: list[Any] = [None] * len(pieces.sources)
    for base, span in zip(pieces.sources, pieces.spans, strict=True):
        if search.kind == "hnsw":
            shard = crew.task(tasks.shard_of, how, base, span.start)
            find = partial(crew.task, tasks.found_in)
            ends: tuple[Any, ...] = (shard,)
        else:
            find, ends = partial(crew.task, tasks.found_between), (base, span.start)
        best = [
            find(how, so_far, *ends, source)
            for so_far, source in zip(best, pieces.sources, strict=True)
        ]
    near = [
        crew.task(tasks.others, found, span.start)
        for found, span in zip(best, pieces.spans, strict=True)
    ]
    crew.finish(near, progress)
    return near, 1.0 if search.kind != "hnsw" else _recall(pieces, near, k)


def _recall(pieces: Pieces, near: Sequence[Any], k: int) -> float:
    crew, some = pieces.crew, evenly(len(pieces), N_PROVED)
    exact = search_of(exact_kind(), len(pieces), pieces.n_features)
    how = tasks.How(exact, pieces.middle, k + 1)
    queries, best = crew.kept(pieces.fetched(some)), None
    for base, span in zip(pieces.sources, pieces.spans, strict=True):
        best = crew.task(tasks.found_for, how, best, base, span.start, queries)
    true = without(crew.results([best])[0], some).squared[:, -1]
    found = pieces.gathered(tasks.distances_of, some, near)
    return share_found(found, np.sqrt(true))


def _components(pieces: Pieces, edges: Sequence[Any]) -> AnyIndices:
    """Return the component of each sample; edges are looked at where they are."""
    component: AnyIndices = np.arange(len(pieces))
    for piece, span in zip(edges, pieces.spans, strict=True):
        task = pieces.crew.task(tasks.joins_of, piece, span.start)
        component = joined(component, *pieces.crew.results([task])[0])
    return component


def _looks(pieces: Pieces, near: Sequence[Any]) -> Iterator[Look]:
    """Yield ways to connect the graph, as on one machine but without an index."""
    if len(pieces) <= FEW:
        X = pieces.fetched(np.arange(len(pieces)))
        yield from repeat(partial(nearest_outside, X))
    yield partial(_listed, pieces, near)
    yield from repeat(partial(among_few, pieces.fetched))


def _listed(pieces: Pieces, near: Sequence[Any], component: AnyIndices) -> Bridges:
    covers = component != np.bincount(component).argmax()
    mine = np.flatnonzero(covers)
    if not 0 < len(mine) <= N_LISTED // N_SHARES:
        return no_bridges()
    indices = pieces.gathered(tasks.indices_of, mine, near)
    distances = pieces.gathered(tasks.distances_of, mine, near)
    return sure(Lists(mine, indices, distances, covers), component)


def _symmetric(
    pieces: Pieces, edges: Sequence[Any], tied: Sparse, make: Sequence[Any]
) -> list[Any]:
    """Return the blocks of the graph, made where their edges are."""
    crew = pieces.crew
    back = [crew.task(tasks.turned, piece, pieces.bounds) for piece in edges]
    blocks = [
        crew.task(
            make[at],
            edges[at],
            tied[span],
            *(crew.task(getitem, cut, at) for cut in back),
        )
        for at, span in enumerate(pieces.spans)
    ]
    return list(crew.results(blocks))
