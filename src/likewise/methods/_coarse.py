"""A coarse start: a method that asks about a part of the samples, in the name of all.

To get ready for many samples takes long, for a few thousand a second. So the first
questions may come from a part of them. Answers are about samples of the whole, and
count for whatever method takes over; each other sample is shown with its nearest one of
the part.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from likewise._arrays import AnyFloats, Floats, Indices, Sparse
from likewise.affinity import (
    N_TYPICAL,
    Affinity,
    LocalRunner,
    Pieces,
    evenly,
    exact_kind,
    middle_of,
    nearest_among,
    scaled_closeness,
    search_of,
)
from likewise.knowledge import Answer, Knowledge, Question
from likewise.methods._base import (
    AnyMethod,
    Chances,
    Expectation,
    Method,
    Model,
    errors_by,
    suited,
)
from likewise.methods._problem import Problem, problem_of
from likewise.methods._readers import Errors
from likewise.methods._screens import Clustered, Prospect, estimated_prospect


@dataclass(frozen=True, eq=False)
class Part:
    """Some of the samples, and which of them stands for each.

    Attributes
    ----------
    rows : ndarray of shape (m,)
        The samples, ascending.
    nearest : ndarray of shape (n_samples,)
        Where in `rows` the nearest one of each sample is.
    problem : Problem
        Of these samples alone.
    """

    rows: Indices
    nearest: Indices
    problem: Problem = field(repr=False)


def part_of(
    X: AnyFloats, method: AnyMethod, n_clusters: int | None, count: int, seed: int
) -> Part:
    """Return a part of many samples, drawn by lot.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    method : Method
        That is to ask about them.
    n_clusters : int or None
    count : int
        How many there are to be.
    seed : int
    """
    n = len(X)
    rng = np.random.default_rng([seed, n])
    rows = np.sort(rng.choice(n, min(count, n), replace=False, shuffle=False))
    middle = middle_of(X[evenly(n, N_TYPICAL)])
    pieces = Pieces(LocalRunner(), (X,), np.array([0, n]), X.shape[1], middle)
    search = search_of(exact_kind(), len(rows), X.shape[1])
    found = nearest_among(pieces, np.asarray(pieces.fetched(rows)), search)
    nearest = found.indices[:, 0].astype(np.intp)
    nearest[rows] = np.arange(len(rows))
    return Part(rows, nearest, _problem_on(X, rows, method, n_clusters))


def _problem_on(
    X: AnyFloats, rows: Indices, method: AnyMethod, n_clusters: int | None
) -> Problem:
    some = np.asarray(X[rows])
    return suited(problem_of(some, affinity="auto", n_clusters=n_clusters), method)


def whole_of(X: AnyFloats, part: Part) -> Problem:
    """Return the problem of all samples, as far as a part of them tells.

    Samples of the part are linked as they are there, each other one to its nearest.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    part : Part
    """
    given = part.problem
    others = np.setdiff1d(np.arange(len(X)), part.rows, assume_unique=True)
    nearest = part.rows[part.nearest[others]]
    typical = float(np.median(sp.csr_array(given.weights).data))
    value = np.full(len(others), typical, dtype=given.weights.dtype)
    n = len(X)
    links = sp.coo_array((value, (others, nearest)), shape=(n, n))
    scale = None if given.affinity.scale is None else given.affinity.scale[part.nearest]
    closeness = partial(scaled_closeness, X, np.ones(n) if scale is None else scale)
    spread = partial(_spread, rows=part.rows, n=n)
    weights = spread(given.weights) + links + links.T
    near = spread(given.neighbours) + links
    found = Affinity(weights.tocsr(), near.tocsr(), closeness, X, scale=scale)
    return Problem(found, given.n_clusters)


def _spread(W: Any, rows: Indices, n: int) -> Sparse:
    """Return links of a part as links of all samples."""
    links = sp.coo_array(W)
    places = rows[links.row], rows[links.col]
    return sp.coo_array((links.data, places), shape=(n, n))


@dataclass(frozen=True, eq=False)
class Places:
    """Where samples of a part are among all, and the other way round.

    Attributes
    ----------
    rows : ndarray of shape (m,)
        The samples, ascending.
    """

    rows: Indices

    def holds(self, samples: Iterable[int]) -> bool:
        """Tell whether all of these samples are in the part."""
        return all(self.inside(sample) is not None for sample in samples)

    def inside(self, sample: int) -> int | None:
        """Return where a sample is in the part; None where it is not."""
        at = int(np.searchsorted(self.rows, sample))
        is_there = at < len(self.rows) and int(self.rows[at]) == sample
        return at if is_there else None

    def outside(self, at: int) -> int:
        """Return which sample is there."""
        return int(self.rows[at])

    def answers_in(self, answers: Iterable[Answer]) -> list[Answer]:
        """Return answers as they are said of the part, which holds what they are on."""
        return [replace(a, question=self._question_in(a.question)) for a in answers]

    def _question_in(self, question: Question) -> Question:
        i, j, predicted = question.sample, question.against, question.predicted
        if predicted is not None and predicted.if_different >= 0:
            instead = self.inside(predicted.if_different)
            assert instead is not None  # see samples_of
            predicted = replace(predicted, if_different=instead)
        return Question(self.inside(i) or 0, self.inside(j) or 0, predicted)

    def pending_in(self, pending: Iterable[Question]) -> tuple[Question, ...]:
        """Return what is asked elsewhere, as far as it is about the part.

        Where one of two samples is not in it, the other one counts as asked about.
        """
        found = []
        for question in pending:
            ends = map(self.inside, (question.sample, question.against))
            here = [end for end in ends if end is not None]
            if here:
                other = here[1] if len(here) > 1 else (here[0] + 1) % len(self.rows)
                found.append(Question(here[0], other, question.predicted))
        return tuple(found)

    def question_out(self, question: Question | None) -> Question | None:
        """Return a question about the part as one about all samples."""
        if question is None:
            return None
        predicted = question.predicted
        if predicted is not None and predicted.if_different >= 0:
            instead = self.outside(predicted.if_different)
            predicted = replace(predicted, if_different=instead)
        i, j = self.outside(question.sample), self.outside(question.against)
        return Question(i, j, predicted)


def samples_of(answers: Iterable[Answer]) -> set[int]:
    """Return all samples that answers speak of."""
    found: set[int] = set()
    for question in (answer.question for answer in answers):
        found.update(question.pair)
        if question.predicted is not None:
            found.add(question.predicted.if_different)
    return {sample for sample in found if sample >= 0}


@dataclass(frozen=True, eq=False)
class CoarseModel:
    """What a method makes of a part of the samples, said of all.

    Attributes
    ----------
    part : Part
    places : Places
        Of the part, and of all samples that answers speak of.
    problem : Problem
        Of these.
    known : Knowledge
        Of these, with the same answers in the same order.
    model : Model
        Of these.
    whole : Problem
        Of all samples.
    seed : int
        By which all of it may be made again.
    """

    part: Part
    places: Places
    problem: Problem
    known: Knowledge
    model: Model
    whole: Problem
    seed: int

    @cached_property
    def _stand_in(self) -> Indices:
        """Who stands for each sample: where it is among those that are worked on."""
        found = np.searchsorted(self.places.rows, self.part.rows)[self.part.nearest]
        found[self.places.rows] = np.arange(len(self.places.rows))
        return found

    @cached_property
    def labels(self) -> Indices:
        """The cluster of each sample."""
        return self.model.labels[self._stand_in]

    @cached_property
    def confidence(self) -> Floats:
        """The probability that each sample is in the right cluster."""
        return self.model.confidence[self._stand_in]

    @cached_property
    def expectation(self) -> Expectation:
        """How good the labels are expected to be; never enough to stop."""
        found = self.model.expectation
        more = (self.whole.n_samples / len(self.places.rows)) ** 2
        return replace(found, wrong_pairs=more * found.wrong_pairs, is_enough=False)

    def chances(self, sample: int) -> Chances:
        """Return the groups that a sample may belong to, or who stands for it."""
        found, outside = self.model.chances(int(self._stand_in[sample])), self._outside
        return replace(
            found, groups=tuple((outside(members), p) for members, p in found.groups)
        )

    def _outside(self, members: Iterable[int]) -> tuple[int, ...]:
        return tuple(map(self.places.outside, members))

    def said_of_all(self, found: Prospect) -> Prospect:
        """Return what may be shown of the part as samples of the whole."""
        places = self.places
        out = places.question_out

        def question(sample: int, group: int) -> Question | None:
            at = places.inside(sample)
            return None if at is None else out(found.question(at, group))

        return replace(
            found,
            samples=places.rows[found.samples],
            speakers=tuple(map(self._outside, found.speakers)),
            fading=lambda some: found.fading(np.searchsorted(places.rows, some)),
            question=question,
            merge=lambda group, other: out(found.merge(group, other)),
            glanced=lambda group, other: out(found.glanced(group, other)),
            pair=_pair_out(places, found.pair),
        )


def _pair_out(
    places: Places, pair: tuple[Question, float] | None
) -> tuple[Question, float] | None:
    asked = None if pair is None else places.question_out(pair[0])
    return None if pair is None or asked is None else (asked, pair[1])


@dataclass(frozen=True, eq=False)
class Coarse:
    """A method at work on a part of the samples.

    Attributes
    ----------
    method : Method
    part : Part
    """

    method: AnyMethod
    part: Part

    def begin(
        self, whole: Problem, known: Knowledge, rng: np.random.Generator
    ) -> CoarseModel:
        """Make the model of any state of the answers."""
        return self._made(whole, known, int(rng.integers(2**31)))

    def _made(self, whole: Problem, known: Knowledge, seed: int) -> CoarseModel:
        told = np.array(sorted(samples_of(known.answers)), dtype=np.intp)
        places = Places(np.union1d(self.part.rows, told))
        here = map(places.inside, known.aside)
        aside = frozenset(at for at in here if at is not None)
        inside = Knowledge(len(places.rows), aside=aside)
        inside = inside.after_all(places.answers_in(known.answers))
        problem = self._problem(whole, places.rows)
        model = self.method.begin(problem, inside, np.random.default_rng(seed))
        return CoarseModel(self.part, places, problem, inside, model, whole, seed)

    def _problem(self, whole: Problem, rows: Indices) -> Problem:
        if len(rows) == len(self.part.rows):
            return self.part.problem
        X, k = whole.features, whole.n_clusters
        assert isinstance(X, np.ndarray)
        derive = partial(_problem_on, X, rows, self.method, k)
        return whole.once(("coarse", rows.tobytes()), derive)

    def learn(
        self, model: CoarseModel, known: Knowledge, answer: Answer
    ) -> CoarseModel:
        """Make the model one answer further; other samples join those it works on."""
        if not model.places.holds(samples_of([answer])):
            return self._made(model.whole, known, model.seed)
        (told,) = model.places.answers_in([answer])
        inside = model.known.after(told)
        return replace(
            model, known=inside, model=self.method.learn(model.model, inside, told)
        )

    def propose(
        self,
        model: CoarseModel,
        known: Knowledge,  # noqa: ARG002 - the model has what it needs
        rng: np.random.Generator,
        pending: tuple[Question, ...] = (),
    ) -> Question | None:
        """Return the question that the method would ask of these samples alone."""
        places = model.places
        others = places.pending_in(pending)
        asked = self.method.propose(model.model, model.known, rng, others)
        return places.question_out(asked)

    def prospect(self, model: CoarseModel, pending: tuple[Question, ...]) -> Prospect:
        """Return what is worth showing of these samples."""
        others = model.places.pending_in(pending)
        if self.method.prospect is not None:
            return model.said_of_all(self.method.prospect(model.model, others))
        rng = np.random.default_rng([model.seed, len(model.known.answers)])
        asked = self.method.propose(model.model, model.known, rng, others)
        is_open = model.problem.n_clusters is None
        graph = model.problem.neighbours
        clustered = Clustered(model.model, model.known, graph, is_open=is_open)
        return model.said_of_all(estimated_prospect(clustered, asked, others))

    def errors(self, model: CoarseModel) -> Mapping[str, Errors]:
        """Return how often each reader is wrong."""
        return errors_by(self.method, model.model, model.known)


def coarse(method: AnyMethod, part: Part) -> Method[CoarseModel]:
    """Return a method that works on a part of the samples as another one does.

    What was answered about other samples counts: they join the part.

    Parameters
    ----------
    method : Method
    part : Part
        Of the samples of every problem that it is given.
    """
    at_work = Coarse(method, part)
    return Method(
        method.name,
        method.about,
        at_work.begin,
        at_work.learn,
        at_work.propose,
        most_clusters=method.most_clusters,
        prospect=at_work.prospect,
        errors=at_work.errors,
    )
