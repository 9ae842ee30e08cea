"""Agreement of readers on the pairs that several of them answered."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.special import stdtrit

from likewise._arrays import Floats
from likewise.knowledge import (
    DECIDED,
    Answer,
    Event,
    Retracted,
    Told,
    Verdict,
    singles_of,
)
from likewise.methods import Rate
from likewise.session._html import as_html, as_table
from likewise.session._overlap import is_independent

MOST_SHOWN = 12  # pairs of readers, in a notebook
FEW = 20  # pairs below which alpha says little
GOOD, FAIR = 0.8, 0.667  # Krippendorff's own levels, from which on data can be used
ADDED = 0.5  # of a pair of each kind: two "same", one of each, two "different"
TAIL = 0.96  # of Student's t on either side: a little more than 0.95, see _interval
LOWEST = -1.0  # two readers who never agree on anything

Votes = Mapping[str, Verdict]  # what each reader said of one pair


@dataclass(frozen=True, slots=True)
class Agreement:
    """How well readers agree where several of them answered the same pair.

    Attributes
    ----------
    n_pairs : int
        Pairs that two readers at least said "same" or "different" of.
    raw : float or None
        The share of agreeing opinions among all two that there are of a pair; None
        where there is no such pair.
    alpha : Rate or None
        Krippendorff's alpha, and where it is with a probability of 90 %: 1 for readers
        who always agree, 0 for what chance would do. None where nothing can be said:
        there is no pair, or everybody always says the same thing.
    readers : tuple of str
        Those who answered one of the pairs at least, by name.
    both : mapping of (str, str) to (int, int)
        For each two of them, the pairs that both answered, and those on which they
        agree.
    """

    n_pairs: int
    raw: float | None
    alpha: Rate | None
    readers: tuple[str, ...]
    both: Mapping[tuple[str, str], tuple[int, int]]

    @property
    def sentence(self) -> str:
        """What it means, in words."""
        if self.raw is None:
            return "No pair was answered by two readers yet, so nothing can be said."
        pairs = "1 pair" if self.n_pairs == 1 else f"{self.n_pairs} pairs"
        share = f"Readers agree on {self.raw:.0%} of {pairs} that several answered"
        if self.alpha is None:
            return f"{share}; everybody said the same thing of all, so alpha says none."
        low, high = self.alpha.low, self.alpha.high
        found = f"{share}: alpha is {self.alpha.mean:.2f} ({low:.2f} to {high:.2f})"
        if self.n_pairs < FEW:
            return f"{found}, by too few pairs to rely on."
        return f"{found}, which is {_called(self.alpha.mean)}."

    def _repr_html_(self) -> str:
        rows = [(*two, agreed, pairs) for two, (pairs, agreed) in self.both.items()]
        heads = ("reader", "and", "agree on", "of")
        return as_html(self.sentence) + as_table(heads, rows[:MOST_SHOWN])


def _called(alpha: float) -> str:
    if alpha >= GOOD:
        return "good"
    return "fair" if alpha >= FAIR else "too little to rely on one reader alone"


def agreement_in(answers: Iterable[Answer]) -> Agreement:
    """Return how well readers agree; of each reader and pair the last answer counts.

    Examples
    --------
    >>> from likewise import Question
    >>> said = [("ann", 1, "same"), ("bob", 1, "same"), ("ann", 2, "different"),
    ...         ("bob", 2, "different"), ("ann", 3, "same"), ("bob", 3, "different")]
    >>> told = [Answer(Question(0, j), Verdict(v), by=by) for by, j, v in said]
    >>> found = agreement_in(told)
    >>> found.n_pairs, round(found.raw, 2), round(found.alpha.mean, 2)
    (3, 0.67, 0.44)
    """
    votes = overlaps(answers)
    counts = np.array([_counted(of) for of in votes], dtype=np.float64).reshape(-1, 2)
    both = _both(votes)
    n_both = sum(n for n, _ in both.values())
    raw = sum(same for _, same in both.values()) / n_both if n_both else None
    names = tuple(sorted({name for of in votes for name in of}))
    return Agreement(len(votes), raw, _interval(counts), names, both)


def overlaps(answers: Iterable[Answer]) -> list[Votes]:
    """Return what was said of each pair of which two readers at least said something.

    "Unsure" says nothing, and what was known from the start nobody said. What was asked
    for again because it was doubted, or what a reviewer decided, is no opinion of its
    own: such pairs are harder than others, so they would make agreement look worse, and
    who decides has seen what the others said.
    """
    of: dict[tuple[int, int], dict[str, Verdict]] = {}
    for answer in answers:
        if is_independent(answer) and answer.verdict is not Verdict.UNSURE:
            of.setdefault(answer.question.pair, {})[answer.by] = answer.verdict
    return [votes for votes in of.values() if len(votes) > 1]


def opinions(events: Sequence[Event], acts: Iterable[int]) -> Iterator[Answer]:
    """Yield every answer that somebody stands by, also those that lost a decision.

    A decision takes back the answers that it goes against. They were said all the same:
    without them readers would agree on all pairs that somebody has decided.

    Parameters
    ----------
    events : sequence of Event
        All of a journal, oldest first.
    acts : iterable of int
        Positions of those that were not undone.
    """
    told: list[Answer] = []
    gone: set[int] = set()
    for event in map(events.__getitem__, acts):
        singles = singles_of(event)
        new = [a for one in singles if isinstance(one, Told) for a in one.answers]
        told += new
        if not any(answer.how == DECIDED for answer in new):
            gone.update(
                id_ for one in singles if isinstance(one, Retracted) for id_ in one.ids
            )
    yield from (answer for answer in told if answer.id not in gone)


def _counted(votes: Votes) -> tuple[int, int]:
    n_same = sum(verdict is Verdict.SAME for verdict in votes.values())
    return n_same, len(votes) - n_same


def _both(votes: Sequence[Votes]) -> dict[tuple[str, str], tuple[int, int]]:
    found: dict[tuple[str, str], tuple[int, int]] = {}
    for of in votes:
        for one, other in combinations(sorted(of), 2):
            n, same = found.get((one, other), (0, 0))
            found[one, other] = n + 1, same + (of[one] is of[other])
    return found


def alpha_of(counts: Floats) -> Floats:
    r"""Return Krippendorff's alpha for two kinds of answers.

    .. math:: \alpha = 1 - (N - 1) \frac{\sum_u n_{us} n_{ud} / (n_u - 1)}{n_s n_d},

    :math:`n_{us}` and :math:`n_{ud}` being how many said "same" and "different" of the
    pair u, :math:`n_u` their sum, :math:`n_s`, :math:`n_d` and N the totals.

    Parameters
    ----------
    counts : ndarray of shape (..., u, 2)
        Of each pair; several sets of pairs at once.

    Returns
    -------
    ndarray of shape (...)
        NaN where everybody always says the same thing.

    References
    ----------
    K. Krippendorff. Content analysis: an introduction to its methodology. Sage, 2004.

    Examples
    --------
    >>> alpha_of(np.array([[2.0, 0.0], [0.0, 2.0], [2.0, 0.0]])).item()
    1.0
    """
    same, different = counts[..., 0], counts[..., 1]
    apart = (same * different / (same + different - 1)).sum(axis=-1)
    n_same, n_different = same.sum(axis=-1), different.sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = apart * (n_same + n_different - 1) / (n_same * n_different)
    return np.asarray(1 - share)


def _interval(counts: Floats) -> Rate | None:
    r"""Return alpha, and where it is.

    The logarithm of :math:`1 - \alpha` is a sum of logarithms of counts, which is close
    to normal also where readers hardly ever disagree; its error follows from how much
    each pair contributes (the delta method). Half a pair of each kind is added, as one
    does for rare events: without it readers who never disagreed would be sure never to.
    A bootstrap of the pairs covers the true value in 77 to 92 % of simulations instead
    of 90; this does in 91 to 94 %, being a little wider on purpose
    (``python -m benchmarks.alpha``).
    """
    if not len(counts) or not counts.sum(axis=0).all():
        return None
    alpha = float(alpha_of(counts))
    units = np.concatenate([counts, [[2.0, 0.0], [1.0, 1.0], [0.0, 2.0]]])
    weights = np.concatenate([np.ones(len(counts)), np.full(3, ADDED)])
    same, different = units.T
    opposed = same * different / (same + different - 1)
    parts = (opposed, same, different, same + different)
    sums = [float(weights @ part) for part in parts]
    signs = (1, -1, -1, 1)  # what each sum is raised to in 1 - alpha
    terms = list(zip(signs, parts, sums, strict=True))
    pulls = np.sum([sign * part / total for sign, part, total in terms], axis=0)
    n = float(weights.sum())
    error = float(np.sqrt(weights @ pulls**2 * n / (n - 1)))
    centre = sum(sign * np.log(total) for sign, _, total in terms)
    wide = float(stdtrit(n - 1, TAIL)) * error
    low, high = (float(1 - np.exp(centre + by)) for by in (wide, -wide))
    return Rate(alpha, max(min(low, alpha), LOWEST), max(high, alpha))
