"""Procedures that ask as they go, told answer by answer.

COBRAS and A3S are published as loops with questions inside. Here such a loop is a
generator: it yields the pair that it wants to know, and is sent the verdict. What it
has seen and done is then a fold over the answers in their order, so that going on from
one answer to the next equals going through all of them again.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from threading import Lock
from typing import TypeAlias

import numpy as np
import scipy.sparse as sp

from likewise._arrays import Indices, Samples
from likewise.knowledge import (
    Answer,
    Constraints,
    Knowledge,
    Question,
    Verdict,
    respect,
)
from likewise.methods._outlook import ClusteredModel
from likewise.methods._problem import Problem
from likewise.methods._space import Space
from likewise.methods.clustering import UNKNOWN
from likewise.methods.sampling import begun, next_question, opened, unplaced

N_COLUMNS = 3  # by which samples are put in order; more hardly ever matter
MOST_AHEAD = 50  # questions that a script is led past others that are open


@dataclass(frozen=True, slots=True)
class Turn:
    """What a script wants to know, and what it would answer by then.

    Attributes
    ----------
    pair : tuple of int
        Two samples in the game.
    labels : ndarray of shape (n,)
        The clusters so far, not negative.
    """

    pair: tuple[int, int]
    labels: Indices


@dataclass
class Facts:
    """What the answers have taught a script up to now; only its run changes it.

    Attributes
    ----------
    constraints : Constraints
    unsure : set of (int, int)
        Pairs that nobody could tell, smaller sample first.
    """

    constraints: Constraints = field(default_factory=Constraints)
    unsure: set[tuple[int, int]] = field(default_factory=set)

    def relation(self, i: int, j: int) -> Verdict | None:
        """Return what is known of a pair; None when it can be asked."""
        told = self.constraints.relation(i, j)
        if told is None and (min(i, j), max(i, j)) in self.unsure:
            return Verdict.UNSURE
        return told

    def take(self, answer: Answer) -> None:
        """Take in one more answer; one that denies earlier ones is left out."""
        i, j = answer.question.pair
        if answer.verdict is Verdict.UNSURE:
            self.unsure.add((i, j))
        else:
            self.constraints = self.constraints.after(i, j, answer.verdict)


Talk: TypeAlias = Generator[Turn, Verdict, Indices]  # returns the clusters at its end
Script: TypeAlias = Callable[[Facts], Talk]


class _Run:
    """A script on its way, with the answers that it has been told."""

    def __init__(self, script: Script) -> None:
        self.taken: tuple[Answer, ...] = ()
        self.facts = Facts()
        self.talk = script(self.facts)
        self.turn: Turn | None = None
        self.labels: Indices
        self._go_on(None)

    def follow(self, answers: tuple[Answer, ...]) -> None:
        """Take the answers in that it was not told yet."""
        for answer in answers[len(self.taken) :]:
            self.facts.take(answer)
            if self.turn and (told := self.facts.relation(*self.turn.pair)):
                self._go_on(told)
        self.taken = answers

    def _go_on(self, told: Verdict | None) -> None:
        """Send verdicts until one is lacking, or the script ends."""
        try:
            turn = next(self.talk) if told is None else self.talk.send(told)
            while told := self.facts.relation(*turn.pair):
                turn = self.talk.send(told)
            self.turn, self.labels = turn, turn.labels
        except StopIteration as end:
            self.turn, self.labels = None, end.value


@dataclass(frozen=True, slots=True)
class Stage:
    """Where a script stands.

    Attributes
    ----------
    pair : tuple of int or None
        What it wants to know; None at its end.
    labels : ndarray of shape (n,)
    """

    pair: tuple[int, int] | None
    labels: Indices


class Stages:
    """The stages of one script, by the answers so far.

    A function of the answers alone. The last run is kept, so that the stage after one
    answer more costs one step; any other is played from the beginning.

    Parameters
    ----------
    script : callable
        ``script(facts)`` returns the generator; the same one for the same verdicts.
    """

    def __init__(self, script: Script) -> None:
        self._script, self._lock = script, Lock()
        self._run: _Run | None = None

    def after(self, answers: tuple[Answer, ...]) -> Stage:
        """Return the stage after answers, oldest first."""
        with self._lock:
            run = self._run
            if run is None or answers[: len(run.taken)] != run.taken:
                run = self._run = _Run(self._script)
            run.follow(answers)
            return Stage(run.turn.pair if run.turn else None, run.labels)


@dataclass(frozen=True)
class ScriptedModel(ClusteredModel):
    """A script under the answers so far, played when somebody looks.

    Attributes
    ----------
    problem : Problem
    known : Knowledge
    space : Space
        Where distances are measured.
    stages, others : Stages
        Those of the answers, and those with questions that are open elsewhere.
    start : int
        The sample that is the first certain set until somebody answers.
    """

    space: Space
    stages: Stages
    others: Stages
    start: int

    @cached_property
    def stage(self) -> Stage:
        """Where the script stands."""
        return self.stages.after(self.known.answers)

    @cached_property
    def labels(self) -> Indices:
        """The cluster of each sample, with every known pair respected."""
        constraints, certain = self.known.constraints, self.known.certain
        _, raw = np.unique(self.stage.labels, return_inverse=True)
        k = int(raw.max()) + 1
        likeness = np.zeros((len(raw), max(k, len(certain))))
        likeness[:, :k] = _likeness(self.space.coordinates, raw, k)
        return respect(raw.astype(np.intp), likeness, constraints, certain)


def _likeness(X: Samples, labels: Indices, k: int) -> np.ndarray:
    """Return how near each sample is to the middle of each cluster, in 0..1."""
    from sklearn.metrics.pairwise import euclidean_distances

    centres = np.array(
        [np.asarray(X[labels == c].mean(axis=0)).ravel() for c in range(k)]
    )
    squared = euclidean_distances(X, centres, squared=True)
    return np.asarray(1 / (1 + squared / (float(squared.mean()) or 1.0)))


def begin_scripted(
    script: Callable[[Space, Indices, int], Script],
    problem: Problem,
    known: Knowledge,
    rng: np.random.Generator,
) -> ScriptedModel:
    """Make the model of any state of the answers; the ``begin`` of scripts.

    Parameters
    ----------
    script : callable
        ``script(space, kept, seed)`` with the samples in the game, ascending.
    problem, known, rng
        As for every method.
    """
    start, seed = int(rng.integers(problem.n_samples)), int(rng.integers(2**32))
    problem = problem.without(known.aside)
    n_axes = min(max(problem.n_clusters or UNKNOWN, UNKNOWN), problem.n_samples)
    space = problem.once(("space", n_axes), lambda: Space(problem, n_axes))
    kept = np.setdiff1d(np.arange(problem.n_samples), list(known.aside))
    play = script(space, kept, seed)
    return ScriptedModel(problem, known, space, Stages(play), Stages(play), start)


def by_place(X: Samples, samples: Indices) -> Indices:
    """Return samples in the order of their first coordinates, then of their number.

    What is first, or drawn by lot, is then a matter of where samples are and not of how
    they are numbered. Sparse rows stay in the order of their numbers.

    Examples
    --------
    >>> by_place(np.array([[2.0], [1.0], [3.0]]), np.arange(3))
    array([1, 0, 2])
    """
    if sp.issparse(X):
        return samples
    columns = X[samples][:, :N_COLUMNS].T
    return samples[np.lexsort((samples, *columns[::-1]))]


def learn_scripted(model: ScriptedModel, known: Knowledge, _: Answer) -> ScriptedModel:
    """Take one answer more into account, when somebody looks."""
    return replace(model, known=known)


def propose_scripted(
    model: ScriptedModel,
    known: Knowledge,
    rng: np.random.Generator,
    pending: tuple[Question, ...] = (),
) -> Question | None:
    """Ask what the script wants to know; at its end, place what is left, by lot.

    A pending question counts as one that nobody can tell, and so does what the script
    wants to know of their samples.
    """
    if not pending and model.stage.pair is not None:
        return Question(*model.stage.pair)
    known = known.after_all(Answer(open_, Verdict.UNSURE) for open_ in pending)
    busy = {question.sample for question in pending}
    for _ in range(MOST_AHEAD if pending else 0):
        pair = model.others.after(known.answers).pair
        if pair is None:
            break
        for sample, against in (pair, pair[::-1]):
            if sample not in busy:
                return Question(sample, against)
        known = known.after_all([Answer(Question(*pair), Verdict.UNSURE)])
    return placing(model, known, rng, busy)


def placing(
    model: ScriptedModel,
    known: Knowledge,
    rng: np.random.Generator,
    taken: Iterable[int] = (),
) -> Question | None:
    """Return the next pair of a sample that is not placed, nearest set first."""
    known, busy = opened(known, model.start), set(taken)
    for sample in _unplaced(known, rng):
        question = next_question(sample, known, model.problem.closeness)
        if sample not in busy and question is not None:
            return question
    return None


def _unplaced(known: Knowledge, rng: np.random.Generator) -> Iterator[int]:
    yield from begun(known)
    yield from rng.permutation(unplaced(known)).tolist()
