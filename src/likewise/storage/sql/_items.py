"""Items and arrays in a database."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, starmap
from typing import Any, cast

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    bindparam,
    delete,
    func,
    insert,
    select,
    update,
)
from sqlalchemy.exc import IntegrityError

from likewise._arrays import Samples
from likewise.storage._blocks import joined, pack, split, stacked, unpack
from likewise.storage._protocol import (
    Item,
    Trace,
    checked_keys,
    duplicate,
    no_array,
    no_item,
)
from likewise.storage.sql._schema import ARRAY_BLOCK, ITEM

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


def _item(row: Row[Any]) -> Item:
    return Item(row.key, row.kind, row.digest, row.shown, row.status)


@dataclass(frozen=True, slots=True)
class Arrays:
    """The arrays of one project as blocks of rows, over one connection."""

    connection: Connection
    project: int

    def put(self, name: str, X: Samples) -> None:
        """Keep an array instead of an older one; blocks that are the same stay."""
        n_blocks = 0
        for number, rows in enumerate(split(X)):
            content, n_blocks = pack(rows), number + 1
            if self._content(name, number) != content:
                self._drop(name, ARRAY_BLOCK.c.number == number)
                self._insert(name, number, rows.shape[0], content)
        self._drop(name, ARRAY_BLOCK.c.number >= n_blocks)

    def append(self, name: str, X: Samples) -> None:
        """Add rows; the last block is filled up before new ones are begun."""
        last = self._n_blocks(name) - 1
        if last < 0:
            raise no_array(name)
        rows = stacked(self._block(name, last), X)
        self._drop(name, ARRAY_BLOCK.c.number == last)
        for number, some in enumerate(split(rows), start=last):
            self._insert(name, number, some.shape[0], pack(some))

    def read(self, name: str) -> Samples:
        """Return all the rows."""
        n_blocks = self._n_blocks(name)
        if not n_blocks:
            raise no_array(name)
        blocks = (self._block(name, number) for number in range(n_blocks))
        return joined(blocks, self.n_rows(name))

    def n_rows(self, name: str) -> int:
        """Return how many rows there are; 0 when there is no such array."""
        total = select(func.sum(ARRAY_BLOCK.c.n_rows)).where(self._are_of(name))
        return int(self.connection.scalar(total) or 0)

    def _insert(self, name: str, number: int, n_rows: int, content: bytes) -> None:
        values = {
            "project": self.project,
            "name": name,
            "number": number,
            "n_rows": n_rows,
            "content": content,
        }
        self.connection.execute(insert(ARRAY_BLOCK).values(values))

    def _drop(self, name: str, which: ColumnElement[bool]) -> None:
        self.connection.execute(delete(ARRAY_BLOCK).where(self._are_of(name), which))

    def _block(self, name: str, number: int) -> Samples:
        return unpack(self._content(name, number) or b"")

    def _content(self, name: str, number: int) -> bytes | None:
        content = select(ARRAY_BLOCK.c.content).where(
            self._are_of(name), ARRAY_BLOCK.c.number == number
        )
        return self.connection.scalar(content)

    def _n_blocks(self, name: str) -> int:
        n_blocks = select(func.count()).where(self._are_of(name))
        return int(self.connection.scalar(n_blocks) or 0)

    def _are_of(self, name: str) -> ColumnElement[bool]:
        table = ARRAY_BLOCK.c
        return (table.project == self.project) & (table.name == name)
