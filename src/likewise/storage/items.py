"""Items in a database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, bindparam, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from likewise.storage.base import Item
from likewise.storage.checks import checked_keys, duplicate, no_item
from likewise.storage.schema import ITEM


@dataclass(frozen=True, slots=True)
class Items:
    """The items of one project, over one connection."""

    connection: Connection
    project: int

    def add(self, items: Sequence[Item]) -> range:
        """Add items behind the present ones."""
        start = self.count()
        if not items:
            return range(start, start)
        rows = [
            {
                "project": self.project,
                "position": position,
                "key": item.key,
                "kind": item.kind,
                "digest": item.digest,
                "shown": dict(item.shown),
                "status": item.status,
            }
            for position, item in enumerate(items, start)
        ]
        try:
            with self.connection.begin_nested():
                self.connection.execute(insert(ITEM), rows)
        except IntegrityError:
            there = self._positions()
            raise duplicate(next(i.key for i in items if i.key in there)) from None
        return range(start, start + len(rows))

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

    def find(self, key: str) -> int | None:
        """Return the position of an item."""
        position = select(ITEM.c.position).where(
            ITEM.c.project == self.project, ITEM.c.key == key
        )
        return self.connection.scalar(position)

    def mark(self, key: str, status: str) -> None:
        """Note what became of the source of an item."""
        marked = (
            update(ITEM)
            .where(ITEM.c.project == self.project, ITEM.c.key == key)
            .values(status=status)
        )
        if not self.connection.execute(marked).rowcount:
            raise no_item(key)

    def rekey(self, keys: Mapping[str, str]) -> None:
        """Give items other keys."""
        there = self._positions()
        checked_keys(keys, there)
        if not keys:
            return
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
