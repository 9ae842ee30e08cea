"""What screens cost a person, in seconds: expected, and learned from how long they take."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import astuple, dataclass

import numpy as np

from likewise._arrays import Floats
from likewise.errors import InputError
from likewise.knowledge._screens import Shown

PRECISION = 4.0  # screens that what is assumed of each part counts for
BREAK = 4.0  # times longer than expected: the person did something else
ROBUST = 0.5  # relative error from which on a screen counts less
LEAST, MOST = 0.2, 5.0  # times what is assumed
N_STEPS = 10


@dataclass(frozen=True, slots=True)
class Costs:
    """Seconds of a person.

    A pair takes `pair`, two groups `groups`. A sheet takes `base`, `item` for each
    item, `tap` for each one tapped, and for each pile `pile` and `choice` for each
    group that is offered. An overview takes `base`, `item` for each group and `tap`.

    Examples
    --------
    >>> Costs().sheet(n_items=12, n_taps=2)
    7.3
    """

    pair: float = 2.0
    groups: float = 2.5
    base: float = 1.5
    item: float = 0.35
    tap: float = 0.8
    pile: float = 2.0
    choice: float = 0.4

    def __post_init__(self) -> None:
        if not all(np.isfinite(cost) and cost > 0 for cost in astuple(self)):
            raise InputError(f"Seconds are positive numbers, but these are {self}.")

    def sheet(self, n_items: float, n_taps: float = 0.0) -> float:
        """Return what a sheet takes, but for piles; or an overview of groups."""
        return self.base + self.item * n_items + self.tap * n_taps

    def sorting(self, n_offered: float) -> float:
        """Return what a pile takes that is put into one of so many groups."""
        return self.pile + self.choice * n_offered
