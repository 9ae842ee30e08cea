"""Ask and tell: the one object that people, programs and simulations drive."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any, overload

from likewise.affinity import Progress
from likewise.errors import InputError
from likewise.knowledge import (
    Answer,
    Event,
    Journal,
    Kept,
    MemoryJournal,
    Numbered,
    Question,
    Retracted,
    Undone,
    Verdict,
    without_numbers,
)
from likewise.methods import AnyMethod, find_method
from likewise.session._control import as_check, check_of
from likewise.session._pile import Pile
from likewise.session._review import Revision
from likewise.session._start import placed
from likewise.session._summary import Group


class Session(Pile):
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
    device : {"cpu", "cuda"}, default="cpu"
        Where the spectrum of many samples is solved for; "cuda" is a graphics card,
        with the extra ``gpu``. Where there is none, a warning says so and the processor
        does the work.
    progress : callable, optional
        Called as ``progress(done, total)`` while the neighbours of many samples are
        searched for, which may take minutes.

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
        device: str = "cpu",
        progress: Progress | None = None,
    ) -> None:
        found = find_method(method)
        how: dict[str, Any] = {"device": device, "progress": progress}
        super().__init__(X, found, n_clusters, affinity, random_state, **how)
        self._take_up(MemoryJournal() if journal is None else journal)
        if not self._standing.n_answers:
            self._start_from(answers, known)

    @classmethod
    def open(cls, url: Any, X: Any = None, **how: Any) -> Session:
        """Begin a session in a database, or go on with it: see `open_session`."""
        return import_module("likewise.session._open").open_session(url, X, **how)

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
            question = self.ask_besides(self._open)
            if question is None:
                break
            self._open.append(question)
        if n is not None:
            return self._open[:n]
        return self._open[0] if self._open else None

    def ask_besides(self, pending: Iterable[Question]) -> Question | None:
        """Return a question that is worth asking while others are open elsewhere.

        For those who keep open questions themselves, one a person; nothing is kept
        open here.
        """
        return self._propose(self._current(), self._known, tuple(pending))

    def ahead(self, question: Question, verdict: Any) -> Question | None:
        """Return what would be asked after an answer; nothing is recorded.

        If it is then told, what was worked out here is not worked out again.
        """
        number = self._standing.n_answers + 1
        told = Answer(question, Verdict.of(verdict), number)
        known = self._known.after(told)
        model = self._method.learn(self._current(), known, told)
        self._ahead[told] = model
        return self._propose(model, known, ())

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
        self._tell([Answer(question, Verdict.of(verdict))], on_conflict)

    def tell_pair(
        self, i: int, j: int, verdict: Any, *, on_conflict: str = "raise"
    ) -> None:
        """Record an answer that nobody asked for."""
        self._tell(
            [Answer(Question(i, j), Verdict.of(verdict), how="told")], on_conflict
        )

    def tell_group(
        self,
        sample: int,
        group: int | str | Group,
        *,
        unlike: Iterable[int] = (),
        on_conflict: str = "raise",
    ) -> None:
        """Put a sample into a group: records the pairs that this implies, as one act.

        Parameters
        ----------
        sample : int
        group : Group, int or "new"
            A group or any of its samples, or "new" for none of the groups that
            :meth:`candidates` lists: different from each of them.
        unlike : iterable of int
            Samples of groups that it was seen not to belong to.
        on_conflict : {"raise", "keep"}
            As for :meth:`tell`.
        """
        if isinstance(group, str) and group != "new":
            raise InputError(f"A group is a group, a sample or 'new', not {group!r}.")
        if isinstance(group, str):
            rest = [candidate.group.id for candidate in self.candidates(sample)]
            told = placed(sample, None, (*unlike, *rest))
        else:
            anchor = group.id if isinstance(group, Group) else group
            anchor = self._another(sample) if anchor == sample else anchor
            told = placed(sample, anchor, unlike)
            if on_conflict == "keep":
                told[-1] = as_check(self._known, told[-1])
        if told:
            self._tell(told, on_conflict)

    def _another(self, sample: int) -> int:
        """Return some other sample of a sample's own group."""
        group = self._known.constraints.group(sample)
        others = [s for s in self._known.constraints.samples(group) if s != sample]
        return others[0] if others else sample

    def undo(self, act: int | None = None) -> Event | None:
        """Undo the last act that still stands, whatever it was; any depth.

        Parameters
        ----------
        act : int, optional
            Another one of :attr:`acts` instead of the last.

        Returns
        -------
        Event or None
            What was undone; None when there was nothing.
        """
        if act is not None and act not in self._standing.acts:
            raise InputError(f"There is no act {act} to undo: see session.acts.")
        if not self._standing.acts:
            return None
        position = self._standing.acts[-1] if act is None else act
        event = list(self._journal.read())[position]
        self._append(Undone(position))
        return without_numbers(event)

    def retract(self, answer_id: int) -> None:
        """Take back one answer by its id (see :attr:`history`)."""
        self._check_answer(answer_id)
        self._append(Retracted((answer_id,)))

    def revise(self, revision: Revision) -> None:
        """Record what one act of a review amounts to; undone as a whole.

        Examples
        --------
        >>> session = Session([[0.0], [0.2], [5.0], [5.2]], n_clusters=2)
        >>> session.revise(session.repairs.confirm([0, 1]))
        >>> [group.samples for group in session.groups]
        [(1, 0)]
        """
        self._revise(revision)

    def keep(self, answer_id: int) -> None:
        """Leave an answer that disagrees with others as it is, for good."""
        self._check_answer(answer_id)
        self._append(Kept((answer_id,)))

    def number(self, numbers: Numbered) -> None:
        """Record under which numbers people have seen groups; nothing else changes."""
        self._append(numbers)

    def check(self, pending: Iterable[Question] = ()) -> Question | None:
        """Return a pair to ask again although earlier answers imply its relation.

        A wrong answer shows in no other way: ask one now and then, tell the answer as
        any other, and look at :attr:`doubtful` and :attr:`reliability`.

        Parameters
        ----------
        pending : iterable of Question
            Open with other people.

        Returns
        -------
        Question or None
            None when there is nothing to check. A check is told without an error also
            where it contradicts.

        Examples
        --------
        >>> session = Session([[0.0], [0.2], [0.4], [5.0]], n_clusters=2)
        >>> session.tell_pair(0, 1, "same")
        >>> session.tell_pair(1, 2, "same")
        >>> session.check().pair
        (0, 2)
        """
        rng = self._rng("check", len(self._known.answers))
        graph, labels = self._given.neighbours, self._current().labels
        return check_of(self._known, graph, labels, rng, pending)

    def reload(self) -> None:
        """Take in what others have written to the journal since it was last read."""
        self._replay()
