"""A journal that is a project of a store."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from likewise.knowledge import Event
from likewise.storage._protocol import Project


class ProjectJournal:
    """Let a session write to a project as its only writer.

    The project is read once, when the journal is made. If others act on it after
    that, the next append raises a :class:`~likewise.errors.StaleError` and records
    nothing: open the session again to go on from there.

    Parameters
    ----------
    project : Project
    who : str
        Written beside each act.
    clock : callable
        Returns the seconds since 1970.

    Examples
    --------
    >>> from likewise import Session
    >>> from likewise.storage._open import open_store
    >>> project = open_store("memory://").create("leaves", {}, now=0.0)
    >>> journal = ProjectJournal(project, "ann", lambda: 60.0)
    >>> Session([[0.0], [0.1], [5.0]], journal=journal).tell_pair(0, 1, "same")
    >>> project.acts()[0].who
    'ann'
    """

    def __init__(self, project: Project, who: str, clock: Callable[[], float]) -> None:
        self._project = project
        self._who = who
        self._clock = clock
        self._events = [act.event for act in project.acts()]

    def append(self, event: Event) -> None:
        """Record the event, unless others have acted meanwhile."""
        self._project.act(
            event, who=self._who, now=self._clock(), expected=len(self._events)
        )
        self._events.append(event)

    def read(self) -> Iterator[Event]:
        """Yield every event that this journal knows, oldest first."""
        yield from tuple(self._events)
