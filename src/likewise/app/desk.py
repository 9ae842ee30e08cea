"""A project at which people sit and answer: one session, many open questions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import RLock

from likewise.app.messages import Aside, Pick, Rename, Reply, Undo
from likewise.constraints import Verdict
from likewise.errors import InputError, StaleError
from likewise.journal import Event, Told
from likewise.knowledge import Question
from likewise.session import Session
from likewise.storage.base import Act, OpenQuestion, Project

LEASE = 600.0  # seconds for which a question is one person's
TRIES = 5  # questions to look for before a person has to wait


@dataclass(frozen=True, slots=True)
class Stamp:
    """Who acts, under which id, and which question it closes."""

    who: str
    client_id: str
    closes: int | None = None


class StampedJournal:
    """A project's journal, in which each act carries a stamp.

    An act is on disk before :meth:`append` returns.
    """

    def __init__(self, project: Project, clock: Callable[[], float]) -> None:
        self._project = project
        self._clock = clock
        self._events: list[Event] = []
        self.whose: list[str] = []
        self.seen: set[str | None] = set()
        self.stamp: Stamp | None = None
        self.catch_up()

    def append(self, event: Event) -> None:
        """Record the event under the present stamp."""
        stamp = self.stamp
        if stamp is None:
            raise InputError("An act needs to say whose it is.")
        act = self._project.act(
            event,
            who=stamp.who,
            now=self._clock(),
            client_id=stamp.client_id,
            expected=len(self._events),
            closes=stamp.closes,
        )
        if act.is_repeat:
            raise StaleError("Another server has recorded this: look again.")
        self._take([act])

    def catch_up(self) -> bool:
        """Read what others have recorded; tell whether there was anything."""
        new = self._project.acts(since=len(self._events))
        self._take(new)
        return bool(new)

    def _take(self, acts: Iterable[Act]) -> None:
        for act in acts:
            self._events.append(act.event)
            self.whose.append(act.who)
            self.seen.add(act.client_id)

    def read(self) -> Iterator[Event]:
        """Yield every event, oldest first."""
        yield from tuple(self._events)

    def __len__(self) -> int:
        return len(self._events)


class Desk:
    """Where people answer; every method may be called from any thread.

    Parameters
    ----------
    project : Project
    begin : callable
        ``begin(journal)`` makes the session.
    clock : callable
        Returns the seconds since 1970.
    """

    def __init__(
        self,
        project: Project,
        begin: Callable[[StampedJournal], Session],
        clock: Callable[[], float],
    ) -> None:
        self.project = project
        self.journal = StampedJournal(project, clock)
        self.session = begin(self.journal)
        self.lock = RLock()
        self._clock = clock

    @property
    def version(self) -> int:
        """How many acts there are."""
        return len(self.journal)

    # Questions

    def question(self, who: str) -> OpenQuestion | None:
        """Return the question that a person has, or give them one.

        The same one until it is answered, whatever happens to page or server, unless
        answers of others have settled it meanwhile.
        """
        with self.lock:
            self._catch_up()
            now = self._clock()
            mine = self.project.question_of(who)
            if mine is not None and self._is_open(mine.question):
                return self.project.extend(mine.id, now + LEASE) or mine
            if mine is not None:
                self.project.close_question(mine.id)
            return self._new_question(who, now)

    def _new_question(self, who: str, now: float) -> OpenQuestion | None:
        pending = [
            other.question
            for other in self.project.open_questions(now)
            if other.who != who
        ]
        for _ in range(TRIES):
            found = self.session.ask_besides(pending)
            if found is None:
                return None
            wanted = OpenQuestion(who, found, now + LEASE, self.version)
            opened = self.project.open_question(wanted, now=now)
            if opened is not None:
                return opened
            pending.append(found)
        return None

    def _catch_up(self) -> None:
        """Take in what another server, or an import, has put into the project."""
        if self.journal.catch_up():
            self.session.reload()

    def _is_open(self, question: Question) -> bool:
        known = self.session.view.known
        if not known.aside.isdisjoint(question.pair):
            return False
        return question.is_check or known.constraints.relation(*question.pair) is None

    def others(self, who: str) -> int:
        """Return how many other people have a question before them."""
        open_ones = self.project.open_questions(self._clock())
        return sum(question.who != who for question in open_ones)

    # Acts

    def answer(self, who: str, reply: Reply) -> str | None:
        """Record an answer; return a notice when it could not be taken as it is."""
        with self._acting(who, reply.client_id, reply.question) as mine:
            if mine is None:
                return self._missed(reply.client_id)
            before = len(self.session.doubtful)
            self.session.tell(mine.question, reply.verdict, on_conflict="keep")
            return DOUBTFUL if len(self.session.doubtful) > before else None

    def pick(self, who: str, pick: Pick) -> str | None:
        """Put the sample of a question into a group."""
        with self._acting(who, pick.client_id, pick.question) as mine:
            if mine is None:
                return self._missed(pick.client_id)
            sample, unlike = mine.question.sample, list(pick.rejected)
            if pick.group == "new" and not self.session.candidates(sample):
                unlike.append(mine.question.against)  # all that there is to be unlike
            self.session.tell_group(sample, pick.group, unlike=unlike)
            return None

    def set_aside(self, who: str, aside: Aside) -> str | None:
        """Take an item out of the game, or bring it back."""
        with self._acting(who, aside.client_id) as mine:
            if mine is None:
                return self._missed(aside.client_id)
            if aside.aside:
                self.session.set_aside(aside.item)
            else:
                self.session.put_back(aside.item)
            return None

    def rename(self, who: str, rename: Rename) -> str | None:
        """Name the group of an item."""
        with self._acting(who, rename.client_id) as mine:
            if mine is None:
                return self._missed(rename.client_id)
            self.session.rename(rename.item, rename.name.strip())
            return None

    def undo(self, who: str, undo: Undo) -> tuple[str | None, Verdict | None]:
        """Take back the last act of a person that still stands.

        The question of it is theirs again, with the old answer marked.

        Returns
        -------
        notice : str or None
        before : Verdict or None
            What they had answered.
        """
        with self._acting(who, undo.client_id) as mine:
            if mine is None:
                return self._missed(undo.client_id), None
            position = self.last_act(who)
            if position is None:
                return NOTHING_TO_UNDO, None
            event = self.session.undo(position)
            return None, self._give_back(who, event)

    def last_act(self, who: str) -> int | None:
        """Return the position of a person's last act that still stands."""
        standing = self.session.acts
        whose = self.journal.whose
        return next((at for at in reversed(standing) if whose[at] == who), None)

    def _give_back(self, who: str, event: Event | None) -> Verdict | None:
        if not isinstance(event, Told) or event.answers[0].how == "given":
            return None
        now, told = self._clock(), event.answers[-1]
        if not self._is_open(told.question):
            return None
        mine = self.project.question_of(who)
        if mine is not None:
            self.project.close_question(mine.id)
        wanted = OpenQuestion(who, told.question, now + LEASE, self.version)
        opened = self.project.open_question(wanted, now=now)
        return told.verdict if opened and told.how == "asked" else None

    def _missed(self, client_id: str) -> str | None:
        """Return why an act was not recorded now; a repeated one was, before."""
        return None if client_id in self.journal.seen else ALREADY

    @contextmanager
    def _acting(
        self, who: str, client_id: str, question: int | None = None
    ) -> Iterator[OpenQuestion | None]:
        """Hold the desk for one act; None when it was done before or came too late."""
        with self.lock:
            self._catch_up()
            mine = self.project.question_of(who)
            done = client_id in self.journal.seen
            late = question is not None and (mine is None or mine.id != question)
            if done or late:
                yield None
                return
            closes = question if mine is not None else None
            self.journal.stamp = Stamp(who, client_id, closes)
            try:
                yield mine or OpenQuestion(who, Question(0, 0), 0.0)
            finally:
                self.journal.stamp = None


ALREADY = "This was answered already; here is the present question."
DOUBTFUL = "This disagrees with earlier answers, so it was kept as doubtful."
NOTHING_TO_UNDO = "There is nothing of yours to undo."
