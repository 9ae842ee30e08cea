"""Very many rows on a graphics card: each is compared with the cells around its own.

Rows are put into cells, each around the middle of some of them, and lie there beside
each other. What is near to a row is mostly in the cells whose middles are nearest to
that of its own: only those are compared, as :mod:`likewise.affinity._card` compares all
pairs. How many cells that must be is tried on some rows, which are searched for among
all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from likewise._arrays import AnyFloats, AnyIndices, spans
from likewise.affinity._card import (
    SPARE,
    AllPairsByTorch,
    Placed,
    Tensor,
    factor_of,
    few_digits,
    round_off,
    significant,
    smallest,
)
from likewise.affinity._rows import Rows, evenly

Done: TypeAlias = Callable[[int], None]

N_IN_CELL = 2048  # rows of a cell, on average
N_DRAWN = 32  # rows for each cell that middles are found from
N_ROUNDS = 4  # of moving them
ONES = 2**28  # numbers of a matrix of ones and zeros at a time: 1 GB
PROBED = 16, 32, 64, 128, 256  # cells that are compared: the first that do
ENOUGH = 0.95  # of the true neighbours
N_TRIED, N_FOUND = 200, 25  # rows searched to see whether they do, and for how many
SLACK = 1e-5  # of a squared distance


@dataclass(frozen=True, slots=True, eq=False)
class CellsByTorch:
    """Dense rows in cells.

    Attributes
    ----------
    pairs : AllPairsByTorch
        The rows, those of a cell beside each other.
    number : tensor of shape (n,)
        Which row stands at each place.
    place : tensor of shape (n,)
        And where each row stands.
    starts : ndarray of shape (c + 1,)
        Where each cell begins.
    middles : tensor of shape (c, d)
    around : ndarray of shape (c, p)
        For each cell those that are compared, itself first.
    """

    pairs: AllPairsByTorch
    number: Tensor
    place: Tensor
    starts: AnyIndices
    middles: Tensor
    around: AnyIndices

    @classmethod
    def on(cls, device: str, rows: Rows, done: Done) -> CellsByTorch:
        """Return the index of some rows on a device that there is."""
        pairs = AllPairsByTorch.on(device, rows, done)
        return cls.of(pairs, max(len(pairs) // N_IN_CELL, 1))

    @classmethod
    def of(cls, pairs: AllPairsByTorch, n_cells: int) -> CellsByTorch:
        """Return rows that are on a device in so many cells."""
        torch, exact = pairs.torch, pairs.rows.exact
        middles = _middles(pairs, n_cells)
        cell = _nearest(pairs, exact, middles)
        number = cell.sort(stable=True).indices
        place = torch.empty_like(number)
        place[number] = torch.arange(len(number), device=number.device)
        counts = torch.bincount(cell, minlength=n_cells)
        starts = np.append(0, counts.cumsum(0).cpu().numpy())
        moved = replace(pairs, rows=_taken(pairs.rows, number))
        apart = torch.cdist(middles, middles)
        apart.fill_diagonal_(-1.0)
        around = apart.argsort(1)[:, : PROBED[-1]].cpu().numpy()
        return cls(moved, number, place, starts, middles, around)._sufficient()

    def __len__(self) -> int:
        return len(self.pairs)

    def at(self, positions: AnyIndices) -> AnyFloats:
        """Return the rows at some positions."""
        there = self.place[self.pairs.sent(positions.astype(np.int64))]
        found: AnyFloats = self.pairs.rows.exact[there].cpu().numpy()
        return found

    def candidates(self, queries: AnyFloats, k: int) -> AnyIndices:
        """Return the positions of k rows that are, most of them, the nearest."""
        return self.ranked(queries, k)[0]

    def ranked(self, queries: AnyFloats, k: int) -> tuple[AnyIndices, AnyFloats]:
        """Return k near rows, of those as far the first, and squared distances.

        Parameters
        ----------
        queries : ndarray of shape (q, d) and type float32
        k : int
            At most as many as there are rows.
        """
        torch, sent = self.pairs.torch, self.pairs.sent(queries)
        indices = torch.empty((len(sent), k), dtype=torch.int64, device=sent.device)
        squared = torch.empty((len(sent), k), device=sent.device)
        for cell, some in self._by_cell(sent):
            near = self._compared(cell, k)
            at_once = max(self.pairs.n_pairs // len(near), 1)
            for part in some.split(at_once):
                indices[part], squared[part] = self._nearest(sent[part], near, k)
        short = indices.to(torch.int32).cpu().numpy()
        found: AnyFloats = squared.cpu().numpy()
        return short, found

    def _by_cell(self, queries: Tensor) -> Iterator[tuple[int, Tensor]]:
        """Yield each cell that some queries are in, and which these are."""
        torch = self.pairs.torch
        cell = _nearest(self.pairs, queries, self.middles)
        order = cell.sort(stable=True).indices
        counts = torch.bincount(cell, minlength=len(self.middles)).cpu().numpy()
        ends = counts.cumsum()
        for at in np.flatnonzero(counts).tolist():
            yield at, order[ends[at] - counts[at] : ends[at]]

    def _compared(self, cell: int, k: int) -> Tensor:
        """Return the places of the rows of the cells around one; all, if too few."""
        torch, around = self.pairs.torch, self.around[cell]
        counts = self.starts[around + 1] - self.starts[around]
        total, device = int(counts.sum()), self.number.device
        if total < k:
            return torch.arange(len(self), device=device)
        moved = self.starts[around] - (counts.cumsum() - counts)
        steps, sizes = self.pairs.sent(np.stack([moved, counts]))
        by = torch.repeat_interleave(steps, sizes, output_size=total)
        return by + torch.arange(total, device=device)

    def _nearest(self, queries: Tensor, near: Tensor, k: int) -> tuple[Tensor, Tensor]:
        """Return the k nearest of the rows at some places, and how far they are."""
        torch, rows = self.pairs.torch, self.pairs.rows
        factor = factor_of(torch, round_off(torch, queries))
        with few_digits(torch, is_allowed=True):
            apart = factor @ rows.rounded[near].T
        chosen = near[smallest(torch, apart, min(k + SPARE, len(near)))[1]]
        off = rows.exact[chosen] - queries[:, None, :]
        squared, number = (off * off).sum(2), self.number[chosen]
        key = (significant(torch, squared) << 32) | number
        order = key.sort(1).indices[:, :k]
        return number.gather(1, order), squared.gather(1, order)

    def _sufficient(self) -> CellsByTorch:
        """Return the same, with as many cells compared as find enough neighbours."""
        some = self.pairs.rows.exact[:: max(len(self) // N_TRIED, 1)].cpu().numpy()
        k = min(N_FOUND, len(self))
        farthest = self.pairs.ranked(some, k)[1][:, -1:]
        bound = farthest + SLACK * np.maximum(farthest, np.median(farthest))
        for n_cells in PROBED:
            tried = replace(self, around=self.around[:, :n_cells])
            if (tried.ranked(some, k)[1] <= bound).mean() >= ENOUGH:
                break
        return tried


def _taken(rows: Placed, order: Tensor) -> Placed:
    """Return rows in another order, one array after the other."""
    return Placed(
        rows.exact[order], rows.lengths[order], rows.rounded[order], rows.moved
    )


def _middles(pairs: AllPairsByTorch, n_cells: int) -> Tensor:
    """Return middles of cells, from some rows that are spread over all.

    Sums are products with ones and zeros, which are the same from run to run.
    """
    torch, rows = pairs.torch, pairs.rows.exact
    drawn = rows[pairs.sent(evenly(len(rows), N_DRAWN * n_cells))]
    middles = drawn[pairs.sent(evenly(len(drawn), n_cells))]
    names = torch.arange(len(middles), device=rows.device)
    for _ in range(N_ROUNDS):
        cell, total = _nearest(pairs, drawn, middles), torch.zeros_like(middles)
        for part in spans(len(drawn), max(ONES // len(middles), 1)):
            ones = (cell[part][:, None] == names).to(rows.dtype)
            total += ones.T @ drawn[part]
        counts = torch.bincount(cell, minlength=len(middles))[:, None]
        middles = torch.where(counts > 0, total / counts.clip(min=1), middles)
    return middles


def _nearest(pairs: AllPairsByTorch, queries: Tensor, middles: Tensor) -> Tensor:
    """Return the nearest middle of each query; of those as near, the first."""
    torch, lengths = pairs.torch, (middles * middles).sum(1)
    found = [
        torch.addmm(lengths, some, middles.T, alpha=-2).argmin(1)
        for some in queries.split(max(pairs.n_pairs // len(middles), 1))
    ]
    return torch.cat(found)
