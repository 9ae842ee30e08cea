"""Ask and tell: the one object that people, programs and simulations drive."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import chain, starmap
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, Unpack, overload

import numpy as np

from likewise._arrays import (
    Indices,
    Samples,
    SamplesLike,
    Sparse,
    Weights,
    as_whole,
    described,
    stack,
)
from likewise._cores import one_thread
from likewise._regime import ONE_THREAD
from likewise.affinity import PAIRWISE, Kernel, Report, rarity_of
from likewise.errors import InputError
from likewise.knowledge import (
    Answer,
    Authored,
    Costs,
    Event,
    Journal,
    Kept,
    Knowledge,
    MemoryJournal,
    Numbered,
    OfSamples,
    Overview,
    Pile,
    Question,
    Retracted,
    Said,
    Screen,
    SetAside,
    Sheet,
    Shown,
    Single,
    Together,
    Told,
    Undone,
    Verdict,
    checked_name,
    without_numbers,
)
from likewise.methods import (
    KINDS,
    MOST,
    AnyMethod,
    Clustered,
    Errors,
    Model,
    Problem,
    Prospect,
    best_screen,
    by_scores,
    errors_by,
    estimated_prospect,
    find_method,
    problem_of,
    suited,
)
from likewise.session._agreement import Agreement, agreement_in, opinions
from likewise.session._control import (
    Reliability,
    as_check,
    check_of,
    recheck_of,
    reliability,
)
from likewise.session._html import as_html, as_table
from likewise.session._open import (
    DEFAULTS,
    Address,
    Home,
    Opened,
    open_session,
    seed_of,
)
from likewise.session._overlap import referral_of, second_opinion
from likewise.session._readers import Reader, readers_in
from likewise.session._review import Repairs, Revision
from likewise.session._screens import (
    Filled,
    checked_kinds,
    checked_seconds,
    shown_sheet,
    told_of_overview,
    told_of_sheet,
    with_checks,
)
from likewise.session._slips import (
    Doubts,
    Suspect,
    clash_of,
    decider_of,
    is_clear,
    suspects,
)
from likewise.session._start import (
    Given,
    another_of,
    answers_of,
    classes_of,
    links_of_labels,
    names_of_labels,
    placed,
)
from likewise.session._state import State, is_longer, steps
from likewise.session._summary import (
    FIRST,
    Candidate,
    Group,
    History,
    Progress,
    View,
    candidates_of,
    cluster_names,
    compact,
    explained,
    groups_of,
    progress_of,
    statuses_within,
    table_of,
)

if TYPE_CHECKING:
    from pandas import DataFrame
    from polars import DataFrame as PolarsFrame

# What was known before an act, its answers, and what is known after it.
Step: TypeAlias = tuple[Knowledge, tuple[Answer, ...], Knowledge]
Wanted: TypeAlias = tuple[tuple[str, ...], Costs, int]
SCORES = "scores"  # the affinity that is made of them
MOST_BEHIND = 64  # acts that a model may have yet to learn: each keeps what was known


class Session:
    """Cluster by questions.

    Parameters
    ----------
    X : array-like, DataFrame or scipy sparse matrix of shape (n_samples, n_features)
        The samples, unless `scores` are given; with ``affinity="precomputed"`` an
        (n, n) similarity. Or a
        ``likewise.methods.Problem`` made beforehand, which says how many groups there
        are and how alike samples are: sessions share what is derived from it, and
        samples cannot be added.
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
        Classes that are known already; in a sequence, None (or NaN) where not. Those
        that are words name their groups.
    journal : Journal, optional
        Where answers are kept; in memory unless given. What it holds is taken up again.
        A ``likewise.storage.JsonLinesJournal`` of other samples is refused.
    device : {"cpu", "cuda"}, default="cpu"
        Where neighbours among many samples are searched and their spectrum is solved
        for; "cuda" is a graphics card, with the extra ``gpu``. Where there is none, a
        warning says so and the processor does the work.
    scores : array-like, DataFrame, sparse matrix or iterable, optional
        Instead of X: how alike a matcher says that pairs are, on whatever scale, as an
        (n, n) matrix or as ``(i, j, score)`` triples. Pairs may be missing. What the
        scores mean is learned from the answers; see
        :func:`likewise.affinity.rarity_of`.
    n_samples : int, optional
        How many samples there are, where the triples do not name the last one.
    progress : callable, optional
        Called as ``progress(done, total)`` while the neighbours of many samples are
        searched for, which may take minutes. It says nothing of the clustering: see
        :attr:`progress` for that.

    Examples
    --------
    >>> session = Session([[0.0], [0.2], [0.4], [5.0], [5.2], [5.4]], n_clusters=2)
    >>> question = session.ask()
    >>> session.tell(question, "different")
    >>> session.n_questions
    1
    >>> int(session.labels.max()) + 1
    2
    >>> session = Session(scores=[(0, 1, 0.98), (1, 2, 0.11), (2, 3, 0.93)])
    >>> session.labels
    array([0, 0, 1, 1])
    """

    _journal: Journal
    _home: Home | None  # what keeps the samples, where memory is not all that does
    _state: State
    _model: Model | None  # what the method makes of the state, once somebody looks
    _behind: list[Step]  # acts whose answers the model has yet to learn
    _earlier: Model | None  # of other answers: what it has worked out may be of use
    _open: list[Question]
    _screen: tuple[Wanted, Screen | None] | None  # what is shown, for which wishes
    _ahead: dict[Answer, Model]  # what answers to come would make of the model

    def __init__(  # noqa: PLR0913 - the public face
        self,
        X: SamplesLike | Problem | None = None,
        method: str | AnyMethod = "likewise",
        n_clusters: int | None = None,
        affinity: str | Kernel = "auto",
        random_state: int | None = 0,
        *,
        answers: Iterable[Given] | None = None,
        known: Mapping[int, Hashable] | Iterable[Hashable] | None = None,
        journal: Journal | None = None,
        device: str = "cpu",
        scores: Any = None,
        n_samples: int | None = None,
        progress: Report | None = None,
    ) -> None:
        X, affinity = _given(X, affinity, scores, n_samples)
        self._method: AnyMethod = find_method(method)
        self._n_clusters = X.n_clusters if isinstance(X, Problem) else n_clusters
        self._affinity = affinity
        self._seed = np.random.SeedSequence(seed_of(random_state)).entropy
        self._device = device
        self._while_searching = progress
        self._data = X
        if isinstance(X, Problem):
            self._given = suited(_undisputed(X, n_clusters, affinity), self._method)
        else:
            self._given = self._problem_of(X)
        self._method = by_scores(self._method, self._given)
        self._home = None
        if isinstance(journal, OfSamples):
            journal.recognise(self._marked())
        self._take_up(MemoryJournal() if journal is None else _checked(journal))
        if not self._state.stands.n_answers:
            self._start_from(answers, known)

    @classmethod
    def open(
        cls,
        url: Address,
        X: SamplesLike | None = None,
        *,
        scores: Any = None,
        n_samples: int | None = None,
        **how: Unpack[Opened],
    ) -> Session:
        """Begin a session in a database, or go on with it where it stopped.

        Each answer is on disk before ``tell`` returns, and so are samples when ``add``
        returns. A session is the only writer: if another process has answered
        meanwhile, ``tell`` raises a :class:`~likewise.errors.StaleError` and records
        nothing; open the session again to go on with all answers.

        Parameters
        ----------
        url : str or Path
            As in :func:`~likewise.storage.open_store`.
        X : array-like or scipy sparse matrix of shape (n_samples, n_features), optional
            Needed the first time, and kept as float64. Later it may be left out; if it
            is given, it must be what is kept.
        scores, n_samples : optional
            Instead of X, as in :class:`~likewise.Session`. Their order is kept.
        name : str, default="default"
            One database holds many sessions.
        who : str, default="me"
            Written beside each answer.
        clock : callable
            Returns the seconds since 1970.
        device : {"cpu", "cuda"}, default="cpu"
            As in :class:`~likewise.Session`; of this machine, so it is not kept.
        **how
            ``method``, ``n_clusters``, ``affinity`` and ``random_state`` as in
            :class:`~likewise.Session`, by name. They are kept; later, those that are
            left at their defaults are taken from there, and others must be what is
            kept.

        Returns
        -------
        Session

        Examples
        --------
        >>> X = [[0.0], [0.1], [5.0], [5.1]]
        >>> session = Session.open("memory://", X, n_clusters=2)
        >>> session.tell(session.ask(), "different")
        >>> session.n_questions
        1
        """
        if scores is not None:
            affinity = how.get("affinity", "auto")
            X, how["affinity"] = _given(X, affinity, scores, n_samples)
        return open_session(cls, url, X, **how)

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
        wanted = 1 if n is None else as_whole(n, "The number of questions")
        while len(self._open) < wanted:
            question = self.ask_besides(self._open)
            if question is None:
                break
            self._open.append(question)
        if n is not None:
            return self._open[:wanted]
        return self._open[0] if self._open else None

    def ask_besides(
        self, pending: Iterable[Question], at: View | None = None
    ) -> Question | None:
        """Return a question that is worth asking while others are open elsewhere.

        For those who keep open questions themselves, one a person; nothing is kept
        open here.

        Parameters
        ----------
        pending : iterable of Question
            Open with other people.
        at : View, optional
            The moment to ask at; now unless given. With one, other threads may tell
            meanwhile.
        """
        now = self.view if at is None else at
        rng = self._rng("propose", len(now.known.answers))
        others = tuple(map(self._state.question, pending))
        with self._calmly():
            return self._method.propose(now.model, now.known, rng, others)

    def ahead(
        self, question: Question, verdict: Said, by: str | None = None
    ) -> Question | None:
        """Return what would be asked after an answer; nothing is recorded.

        If it is then told, what was worked out here is not worked out again.
        """
        return self.ask_besides((), self.after(question, verdict, by))

    def after(self, question: Question, verdict: Said, by: str | None = None) -> View:
        """Return what would be known after an answer; nothing is recorded.

        If it is then told, what was worked out of it is not worked out again.
        """
        number, asked = self._state.stands.n_answers + 1, self._state.question(question)
        told = Answer(asked, Verdict.of(verdict), number, by=self._reader(by))
        known = self._state.known.after(told)
        model = self._current()
        with self._calmly():
            self._ahead[told] = self._method.learn(model, known, told)
        return View(self._ahead[told], known)

    def tell(
        self,
        question: Question,
        verdict: Said,
        *,
        on_conflict: str = "raise",
        seconds: float | None = None,
        by: str | None = None,
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
        seconds : float, optional
            How long the person took.
        by : str, optional
            The name of the reader who gave it; see :attr:`readers`.
        """
        asked = self._state.question(question)
        took = checked_seconds(seconds)
        shown = None if took is None else Shown("pair", seconds=took)
        self._tell([Answer(asked, Verdict.of(verdict))], on_conflict, shown, by=by)

    # Screens

    def ask_screen(
        self,
        kinds: Iterable[str] = KINDS,
        seconds: Costs | None = None,
        *,
        most: int = MOST,
    ) -> Screen | None:
        """Return the screen that is worth most for its seconds.

        The same one until something is told.

        Parameters
        ----------
        kinds : iterable of {"pair", "sheet", "sort", "overview"}
            What may be shown: one question, items beside members of a group, the same
            with misfits put where they belong, groups side by side.
        seconds : Costs, optional
            What a person takes.
        most : int
            How many items fit on a screen.

        Returns
        -------
        Pair, Sheet, Overview or None
            To be told by :meth:`tell` (its question), :meth:`tell_sheet` or
            :meth:`tell_overview`. None when nothing useful is left to ask.

        Examples
        --------
        >>> session = Session([[0.0], [0.2], [0.4], [5.0], [5.2], [5.4]])
        >>> screen = session.ask_screen(kinds=["sheet"])
        >>> session.tell_sheet(screen, tapped=[])
        >>> session.n_questions == len(screen.items)
        True
        """
        wanted = (checked_kinds(kinds), seconds or Costs(), as_whole(most, "most", 1))
        if self._screen is None or self._screen[0] != wanted:
            self._screen = wanted, self.screen_besides((), None, *wanted)
        return self._screen[1]

    def screen_besides(
        self,
        pending: Iterable[Question],
        at: View | None = None,
        kinds: Iterable[str] = KINDS,
        seconds: Costs | None = None,
        most: int = MOST,
    ) -> Screen | None:
        """Return a screen that is worth showing while others are open elsewhere.

        Parameters
        ----------
        pending : iterable of Question
            All that is asked on screens that are open with other people.
        at : View, optional
            As for :meth:`ask_besides`.
        kinds, seconds, most
            As for :meth:`ask_screen`.
        """
        now = self.view if at is None else at
        others = tuple(map(self._state.question, pending))
        prospect = self._prospect(now, others)
        return best_screen(prospect, seconds or Costs(), checked_kinds(kinds), most)

    def with_checks(
        self, sheet: Sheet, pending: Iterable[Question] = (), at: View | None = None
    ) -> Sheet:
        """Return a sheet with about one in twelve items that is known already.

        A slip on a sheet shows in no other way: the answers to these tell, as those to
        :meth:`check` do, in :attr:`doubtful` and :attr:`reliability`.

        Parameters
        ----------
        sheet : Sheet
        pending : iterable of Question
            Open with other people.
        at : View, optional
            As for :meth:`ask_besides`.
        """
        known = self._state.known if at is None else at.known
        taken = {sample for question in pending for sample in question.pair}
        return with_checks(sheet, known, self._rng("checks", len(known.answers)), taken)

    def _prospect(self, now: View, pending: tuple[Question, ...]) -> Prospect:
        if self._method.prospect is not None:
            with self._calmly():
                return self._method.prospect(now.model, pending)
        is_open = self._n_clusters is None
        graph = self._given.neighbours
        clustered = Clustered(now.model, now.known, graph, is_open=is_open)
        return estimated_prospect(clustered, self.ask_besides(pending, now), pending)

    def tell_sheet(  # noqa: PLR0913 - the public face
        self,
        sheet: Sheet,
        tapped: Iterable[int] = (),
        piles: Iterable[Pile] = (),
        *,
        unsure: Iterable[int] = (),
        seconds: float | None = None,
        on_conflict: str = "raise",
        by: str | None = None,
    ) -> None:
        """Record what was tapped on a sheet, as one act.

        Parameters
        ----------
        sheet : Sheet
        tapped : iterable of int
            The items that were tapped: misfits or members, as the sheet says.
        piles : iterable of Pile
            Items that do not belong, where they do.
        unsure : iterable of int
            Items that nobody could tell about.
        seconds : float, optional
            How long the person took.
        on_conflict : {"raise", "keep"}
            As for :meth:`tell`.
        by : str, optional
            As for :meth:`tell`.
        """
        filled = Filled.of(tapped, piles, unsure)
        told = told_of_sheet(self._state, self._current(), sheet, filled)
        self._tell(told, on_conflict, shown_sheet(sheet, filled, seconds), by=by)

    def tell_overview(
        self,
        overview: Overview,
        same: Iterable[Sequence[int]] = (),
        *,
        seconds: float | None = None,
        on_conflict: str = "raise",
        by: str | None = None,
    ) -> None:
        """Record which groups of an overview are the same, as one act.

        Parameters
        ----------
        overview : Overview
        same : iterable of sequences of int
            Speakers of groups that are one. All others are different.
        seconds, on_conflict, by
            As for :meth:`tell_sheet`.
        """
        told, shown = told_of_overview(overview, same, seconds)
        self._tell(told, on_conflict, shown, by=by)

    def tell_pair(
        self,
        i: int,
        j: int,
        verdict: Said,
        *,
        on_conflict: str = "raise",
        by: str | None = None,
    ) -> None:
        """Record an answer that nobody asked for."""
        told = Answer(Question(i, j), Verdict.of(verdict), how="told")
        self._tell([told], on_conflict, by=by)

    def tell_group(
        self,
        sample: int,
        group: int | str | Group,
        *,
        unlike: Iterable[int] = (),
        on_conflict: str = "raise",
        by: str | None = None,
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
        by : str, optional
            As for :meth:`tell`.
        """
        if isinstance(group, str) and group != "new":
            raise InputError(f"A group is a group, a sample or 'new', not {group!r}.")
        sample = self._state.sample(sample)
        unlike = [self._state.sample(other) for other in _listed(unlike)]
        if isinstance(group, str):
            rest = [candidate.group.id for candidate in self.candidates(sample)]
            told = placed(sample, None, (*unlike, *rest))
        else:
            anchor = self._state.sample(_id_of(group))
            if anchor == sample:
                anchor = another_of(self._state.known.constraints, sample)
            told = placed(sample, anchor, unlike)
            if on_conflict == "keep":
                told[-1] = as_check(self._state.known, told[-1])
        if told:
            self._tell(told, on_conflict, by=by)

    # Taking back, and saying otherwise

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
        acts = self._state.stands.acts
        if act is None and not acts:
            return None
        position = acts[-1] if act is None else self._state.check_act(act)
        event = self._state.events[position]
        self._record(Undone(position))
        return without_numbers(event)

    def retract(self, answer_id: int) -> None:
        """Take back one answer by its id (see :attr:`history`)."""
        self._record(Retracted((self._state.check_answer(answer_id),)))

    def take_back(self, by: str) -> int:
        """Take back all that a reader said, a person or a model, as one act.

        Parameters
        ----------
        by : str
            Their name, as in :attr:`readers`.

        Returns
        -------
        int
            How many answers were taken back; 0 where none stood.

        Examples
        --------
        >>> session = Session([[0.0], [0.2], [5.0], [5.2]], n_clusters=2)
        >>> session.tell_pair(0, 1, "same", by="ann")
        >>> session.tell_pair(0, 2, "same", by="model:small")
        >>> session.take_back("model:small")
        1
        >>> [answer.by for answer in session.history]
        ['ann']
        """
        told = self._state.known.answers
        theirs = tuple(a.id for a in told if a.by == by and a.how != "given")
        if theirs:
            self._record(Retracted(theirs))
        return len(theirs)

    def revise(self, revision: Revision, by: str | None = None) -> None:
        """Record what one act of a review amounts to; undone as a whole.

        Parameters
        ----------
        revision : Revision
        by : str, optional
            As for :meth:`tell`.

        Examples
        --------
        >>> session = Session([[0.0], [0.2], [5.0], [5.2]], n_clusters=2)
        >>> session.revise(session.repairs.confirm([0, 1]))
        >>> [group.samples for group in session.groups]
        [(1, 0)]
        """
        event = self._state.revised(revision, self._reader(by))
        if event is not None:
            self._record(event)

    def keep(self, answer_id: int) -> None:
        """Leave an answer that disagrees with others as it is, for good."""
        self._record(Kept((self._state.check_answer(answer_id),)))

    def check(
        self, pending: Iterable[Question] = (), at: View | None = None
    ) -> Question | None:
        """Return a pair to ask again although earlier answers imply its relation.

        A wrong answer shows in no other way: ask one now and then, tell the answer as
        any other, and look at :attr:`doubtful` and :attr:`reliability`.

        Parameters
        ----------
        pending : iterable of Question
            Open with other people.
        at : View, optional
            As for :meth:`ask_besides`.

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
        now = self.view if at is None else at
        rng = self._rng("check", len(now.known.answers))
        graph, labels = self._given.neighbours, now.model.labels
        others = tuple(map(self._state.question, pending))
        return check_of(now.known, graph, labels, rng, others)

    def recheck(
        self,
        pending: Iterable[Question] = (),
        at: View | None = None,
        left_out: Collection[int] = (),
    ) -> Question | None:
        """Return a pair to ask again because its answer is hardly to be believed.

        Sooner than :meth:`check` would come to it: all that is known besides speaks
        against what was said. None as long as nothing was said that does.

        Parameters
        ----------
        pending : iterable of Question
            Open with other people.
        at : View, optional
            As for :meth:`ask_besides`.
        left_out : collection of int
            Ids of answers that are not asked for again now.

        Examples
        --------
        >>> session = Session([[0.0], [0.2], [0.4], [5.0], [5.2], [5.4]])
        >>> session.tell_pair(0, 1, "same")
        >>> session.recheck() is None
        True
        """
        now = self.view if at is None else at
        others = tuple(map(self._state.question, pending))
        doubts = Doubts(self._given.neighbours, now.model.labels)
        return recheck_of(now.known, doubts, left_out, others)

    def second_opinion(
        self, by: str, pending: Iterable[Question] = (), at: View | None = None
    ) -> Question | None:
        """Return a pair that one other reader has answered, for another opinion of it.

        Drawn at random, so that :attr:`agreement` is measured without bias. Ask one in
        ten or so, do not say what the first reader said, and tell the answer as any
        other.

        Parameters
        ----------
        by : str
            The reader who is to be asked.
        pending : iterable of Question
            Open with other people.
        at : View, optional
            As for :meth:`ask_besides`.

        Returns
        -------
        Question or None
            None where nobody else has answered anything that could be asked. It is told
            without an error also where it contradicts.

        Examples
        --------
        >>> session = Session([[0.0], [0.2], [5.0], [5.2]], n_clusters=2)
        >>> session.tell(session.ask(), "different", by="ann")
        >>> question = session.second_opinion("bob")
        >>> session.tell(question, "different", by="bob")
        >>> session.agreement.both
        {('ann', 'bob'): (1, 1)}
        """
        known = self._state.known if at is None else at.known
        rng = self._rng("overlap", len(known.answers))
        others = tuple(map(self._state.question, pending))
        return second_opinion(known, checked_name(by), rng, others)

    def referral(
        self, by: str, pending: Iterable[Question] = (), at: View | None = None
    ) -> Question | None:
        """Return a pair that another reader was not sure of, or surprised with.

        For a second look; such pairs are no sample, and do not count for
        :attr:`agreement`.

        Parameters
        ----------
        by, pending, at
            As for :meth:`second_opinion`.

        Examples
        --------
        >>> session = Session([[0.0], [0.2], [5.0], [5.2]], n_clusters=2)
        >>> session.tell(session.ask(), "unsure", by="ann")
        >>> session.referral("bob") == session.history[0].question
        True
        """
        known = self._state.known if at is None else at.known
        others = tuple(map(self._state.question, pending))
        return referral_of(known, checked_name(by), others)

    def suspects(self, answer_id: int, at: View | None = None) -> tuple[Suspect, ...]:
        """Return an answer that others deny and these, the likeliest slip first.

        Parameters
        ----------
        answer_id : int
            Of one of :attr:`doubtful`.
        at : View, optional
            As for :meth:`ask_besides`.

        Examples
        --------
        >>> session = Session([[0.0], [0.2], [0.4], [5.0], [5.2], [5.4]])
        >>> session.tell_pair(0, 1, "same")
        >>> session.tell_pair(1, 3, "same")
        >>> session.tell_pair(3, 4, "same")
        >>> session.tell_pair(0, 3, "different", on_conflict="keep")
        >>> session.tell_pair(0, 4, "different", on_conflict="keep")
        >>> session.tell_pair(1, 5, "different")
        >>> session.tell_pair(3, 5, "same", on_conflict="keep")
        >>> str(session.suspects(4)[0].answer)
        'answer 2: 1 and 3 are same'
        """
        now = self.view if at is None else at
        known = now.known
        told = [known.answers[position] for position in known.doubtful]
        found = [answer for answer in told if answer.id == answer_id]
        if not found:
            raise InputError(f"No others deny answer {answer_id}: see doubtful.")
        doubts = Doubts(self._given.neighbours, now.model.labels)
        kept = self._state.stands.kept
        return suspects(known, clash_of(known, found[0]), doubts, kept=kept)

    def decider(
        self,
        answer_id: int,
        at: View | None = None,
        left_out: Collection[int] = (),
    ) -> Question | None:
        """Return a question whose answer tells which of several is the slip.

        Parameters
        ----------
        answer_id : int
            Of one of :attr:`doubtful`.
        at : View, optional
            As for :meth:`ask_besides`.
        left_out : collection of int
            Samples that are not asked about.

        Returns
        -------
        Question or None
            None where it is clear already, or where no question would tell.
        """
        now = self.view if at is None else at
        found = self.suspects(answer_id, now)
        return None if is_clear(found) else decider_of(now.known, found, left_out)

    # Samples and groups

    def add(self, X_new: SamplesLike) -> None:
        """Add samples behind the present ones; every answer stays.

        Parameters
        ----------
        X_new : array-like, DataFrame or sparse matrix of shape (m, n_features)
            With a precomputed affinity, of shape (m, n + m): the similarity of each new
            sample to all samples, old and new.
        """
        if isinstance(self._data, Problem):
            raise InputError(
                "Samples cannot be added where a problem was made beforehand: begin "
                "the session with the samples themselves."
            )
        if self._affinity == SCORES:
            raise InputError(
                "Samples cannot be added to scores: begin another session with the "
                "scores of all of them, and answers=session.history."
            )
        data = stack(self._data, X_new, square=self._affinity in PAIRWISE)
        given = self._problem_of(data)
        if self._home is not None:
            whole = self._affinity in PAIRWISE
            self._home.keep_added(data, self._data, whole=whole)
        self._data, self._given = data, given
        if isinstance(self._journal, OfSamples):
            self._journal.grow(self._marked())
        self._take_up(self._journal)

    def set_aside(self, sample: int) -> None:
        """Take a sample out of the game: never asked about, label -1."""
        self._record(SetAside(self._state.sample(sample)))

    def put_back(self, sample: int) -> None:
        """Bring a sample back that was set aside."""
        self._record(SetAside(self._state.sample(sample), aside=False))

    def rename(self, group: int | Group, name: str) -> None:
        """Name a group, given as a group or by any of its samples.

        A name has at most 200 characters, all of which can be seen, and is kept without
        spaces around it; an empty one takes it away.
        """
        self._record(self._state.renamed(_id_of(group), name))

    def number(self, numbers: Numbered) -> None:
        """Record under which numbers people have seen groups; nothing else changes."""
        self._record(self._state.numbered(numbers))

    def reload(self) -> None:
        """Take in what others have written to the journal since it was last read."""
        self._go_on_from(self._state.caught_up(self._journal.read()))

    # Looking; it changes nothing

    @property
    def n_samples(self) -> int:
        """How many samples there are."""
        return self._given.n_samples

    @property
    def labels(self) -> Indices:
        """The cluster of each sample, 0..k-1; -1 for samples set aside.

        Certain sets keep their numbers while answers come in.
        """
        model = self._current()
        with self._calmly():
            return compact(model.labels, self._state.known.aside)

    @property
    def groups(self) -> tuple[Group, ...]:
        """The groups that answers have made known, oldest first."""
        return groups_of(self._state.known, self.labels, self._state.stands.names)

    @property
    def history(self) -> tuple[Answer, ...]:
        """Every answer that stands, oldest first."""
        return History(self._state.known.answers)

    @property
    def acts(self) -> tuple[int, ...]:
        """Positions in the journal of the acts that can still be undone."""
        return self._state.stands.acts

    @property
    def names(self) -> dict[int, str]:
        """Names by the sample that they were given for, oldest first."""
        return dict(self._state.stands.names)

    @property
    def doubtful(self) -> tuple[Answer, ...]:
        """The answers that contradict earlier ones and are left out of conclusions."""
        known = self._state.known
        return tuple(known.answers[at] for at in sorted(known.doubtful))

    @property
    def kept(self) -> frozenset[int]:
        """Ids of the answers that somebody left to disagree."""
        return self._state.stands.kept

    @property
    def weights(self) -> Weights:
        """How alike the samples are: the (n, n) similarity before any answer."""
        return self._given.affinity.weights

    @property
    def neighbours(self) -> Sparse:
        """Weights from each sample to its nearest neighbours, before any answer."""
        return self._given.neighbours

    @property
    def features(self) -> Samples | None:
        """The samples themselves; None when only similarities were given."""
        return self._given.affinity.features

    @property
    def reliability(self) -> Reliability:
        """How many of the answers are wrong, by the checks among them."""
        return reliability(self._state.known)

    @property
    def readers(self) -> tuple[Reader, ...]:
        """Who has answered, what each did, and how often each is wrong.

        See ``by`` of :meth:`tell`. The rates come from checks, from pairs that several
        readers answered, and from what all others say of similar samples.

        Examples
        --------
        >>> session = Session([[0.0], [0.2], [5.0], [5.2]], n_clusters=2)
        >>> session.tell_pair(0, 1, "same", by="ann")
        >>> session.tell_pair(0, 2, "different", by="bob")
        >>> [(reader.name, reader.n_answers) for reader in session.readers]
        [('ann', 1), ('bob', 1)]
        """
        known, seconds = self._state.known, self._state.seconds
        return readers_in(known, seconds, self.errors())

    def errors(self, at: View | None = None) -> Mapping[str, Errors]:
        """Return how often each reader is wrong, by their names.

        Parameters
        ----------
        at : View, optional
            The moment to look at; now unless given.
        """
        now = self.view if at is None else at
        return errors_by(self._method, now.model, now.known)

    @property
    def agreement(self) -> Agreement:
        """How well readers agree on the pairs that several of them answered.

        Answers that somebody has decided against count as they were said.
        """
        return agreement_in(opinions(self._state.events, self._state.stands.acts))

    @property
    def n_questions(self) -> int:
        """How many questions were answered, without what was known from the start."""
        return sum(answer.how != "given" for answer in self._state.known.answers)

    @property
    def progress(self) -> Progress:
        """How far the clustering is, by the method's own estimate."""
        model = self._current()
        with self._calmly():
            return progress_of(self._state.known, model)

    @property
    def known(self) -> Knowledge:
        """What the answers so far have taught."""
        return self._state.known

    @property
    def view(self) -> View:
        """What the answers so far amount to, as a value that stays as it is."""
        return View(self._current(), self._state.known)

    def candidates(
        self, samples: int | Iterable[int], unlike: Iterable[int] = ()
    ) -> tuple[Candidate, ...]:
        """Return the groups that a sample may belong to, likeliest first.

        Groups that no answer has confirmed yet are among them. What the probabilities
        leave to 1 is the chance of a group of its own.

        Parameters
        ----------
        samples : int or iterable of int
            A sample, or several that belong together.
        unlike : iterable of int
            Samples whose groups are left out.
        """
        listed = samples if isinstance(samples, Iterable) else [samples]
        chosen = self._state.check(*listed)
        if not chosen:
            raise InputError("Candidates are for one sample at least: name it.")
        out = [self._state.sample(sample) for sample in _listed(unlike)]
        return candidates_of(self._current(), chosen, self.groups, self.labels, out)

    def explain(self, question: Question, called: tuple[str, str] | None = None) -> str:
        """Return one sentence that says why this pair is asked about.

        Parameters
        ----------
        question : Question
        called : tuple of str, optional
            What to call the two, where people do not know samples by their numbers.
        """
        asked = self._state.question(question)
        names = called or (f"sample {asked.sample}", f"sample {asked.against}")
        if len(names) != 2:  # noqa: PLR2004 - a pair
            raise InputError(f"Two samples have two names, not {described(called)}.")
        return explained(asked, self._current(), names)

    @property
    def repairs(self) -> Repairs:
        """Plans for acts on groups, as they are now; see :meth:`revise`."""
        view = self.view
        return Repairs(view.known, view.labels, view.model.confidence)

    @overload
    def to_frame(self, library: Literal["pandas"] = "pandas") -> DataFrame: ...

    @overload
    def to_frame(self, library: Literal["polars"]) -> PolarsFrame: ...

    def to_frame(self, library: str = "pandas") -> DataFrame | PolarsFrame:
        """Return a table with a row for each sample.

        Parameters
        ----------
        library : {"pandas", "polars"}, default="pandas"
            Whose table it is; pandas comes with the extra ``tables``.

        Returns
        -------
        DataFrame
            ``sample``, ``group`` (as in :attr:`labels`), ``name`` (of the group, or
            empty), ``status`` ("confirmed", "guessed", "deferred" or "aside") and
            ``confidence``, the probability that the group is the right one; none where
            the sample is set aside.

        Examples
        --------
        >>> session = Session([[0.0], [0.2], [5.0], [5.2]], n_clusters=2)
        >>> session.tell_pair(0, 1, "same")
        >>> session.to_frame().status.tolist()
        ['confirmed', 'confirmed', 'guessed', 'guessed']
        """
        made = table_of(library)
        return made(self._columns())

    def _columns(self) -> dict[str, object]:
        """Return what is known of each sample, column by column."""
        repairs = self.repairs
        statuses, labels = statuses_within(repairs), repairs.labels
        names = cluster_names(labels, self.names)
        return {
            "sample": np.arange(self.n_samples),
            "group": labels,
            "name": [names.get(int(label), "") for label in labels],
            "status": [statuses.of(sample) for sample in range(self.n_samples)],
            "confidence": np.where(labels >= 0, repairs.sure, np.nan),
        }

    def __repr__(self) -> str:
        return f"<Session: {'; '.join(self._lines())}>"

    def _repr_html_(self) -> str:
        return as_html(*self._lines()) + as_table(
            ("group", "samples", "confirmed"), self._table()
        )

    def _table(self) -> list[tuple[str, int, int]]:
        """Return the largest groups that have a name, if all is worked out."""
        if self._model is None or self._behind or not self.names:
            return []
        labels, done = self.labels, statuses_within(self.repairs).confirmed
        names = cluster_names(labels, self.names)
        sizes = np.bincount(labels + 1)[1:].tolist()
        sure = np.bincount(labels[sorted(done)] + 1, minlength=len(sizes) + 1)[1:]
        largest = sorted(names, key=lambda label: -sizes[label])[:FIRST]
        return [(names[one], sizes[one], int(sure[one])) for one in largest]

    def _lines(self) -> list[str]:
        """Return what it is, and where it stands if that is known: nothing is made."""
        answers = "1 answer" if self.n_questions == 1 else f"{self.n_questions} answers"
        lines = [f"{self.n_samples:,} samples, {self._method.name}, {answers}"]
        if self._model is not None and not self._behind:
            groups = int(self.labels.max()) + 1
            lines[0] += f", {groups} group{'' if groups == 1 else 's'}"
            lines.append(self.progress.sentence)
        return lines

    # Inside: from the journal to a state, and from a state to a model

    def _marked(self) -> Samples:
        """Return what a journal may know the samples by."""
        features, weights = self._given.features, self._given.weights
        return weights if features is None else features

    def _take_up(self, journal: Journal) -> None:
        self._journal = journal
        self._state = State.of(self.n_samples, journal.read())
        self._model = self._earlier = None
        self._forget()

    def _move_in(self, home: Home) -> None:
        self._home = home
        if self._affinity == DEFAULTS["affinity"]:
            self._given = self._given.kept_by(home.keep_graph)
        self._take_up(home.journal)

    def _start_from(
        self,
        answers: Iterable[Given] | None,
        known: Mapping[int, Hashable] | Iterable[Hashable] | None,
    ) -> None:
        given = answers_of(() if answers is None else answers)
        names: dict[int, str] = {}
        if known is not None:
            classes = classes_of(known, self.n_samples)
            given += links_of_labels(classes, self.n_samples, self.features)
            names = names_of_labels(classes)
        events: list[Single] = list(starmap(self._state.renamed, names.items()))
        if given:
            events.insert(0, self._state.told(given, may_contradict=True))
        if events:
            self._record(events[0] if len(events) == 1 else Together(tuple(events)))

    def _reader(self, by: str | None) -> str:
        """Return who answers: as they are named, or as the journal knows them."""
        if by is not None:
            return checked_name(by)
        return self._journal.who if isinstance(self._journal, Authored) else ""

    def _tell(
        self,
        told: Iterable[Answer],
        on_conflict: str,
        shown: Shown | None = None,
        by: str | None = None,
    ) -> None:
        if on_conflict not in ("raise", "keep"):
            raise InputError(
                f"on_conflict must be 'raise' or 'keep', but it is "
                f"{described(on_conflict)}."
            )
        may_contradict, reader = on_conflict == "keep", self._reader(by)
        self._record(
            self._state.told(
                told, may_contradict=may_contradict, shown=shown, by=reader
            )
        )

    def _record(self, event: Event) -> None:
        self._journal.append(event)
        state = self._state.after(event)
        if isinstance(event, Told):
            self._learn(state, event.answers)
        else:
            self._go_on_from(state)

    def _go_on_from(self, state: State) -> None:
        """Take a state for the present one; what was worked out stays if it holds.

        Where others have only answered meanwhile, the model learns that.
        """
        before, self._state = self._state.known, state
        known = state.known
        if known is before:
            return
        if self._model is None or not is_longer(known.answers, known.aside, before):
            self._forget()
        else:
            self._learn_of(before, known.answers[len(before.answers) :], known)
            self._open = []

    def _learn(self, state: State, answers: tuple[Answer, ...]) -> None:
        before, self._state = self._state.known, state
        self._learn_of(before, answers, state.known)
        told = [answer.question for answer in answers]
        asked = all(question in self._open for question in told)
        self._open = [q for q in self._open if q not in told] if asked else []

    def _learn_of(
        self, before: Knowledge, answers: tuple[Answer, ...], known: Knowledge
    ) -> None:
        """Note what the model has to learn, once somebody looks."""
        if self._model is not None:
            self._behind.append((before, answers, known))
        if len(self._behind) >= MOST_BEHIND:
            self._current()
        self._screen = None

    def _forget(self) -> None:
        """Drop what was worked out from what is no longer known."""
        self._earlier, self._model = self._model or self._earlier, None
        self._behind = []
        self._open = []
        self._screen = None
        self._ahead = {}

    def _problem_of(self, X: SamplesLike) -> Problem:
        own = self._method.affinity if self._affinity == DEFAULTS["affinity"] else None
        given = problem_of(
            X,
            affinity=own or self._affinity,
            n_clusters=self._n_clusters,
            device=self._device,
            progress=self._while_searching,
        )
        return suited(given, self._method)

    def _calmly(self) -> AbstractContextManager[object]:
        """Let small matrices be worked on by one thread."""
        given = self._given
        is_small = given.n_samples <= ONE_THREAD or given.device != "cpu"
        return one_thread() if is_small else nullcontext()

    def _current(self) -> Model:
        if self._model is None:
            is_small = self._given.n_samples <= ONE_THREAD
            with self._calmly() if is_small else nullcontext():
                self._model = self._made()  # of many samples, on all cores
            self._earlier = None
        with self._calmly():
            return self._brought_on(self._model)

    def _brought_on(self, model: Model) -> Model:
        behind, self._behind = self._behind, []
        for answer, known in chain.from_iterable(starmap(steps, behind)):
            model = self._ahead.get(answer) or self._method.learn(model, known, answer)
            self._model, self._ahead = model, {}
        return model

    def _made(self) -> Model:
        method, earlier, given = self._method, self._earlier, self._given
        if method.resume is not None and earlier is not None:
            return method.resume(earlier, given, self._state.known)
        return method.begin(given, self._state.known, self._rng("begin", 0))

    def _rng(self, use: str, count: int) -> np.random.Generator:
        # One stream for each use and number of answers: a session that was stopped and
        # taken up again draws as if it had never stopped.
        key = (count, *use.encode())
        return np.random.default_rng(np.random.SeedSequence(self._seed, spawn_key=key))


def _given(
    X: SamplesLike | Problem | None,
    affinity: str | Kernel,
    scores: Any,
    n_samples: int | None,
) -> tuple[Any, str | Kernel]:
    """Return what samples are compared by, and how: themselves, or scores of pairs."""
    if (X is None) == (scores is None):
        raise InputError(
            "A session is of samples or of scores of pairs: give one of X and scores."
        )
    if scores is None:
        if n_samples is not None:
            raise InputError("n_samples goes with scores only: leave it out.")
        return X, affinity
    if affinity not in (DEFAULTS["affinity"], SCORES):
        raise InputError("Scores say how alike samples are: leave out affinity.")
    return rarity_of(scores, n_samples), SCORES


def _undisputed(
    problem: Problem, n_clusters: int | None, affinity: str | Kernel
) -> Problem:
    is_same = n_clusters is None or n_clusters == problem.n_clusters
    if not is_same or affinity != DEFAULTS["affinity"]:
        raise InputError(
            "A problem made beforehand says how many groups there are and how alike "
            "samples are: leave out n_clusters and affinity."
        )
    return problem


def _checked(journal: Journal) -> Journal:
    if not (hasattr(journal, "append") and hasattr(journal, "read")):
        raise InputError(
            f"A journal has append and read, which {described(journal)} has not: give "
            f"one of likewise.storage."
        )
    return journal


def _id_of(group: int | Group) -> int:
    return group.id if isinstance(group, Group) else group


def _listed(samples: Iterable[int]) -> list[int]:
    if not isinstance(samples, Iterable):
        raise InputError(f"Samples are a list of numbers, not {described(samples)}.")
    return list(samples)
