"""What readers' answers are worth: how often each says "same" or "different" wrongly.

Of most pairs nobody knows the truth: what a model thinks of them that has not heard the
reader stands for it, and what others say of the same pair.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from likewise._arrays import Floats, Indices
from likewise.knowledge import Answer, Verdict

N_POINTS = 24  # rates that are looked at, for each of the two
LARGEST = 0.98
USUAL = (1.0, 19.0)  # prior counts of everybody's wrong and right answers
LIKE_OTHERS = 8.0  # answers that what is known of everybody counts for
N_ROUNDS = 3  # in each, readers are seen in the light of all others
SHIFTS, SLOPES = (-1.0, 0.0, 1.0), (0.35, 0.7, 1.0)  # from the model's odds to the true
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

    def worth(self, verdict: Verdict) -> float:
        """Return what a verdict of theirs says, in log odds; nothing if they guess."""
        if self.is_guessing:
            return 0.0
        hit, miss = 1 - self.different.mean, self.same.mean
        if verdict is Verdict.DIFFERENT:
            hit, miss = 1 - self.same.mean, self.different.mean
        return float(max(np.log(hit / miss), 0.0))


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
    """

    readers: tuple[str, ...]
    who: Indices
    pair: Indices
    same: np.ndarray
    pairs: tuple[tuple[int, int], ...]

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
        return cls(readers, who, pair, np.array([*last.values()], dtype=bool), pairs)

    @cached_property
    def is_shared(self) -> np.ndarray:
        """Which pairs several readers answered, of shape (u,)."""
        return np.bincount(self.pair, minlength=len(self.pairs)) > 1


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
    multiplies its odds. The posterior of :math:`(s_r, d_r)` is worked out on a grid,
    averaged over (a, b), which all pairs together weigh. Its prior is what is known of
    everybody, and counts for 8 answers.

    Parameters
    ----------
    votes : Votes
    chances : ndarray of shape (u,)
        q of each pair, of a model that has heard none of those who answered it.

    Notes
    -----
    The others' rates enter by their means, in three rounds.

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
    posteriors, weights = np.empty(0), np.empty(0)
    for _ in range(N_ROUNDS):
        views = _views(votes, chances, means)
        likelihoods = _likelihoods(votes, views, grid)
        posteriors, weights = _posteriors(
            likelihoods, grid, _pooled(votes, views, means)
        )
        means = np.einsum(
            "rmst,kst->rk", posteriors * weights[:, None, None], grid.rates
        )
    share = _truly_same(votes, _views(votes, chances, means), weights)
    mixed = np.einsum("rmst,m->rst", posteriors, weights)
    return {
        reader: _errors(mixed[at], share[at], grid)
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


def _maps() -> list[tuple[float, float, float]]:
    """Return shifts and slopes from the model's odds to the true ones; log priors."""
    return [
        (a, b, -(PRECISION[0] * a**2 + PRECISION[1] * (b - 1) ** 2) / 2)
        for a in SHIFTS
        for b in SLOPES
    ]


def _views(votes: Votes, chances: Floats, means: Floats) -> Floats:
    """Return for each map and vote the odds of its pair by all others, in logs."""
    q = np.clip(chances, CLIPPED, 1 - CLIPPED)
    odds = np.log(q / (1 - q))
    said = _said(votes, means)
    total = np.bincount(votes.pair, said, minlength=len(odds))
    others = total[votes.pair] - said
    return np.stack([a + b * odds[votes.pair] + others for a, b, _ in _maps()])


def _said(votes: Votes, means: Floats) -> Floats:
    """Return what each vote says for "same", in log odds."""
    same, different = means[votes.who].T
    pro, contra = np.log((1 - different) / same), np.log(different / (1 - same))
    return np.asarray(np.where(votes.same, pro, contra))


def _likelihoods(votes: Votes, views: Floats, grid: _Grid) -> Floats:
    """Return log P(what a reader said), of shape (readers, maps, g, g)."""
    n_maps, g = len(views), len(grid.cell)
    found = np.zeros((len(votes.readers), n_maps, g, g))
    same, different = grid.rates
    chance = 1 / (1 + np.exp(-views))
    for at in range(len(votes.readers)):
        theirs = votes.who == at
        for said_same, says in (
            (True, (1 - different, same)),
            (False, (different, 1 - same)),
        ):
            p = chance[:, theirs & (votes.same == said_same)]
            told = p[..., None, None] * says[0] + (1 - p)[..., None, None] * says[1]
            found[at] += np.log(told).sum(axis=1)
    return found


def _posteriors(
    likelihoods: Floats, grid: _Grid, everybody: Floats
) -> tuple[Floats, Floats]:
    """Return P(rates) of each reader under each map, and the weights of the maps."""
    logs = likelihoods + grid.prior(everybody)
    top = logs.max(axis=(2, 3), keepdims=True)
    cells = np.exp(logs - top)
    totals = cells.sum(axis=(2, 3), keepdims=True)
    evidence = (np.log(totals) + top).sum(axis=0).ravel()
    evidence = evidence + np.array([prior for _, _, prior in _maps()])
    weights = np.exp(evidence - evidence.max())
    return cells / totals, weights / weights.sum()


def _pooled(votes: Votes, views: Floats, means: Floats) -> Floats:
    """Return everybody's two rates, each reader's as far as they are known."""
    n_votes = np.bincount(votes.who, minlength=len(means))
    weights = n_votes / max(n_votes.sum(), 1)
    n_heard = len(views[0])
    pooled = weights @ means
    usual = USUAL[0] / sum(USUAL)
    return (sum(USUAL) * usual + n_heard * pooled) / (sum(USUAL) + n_heard)


def _truly_same(votes: Votes, views: Floats, weights: Floats) -> Floats:
    """Return the share of pairs that are the same among each reader's."""
    chance = weights @ (1 / (1 + np.exp(-views)))
    n = np.bincount(votes.who, minlength=len(votes.readers))
    return np.bincount(votes.who, chance, minlength=len(n)) / np.maximum(n, 1)


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
