"""Arrays in a database, as blocks of rows."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, delete, func, insert, select

from likewise._arrays import Samples
from likewise.storage._blocks import joined, pack, split, stacked, unpack
from likewise.storage._protocol import no_array
from likewise.storage.sql._schema import ARRAY_BLOCK


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
