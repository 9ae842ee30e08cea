"""What the pages of history and of disagreements, and the server, say to each other."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from likewise.app._messages import Card, ClientId, Message, Number, Verdict
from likewise.app.history._ledger import State


class Change(Message):
    """Say something else than an earlier answer did."""

    answer: Number
    verdict: Verdict
    client_id: ClientId


class Retract(Message):
    """Take back some answers, as one act."""

    answers: Annotated[list[Number], Field(min_length=1, max_length=1000)]
    client_id: ClientId


class Keep(Message):
    """Leave an answer that disagrees with others as it is."""

    answer: Number
    client_id: ClientId


class UndoAct(Message):
    """Undo one act, whoever's and however old; an undoing too."""

    act: Number
    client_id: ClientId


class Done(BaseModel):
    """What came of an act.

    `act` is its number, for undoing it; `disagreement` is the id of an answer that
    others deny from now on.
    """

    saved: str | None
    notice: str | None
    version: int
    can_undo: bool
    act: int | None = None
    disagreement: int | None = None


class Trace(BaseModel):
    """Who did something, when (seconds since 1970), and with which act."""

    act: int
    who: str
    at: float

    @property
    def iso(self) -> str:
        """When it was, as machines write it."""
        return datetime.fromtimestamp(self.at, UTC).isoformat(timespec="seconds")


class EntryCard(BaseModel):
    """An answer, and what has become of it.

    `predicted` is the probability of "same" when it was asked, and `surprise` how
    unlikely the answer was by it. `by` has taken it back, undone it, or left it to
    disagree; `became` is the answer that was given instead of it.
    """

    id: int
    sample: Card
    against: Card
    verdict: Verdict
    made: Trace
    how: str
    state: State
    is_failed: bool = False
    is_surprising: bool = False
    predicted: float | None = None
    surprise: float | None = None
    by: Trace | None = None
    became: int | None = None


class ActCard(BaseModel):
    """An act: some answers, or something else about some items.

    `n_answers` came with it, `n_fit` of them fit the filters, and some of those are in
    `answers`.
    `undo` says what undoing it is called, where that differs from taking back its only
    answer; `again` is the undoing to undo.
    """

    made: Trace
    how: str
    words: str
    answers: list[EntryCard]
    n_answers: int
    n_fit: int
    items: list[Card]
    stands: bool
    undone: Trace | None = None
    undo: str | None = None
    again: int | None = None


class HistoryPage(BaseModel):
    """Some acts, newest first, of all `n_acts` that fit."""

    version: int
    page: int
    per_page: int
    n_acts: int
    acts: list[ActCard]
    item: Card | None = None
    has_more: bool


class Link(BaseModel):
    """A joint of a chain of answers, and the item that it leads to."""

    answer: EntryCard
    to: Card


class Clash(BaseModel):
    """An answer, and the chain of others that deny it.

    The chain leads from `answer.sample` to `answer.against`; together its answers say
    `implied`.
    """

    answer: EntryCard
    implied: Literal["same", "different"]
    chain: list[Link]
    people: list[str]


class Disagreements(BaseModel):
    """The answers that others deny: those to decide about, and those left so."""

    version: int
    open: list[Clash]
    kept: list[Clash]
    n_open: int
    n_kept: int
    checks: str | None = None
