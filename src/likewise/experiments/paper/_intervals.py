"""Intervals of means over repeats, and what they show of a difference."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from math import inf, isfinite, nan, sqrt

import numpy as np
from scipy.stats import t as student

from likewise._arrays import Floats

LEVEL = 0.95  # how often such an interval holds the mean
FEWEST = 3  # repeats; of fewer nothing is said


class Shown(Enum):
    """What the runs show of one comparison."""

    YES = "yes"
    NO = "no"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean over repeats and the 95 % interval around it.

    Attributes
    ----------
    mean, low, high : float
        From minus to plus infinity where there are too few repeats to say.
    n : int
        How many repeats.

    Notes
    -----
    It covers what differs from repeat to repeat: which 90 % of the samples are taken,
    and chance. It does not cover what other data sets would have shown.
    """

    mean: float
    low: float
    high: float
    n: int

    @property
    def is_known(self) -> bool:
        """Whether there were repeats enough for an interval."""
        return isfinite(self.low)

    @property
    def half(self) -> float:
        """Half its width; infinite where it is not known."""
        return (self.high - self.low) / 2

    def above(self, threshold: float = 0.0) -> Shown:
        """Tell whether what was measured is more than a threshold.

        Examples
        --------
        >>> Interval(0.1, 0.05, 0.15, 10).above(), Interval(0.1, -0.1, 0.3, 10).above()
        (<Shown.YES: 'yes'>, <Shown.OPEN: 'open'>)
        """
        if self.low > threshold:
            return Shown.YES
        return Shown.NO if self.high <= threshold else Shown.OPEN

    def within(self, bound: float) -> Shown:
        """Tell whether what was measured is between minus and plus a bound."""
        if -bound <= self.low and self.high <= bound:
            return Shown.YES
        return Shown.NO if self.low > bound or self.high < -bound else Shown.OPEN

    @property
    def bounds(self) -> str:
        """Its ends, in brackets; nothing where they are not known."""
        return f"[{self.low:+.3f}, {self.high:+.3f}]" if self.is_known else ""

    def __str__(self) -> str:
        return f"{self.mean:+.3f} {self.bounds}".rstrip()


def interval_of(values: Iterable[float]) -> Interval:
    r"""Return the mean of some values and Student's 95 % interval of it.

    The half width is :math:`t_{0.975,\,n-1}\, s / \sqrt{n}`, s the standard deviation
    with n - 1 in its denominator.

    Examples
    --------
    >>> str(interval_of([0.1, 0.2, 0.3]))
    '+0.200 [-0.048, +0.448]'
    >>> str(interval_of([0.1, 0.2]))
    '+0.150'
    """
    found = np.fromiter(values, dtype=np.float64)
    n, mean = len(found), float(found.mean()) if len(found) else nan
    if n < FEWEST:
        return Interval(mean, -inf, inf, n)
    half = factor(n) * float(found.std(ddof=1))
    return Interval(mean, mean - half, mean + half, n)


def half_widths(values: Floats) -> Floats:
    """Return half of the interval of each column's mean; infinite of too few rows.

    Parameters
    ----------
    values : ndarray of shape (n_repeats, n_points)

    Examples
    --------
    >>> half_widths(np.array([[0.1], [0.2], [0.3]])).round(3).tolist()
    [0.248]
    """
    if len(values) < FEWEST:
        return np.full(values.shape[1], inf)
    return np.asarray(factor(len(values)) * values.std(axis=0, ddof=1))


def factor(n: int) -> float:
    """Return what a standard deviation over n repeats is multiplied by."""
    return float(student.ppf((1 + LEVEL) / 2, n - 1)) / sqrt(n)


def all_of(shown: Iterable[Shown]) -> Shown:
    """Return yes where all are, no where one is, open otherwise."""
    found = set(shown)
    if Shown.NO in found:
        return Shown.NO
    return Shown.OPEN if Shown.OPEN in found else Shown.YES
