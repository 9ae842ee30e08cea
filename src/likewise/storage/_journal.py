"""The journal of a project: its acts, each with its author."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from likewise.errors import InputError, StaleError
from likewise.knowledge import (
    Event,
    Numbered,
    Undone,
    signed,
    unsigned,
    with_numbers,
)
from likewise.storage._protocol import Act, Latest, Project


@dataclass(frozen=True, slots=True)
class Author:
    """Who acts, and what is to be noted with the act.

    Parameters
    ----------
    who : str
    client_id : str, optional
        Chosen by the caller, so that a repeated act is known as such.
    closes : int, optional
        The id of the open question that it answers.
    digest : str, optional
        Of what was asked for under the client id.
    """

    who: str
    client_id: str | None = None
    closes: int | None = None
    digest: str | None = None


class ProjectJournal:
    """The acts of a project, in memory and on disk.

    An act is on disk before :meth:`append` returns. If others have acted since the
    project was last read, nothing is recorded and a
    :class:`~likewise.errors.StaleError` says so: :meth:`catch_up`, or open the session
    again.

    Parameters
    ----------
    project : Project
    who : str or None
        The author of all acts but those of :meth:`by`; None where there are no others.
    clock : callable
        Returns the seconds since 1970.

    Attributes
    ----------
    acts : list of Act
        All that there were when it was last read, and its own since.

    Examples
    --------
    >>> from likewise import Session
    >>> from likewise.storage import open_store
    >>> project = open_store("memory://").create("leaves", {}, now=0.0)
    >>> journal = ProjectJournal(project, "ann", lambda: 60.0)
    >>> session = Session([[0.0], [0.1], [5.0]], journal=journal)
    >>> session.tell_pair(0, 1, "same")
    >>> with journal.by(Author("bob", "some-id")):
    ...     session.rename(0, "oak")
    >>> [act.who for act in project.acts()]
    ['ann', 'bob']
    """

    def __init__(
        self, project: Project, who: str | None, clock: Callable[[], float]
    ) -> None:
        self.acts: list[Act] = []
        self._events: list[Event] = []
        self._project = project
        self._clock = clock
        self._author = None if who is None else Author(who)
        self._numbers: Numbered | None = None
        self._positions: dict[str, int] = {}
        self._take(project.acts())

    @contextmanager
    def by(self, author: Author, numbers: Numbered | None = None) -> Iterator[None]:
        """Let an author act: what is recorded inside the block is theirs.

        Parameters
        ----------
        author : Author
        numbers : Numbered, optional
            Numbers that people have seen groups under, to be recorded with the act. An
            undoing carries none.
        """
        before = self._author, self._numbers
        self._author, self._numbers = author, numbers
        try:
            yield
        finally:
            self._author, self._numbers = before

    @property
    def who(self) -> str:
        """The present author; empty where there is none."""
        return "" if self._author is None else self._author.who

    def append(self, event: Event) -> None:
        """Record an event as an act of the present author."""
        author, numbers = self._author, self._numbers
        if numbers is not None and not isinstance(event, Undone | Numbered):
            event = with_numbers(event, numbers)
        if author is None:
            raise InputError("An act needs to say whose it is.")
        act = self._project.act(
            unsigned(event, author.who),
            who=author.who,
            now=self._clock(),
            client_id=author.client_id,
            expected=len(self.acts),
            closes=author.closes,
            digest=author.digest,
        )
        if act.is_repeat:
            raise StaleError("Another server has recorded this: look again.")
        self._take((act,))

    def catch_up(self) -> Latest:
        """Read what others have recorded, and return it with all open questions."""
        latest = self._project.latest(len(self.acts))
        self._take(latest.acts)
        return latest

    def position_of(self, client_id: str) -> int | None:
        """Return the number of the act that has this id; None when there is none."""
        return self._positions.get(client_id)

    def read(self) -> Iterator[Event]:
        """Yield every event that this journal knows, oldest first.

        Answers are by who acted, unless they say otherwise.
        """
        yield from tuple(self._events)

    def _take(self, acts: tuple[Act, ...]) -> None:
        for act in acts:
            self.acts.append(act)
            self._events.append(signed(act.event, act.who))
            if act.client_id is not None:
                self._positions[act.client_id] = act.number

    def __len__(self) -> int:
        return len(self.acts)
