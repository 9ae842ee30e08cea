"""A project that people work on at once: one session, one lock, one way to act."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from threading import RLock
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from likewise._arrays import Indices
from likewise.app._commands import (
    Command,
    Pick,
    Plan,
    Planned,
    Reply,
    Undo,
    leaving,
    plan_of,
)
from likewise.app._snapshot import Display, ItemCache, Snapshot
from likewise.errors import StorageError
from likewise.knowledge import (
    Answer,
    Event,
    Kept,
    Question,
    Renamed,
    SetAside,
    Told,
    Undone,
    Verdict,
    told_in,
)
from likewise.session import FEATURES, Numbers, Revision, Session, is_due
from likewise.storage import Author, Latest, OpenQuestion, Project, ProjectJournal

EVERY = 15  # of a person's questions one is a check
LEASE = 600.0  # seconds for which a question is one person's
QUESTIONED = ("asked", "group")  # answers that came of a question
TRIES = 5  # questions to look for before a person has to wait
LATELY = 10  # answers over which moving items are counted
ALREADY = "This was answered already; here is the present question."
OUTGROWN = "Another server has added items: they are being taken in, wait a moment."
NOTHING_TO_UNDO = "There is nothing of yours to undo."


@dataclass(frozen=True, slots=True)
class Turn:
    """What a person has before them.

    Attributes
    ----------
    who : str
    mine : OpenQuestion or None
    is_waiting : bool
        Whether there may be a question for them once others have answered theirs.
    """

    who: str
    mine: OpenQuestion | None
    is_waiting: bool


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a command.

    Attributes
    ----------
    notice : str or None
        Why it was not done; None when it was, now or before.
    before : Snapshot or None
        The project that it was planned on; None when nothing was planned.
    plan : Revision or Event, or None
        What it amounted to.
    verdict : Verdict or None
        The answer that was taken back, if its question is theirs again.
    """

    notice: str | None = None
    before: Snapshot | None = None
    plan: Plan | None = None
    verdict: Verdict | None = None


def nobody_adds() -> None:
    """Do nothing about items of another server."""


class ProjectService:
    """A project with its session and its items; may be called from any thread.

    Everything that changes something goes through :meth:`act`, but for the questions
    that people are given (:meth:`turn`) and how the project is shown (:meth:`change`).
    What is shown is made from a :meth:`snapshot`.

    Parameters
    ----------
    project : Project
    journal : ProjectJournal
        Of the project; it says for each act whose it is.
    session : Session
        Writes to the journal.
    clock : callable
        Returns the seconds since 1970.
    display : Display
    grown : callable
        Called once another server has added items, of which this one knows nothing.
    """

    def __init__(
        self,
        project: Project,
        journal: ProjectJournal,
        session: Session,
        clock: Callable[[], float],
        display: Display,
        grown: Callable[[], None] = nobody_adds,
    ) -> None:
        self.project = project
        self.journal = journal
        self.session = session
        self.display = display
        self._clock = clock
        self._grown, self._is_outgrown = grown, False
        self._items = ItemCache(project)
        self._lock = RLock()
        self._depth = 0
        self._questions: dict[int, OpenQuestion] = {}
        start = Numbers.kept_in(project.info().settings)
        self._recorded = self._numbers = Numbers.after(journal.read(), start)
        self._movement = Movement()
        self._snapshot: Snapshot | None = None

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Let nobody else act meanwhile.

        What other servers have done is taken in first, once, however often this is
        entered inside.
        """
        with self._lock:
            if self._depth == 0:
                self._take_in(self.journal.catch_up())
            self._depth += 1
            try:
                yield
            finally:
                self._depth -= 1

    def _take_in(self, latest: Latest) -> None:
        if self._is_outgrown or self._has_grown(latest):
            if not self._is_outgrown:
                self._is_outgrown = True
                self._grown()
            raise StorageError(OUTGROWN)
        self._questions = {question.id: question for question in latest.questions}
        if latest.acts:
            events = [act.event for act in latest.acts]
            self._recorded = Numbers.after(events, self._recorded)
            self._move_on(Numbers.after(events, self._seen()))
            self.session.reload()

    def _has_grown(self, latest: Latest) -> bool:
        """Tell whether others may speak of items that are not in the session."""
        n_samples = self.session.n_samples
        asked = (max(q.question.pair) for q in latest.questions)
        if latest.acts or any(sample >= n_samples for sample in asked):
            return self.project.n_rows(FEATURES) > n_samples
        return False

    # What there is to see

    def snapshot(self) -> Snapshot:
        """Return the project as it is now."""
        with self.hold():
            if self._snapshot is None:
                self._snapshot = self._looked_at()
            elif self._snapshot.display != self.display:
                self._snapshot = replace(self._snapshot, display=self.display)
            return self._snapshot

    def _looked_at(self) -> Snapshot:
        session, view = self.session, self.session.view
        return Snapshot(
            view=view,
            acts=tuple(self.journal.acts),
            standing=session.acts,
            names=session.names,
            kept=session.kept,
            weights=session.weights,
            features=session.features,
            before=self._numbers,
            moved=self._movement.count(view.n_questions, view.labels),
            display=self.display,
            items=self._items.items,
        )

    def _seen(self) -> Numbers:
        """Return the numbers that people have seen, whether or not they are recorded.

        To look records nothing: they follow from what was recorded before.
        """
        return self._numbers if self._snapshot is None else self._snapshot.numbers

    def _move_on(self, numbers: Numbers) -> None:
        self._numbers, self._snapshot = numbers, None

    def change(self, settings: Mapping[str, Any], display: Display) -> None:
        """Change settings of the project, and how it is shown, for everybody."""
        with self.hold():
            self.project.change(settings)
            self.display = display

    # Questions

    def held(self, who: str) -> OpenQuestion | None:
        """Return the question that a person has, if they have one."""
        with self.hold():
            return next((q for q in self._questions.values() if q.who == who), None)

    def turn(self, who: str) -> Turn:
        """Return the question that a person has, or give them one.

        The same one until it is answered, whatever happens to page or server, unless
        answers of others have settled it meanwhile.
        """
        with self.hold():
            now, mine = self._clock(), self.held(who)
            if mine is not None and not self._is_open(mine.question):
                self._close(mine)
                mine = None
            elif mine is not None:
                mine = self._extended(mine, now + LEASE)
            others = [
                q.question
                for q in self._questions.values()
                if q.who != who and q.until > now
            ]
            mine = mine or self._given(who, others, now)
            return Turn(who, mine, is_waiting=mine is None and bool(others))

    def ahead(self, who: str) -> list[Question]:
        """Return what may be asked next; it is worked out before it is wanted."""
        with self.hold():
            mine = self.held(who)
            if mine is None or self.display.kind != "image":
                return []
            verdicts = (Verdict.SAME, Verdict.DIFFERENT)
            nexts = [self.session.ahead(mine.question, one) for one in verdicts]
            return [question for question in nexts if question is not None]

    def _given(
        self, who: str, others: list[Question], now: float
    ) -> OpenQuestion | None:
        pending = list(others)
        for _ in range(TRIES):
            found = self._proposed(who, pending)
            if found is None:
                return None
            opened = self._open(OpenQuestion(who, found, now + LEASE), now)
            if opened is not None:
                return opened
            pending.append(found)  # somebody at another server was faster
        return None

    def _proposed(self, who: str, pending: list[Question]) -> Question | None:
        is_checked = is_due(self._answers_of(who), self.display.checks)
        check = self.session.check(pending) if is_checked else None
        return check or self.session.ask_besides(pending)

    def _answers_of(self, who: str) -> list[Answer]:
        """Return what a person has answered, as far as it stands, oldest first."""
        acts = self.journal.acts
        mine = [acts[at] for at in self.session.acts if acts[at].who == who]
        return [answer for act in mine for answer in told_in(act.event)]

    def _is_open(self, question: Question) -> bool:
        known = self.session.view.known
        if not known.aside.isdisjoint(question.pair):
            return False
        return question.is_check or known.constraints.relation(*question.pair) is None

    def _open(self, wanted: OpenQuestion, now: float) -> OpenQuestion | None:
        opened = self.project.open_question(wanted, now=now)
        if opened is not None:
            self._questions[opened.id] = opened
        return opened

    def _extended(self, mine: OpenQuestion, until: float) -> OpenQuestion:
        self._questions[mine.id] = self.project.extend(mine.id, until) or mine
        return self._questions[mine.id]

    def _close(self, mine: OpenQuestion) -> None:
        self.project.close_question(mine.id)
        del self._questions[mine.id]

    # Acts

    def act(self, who: str, client_id: str, command: Command) -> Outcome:
        """Do what a person wants, as one act of theirs.

        Parameters
        ----------
        who : str
        client_id : str
            Chosen by the caller; what was done under it before is not done again.
        command : Command

        Returns
        -------
        Outcome
            With a notice if it came too late, or if there was nothing to do.

        Raises
        ------
        InputError, StaleError
            It cannot be done, or not any more; nothing was recorded.
        """
        with self.hold():
            if self.journal.position_of(client_id) is not None:
                return Outcome()
            match command:
                case Reply() | Pick():
                    return self._answer(who, client_id, command)
                case Undo():
                    return self._undo(who, client_id)
            before = self.snapshot()
            plan = plan_of(before, command)
            if plan:
                numbers = _handed_on(before, command)
                with self._acting(Author(who, client_id), numbers):
                    _carry_out(self.session, plan)
            return Outcome(before=before, plan=plan)

    def _answer(self, who: str, client_id: str, command: Reply | Pick) -> Outcome:
        """Record an answer or a pick; what earlier answers deny is kept as doubtful."""
        mine = self.held(who)
        if mine is None or mine.id != command.question:
            return Outcome(ALREADY)
        with self._acting(Author(who, client_id, mine.id), self._seen()):
            if isinstance(command, Pick):
                _pick(self.session, mine.question, command)
            else:
                tell = self.session.tell
                tell(mine.question, command.verdict, on_conflict="keep")
        return Outcome()

    def _undo(self, who: str, client_id: str) -> Outcome:
        """Take back the last act of a person that still stands.

        The question of it is theirs again, with the old answer marked.
        """
        acts = self.journal.acts
        mine = (at for at in reversed(self.session.acts) if acts[at].who == who)
        position = next(mine, None)
        if position is None:
            return Outcome(NOTHING_TO_UNDO)
        with self._acting(Author(who, client_id), self._seen()):
            event = self.session.undo(position)
        return Outcome(verdict=self._give_back(who, event))

    def _give_back(self, who: str, event: Event | None) -> Verdict | None:
        if not isinstance(event, Told) or event.answers[-1].how not in QUESTIONED:
            return None
        now, told = self._clock(), event.answers[-1]
        if not self._is_open(told.question):
            return None
        mine = self.held(who)
        if mine is not None:
            self._close(mine)
        opened = self._open(OpenQuestion(who, told.question, now + LEASE), now)
        return told.verdict if opened and told.how == "asked" else None

    @contextmanager
    def _acting(self, author: Author, numbers: Numbers) -> Iterator[None]:
        """Let an author act; numbers that people have seen are recorded with it."""
        n_before = len(self.journal)
        with self.journal.by(author, numbers.since(self._recorded)):
            yield
        for act in self.journal.acts[n_before:]:
            self._recorded = Numbers.after([act.event], self._recorded)
            self._questions.pop(act.closed or 0, None)
        self._move_on(numbers)


def _carry_out(session: Session, plan: Plan) -> None:
    match plan:
        case Revision():
            session.revise(plan)
        case SetAside(sample, True):
            session.set_aside(sample)
        case SetAside(sample, False):
            session.put_back(sample)
        case Renamed(sample, name):
            session.rename(sample, name)
        case Kept(ids):
            session.keep(ids[0])
        case Undone(position):
            session.undo(position)


def _pick(session: Session, question: Question, pick: Pick) -> None:
    """Put the sample of a question into a group."""
    sample, unlike = question.sample, list(pick.rejected)
    if pick.group == "new" and not session.candidates(sample):
        unlike.append(question.against)  # all that there is to be unlike
    session.tell_group(sample, pick.group, unlike=unlike, on_conflict="keep")


def _handed_on(now: Snapshot, command: Command) -> Numbers:
    """Return the numbers; groups keep theirs when the items that carry them leave."""
    items = leaving(command) if isinstance(command, Planned) else []
    out = {now.numbers.anchors[number] for number in now.number.values()}
    heirs = {item: now.repairs.anchor(item, items) for item in out & set(items)}
    there = {item: heir for item, heir in heirs.items() if heir is not None}
    return now.numbers.handed_on(there) if there else now.numbers


class Movement:
    """How many items have changed their group lately.

    Kept are the clusters after each of the last answers that somebody looked at.
    """

    def __init__(self) -> None:
        self._seen: deque[tuple[int, NDArray[Any]]] = deque()

    def count(self, n_answers: int, labels: Indices) -> int:
        """Return how many items changed their group over the last answers."""
        seen = self._seen
        if not seen or seen[-1][0] != n_answers:
            seen.append((n_answers, labels.astype(np.int32)))
        while len(seen) > 1 and seen[1][0] <= n_answers - LATELY:
            seen.popleft()
        before = seen[0][1]
        if len(before) != len(labels) or np.array_equal(before, labels):
            return 0
        return moved_between(before, labels)


def moved_between(before: NDArray[Any], labels: Indices) -> int:
    """Return how many items are not with most of those that they were with.

    Examples
    --------
    >>> moved_between(np.array([0, 0, 0, 1]), np.array([2, 2, 0, 0]))
    1
    """
    ones = np.ones(len(labels), dtype=np.intp)
    pairs = sp.coo_array((ones, (before + 1, labels + 1))).tocsr()
    return len(labels) - int(pairs.max(axis=1).sum())
