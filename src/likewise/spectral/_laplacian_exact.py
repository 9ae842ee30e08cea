"""Similarities with the answers written in, and the Laplacians made of them, exactly.

Spectral learning (paper, 3.1) sets the weight of every must-linked pair to 1 and of
every cannot-linked pair to c. Over the known samples that block is

    Y (I + c A) Y' - I,

Y the membership of samples in groups and A the graph of groups known to be apart. It is
applied as it stands there, never stored entry by entry; pairs whose relation is not
known keep their weight. For many samples :mod:`likewise.spectral._laplacian_large`
does the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sp

from likewise._arrays import Floats, Indices, Sparse, Weights, dense
from likewise.knowledge import Constraints


@dataclass(frozen=True, slots=True)
class Blocks:
    """The known samples by group.

    Attributes
    ----------
    samples : ndarray of shape (o,)
    group : ndarray of shape (o,)
        The position of each one's group, 0..m-1.
    apart : csr_array of shape (m, m)
        1 where two groups are known to be apart: A above.
    """

    samples: Indices
    group: Indices
    apart: Sparse

    @property
    def sizes(self) -> Floats:
        """Number of samples in each group."""
        return np.bincount(self.group, minlength=self.apart.shape[0]).astype(np.float64)

    def same(self, i: Indices, j: Indices) -> np.ndarray:
        """Tell for pairs of positions in `samples` whether they are must-linked."""
        return self.group[i] == self.group[j]

    def different(self, i: Indices, j: Indices) -> np.ndarray:
        """Tell for pairs of positions in `samples` whether they are cannot-linked."""
        looked_up = self.apart[self.group[i], self.group[j]]
        return dense(looked_up).ravel() > 0


def known_blocks(constraints: Constraints, groups: Sequence[int]) -> Blocks:
    """Return the blocks of the groups named."""
    position = {group: index for index, group in enumerate(groups)}
    members = [constraints.samples(group) for group in groups]
    edges = [
        (position[group], position[other])
        for group in groups
        for other in constraints.apart_from(group)
        if other in position
    ]
    rows, columns = np.array(edges, dtype=np.intp).reshape(-1, 2).T
    shape = (len(groups), len(groups))
    return Blocks(
        samples=np.array([s for block in members for s in block], dtype=np.intp),
        group=np.repeat(np.arange(len(groups)), list(map(len, members))),
        apart=sp.csr_array((np.ones(len(edges)), (rows, columns)), shape=shape),
    )


@dataclass(frozen=True)
class ConstrainedWeights:
    """The similarity matrix with the answers written in, as an operator.

    Attributes
    ----------
    kept : ndarray or csr_array of shape (n, n)
        The weights of all pairs whose relation is not known.
    blocks : Blocks
    cannot_link : float
        The weight c of a cannot-linked pair.
    """

    kept: Weights
    blocks: Blocks
    cannot_link: float = 0.0

    @classmethod
    def of(cls, W: Weights, blocks: Blocks, cannot_link: float) -> ConstrainedWeights:
        """Return W with the known pairs replaced."""
        if not blocks.samples.size:
            return cls(W, blocks, cannot_link)
        inside = sp.coo_array(W[blocks.samples][:, blocks.samples])
        i, j = inside.coords
        known = blocks.same(i, j) | blocks.different(i, j)
        rows, columns = blocks.samples[i[known]], blocks.samples[j[known]]
        if not sp.issparse(W):
            kept = W.copy()
            kept[rows, columns] = 0.0
            return cls(kept, blocks, cannot_link)
        gone = sp.csr_array((inside.data[known], (rows, columns)), shape=W.shape)
        kept = sp.csr_array(W - gone)
        kept.eliminate_zeros()
        return cls(kept, blocks, cannot_link)

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return int(self.kept.shape[0])

    def __matmul__(self, X: Floats) -> Floats:
        """Return the product with a vector or with the columns of a matrix."""
        product: Floats = self.kept @ X
        blocks = self.blocks
        if blocks.samples.size:
            mine = X[blocks.samples]
            sums = np.zeros((len(blocks.sizes), *X.shape[1:]))
            np.add.at(sums, blocks.group, mine)
            across = sums + self.cannot_link * (blocks.apart @ sums)
            product[blocks.samples] += across[blocks.group] - mine
        loops = self._loops
        return product if loops is None else product + (loops * X.T).T

    def toarray(self) -> Floats:
        """Return the whole matrix."""
        full: Floats = dense(self.kept).copy()
        blocks = self.blocks
        if blocks.samples.size:
            block = np.eye(len(blocks.sizes)) + self.cannot_link * dense(blocks.apart)
            known = block[blocks.group][:, blocks.group]
            known[np.diag_indices_from(known)] -= 1.0
            full[np.ix_(blocks.samples, blocks.samples)] += known
        if self._loops is not None:
            full[np.diag_indices_from(full)] += self._loops
        return full

    def degrees(self) -> Floats:
        """Return the row sums."""
        return self @ np.ones(self.n_samples)

    def absolute_degrees(self) -> Floats:
        """Return the row sums of absolute values."""
        degrees = self._weighted_degrees
        return degrees if self._loops is None else degrees + self._loops

    @cached_property
    def _weighted_degrees(self) -> Floats:
        degrees: Floats = np.asarray(self.kept.sum(axis=1)).ravel().copy()
        blocks = self.blocks
        if blocks.samples.size:
            weight = (
                blocks.sizes - 1 + abs(self.cannot_link) * (blocks.apart @ blocks.sizes)
            )
            degrees[blocks.samples] += weight[blocks.group]
        return degrees

    @cached_property
    def _loops(self) -> Floats | None:
        # A known sample that is tied to nothing is a cluster of its own.
        lone = self.blocks.samples[self._weighted_degrees[self.blocks.samples] == 0]
        if not lone.size:
            return None
        loops = np.zeros(self.n_samples)
        loops[lone] = 1.0
        return loops


@dataclass(frozen=True, slots=True)
class Laplacian:
    """L = diag(a) - diag(s) W diag(s), as an operator.

    Attributes
    ----------
    weights : ConstrainedWeights
    diagonal : ndarray of shape (n,)
        a above.
    scale : ndarray of shape (n,)
        s above.
    is_normalised : bool
        Whether s depends on W, as in the symmetric normalised Laplacian.
    """

    weights: ConstrainedWeights
    diagonal: Floats
    scale: Floats
    is_normalised: bool

    def __matmul__(self, X: Floats) -> Floats:
        """Return the product with a vector or with the columns of a matrix."""
        moved: Floats = self.weights @ (self.scale * X.T).T
        return (self.diagonal * X.T - self.scale * moved.T).T

    @property
    def top(self) -> float:
        """What no eigenvalue is above, by the sums of absolute entries of its rows.

        Those of s W s are at most 1 where s makes it so; else s is the same everywhere.
        """
        around = self.scale**2 * self.weights.absolute_degrees()
        return float((np.abs(self.diagonal) + around).max(initial=0.0)) or 1.0

    def toarray(self) -> Floats:
        """Return the whole matrix."""
        scaled = self.scale[:, np.newaxis] * self.weights.toarray() * self.scale
        return np.diag(self.diagonal) - scaled


def signed_normalised(weights: ConstrainedWeights) -> Laplacian:
    """Return I - D^-1/2 W D^-1/2, with D the sums of absolute weights."""
    degrees = weights.absolute_degrees()
    scale = np.zeros_like(degrees)
    np.divide(1.0, np.sqrt(degrees), out=scale, where=degrees > 0)
    return Laplacian(weights, np.ones_like(degrees), scale, is_normalised=True)


def unnormalised(weights: ConstrainedWeights) -> Laplacian:
    """Return D - W as the paper writes it, with D the plain row sums."""
    degrees = weights.degrees()
    return Laplacian(weights, degrees, np.ones_like(degrees), is_normalised=False)


def additive(weights: ConstrainedWeights) -> Laplacian:
    """Return I - (W + d_max I - D) / d_max, Kamvar's additive normalisation.

    References
    ----------
    S. D. Kamvar, D. Klein, C. D. Manning. Spectral Learning. IJCAI 2003.
    """
    degrees = weights.degrees()
    largest = max(float(np.abs(degrees).max()), 1e-300)
    scale = np.full_like(degrees, 1 / np.sqrt(largest))
    return Laplacian(weights, degrees / largest, scale, is_normalised=False)
