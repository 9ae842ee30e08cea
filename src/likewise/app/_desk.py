"""A project at which people sit and answer: one session, many open questions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import RLock

from likewise.app._messages import Aside, Pick, Rename, Reply, Undo
from likewise.knowledge import Answer, Event, Question, Told, Verdict, told_in
from likewise.session import Session, is_due
from likewise.storage import Author, OpenQuestion, Project, ProjectJournal

EVERY = 15  # of a person's questions one is a check
LEASE = 600.0  # seconds for which a question is one person's
QUESTIONED = ("asked", "group")  # answers that came of a question
TRIES = 5  # questions to look for before a person has to wait


class Desk:
    """Where people answer; every method may be called from any thread.

    Parameters
    ----------
    project : Project
    begin : callable
        ``begin(journal)`` makes the session.
    clock : callable
        Returns the seconds since 1970.

    Attributes
    ----------
    checks : int
        One question in so many asks again what is known; 0 for none.
    before_act : callable
        Called before each act is recorded.
    """

    def __init__(
        self,
        project: Project,
        begin: Callable[[ProjectJournal], Session],
        clock: Callable[[], float],
    ) -> None:
        self.project = project
        self.journal = ProjectJournal(project, None, clock)
        self.session = begin(self.journal)
        self.checks = int(project.info().settings.get("checks", EVERY))
        self.lock = RLock()
        self.before_act: Callable[[], None] = lambda: None
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
            self.catch_up()
            now = self._clock()
            mine = self.held(who)
            if mine is not None and self._is_open(mine.question):
                return self.project.extend(mine.id, now + LEASE) or mine
            if mine is not None:
                self.project.close_question(mine.id)
            return self._new_question(who, now)

    def _new_question(self, who: str, now: float) -> OpenQuestion | None:
        pending = [
            other.question
            for other in self.project.latest(self.version).questions
            if other.who != who and other.until > now
        ]
        for _ in range(TRIES):
            found = self._proposed(who, pending)
            if found is None:
                return None
            wanted = OpenQuestion(who, found, now + LEASE)
            opened = self.project.open_question(wanted, now=now)
            if opened is not None:
                return opened
            pending.append(found)
        return None

    def _proposed(self, who: str, pending: list[Question]) -> Question | None:
        is_checked = is_due(self._answers_of(who), self.checks)
        check = self.session.check(pending) if is_checked else None
        return check or self.session.ask_besides(pending)

    def _answers_of(self, who: str) -> list[Answer]:
        """Return what a person has answered, as far as it stands, oldest first."""
        acts = self.journal.acts
        mine = [acts[at] for at in self.session.acts if acts[at].who == who]
        return [answer for act in mine for answer in told_in(act.event)]

    def held(self, who: str) -> OpenQuestion | None:
        """Return the question that a person has."""
        questions = self.project.latest(self.version).questions
        return next((q for q in questions if q.who == who), None)

    def disagreement(self, who: str) -> int | None:
        """Return the answer of a person's last act that denies earlier ones, by id.

        None where there is none, or where somebody has decided that it stays.
        """
        last = self.last_act(who)
        if last is None:
            return None
        told = {answer.id for answer in told_in(self.journal.acts[last].event)}
        doubtful = {answer.id for answer in self.session.doubtful}
        return max(told & doubtful - self.session.kept, default=None)

    def catch_up(self) -> None:
        """Take in what another server, or an import, has put into the project."""
        if self.journal.catch_up().acts:
            self.session.reload()

    def _is_open(self, question: Question) -> bool:
        known = self.session.view.known
        if not known.aside.isdisjoint(question.pair):
            return False
        return question.is_check or known.constraints.relation(*question.pair) is None

    def others(self, who: str) -> int:
        """Return how many other people have a question before them."""
        now, questions = self._clock(), self.project.latest(self.version).questions
        return sum(q.who != who and q.until > now for q in questions)

    # Acts

    def answer(self, who: str, reply: Reply) -> str | None:
        """Record an answer; return a notice when it came too late.

        One that earlier answers deny is kept as doubtful: see :meth:`disagreement`.
        """
        with self._acting(who, reply.client_id, reply.question) as mine:
            if mine is None:
                return self._missed(reply.client_id)
            self.session.tell(mine.question, reply.verdict, on_conflict="keep")
            return None

    def pick(self, who: str, pick: Pick) -> str | None:
        """Put the sample of a question into a group; what is denied is doubtful."""
        with self._acting(who, pick.client_id, pick.question) as mine:
            if mine is None:
                return self._missed(pick.client_id)
            sample, unlike = mine.question.sample, list(pick.rejected)
            if pick.group == "new" and not self.session.candidates(sample):
                unlike.append(mine.question.against)  # all that there is to be unlike
            self.session.tell_group(
                sample, pick.group, unlike=unlike, on_conflict="keep"
            )
            return None

    def act(
        self, who: str, client_id: str, do: Callable[[Session], None]
    ) -> str | None:
        """Do something to the session as one act of a person.

        Returns
        -------
        str or None
            Why it was not done now; None when it was, now or before.
        """
        with self._acting(who, client_id) as mine:
            if mine is None:
                return self._missed(client_id)
            do(self.session)
            return None

    def set_aside(self, who: str, aside: Aside) -> str | None:
        """Take an item out of the game, or bring it back."""

        def do(session: Session) -> None:
            (session.set_aside if aside.aside else session.put_back)(aside.item)

        return self.act(who, aside.client_id, do)

    def rename(self, who: str, rename: Rename) -> str | None:
        """Name the group of an item."""
        name = rename.name.strip()
        return self.act(who, rename.client_id, lambda s: s.rename(rename.item, name))

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
        acts = self.journal.acts
        return next((at for at in reversed(standing) if acts[at].who == who), None)

    def _give_back(self, who: str, event: Event | None) -> Verdict | None:
        if not isinstance(event, Told) or event.answers[-1].how not in QUESTIONED:
            return None
        now, told = self._clock(), event.answers[-1]
        if not self._is_open(told.question):
            return None
        mine = self.held(who)
        if mine is not None:
            self.project.close_question(mine.id)
        wanted = OpenQuestion(who, told.question, now + LEASE)
        opened = self.project.open_question(wanted, now=now)
        return told.verdict if opened and told.how == "asked" else None

    def _missed(self, client_id: str) -> str | None:
        """Return why an act was not recorded now; a repeated one was, before."""
        return ALREADY if self.journal.position_of(client_id) is None else None

    @contextmanager
    def _acting(
        self, who: str, client_id: str, question: int | None = None
    ) -> Iterator[OpenQuestion | None]:
        """Hold the desk for one act; None when it was done before or came too late."""
        with self.lock:
            self.catch_up()
            mine = self.held(who)
            done = self.journal.position_of(client_id) is not None
            late = question is not None and (mine is None or mine.id != question)
            if done or late:
                yield None
                return
            closes = question if mine is not None else None
            self.before_act()
            with self.journal.by(Author(who, client_id, closes)):
                yield mine or OpenQuestion(who, Question(0, 0), 0.0)


ALREADY = "This was answered already; here is the present question."
NOTHING_TO_UNDO = "There is nothing of yours to undo."
