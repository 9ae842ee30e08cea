"""Projects in SQLite or PostgreSQL."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from sqlalchemy import (
    URL,
    ColumnElement,
    Connection,
    Row,
    ScalarSelect,
    Select,
    Table,
    func,
    insert,
    select,
    update,
)
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, IntegrityError

from likewise._arrays import Samples
from likewise.errors import InputError
from likewise.knowledge import Event
from likewise.storage._blocks import checked_array
from likewise.storage._checks import (
    checked_items,
    checked_status,
    checked_text,
    no_project,
    project_exists,
)
from likewise.storage._protocol import Act, Info, Item, OpenQuestion, Settings, Trace
from likewise.storage.sql._acts import Acts
from likewise.storage.sql._arrays import Arrays
from likewise.storage.sql._engines import Database
from likewise.storage.sql._items import Items
from likewise.storage.sql._schema import EVENT, ITEM, OPEN_QUESTION, PROJECT
from likewise.storage.sql._upgrade import upgrade

PAGE = 2000  # items that are read together


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
        values = {"name": checked_text(name), "settings": dict(settings)}
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
        if name not in ids:
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

    def find(self, key: str) -> int | None:
        with self._database.read() as connection:
            return Items(connection, self._id).find(key)

    def mark(self, key: str, status: str) -> None:
        self.mark_all({key: status})

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

    def act(  # noqa: PLR0913 - one transaction
        self,
        event: Event,
        *,
        who: str,
        now: float,
        client_id: str | None = None,
        expected: int | None = None,
        closes: int | None = None,
        opens: Sequence[OpenQuestion] = (),
    ) -> Act:
        wanted = Act(0, event, checked_text(who), now, client_id, closes)
        with self._acts() as acts:
            return acts.record(wanted, expected, opens)

    def acts(self, since: int = 0) -> tuple[Act, ...]:
        with self._database.read() as connection:
            return Acts(connection, self._id).since(since)

    # Open questions

    def open_question(self, wanted: OpenQuestion, *, now: float) -> OpenQuestion | None:
        with self._acts() as acts:
            return acts.open(wanted, now)

    def question_of(self, who: str) -> OpenQuestion | None:
        with self._database.read() as connection:
            return Acts(connection, self._id).question(OPEN_QUESTION.c.who == who)

    def open_questions(self, now: float) -> tuple[OpenQuestion, ...]:
        with self._database.read() as connection:
            return Acts(connection, self._id).running(now)

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
