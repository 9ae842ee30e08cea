"""Projects in SQLite or PostgreSQL: each call is one transaction."""

from __future__ import annotations

import hashlib
import json
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice, starmap
from pathlib import Path
from typing import Any, cast

from sqlalchemy import (
    URL,
    ColumnElement,
    Connection,
    Row,
    ScalarSelect,
    Select,
    Table,
    bindparam,
    delete,
    func,
    insert,
    inspect,
    or_,
    select,
    update,
)
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, IntegrityError

from likewise._arrays import Samples
from likewise.errors import InputError
from likewise.knowledge import (
    Event,
    checked_name,
    checked_text,
    decode,
    decode_question,
    decode_screen,
    encode,
    encode_answer,
    encode_prediction,
    encode_screen,
    folded,
    kind_of,
    told_in,
)
from likewise.storage._blocks import checked_array
from likewise.storage._cache import BESIDE, FileCache, root_of_caches
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
    no_item,
    no_longer_open,
    no_project,
    project_exists,
    set_back,
)
from likewise.storage.sql._arrays import Arrays
from likewise.storage.sql._beside import (
    Saved,
    Tally,
    held,
    identity,
    lacking,
    make_private,
    mark_of,
    tally_of,
)
from likewise.storage.sql._engines import Database
from likewise.storage.sql._schema import (
    ANSWER,
    EVENT,
    INVITE,
    ITEM,
    MEMBER,
    OPEN_QUESTION,
    PROJECT,
    upgrade,
)

PAGE = 2000  # items that are read together
AT_ONCE = 2000  # items that are written together
N_NAMED = 500  # positions that one query names
NOTHING = json.dumps({})
DIGEST = "digest"  # where the body of an event keeps that of the command
COLUMNS = tuple(ITEM.columns.keys())
INVITED = tuple(c.name for c in INVITE.c if c.name not in ("id", "project"))
MEMBERED = tuple(c.name for c in MEMBER.c if c.name not in ("project", "folded"))

# What every answer says to the database, built once.
_MINE = EVENT.c.project == bindparam("project")
ALONE = select(PROJECT.c.id).where(PROJECT.c.id == bindparam("project"))
ALONE = ALONE.with_for_update()  # one writer for each project
LATEST = select(func.max(EVENT.c.number)).where(_MINE)
RECORDED = select(EVENT).where(
    _MINE,
    or_(
        EVENT.c.client_id == bindparam("client_id", type_=EVENT.c.client_id.type),
        EVENT.c.closed == bindparam("closed", type_=EVENT.c.closed.type),
    ),
)
CLOSED = delete(OPEN_QUESTION).where(
    OPEN_QUESTION.c.project == bindparam("project"),
    OPEN_QUESTION.c.id == bindparam("which"),
)


class SqlStore:
    """A store in a database; its tables are made or brought up to date on opening.

    Parameters
    ----------
    url : URL
        Of SQLite or PostgreSQL.
    beside : Path, optional
        A folder that remembers how much was saved in a PostgreSQL; beside a SQLite file
        that is always remembered.

    Raises
    ------
    StorageError
        It lacks what was saved in it, or cannot be used.
    """

    def __init__(self, url: URL, beside: Path | None = None) -> None:
        self._database = Database(url)
        # Closes the connections also of a store that nobody closes.
        self._release = weakref.finalize(self, self._database.engine.dispose)
        self._tally, file = _tally(url, beside), file_of(url)
        self.is_shared, self.kept = file is None, kept_of(url)
        if self._tally is not None:
            self._refuse_less(self._tally, file)
        if file is not None:
            make_private(file)
        upgrade(self._database)
        if self._tally is not None:
            self._tally.note(self._saved())

    def _refuse_less(self, tally: Tally, file: Path | None) -> None:
        """Refuse a database that lacks acts which were acknowledged."""
        wanted = tally.read()  # before the acts are counted: there may be more now
        if not wanted:
            return
        # Opening would make a file, and delete what lies beside an empty one.
        is_empty = file is not None and (not file.exists() or not file.stat().st_size)
        found = [] if is_empty else self._saved({s.project: s.n_acts for s in wanted})
        there = {saved.project: saved.n_acts for saved in found}
        n_there = held(there, wanted)
        n_other = len(set(wanted) - set(found))
        if n_there < sum(saved.n_acts for saved in wanted) or n_other:
            raise lacking(self._database.shown, file, wanted, n_there)

    def _saved(self, up_to: Mapping[str, int] | None = None) -> list[Saved]:
        """Return up to where each project is saved, and no further than asked for."""
        found = []
        with self._database.read() as connection:
            if not inspect(connection).has_table(EVENT.name):
                return []
            for row in connection.execute(_infos()).all():
                project = identity(row.name, row.created)
                number = min(row.n_acts, (up_to or {}).get(project, row.n_acts))
                last = Acts(connection, row.id).numbered(number - 1)
                if last is not None:
                    found.append(Saved(project, number, mark_of(last)))
        return found

    def note(self, project: str, act: Act) -> None:
        """Remember that an act was saved."""
        if self._tally is not None:
            self._tally.note([Saved(project, act.number + 1, mark_of(act))])

    def projects(self) -> tuple[Info, ...]:
        with self._database.read() as connection:
            rows = connection.execute(_infos().order_by(PROJECT.c.id)).all()
        return tuple(map(_info, rows))

    def create(self, name: str, settings: Settings, *, now: float) -> SqlProject:
        name = checked_name(name)
        values = {"name": name, "settings": dict(settings)}
        try:
            with self._database.write() as connection:
                connection.execute(insert(PROJECT).values(created=now, **values))
        except IntegrityError:
            raise project_exists(name) from None
        return self.project(name)

    def project(self, name: str) -> SqlProject:
        with self._database.read() as connection:
            rows = {row.name: row for row in connection.execute(select(PROJECT))}
        if not isinstance(name, str) or name not in rows:
            raise no_project(name, rows)
        found = rows[name]
        mark = identity(name, found.created)
        return SqlProject(self, self._database, found.id, name, mark)

    def close(self) -> None:
        self._release()


class SqlProject:
    """A project in a database; see :class:`~likewise.storage._protocol.Project`."""

    def __init__(
        self, store: SqlStore, database: Database, number: int, name: str, mark: str
    ) -> None:
        self._store = store  # lives for as long as its projects
        self._mark = mark
        self._database = database
        self._id = number
        self._name = name

    @property
    def name(self) -> str:
        return self._name

    @property
    def cache(self) -> FileCache:
        return FileCache(self._store.kept / self._mark)

    @property
    def is_shared(self) -> bool:
        return self._store.is_shared

    def info(self) -> Info:
        with self._database.read() as connection:
            found = _infos().where(PROJECT.c.id == self._id)
            return _info(connection.execute(found).one())

    def change(self, settings: Settings) -> None:
        is_this = PROJECT.c.id == self._id
        with self._write() as connection:
            before = connection.scalar(select(PROJECT.c.settings).where(is_this)) or {}
            after = {**before, **settings}
            if after != before:
                connection.execute(
                    update(PROJECT).where(is_this).values(settings=after)
                )

    # Items and arrays

    def add_items(self, items: Iterable[Item]) -> range:
        with self._write() as connection:
            return Items(connection, self._id).add(checked_items(items))

    def items(self, start: int = 0, stop: int | None = None) -> tuple[Item, ...]:
        with self._database.read() as connection:
            return Items(connection, self._id).between(start, stop)

    def items_at(self, positions: Iterable[int]) -> dict[int, Item]:
        with self._database.read() as connection:
            return Items(connection, self._id).at(positions)

    def traces(self) -> Iterator[Trace]:
        for start in range(0, self.info().n_items, PAGE):
            with self._database.read() as connection:
                page = Items(connection, self._id).traces(start, start + PAGE)
            yield from page

    def mark_all(self, statuses: Mapping[str, str]) -> None:
        for status in set(statuses.values()):
            checked_status(status)
        with self._write() as connection:
            Items(connection, self._id).set_each("status", statuses)

    def rekey(self, keys: Mapping[str, str]) -> None:
        with self._write() as connection:
            Items(connection, self._id).rekey(keys)

    def note_copies(self, copies: Mapping[str, tuple[str, ...]]) -> None:
        for keys in copies.values():
            checked_copies(keys)
        with self._write() as connection:
            Items(connection, self._id).set_each(
                "copies", {key: _packed(keys) for key, keys in copies.items()}
            )

    def put_array(self, name: str, X: Samples) -> None:
        checked = checked_array(X)
        with self._write() as connection:
            Arrays(connection, self._id).put(checked_text(name), checked)

    def append_rows(self, name: str, X: Samples) -> None:
        checked = checked_array(X)
        with self._write() as connection:
            Arrays(connection, self._id).append(name, checked)

    def array(self, name: str) -> Samples:
        with self._database.read() as connection:
            return Arrays(connection, self._id).read(name)

    def n_rows(self, name: str) -> int:
        with self._database.read() as connection:
            return Arrays(connection, self._id).n_rows(name)

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
        wanted = Act(0, event, checked_text(who), now, client_id, closes, digest)
        with self._acts() as acts:
            act = acts.record(wanted, expected)
        self._store.note(self._mark, act)  # on disk, and not acknowledged yet
        return act

    def acts(self, since: int = 0) -> tuple[Act, ...]:
        with self._database.read() as connection:
            return Acts(connection, self._id).since(since)

    def latest(self, since: int) -> Latest:
        with self._database.read() as connection:
            found = Acts(connection, self._id)
            # With the last one that was seen, which must be there still.
            acts = found.since(max(since - 1, 0))
            if since and (not acts or acts[0].number != since - 1):
                raise set_back(self._database.shown)
            return Latest(acts[1:] if since else acts, found.questions())

    # Open questions

    def open_question(self, wanted: OpenQuestion, *, now: float) -> OpenQuestion | None:
        return self.open_questions([wanted], now=now)[0]

    def open_questions(
        self, wanted: Sequence[OpenQuestion], *, now: float
    ) -> list[OpenQuestion | None]:
        with self._acts() as acts:
            return acts.open_all(wanted, now)

    def extend(self, id: int, until: float) -> OpenQuestion | None:  # noqa: A002
        with self._acts() as acts:
            return acts.extend(id, until)

    def close_question(self, id: int) -> None:  # noqa: A002
        with self._acts() as acts:
            acts.close(id)

    # People

    def team(self) -> Team:
        with self._database.read() as connection:
            return People(connection, self._id).team()

    def invite(self, wanted: Invite) -> Invite:
        with self._write() as connection:
            return People(connection, self._id).invite(checked_invite(wanted))

    def join(self, name: str, digest: str, *, now: float) -> Member:
        name = checked_name(name, may_be_empty=True)
        with self._write() as connection:
            return People(connection, self._id).join(name, digest, now)

    def set_member(self, member: Member) -> None:
        with self._write() as connection:
            People(connection, self._id).put(checked_member(member))

    def revoke(self, id: int, *, now: float) -> None:  # noqa: A002
        with self._write() as connection:
            People(connection, self._id).revoke(id, now)

    @contextmanager
    def _acts(self) -> Iterator[Acts]:
        with self._write() as connection:
            yield Acts(connection, self._id)

    @contextmanager
    def _write(self) -> Iterator[Connection]:
        with self._database.write() as connection:
            if not self._database.is_sqlite:  # which has one writer anyway
                connection.execute(ALONE, {"project": self._id})
            yield connection


@dataclass(frozen=True, slots=True)
class Items:
    """The items of one project, over one connection."""

    connection: Connection
    project: int

    def add(self, items: Iterable[Item]) -> range:
        """Add items behind the present ones."""
        start = stop = self.count()
        source = iter(items)
        with self.connection.begin_nested():
            while some := list(islice(source, AT_ONCE)):
                self._insert(some, stop)
                stop += len(some)
        return range(start, stop)

    def _insert(self, items: Sequence[Item], start: int) -> None:
        # By the driver itself: what is built for each row on the way to it takes
        # longer than to write a million of them.
        dialect = self.connection.dialect
        written = insert(ITEM).compile(dialect=dialect, column_keys=COLUMNS)
        rows: list[Any] = [
            (
                self.project,
                at,
                item.key,
                item.kind,
                item.digest,
                json.dumps(dict(item.shown)) if item.shown else NOTHING,
                item.status,
                _packed(item.copies),
            )
            for at, item in enumerate(items, start)
        ]
        if not written.positional:
            rows = [dict(zip(COLUMNS, row, strict=True)) for row in rows]
        try:
            with self.connection.begin_nested():
                self.connection.exec_driver_sql(str(written), rows)
        except IntegrityError:
            keys = [item.key for item in items]
            there = self._positions()
            raise duplicate(next(key for key in keys if key in there)) from None

    def between(self, start: int, stop: int | None) -> tuple[Item, ...]:
        """Return the items at positions start to stop."""
        wanted = (
            select(ITEM)
            .where(ITEM.c.project == self.project, ITEM.c.position >= start)
            .order_by(ITEM.c.position)
        )
        if stop is not None:
            wanted = wanted.where(ITEM.c.position < stop)
        return tuple(map(_item, self.connection.execute(wanted)))

    def at(self, positions: Iterable[int]) -> dict[int, Item]:
        """Return the items at some positions."""
        wanted = iter(dict.fromkeys(positions))
        found: dict[int, Item] = {}
        while some := list(islice(wanted, N_NAMED)):
            rows = select(ITEM).where(
                ITEM.c.project == self.project, ITEM.c.position.in_(some)
            )
            for row in self.connection.execute(rows):
                found[row.position] = _item(row)
        return found

    def traces(self, start: int, stop: int) -> list[Trace]:
        """Return what tells items at positions start to stop from others."""
        wanted = (
            select(ITEM.c.key, ITEM.c.digest, ITEM.c.status, ITEM.c.copies)
            .where(ITEM.c.project == self.project)
            .where(ITEM.c.position >= start, ITEM.c.position < stop)
            .order_by(ITEM.c.position)
        )
        # As the driver gives them: a million rows of another kind take long to make.
        with self.connection.execute(wanted) as result:
            return list(starmap(_trace, cast("Any", result.cursor).fetchall()))

    def set_each(self, column: str, values: Mapping[str, str | None]) -> None:
        """Write a column of some items, by their keys."""
        for key, value in values.items():
            changed = (
                update(ITEM)
                .where(ITEM.c.project == self.project, ITEM.c.key == key)
                .values({column: value})
            )
            if not self.connection.execute(changed).rowcount:
                raise no_item(key)

    def rekey(self, keys: Mapping[str, str]) -> None:
        """Give items other keys."""
        if not keys:
            return
        there = self._positions()
        checked_keys(keys, there)
        # No two may ever have the same one, so all pass by a key that nobody has.
        free = "~" * (1 + max(map(len, there)))
        places = [(there[key], now) for key, now in keys.items()]
        self._set_keys([(at, f"{free}{at}") for at, _ in places])
        self._set_keys(places)

    def _set_keys(self, places: Sequence[tuple[int, str]]) -> None:
        changed = (
            update(ITEM)
            .where(ITEM.c.project == self.project, ITEM.c.position == bindparam("at"))
            .values(key=bindparam("now"))
        )
        rows = [{"at": at, "now": now} for at, now in places]
        self.connection.execute(changed, rows)

    def count(self) -> int:
        """Return how many items there are."""
        latest = select(func.max(ITEM.c.position)).where(ITEM.c.project == self.project)
        position = self.connection.scalar(latest)
        return 0 if position is None else int(position) + 1

    def _positions(self) -> dict[str, int]:
        rows = select(ITEM.c.key, ITEM.c.position).where(ITEM.c.project == self.project)
        return {row.key: row.position for row in self.connection.execute(rows)}


@dataclass(frozen=True, slots=True)
class Acts:
    """The acts and open questions of one project, over one connection.

    What writes is called inside a transaction of the project's only writer, so that
    what it has looked up is still so when it writes.
    """

    connection: Connection
    project: int

    def record(self, wanted: Act, expected: int | None) -> Act:
        """Record an act under its number, or return the one that is there already."""
        before = self.recorded(wanted.client_id, wanted.closed)
        if before is not None:
            return replace(before, is_repeat=True)
        number = self.count()
        if expected is not None and expected != number:
            raise behind(number, expected)
        if wanted.closed is not None and not self.close(wanted.closed):
            raise no_longer_open(wanted.closed)
        act = replace(wanted, number=number)
        self._insert(act)
        return act

    def recorded(self, client_id: str | None, closed: int | None) -> Act | None:
        """Return the act of this client id, or else that closed this question."""
        wanted = {"project": self.project, "client_id": client_id, "closed": closed}
        rows = self.connection.execute(RECORDED, wanted).all()
        acts = [act_of(row) for row in rows]
        mine = [act for act in acts if client_id and act.client_id == client_id]
        return next(iter([*mine, *acts]), None)

    def count(self) -> int:
        """Return how many acts there are."""
        number = self.connection.scalar(LATEST, {"project": self.project})
        return 0 if number is None else int(number) + 1

    def numbered(self, number: int) -> Act | None:
        """Return the act of this number, if there is one."""
        row = self._first(EVENT, EVENT.c.number == number)
        return None if row is None else act_of(row)

    def since(self, number: int) -> tuple[Act, ...]:
        """Return the acts from a number on."""
        wanted = (
            select(EVENT)
            .where(EVENT.c.project == self.project, EVENT.c.number >= number)
            .order_by(EVENT.c.number)
        )
        return tuple(act_of(row) for row in self.connection.execute(wanted))

    def open_all(
        self, wanted: Iterable[OpenQuestion], now: float
    ) -> list[OpenQuestion | None]:
        """Open questions, each unless somebody was there first."""
        there = {question.id: question for question in self.questions()}
        found: list[OpenQuestion | None] = []
        for one in wanted:
            has_one = any(question.who == one.who for question in there.values())
            clashing = [q for q in there.values() if q.clashes(one)]
            if has_one or any(question.until > now for question in clashing):
                found.append(None)
                continue
            for gone in clashing:
                self.close(gone.id)
                del there[gone.id]
            opened = self._opened(one)
            there[opened.id] = opened
            found.append(opened)
        return found

    def _opened(self, wanted: OpenQuestion) -> OpenQuestion:
        low, high = map(int, wanted.question.pair)
        values = {
            "project": self.project,
            "who": wanted.who,
            "sample": int(wanted.question.sample),
            "against": int(wanted.question.against),
            "low": low,
            "high": high,
            "predicted": encode_prediction(wanted.question.predicted),
            "version": 0,  # a column that nothing reads
            "until": wanted.until,
            "screen": None if wanted.screen is None else encode_screen(wanted.screen),
        }
        done = self.connection.execute(insert(OPEN_QUESTION), values)
        id_ = done.inserted_primary_key[0] if done.inserted_primary_key else 0
        return replace(wanted, id=id_)

    def close(self, id_: int) -> bool:
        """Close a question; False when it was not open."""
        which = {"project": self.project, "which": id_}
        return self.connection.execute(CLOSED, which).rowcount > 0

    def extend(self, id_: int, until: float) -> OpenQuestion | None:
        """Let a lease run longer."""
        is_it = (OPEN_QUESTION.c.project == self.project, OPEN_QUESTION.c.id == id_)
        self.connection.execute(update(OPEN_QUESTION).where(*is_it).values(until=until))
        return self.question(*is_it)

    def question(self, *conditions: Any) -> OpenQuestion | None:
        """Return the first open question that fits."""
        row = self._first(OPEN_QUESTION, *conditions)
        return None if row is None else open_question_of(row)

    def questions(self) -> tuple[OpenQuestion, ...]:
        """Return the questions that are open."""
        wanted = (
            select(OPEN_QUESTION)
            .where(OPEN_QUESTION.c.project == self.project)
            .order_by(OPEN_QUESTION.c.id)
        )
        return tuple(map(open_question_of, self.connection.execute(wanted)))

    def _first(self, table: Any, *conditions: Any) -> Row[Any] | None:
        wanted = select(table).where(table.c.project == self.project, *conditions)
        return self.connection.execute(wanted).first()

    def _insert(self, act: Act) -> None:
        body = encode(act.event)
        noted = {} if act.digest is None else {DIGEST: act.digest}
        values = {
            "project": self.project,
            "number": act.number,
            "kind": kind_of(body),
            "body": {**body, **noted},
            "who": act.who,
            "at": act.at,
            "client_id": act.client_id,
            "closed": act.closed,
        }
        self.connection.execute(insert(EVENT), values)
        told = told_in(act.event)
        if told:
            at = {"project": self.project, "event": act.number}
            rows = [
                {**at, "place": place, **encode_answer(answer)}
                for place, answer in enumerate(told)
            ]
            self.connection.execute(insert(ANSWER), rows)


@dataclass(frozen=True, slots=True)
class People:
    """The members and invites of one project, over one connection."""

    connection: Connection
    project: int

    def team(self) -> Team:
        """Return all of them."""
        members = self._all(MEMBER, MEMBER.c.joined, MEMBER.c.folded)
        invites = self._all(INVITE, INVITE.c.id)
        return Team(tuple(map(_member, members)), tuple(map(_invite, invites)))

    def invite(self, wanted: Invite) -> Invite:
        """Keep an invite."""
        values = {name: getattr(wanted, name) for name in INVITED}
        done = self.connection.execute(
            insert(INVITE).values(project=self.project, **values)
        )
        id_ = done.inserted_primary_key[0] if done.inserted_primary_key else 0
        return replace(wanted, id=id_)

    def join(self, name: str, digest: str, now: float) -> Member:
        """Let somebody in by an invite."""
        row = self._first(INVITE, INVITE.c.digest == digest)
        invite = None if row is None else _invite(row)
        whose = name if invite is None else invite.who or name
        member = joining(invite, self._called(whose), name, now)
        assert invite is not None  # or nobody would join
        used = update(INVITE).where(INVITE.c.id == invite.id)
        self.connection.execute(used.values(uses=counted(invite).uses))
        self.put(member)
        return member

    def put(self, member: Member) -> None:
        """Keep a member, instead of the one of this name."""
        values = {name: getattr(member, name) for name in MEMBERED}
        key = {"project": self.project, "folded": folded(member.name)}
        is_it = (MEMBER.c.project == self.project, MEMBER.c.folded == key["folded"])
        changed = update(MEMBER).where(*is_it).values(**values)
        if not self.connection.execute(changed).rowcount:
            self.connection.execute(insert(MEMBER).values(**key, **values))

    def revoke(self, id_: int, now: float) -> None:
        """Take back an invite, and remove who came in by it."""
        taken_back = update(INVITE).where(
            INVITE.c.project == self.project,
            INVITE.c.id == id_,
            INVITE.c.revoked.is_(None),
        )
        if not self.connection.execute(taken_back.values(revoked=now)).rowcount:
            return
        came = update(MEMBER).where(
            MEMBER.c.project == self.project,
            MEMBER.c.invite == id_,
            MEMBER.c.removed.is_(None),
        )
        self.connection.execute(came.values(removed=now))

    def _called(self, name: str) -> Member | None:
        row = self._first(MEMBER, MEMBER.c.folded == folded(name))
        return None if row is None else _member(row)

    def _first(self, table: Table, condition: ColumnElement[bool]) -> Row[Any] | None:
        wanted = select(table).where(table.c.project == self.project, condition)
        return self.connection.execute(wanted).first()

    def _all(self, table: Table, *order: ColumnElement[Any]) -> Sequence[Row[Any]]:
        mine = select(table).where(table.c.project == self.project)
        return self.connection.execute(mine.order_by(*order)).all()


def _invite(row: Row[Any]) -> Invite:
    return Invite(id=row.id, **{name: getattr(row, name) for name in INVITED})


def _member(row: Row[Any]) -> Member:
    return Member(**{name: getattr(row, name) for name in MEMBERED})


def act_of(row: Row[Any]) -> Act:
    """Return the act of a row."""
    body = row.body
    return Act(
        row.number,
        decode(body),
        row.who,
        row.at,
        row.client_id,
        row.closed,
        body.get(DIGEST),
    )


def open_question_of(row: Row[Any]) -> OpenQuestion:
    """Return the open question of a row."""
    question = decode_question(row.sample, row.against, row.predicted)
    screen = None if row.screen is None else decode_screen(row.screen)
    return OpenQuestion(row.who, question, row.until, row.id, screen)


def _item(row: Row[Any]) -> Item:
    copies = _unpacked(row.copies)
    return Item(row.key, row.kind, row.digest, row.shown, row.status, copies)


def _trace(key: str, digest: str, status: str, copies: str | None) -> Trace:
    return Trace(key, digest, status, _unpacked(copies))


def _packed(copies: tuple[str, ...]) -> str | None:
    return json.dumps(copies) if copies else None


def _unpacked(copies: str | None) -> tuple[str, ...]:
    return tuple(json.loads(copies)) if copies else ()


def _infos() -> Select[Any]:
    items, acts = _count(ITEM, ITEM.c.position), _count(EVENT, EVENT.c.number)
    return select(PROJECT, items.label("n_items"), acts.label("n_acts"))


def _count(table: Table, number: ColumnElement[int]) -> ScalarSelect[Any]:
    # Nothing vanishes, so the last number tells: a database would count every row.
    n_rows = func.coalesce(func.max(number) + 1, 0)
    mine = select(n_rows).where(table.c.project == PROJECT.c.id)
    return mine.correlate(PROJECT).scalar_subquery()


def _info(row: Row[Any]) -> Info:
    return Info(row.name, row.settings, row.created, row.n_items, row.n_acts)


def url_of(text: str) -> URL:
    """Return the address that a text means; a plain path is a SQLite file.

    Examples
    --------
    >>> url_of("leaves.db")
    sqlite:///leaves.db
    """
    if "://" not in text:
        return URL.create("sqlite", database=text)
    try:
        found = make_url(text)
    except (ArgumentError, ValueError):
        raise InputError(
            "The address of the database cannot be read: write it like "
            "postgresql://user:password@host:5432/name."
        ) from None
    if "@" in (found.host or ""):
        # What follows the first one would be taken for the host, and shown.
        raise InputError(
            "The address of the database has more than one @: write those of the "
            "password as %40."
        )
    return found


def file_of(url: URL) -> Path | None:
    """Return the SQLite file at an address; None where there is no such file.

    Examples
    --------
    >>> str(file_of(url_of("leaves.db")))
    'leaves.db'
    >>> file_of(url_of("postgresql://ann@host/leaves"))
    """
    named = url.database or ""
    is_file = url.get_backend_name() == "sqlite" and not named.startswith("file:")
    return Path(named) if is_file and named not in ("", ":memory:") else None


def kept_of(url: URL) -> Path:
    """Return the folder for what follows from the data of a database.

    Beside a SQLite file; of other databases in the folder of this machine.

    Examples
    --------
    >>> str(kept_of(url_of("leaves.db")))
    'leaves.db-cache'
    """
    file = file_of(url)
    if file is not None:
        return file.with_name(f"{file.name}{BESIDE}")
    plain = url._replace(password=None).render_as_string()
    return root_of_caches() / hashlib.sha256(plain.encode()).hexdigest()[:16]


def _tally(url: URL, beside: Path | None) -> Tally | None:
    file = file_of(url)
    if file is not None:
        return tally_of(file)
    if beside is None or url.get_backend_name() == "sqlite":
        return None
    plain = url._replace(password=None).render_as_string()
    return Tally(beside / f"{hashlib.sha256(plain.encode()).hexdigest()[:8]}-acts")


def as_it_is(text: str, beside: Path | None = None) -> None:
    """Let a database be taken as it is when it is opened next, whatever it lacks.

    Parameters
    ----------
    text : str
        Its address.
    beside : Path, optional
        As in :class:`SqlStore`.
    """
    tally = _tally(url_of(text), beside)
    if tally is not None:
        tally.forget()
