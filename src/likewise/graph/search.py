"""Which search: the one place that decides, by the number of samples and features.

===========  ======================  =============================================
kind         for                     by
===========  ======================  =============================================
``whole``    up to 20,000 samples    scikit-learn, float64, exact
``flat``     n n d up to 1.5e12      faiss, all pairs in float32, exact
``hnsw``     more than that          faiss, a graph of links (M = 16,
                                     efConstruction = 64, efSearch = 64 or as
                                     many more as 95 % of neighbours need)
``blocks``   instead of these two    scikit-learn, all pairs in float32, exact;
                                     where the extra ``scale`` is not installed
``products`` sparse samples          sparse products, all pairs, exact
===========  ======================  =============================================
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib.util import find_spec

import scipy.sparse as sp

from likewise.arrays import FEW, Samples
from likewise.errors import InputError

AFFORDABLE = 1.5e12  # n n d: about a minute on one core, and as fast as links there
NARROW = 64  # fewer features than this cost as much as this many
LINKS = 200  # bytes of links beside each row
SHARD_BYTES = 2**31  # rows that are searched in at a time, with their links
BLOCK_BYTES = 2**22  # rows that are searched for at a time
AT_ONCE = 1.5e10  # pairs times features, between two words about progress
FEWEST = 256  # rows that are searched for at a time, where all pairs are compared
PROOF_BYTES = 2**26  # rows that a few are searched for in at a time
PRODUCT_BYTES = 2**26  # products of sparse samples at a time
KINDS = ("whole", "flat", "hnsw", "blocks", "products")


@dataclass(frozen=True, slots=True)
class Search:
    """How nearest neighbours are searched.

    Attributes
    ----------
    kind : {"whole", "flat", "hnsw", "blocks", "products"}
        As in the table above.
    shard : int
        Rows that are searched in at a time.
    block : int
        Rows that are searched for at a time.
    """

    kind: str
    shard: int
    block: int

    def __post_init__(self) -> None:
        if self.kind not in KINDS or min(self.shard, self.block) < 1:
            raise InputError(
                f"There is no search {self.kind!r} of {self.shard} and {self.block} "
                f"rows at a time. Choose one of: {', '.join(KINDS)}, and rows from 1 "
                f"on."
            )


def search_for(X: Samples) -> Search:
    """Return the search that suits so many samples of so many features.

    Examples
    --------
    >>> import numpy as np
    >>> search_for(np.zeros((100, 5))).kind
    'whole'
    """
    n, d = X.shape
    if n <= FEW:
        return Search("whole", n, n)
    return search_of(kind_for(n, d, is_sparse=sp.issparse(X)), n, d)


def kind_for(n: int, d: int, *, is_sparse: bool = False) -> str:
    """Return the kind of search for many samples."""
    if is_sparse:
        return "products"
    if not has_faiss():
        return "blocks"
    return "flat" if n * n * max(d, NARROW) <= AFFORDABLE else "hnsw"


def search_of(kind: str, n: int, d: int) -> Search:
    """Return a search of some kind, with as many rows at a time as memory should."""
    if kind == "products":
        return Search(kind, n, max(PRODUCT_BYTES // (8 * n), 1))
    shard = min(n, max(SHARD_BYTES // (4 * d + LINKS), 1))
    block = max(BLOCK_BYTES // (4 * d), 1)
    if kind != "hnsw":
        block = min(block, max(int(AT_ONCE / (shard * max(d, NARROW))), FEWEST))
    return Search(kind, shard, block)


def exact_search(X: Samples) -> Search:
    """Return an exact search for some rows among all."""
    n, d = X.shape
    if sp.issparse(X):
        return search_of("products", n, d)
    shard = max(PROOF_BYTES // (4 * d), 1)
    return replace(search_of(exact_kind(), n, d), shard=min(n, shard))


def exact_kind() -> str:
    """Return the fastest kind that is exact, for dense samples."""
    return "flat" if has_faiss() else "blocks"


def has_faiss() -> bool:
    """Tell whether the extra ``scale`` is installed."""
    return find_spec("faiss") is not None
