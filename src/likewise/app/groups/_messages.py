"""What the groups pages and the server say to each other."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, Field

from likewise.app._messages import (
    Card,
    ClientId,
    GroupCard,
    Message,
    Number,
    Rename,
    Verdict,
)

MOST_PARTS = 5
Action: TypeAlias = Literal["confirm", "reject", "move", "new", "aside", "back"]
Sort: TypeAlias = Literal["review", "size", "name", "newest"]
Order: TypeAlias = Literal["unsure", "typical"]
Rest: TypeAlias = Literal["not-placed", "not-sure", "set-aside"]
Chosen = Annotated[list[Number], Field(min_length=1, max_length=1000)]
Several = Annotated[list[Number], Field(min_length=2, max_length=1000)]
NParts = Annotated[int, Field(ge=2, le=MOST_PARTS)]


# What comes in


class Review(Message):
    """Something is done to the chosen items, and to nothing else.

    `group` is any item of the group that they move to. `seen` has, for each of them,
    an item of the group in which it was shown: refused if it has left that meanwhile.
    """

    action: Action
    items: Chosen
    group: Number | None = None
    seen: list[Number] = Field(default_factory=list, max_length=1000)
    client_id: ClientId


class Merge(Message):
    """Groups, each named by any item of it, are one."""

    groups: Several
    client_id: ClientId


class ByHand(Message):
    """An item that a person has put into another part."""

    item: Number
    part: Annotated[int, Field(ge=0, lt=MOST_PARTS, strict=True)]


class Split(Message):
    """The group of an item falls into parts, some items put right by hand.

    `seen` has the first item of each part as it was shown: refused if the parts are
    others by now.
    """

    group: Number
    n_parts: NParts = 2
    moved: list[ByHand] = Field(default_factory=list, max_length=1000)
    seen: list[Number] = Field(default_factory=list, max_length=MOST_PARTS)
    client_id: ClientId


class Unfuse(Message):
    """Take back the answer that has made one group out of two."""

    answer: Number
    client_id: ClientId


class Compare(Message):
    """Whether the groups of two items are the same."""

    one: Number
    other: Number
    verdict: Verdict
    client_id: ClientId


Planned: TypeAlias = Review | Merge | Split | Unfuse | Compare
Wanted: TypeAlias = Planned | Rename


# What goes out


class Recorded(BaseModel):
    """What an act amounts to: answers told and taken back, items out and in again."""

    same: int = 0
    different: int = 0
    unsure: int = 0
    taken_back: int = 0
    aside: int = 0
    back: int = 0


class Tally(BaseModel):
    """How large a group is, and how much of it is confirmed."""

    size: int
    confirmed: int


class Reviewed(BaseModel):
    """What became of an act.

    `stay` is an item of the group in which it took place, and `before` and `after` are
    of that group.
    """

    saved: str | None = None
    notice: str | None = None
    recorded: Recorded
    version: int
    can_undo: bool
    stay: int | None = None
    before: Tally | None = None
    after: Tally | None = None


class Preview(BaseModel):
    """What an act would amount to, and the groups that it is about."""

    recorded: Recorded
    groups: list[GroupCard] = []


class Counts(BaseModel):
    """How many there are on each tab."""

    groups: int
    unplaced: int
    deferred: int
    aside: int


class Groups(BaseModel):
    """The groups, and the first of the items that are in none."""

    version: int
    groups: list[GroupCard]
    deferred: list[Card]
    aside: list[Card]


class GroupPage(BaseModel):
    """The items of one group, some at a time: confirmed first, then least sure.

    `similar` is the group that may be the same one. `sure` is empty without hints.
    """

    group: GroupCard
    start: int
    per_page: int
    items: list[Card]
    confirmed: list[bool]
    has_more: bool
    order: Order = "unsure"
    sure: list[float] = []
    similar: GroupCard | None = None


class ItemsPage(BaseModel):
    """Some items that are not settled; for each, the group that it is guessed to be in.

    A group is null for items that are set aside.
    """

    which: Rest
    start: int
    per_page: int
    total: int
    items: list[Card]
    groups: list[GroupCard | None]
    has_more: bool


class Part(BaseModel):
    """A part that a group may fall into; the first item speaks for it."""

    size: int
    confirmed: int
    items: list[Card]
    is_confirmed: list[bool]


class Fusing(BaseModel):
    """The answer that has made one group out of two, and some items on either side."""

    answer: int
    who: str
    at: float
    pair: list[Card]
    sides: list[list[Card]]
    sizes: list[int]


class Parts(BaseModel):
    """How a group may fall apart."""

    group: GroupCard
    parts: list[Part]
    fusing: Fusing | None = None
