"""A project's journal in which every act says whose it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from likewise.errors import InputError, StaleError
from likewise.knowledge import Answer, Event, told_in
from likewise.storage import Act, Project


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

    def told(self, position: int) -> tuple[Answer, ...]:
        """Return the answers that came in with one act."""
        return told_in(self._events[position])

    def __len__(self) -> int:
        return len(self._events)
