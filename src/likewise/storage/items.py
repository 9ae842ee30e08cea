"""Items in a database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from likewise.storage.base import Item
from likewise.storage.checks import duplicate, no_item
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
            there = self._keys()
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

    def count(self) -> int:
        """Return how many items there are."""
        latest = select(func.max(ITEM.c.position)).where(ITEM.c.project == self.project)
        position = self.connection.scalar(latest)
        return 0 if position is None else int(position) + 1

    def _keys(self) -> frozenset[str]:
        keys = select(ITEM.c.key).where(ITEM.c.project == self.project)
        return frozenset(self.connection.scalars(keys))


def _item(row: Row[Any]) -> Item:
    return Item(row.key, row.kind, row.digest, row.shown, row.status)
