"""The flagship: fields over a spectrum, provisional classes, expected changed pairs.

Each cluster found before any question is a class of one sample. A Gaussian field over
the graph, and one over the features, say near settled samples which class an unsettled
one belongs to; far from them its cluster says it. The question that is expected to
change most pairs is asked: a sample against its likeliest class, two classes, or a
settled sample again. A sample that fits no class founds one; that two classes are one
is found out later.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from likewise._arrays import Floats, Indices
from likewise.knowledge import Answer, Knowledge, Question, in_use, respect
from likewise.methods._base import Chances, Expectation, Method
from likewise.methods._likewise._acquisition import Candidate, best_question
from likewise.methods._likewise._beliefs import Beliefs
from likewise.methods._likewise._output import (
    Belonging,
    belief,
    beliefs,
    clusters,
    expectation,
)
from likewise.methods._likewise._picture import Picture
from likewise.methods._likewise._prior import Ground, ground_of
from likewise.methods._likewise._scale import Scale
from likewise.methods._likewise._scales import scale_for
from likewise.methods._likewise._state import Remains, State
from likewise.methods._problem import Problem

GOOD_ENOUGH = 0.95  # expected Jaccard
FEW, HARDLY_ANY = 0.02, 0.005  # shares of pairs that 20 questions would change
FEW_SAMPLES = 1000  # up to here each sample set aside is cut out of the graph
N_FIRST = 20  # answers before stopping is suggested


@dataclass(frozen=True)
class FieldModel:
    """What the flagship makes of a problem and the answers so far.

    Attributes
    ----------
    ground : Ground
    known : Knowledge
    beliefs : Beliefs
    earlier : State, Remains or None
        The last state that was computed, or what is kept of it, to go on from.
    believed : Knowledge or None
        What was believed when labels were last looked at, to go on from.
    """

    ground: Ground
    known: Knowledge
    beliefs: Beliefs
    earlier: State | Remains | None = None
    believed: Knowledge | None = None

    @cached_property
    def state(self) -> State:
        """The posteriors for the present classes."""
        if self.earlier is None:
            return State.of(self.ground, self.beliefs)
        return self.earlier.brought_to(self.ground, self.beliefs)

    @cached_property
    def picture(self) -> Picture:
        """Probabilities for samples and classes."""
        picture: Picture = self.ground.scale.picture(
            self.ground, self.state, self.known.aside
        )
        return picture

    @cached_property
    def labels(self) -> Indices:
        """The cluster of each sample; no pair that is believed is violated."""
        if not self.known.answers:
            return in_use(self._raw)
        known, likeness = self._believed, Belonging(self.picture)
        return respect(self._raw, likeness, known.constraints, known.certain)

    @cached_property
    def _raw(self) -> Indices:
        """The clusters before the pairs that are believed are looked at."""
        return clusters(self.picture)

    @cached_property
    def _believed(self) -> Knowledge:
        """The closure of the answers that are believed, and its certain sets.

        Mostly one more is believed than before: then the others are not read again.
        """
        if not self.known.doubtful:
            return self.known
        fitting = tuple(filter(self.beliefs.fits, self.known.answers))
        start = self.believed
        if start is None or start.answers != fitting[: len(start.answers)]:
            start = Knowledge(self.known.n_samples)
        return start.after_all(fitting[len(start.answers) :])

    @cached_property
    def confidence(self) -> Floats:
        """The probability that each sample is in the right cluster."""
        found = np.empty(self.known.n_samples)
        for part, rows in beliefs(self.picture):
            found[part] = rows.max(axis=1)
        return found

    @cached_property
    def expectation(self) -> Expectation:
        """How good the labels are expected to be.

        Enough when 20 more questions would change few of the pairs that count: 2 % if
        the Jaccard coefficient should be 0.95 already, 0.5 % if it is not.
        """
        jaccard, wrong, pairs = expectation(self.picture, self._raw)
        best = self.best()
        change = 20 * (0.0 if best is None else min(best.gain, best.worth)) / pairs
        enough = change <= FEW if jaccard >= GOOD_ENOUGH else change <= HARDLY_ANY
        asked = {s for a in self.known.answers for s in a.question.pair}
        n_settled = len(asked.intersection(self.beliefs.class_of) - self.known.aside)
        enough = enough and (best is None or len(self.known.answers) >= N_FIRST)
        return Expectation(jaccard, max(wrong, 0.0), n_settled, enough)

    def chances(self, sample: int) -> Chances:
        """Return the classes that a sample may belong to."""
        row = belief(self.picture, sample)
        members = [self.beliefs.members[name] for name in self.state.classes]
        order = np.argsort(-row, kind="stable")
        groups = tuple((members[c], float(row[c])) for c in order)
        return Chances(groups, max(1.0 - float(row.sum()), 0.0))

    def best(self, pending: tuple[Question, ...] = ()) -> Candidate | None:
        """Return the question that is worth most besides those that are open."""
        if not pending:
            return self._best
        return best_question(self.picture, self.known, pending)

    @cached_property
    def _best(self) -> Candidate | None:
        return best_question(self.picture, self.known, ())


def begin(
    problem: Problem,
    known: Knowledge,
    rng: np.random.Generator,
    scale_of: Callable[[int], Scale] = scale_for,
) -> FieldModel:
    """Make the model of any state of the answers.

    Samples set aside are cut out of the graph where there are few; among many their
    edges weigh nothing, and the solution for the whole graph stays good. They are out
    of every count and question in either case.

    Parameters
    ----------
    problem : Problem
    known : Knowledge
    rng : Generator
    scale_of : callable
        ``scale_of(n)``: how n samples are worked on; everything is kept of up to 5,000.
    """
    seed = int(rng.integers(2**31))
    if problem.n_samples <= FEW_SAMPLES:
        problem = problem.without(known.aside)
    scale = scale_of(problem.n_samples)
    derive = partial(ground_of, problem, seed, scale)
    ground = problem.once(("ground", seed, scale), derive)
    founders = [m for m in ground.medoids if int(m) not in known.aside]
    start = Beliefs.of(founders or ground.medoids)
    return FieldModel(ground, known, start.after_all(known.answers))


def learn(model: FieldModel, known: Knowledge, answer: Answer) -> FieldModel:
    """Make the model one answer further; posteriors follow when they are looked at."""
    latest = model.__dict__.get("state", model.earlier)
    beliefs = model.beliefs.after(answer)
    if latest is not None:
        latest = model.ground.scale.handed_on(latest, beliefs)
    believed = model.__dict__.get("_believed", model.believed)
    return FieldModel(model.ground, known, beliefs, latest, believed)


def propose(
    model: FieldModel,
    known: Knowledge,  # noqa: ARG001 - the model has it
    rng: np.random.Generator,  # noqa: ARG001 - nothing is left to chance
    pending: tuple[Question, ...] = (),
) -> Question | None:
    """Return the question expected to change most pairs, or None."""
    best = model.best(pending)
    return best.question if best else None


LIKEWISE = Method(
    "likewise",
    "The flagship: asks the pair that is expected to change most; fewest questions.",
    begin,
    learn,
    propose,
)
