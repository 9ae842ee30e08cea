"""NPU: the sample whose neighbourhood is least certain for the questions it takes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
import scipy.sparse as sp

from likewise._arrays import Floats, Indices, Samples
from likewise._ties import EXACT, best_first, ranked
from likewise.knowledge import Answer, Knowledge, Question
from likewise.methods._base import Method
from likewise.methods._problem import Problem
from likewise.methods._rivals import (
    FFQS,
    FarthestFirstModel,
    first_question,
    space_for,
)
from likewise.methods.sampling import begun, opened, unplaced

N_TREES = 50  # of the forest, as in the public implementation


@dataclass(frozen=True)
class UncertaintyModel(FarthestFirstModel):
    """PCKMeans under the answers so far, and a forest that has learned its clusters.

    Attributes
    ----------
    problem, known, space, start
        As in :class:`FarthestFirstModel`.
    seed : int
        Of the forests.
    earlier : UncertaintyModel or None
        The model by which the sample was chosen that is being asked about; None while
        another one is to be chosen.
    """

    seed: int
    earlier: UncertaintyModel | None = None

    @cached_property
    def leaves(self) -> Indices:
        """The leaf that each sample is in, of shape (n, 50), a column for each tree."""
        from sklearn.ensemble import RandomForestClassifier

        X, n = places(self.space.coordinates), self.problem.n_samples
        kept = np.setdiff1d(np.arange(n), list(self.known.aside))
        chance = np.random.default_rng((self.seed, len(self.known.answers)))
        forest = RandomForestClassifier(
            N_TREES, random_state=int(chance.integers(2**31))
        )
        return forest.fit(X[kept], self.labels[kept]).apply(X)

    def chance_of_each(self, samples: Indices) -> tuple[list[int], Floats]:
        """Return the certain sets, and how likely each sample is of each of them."""
        known = opened(self.known, self.start)
        sets = [
            np.setdiff1d(known.constraints.samples(group), list(known.aside))
            for group in known.certain
        ]
        if len(sets) == 1:
            return list(known.certain), np.ones((len(samples), 1))
        return list(known.certain), probabilities(self.leaves, samples, sets)


def places(X: Samples) -> Samples:
    """Return the place of each number among those of its column, from 0 on.

    Trees see little but the order of numbers. Where they cut between two, a place is
    the same on every machine, and so is which numbers tie. Sparse samples stay as they
    are: their columns are too many.

    Examples
    --------
    >>> places(np.array([[0.3, 7.0], [0.5, 5.0], [0.1 + 0.2, 6.0]])).tolist()
    [[0.0, 2.0], [1.0, 0.0], [0.0, 1.0]]
    """
    if sp.issparse(X):
        return X
    order = np.argsort(X, axis=0)
    rising = np.take_along_axis(X, order, axis=0)
    is_new = np.diff(rising, axis=0) > EXACT * np.abs(rising[[0, -1]]).max(axis=0)
    found = np.zeros_like(rising)
    np.put_along_axis(found, order[1:], np.cumsum(is_new, axis=0, dtype=float), axis=0)
    return found


def probabilities(leaves: Indices, samples: Indices, sets: list[Indices]) -> Floats:
    r"""Return how likely samples are of sets of samples.

    .. math::
        p(x \in N_i) = \frac{\frac{1}{|N_i|} \sum_{z \in N_i} M(x, z)}
                            {\sum_j \frac{1}{|N_j|} \sum_{z \in N_j} M(x, z)},

    M(x, z) being the share of trees in which x and z are in one leaf.

    Parameters
    ----------
    leaves : ndarray of shape (n, t)
        The leaf of each sample in each tree.
    samples : ndarray of shape (c,)
    sets : list of ndarray
        The neighbourhoods, m of them; none is empty.

    Returns
    -------
    ndarray of shape (c, m)
        Rows sum to 1; a sample that shares no leaf with any may be anywhere.

    Examples
    --------
    >>> leaves = np.array([[1, 1], [1, 2], [2, 2], [2, 1]])
    >>> probabilities(leaves, np.array([3]), [np.array([0]), np.array([1, 2])])
    array([[0.66666667, 0.33333333]])
    """
    owner = np.repeat(np.arange(len(sets)), list(map(len, sets)))
    share = 1 / np.array(list(map(len, sets)), dtype=np.float64)[owner]
    members, mass = np.concatenate(sets), np.zeros((len(samples), len(sets)))
    for tree in leaves.T:
        table = np.zeros((int(tree.max()) + 1, len(sets)))
        np.add.at(table, (tree[members], owner), share)
        mass += table[tree[samples]]
    total = mass.sum(axis=1, keepdims=True)
    anywhere = np.full_like(mass, 1 / len(sets))
    return np.divide(mass, total, out=anywhere, where=total > 0)


def normalised_uncertainty(p: Floats) -> Floats:
    r"""Return the entropy of each row for the number of questions that it should take.

    .. math::
        \frac{H(x)}{E[q(x)]}, \qquad
        H(x) = -\sum_i p_i \log_2 p_i, \qquad
        E[q(x)] = \sum_i i \, p_{(i)},

    with :math:`p_{(1)} \ge p_{(2)} \ge \ldots`: the likeliest neighbourhood is asked
    about first, and i questions end with the i-th.

    Parameters
    ----------
    p : ndarray of shape (c, m)
        Rows sum to 1.

    Returns
    -------
    ndarray of shape (c,)

    Examples
    --------
    >>> normalised_uncertainty(np.array([[0.5, 0.5], [0.0, 1.0]])).round(3)
    array([0.667, 0.   ])
    """
    bits = np.log2(p, out=np.zeros_like(p), where=p > 0)
    in_order = -np.sort(-p, axis=1)
    questions = in_order @ np.arange(1.0, p.shape[1] + 1)
    return np.maximum(-(p * bits).sum(axis=1), 0.0) / questions


def begin(
    problem: Problem, known: Knowledge, rng: np.random.Generator
) -> UncertaintyModel:
    """Make the model of any state of the answers."""
    first = FFQS.begin(problem, known, rng)
    seed = int(rng.integers(2**31))
    model = UncertaintyModel(first.problem, known, first.space, first.start, seed)
    n_asked = _length_of_series(known)
    if not n_asked:
        return model
    before = Knowledge(known.n_samples, aside=known.aside).after_all(
        known.answers[:-n_asked]
    )
    return replace(model, earlier=_at(model, before))


def learn(model: UncertaintyModel, known: Knowledge, _: Answer) -> UncertaintyModel:
    """Take one answer more into account, when somebody looks."""
    n_asked, earlier = _length_of_series(known), model.earlier
    if n_asked == 1:
        earlier = model if earlier is None else replace(model, earlier=None)
    return replace(_at(model, known), earlier=earlier if n_asked else None)


def _at(model: UncertaintyModel, known: Knowledge) -> UncertaintyModel:
    """Return the model under other answers, as if a sample were to be chosen now."""
    space = space_for(model.problem, known, model.space)
    return replace(model, known=known, space=space, earlier=None)


def _length_of_series(known: Knowledge) -> int:
    """Return how many of the last answers are about one sample that is not placed."""
    if not known.answers:
        return 0
    sample = known.answers[-1].question.sample
    if known.is_placed(sample) or sample in known.aside:
        return 0
    for length, answer in enumerate(reversed(known.answers)):
        if answer.question.sample != sample or answer.how != "asked":
            return length
    return len(known.answers)


def propose(
    model: UncertaintyModel,
    known: Knowledge,
    rng: np.random.Generator,
    pending: tuple[Question, ...] = (),
) -> Question | None:
    """Ask about the most uncertain sample until it is placed, likeliest sets first.

    Notes
    -----
    A neighbourhood is what we call a certain set. While there is one, no sample is
    uncertain and chance chooses, as it does between equals. What is compared with is a
    member drawn by lot: the paper takes any.

    The paper clusters by MPCKMeans, which learns a metric for each cluster besides;
    here it is the PCKMeans of ``ffqs``, with the readings that stand there. Its forest
    learns the clusters as classes anew for each sample that is chosen, as in the paper,
    and not within the questions about one sample. Where only similarities are known,
    the forest sees the spectral coordinates of ``ffqs``. It sees each number by its
    place in its column, so that no last digit decides.

    References
    ----------
    S. Xiong, J. Azimi, X. Z. Fern. Active learning of constraints for semi-supervised
    clustering. IEEE Transactions on Knowledge and Data Engineering 26(1), 2014.
    """
    known = opened(known, model.start)
    taken = [question.sample for question in pending]
    samples = _most_uncertain_first(model, known, rng, taken)
    return first_question(
        samples, partial(_likeliest_first, model, known), known, rng, taken
    )


def _most_uncertain_first(
    model: UncertaintyModel,
    known: Knowledge,
    rng: np.random.Generator,
    taken: list[int],
) -> Iterator[int]:
    yield from begun(known)
    free = rng.permutation(unplaced(known, taken))
    if free.size:
        _, p = model.chance_of_each(free)
        yield from (int(free[at]) for at in best_first(normalised_uncertainty(p)))


def _likeliest_first(
    model: UncertaintyModel, known: Knowledge, sample: int
) -> list[int]:
    """Return the certain sets by the model that chose the sample; newer ones last."""
    chooser = model.earlier or model
    sets, p = chooser.chance_of_each(np.array([sample]))
    in_order = [known.constraints.group(sets[at]) for at in ranked(p[0])]
    return [g for g in dict.fromkeys([*in_order, *known.certain]) if g in known.certain]


NPU = Method(
    "npu",
    "NPU: asks about the sample whose group is least certain, for the questions that "
    "it should take, the likeliest group first.",
    begin,
    learn,
    propose,
)
