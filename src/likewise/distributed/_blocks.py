"""A graph in blocks of rows, in memory or in a folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from likewise._arrays import Sparse, with_short_indices
from likewise.errors import InputError, MissingDataError

PATTERN = "rows-*.npz"


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


def saved(block: Sparse, folder: Path, start: int, recall: float) -> Path:
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
