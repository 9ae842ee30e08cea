"""Acts and open questions in a database: the statements of one transaction.

Every function takes a connection inside a transaction of the project's only writer, so
that what it has looked up is still so when it writes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection, Row, delete, func, insert, or_, select, update

from likewise.knowledge import (
    decode,
    decode_question,
    encode,
    encode_answer,
    encode_prediction,
    kind_of,
    told_in,
)
from likewise.storage._checks import behind, no_longer_open
from likewise.storage._protocol import Act, OpenQuestion
from likewise.storage.sql._schema import ANSWER, EVENT, OPEN_QUESTION


@dataclass(frozen=True, slots=True)
class Acts:
    """The acts and open questions of one project, over one connection."""

    connection: Connection
    project: int

    def record(
        self, wanted: Act, expected: int | None, opens: Sequence[OpenQuestion]
    ) -> Act:
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
        opened = [self.open(question, act.at) for question in opens]
        return replace(act, opened=tuple(q for q in opened if q is not None))

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
        version = self.count()
        values = {
            "project": self.project,
            "who": wanted.who,
            "sample": int(wanted.question.sample),
            "against": int(wanted.question.against),
            "low": low,
            "high": high,
            "predicted": encode_prediction(wanted.question.predicted),
            "version": version,
            "until": wanted.until,
        }
        done = self.connection.execute(insert(OPEN_QUESTION).values(values))
        id_ = done.inserted_primary_key[0] if done.inserted_primary_key else 0
        return replace(wanted, version=version, id=id_)

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

    def running(self, now: float) -> tuple[OpenQuestion, ...]:
        """Return the questions whose leases run."""
        wanted = (
            select(OPEN_QUESTION)
            .where(OPEN_QUESTION.c.project == self.project)
            .where(OPEN_QUESTION.c.until > now)
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
    return OpenQuestion(row.who, question, row.until, row.version, row.id)
