"""All pairs, compared by torch on a graphics card: few digits choose, float32 decides.

A card multiplies fastest with eleven binary digits (TF32). So the rows are rounded to
eleven digits here, in a copy, and products of the copy are exact but for their sums:
what comes out is the distance of points that are moved a little, each by a length that
is known. Some more candidates than are wanted are chosen by it, and measured again by
differences in float32. No row that was not chosen can be nearer than the last of them
by more than the two points are moved: where that leaves a doubt, products in float32
choose, and more of them. The result is that of an exact search.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import ModuleType
from typing import Any, TypeAlias

import numpy as np

from likewise._arrays import AnyFloats, AnyIndices, spans
from likewise.affinity._devices import torch_for
from likewise.affinity._rows import Rows
from likewise.errors import InputError

Tensor: TypeAlias = Any  # torch may be missing, and with it its types

N_TAKEN = 1 << 17  # rows that are brought there at a time
N_QUERIES = 4096  # rows that are searched for at a time
COMPARED = {"cpu": 2**22, "cuda": 2**30}  # pairs at a time; at most
PART = 8  # of the free memory, that pairs compared at a time may take
HELD = 2  # and that the rows may take
N_GROUP = 32  # columns of which first only the least is looked at
SPARE = 16  # candidates beyond those wanted
WIDER = 8  # times as many, where a doubt is left
WIDEST = 1024  # candidates at most
DIGITS = 2.0**-11  # of a number, that rounding to eleven digits takes at most
SINGLE = 2.0**-23  # the same of float32, where a sum is cut and not rounded
SAME = 2.0**-18  # of a squared distance, below which two count as the same
BESIDE = 8  # columns beside the features; three of them are used
CUT_BITS, KEPT_BITS = 13, 4  # of float32, that are rounded away: see `significant`


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """Rows where torch can compare them.

    Attributes
    ----------
    exact : tensor of shape (n, d)
    lengths : tensor of shape (n,)
        Their squared lengths.
    rounded : tensor of shape (n, d + 8)
        To eleven digits; beside them, in three parts, their own squared lengths.
    moved : float
        How far a row is from the rounded one at most.
    """

    exact: Tensor
    lengths: Tensor
    rounded: Tensor
    moved: float


@dataclass(frozen=True, slots=True, eq=False)
class AllPairsByTorch:
    """Dense rows, all of which torch compares with the queries.

    Attributes
    ----------
    torch : module
    device : str
        As torch calls it.
    rows : Placed
    n_pairs : int
        How many pairs are compared at a time.
    """

    torch: ModuleType
    device: str
    rows: Placed
    n_pairs: int

    @classmethod
    def on(
        cls, device: str, rows: Rows, done: Callable[[int], None]
    ) -> AllPairsByTorch:
        """Return the index of some rows on a device that there is."""
        torch, name = _found(device)
        placed = _placed(torch, name, rows, done)
        n_pairs = min(COMPARED[name], _free(torch, name) // PART // 4)
        return cls(torch, name, placed, n_pairs)

    def __len__(self) -> int:
        return int(self.rows.exact.shape[0])

    def at(self, positions: AnyIndices) -> AnyFloats:
        """Return the rows at some positions."""
        taken = self.rows.exact[self.sent(positions.astype(np.int64))]
        found: AnyFloats = taken.cpu().numpy()
        return found

    def candidates(self, queries: AnyFloats, k: int) -> AnyIndices:
        """Return the positions of the k nearest rows."""
        return self.ranked(queries, k)[0]

    def ranked(self, queries: AnyFloats, k: int) -> tuple[AnyIndices, AnyFloats]:
        """Return the k nearest rows, of those as far the first, and squared distances.

        Parameters
        ----------
        queries : ndarray of shape (q, d) and type float32
        k : int
            At most as many as there are rows.
        """
        indices = np.empty((len(queries), k), dtype=np.int32)
        squared = np.empty((len(queries), k), dtype=np.float32)
        for span in spans(len(queries), N_QUERIES):
            near, apart = self._sure(self.sent(queries[span]), k)
            indices[span], squared[span] = near.cpu().numpy(), apart.cpu().numpy()
        return indices, squared

    def sent(self, values: AnyFloats | AnyIndices) -> Tensor:
        """Return numbers on the device."""
        return self.torch.from_numpy(np.ascontiguousarray(values)).to(self.device)

    def _sure(self, queries: Tensor, k: int) -> tuple[Tensor, Tensor]:
        """Return the k nearest; where a doubt is left, look again in float32."""
        width = min(k + SPARE, len(self))
        near, apart, doubtful = self._tried(queries, k, width, is_rounded=True)
        while len(doubtful) and width < min(WIDEST, len(self)):
            width = min(WIDER * width, WIDEST, len(self))
            left = []
            for some in doubtful.split(max(N_QUERIES * SPARE // width, 1)):
                again = self._tried(queries[some], k, width, is_rounded=False)
                near[some], apart[some] = again[:2]
                left.append(some[again[2]])
            doubtful = self.torch.cat(left)
        return near, apart

    def _tried(
        self, queries: Tensor, k: int, width: int, *, is_rounded: bool
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return the k nearest of so many candidates, and for which there is a doubt.

        Three tensors: positions, squared distances, and which of the queries.
        """
        found, farthest, moved = self._chosen(queries, width, is_rounded=is_rounded)
        apart = self.rows.exact[found] - queries[:, None, :]
        squared = (apart * apart).sum(2)
        key = (significant(self.torch, squared) << 32) | found
        order = key.sort(1).indices[:, :k]
        near, squared = found.gather(1, order), squared.gather(1, order)
        if width == len(self):
            return near, squared, order.new_zeros(0)
        reach, length = squared[:, -1].sqrt(), (queries * queries).sum(1).sqrt()
        blur = (queries.shape[1] + BESIDE) * SINGLE * 4 * (length + reach) ** 2
        if is_rounded:
            reach = (
                reach + moved + (DIGITS * (length + reach)).clip(max=self.rows.moved)
            )
        is_sure = farthest > reach * reach * (1 + SAME) + blur
        return near, squared, (~is_sure).nonzero()[:, 0]

    def _chosen(
        self, queries: Tensor, width: int, *, is_rounded: bool
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return candidates, how far the last is, squared, and how far queries moved.

        No other row is nearer than the last of them, as far as products can tell.
        """
        torch, size = self.torch, max(self.n_pairs // len(queries), 1)
        near = round_off(torch, queries) if is_rounded else queries
        factor = factor_of(torch, near) if is_rounded else None
        best = found = near.new_zeros((len(queries), 0))
        with few_digits(torch, is_allowed=is_rounded):
            for span in spans(len(self), size):
                apart = self._products(near, span, factor)
                least, at = smallest(torch, apart, width)
                del apart  # before as much is needed again
                best = torch.hstack([best, least])
                found = torch.hstack([found.to(at.dtype), at + span.start])
                if best.shape[1] > width:
                    best, order = best.topk(width, largest=False, sorted=False)
                    found = found.gather(1, order)
        moved = ((queries - near) ** 2).sum(1).sqrt()
        return found, best.max(1).values + (near * near).sum(1), moved

    def _products(self, near: Tensor, span: slice, factor: Tensor | None) -> Tensor:
        """Return squared distances to some rows, less the query's squared length."""
        if factor is not None:
            return factor @ self.rows.rounded[span].T
        return self.torch.addmm(
            self.rows.lengths[span], near, self.rows.exact[span].T, alpha=-2
        )


def _found(device: str) -> tuple[ModuleType, str]:
    found = torch_for(device)
    if found is None:
        raise InputError(
            f"There is no device {device!r} that neighbours could be searched on: "
            f"choose another search."
        )
    return found


def rows_that_fit(device: str, d: int) -> int:
    """Return how many rows of so many features a device holds, with room to work."""
    torch, name = _found(device)
    return max(_free(torch, name) // HELD // (4 * (2 * d + BESIDE + 1)), 1)


def _free(torch: ModuleType, device: str) -> int:
    """Return the bytes that are free on a device."""
    if device == "cpu":
        return 2**32
    return int(torch.cuda.mem_get_info()[0])


def _placed(
    torch: ModuleType, device: str, rows: Rows, done: Callable[[int], None]
) -> Placed:
    n, d = len(rows), rows.n_features
    exact = torch.empty((n, d), device=device)
    lengths = torch.empty(n, device=device)
    rounded = torch.empty((n, d + BESIDE), device=device)
    moved = 0.0
    for span in spans(n, N_TAKEN):
        exact[span] = torch.from_numpy(rows[span]).to(device)
        lengths[span] = (exact[span] ** 2).sum(1)
        near = round_off(torch, exact[span])
        rounded[span] = _with_lengths(torch, near)
        moved = max(moved, float(((exact[span] - near) ** 2).sum(1).max()) ** 0.5)
        done(span.stop - span.start)
    return Placed(exact, lengths, rounded, moved)


def _with_lengths(torch: ModuleType, near: Tensor) -> Tensor:
    """Return rounded rows with their squared lengths beside them, in three parts.

    Eleven digits each: together they are those of float32, and more.
    """
    rest, beside = (near * near).sum(1, keepdim=True), []
    for _ in range(3):
        beside.append(round_off(torch, rest))
        rest = rest - beside[-1]
    empty = near.new_zeros((len(near), BESIDE - 3))
    return torch.hstack([near, *beside, empty])


def factor_of(torch: ModuleType, near: Tensor) -> Tensor:
    """Return what rounded rows are multiplied with to give squared distances.

    But for the squared length of the query, which all of its distances have.
    """
    beside = near.new_zeros((len(near), BESIDE))
    beside[:, :3] = 1.0
    return torch.hstack([-2 * near, beside])


def round_off(torch: ModuleType, values: Tensor) -> Tensor:
    """Return float32 rounded to eleven binary digits, those that TF32 multiplies."""
    half = 1 << (CUT_BITS - 1)
    bits = values.contiguous().view(torch.int32) + half
    return (bits & -(1 << CUT_BITS)).view(torch.float32)


def significant(torch: ModuleType, squared: Tensor) -> Tensor:
    """Return whole numbers in the order of float32 that are not negative.

    To 20 binary digits: what is the same but for rounding becomes the same, as
    :func:`~likewise._arrays.significant` makes it.
    """
    bits = squared.view(torch.int32).to(torch.int64)
    half = (1 << (KEPT_BITS - 1)) - 1 + ((bits >> KEPT_BITS) & 1)
    return (bits + half) >> KEPT_BITS


def smallest(torch: ModuleType, values: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """Return the k smallest entries of each row and their columns, in any order.

    They are in those k of the groups of 32 columns whose least entries are the
    smallest: to look at all entries once and at few of them again takes less than half
    of the time.
    """
    count = values.shape[1]
    m = count // N_GROUP
    if m < 2 * k:
        found = values.topk(min(k, count), largest=False, sorted=False)
        return found.values, found.indices
    least = values[:, : m * N_GROUP].unflatten(1, (N_GROUP, m)).amin(1)
    groups = least.topk(k, largest=False, sorted=False).indices
    steps = m * torch.arange(N_GROUP, device=values.device)
    columns = (groups[:, None, :] + steps[None, :, None]).flatten(1)
    rest = torch.arange(m * N_GROUP, count, device=values.device)
    columns = torch.hstack([columns, rest.expand(len(values), -1)])
    least, order = values.gather(1, columns).topk(k, largest=False, sorted=False)
    return least, columns.gather(1, order)


@contextmanager
def few_digits(torch: ModuleType, *, is_allowed: bool) -> Iterator[None]:
    """Let a card multiply with eleven digits, or with all; and then as it was told."""
    matmul = torch.backends.cuda.matmul
    has_names = hasattr(matmul, "fp32_precision")  # from torch 2.9 on
    before = matmul.fp32_precision if has_names else matmul.allow_tf32
    matmul.allow_tf32 = is_allowed  # which sets the other one, too
    try:
        yield
    finally:
        matmul.allow_tf32 = before == "tf32" if has_names else before
        if has_names:
            matmul.fp32_precision = before
