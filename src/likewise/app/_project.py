"""A project that people work on at once: one session, one lock, one way to act."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import islice
from threading import Lock, RLock
from typing import Any, Generic, ParamSpec, TypeAlias, TypeVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from likewise._arrays import Indices
from likewise.app._commands import (
    Amending,
    Answering,
    Aside,
    Command,
    OverviewReply,
    Pick,
    Plan,
    Planned,
    Rename,
    Reply,
    SheetReply,
    Skip,
    Undo,
    allowed,
    asked_in,
    digest_of,
    leaving,
    plan_of,
)
from likewise.app._dealing import ONE, TRIES, Deal, Needs, is_open
from likewise.app._ledger import Tally, left_of, screen_in
from likewise.app._roles import Members, Roster
from likewise.app._snapshot import PAIRS, Display, ItemCache, Snapshot
from likewise.errors import InputError, StaleError, StorageError
from likewise.knowledge import (
    Costs,
    Event,
    Kept,
    Knowledge,
    Overview,
    Pair,
    Pile,
    Question,
    Renamed,
    Screen,
    SetAside,
    Sheet,
    Told,
    Undone,
    Verdict,
    told_in,
)
from likewise.methods import KINDS
from likewise.session import (
    FEATURES,
    Errors,
    Numbers,
    Revision,
    Session,
    View,
    is_deciding,
    is_due,
    is_overlap_due,
    is_second,
)
from likewise.storage import Author, Latest, OpenQuestion, Project, ProjectJournal

EVERY = 15  # of a person's questions one is a check
LEASE = 600.0  # seconds for which a question is one person's
SLOWEST = 20.0  # times what a screen is expected to take, by which its lease is longer
FITS = 24  # items on a screen, unless the person's holds more or fewer
SMALL = 8  # items that fit on a phone, where nothing is sorted
LATEST = 200  # screens of a person by which their seconds are learned
IN_A_ROW = 3  # screens of a person in a row on which an item may be
PUT_OFF = 10  # answers for which items are not asked about that answers disagree on
RECHECKED = 6  # of a person's questions, one at most that is asked again out of doubt
FORGOTTEN = 8  # a person's own answers before one of them is asked for again
PUZZLED = 3  # of a person's questions, one at most that puzzled somebody else
DECIDERS = 2  # questions at most that are to tell which of several answers is wrong
LATELY = 10  # answers over which moving items are counted
ALREADY = "This was already answered; here is the current question."
OUTGROWN = "Another server has added items: wait a moment while they are read."
ANOTHER = "You have another kind of screen now: look again and answer that one."
ASIDE = "All of this was set aside in the meantime, so nothing was saved: look again."
ITSELF = "Misfits cannot be put into the group that they do not belong to."
NOTHING_TO_UNDO = "You have nothing to undo."
OTHER = (
    "This client_id was used for something else, so nothing was saved: send it again "
    "with a new one."
)
Found = TypeVar("Found")
Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")
Wanted = TypeVar("Wanted")
Amended: TypeAlias = Aside | Rename | Planned | Amending


class Batches(Generic[Wanted, Result]):
    """One thread that does for all who wait what each would have to do alone.

    Whoever comes while it works waits for the next round, which takes all of them: a
    round begins after the last of its wishes was made. What goes wrong goes wrong for
    everybody in the round. All the work is in one thread, so that the memory that it
    takes is taken once, and not once for each thread of a server.

    Parameters
    ----------
    work : callable
        ``work(wishes)`` returns a result for each wish.

    Examples
    --------
    >>> doubled = Batches(lambda wishes: [2 * wish for wish in wishes])
    >>> doubled.wait_for(21)
    42
    """

    def __init__(self, work: Callable[[Sequence[Wanted]], Sequence[Result]]) -> None:
        self._work = work
        self._waiting: list[tuple[Wanted, Future[Result]]] = []
        self._lock = Lock()
        self._thread = ThreadPoolExecutor(1, "batches")

    def wait_for(self, wish: Wanted) -> Result:
        """Return the result for a wish, once a round has served it."""
        mine: Future[Result] = Future()
        with self._lock:
            self._waiting.append((wish, mine))
        # A round before this one may have served it; then this one has less to do.
        self._thread.submit(self._round)
        return mine.result()

    def do(
        self,
        work: Callable[Arguments, Found],
        *args: Arguments.args,
        **kwargs: Arguments.kwargs,
    ) -> Found:
        """Do something else between two rounds, in the same thread."""
        return self._thread.submit(work, *args, **kwargs).result()

    def _round(self) -> None:
        with self._lock:
            served, self._waiting = self._waiting, []
        if not served:
            return
        try:
            found = self._work([wish for wish, _ in served])
        except BaseException as error:
            for _, theirs in served:
                theirs.set_exception(error)
        else:
            for (_, theirs), result in zip(served, found, strict=True):
                theirs.set_result(result)


@dataclass(frozen=True, slots=True)
class Turn:
    """What a person has before them.

    Attributes
    ----------
    who : str
    mine : OpenQuestion or None
    is_waiting : bool
        Whether there may be a question for them once others have answered theirs.
    pace : float
        Seconds that they are expected to take for a pair.
    """

    who: str
    mine: OpenQuestion | None
    is_waiting: bool
    pace: float


@dataclass(frozen=True, slots=True)
class Wish:
    """What somebody waits for: a question for a person, a look, or both."""

    who: str | None = None
    looks: bool = False


@dataclass(frozen=True, slots=True)
class Given:
    """What a wish has brought; None for what was not wished for."""

    turn: Turn | None
    now: Snapshot | None


@dataclass(frozen=True, slots=True)
class Round:
    """What questions are looked for at.

    Attributes
    ----------
    view : View
        The moment.
    open : list of Question
        All that is asked of others.
    lacking : dict of str to Needs
        Of who lacks a question.
    """

    view: View
    open: list[Question]
    lacking: dict[str, Needs]


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
    undone : Told or None
        The answers that were taken back, if their screen is theirs again.
    """

    notice: str | None = None
    before: Snapshot | None = None
    plan: Plan | None = None
    undone: Told | None = None

    @property
    def verdict(self) -> Verdict | None:
        """The answer that was taken back, if its question is theirs again."""
        told = None if self.undone is None else self.undone.answers[-1]
        return told.verdict if told is not None and told.how == "asked" else None


def nobody_adds() -> None:
    """Do nothing about items of another server."""


class ProjectService:
    """A project with its session and its items; may be called from any thread.

    Everything that changes something goes through :meth:`act`, but for the questions
    that people are given (:meth:`turn`) and how the project is shown (:meth:`change`).
    What is shown is made from a :meth:`snapshot`.

    To record an answer takes a moment, under a lock. What takes longer, to learn from
    answers, to look at the groups and to find questions, is done without it, in one
    thread, and once for all who wait. So the next question of a person is found by a
    model that has learned their own answer, and those of all others but for what came
    in while it was worked out: no more than one answer of each.

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
    members : Members, optional
        Of the project.
    """

    def __init__(  # noqa: PLR0913 - what it is made of
        self,
        project: Project,
        journal: ProjectJournal,
        session: Session,
        clock: Callable[[], float],
        display: Display,
        grown: Callable[[], None] = nobody_adds,
        *,
        members: Members | None = None,
    ) -> None:
        self.project = project
        self.members = members or Members(project, clock)
        self.journal = journal
        self.session = session
        self.display = display
        self._clock = clock
        self._grown, self._is_outgrown = grown, False
        self._items = ItemCache(project)
        self._lock = RLock()
        self._depth = 0
        self._questions: dict[int, OpenQuestion] = {}
        self._fits: dict[str, int] = {}
        self._skipping: set[str] = set()
        self._seen: dict[str, deque[frozenset[int]]] = {}
        self._tally = Tally()
        self._tally.take(journal.acts)
        start = Numbers.kept_in(project.info().settings)
        self._recorded = self._numbers = Numbers.after(journal.read(), start)
        self._movement = Movement()
        self._snapshot: Snapshot | None = None
        self._batches = Batches(self._served)

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Let nobody else act meanwhile.

        What other servers have done is taken in first, once, however often this is
        entered inside. Nobody may look or ask for a question while they hold it.
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
            self._tally.take(latest.acts)
            events = [act.event for act in latest.acts]
            self._recorded = Numbers.after(events, self._recorded)
            self._numbers = Numbers.after(events, self._numbers)
            self.session.reload()

    def _has_grown(self, latest: Latest) -> bool:
        """Tell whether others may speak of items that are not in the session."""
        n_samples = self.session.n_samples
        asked = (max(q.pair) for one in latest.questions for q in one.questions)
        if latest.acts or any(sample >= n_samples for sample in asked):
            return self.project.n_rows(FEATURES) > n_samples
        return False

    # What there is to see, and to answer

    def snapshot(self) -> Snapshot:
        """Return the project as it is now."""
        return _there(self._batches.wait_for(Wish(looks=True)).now)

    def seen(self, who: str) -> Snapshot:
        """Return the project as a person may see its groups now.

        Without the two items that another reader was asked about before and that they
        have before them: where these are would tell what was said.
        """
        now, besides = self.snapshot(), self.asked_second(who)
        return now if besides is None else now.without(besides)

    def turn(self, who: str) -> Turn:
        """Return the question that a person has, or give them one.

        The same one until it is answered, whatever happens to page or server, unless
        answers of others have settled it meanwhile.
        """
        return _there(self._batches.wait_for(Wish(who)).turn)

    def look(self, who: str) -> tuple[Snapshot, Turn]:
        """Return the project as it is now, and the question that a person has."""
        given = self._batches.wait_for(Wish(who, looks=True))
        return _there(given.now), _there(given.turn)

    def ahead(self, who: str) -> list[Screen]:
        """Return what may be asked after a pair; it is worked out before it is wanted.

        Nothing where others are at work: what they answer comes in between.
        """
        with self.hold():
            mine = self.held(who)
            is_alone = len(self._running(self._clock())) == 1
            is_pair = mine is not None and mine.screen is None
            if mine is None or not is_pair or not is_alone:
                return []
            if self.display.kind != "image":
                return []
            verdicts = (Verdict.SAME, Verdict.DIFFERENT)
            session = self.session
            views = [session.after(mine.question, one, who) for one in verdicts]
            needs = replace(
                self._needs(who), is_checked=False, is_second=False, is_referred=False
            )
        deals = [Deal(session, view, needs, ()) for view in views]
        nexts = [self._batches.do(deal.best) for deal in deals]
        return [screen for screen in nexts if screen is not None]

    def fit(self, who: str, n_items: int) -> None:
        """Note how many items fit on the screen of a person."""
        self._fits[who] = n_items

    def has_fit(self, who: str) -> bool:
        """Tell whether anybody has said how many do."""
        return who in self._fits

    def held(self, who: str) -> OpenQuestion | None:
        """Return the question that a person has, as far as this server knows."""
        with self._lock:
            return next((q for q in self._questions.values() if q.who == who), None)

    def asked_second(self, who: str) -> tuple[int, int] | None:
        """Return the pair that a person has, if another reader was asked it before.

        Until they have answered, they are not to see what the other one said.
        """
        mine = self.held(who)
        if mine is None or mine.screen is not None or not is_second(mine.question):
            return None
        return mine.question.pair

    @property
    def owner(self) -> str | None:
        """Whose project it is: as it is set, or the first who has acted under a name.

        None where nobody has, as far as this server knows.
        """
        return self.display.owner or self._tally.first

    def roster(self) -> Roster:
        """Return who may do what; where nobody owns it, others may have begun."""
        if self.owner is None:
            with self.hold():
                return self._roster()
        return self._roster()

    def _roster(self) -> Roster:
        return Roster(self.owner, self.display.changes, self.members.now())

    @property
    def people(self) -> frozenset[str]:
        """Whoever has done something, by their folded names."""
        with self.hold():
            return self._tally.people

    def errors(self, now: Snapshot) -> Mapping[str, Errors]:
        """Return how often each reader is wrong, by their names."""
        return self._batches.do(self._errors, now)

    def _errors(self, now: Snapshot) -> Mapping[str, Errors]:
        is_ours = now.display.early == self.display.early
        return self.session.errors(now.view if is_ours else None)

    def leases(self) -> dict[str, float]:
        """Return when people got or saw what they have before them, by their names."""
        with self.hold():
            open_ = list(self._questions.values())
        return {one.who: one.until - _lease(one.screen) for one in open_}

    def release(self, who: str) -> None:
        """Let others have what a person has before them."""
        with self.hold():
            mine = self.held(who)
            if mine is not None:
                self._close(mine)

    def change(self, settings: Mapping[str, Any], display: Display) -> None:
        """Change settings of the project, and how it is shown, for everybody."""
        with self.hold():
            self.project.change(settings)
            self.display = replace(display, early=self.display.early)

    def take_over(self, session: Session) -> None:
        """Go on with a session that asks about all items.

        It writes to the same journal; nobody need notice. What is open stays open, and
        answers that came in while it was made are learned first.
        """
        session.reload()
        session.ask_besides(())  # the slow part, while the other one still asks
        self._batches.do(self._exchange, session)

    def _exchange(self, session: Session) -> None:
        """Exchange the session between two rounds, when nobody works with it."""
        with self.hold():
            session.reload()
            self.session = session
            self.display = replace(self.display, early="")
            self._snapshot, self._movement = None, Movement()

    # One round: a look and questions for all who wait

    def _served(self, wishes: Sequence[Wish]) -> list[Given]:
        people = dict.fromkeys(wish.who for wish in wishes if wish.who is not None)
        looks = any(wish.looks for wish in wishes)
        turns = self._dealt(list(people))
        now = self._looked() if looks else None
        return [
            Given(
                None if wish.who is None else turns[wish.who],
                now if wish.looks else None,
            )
            for wish in wishes
        ]

    def _dealt(self, people: Sequence[str]) -> dict[str, Turn]:
        """Return everybody's turn; whoever has no question is given one."""
        mine: dict[str, OpenQuestion | None] = dict.fromkeys(people)
        lacking: list[str] = list(people)
        refused: list[Question] = []
        for _ in range(TRIES):
            with self.hold():
                now = self._clock()
                mine |= {who: self._kept(who, now) for who in lacking}
                lacking = [who for who in lacking if mine[who] is None]
                round_ = self._begun(lacking, now) if lacking else None
            if round_ is None:
                break
            found = self._proposed(round_, refused)
            with self._lock:
                opened = self._opened(found, now)
            mine |= self._answered_by_none(opened, round_.view.known)
            # Settled meanwhile, or somebody at another server was faster.
            lacking = [who for who in found if mine[who] is None]
            refused += [q for who in lacking for q in found[who].questions]
            if not lacking:
                break
        with self._lock:
            others = bool(self._running(now))
            paces = {who: self._costs(who).pair for who in mine}
        return {
            who: Turn(who, one, is_waiting=one is None and others, pace=paces[who])
            for who, one in mine.items()
        }

    def _kept(self, who: str, now: float) -> OpenQuestion | None:
        """Return the question that a person has, if it is still worth an answer."""
        mine = self.held(who)
        if mine is None:
            return None
        is_wanted = mine.screen is None or self.display.screens != PAIRS
        if is_wanted and self._is_open(mine.questions):
            return self._extended(mine, now + _lease(mine.screen))
        self._close(mine)
        return None

    def _begun(self, lacking: Sequence[str], now: float) -> Round:
        return Round(
            self.session.view,
            [q for one in self._running(now) for q in one.questions],
            {who: self._needs(who) for who in lacking},
        )

    def _costs(self, who: str) -> Costs:
        return Costs().fitted(self._tally.shown(who, LATEST))

    def _needs(self, who: str) -> Needs:
        every, fits = self.display.checks, self._fits.get(who, FITS)
        is_checked = is_due(self._tally.lately(who, every), every)
        kinds = KINDS if fits > SMALL else tuple(k for k in KINDS if k != "sort")
        kinds = ONE if self.display.screens == PAIRS else kinds
        return Needs(
            is_checked,
            every > 0,
            kinds,
            self._costs(who),
            fits,
            who in self._skipping and kinds != ONE,
            tired := self._tired(who),
            tired.union(self._put_off()),
            self._disputed(who) if every else None,
            self._rechecking(who) if every else None,
            who,
            self._is_second(who),
            self._is_referred(who),
        )

    def _is_second(self, who: str) -> bool:
        """Tell whether a person is to be asked what another reader has answered."""
        share = self.display.overlap
        if share <= 0 or not self._tally.is_of_several:
            return False
        return is_overlap_due(self._tally.lately(who, round(1 / share)), share)

    def _is_referred(self, who: str) -> bool:
        """Tell whether a person may be asked about what puzzled another reader."""
        if not self.display.refer or not self._tally.is_of_several:
            return False
        told = [a for a in self._tally.lately(who, PUZZLED) if a.how == "asked"]
        return not any(is_second(a.question) for a in told[1 - PUZZLED :])

    def _tired(self, who: str) -> frozenset[int]:
        """Return the items that were on each of the last screens of a person."""
        seen = self._seen_by(who)
        return frozenset.intersection(*seen) if len(seen) == IN_A_ROW else frozenset()

    def _seen_by(self, who: str) -> deque[frozenset[int]]:
        """Return what was on the last screens of a person, oldest first.

        A server that has just begun knows of the pairs among them, by the answers.
        """
        if who not in self._seen:
            lately = self._tally.lately(who, IN_A_ROW)
            pairs = (frozenset(a.question.pair) for a in lately if a.how == "asked")
            self._seen[who] = deque(pairs, IN_A_ROW)
        return self._seen[who]

    def _put_off(self) -> Iterator[int]:
        """Yield the items that answers have disagreed on of late."""
        known = self.session.known
        for at in known.doubtful:
            if at >= len(known.answers) - PUT_OFF:
                yield from known.answers[at].question.pair

    def _disputed(self, who: str) -> int | None:
        """Return the answer of a person's last act that others deny, by its id.

        Answers to questions that were to decide, and did not, do not count. None if one
        of those has contradicted others in its turn.
        """
        known = self.session.known
        # Between two readers a third decides, who has not said anything before.
        against = (known.answers[at] for at in known.doubtful)
        alone = {a.id for a in against if not is_second(a.question)}
        denied = alone - self.session.kept
        for act in islice(self._tally.latest(who), DECIDERS):
            told = told_in(act.event)
            ids = denied.intersection(answer.id for answer in told)
            decided = any(is_deciding(answer.question) for answer in told)
            if ids or not decided:
                return max(ids) if ids and not decided else None
        return None

    def _rechecking(self, who: str) -> frozenset[int] | None:
        """Return the last answers of a person; None if one was asked for again."""
        told = self._tally.lately(who, FORGOTTEN)
        asked = [answer for answer in told if answer.how == "asked"][-RECHECKED:]
        again = (a.question.is_check and not is_second(a.question) for a in asked)
        is_early = len(asked) < RECHECKED or any(again)
        return None if is_early else frozenset(answer.id for answer in told)

    def _proposed(
        self, round_: Round, refused: Sequence[Question]
    ) -> dict[str, Screen]:
        """Return a screen for each who lacks one, as far as there are any."""
        pending = [*round_.open, *refused]
        found: dict[str, Screen] = {}
        for who, needs in round_.lacking.items():
            screen = Deal(self.session, round_.view, needs, pending).best()
            if screen is not None:
                found[who] = screen
                pending += screen.questions
        return found

    def _opened(
        self, found: Mapping[str, Screen], now: float
    ) -> dict[str, OpenQuestion | None]:
        """Open what was found, as far as nobody has settled it meanwhile."""
        wanted = [
            _to_open(who, screen, now)
            for who, screen in found.items()
            if self._is_open(screen.questions)
        ]
        opened = self.project.open_questions(wanted, now=now) if wanted else []
        there = {one.who: one for one in opened if one is not None}
        self._questions |= {one.id: one for one in there.values()}
        self._skipping -= there.keys()
        for who, one in there.items():
            shown = frozenset(s for q in one.questions for s in _shown_in(one, q))
            self._seen_by(who).append(shown)
        return {who: there.get(who) for who in found}

    def _answered_by_none(
        self, opened: dict[str, OpenQuestion | None], known: Knowledge
    ) -> dict[str, OpenQuestion | None]:
        """Return what was opened, but for pairs that were answered meanwhile.

        Whoever answered one at another server has closed it before it was opened here:
        it is there to be read by now, and nobody is asked the same again by chance.
        """
        pairs = {who: q for who, q in opened.items() if q and q.screen is None}
        if not pairs:
            return opened
        last = max((answer.id for answer in known.answers), default=0)
        with self.hold():
            told = self.session.known.answers
            new = {answer.question.pair for answer in told if answer.id > last}
            gone = {who: q for who, q in pairs.items() if q.question.pair in new}
            for question in gone.values():
                if question.id in self._questions:
                    self._close(question)
        return {who: None if who in gone else q for who, q in opened.items()}

    def _running(self, now: float) -> list[OpenQuestion]:
        return [one for one in self._questions.values() if one.until > now]

    def _looked(self) -> Snapshot:
        """Return a look that is new enough for all who wait, and keep it."""
        with self._lock:
            last, n_acts = self._snapshot, len(self.journal)
            if last is not None and last.version == n_acts:
                return self._shown(last)
            begun = self._look()
        view = begun.view
        moved = self._movement.count(view.n_questions, view.labels)
        now = replace(begun, moved=moved)
        _ = now.numbers, now.progress  # all that takes long, before the lock is taken
        with self._lock:
            return self._shown(now)

    def _look(self) -> Snapshot:
        session, last = self.session, self._snapshot
        return Snapshot(
            view=session.view,
            acts=tuple(self.journal.acts),
            standing=session.acts,
            names=session.names,
            kept=session.kept,
            weights=session.weights,
            neighbours=session.neighbours,
            features=session.features,
            before=self._numbers,
            moved=0 if last is None else last.moved,
            n_screens=self._tally.n_screens,
            display=self.display,
            items=self._items.items,
            roster=self._roster(),
        )

    def _shown(self, now: Snapshot) -> Snapshot:
        """Take a look for the last one; its numbers are those that people know.

        To look records nothing: they follow from what was recorded before.
        """
        if now.before is not self._numbers and now.numbers is not self._numbers:
            now = replace(now, before=self._numbers)  # an act has changed them since
        if (now.display, now.roster) != (self.display, roster := self._roster()):
            now = replace(now, display=self.display, roster=roster)
        self._numbers, self._snapshot = now.numbers, now
        return now

    def _is_open(self, questions: Sequence[Question]) -> bool:
        return is_open(self.session.known, questions)

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
        InputError, StaleError, NotAllowedError
            It cannot be done, or not any more, or not by them, or something else was
            done under this client id; nothing was recorded.
        """
        author = Author(who, client_id, digest=digest_of(command))
        match command:
            case Reply() | Pick() | SheetReply() | OverviewReply():
                return self._answer(author, command)
            case Skip(screen=screen):
                return self._skip(who, screen)
            case Undo():
                with self.hold():
                    return Outcome() if self._is_done(author) else self._undo(author)
        with self.hold():
            if self._is_done(author):
                return Outcome()
        before = self.snapshot()  # worked out while others go on
        with self.hold():
            if self._is_done(author):
                return Outcome()
            if before.version != len(self.journal):
                before = self._shown(self._look())
            return self._planned(author, command, before)

    def _is_done(self, author: Author) -> bool:
        """Tell whether this was recorded before; refuse what was not, under its id."""
        position = self.journal.position_of(author.client_id or "")
        if position is None:
            return False
        act = self.journal.acts[position]
        if act.who != author.who or act.digest not in (None, author.digest):
            raise StaleError(OTHER)
        return True

    def _answer(self, author: Author, command: Answering) -> Outcome:
        """Record what was answered; what earlier answers deny is kept as doubtful.

        Nothing is read before: if another server has done something, the database
        refuses, and only then it is taken in. Where others are faster once more, it is
        tried again.
        """
        with self._lock, suppress(StaleError):
            if self._is_mine(author, command) and not self._is_done(author):
                self._tell(author, command)
                return Outcome()
        for _ in range(TRIES - 1):
            with suppress(StaleError):
                return self._answer_now(author, command)
        return self._answer_now(author, command)

    def _answer_now(self, author: Author, command: Answering) -> Outcome:
        with self.hold():
            if self._is_done(author):
                return Outcome()
            if not self._is_mine(author, command):
                return Outcome(ALREADY)
            self._tell(author, command)
            return Outcome()

    def _is_mine(self, author: Author, command: Answering) -> bool:
        mine = self.held(author.who)
        return mine is not None and mine.id == asked_in(command)

    def _tell(self, author: Author, command: Answering) -> None:
        id_ = asked_in(command)
        with self._acting(replace(author, closes=id_), self._numbers):
            _tell(self.session, self._questions[id_], command)

    def _skip(self, who: str, id_: int) -> Outcome:
        """Close a screen without an answer; its person gets a pair instead."""
        with self.hold():
            mine = self.held(who)
            if mine is not None and mine.id == id_ and mine.screen is not None:
                self._close(mine)
                self._skipping.add(who)
        return Outcome()

    def _planned(self, author: Author, command: Amended, before: Snapshot) -> Outcome:
        plan = allowed(before, author.who, plan_of(before, command))
        if plan:
            with self._acting(author, _handed_on(before, command)):
                _carry_out(self.session, plan)
        return Outcome(before=before, plan=plan)

    def _undo(self, author: Author) -> Outcome:
        """Take back the last act of a person that still stands.

        The question or screen of it is theirs again, with the old answer marked.
        """
        last = next(self._tally.latest(author.who), None)
        if last is None:
            return Outcome(NOTHING_TO_UNDO)
        with self._acting(author, self._numbers):
            event = self.session.undo(last.number)
        return Outcome(undone=self._give_back(author.who, event))

    def _give_back(self, who: str, event: Event | None) -> Told | None:
        screen = screen_in(event) if isinstance(event, Told) else None
        if screen is None or not self._is_open(screen.questions):
            return None
        mine = self.held(who)
        if mine is not None:
            self._close(mine)
        opened = self._opened({who: screen}, self._clock())[who]
        return event if opened and isinstance(event, Told) else None

    @contextmanager
    def _acting(self, author: Author, numbers: Numbers) -> Iterator[None]:
        """Let an author act; numbers that people have seen are recorded with it."""
        n_before = len(self.journal)
        with self.journal.by(author, numbers.since(self._recorded)):
            yield
        new = self.journal.acts[n_before:]
        self._tally.take(new)
        self._recorded = Numbers.after([act.event for act in new], self._recorded)
        for act in new:
            self._questions.pop(act.closed or 0, None)
        self._numbers = numbers


def _there(found: Found | None) -> Found:
    assert found is not None  # it was wished for
    return found


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


def _shown_in(mine: OpenQuestion, question: Question) -> tuple[int, ...]:
    """Return what a person is asked about; speakers on a screen are not."""
    return question.pair if mine.screen is None else (question.sample,)


def _lease(screen: Sheet | Overview | None) -> float:
    """Return for how many seconds a question or screen is one person's."""
    return LEASE if screen is None else LEASE + SLOWEST * screen.seconds


def _to_open(who: str, screen: Screen, now: float) -> OpenQuestion:
    several = None if isinstance(screen, Pair) else screen
    first = screen.questions[0]
    return OpenQuestion(who, first, now + _lease(several), screen=several)


def _tell(session: Session, mine: OpenQuestion, command: Answering) -> None:
    """Record what was answered; what earlier answers deny is kept as doubtful.

    So is what others have settled meanwhile: all that a person saw, they have said.
    What was set aside meanwhile is left out.
    """
    screen = mine.screen
    if screen is not None:
        screen = left_of(screen, session.known.aside)
        if not screen.questions:
            raise StaleError(ASIDE)
    match command, screen:
        case Reply(verdict=verdict, seconds=took), None:
            session.tell(mine.question, verdict, seconds=took, on_conflict="keep")
        case Pick(), None:
            _pick(session, mine.question, command)
        case SheetReply(), Sheet():
            _tell_sheet(session, screen, command)
        case OverviewReply(same=same, seconds=took), Overview():
            aside = session.known.aside
            parts = [[s for s in part if s not in aside] for part in same]
            left = [part for part in parts if len(part) > 1]
            session.tell_overview(screen, left, seconds=took, on_conflict="keep")
        case _:
            raise InputError(ANOTHER)


def _tell_sheet(session: Session, sheet: Sheet, reply: SheetReply) -> None:
    aside = session.known.aside
    session.tell_sheet(
        sheet,
        [item for item in reply.tapped if item not in aside],
        _piles(session, sheet, reply),
        unsure=[item for item in reply.unsure if item not in aside],
        seconds=reply.seconds,
        on_conflict="keep",
    )


def _piles(session: Session, sheet: Sheet, reply: SheetReply) -> Iterator[Pile]:
    """Yield where misfits belong, which is not the group of the sheet."""
    known, n_samples = session.known, session.n_samples
    here = known.constraints.group(sheet.speakers[0])
    for pile in reply.piles:
        offered = [*pile.unlike, *([] if pile.group is None else [pile.group])]
        for group in offered:
            if group >= n_samples:
                raise InputError(f"There is no item {group}: look again.")
            if known.constraints.group(group) == here:
                raise InputError(ITSELF)
        items = tuple(item for item in pile.items if item not in known.aside)
        if items:
            yield Pile(items, pile.group, tuple(pile.unlike))


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
