"""What goes on inside a session: journal in, knowledge and model out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from likewise.affinity import Progress
from likewise.errors import InputError
from likewise.knowledge import (
    Answer,
    Draft,
    Event,
    Journal,
    Knowledge,
    Question,
    Renamed,
    Retracted,
    SetAside,
    Single,
    Standing,
    Together,
    Told,
    standing,
)
from likewise.methods import AnyMethod, Model, Problem, problem_of, suited
from likewise.session._review import Revision
from likewise.session._start import answers_of, links_of_labels


class Loop:
    """The journal of answers, and what is derived from it when somebody looks.

    Parameters
    ----------
    X : array-like
    method : Method
    n_clusters : int or None
    affinity : str or callable
    random_state : int or None
    device : str
    progress : callable or None
    """

    _journal: Journal
    _n_events: int
    _standing: Standing
    _known: Knowledge
    _model: Model | None
    _open: list[Question]
    _ahead: dict[Answer, Model]  # what answers to come would make of the model

    def __init__(  # noqa: PLR0913 - what a session is made of
        self,
        X: Any,
        method: AnyMethod,
        n_clusters: int | None,
        affinity: str | Callable[[Any], Any],
        random_state: int | None,
        *,
        device: str = "cpu",
        progress: Progress | None = None,
    ) -> None:
        self._method = method
        self._device = device
        self._progress = progress
        self._data = X
        self._affinity = affinity
        self._n_clusters = n_clusters
        self._seed = np.random.SeedSequence(random_state).entropy
        self._given = self._problem_of(X)

    @property
    def n_samples(self) -> int:
        """How many samples there are."""
        return self._given.n_samples

    def _take_up(self, journal: Journal) -> None:
        self._journal = journal
        self._replay()

    def _problem_of(self, X: Any) -> Problem:
        given = problem_of(
            X,
            affinity=self._affinity,
            n_clusters=self._n_clusters,
            device=self._device,
            progress=self._progress,
        )
        return suited(given, self._method)

    def _tell(self, told: Iterable[Answer], on_conflict: str) -> None:
        if on_conflict not in ("raise", "keep"):
            raise InputError(
                f"on_conflict must be 'raise' or 'keep', but it is {on_conflict!r}."
            )
        draft = Draft(self._known)
        answers: list[Answer] = []
        for answer in told:
            question = answer.question
            self._check(question.sample, question.against)
            is_strict = on_conflict == "raise" and not question.is_check
            if is_strict and (error := draft.contradiction(answer)) is not None:
                raise error
            number = self._standing.n_answers + len(answers) + 1
            answers.append(replace(answer, id=number))
            draft.take(answers[-1])
        self._journal.append(Told(tuple(answers)))
        self._standing = self._standing.with_told(self._n_events, tuple(answers))
        self._n_events += 1
        self._learn(answers)

    def _revise(self, revision: Revision) -> None:
        self._check(*revision.aside)
        self._check(*revision.back)
        events: list[Single] = []
        if revision.retracted:
            events.append(Retracted(revision.retracted))
        if revision.told:
            events.append(Told(tuple(self._numbered(revision.told))))
        events += [SetAside(sample) for sample in revision.aside]
        events += [SetAside(sample, aside=False) for sample in revision.back]
        events += [Renamed(sample, name) for sample, name in revision.renamed]
        if [type(event) for event in events] == [Told]:
            self._tell(revision.told, "keep")  # nothing to be thought over again
        elif events:
            self._append(events[0] if len(events) == 1 else Together(tuple(events)))

    def _numbered(self, told: Iterable[Answer]) -> Iterator[Answer]:
        for number, answer in enumerate(told, start=self._standing.n_answers + 1):
            self._check(answer.question.sample, answer.question.against)
            yield replace(answer, id=number)

    def _learn(self, answers: list[Answer]) -> None:
        if self._model is None:
            self._known = self._known.after_all(answers)
        else:
            for answer in answers:
                self._known = self._known.after(answer)
                self._model = self._ahead.get(answer) or self._method.learn(
                    self._model, self._known, answer
                )
                self._ahead = {}
        told = [answer.question for answer in answers]
        asked = all(question in self._open for question in told)
        self._open = [q for q in self._open if q not in told] if asked else []

    def _keep(self, data: Any) -> None:
        """Keep the samples with those added; here memory is all that keeps them."""

    def _append(self, event: Event) -> None:
        self._journal.append(event)
        self._replay()

    def _replay(self) -> None:
        events = list(self._journal.read())
        self._n_events = len(events)
        self._standing = standing(events)
        empty = Knowledge(self._given.n_samples, aside=self._standing.aside)
        self._known = empty.after_all(self._standing.answers)
        self._model = None
        self._open = []
        self._ahead = {}

    def _start_from(self, answers: Iterable[Any] | None, known: Any) -> None:
        given = answers_of(answers or ())
        if known is not None:
            given += links_of_labels(known, self.n_samples)
        if given:
            self._tell(given, "keep")

    def _current(self) -> Model:
        if self._model is None:
            rng = self._rng("begin", 0)
            self._model = self._method.begin(self._given, self._known, rng)
        return self._model

    def _propose(
        self, model: Model, known: Knowledge, pending: tuple[Question, ...]
    ) -> Question | None:
        rng = self._rng("propose", len(known.answers))
        return self._method.propose(model, known, rng, pending)

    def _rng(self, use: str, count: int) -> np.random.Generator:
        # One stream for each use and number of answers: a session that was stopped and
        # taken up again draws as if it had never stopped.
        key = (count, *use.encode())
        return np.random.default_rng(np.random.SeedSequence(self._seed, spawn_key=key))

    def _check(self, *samples: int) -> None:
        for sample in samples:
            is_index = isinstance(sample, int | np.integer)
            if not is_index or not 0 <= sample < self.n_samples:
                raise InputError(
                    f"There is no sample {sample}: samples are numbered from 0 to "
                    f"{self.n_samples - 1}."
                )
        if len(samples) > len(set(samples)):
            raise InputError(
                f"Sample {samples[0]} was compared with itself: name two samples."
            )

    def _check_answer(self, answer_id: int) -> None:
        if answer_id not in {answer.id for answer in self._known.answers}:
            raise InputError(f"There is no answer {answer_id}: see session.history.")
