"""A session on two rows of samples, and two short words for driving it."""

from __future__ import annotations

import numpy as np

from likewise import Question, Session

# Two rows of six samples, 0 to 5 and 6 to 11, far from each other.
LINE = np.arange(12.0)[:, np.newaxis] + 20.0 * (np.arange(12) >= 6)[:, np.newaxis]


def told(session: Session) -> list[tuple[int, int, str]]:
    """Return the history without numbers."""
    return [
        (a.question.sample, a.question.against, a.verdict.value)
        for a in session.history
    ]


def ask(session: Session) -> Question:
    question = session.ask()
    assert question is not None
    return question
