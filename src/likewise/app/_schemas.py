"""What the server says to pages and programs."""

from __future__ import annotations

from typing import Literal, TypeAlias

from pydantic import BaseModel

Verdict: TypeAlias = Literal["same", "different", "unsure"]
Role: TypeAlias = Literal["reader", "reviewer", "owner"]
Screens: TypeAlias = Literal["all", "pairs"]
Seek: TypeAlias = Literal["groups", "duplicates"]
Status: TypeAlias = Literal["choosing", "preparing", "asking", "waiting", "settled"]


class Column(BaseModel):
    """A column of a row, and whether the other card differs in it."""

    name: str
    value: str
    differs: bool = False


class Card(BaseModel):
    """An item; its kind says whether it has pictures, a text or columns.

    `copies` is how many more files or rows have the same content.
    """

    item: int
    kind: Literal["image", "text", "row"]
    title: str
    status: Literal["here", "changed", "gone"] = "here"
    thumb: str | None = None
    picture: str | None = None
    text: str | None = None
    columns: list[Column] = []
    copies: int = 0


class GroupCard(BaseModel):
    """A group at a glance.

    `id` is one of its items, `number` and `name` are for people. Answers have
    confirmed some of its items; `probability` is there where hints are shown.
    """

    id: int
    number: int
    name: str
    size: int
    confirmed: int
    unsure: int = 0
    members: list[Card] = []
    probability: float | None = None


class QuestionCard(BaseModel):
    """Whether `sample` and `against` belong together.

    `group` is what is known of the group of `against`. With `picker` it is time to
    show the candidates, for the reason in `picker_why`. `before` is your answer, if it
    was just taken back.
    """

    id: int
    sample: Card
    against: Card
    group: GroupCard | None = None
    picker: bool = False
    picker_why: str | None = None
    why: str | None = None
    before: Verdict | None = None


class Tapped(BaseModel):
    """What you had tapped on a sheet, and could not tell about."""

    tapped: list[int]
    unsure: list[int]


class SheetCard(BaseModel):
    """Which of the `items` belong to the group of the `speakers`, most doubtful first.

    `tap` says which to tap: those that do not belong (`misfits`), or those that do
    (`members`). With `sorts`, misfits may be put where they belong, pile by pile.
    `before` is what you had tapped, if it was just taken back.
    """

    kind: Literal["sheet"] = "sheet"
    id: int
    tap: Literal["misfits", "members"]
    sorts: bool
    speakers: list[Card]
    items: list[Card]
    group: GroupCard | None = None
    why: str | None = None
    before: Tapped | None = None


class GlanceCard(BaseModel):
    """A group on an overview: an item that speaks for it, and some more of it."""

    speaker: Card
    more: list[Card]
    number: int
    name: str
    size: int


class OverviewCard(BaseModel):
    """Which of these groups are the same.

    `before` is what you had put together, if it was just taken back.
    """

    kind: Literal["overview"] = "overview"
    id: int
    groups: list[GlanceCard]
    why: str | None = None
    before: list[list[int]] | None = None


class SaidCard(BaseModel):
    """An answer that may have been a slip.

    `who` gave it, `at` seconds since 1970; `last` says that it is of your last act.
    `may_change` says whether you may change it.
    """

    id: int
    sample: Card
    against: Card
    verdict: Literal["same", "different"]
    who: str
    at: float
    last: bool
    may_change: bool


class SlipCard(BaseModel):
    """Answers that cannot all be right, the likeliest slip first.

    `answer` is the one of your last act that the others deny; together they say that
    its two items are what it does not say. `solves` is how many contradictions would be
    gone without the first one.
    """

    answer: int
    suspects: list[SaidCard]
    solves: int


class ProgressCard(BaseModel):
    """How far the sorting is.

    `sentence` is what people see of it, `standing` how much answers have confirmed.
    `right` is the expected share of items in the
    right group, between `low` and `high` in four cases of five; `until_95` and
    `until_98` are about how many more questions it takes until it is so high, if that
    can be foreseen; `left` is how many seconds you are expected to take until 95 %, or
    98 % from there on. With `stop`, more answers would hardly change anything.

    `answers` are pairs, `screens` what people have looked at. `settled` (the group is
    known) and `expected` (the Jaccard coefficient of pairs) are shares of 1. `moved`
    items changed their group lately.

    `doubtful` answers contradict earlier ones. Of the `checks`, questions about what
    was known already, some `failed`; `wrong` is the share of wrong answers by that.
    """

    answers: int
    screens: int
    groups: int
    sentence: str
    standing: str
    right: float
    low: float
    high: float
    until_95: int | None
    until_98: int | None
    left: float | None = None
    settled: float
    moved: int
    expected: float
    deferred: int
    aside: int
    stop: bool
    doubtful: int
    checks: int
    failed: int
    wrong: float | None


class Preparing(BaseModel):
    """What is being done before the first question, or why it cannot be done."""

    stage: str
    done: int
    total: int
    error: str | None = None


class State(BaseModel):
    """Everything that a person sees while answering.

    `version` counts the actions of all. `saved` and `notice` say in words what became
    of the action that this replies to. `disagreement` is the answer of your last action
    that contradicts earlier ones, by id: it is kept, but nothing follows from it until
    somebody decides; `slip` says between which answers. About one question in `checks`
    asks again what is known already. Where there are several readers, a share `overlap`
    of your questions is what another one has answered, and with `refer` also what
    another one was not sure of; nothing says which these are. Your `role` says what you
    may do: a `reader` changes what they said themselves, a `reviewer` what others said
    too, and an `owner` the settings. With `changes` of `everybody`, all who sign in by
    the password are reviewers. The project is that of `owner`.

    You have either a `question`, about one pair, or a `screen`, about several items or
    groups at once. With `screens` of `pairs`, nobody gets the latter. `seek` is what
    is looked for: groups of similar things, or duplicates. Before the first
    answer, `welcome` says what will happen. While many items are still compared,
    `early` says of which of them the questions are, and `preparing` how far that is;
    your answers count in full.
    """

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
    screen: SheetCard | OverviewCard | None = None
    progress: ProgressCard | None = None
    can_undo: bool = False
    disagreements: int = 0
    disagreement: int | None = None
    slip: SlipCard | None = None
    checks: int = 0
    overlap: float = 0.0
    refer: bool = True
    hints: bool = False
    why: bool = True
    owner: str | None = None
    role: Role = "owner"
    changes: str = "owner"
    screens: Screens = "all"
    seek: Seek = "groups"
    saved: str | None = None
    notice: str | None = None
    welcome: str | None = None
    early: str = ""


class Candidates(BaseModel):
    """A page of the groups that a sample may belong to, likeliest first."""

    question: int
    page: int
    groups: list[GroupCard]
    has_more: bool


class Ahead(BaseModel):
    """Pictures of what may be asked next, to be fetched while a person looks."""

    pictures: list[str]


class Written(BaseModel):
    """Where folders were written to, and which files were not there any more."""

    folder: str
    n_files: int
    missing: list[str]
