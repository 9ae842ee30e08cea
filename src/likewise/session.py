"""Ask and tell: the one object that people, programs and simulations drive."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from importlib import import_module
from typing import Any, overload

import numpy as np

from likewise.arrays import Indices, stack
from likewise.constraints import Verdict
from likewise.errors import InputError
from likewise.given import answers_of, links_of_labels, unlike_all
from likewise.journal import (
    Event,
    Journal,
    MemoryJournal,
    Renamed,
    Retracted,
    SetAside,
    Standing,
    Told,
    Undone,
    standing,
)
from likewise.knowledge import Answer, Knowledge, Question
from likewise.methods import AnyMethod, Model, clusters_for, find_method
from likewise.problem import Problem, problem_of
from likewise.views import (
    Candidate,
    Group,
    Progress,
    View,
    candidates_of,
    compact,
    explained,
    groups_of,
    progress_of,
)


class Session:
    """Cluster by questions.

    Parameters
    ----------
    X : array-like, DataFrame or scipy sparse matrix of shape (n_samples, n_features)
        The samples; with ``affinity="precomputed"`` an (n, n) similarity.
    method : str or Method, default="likewise"
        A name in ``METHODS``, or a method.
    n_clusters : int, optional
        How many groups there are; None when nobody knows.
    affinity : str or callable, default="auto"
        A name in ``likewise.affinity.AFFINITIES``, or a function from samples to an
        (n, n) similarity.
    random_state : int or None, default=0
        The same data, seed and answers give the same questions.
    answers : iterable, optional
        What is known already: ``(i, j, verdict)`` triples, or answers of another
        session.
    known : mapping of int to class, or sequence, optional
        Classes that are known already; in a sequence, None (or NaN) where not.
    journal : Journal, optional
        Where answers are kept; in memory unless given. What it holds is taken up again.

    Examples
    --------
    >>> session = Session([[0.0], [0.2], [0.4], [5.0], [5.2], [5.4]], n_clusters=2)
    >>> question = session.ask()
    >>> session.tell(question, "different")
    >>> session.n_questions
    1
    >>> int(session.labels.max()) + 1
    2
    """

    def __init__(  # noqa: PLR0913 - the public face
        self,
        X: Any,
        method: str | AnyMethod = "likewise",
        n_clusters: int | None = None,
        affinity: str | Callable[[Any], Any] = "auto",
        random_state: int | None = 0,
        *,
        answers: Iterable[Any] | None = None,
        known: Any = None,
        journal: Journal | None = None,
    ) -> None:
        self._method = find_method(method)
        self._data = X
        self._affinity = affinity
        self._n_clusters = clusters_for(self._method, n_clusters)
        self._seed = np.random.SeedSequence(random_state).entropy
        self._given = problem_of(X, affinity=affinity, n_clusters=self._n_clusters)
        self._journal = MemoryJournal() if journal is None else journal
        self._replay()
        if not self._standing.n_answers:
            self._start_from(answers, known)

    _n_events: int
    _standing: Standing
    _known: Knowledge
    _problem: Problem
    _model: Model | None
    _open: list[Question]

    @classmethod
    def open(cls, url: Any, X: Any = None, **how: Any) -> Session:
        """Begin a session in a database, or go on with it: see `open_session`."""
        return import_module("likewise.storage.sessions").open_session(url, X, **how)

    # Asking and telling

    @overload
    def ask(self, n: None = None) -> Question | None: ...

    @overload
    def ask(self, n: int) -> list[Question]: ...

    def ask(self, n: int | None = None) -> Question | list[Question] | None:
        """Return the next question; the same one until something is told.

        Parameters
        ----------
        n : int, optional
            How many questions are wanted at once, for several people: about different
            samples, and each worth asking whatever the others are answered.

        Returns
        -------
        Question or None
            None when nothing useful is left to ask. With `n`, a list of at most n
            questions, of which any may be told in any order.
        """
        while len(self._open) < (n or 1):
            rng = self._rng("propose", len(self._known.answers))
            question = self._method.propose(
                self._current(), self._known, rng, tuple(self._open)
            )
            if question is None:
                break
            self._open.append(question)
        if n is not None:
            return self._open[:n]
        return self._open[0] if self._open else None

    def tell(
        self, question: Question, verdict: Any, *, on_conflict: str = "raise"
    ) -> None:
        """Record the answer to a question.

        Parameters
        ----------
        question : Question
        verdict : str, bool, None or Verdict
            "same" (True), "different" (False) or "unsure" (None).
        on_conflict : {"raise", "keep"}
            What to do with an answer that contradicts earlier ones: refuse it with a
            :class:`~likewise.errors.ContradictionError`, or keep it as doubtful,
            outside of what is concluded, until an answer that it contradicts is
            retracted.
        """
        self._tell([(question, Verdict.of(verdict), "asked")], on_conflict)

    def tell_pair(
        self, i: int, j: int, verdict: Any, *, on_conflict: str = "raise"
    ) -> None:
        """Record an answer that nobody asked for."""
        self._tell([(Question(i, j), Verdict.of(verdict), "told")], on_conflict)

    def candidates(self, sample: int) -> tuple[Candidate, ...]:
        """Return the groups that a sample may belong to, likeliest first.

        Groups that no answer has confirmed yet are among them. What the probabilities
        leave to 1 is the chance of a group of its own.
        """
        self._check(sample)
        return candidates_of(self._current(), sample, self.groups, self.labels)

    def tell_group(self, sample: int, group: int | str | Group) -> None:
        """Put a sample into a group: records the pairs that this implies, as one act.

        Parameters
        ----------
        sample : int
        group : Group, int or "new"
            A group or any of its samples, or "new" for none of the groups that
            :meth:`candidates` lists: different from each of them.
        """
        if isinstance(group, str):
            if group != "new":
                raise InputError(
                    f"A group is a group, a sample or 'new', not {group!r}."
                )
            others = [
                c.group.id for c in self.candidates(sample) if c.group.id != sample
            ]
            told = unlike_all(sample, others)
            if told:
                self._tell([(q, Verdict.DIFFERENT, "group") for q in told], "raise")
            return
        anchor = group.id if isinstance(group, Group) else group
        self._tell([(Question(sample, anchor), Verdict.SAME, "group")], "raise")

    def explain(self, question: Question) -> str:
        """Return one sentence that says why this pair is asked about."""
        self._check(question.sample, question.against)
        return explained(question, self._current())

    def undo(self) -> Event | None:
        """Undo the last act that still stands, whatever it was; any depth.

        Returns
        -------
        Event or None
            What was undone; None when there was nothing.
        """
        if not self._standing.acts:
            return None
        position = self._standing.acts[-1]
        event = list(self._journal.read())[position]
        self._append(Undone(position))
        return event

    def retract(self, answer_id: int) -> None:
        """Take back one answer by its id (see :attr:`history`)."""
        if answer_id not in {answer.id for answer in self._known.answers}:
            raise InputError(
                f"There is no answer {answer_id} to retract: see session.history."
            )
        self._append(Retracted((answer_id,)))

    # What is known

    @property
    def labels(self) -> Indices:
        """The cluster of each sample, 0..k-1; -1 for samples set aside.

        Certain sets keep their numbers while answers come in.
        """
        return compact(self._current().labels, self._known.aside)

    @property
    def groups(self) -> tuple[Group, ...]:
        """The groups that answers have made known, oldest first."""
        return groups_of(self._known, self.labels, self._standing.names)

    @property
    def history(self) -> tuple[Answer, ...]:
        """Every answer that stands, oldest first."""
        return self._known.answers

    @property
    def doubtful(self) -> tuple[Answer, ...]:
        """The answers that contradict earlier ones and are left out of conclusions."""
        return tuple(self._known.answers[at] for at in sorted(self._known.doubtful))

    @property
    def n_questions(self) -> int:
        """How many questions were answered, without what was known from the start."""
        return sum(answer.how != "given" for answer in self._known.answers)

    @property
    def n_samples(self) -> int:
        """How many samples there are."""
        return self._given.n_samples

    @property
    def progress(self) -> Progress:
        """How far the clustering is, by the method's own estimate."""
        return progress_of(self._known, self._current())

    @property
    def view(self) -> View:
        """What the answers so far amount to, as a value that stays as it is."""
        return View(self._current(), self._known)

    # Changing the pile

    def add(self, X_new: Any) -> None:
        """Add samples behind the present ones; every answer stays.

        Parameters
        ----------
        X_new : array-like, DataFrame or sparse matrix of shape (m, n_features)
            With a precomputed affinity, of shape (m, n + m): the similarity of each new
            sample to all samples, old and new.
        """
        data = stack(self._data, X_new, square=self._affinity == "precomputed")
        given = problem_of(data, affinity=self._affinity, n_clusters=self._n_clusters)
        self._keep(data)
        self._data, self._given = data, given
        self._replay()

    def set_aside(self, sample: int) -> None:
        """Take a sample out of the game: never asked about, label -1."""
        self._check(sample)
        self._append(SetAside(sample))

    def put_back(self, sample: int) -> None:
        """Bring a sample back that was set aside."""
        self._check(sample)
        self._append(SetAside(sample, aside=False))

    def rename(self, group: int | Group, name: str) -> None:
        """Name a group, given as a group or by any of its samples."""
        sample = group.id if isinstance(group, Group) else group
        self._check(sample)
        self._append(Renamed(sample, name))

    # The loop inside

    def _tell(
        self, told: list[tuple[Question, Verdict, str]], on_conflict: str
    ) -> None:
        if on_conflict not in ("raise", "keep"):
            raise InputError(
                f"on_conflict must be 'raise' or 'keep', but it is {on_conflict!r}."
            )
        known = self._known
        answers: list[Answer] = []
        for question, verdict, how in told:
            self._check(question.sample, question.against)
            error = known.contradiction(question, verdict)
            if error is not None and on_conflict == "raise" and not question.is_check:
                raise error
            number = self._standing.n_answers + len(answers) + 1
            answers.append(Answer(question, verdict, number, how))
            known = known.after(answers[-1])
        self._journal.append(Told(tuple(answers)))
        before = self._standing
        self._standing = replace(
            before,
            answers=(*before.answers, *answers),
            acts=(*before.acts, self._n_events),
            n_answers=before.n_answers + len(answers),
        )
        self._n_events += 1
        self._learn(answers)

    def _learn(self, answers: list[Answer]) -> None:
        for answer in answers:
            self._known = self._known.after(answer)
            if self._model is not None:
                self._model = self._method.learn(self._model, self._known, answer)
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
        aside = self._standing.aside
        empty = Knowledge(self._given.n_samples, aside=aside)
        self._known = empty.after_all(self._standing.answers)
        self._problem = self._given.without(aside)
        self._model = None
        self._open = []

    def _start_from(self, answers: Iterable[Any] | None, known: Any) -> None:
        given = answers_of(answers or ())
        if known is not None:
            given += links_of_labels(known, self.n_samples)
        if given:
            self._tell([(a.question, a.verdict, a.how) for a in given], "keep")

    def _current(self) -> Model:
        if self._model is None:
            rng = self._rng("begin", 0)
            self._model = self._method.begin(self._problem, self._known, rng)
        return self._model

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
