"""How many items have changed their group lately."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from likewise._arrays import Indices

LATELY = 10  # answers over which moving items are counted


@dataclass
class Movement:
    """The clusters after each of the last answers that somebody looked at."""

    seen: deque[tuple[int, NDArray[Any]]] = field(default_factory=deque)

    def count(self, n_answers: int, labels: Indices) -> int:
        """Return how many items changed their group over the last answers."""
        if not self.seen or self.seen[-1][0] != n_answers:
            self.seen.append((n_answers, labels.astype(np.int32)))
        while len(self.seen) > 1 and self.seen[1][0] <= n_answers - LATELY:
            self.seen.popleft()
        before = self.seen[0][1]
        if len(before) != len(labels) or np.array_equal(before, labels):
            return 0
        return moved_between(before, labels)


def moved_between(before: NDArray[Any], labels: Indices) -> int:
    """Return how many items are not with most of those that they were with.

    Examples
    --------
    >>> moved_between(np.array([0, 0, 0, 1]), np.array([2, 2, 0, 0]))
    1
    """
    ones = np.ones(len(labels), dtype=np.intp)
    pairs = sp.coo_array((ones, (before + 1, labels + 1))).tocsr()
    return len(labels) - int(pairs.max(axis=1).sum())
