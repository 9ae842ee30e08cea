"""Items in a database."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, starmap
from typing import Any, cast

from sqlalchemy import Connection, Row, bindparam, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from likewise.storage._checks import checked_keys, duplicate, no_item
from likewise.storage._protocol import Item, Trace
from likewise.storage.sql._schema import ITEM

AT_ONCE = 2000  # items that are written together
N_NAMED = 500  # positions that one query names
NOTHING = json.dumps({})
COLUMNS = tuple(ITEM.columns.keys())


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
            there = [key for key in keys if self.find(key) is not None]
            raise duplicate(there[0]) from None

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

    def find(self, key: str) -> int | None:
        """Return the position of an item."""
        position = select(ITEM.c.position).where(
            ITEM.c.project == self.project, ITEM.c.key == key
        )
        return self.connection.scalar(position)

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


def _item(row: Row[Any]) -> Item:
    return Item(row.key, row.kind, row.digest, row.shown, row.status)
