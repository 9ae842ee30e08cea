"""Projects that last as long as the process."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count
from threading import RLock
from typing import Any

from likewise._arrays import Samples
from likewise.knowledge import Event, checked_name, checked_text, folded
from likewise.storage._blocks import checked_array, stacked
from likewise.storage._protocol import (
    Act,
    Info,
    Invite,
    Item,
    Latest,
    Member,
    OpenQuestion,
    Settings,
    Team,
    Trace,
    behind,
    checked_copies,
    checked_invite,
    checked_items,
    checked_keys,
    checked_member,
    checked_status,
    counted,
    duplicate,
    joining,
    no_array,
    no_item,
    no_longer_open,
    no_project,
    project_exists,
    set_back,
)


class MemoryStore:
    """A store for tests and for what need not be kept.

    Examples
    --------
    >>> store = MemoryStore()
    >>> store.create("leaves", {"n_clusters": 3}, now=0.0).info().settings
    {'n_clusters': 3}
    """

    def __init__(self) -> None:
        self._projects: dict[str, MemoryProject] = {}

    def projects(self) -> tuple[Info, ...]:
        return tuple(project.info() for project in list(self._projects.values()))

    def create(self, name: str, settings: Settings, *, now: float) -> MemoryProject:
        name = checked_name(name)
        project = MemoryProject(Info(name, dict(settings), now))
        if self._projects.setdefault(name, project) is not project:
            raise project_exists(name)
        return project

    def project(self, name: str) -> MemoryProject:
        if not isinstance(name, str) or name not in self._projects:
            raise no_project(name, self._projects)
        return self._projects[name]

    def close(self) -> None:
        """Keep everything: there is nothing to let go of."""


class MemoryProject:
    """A project in lists; a lock stands for the transactions of a database."""

    def __init__(self, info: Info) -> None:
        self._info = info
        self._items: list[Item] = []
        self._positions: dict[str, int] = {}
        self._arrays: dict[str, Samples] = {}
        self._acts: list[Act] = []
        self._by_client: dict[str, Act] = {}
        self._by_question: dict[int, Act] = {}
        self._open: dict[int, OpenQuestion] = {}
        self._ids = count(1)
        self._invites: dict[int, Invite] = {}
        self._members: dict[str, Member] = {}  # by their folded names
        self._lock = RLock()

    @property
    def name(self) -> str:
        return self._info.name

    @property
    def cache(self) -> None:
        return None

    @property
    def is_shared(self) -> bool:
        return False

    def info(self) -> Info:
        counts: dict[str, Any] = {
            "n_items": len(self._items),
            "n_acts": len(self._acts),
        }
        return replace(self._info, settings=dict(self._info.settings), **counts)

    def change(self, settings: Settings) -> None:
        with self._lock:
            changed = {**self._info.settings, **settings}
            self._info = replace(self._info, settings=changed)

    # Items and arrays

    def add_items(self, items: Iterable[Item]) -> range:
        with self._lock:
            added = list(checked_items(items))
            for item in added:
                if item.key in self._positions:
                    raise duplicate(item.key)
            start = len(self._items)
            self._items += added
            self._positions |= {item.key: start + i for i, item in enumerate(added)}
            return range(start, len(self._items))

    def items(self, start: int = 0, stop: int | None = None) -> tuple[Item, ...]:
        return tuple(self._items[start:stop])

    def items_at(self, positions: Iterable[int]) -> dict[int, Item]:
        items = self._items
        return {at: items[at] for at in positions if 0 <= at < len(items)}

    def traces(self) -> Iterator[Trace]:
        for item in tuple(self._items):
            yield Trace(item.key, item.digest, item.status, item.copies)

    def mark_all(self, statuses: Mapping[str, str]) -> None:
        with self._lock:
            for key, status in statuses.items():
                checked_status(status)
                if key not in self._positions:
                    raise no_item(key)
            for key, status in statuses.items():
                at = self._positions[key]
                self._items[at] = replace(self._items[at], status=status)

    def rekey(self, keys: Mapping[str, str]) -> None:
        with self._lock:
            checked_keys(keys, self._positions)
            positions = {now: self._positions.pop(key) for key, now in keys.items()}
            self._positions |= positions
            for now, position in positions.items():
                self._items[position] = replace(self._items[position], key=now)

    def note_copies(self, copies: Mapping[str, tuple[str, ...]]) -> None:
        with self._lock:
            for key, keys in copies.items():
                checked_copies(keys)
                if key not in self._positions:
                    raise no_item(key)
            for key, keys in copies.items():
                at = self._positions[key]
                self._items[at] = replace(self._items[at], copies=tuple(keys))

    def put_array(self, name: str, X: Samples) -> None:
        self._arrays[checked_text(name)] = checked_array(X).copy()

    def append_rows(self, name: str, X: Samples) -> None:
        with self._lock:
            self._arrays[name] = stacked(self.array(name), checked_array(X))

    def array(self, name: str) -> Samples:
        if name not in self._arrays:
            raise no_array(name)
        return self._arrays[name].copy()

    def n_rows(self, name: str) -> int:
        return int(self._arrays[name].shape[0]) if name in self._arrays else 0

    # Acts

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
        checked_text(who)
        with self._lock:
            before = self._recorded(client_id, closes)
            if before is not None:
                return replace(before, is_repeat=True)
            number = len(self._acts)
            if expected is not None and expected != number:
                raise behind(number, expected)
            if closes is not None and self._open.pop(closes, None) is None:
                raise no_longer_open(closes)
            act = Act(number, event, who, now, client_id, closes, digest)
            self._record(act)
            return act

    def acts(self, since: int = 0) -> tuple[Act, ...]:
        return tuple(self._acts[since:])

    def latest(self, since: int) -> Latest:
        with self._lock:
            if since > len(self._acts):
                raise set_back(f"The project {self.name!r}")
            return Latest(self.acts(since), tuple(self._open.values()))

    def _recorded(self, client_id: str | None, closes: int | None) -> Act | None:
        if client_id is not None and client_id in self._by_client:
            return self._by_client[client_id]
        return None if closes is None else self._by_question.get(closes)

    def _record(self, act: Act) -> None:
        self._acts.append(act)
        if act.client_id is not None:
            self._by_client[act.client_id] = act
        if act.closed is not None:
            self._by_question[act.closed] = act

    # Open questions

    def open_question(self, wanted: OpenQuestion, *, now: float) -> OpenQuestion | None:
        with self._lock:
            has_one = any(q.who == wanted.who for q in self._open.values())
            clashing = [q for q in self._open.values() if q.clashes(wanted)]
            if has_one or any(q.until > now for q in clashing):
                return None
            for gone in clashing:
                del self._open[gone.id]
            opened = replace(wanted, id=next(self._ids))
            self._open[opened.id] = opened
            return opened

    def open_questions(
        self, wanted: Sequence[OpenQuestion], *, now: float
    ) -> list[OpenQuestion | None]:
        with self._lock:
            return [self.open_question(one, now=now) for one in wanted]

    def extend(self, id: int, until: float) -> OpenQuestion | None:  # noqa: A002
        with self._lock:
            if id not in self._open:
                return None
            self._open[id] = replace(self._open[id], until=until)
            return self._open[id]

    def close_question(self, id: int) -> None:  # noqa: A002
        with self._lock:
            self._open.pop(id, None)

    # People

    def team(self) -> Team:
        with self._lock:
            members = sorted(self._members.items(), key=lambda one: one[1].joined)
            invites = tuple(self._invites.values())
            return Team(tuple(member for _, member in members), invites)

    def invite(self, wanted: Invite) -> Invite:
        with self._lock:
            made = replace(checked_invite(wanted), id=len(self._invites) + 1)
            self._invites[made.id] = made
            return made

    def join(self, name: str, digest: str, *, now: float) -> Member:
        name = checked_name(name, may_be_empty=True)
        with self._lock:
            found = (one for one in self._invites.values() if one.digest == digest)
            invite = next(found, None)
            whose = name if invite is None else invite.who or name
            before = self._members.get(folded(whose))
            member = joining(invite, before, name, now)
            assert invite is not None  # or nobody would join
            self._invites[invite.id] = counted(invite)
            self.set_member(member)
            return member

    def set_member(self, member: Member) -> None:
        with self._lock:
            self._members[folded(member.name)] = checked_member(member)

    def revoke(self, id: int, *, now: float) -> None:  # noqa: A002
        with self._lock:
            invite = self._invites.get(id)
            if invite is None or invite.revoked is not None:
                return
            self._invites[id] = replace(invite, revoked=now)
            for key, member in self._members.items():
                if member.invite == id and member.removed is None:
                    self._members[key] = replace(member, removed=now)
