"""The flagship: fields over a spectrum, provisional classes, expected changed pairs.

Each cluster found before any question is a class of one sample. A Gaussian field over
the graph, and one over the features, say near settled samples which class an unsettled
one belongs to; far from them its cluster says it. The question that is expected to
change most pairs is asked: a sample against its likeliest class, two classes, or a
settled sample again. A sample that fits no class founds one; that two classes are one
is found out later.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from likewise._arrays import AnyFloats, Floats, Indices, Weights
from likewise._ties import (
    best_first,
    first_best,
    ranked,
    reaches,
)
from likewise.knowledge import PASSED, Answer, Knowledge, Question, in_use, respect
from likewise.methods._base import Chances, Expectation, Method
from likewise.methods._likewise._acquisition import (
    Candidate,
    Partners,
    best_besides,
)
from likewise.methods._likewise._beliefs import Beliefs
from likewise.methods._likewise._folding import closer, folded
from likewise.methods._likewise._prior import Prior, Source
from likewise.methods._likewise._probabilities import (
    Probabilities,
    trusted,
    trusted_rows,
)
from likewise.methods._likewise._prospect import Showing
from likewise.methods._likewise._regimes import regime_for
from likewise.methods._likewise._surroundings import (
    Covered,
    Surroundings,
    brought_to,
    kept_of,
)
from likewise.methods._likewise._trust import (
    errors_of,
    is_judged,
    trust_at,
    trust_in,
)
from likewise.methods._outlook import GOOD_ENOUGH, Correction, Tally
from likewise.methods._problem import Problem
from likewise.methods._readers import Errors
from likewise.methods._screens import Prospect
from likewise.spectral import Array, DeviceClusters

PROBABLY_NEW = 0.5
PULLING = 5.0  # times the weight of one in the middle
NO_PAIRS = 1e-9


@dataclass(frozen=True, slots=True)
class Belonging:
    """The soft membership of all samples, as rows that are made when looked at."""

    probabilities: Probabilities

    @property
    def shape(self) -> tuple[int, int]:
        """Samples and classes."""
        return len(self.probabilities.prior.start), len(self.probabilities.classes)

    def __getitem__(self, rows: Indices) -> AnyFloats:
        """Return the membership of some samples, of shape (s, m)."""
        return self.probabilities.belonging(rows)


def main_classes(probabilities: Probabilities) -> Indices:
    r"""Return for each class the main class it is shown with.

    Main classes are taken by size times the chance that they are none of those taken
    already, :math:`s_h \prod_g (1 - p_{gh})`: k of them at least if k is known, and all
    that are probably new. Every other class goes with the likeliest main one.
    """
    barred = probabilities.evidence.classes < 0
    same = np.where(barred, 0.0, probabilities.pairs)
    m = len(same)
    main: list[int] = []
    fresh = np.ones(m)
    while len(main) < m:
        score = probabilities.sizes * fresh
        score[main] = -1.0
        best = first_best(score)
        if not reaches(fresh[best], PROBABLY_NEW) and len(main) >= (
            probabilities.prior.n_groups or 1
        ):
            break
        main.append(best)
        fresh = fresh * (1 - same[best])
    main += [h for h in range(m) if h not in main and reaches(fresh[h], PROBABLY_NEW)]
    target, chosen = np.arange(m), np.array(main, dtype=np.intp)
    closed = barred[:, chosen]  # to whom, by what is shown with each main class
    for h in sorted(set(range(m)) - set(main)):
        allowed = np.flatnonzero(~closed[h])
        if allowed.size:
            at = allowed[first_best(same[h, chosen[allowed]])]
            target[h] = chosen[at]
            closed[:, at] |= barred[:, h]
    return target


def clusters(probabilities: Probabilities) -> DeviceClusters:
    """Return the cluster of each sample."""
    target = main_classes(probabilities)
    shown = np.unique(target)
    joined = np.zeros((len(target), len(shown)))
    joined[np.arange(len(target)), np.searchsorted(shown, target)] = 1.0
    labels = probabilities.grouped(joined, shown)
    samples, columns = probabilities.settled
    probabilities.backend.put(labels.values, samples, target[columns])
    return labels


@dataclass(frozen=True, slots=True)
class Sums:
    """The beliefs about the samples in the game, summed over each cluster.

    Attributes
    ----------
    sizes : ndarray of shape (k,)
        How many samples each cluster has.
    totals : ndarray of shape (k, m)
        The rows of its samples: how many of each class it is expected to have.
    alone : ndarray of shape (k,)
        For each sample the chance that two such samples would be of one group.
    """

    sizes: Indices
    totals: AnyFloats
    alone: Floats


def sums_of(probabilities: Probabilities, labels: DeviceClusters) -> Sums:
    """Return the beliefs summed over each cluster."""
    G = probabilities.pairs + np.eye(len(probabilities.pairs))
    backend = probabilities.backend
    aside = np.array(sorted(probabilities.aside), dtype=np.intp)
    k = max(len(labels.counts), len(G))
    sizes = -np.bincount(labels[aside], minlength=k)
    sizes[: len(labels.counts)] += labels.counts
    totals, alone = np.zeros((k, len(G))), np.zeros(k)
    links, shown_as = backend.array(G), labels.values
    for part, rows in beliefs(probabilities):
        out = aside[slice(*np.searchsorted(aside, [part.start, part.stop]))]
        backend.put(rows, out - part.start, np.zeros((len(out), len(G))))
        own = ((rows @ links) * rows).sum(1)
        totals += backend.totals(rows, shown_as[part], k)
        alone += backend.host(backend.tally(shown_as[part], own, k))
    return Sums(sizes, totals, alone)


def expectation(probabilities: Probabilities, sums: Sums) -> tuple[float, float, float]:
    r"""Return the expected Jaccard coefficient, wrong pairs and pairs that count.

    The last are those together in the clustering, in truth, or in both.

    With R the beliefs about every sample, G the chance that two classes are one
    (:math:`G_{gg} = 1`) and :math:`T_c = \sum_{i \in c} R_i`,

    .. math::
        TP = \frac12 \sum_c \Bigl(T_c^T G T_c - \sum_{i \in c} R_i^T G R_i\Bigr),

    the same over all samples gives the pairs that are together in truth, and
    E[Jaccard] = TP / (A + SAME - TP), A the pairs together in the clustering.
    """
    G = probabilities.pairs + np.eye(len(probabilities.pairs))
    totals, everyone = sums.totals, sums.totals.sum(axis=0)
    right = float((((totals @ G) * totals).sum(axis=1) - sums.alone).sum() / 2)
    truth = float((everyone @ G @ everyone - sums.alone.sum()) / 2)
    shown = float((sums.sizes * (sums.sizes - 1) / 2).sum())
    union = shown + truth - right
    jaccard = min(right / union, 1.0) if union > NO_PAIRS else 1.0
    return jaccard, shown + truth - 2 * right, max(union, NO_PAIRS)


def tally_of(
    probabilities: Probabilities, sums: Sums, target: Indices, n_answers: int
) -> Tally:
    """Return how many samples are expected to be in the right cluster.

    A sample is right if its class is one of those that are shown with its cluster, and
    no larger cluster is of the same group.

    Parameters
    ----------
    probabilities : Probabilities
    sums : Sums
        Over the clusters, each named by its main class.
    target : ndarray of shape (m,)
        The main class that each class is shown with.
    n_answers : int
    """
    m = len(target)
    own = float(sums.totals[target, np.arange(m)].sum())
    samples, columns = probabilities.settled
    is_in = ~np.isin(samples, list(probabilities.aside))
    rows = np.eye(m)[columns]
    checked, _, which = probabilities.checked
    rows[np.searchsorted(samples, which)] = checked
    together = target == target[columns][:, np.newaxis]
    settled, n_settled = float((rows * together)[is_in].sum()), int(is_in.sum())
    n_free, alone = int(sums.sizes.sum()) - n_settled, singled(probabilities, target)
    free = max(own - settled, 0.0)
    return Tally(n_settled, n_free, alone * settled, alone * free, n_answers)


def singled(probabilities: Probabilities, target: Indices) -> float:
    """Return the expected share of samples whose cluster is the largest of its group.

    Of two clusters that are one group in truth, only the larger one is right.
    """
    main, at = np.unique(target, return_inverse=True)
    sizes = np.bincount(at, weights=probabilities.sizes)
    order = list(best_first(sizes))
    same = probabilities.pairs[np.ix_(main[order], main[order])]
    fresh = np.prod(1 - np.triu(same, 1), axis=0)
    return float(fresh @ sizes[order] / max(sizes.sum(), NO_PAIRS))


def beliefs(probabilities: Probabilities) -> Iterator[tuple[slice, Array]]:
    """Yield P(class) of every sample; what is missing to 1 is a class of its own.

    Which samples, and a row for each of them.
    """
    backend, kept = probabilities.backend, probabilities.not_free
    for part, rows in probabilities.by_block():
        at = kept[slice(*np.searchsorted(kept, [part.start, part.stop]))] - part.start
        found = trusted_rows(probabilities, rows)
        backend.put(found, at, backend.rows(rows, at))
        yield part, found


def belief(probabilities: Probabilities, sample: int) -> AnyFloats:
    """Return P(class) of one sample, of shape (m,)."""
    at = np.array([sample])
    if probabilities.is_free[sample]:
        return trusted(probabilities, probabilities.questioned_of(at)[0])[0]
    checked, _, samples = probabilities.checked
    found = checked[samples == sample]
    return found[0] if len(found) else probabilities.belonging(at)[0]


KNOWN_K = Correction(shift=0.21, toll=-0.75, spread=0.9, early=0.6)
UNKNOWN_K = Correction(shift=0.21, toll=-0.75, spread=0.9, early=3.0)
FEW, HARDLY_ANY = 0.02, 0.005  # shares of pairs that 20 questions would change
N_FIRST = 20  # answers before stopping is suggested


TOO_EARLY = 10  # answers before anybody can say how many more it takes
PER_WRONG, FEWER_FOR_MANY, AT_ONCE = 11.7, 0.58, 5.0  # by benchmarks/progress.py


def questions_until(
    level: float, right: float, tally: Tally, *, ends: bool
) -> int | None:
    r"""Return about how many more questions it takes until a share of samples is right.

    :math:`11.7 (w + 1)^{0.58} - 5` for w samples that are still to be put right, and no
    more than there are samples to ask about. None when nobody can say.

    Parameters
    ----------
    level : float
        The share.
    right : float
        The share that is expected to be right.
    tally : Tally
    ends : bool
        Whether more questions would hardly help.

    Examples
    --------
    >>> questions_until(0.95, 0.85, Tally(20, 180, 20.0, 150.0, 30), ends=False)
    63
    """
    if right >= level:
        return 0
    if ends or tally.n_answers < TOO_EARLY or not tally.n_free:
        return None
    wrong = tally.n_samples * (level - right)
    about = PER_WRONG * (wrong + 1) ** FEWER_FOR_MANY - AT_ONCE
    return max(round(min(about, tally.n_free)), 1)


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
    source : Source
        Of the prior, and of those for more groups.
    warm : Warm
    """

    prior: Prior
    known: Knowledge
    beliefs: Beliefs
    source: Source = field(repr=False, compare=False)
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
            return in_use(self.prior.start)
        raw, known = self._raw, self._believed
        if not self.probabilities.backend.is_processor:
            _ = self._partners.drop  # on a card, while the labels are put right here
        likeness = Belonging(self.probabilities)
        return respect(raw, likeness, known.constraints, known.certain)

    @cached_property
    def _raw(self) -> DeviceClusters:
        """The clusters before the pairs that are believed are looked at."""
        return clusters(self.probabilities)

    @cached_property
    def _believed(self) -> Knowledge:
        """The closure of the answers that are believed, and its certain sets.

        Mostly one more is believed than before: then the others are not read again.
        """
        if not (self.known.doubtful or self.beliefs.unheard):
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
        found, backend = np.empty(self.known.n_samples), self.probabilities.backend
        for part, rows in beliefs(self.probabilities):
            found[part] = backend.host(backend.largest_of(rows)[:, 0])
        return found

    @cached_property
    def expectation(self) -> Expectation:
        """How good the labels are expected to be.

        Enough when 20 more questions would change few of the pairs that count: 2 % if
        95 % of the samples should be right already, 0.5 % if they are not.
        """
        jaccard, wrong, pairs = expectation(self.probabilities, self._sums)
        right = self.correction.right(self.tally)
        best = self.best()
        change = 20 * (0.0 if best is None else min(best.gain, best.worth)) / pairs
        enough = change <= (FEW if right >= GOOD_ENOUGH else HARDLY_ANY)
        asked = self.known.compared.keys() & self.beliefs.class_of.keys()
        n_settled = len(asked - self.known.aside)
        enough = enough and (best is None or self.n_said >= N_FIRST)
        return Expectation(
            jaccard,
            max(wrong, 0.0),
            n_settled,
            is_enough=enough,
            right=right,
            interval=self.correction.interval(right, self.n_said),
            until=(
                questions_until(0.95, right, self.tally, ends=enough),
                questions_until(0.98, right, self.tally, ends=enough),
            ),
        )

    @property
    def correction(self) -> Correction:
        """How what it expects is corrected."""
        return UNKNOWN_K if self.prior.n_groups is None else KNOWN_K

    @cached_property
    def tally(self) -> Tally:
        """The samples that are expected to be right, by the model alone."""
        target = main_classes(self.probabilities)
        return tally_of(self.probabilities, self._sums, target, self.n_said)

    @cached_property
    def n_said(self) -> int:
        """How many answers somebody gave; what was left untapped is none of them."""
        return sum(answer.how != PASSED for answer in self.known.answers)

    @cached_property
    def _sums(self) -> Sums:
        return sums_of(self.probabilities, self._raw)

    @cached_property
    def errors(self) -> Mapping[str, Errors]:
        """How often each reader is wrong, by all that the others say.

        Of one who is alone, by what was expected when they were asked.
        """
        return errors_of(self.source, self.known.answers, self.known.aside)

    def chances(self, sample: int) -> Chances:
        """Return the classes that a sample may belong to."""
        row = belief(self.probabilities, sample)
        members = [self.beliefs.members[name] for name in self.around.classes]
        groups = tuple((members[c], float(row[c])) for c in ranked(row))
        return Chances(groups, max(1.0 - float(row.sum()), 0.0))

    def best(self, pending: tuple[Question, ...] = ()) -> Candidate | None:
        """Return the question that is worth most besides those that are open."""
        return best_besides(self._partners, pending) if pending else self._best

    @cached_property
    def _best(self) -> Candidate | None:
        return best_besides(self._partners, ())

    @cached_property
    def _partners(self) -> Partners:
        return Partners(self.probabilities, self.known)


def begin(problem: Problem, known: Knowledge, rng: np.random.Generator) -> FieldModel:
    """Make the model of any state of the answers.

    Samples set aside are out of every count and question. They stay on the graph, so
    that all others stay where they are; but for those that tie others together by their
    weight alone.
    """
    problem = problem.without(known.aside & pulling(problem.weights))
    regime = regime_for(problem.n_samples)
    source = Source(problem, int(rng.integers(2**31)), regime)
    heard = trust_at(source, known.answers, known.aside)
    prior, beliefs = folded(source, known.answers, known.aside, heard)
    return FieldModel(prior, known, beliefs, source)


def pulling(W: Weights) -> frozenset[int]:
    """Return the samples that weigh five times as much as one in the middle."""
    degrees = np.asarray(W.sum(axis=1)).ravel()
    return frozenset(np.flatnonzero(degrees > PULLING * np.median(degrees)).tolist())


def learn(model: FieldModel, known: Knowledge, answer: Answer) -> FieldModel:
    """Make the model one answer further; posteriors follow when they are looked at.

    Now and then it is time to say anew what readers are worth; if that has changed, all
    their answers are read again.
    """
    source, beliefs = model.source, model.beliefs
    trust = beliefs.trust
    if is_judged(known.answers):
        trust = trust_in(source, known.answers, known.aside)
    if trust != beliefs.trust:
        prior, beliefs = folded(source, known.answers, known.aside, trust)
    else:
        prior, beliefs = closer(
            source,
            model.prior,
            beliefs.after(answer, model.prior.taken_over),
            known.answers,
            known.aside,
        )
    warm = model.warm.handed_on(beliefs) if prior is model.prior else Warm()
    return FieldModel(prior, known, beliefs, source, warm)


def propose(
    model: FieldModel,
    known: Knowledge,  # noqa: ARG001 - the model has it
    rng: np.random.Generator,  # noqa: ARG001 - nothing is left to chance
    pending: tuple[Question, ...] = (),
) -> Question | None:
    """Return the question expected to change most pairs, or None."""
    best = model.best(pending)
    return best.question if best else None


def errors(model: FieldModel) -> Mapping[str, Errors]:
    """Return how often each reader is wrong."""
    return model.errors


def prospect(model: FieldModel, pending: tuple[Question, ...]) -> Prospect:
    """Return what items and groups are worth on a screen."""
    main = main_classes(model.probabilities)
    return Showing(model._partners, main, pending).prospect


LIKEWISE = Method(
    "likewise",
    "The flagship: asks the pair that is expected to change most; fewest questions.",
    begin,
    learn,
    propose,
    prospect=prospect,
    errors=errors,
)
