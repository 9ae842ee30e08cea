"""Questions about pairs, what a method expected of them, and answers."""

from __future__ import annotations

from dataclasses import dataclass, field

from likewise.constraints import Verdict

GO_ON, NEW, STAY = -1, -2, -3  # what "different" may mean, besides "with that sample"


@dataclass(frozen=True, slots=True)
class Prediction:
    """What a method expected when it asked, and what each answer would mean.

    It is kept with the answer, so that what a method concludes from answers, and the
    rates that it learns from its own hits, are functions of the journal alone.

    Parameters
    ----------
    same : float
        The probability of "same".
    kind : {"sample", "groups", "check", "check groups"}
        A sample against a group, or two groups; a check asks what is known already.
    aux : float
        What the probability was made of: how far the sample is from settled ones, or
        how close the two groups are.
    if_same : bool
        Whether "same" is enough to conclude.
    if_different : int
        What "different" concludes: ask on (GO_ON), a group of its own (NEW), nothing
        (STAY), or the sample that it then belongs with.
    """

    same: float
    kind: str = "sample"
    aux: float = 0.0
    if_same: bool = True
    if_different: int = GO_ON


@dataclass(frozen=True, slots=True)
class Question:
    """A pair of samples: are they of the same group, or of different ones.

    Two questions are equal when they compare the same samples in the same order.

    Parameters
    ----------
    sample : int
        The sample to be placed.
    against : int
        The sample it is compared with.
    predicted : Prediction or None
        What the method expected when it asked; no part of equality.
    """

    sample: int
    against: int
    predicted: Prediction | None = field(default=None, compare=False)

    @property
    def pair(self) -> tuple[int, int]:
        """The two samples, smaller index first."""
        return min(self.sample, self.against), max(self.sample, self.against)

    @property
    def is_check(self) -> bool:
        """Whether the relation follows from earlier answers already."""
        return self.predicted is not None and self.predicted.kind.startswith("check")


@dataclass(frozen=True, slots=True)
class Answer:
    """A question with its verdict, as the journal keeps it.

    Parameters
    ----------
    question : Question
    verdict : Verdict
    id : int
        Its number in the journal, from 1 on; 0 while it is not recorded.
    how : str
        "asked" (the method asked it), "told" (nobody asked), "given" (known from the
        start) or "group" (implied by placing a sample into a group).
    """

    question: Question
    verdict: Verdict
    id: int = 0
    how: str = "asked"

    def __str__(self) -> str:
        number = f"answer {self.id}: " if self.id else ""
        return (
            f"{number}{self.question.sample} and {self.question.against} "
            f"are {self.verdict.value}"
        )
