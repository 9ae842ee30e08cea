"""The append-only record of what people said: the only state there is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Protocol, TypeAlias

from likewise.knowledge import Answer


@dataclass(frozen=True, slots=True)
class Told:
    """Some answers came in, as one act."""

    answers: tuple[Answer, ...]


@dataclass(frozen=True, slots=True)
class Retracted:
    """Some answers were taken back."""

    ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Renamed:
    """The group of a sample got a name; an empty one takes it away."""

    sample: int
    name: str


@dataclass(frozen=True, slots=True)
class SetAside:
    """A sample left the game, or came back."""

    sample: int
    aside: bool = True


@dataclass(frozen=True, slots=True)
class Undone:
    """The act at this position of the journal was undone."""

    position: int


Event: TypeAlias = Told | Retracted | Renamed | SetAside | Undone


class Journal(Protocol):
    """Keeps events, in order, for ever."""

    def append(self, event: Event) -> None:
        """Record the event, durably where the journal is, before returning."""

    def read(self) -> Iterator[Event]:
        """Yield every event, oldest first."""


class MemoryJournal:
    """A journal that lasts as long as the process.

    Examples
    --------
    >>> journal = MemoryJournal()
    >>> journal.append(Renamed(3, "oak"))
    >>> list(journal.read())
    [Renamed(sample=3, name='oak')]
    """

    def __init__(self, events: Iterable[Event] = ()) -> None:
        self._events = list(events)

    def append(self, event: Event) -> None:
        self._events.append(event)

    def read(self) -> Iterator[Event]:
        yield from tuple(self._events)


@dataclass(frozen=True, slots=True)
class Standing:
    """What stands after all events: a fold over the journal.

    Attributes
    ----------
    answers : tuple of Answer
        Oldest first, without those that were taken back.
    names : dict of int to str
        Names by the sample they were given for, oldest first.
    aside : frozenset of int
    acts : tuple of int
        Positions of the events that :meth:`Session.undo` can still undo.
    n_answers : int
        Answers ever recorded; the next one's id is one more.
    """

    answers: tuple[Answer, ...] = ()
    names: dict[int, str] = field(default_factory=dict)
    aside: frozenset[int] = frozenset()
    acts: tuple[int, ...] = ()
    n_answers: int = 0

    def with_told(self, position: int, answers: tuple[Answer, ...]) -> Standing:
        """Return what stands after answers at the end of the journal."""
        return replace(
            self,
            answers=self.answers + answers,
            acts=(*self.acts, position),
            n_answers=self.n_answers + len(answers),
        )


def standing(events: Iterable[Event]) -> Standing:
    """Return what stands after these events."""
    listed = list(events)
    undone = {event.position for event in listed if isinstance(event, Undone)}
    acts = [
        (position, event)
        for position, event in enumerate(listed)
        if position not in undone and not isinstance(event, Undone)
    ]
    told = [event for event in listed if isinstance(event, Told)]
    gone = {
        id_ for _, event in acts if isinstance(event, Retracted) for id_ in event.ids
    }
    names: dict[int, str] = {}
    aside: set[int] = set()
    answers: list[Answer] = []
    for _, event in acts:
        match event:
            case Told():
                answers += [answer for answer in event.answers if answer.id not in gone]
            case Renamed(sample, name):
                names.pop(sample, None)
                names[sample] = name
            case SetAside(sample, True):
                aside.add(sample)
            case SetAside(sample, False):
                aside.discard(sample)
    return Standing(
        tuple(answers),
        names,
        frozenset(aside),
        tuple(position for position, _ in acts),
        sum(len(event.answers) for event in told),
    )
