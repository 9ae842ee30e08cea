"""What a store keeps, and what every store promises."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Protocol, TypeAlias

from likewise._arrays import Samples
from likewise.errors import InputError, NotAllowedError, StaleError, StorageError
from likewise.knowledge import (
    Event,
    Overview,
    Question,
    Sheet,
    checked_name,
    checked_text,
)
from likewise.storage._cache import FileCache

Settings: TypeAlias = Mapping[str, Any]  # of a project, by their names

KINDS = ("image", "text", "row")
STATUSES = ("here", "changed", "gone")
ROLES = ("reader", "reviewer", "owner")  # each may do what those before it may
# What is said to a link that is not good.
NO_LINK = "There is no such link: open it as it was sent to you, or ask for a new one."


@dataclass(frozen=True, slots=True)
class Item:
    """One thing to sort; its position in the project is its sample number.

    Parameters
    ----------
    key : str
        What tells it from all others, such as a relative path.
    kind : {"image", "text", "row"}
    digest : str
        Of its content, so that a change is noticed.
    shown : mapping
        Small values to show: columns, a text, a file size.
    status : {"here", "changed", "gone"}
        What became of its source; an item itself never vanishes.
    copies : tuple of str
        Keys of files or rows with the same content. They are no items: nothing is
        asked about them, and whatever is said of the item holds for them.
    """

    key: str
    kind: str
    digest: str = ""
    shown: Mapping[str, Any] = field(default_factory=dict)
    status: str = "here"
    copies: tuple[str, ...] = ()


class Trace(NamedTuple):
    """An item without what it shows: enough to know it again."""

    key: str
    digest: str
    status: str = "here"
    copies: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Info:
    """A project at a glance.

    Attributes
    ----------
    name : str
    settings : dict
    created : float
        Seconds since 1970, as all times here.
    n_items : int
    n_acts : int
    """

    name: str
    settings: dict[str, Any]
    created: float
    n_items: int = 0
    n_acts: int = 0


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A question that a person has before them, or a screen with several.

    Parameters
    ----------
    who : str
    question : Question
        Of a screen the first one.
    until : float
        When the lease ends and others may get the question. An answer is taken for
        as long as nobody has got it.
    id : int
        Given by the store, never twice; 0 while it is not recorded.
    screen : Sheet, Overview or None
        What is shown at once; None for a question alone.
    """

    who: str
    question: Question
    until: float
    id: int = 0
    screen: Sheet | Overview | None = None

    @property
    def questions(self) -> tuple[Question, ...]:
        """All that is asked."""
        return (self.question,) if self.screen is None else self.screen.questions

    def clashes(self, other: OpenQuestion) -> bool:
        """Tell whether two people must not hold these at once."""
        mine = {end for q in self.questions for end in (q.sample, q.pair)}
        return any(q.sample in mine or q.pair in mine for q in other.questions)


@dataclass(frozen=True, slots=True)
class Act:
    """An event as it was recorded.

    Attributes
    ----------
    number : int
        Its position in the journal, from 0 on.
    event : Event
    who : str
    at : float
    client_id : str or None
        Chosen by the caller, so that a repeated call is known as such.
    closed : int or None
        The id of the open question that it closed.
    digest : str or None
        Of what was asked for under the client id, so that the same id for something
        else is noticed; acts of earlier versions have none.
    is_repeat : bool
        Whether it had been recorded before the call that returned it.
    """

    number: int
    event: Event
    who: str
    at: float
    client_id: str | None = None
    closed: int | None = None
    digest: str | None = None
    is_repeat: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Latest:
    """What is new in a project, as of one moment.

    Attributes
    ----------
    acts : tuple of Act
        Those that the caller has not seen, oldest first.
    questions : tuple of OpenQuestion
        All that are open, whether or not their leases run, oldest first.
    """

    acts: tuple[Act, ...]
    questions: tuple[OpenQuestion, ...]


@dataclass(frozen=True, slots=True)
class Invite:
    """A link by which people come in.

    Parameters
    ----------
    role : {"reader", "reviewer", "owner"}
        Of who comes in by it.
    digest : str
        Of the token in the link; the token itself is kept nowhere.
    made_by : str
    made, expires : float
        When it was made, and from when on it lets nobody in.
    uses : int or None
        How many more people may come in by it; None for any number.
    who : str
        The member whom it lets in again; empty where it is for new ones.
    id : int
        Given by the store; 0 while it is not recorded.
    revoked : float or None
        When it was taken back.
    """

    role: str
    digest: str
    made_by: str
    made: float
    expires: float
    uses: int | None = None
    who: str = ""
    id: int = 0
    revoked: float | None = None

    def refusal(self, now: float) -> str | None:
        """Return why nobody comes in by it, in a sentence; None if somebody does."""
        if self.revoked is not None:
            return f"This link was taken back: ask {self.made_by} for a new one."
        if now >= self.expires:
            return f"This link has expired: ask {self.made_by} for a new one."
        if self.uses == 0:
            return f"This link was used up: ask {self.made_by} for a new one."
        return None


@dataclass(frozen=True, slots=True)
class Member:
    """Somebody who may come in, or may no longer.

    Parameters
    ----------
    name : str
        One person's: names that people would take for one are one.
    role : {"reader", "reviewer", "owner"}
    joined : float
        When they came in, for the first time or after they were removed; keys from
        before are worth nothing.
    invite : int or None
        The link by which they came; None for who came by a password.
    removed : float or None
    """

    name: str
    role: str
    joined: float
    invite: int | None = None
    removed: float | None = None


@dataclass(frozen=True, slots=True)
class Team:
    """Who may come in, and by which links, as of one moment; oldest first."""

    members: tuple[Member, ...] = ()
    invites: tuple[Invite, ...] = ()


class Project(Protocol):
    """Items, arrays, acts, open questions and people under one name.

    Each call is one transaction, and what it changed is on disk when it returns (where
    the store has a disk). Calls may come from several threads.
    """

    @property
    def name(self) -> str: ...

    @property
    def cache(self) -> FileCache | None:
        """Where what follows from its data is kept; None where nothing outlives it."""

    @property
    def is_shared(self) -> bool:
        """Whether others may have its arrays, but not what this machine has kept."""

    def info(self) -> Info: ...

    def change(self, settings: Settings) -> None:
        """Change some settings; the others stay."""

    def add_items(self, items: Iterable[Item]) -> range:
        """Add items behind the present ones, all or none; return their positions."""

    def items(self, start: int = 0, stop: int | None = None) -> tuple[Item, ...]:
        """Return the items at positions start to stop."""

    def items_at(self, positions: Iterable[int]) -> dict[int, Item]:
        """Return the items at some positions, as far as they are there."""

    def traces(self) -> Iterator[Trace]:
        """Yield what tells each item from others, in their order, a page at a time."""

    def mark_all(self, statuses: Mapping[str, str]) -> None:
        """Note what became of the sources of items, by their keys, all or none."""

    def rekey(self, keys: Mapping[str, str]) -> None:
        """Give items the keys that they go by now, all or none; they may swap them."""

    def note_copies(self, copies: Mapping[str, tuple[str, ...]]) -> None:
        """Note which copies items have now, by their keys, all or none."""

    def put_array(self, name: str, X: Samples) -> None:
        """Keep an array or sparse matrix, instead of an older one of this name."""

    def append_rows(self, name: str, X: Samples) -> None:
        """Add rows behind those of an array of the same type and width."""

    def array(self, name: str) -> Samples:
        """Return an array as it was put, with what was appended."""

    def n_rows(self, name: str) -> int:
        """Return how many rows an array has; 0 when there is none."""

    def act(  # noqa: PLR0913 - what a row has
        self,
        event: Event,
        *,
        who: str,
        now: float,
        client_id: str | None = None,
        expected: int | None = None,
        closes: int | None = None,
        digest: str | None = None,
    ) -> Act:
        """Record an event, and close the question that it answers.

        Parameters
        ----------
        event : Event
        who : str
        now : float
        client_id : str, optional
            The same one again returns the stored act and changes nothing.
        expected : int, optional
            How many acts the caller has seen.
        closes : int, optional
            The id of an open question. If an act has closed it already, that act is
            returned and nothing changes.
        digest : str, optional
            Of what was asked for under the client id; kept with the act.

        Returns
        -------
        Act

        Raises
        ------
        StaleError
            There are more acts than `expected`, or the question was closed without an
            answer. Nothing was recorded.
        """

    def acts(self, since: int = 0) -> tuple[Act, ...]:
        """Return the acts from this number on, oldest first."""

    def latest(self, since: int) -> Latest:
        """Return the acts from this number on, and every open question.

        Raises
        ------
        StorageError
            There are fewer acts than that: the database was set back or exchanged.
        """

    def open_question(self, wanted: OpenQuestion, *, now: float) -> OpenQuestion | None:
        """Open a question, and return it with its id; None when somebody was first.

        That is when its person has another one, or when it clashes with one whose lease
        runs. Those that it clashes with and whose leases are over are closed.
        """

    def open_questions(
        self, wanted: Sequence[OpenQuestion], *, now: float
    ) -> list[OpenQuestion | None]:
        """Open questions for several people, each as :meth:`open_question` does."""

    def extend(self, id: int, until: float) -> OpenQuestion | None:  # noqa: A002
        """Let a lease run longer; None when the question is no longer open."""

    def close_question(self, id: int) -> None:  # noqa: A002
        """Close a question without an answer, if it is open."""

    def team(self) -> Team:
        """Return every member and every invite."""

    def invite(self, wanted: Invite) -> Invite:
        """Keep an invite, and return it with its id."""

    def join(self, name: str, digest: str, *, now: float) -> Member:
        """Let somebody in by the invite of a digest, and count it.

        An invite for a member lets them in again, whatever the name.

        Raises
        ------
        NotAllowedError
            There is no such invite, or it lets nobody in any more.
        StaleError
            The name is somebody's.
        """

    def set_member(self, member: Member) -> None:
        """Keep a member, instead of the one of this name."""

    def revoke(self, id: int, *, now: float) -> None:  # noqa: A002
        """Take back an invite, and remove who came in by it."""


class Store(Protocol):
    """Projects by name."""

    def projects(self) -> tuple[Info, ...]:
        """Return every project, oldest first."""

    def create(self, name: str, settings: Settings, *, now: float) -> Project:
        """Begin a project; its name must be new."""

    def project(self, name: str) -> Project:
        """Return a project by its name."""

    def close(self) -> None:
        """Let go of files and connections."""


# What cannot be kept, and what is not there, each in one sentence


def checked_items(items: Iterable[Item]) -> Iterator[Item]:
    """Yield items that can be kept, or say which one cannot."""
    seen: set[str] = set()
    for item in items:
        checked_text(item.key)
        checked_copies(item.copies)
        if item.kind not in KINDS:
            raise InputError(
                f"Item {item.key!r} is of kind {item.kind!r}: use {', '.join(KINDS)}."
            )
        checked_status(item.status)
        if item.key in seen:
            raise duplicate(item.key)
        seen.add(item.key)
        yield item


def checked_keys(keys: Mapping[str, str], there: Collection[str]) -> None:
    """Refuse other keys for items that are not there, or that would not be unique."""
    for key in keys:
        if key not in there:
            raise no_item(key)
    taken = set(there) - keys.keys()
    for now in keys.values():
        if checked_text(now) in taken:
            raise duplicate(now)
        taken.add(now)


def checked_copies(copies: tuple[str, ...]) -> tuple[str, ...]:
    """Return keys of copies that can be kept."""
    return tuple(map(checked_text, copies))


def checked_status(status: str) -> str:
    """Return a status that there is."""
    if status not in STATUSES:
        raise InputError(
            f"There is no status {status!r}: use one of {', '.join(STATUSES)}."
        )
    return status


def checked_invite(invite: Invite) -> Invite:
    """Return an invite that can be kept."""
    checked_text(invite.made_by)
    checked_role(invite.role)
    return invite


def checked_member(member: Member) -> Member:
    """Return a member that can be kept."""
    checked_name(member.name)
    checked_role(member.role)
    return member


def checked_role(role: str) -> str:
    """Return a role that there is."""
    if role not in ROLES:
        raise InputError(f"There is no role {role!r}: use one of {', '.join(ROLES)}.")
    return role


def joining(
    invite: Invite | None, before: Member | None, name: str, now: float
) -> Member:
    """Return the member who comes in by an invite, or say why nobody does.

    Parameters
    ----------
    invite : Invite or None
        What was found.
    before : Member or None
        The one who has the name, or whose invite it is.
    name : str
    now : float
    """
    if invite is None:
        raise NotAllowedError(NO_LINK)
    refusal = invite.refusal(now)
    if refusal is not None:
        raise NotAllowedError(refusal)
    if not invite.who:
        if before is not None:
            raise name_taken(name)
        return checked_member(Member(name, invite.role, now, invite.id))
    if before is None or before.removed is not None:
        return checked_member(Member(invite.who, invite.role, now, invite.id))
    return replace(before, invite=invite.id)


def counted(invite: Invite) -> Invite:
    """Return an invite by which one more has come in."""
    return invite if invite.uses is None else replace(invite, uses=invite.uses - 1)


def name_taken(name: str) -> StaleError:
    """Return the error for a name that is somebody's."""
    return StaleError(f"Somebody else is called {name} here: choose another name.")


def duplicate(key: str) -> InputError:
    """Return the error for a key that is there already."""
    return InputError(f"There is an item {key!r} already: give each its own key.")


def no_item(key: str) -> InputError:
    """Return the error for a key that is not there."""
    return InputError(f"There is no item {key!r}: add it first.")


def no_array(name: str) -> InputError:
    """Return the error for an array that is not there."""
    return InputError(f"There is no array {name!r}: put it first.")


def no_project(name: str, names: Iterable[str]) -> InputError:
    """Return the error for a project that is not there."""
    there = ", ".join(names)
    hint = f"choose one of: {there}" if there else "create it first"
    return InputError(f"There is no project {name!r}: {hint}.")


def project_exists(name: str) -> InputError:
    """Return the error for a name that is taken."""
    return InputError(f"There is a project {name!r} already: choose another name.")


def behind(number: int, expected: int) -> StaleError:
    """Return the error for a caller that has not seen every act."""
    return StaleError(
        f"There are {number} acts, but the caller has seen {expected}: somebody else "
        f"has acted. Open the session again to go on from there."
    )


def set_back(shown: str) -> StorageError:
    """Return the error for a database that lacks acts which were there."""
    return StorageError(
        f"{shown} lacks answers that were in it a moment ago: it was set back or "
        f"exchanged while it was in use. Put it back, or start again."
    )


def no_longer_open(id_: int) -> StaleError:
    """Return the error for a question that was closed without an answer."""
    return StaleError(
        f"Question {id_} is no longer open: ask for the next one and answer that."
    )
