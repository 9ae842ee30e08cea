"""What readers' answers are worth: how often each says "same" or "different" wrongly.

Of most pairs nobody knows the truth: what a model thinks of them that has not heard the
reader stands for it, and what others say of the same pair.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import expit, logit

from likewise._arrays import Floats, Indices
from likewise.knowledge import Answer, Verdict

N_POINTS = 24  # rates that are looked at, for each of the two
LARGEST = 0.98
USUAL = (1.0, 19.0)  # prior counts of everybody's wrong and right answers
LIKE_OTHERS = 8.0  # answers that what is known of everybody counts for
N_ROUNDS = 5  # in each, readers are seen in the light of all others
# From the model's log odds to the true ones.
SHIFTS, SLOPES = (-1.0, -0.5, 0.0, 0.5, 1.0, 1.5), (0.1, 0.2, 0.35, 0.5, 0.75, 1.0)
PRECISION = (1.0, 4.0)  # of the normal priors of shift and slope, around (0, 1)
CLIPPED = 0.002  # a model is never surer than that
GUESSING = 0.65  # both rates together, from which on a reader as good as guesses
TAILS = (0.05, 0.95)


@dataclass(frozen=True, slots=True)
class Rate:
    """A share: its mean, and where it is with a probability of 90 %."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Errors:
    """How often a reader is wrong.

    Attributes
    ----------
    same : Rate
        Of pairs that are different, those of which they say "same".
    different : Rate
        Of pairs that are the same, those of which they say "different".
    wrong : Rate
        Of all that they answered.
    guesses : float
        The probability that they as good as guess: both rates together exceed 0.65.
    """

    same: Rate
    different: Rate
    wrong: Rate
    guesses: float

    @property
    def is_guessing(self) -> bool:
        """Whether it is more likely than not that they do."""
        return self.guesses > 1 / 2


@dataclass(frozen=True)
class Votes:
    """Who said what of which pair.

    Attributes
    ----------
    readers : tuple of str
    who, pair : ndarray of shape (v,)
        Of each vote, the reader and the pair, by their positions.
    same : ndarray of bool of shape (v,)
        Whether it was "same".
    pairs : tuple of (int, int)
        The samples of each pair.
    kind : ndarray of shape (u,)
        What each pair was first asked for: 0 to place a sample, 1 to compare groups, 2
        as a check.
    """

    readers: tuple[str, ...]
    who: Indices
    pair: Indices
    same: np.ndarray
    pairs: tuple[tuple[int, int], ...]
    kind: Indices

    @classmethod
    def of(cls, answers: Sequence[Answer]) -> Votes:
        """Return the last word of each reader on each pair, "unsure" left out.

        Examples
        --------
        >>> from likewise.knowledge import Question
        >>> told = [Answer(Question(0, 1), Verdict.SAME, by=by) for by in "aab"]
        >>> Votes.of(told).who.tolist()
        [0, 1]
        """
        last = {
            (answer.by, answer.question.pair): answer.verdict is Verdict.SAME
            for answer in answers
            if answer.how != "given" and answer.verdict is not Verdict.UNSURE
        }
        readers = tuple(dict.fromkeys(by for by, _ in last))
        pairs = tuple(dict.fromkeys(pair for _, pair in last))
        name, number = (
            {one: at for at, one in enumerate(of)} for of in (readers, pairs)
        )
        who = np.array([name[by] for by, _ in last], dtype=np.intp)
        pair = np.array([number[two] for _, two in last], dtype=np.intp)
        asked: dict[tuple[int, int], int] = {}
        for answer in answers:
            asked.setdefault(answer.question.pair, _kind(answer))
        kind = np.array([asked[two] for two in pairs], dtype=np.intp)
        same = np.array([*last.values()], dtype=bool)
        return cls(readers, who, pair, same, pairs, kind)

    @cached_property
    def is_shared(self) -> np.ndarray:
        """Which pairs several readers answered, of shape (u,)."""
        return np.bincount(self.pair, minlength=len(self.pairs)) > 1


def _kind(answer: Answer) -> int:
    predicted = answer.question.predicted
    if predicted is None or not predicted.kind.endswith(("groups", "check")):
        return 0
    return 2 if answer.question.is_check else 1


def errors_told(answers: Sequence[Answer]) -> dict[str, Errors]:
    """Estimate the error rates of readers by what was expected when they were asked.

    For methods that cannot say what they would think had they not heard a reader.

    Examples
    --------
    >>> from likewise.knowledge import Prediction, Question
    >>> asked = [Question(0, j, Prediction(0.98)) for j in range(1, 31)]
    >>> told = [Answer(one, Verdict.DIFFERENT, by="bob") for one in asked]
    >>> errors_told(told)["bob"].different.mean > 0.5
    True
    """
    votes = Votes.of(answers)
    first: dict[tuple[int, int], float] = {}
    for answer in answers:
        predicted = answer.question.predicted
        if predicted is not None:
            first.setdefault(answer.question.pair, predicted.same)
    chances = [first.get(pair, 1 / 2) for pair in votes.pairs]
    return errors_in(votes, np.array(chances)) if votes.readers else {}


def errors_in(votes: Votes, chances: Floats) -> dict[str, Errors]:
    r"""Estimate the error rates of all readers.

    Reader r says "same" of a pair that is with probability :math:`1 - d_r`, of one that
    is not with :math:`s_r`. A pair that a model thinks the same with chance q is so
    with :math:`\sigma(a + b \, \mathrm{logit} \, q)`, and what others say of it
    multiplies its odds. The posterior of :math:`(s_r, d_r)` is worked out on a grid;
    (a, b) are averaged over what fits all answers, for each kind of question on its
    own. Its prior is what is known of everybody, and counts for 8 answers.

    Parameters
    ----------
    votes : Votes
    chances : ndarray of shape (u,)
        q of each pair, of a model that has heard none of those who answered it.

    Notes
    -----
    The others' rates, and (a, b), enter by their means, in five rounds.

    Examples
    --------
    >>> from likewise.knowledge import Question
    >>> told = [Answer(Question(0, j), Verdict.SAME, by="ann") for j in range(1, 41)]
    >>> found = errors_in(Votes.of(told), np.full(40, 0.99))["ann"]
    >>> found.different.mean < 0.03, found.is_guessing
    (True, False)
    """
    grid = _Grid.usual()
    means = np.full((len(votes.readers), 2), USUAL[0] / sum(USUAL))
    for _ in range(N_ROUNDS):
        odds = _odds(votes, chances, means)
        posteriors = _posteriors(votes, odds, grid, _pooled(votes, means))
        means = np.einsum("rst,kst->rk", posteriors, grid.rates)
    same = np.bincount(votes.who, expit(_odds(votes, chances, means)))
    share = same / np.bincount(votes.who)
    return {
        reader: _errors(posteriors[at], float(share[at]), grid)
        for at, reader in enumerate(votes.readers)
    }


@dataclass(frozen=True, slots=True)
class _Grid:
    """Pairs of rates: those of "same" and those of "different", of shape (2, g, g)."""

    rates: Floats
    cell: Floats  # what each stands for, of shape (g, g)

    @classmethod
    def usual(cls) -> _Grid:
        """Return rates that lie closer where they are small."""
        edges = LARGEST * np.linspace(0, 1, N_POINTS + 1) ** 2
        middle, width = (edges[1:] + edges[:-1]) / 2, np.diff(edges)
        same, different = np.meshgrid(middle, middle, indexing="ij")
        return cls(np.stack([same, different]), np.multiply.outer(width, width))

    def prior(self, means: Floats) -> Floats:
        """Return the log of the prior: Beta of given means, for 8 answers in all."""
        a = LIKE_OTHERS * means[:, None, None]
        b = LIKE_OTHERS - a
        logs = (a - 1) * np.log(self.rates) + (b - 1) * np.log1p(-self.rates)
        return np.asarray(logs.sum(axis=0) + np.log(self.cell))


def _odds(votes: Votes, chances: Floats, means: Floats) -> Floats:
    """Return for each vote the log odds of its pair, by the model and all others."""
    said = _said(votes, means)
    total = np.bincount(votes.pair, said, minlength=len(chances))
    pairs = _mapped(votes, chances, means)
    return pairs[votes.pair] + total[votes.pair] - said


def _said(votes: Votes, means: Floats) -> Floats:
    """Return what each vote says for "same", in log odds."""
    same, different = means[votes.who].T
    pro, contra = np.log((1 - different) / same), np.log(different / (1 - same))
    return np.asarray(np.where(votes.same, pro, contra))


def _mapped(votes: Votes, chances: Floats, means: Floats) -> Floats:
    """Return the log odds of pairs by the model, as far as it has been right.

    For each kind of question on its own: a mean over shifts and slopes, each weighed by
    how well it foretells what was said.
    """
    q = np.clip(chances, CLIPPED, 1 - CLIPPED)
    odds, found = logit(q), np.empty(len(q))
    shifts, slopes = (one.ravel() for one in np.meshgrid(SHIFTS, SLOPES))
    p = expit(shifts[:, None] + slopes[:, None] * odds)
    same, different = means[votes.who].T
    is_same = np.where(votes.same, 1 - different, different)
    is_not = np.where(votes.same, same, 1 - same)
    fits = np.log(p[:, votes.pair] * is_same + (1 - p[:, votes.pair]) * is_not)
    before = -(PRECISION[0] * shifts**2 + PRECISION[1] * (slopes - 1) ** 2) / 2
    for kind in np.unique(votes.kind):
        logs = before + fits[:, votes.kind[votes.pair] == kind].sum(axis=1)
        weights = np.exp(logs - logs.max())
        here = votes.kind == kind
        mean = weights @ p[:, here] / weights.sum()
        found[here] = logit(mean)
    return found


def _posteriors(votes: Votes, odds: Floats, grid: _Grid, everybody: Floats) -> Floats:
    """Return P(rates) of each reader, of shape (readers, g, g)."""
    same, different = grid.rates
    found = np.empty((len(votes.readers), *same.shape))
    for at in range(len(votes.readers)):
        logs = grid.prior(everybody)
        for is_same, says in (
            (True, (1 - different, same)),
            (False, (different, 1 - same)),
        ):
            theirs = (votes.who == at) & (votes.same == is_same)
            p = expit(odds[theirs])[:, None, None]
            logs = logs + np.log(p * says[0] + (1 - p) * says[1]).sum(axis=0)
        cells = np.exp(logs - logs.max())
        found[at] = cells / cells.sum()
    return found


def _pooled(votes: Votes, means: Floats) -> Floats:
    """Return everybody's two rates, before anything is known what is usual."""
    n_votes = np.bincount(votes.who, minlength=len(means))
    total = n_votes @ means + USUAL[0]
    return np.asarray(total / (n_votes.sum() + sum(USUAL)))


def _errors(posterior: Floats, share: float, grid: _Grid) -> Errors:
    same, different = grid.rates
    wrong = share * different + (1 - share) * same
    guesses = float(posterior[same + different >= GUESSING].sum())
    return Errors(
        _rate(same, posterior),
        _rate(different, posterior),
        _rate(wrong, posterior),
        guesses,
    )


def _rate(rates: Floats, posterior: Floats) -> Rate:
    order = np.argsort(rates, axis=None)
    values, mass = rates.ravel()[order], posterior.ravel()[order].cumsum()
    at = np.minimum(np.searchsorted(mass, TAILS), len(values) - 1)
    low, high = values[at]
    return Rate(float((rates * posterior).sum()), float(low), float(high))
