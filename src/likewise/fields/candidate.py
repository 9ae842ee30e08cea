"""A question that may be asked, and what it is worth."""

from __future__ import annotations

from dataclasses import dataclass

from likewise.answers import Question

WORTH_A_CHECK = 0.1  # pairs that asking again must be expected to change
LIKELY = 0.5  # more likely than not


@dataclass(frozen=True, slots=True)
class Candidate:
    """A question that may be asked.

    Attributes
    ----------
    gain : float
        What it counts when it is chosen; infinite for a sample under way.
    worth : float
        The pairs that its answer is expected to change.
    question : Question
    """

    gain: float
    worth: float
    question: Question
