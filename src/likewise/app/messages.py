"""What the page and the server say to each other."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

Text = Annotated[str, Field(max_length=200)]
ClientId = Annotated[str, Field(min_length=8, max_length=64, pattern=r"^[\w-]+$")]
Verdict: TypeAlias = Literal["same", "different", "unsure"]
Status: TypeAlias = Literal["preparing", "asking", "waiting", "settled"]
Number = Annotated[int, Field(ge=0, lt=2**53)]


class Message(BaseModel):
    """What comes in: nothing but the fields that are named."""

    model_config = ConfigDict(extra="forbid")


class Reply(Message):
    """An answer to the question that a person has before them."""

    question: Number
    verdict: Verdict
    client_id: ClientId


class Pick(Message):
    """The sample of a question belongs to a group, or to none of them.

    `rejected` are groups that were shown before and that it does not belong to.
    """

    question: Number
    group: Number | Literal["new"]
    rejected: Annotated[list[Number], Field(max_length=1000)] = []
    client_id: ClientId


class Aside(Message):
    """An item leaves the game, or comes back."""

    item: Number
    aside: bool = True
    client_id: ClientId


class Undo(Message):
    """Take back the last act."""

    client_id: ClientId


class Rename(Message):
    """Name the group of an item; an empty name takes it away."""

    item: Number
    name: Text
    client_id: ClientId


class Settings(Message):
    """What can be changed about a project; what is left out stays."""

    criterion: Text | None = None
    hints: bool | None = None


class Folders(Message):
    """Write a folder for each group; how the files get there."""

    how: Literal["copy", "hardlink", "symlink"] = "copy"


class Column(BaseModel):
    """A column of a row, and whether the other card differs in it."""

    name: str
    value: str
    differs: bool = False


class Card(BaseModel):
    """How an item is shown."""

    item: int
    kind: Literal["image", "text", "row"]
    title: str
    status: Literal["here", "changed", "gone"] = "here"
    thumb: str | None = None
    picture: str | None = None
    text: str | None = None
    columns: list[Column] = []


class GroupCard(BaseModel):
    """A group at a glance."""

    id: int
    number: int
    name: str
    size: int
    confirmed: int
    members: list[Card] = []
    probability: float | None = None


class QuestionCard(BaseModel):
    """A question as a person sees it."""

    id: int
    sample: Card
    against: Card
    group: GroupCard | None = None
    picker: bool = False
    why: str | None = None
    before: Verdict | None = None


class ProgressCard(BaseModel):
    """How far the sorting is."""

    answers: int
    screens: int
    groups: int
    settled: float
    moved: int
    expected: float
    deferred: int
    aside: int
    stop: bool


class Preparing(BaseModel):
    """What is being done before the first question."""

    stage: str
    done: int
    total: int
    error: str | None = None


class State(BaseModel):
    """Everything that the question page shows."""

    project: str
    criterion: str
    about: str
    who: str
    kind: str
    n_items: int
    version: int
    status: Status
    preparing: Preparing | None = None
    question: QuestionCard | None = None
    progress: ProgressCard | None = None
    can_undo: bool = False
    hints: bool = False
    saved: str | None = None
    notice: str | None = None


class Candidates(BaseModel):
    """A page of the groups that a sample may belong to, likeliest first."""

    question: int
    page: int
    groups: list[GroupCard]
    has_more: bool


class Groups(BaseModel):
    """The groups, the largest first, and the first of the items that are in none."""

    version: int
    groups: list[GroupCard]
    deferred: list[Card]
    aside: list[Card]


class GroupPage(BaseModel):
    """The items of one group, some at a time: confirmed first, then least sure."""

    group: GroupCard
    start: int
    per_page: int
    items: list[Card]
    confirmed: list[bool]
    has_more: bool


class Ahead(BaseModel):
    """Pictures of what may be asked next, to be fetched while a person looks."""

    pictures: list[str]


class Written(BaseModel):
    """Where folders were written to, and which files were not there any more."""

    folder: str
    n_files: int
    missing: list[str]
