"""Projects in SQLite or PostgreSQL: each call is one transaction."""

from __future__ import annotations

import json
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice, starmap
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
    encode,
    encode_answer,
    encode_prediction,
    kind_of,
    told_in,
)
from likewise.storage._blocks import checked_array
from likewise.storage._protocol import (
    Act,
    Info,
    Item,
    Latest,
    OpenQuestion,
    Settings,
    Trace,
    behind,
    checked_items,
    checked_keys,
    checked_status,
    duplicate,
    no_item,
    no_longer_open,
    no_project,
    project_exists,
)
from likewise.storage.sql._arrays import Arrays
from likewise.storage.sql._engines import Database
from likewise.storage.sql._schema import (
    ANSWER,
    EVENT,
    ITEM,
    OPEN_QUESTION,
    PROJECT,
    upgrade,
)

PAGE = 2000  # items that are read together
AT_ONCE = 2000  # items that are written together
N_NAMED = 500  # positions that one query names
NOTHING = json.dumps({})
COLUMNS = tuple(ITEM.columns.keys())


class SqlStore:
    """A store in a database; its tables are made or brought up to date on opening.

    Parameters
    ----------
    url : URL
        Of SQLite or PostgreSQL.
    """

    def __init__(self, url: URL) -> None:
        self._database = Database(url)
        # Closes the connections also of a store that nobody closes.
        self._release = weakref.finalize(self, self._database.engine.dispose)
        upgrade(self._database)

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
            ids: dict[str, int] = {
                row.name: row.id for row in connection.execute(select(PROJECT))
            }
        if not isinstance(name, str) or name not in ids:
            raise no_project(name, ids)
        return SqlProject(self, self._database, ids[name], name)

    def close(self) -> None:
        self._release()


class SqlProject:
    """A project in a database; see :class:`~likewise.storage._protocol.Project`."""

    def __init__(
        self, store: SqlStore, database: Database, number: int, name: str
    ) -> None:
        self._store = store  # lives for as long as its projects
        self._database = database
        self._id = number
        self._name = name

    @property
    def name(self) -> str:
        return self._name

    def info(self) -> Info:
        with self._database.read() as connection:
            found = _infos().where(PROJECT.c.id == self._id)
            return _info(connection.execute(found).one())

    def change(self, settings: Settings) -> None:
        is_this = PROJECT.c.id == self._id
        with self._write() as connection:
            before = connection.scalar(select(PROJECT.c.settings).where(is_this)) or {}
            changed = {**before, **settings}
            connection.execute(update(PROJECT).where(is_this).values(settings=changed))

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
            Items(connection, self._id).mark(statuses)

    def rekey(self, keys: Mapping[str, str]) -> None:
        with self._write() as connection:
            Items(connection, self._id).rekey(keys)

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

    def act(
        self,
        event: Event,
        *,
        who: str,
        now: float,
        client_id: str | None = None,
        expected: int | None = None,
        closes: int | None = None,
    ) -> Act:
        wanted = Act(0, event, checked_text(who), now, client_id, closes)
        with self._acts() as acts:
            return acts.record(wanted, expected)

    def acts(self, since: int = 0) -> tuple[Act, ...]:
        with self._database.read() as connection:
            return Acts(connection, self._id).since(since)

    def latest(self, since: int) -> Latest:
        with self._database.read() as connection:
            found = Acts(connection, self._id)
            return Latest(found.since(since), found.questions())

    # Open questions

    def open_question(self, wanted: OpenQuestion, *, now: float) -> OpenQuestion | None:
        with self._acts() as acts:
            return acts.open(wanted, now)

    def extend(self, id: int, until: float) -> OpenQuestion | None:  # noqa: A002
        with self._acts() as acts:
            return acts.extend(id, until)

    def close_question(self, id: int) -> None:  # noqa: A002
        with self._acts() as acts:
            acts.close(id)

    @contextmanager
    def _acts(self) -> Iterator[Acts]:
        with self._write() as connection:
            yield Acts(connection, self._id)

    @contextmanager
    def _write(self) -> Iterator[Connection]:
        # SQLite has one writer anyway; PostgreSQL has one for each project by this.
        mine = select(PROJECT.c.id).where(PROJECT.c.id == self._id).with_for_update()
        with self._database.write() as connection:
            connection.execute(mine)
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
            select(ITEM.c.key, ITEM.c.digest, ITEM.c.status)
            .where(ITEM.c.project == self.project)
            .where(ITEM.c.position >= start, ITEM.c.position < stop)
            .order_by(ITEM.c.position)
        )
        # As the driver gives them: a million rows of another kind take long to make.
        with self.connection.execute(wanted) as result:
            return list(starmap(Trace, cast("Any", result.cursor).fetchall()))

    def mark(self, statuses: Mapping[str, str]) -> None:
        """Note what became of the sources of items, by their keys."""
        for key, status in statuses.items():
            marked = (
                update(ITEM)
                .where(ITEM.c.project == self.project, ITEM.c.key == key)
                .values(status=status)
            )
            if not self.connection.execute(marked).rowcount:
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
        for column, value in ((EVENT.c.client_id, client_id), (EVENT.c.closed, closed)):
            if value is not None:
                row = self._first(EVENT, column == value)
                if row is not None:
                    return act_of(row)
        return None

    def count(self) -> int:
        """Return how many acts there are."""
        latest = select(func.max(EVENT.c.number)).where(EVENT.c.project == self.project)
        number = self.connection.scalar(latest)
        return 0 if number is None else int(number) + 1

    def since(self, number: int) -> tuple[Act, ...]:
        """Return the acts from a number on."""
        wanted = (
            select(EVENT)
            .where(EVENT.c.project == self.project, EVENT.c.number >= number)
            .order_by(EVENT.c.number)
        )
        return tuple(act_of(row) for row in self.connection.execute(wanted))

    def open(self, wanted: OpenQuestion, now: float) -> OpenQuestion | None:
        """Open a question, unless somebody was there first."""
        if self.question(OPEN_QUESTION.c.who == wanted.who) is not None:
            return None
        low, high = map(int, wanted.question.pair)
        table = OPEN_QUESTION.c
        clashing = (
            table.project == self.project,
            or_(
                table.sample == int(wanted.question.sample),
                (table.low == low) & (table.high == high),
            ),
        )
        if self.question(*clashing, table.until > now) is not None:
            return None
        self.connection.execute(delete(OPEN_QUESTION).where(*clashing))
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
        }
        done = self.connection.execute(insert(OPEN_QUESTION).values(values))
        id_ = done.inserted_primary_key[0] if done.inserted_primary_key else 0
        return replace(wanted, id=id_)

    def close(self, id_: int) -> bool:
        """Close a question; False when it was not open."""
        gone = delete(OPEN_QUESTION).where(
            OPEN_QUESTION.c.project == self.project, OPEN_QUESTION.c.id == id_
        )
        return self.connection.execute(gone).rowcount > 0

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
        values = {
            "project": self.project,
            "number": act.number,
            "kind": kind_of(body),
            "body": body,
            "who": act.who,
            "at": act.at,
            "client_id": act.client_id,
            "closed": act.closed,
        }
        self.connection.execute(insert(EVENT).values(values))
        told = told_in(act.event)
        if told:
            at = {"project": self.project, "event": act.number}
            rows = [
                {**at, "place": place, **encode_answer(answer)}
                for place, answer in enumerate(told)
            ]
            self.connection.execute(insert(ANSWER), rows)


def act_of(row: Row[Any]) -> Act:
    """Return the act of a row."""
    event = decode(row.body)
    return Act(row.number, event, row.who, row.at, row.client_id, row.closed)


def open_question_of(row: Row[Any]) -> OpenQuestion:
    """Return the open question of a row."""
    question = decode_question(row.sample, row.against, row.predicted)
    return OpenQuestion(row.who, question, row.until, row.id)


def _item(row: Row[Any]) -> Item:
    return Item(row.key, row.kind, row.digest, row.shown, row.status)


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
        return make_url(text)
    except (ArgumentError, ValueError):
        raise InputError(
            "The address of the database cannot be read: write it like "
            "postgresql://user:password@host:5432/name."
        ) from None
