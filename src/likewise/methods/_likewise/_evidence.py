"""What the ballots say about samples and classes, as numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likewise._arrays import AnyFloats, Floats, Indices
from likewise.methods._likewise._beliefs import Beliefs

WRONG = (0.75, 49.25)  # prior counts of wrong and right answers: 1.5 % are wrong
SILENT = (1.0, 9.0)  # prior counts of samples on which the fields are silent, or not
N_STEPS = 3  # of expectation and maximisation
LIFT = 9  # digits by which ballots raise or lower a membership
NOWHERE = -1  # the column of samples without a class


@dataclass(frozen=True, slots=True)
class Evidence:
    """Ballots counted.

    Attributes
    ----------
    asked : ndarray of shape (t,)
        The samples that there are ballots on, ascending.
    pro, contra : ndarray of shape (t, m)
        Ballots for and against, for each of them and each class.
    classes : ndarray of shape (m, m)
        N: for minus against, for pairs of classes.
    """

    asked: Indices
    pro: Floats
    contra: Floats
    classes: Floats

    def on(self, samples: Indices) -> tuple[Floats, Floats]:
        """Return the ballots for and against of some samples, of shape (s, m)."""
        pro, contra = np.zeros((2, len(samples), len(self.classes)))
        if len(self.asked):
            at = np.searchsorted(self.asked, samples)
            at = np.minimum(at, len(self.asked) - 1)
            told = np.flatnonzero(self.asked[at] == samples)
            pro[told], contra[told] = self.pro[at[told]], self.contra[at[told]]
        return pro, contra

    def votes(self, samples: Indices) -> Floats:
        """Return L: for minus against, for some samples and each class."""
        pro, contra = self.on(samples)
        return pro - contra


def evidence_of(beliefs: Beliefs) -> Evidence:
    """Count the ballots by the present classes."""
    asked, m = sorted(beliefs.ballots), len(beliefs.members)
    row, home, there, sign, is_mutual = _cast(beliefs, asked)
    is_placed = there != NOWHERE
    counts = is_placed & ((sign < 0) | ~is_mutual | (there == home))
    pro = _summed(row, there, sign, counts & (sign > 0), (len(asked), m))
    contra = _summed(row, there, -sign, counts & (sign < 0), (len(asked), m))
    is_across = is_placed & (home != NOWHERE) & (home != there)
    is_across &= (sign < 0) | is_mutual
    once = np.where(is_mutual, sign / 2, sign)  # a mutual ballot is there twice
    classes = _summed(home, there, once, is_across, (m, m))
    return Evidence(np.array(asked, dtype=np.intp), pro, contra, classes + classes.T)


def _cast(beliefs: Beliefs, asked: Sequence[int]) -> tuple[NDArray[Any], ...]:
    """Return for each ballot: its row, two columns, its sign, whether it is mutual.

    The columns are those of the class of the sample asked about, and of the class that
    is spoken of.
    """
    column = {name: index for index, name in enumerate(beliefs.members)}
    column_of = {s: column[name] for s, name in beliefs.class_of.items()}
    cast = [beliefs.ballots[sample] for sample in asked]
    flat = np.fromiter(chain.from_iterable(chain.from_iterable(cast)), dtype=np.intp)
    others, sign, is_mutual = flat.reshape(-1, 3).T
    row = np.repeat(np.arange(len(asked)), [len(ballots) for ballots in cast])
    home, there = (
        np.array([column_of.get(s, NOWHERE) for s in samples], dtype=np.intp)
        for samples in (asked, others.tolist())
    )
    return row, home[row], there, sign, is_mutual.astype(bool)


def _summed(
    rows: Indices,
    columns: Indices,
    weights: NDArray[Any],
    kept: NDArray[np.bool_],
    shape: tuple[int, int],
) -> Floats:
    """Return the sums of the weights that are kept, by row and column."""
    at = rows[kept] * shape[1] + columns[kept]
    sums = np.bincount(at, weights[kept], minlength=shape[0] * shape[1])
    return np.asarray(sums, dtype=np.float64).reshape(shape)


def lifted(rows: AnyFloats, votes: Floats) -> AnyFloats:
    """Return memberships, of which ballots make all or nothing."""
    told = np.flatnonzero(votes.any(axis=1))  # few samples were asked about
    rows[told] *= 10.0 ** (LIFT * np.sign(votes[told]))
    return rows / rows.sum(axis=1, keepdims=True)


def weighed(
    rows: AnyFloats, new: AnyFloats, votes: Floats, strength: float
) -> tuple[AnyFloats, AnyFloats]:
    r"""Return rows times :math:`e^{l L}`, normalised together with "new".

    Parameters
    ----------
    rows : ndarray of shape (s, m)
        Probabilities of classes before the ballots.
    new : ndarray of shape (s,)
        Probability of a class of its own.
    votes : ndarray of shape (s, m)
        L.
    strength : float
        :math:`l = \log((1 - e) / e)`, what one answer is worth.
    """
    weighted, rest = rows.copy(), new.copy()
    told = np.flatnonzero(votes.any(axis=1))  # few samples were asked about
    exponent = strength * votes[told]
    top = np.maximum(exponent.max(axis=1, initial=0.0), 0.0)
    weighted[told] *= np.exp(exponent - top[:, np.newaxis])
    rest[told] *= np.exp(-top)
    total = weighted.sum(axis=1) + rest + 1e-300
    weighted /= total[:, np.newaxis]
    return weighted, rest / total


@dataclass(frozen=True, slots=True)
class Rates:
    """What is estimated of the answers and of the fields.

    Attributes
    ----------
    wrong : float
        e: the share of answers that are wrong.
    silent : float
        The share of samples on which the fields say nothing.
    """

    wrong: float = WRONG[0] / sum(WRONG)
    silent: float = SILENT[0] / sum(SILENT)

    @property
    def strength(self) -> float:
        """What one answer is worth, in log odds."""
        return float(np.log((1 - self.wrong) / self.wrong))


def estimated_rates(
    rows: AnyFloats, new: AnyFloats, pro: Floats, contra: Floats, share: Floats
) -> Rates:
    r"""Return the rates by expectation and maximisation over the settled samples.

    With M the rows mixed with the class shares, :math:`M = (1 - \kappa) B + \kappa s`,
    and Post = M times the ballots: an answer is wrong with the probability that Post
    gives to its opposite, and a sample is silent with the share of s in its Post.

    Parameters
    ----------
    rows, new : ndarray of shape (t, m) and (t,)
        B: what the fields say of each settled sample, had it not been settled.
    pro, contra : ndarray of shape (t, m)
        Ballots for and against.
    share : ndarray of shape (m,)
        The size of each class, as a share of all samples.
    """
    rates = Rates()
    votes, n_ballots = pro - contra, pro.sum() + contra.sum()
    for _ in range(N_STEPS):
        mixed = (1 - rates.silent) * rows + rates.silent * share
        post, _ = weighed(mixed, (1 - rates.silent) * new, votes, rates.strength)
        wrong = pro * (1 - post) + contra * post
        silent = post * (rates.silent * share / np.maximum(mixed, 1e-300))
        rates = Rates(
            float((WRONG[0] + wrong.sum()) / (sum(WRONG) + n_ballots)),
            float((SILENT[0] + silent.sum()) / (sum(SILENT) + len(rows))),
        )
    return rates
