"""What became of a claim: holds, holds in part, does not hold, was not run."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Finding(Enum):
    """What became of a claim."""

    HOLDS = "holds"
    IN_PART = "holds in part"
    FAILS = "does not hold"
    NOT_RUN = "not run"


@dataclass(frozen=True, slots=True)
class Case:
    """One comparison.

    Attributes
    ----------
    where : str
        The plot.
    left, right : str
        What is compared with what.
    left_value, right_value : float
    holds : bool
        Whether it came out as claimed.
    """

    where: str
    left: str
    left_value: float
    right: str
    right_value: float
    holds: bool

    def __str__(self) -> str:
        return (
            f"{self.where} ({self.left} {self.left_value:.3f}, "
            f"{self.right} {self.right_value:.3f})"
        )


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim and the cases that bear on it.

    Attributes
    ----------
    title : str
    said : str
        What is claimed, in our words.
    reading : str
        What was compared here, and when a case counts as kept.
    cases : tuple of Case
    needed : float
        The share of the cases that must be kept for the claim to hold.
    ours : bool
        Whether it is this project's claim and not the paper's.
    absent : tuple of str
        Methods that it speaks of and that were run nowhere; without them it cannot
        hold in full.
    """

    title: str
    said: str
    reading: str
    cases: tuple[Case, ...]
    needed: float = 1.0
    ours: bool = False
    absent: tuple[str, ...] = ()

    @property
    def kept(self) -> int:
        """In how many cases it came out as claimed."""
        return sum(case.holds for case in self.cases)

    @property
    def finding(self) -> Finding:
        """The needed share kept: holds; at least half of it: in part; less: not."""
        if not self.cases:
            return Finding.NOT_RUN
        share = self.kept / len(self.cases)
        if share >= self.needed and not self.absent:
            return Finding.HOLDS
        return Finding.IN_PART if share >= self.needed / 2 else Finding.FAILS

    @property
    def measured(self) -> str:
        """What was found, in words; the exceptions with their numbers."""
        if not self.cases:
            return "Nothing that bears on it was run."
        exceptions = [str(case) for case in self.cases if not case.holds]
        found = f"{self.kept} of {len(self.cases)} cases."
        if exceptions:
            found += f" Not so: {'; '.join(exceptions)}."
        return found + (f" Not run: {', '.join(self.absent)}." if self.absent else "")
