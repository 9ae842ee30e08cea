"""Exploring: find a member of every class by asking about far samples first.

The first phase of active semi-supervision by Basu, Banerjee and Mooney (2004). A
neighbourhood is what we call a certain set: samples known to be together, and known to
be apart from every other such set.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from likewise._arrays import Floats, Indices
from likewise._ties import best_first, ranked
from likewise.knowledge import Answer, Knowledge, Question
from likewise.methods._base import AnyMethod, Chances, Expectation, Method, Model
from likewise.methods._problem import Problem
from likewise.methods._recipe import Recipe
from likewise.methods._space import Space
from likewise.methods.clustering import UNKNOWN
from likewise.methods.sampling import PATIENCE, begun, opened, unplaced


def space_for(problem: Problem, known: Knowledge, before: Space | None = None) -> Space:
    """Return the space that suits what is known; the one before where it still does."""
    wanted = max(problem.n_clusters or UNKNOWN, UNKNOWN, len(known.certain))
    n_axes = min(wanted, problem.n_samples)
    if before is not None and (before.n_axes == n_axes or problem.features is not None):
        return before
    return Space(problem, n_axes)


def explore(
    space: Space,
    known: Knowledge,
    rng: np.random.Generator,
    pending: tuple[Question, ...] = (),
) -> Question | None:
    r"""Ask about the sample farthest from all neighbourhoods until it is placed.

    .. math:: x = \arg\max_{x} \min_{z \in Z_1 \cup \ldots \cup Z_m} \|x - z\|

    is compared with one member of each neighbourhood, drawn by lot; where no answer is
    "same", it is a new one by itself.

    Parameters
    ----------
    space : Space
    known : Knowledge
        With at least one certain set: see :func:`likewise.methods.sampling.opened`.
    rng : Generator
    pending : tuple of Question
        Their samples are not asked about, and kept away from like neighbourhoods.

    Returns
    -------
    Question or None
        None when no sample has a neighbourhood left to be compared with.

    Notes
    -----
    The paper leaves open in which order the neighbourhoods are tried: here the nearest
    comes first, by its nearest member. A sample whose questions have begun goes before
    any other.
    """
    taken = {question.sample for question in pending}
    samples = _farthest_first(space, known, rng, taken)
    sets_of = partial(_nearest_first, space, known)
    return first_question(samples, sets_of, known, rng, taken)


def first_question(
    samples: Iterable[int],
    sets_of: Callable[[int], Sequence[int]],
    known: Knowledge,
    rng: np.random.Generator,
    taken: Collection[int],
) -> Question | None:
    """Return the pair of the first sample that has a set left to be compared with.

    Parameters
    ----------
    samples : iterable of int
        In the order in which they are to be asked about.
    sets_of : callable
        ``sets_of(sample)`` returns the certain sets in the order to try them.
    known, rng
        As for every method.
    taken : collection of int
        Samples that are asked about elsewhere.
    """
    for sample in samples:
        if sample not in taken:
            question = question_in_order(sample, sets_of(sample), known, rng)
            if question is not None:
                return question
    return None


def question_in_order(
    sample: int, sets: Sequence[int], known: Knowledge, rng: np.random.Generator
) -> Question | None:
    """Return the pair with a member, by lot, of the first set that is not ruled out.

    Where nobody could tell, another member is tried once, then the set is left open.
    """
    doubted = known.unsure.get(sample, frozenset())
    for group in sets:
        members = known.constraints.samples(group)
        free = [s for s in members if s not in doubted and s not in known.aside]
        is_open = known.constraints.relation(sample, group) is None
        if is_open and free and len(doubted.intersection(members)) < PATIENCE:
            return Question(sample, free[rng.integers(len(free))])
    return None


def _farthest_first(
    space: Space, known: Knowledge, rng: np.random.Generator, taken: Collection[int]
) -> Iterator[int]:
    yield from begun(known)
    free = unplaced(known)
    if free.size:
        near = [*_neighbourhoods(known), np.array(list(taken), dtype=np.intp)]
        gaps = space.to_nearest(free, np.concatenate(near))
        by_lot = np.argsort(rng.random(len(free)))
        yield from (int(free[by_lot[at]]) for at in best_first(gaps[by_lot]))


def _nearest_first(space: Space, known: Knowledge, sample: int) -> list[int]:
    """Return the certain sets by their members nearest to a sample."""
    from sklearn.metrics.pairwise import euclidean_distances

    X, sets = space.coordinates, _neighbourhoods(known)
    gaps = euclidean_distances(X[[sample]], X[np.concatenate(sets)])[0]
    starts = np.cumsum([0, *map(len, sets)])[:-1]
    nearest = np.minimum.reduceat(gaps, starts)
    return [known.certain[t] for t in ranked(-nearest, float(nearest.max()))]


def _neighbourhoods(known: Knowledge) -> list[Indices]:
    """Return the members of each certain set that are in the game."""
    sets = map(known.constraints.samples, known.certain)
    return [
        np.array([s for s in members if s not in known.aside], dtype=np.intp)
        for members in sets
    ]


@dataclass(frozen=True)
class ExploringModel:
    """The model of a method, and what is needed to explore before it asks.

    Attributes
    ----------
    inner : Model
        That of the method; whatever is asked of this one, it answers.
    space : Space
    start : int
        The sample that is the first neighbourhood until somebody answers.
    """

    inner: Model
    space: Space
    start: int

    @property
    def labels(self) -> Indices:
        """The cluster of each sample."""
        return self.inner.labels

    @property
    def confidence(self) -> Floats:
        """The probability that each sample is in the right cluster."""
        return self.inner.confidence

    @property
    def expectation(self) -> Expectation:
        """How good the labels are expected to be."""
        return self.inner.expectation

    def chances(self, sample: int) -> Chances:
        """Return the groups that a sample may belong to."""
        return self.inner.chances(sample)


def farthest_first(method: AnyMethod) -> Method[ExploringModel]:
    """Let a method begin by exploring: each class is to have a member before it asks.

    Parameters
    ----------
    method : Method
        Clusters from the first answer on, and asks once as many certain sets are known
        as there are clusters (two, where nobody knows how many), or nothing is left
        to explore.

    Returns
    -------
    Method
        Under the same name.

    Examples
    --------
    >>> from likewise.methods._rivals._random import RANDOM
    >>> farthest_first(RANDOM).name
    'random'
    """
    return Method(
        method.name,
        method.about,
        partial(_begin, method),
        partial(_learn, method),
        partial(_propose, method),
        method.most_clusters,
        under=method.under and partial(_under, method.under),
    )


def _under(
    under: Callable[[Recipe], AnyMethod], recipe: Recipe
) -> Method[ExploringModel]:
    return farthest_first(under(recipe))


def _begin(
    method: AnyMethod, problem: Problem, known: Knowledge, rng: np.random.Generator
) -> ExploringModel:
    # A stream of its own: whatever the method draws, all explore from one sample.
    start = int(rng.spawn(1)[0].integers(problem.n_samples))
    inner = method.begin(problem, known, rng)
    space = space_for(problem.without(known.aside), known)
    return ExploringModel(inner, space, start)


def _learn(
    method: AnyMethod, model: ExploringModel, known: Knowledge, answer: Answer
) -> ExploringModel:
    inner = method.learn(model.inner, known, answer)
    space = space_for(model.space.problem, known, model.space)
    return replace(model, inner=inner, space=space)


def _propose(
    method: AnyMethod,
    model: ExploringModel,
    known: Knowledge,
    rng: np.random.Generator,
    pending: tuple[Question, ...] = (),
) -> Question | None:
    first = opened(known, model.start)
    if len(first.certain) < (model.space.problem.n_clusters or UNKNOWN):
        question = explore(model.space, first, rng, pending)
        if question is not None:
            return question
    return method.propose(model.inner, known, rng, pending)
