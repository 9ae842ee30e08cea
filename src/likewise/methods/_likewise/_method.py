"""The flagship: fields over a spectrum, provisional classes, expected changed pairs.

Each cluster found before any question is a class of one sample. A Gaussian field over
the graph, and one over the features, say near settled samples which class an unsettled
one belongs to; far from them its cluster says it. The question that is expected to
change most pairs is asked: a sample against its likeliest class, two classes, or a
settled sample again. A sample that fits no class founds one; that two classes are one
is found out later.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, partial

import numpy as np

from likewise import _regime
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
from likewise.methods._likewise._prior import Prior, prior_of
from likewise.methods._likewise._probabilities import Probabilities
from likewise.methods._likewise._regimes import regime_for
from likewise.methods._likewise._surroundings import (
    Covered,
    Surroundings,
    brought_to,
    kept_of,
)
from likewise.methods._problem import Problem

GOOD_ENOUGH = 0.95  # expected Jaccard
FEW, HARDLY_ANY = 0.02, 0.005  # shares of pairs that 20 questions would change
N_FIRST = 20  # answers before stopping is suggested


@dataclass(slots=True)
class Warm:
    """What was worked out last, by a model or by one before it.

    The one part of a model that changes: what somebody looks at is put here, and
    :func:`learn` hands it on.

    Attributes
    ----------
    around : Surroundings, Covered or None
        Of the model's own beliefs, or of earlier ones to go on from.
    believed : Knowledge or None
        The closure of answers that were believed, now or earlier.
    """

    around: Surroundings | Covered | None = None
    believed: Knowledge | None = None

    def handed_on(self, beliefs: Beliefs) -> Warm:
        """Return what the model of other beliefs may go on from."""
        return Warm(kept_of(self.around, beliefs), self.believed)


@dataclass(frozen=True)
class FieldModel:
    """What the flagship makes of a problem and the answers so far.

    Attributes
    ----------
    prior : Prior
    known : Knowledge
    beliefs : Beliefs
    warm : Warm
    """

    prior: Prior
    known: Knowledge
    beliefs: Beliefs
    warm: Warm = field(default_factory=Warm, repr=False, compare=False)

    @cached_property
    def around(self) -> Surroundings:
        """The posteriors for the present classes."""
        self.warm.around = brought_to(self.prior, self.beliefs, self.warm.around)
        return self.warm.around

    @cached_property
    def probabilities(self) -> Probabilities:
        """Probabilities for samples and classes."""
        return Probabilities(self.beliefs, self.around, self.known.aside)

    @cached_property
    def labels(self) -> Indices:
        """The cluster of each sample; no pair that is believed is violated."""
        if not self.known.answers:
            return in_use(self._raw)
        known, likeness = self._believed, Belonging(self.probabilities)
        return respect(self._raw, likeness, known.constraints, known.certain)

    @cached_property
    def _raw(self) -> Indices:
        """The clusters before the pairs that are believed are looked at."""
        return clusters(self.probabilities)

    @cached_property
    def _believed(self) -> Knowledge:
        """The closure of the answers that are believed, and its certain sets.

        Mostly one more is believed than before: then the others are not read again.
        """
        if not self.known.doubtful:
            return self._noted(self.known)
        fitting = tuple(filter(self.beliefs.fits, self.known.answers))
        start = self.warm.believed
        if start is None or start.answers != fitting[: len(start.answers)]:
            start = Knowledge(self.known.n_samples)
        return self._noted(start.after_all(fitting[len(start.answers) :]))

    def _noted(self, believed: Knowledge) -> Knowledge:
        self.warm.believed = believed
        return believed

    @cached_property
    def confidence(self) -> Floats:
        """The probability that each sample is in the right cluster."""
        found = np.empty(self.known.n_samples)
        for part, rows in beliefs(self.probabilities):
            found[part] = rows.max(axis=1)
        return found

    @cached_property
    def expectation(self) -> Expectation:
        """How good the labels are expected to be.

        Enough when 20 more questions would change few of the pairs that count: 2 % if
        the Jaccard coefficient should be 0.95 already, 0.5 % if it is not.
        """
        jaccard, wrong, pairs = expectation(self.probabilities, self._raw)
        best = self.best()
        change = 20 * (0.0 if best is None else min(best.gain, best.worth)) / pairs
        enough = change <= FEW if jaccard >= GOOD_ENOUGH else change <= HARDLY_ANY
        asked = {s for a in self.known.answers for s in a.question.pair}
        n_settled = len(asked.intersection(self.beliefs.class_of) - self.known.aside)
        enough = enough and (best is None or len(self.known.answers) >= N_FIRST)
        return Expectation(jaccard, max(wrong, 0.0), n_settled, enough)

    def chances(self, sample: int) -> Chances:
        """Return the classes that a sample may belong to."""
        row = belief(self.probabilities, sample)
        members = [self.beliefs.members[name] for name in self.around.classes]
        order = np.argsort(-row, kind="stable")
        groups = tuple((members[c], float(row[c])) for c in order)
        return Chances(groups, max(1.0 - float(row.sum()), 0.0))

    def best(self, pending: tuple[Question, ...] = ()) -> Candidate | None:
        """Return the question that is worth most besides those that are open."""
        if not pending:
            return self._best
        return best_question(self.probabilities, self.known, pending)

    @cached_property
    def _best(self) -> Candidate | None:
        return best_question(self.probabilities, self.known, ())


def begin(problem: Problem, known: Knowledge, rng: np.random.Generator) -> FieldModel:
    """Make the model of any state of the answers.

    Samples set aside are cut out of the graph where there are few; among many their
    edges weigh nothing, and the solution for the whole graph stays good. They are out
    of every count and question in either case.
    """
    seed = int(rng.integers(2**31))
    if problem.n_samples <= _regime.FLAGSHIP_CUT:
        problem = problem.without(known.aside)
    regime = regime_for(problem.n_samples)
    derive = partial(prior_of, problem, seed, regime)
    prior = problem.once(("flagship's prior", seed, regime), derive)
    founders = [m for m in prior.medoids if int(m) not in known.aside]
    start = Beliefs.of(founders or prior.medoids)
    return FieldModel(prior, known, start.after_all(known.answers))


def learn(model: FieldModel, known: Knowledge, answer: Answer) -> FieldModel:
    """Make the model one answer further; posteriors follow when they are looked at."""
    beliefs = model.beliefs.after(answer)
    return FieldModel(model.prior, known, beliefs, model.warm.handed_on(beliefs))


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
