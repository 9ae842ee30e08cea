"""What the method learns from its own hits."""

from __future__ import annotations

from dataclasses import dataclass, replace

from likewise.answers import Prediction


@dataclass(frozen=True, slots=True)
class Tally:
    """What the method learns from its own hits; the starting counts are its priors.

    Attributes
    ----------
    hits, misses : float
        First questions on a sample, weighted by how far it was from settled ones: was
        it of its likeliest class.
    new, old : float
        Samples that missed: how many founded a class, how many found one.
    groups : tuple of (float, bool)
        For each question about two classes: how close they were, and whether same.
    firsts : tuple of (float, bool)
        For each first question on a sample: the probability given, and whether same.
    """

    hits: float = 4.0
    misses: float = 1.0
    new: float = 1.0
    old: float = 1.0
    groups: tuple[tuple[float, bool], ...] = ()
    firsts: tuple[tuple[float, bool], ...] = ()

    def after(self, predicted: Prediction, sign: int, *, is_first: bool) -> Tally:
        """Return the tally with one more answer in it."""
        same = sign > 0
        if predicted.kind == "groups":
            return replace(self, groups=(*self.groups, (predicted.aux, same)))
        if predicted.kind != "sample" or not is_first:
            return self
        return replace(
            self,
            hits=self.hits + predicted.aux * same,
            misses=self.misses + predicted.aux * (not same),
            firsts=(*self.firsts, (predicted.same, same)),
        )
