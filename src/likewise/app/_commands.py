"""What people can do, each a small value, and what it amounts to.

Nothing is done here: see :class:`~likewise.app._project.ProjectService`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, StrictBool

from likewise.app import _schemas
from likewise.app._ledger import Entry, Ledger
from likewise.app._snapshot import Snapshot
from likewise.errors import InputError, NotAllowedError, StaleError
from likewise.knowledge import (
    Answer,
    Event,
    Kept,
    Question,
    Renamed,
    Retracted,
    SetAside,
    Told,
    Undone,
    Verdict,
    checked_name,
    singles_of,
    told_in,
    without_numbers,
)
from likewise.session import Revision

MOST_PARTS = 5
MEANWHILE = "This has changed in the meantime, so nothing was saved: look again."
WORDS = {"same": "same", "different": "different", "unsure": "not sure"}
Text = Annotated[str, Field(max_length=200)]
ClientId = Annotated[
    str,
    Field(
        min_length=8,
        max_length=64,
        pattern="^[A-Za-z0-9_-]+$",
        description="A new id for each action; sent again, it changes nothing more.",
    ),
]
Number = Annotated[int, Field(ge=0, lt=2**53, strict=True)]
Action: TypeAlias = Literal["confirm", "reject", "move", "new", "aside", "back"]
Chosen = Annotated[list[Number], Field(min_length=1, max_length=1000)]
Several = Annotated[list[Number], Field(min_length=2, max_length=1000)]
Two = Annotated[list[Number], Field(min_length=2, max_length=2)]
NParts = Annotated[int, Field(ge=2, le=MOST_PARTS)]
Listed = Annotated[list[Number], Field(max_length=1000)]
Fits = Annotated[
    int,
    Field(ge=4, le=48, strict=True, description="How many items your screen holds."),
]
Seconds = Annotated[
    float, Field(ge=0, le=10**6, strict=True, description="How long you have looked.")
]


class Message(BaseModel):
    """What comes in: nothing but the fields that are named."""

    model_config = ConfigDict(extra="forbid", frozen=True)


# On the question page


class Reply(Message):
    """An answer to your question, whose id is `question`."""

    question: Number
    verdict: _schemas.Verdict
    seconds: Seconds | None = None
    fits: Fits | None = None
    client_id: ClientId


class Pick(Message):
    """The item of your question belongs to a group, or to none of them.

    `rejected` are groups that were shown before and that it does not belong to.
    """

    question: Number
    group: Number | Literal["new"]
    rejected: Listed = []
    fits: Fits | None = None
    client_id: ClientId


class PileReply(Message):
    """Items of your sheet that belong together elsewhere.

    `group` is the id of a group that they belong to, and null for none of those that
    were offered, which are then in `unlike`.
    """

    items: Chosen
    group: Number | None = None
    unlike: Listed = []


class SheetReply(Message):
    """What you have tapped on your sheet, whose id is `screen`.

    What was not tapped belongs to the group, or does not, as `tap` of the sheet says.
    `unsure` are items that you cannot tell about, `piles` where misfits belong.
    """

    screen: Number
    tapped: Listed = []
    unsure: Listed = []
    piles: Annotated[list[PileReply], Field(max_length=100)] = []
    seconds: Seconds | None = None
    fits: Fits | None = None
    client_id: ClientId


class OverviewReply(Message):
    """Which groups of your overview are the same, each by the item that speaks for it.

    All others are different.
    """

    screen: Number
    same: Annotated[list[Several], Field(max_length=100)] = []
    seconds: Seconds | None = None
    fits: Fits | None = None
    client_id: ClientId


class Skip(Message):
    """See one pair instead of your screen; nothing is recorded."""

    screen: Number
    fits: Fits | None = None
    client_id: ClientId


class Aside(Message):
    """An item leaves the game, or comes back."""

    item: Number
    aside: StrictBool = True
    client_id: ClientId


class Undo(Message):
    """Take back the last act."""

    client_id: ClientId


class Rename(Message):
    """Name the group of an item; an empty name takes it away."""

    item: Number
    name: Text
    client_id: ClientId


# On the groups pages


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


class Together(Message):
    """Pictures that are almost identical, in pairs, are taken as one."""

    pairs: Annotated[list[Two], Field(min_length=1, max_length=20_000)]
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
    verdict: _schemas.Verdict
    client_id: ClientId


# On the pages of history and of disagreements


class Change(Message):
    """Say something else than an earlier answer did."""

    answer: Number
    verdict: _schemas.Verdict
    client_id: ClientId


class Retract(Message):
    """Take back some answers, as one act."""

    answers: Annotated[list[Number], Field(min_length=1, max_length=1000)]
    client_id: ClientId


class TakeBack(Message):
    """Take back all that a reader said, a person or a model, as one act."""

    who: Text
    client_id: ClientId


class Keep(Message):
    """Leave an answer that disagrees with others as it is."""

    answer: Number
    client_id: ClientId


class Decide(Message):
    """What holds of two items about which readers disagree; "unsure": nobody can tell.

    What says otherwise is taken back in the same act.
    """

    one: Number
    other: Number
    verdict: _schemas.Verdict
    client_id: ClientId


class UndoAct(Message):
    """Undo one action, whoever's and however old; an undo too."""

    act: Number
    client_id: ClientId


Planned: TypeAlias = Review | Merge | Split | Unfuse | Compare | Together
Amending: TypeAlias = Change | Retract | TakeBack | Keep | Decide | UndoAct
Answering: TypeAlias = Reply | Pick | SheetReply | OverviewReply
Command: TypeAlias = Answering | Skip | Aside | Undo | Rename | Planned | Amending


def asked_in(command: Answering) -> int:
    """Return the id of the open question or screen that a command answers."""
    if isinstance(command, Reply | Pick):
        return command.question
    return command.screen


def digest_of(command: Command) -> str:
    """Return what tells a command from all others, under whatever id it is sent."""
    said = command.model_dump_json(exclude={"client_id", "seconds", "fits"})
    return sha256(f"{type(command).__name__} {said}".encode()).hexdigest()[:32]


# What is no act: it changes how a project is shown, or writes files


class Settings(Message):
    """What can be changed about a project; what is left out stays.

    `changes` says whether everybody who signs in by the password is a reviewer, or only
    whom the owner has made one.
    `alike` says whether pictures that are almost identical are offered as one.
    `overlap` is the share of a reader's questions that another one has answered, to see
    how well they agree; `refer` says whether what one was not sure of, or surprised
    with, is put to another.
    """

    criterion: Text | None = None
    hints: StrictBool | None = None
    why: StrictBool | None = None
    checks: Annotated[int, Field(ge=0, le=1000, strict=True)] | None = None
    changes: Literal["owner", "everybody"] | None = None
    screens: _schemas.Screens | None = None
    alike: StrictBool | None = None
    overlap: Annotated[float, Field(ge=0, le=0.5, strict=True)] | None = None
    refer: StrictBool | None = None


class Folders(Message):
    """Write a folder for each group; how the files get there, and where that is."""

    how: Literal["copy", "hardlink", "symlink"] = "copy"
    to: Annotated[str, Field(min_length=1, max_length=4096)] | None = None


# What they amount to, and who may do it

Plan: TypeAlias = Revision | Renamed | SetAside | Kept | Undone


def plan_of(now: Snapshot, command: Aside | Rename | Planned | Amending) -> Plan:
    """Return what a command amounts to, or say why it cannot be done."""
    match command:
        case Aside(item=item, aside=aside):
            return SetAside(item, aside)
        case Rename(item=item, name=name):
            return Renamed(item, checked_name(name, may_be_empty=True))
        case Change() | Retract() | TakeBack() | Keep() | Decide() | UndoAct():
            return _amended(now, command)
    return revision_of(now, command)


def allowed(now: Snapshot, who: str, plan: Plan) -> Plan:
    """Return a plan, unless it changes what others said and somebody else may not.

    Everybody may say something else than others did: what disagrees stands beside it
    until a reviewer decides, or one of the two gives way.
    """
    others = [one for one in _touched(now, plan) if not now.may_change(who, one)]
    if others:
        names = " and ".join(dict.fromkeys(others))
        raise NotAllowedError(
            f"This would change what {names} said, which only {now.owner} or a "
            f"reviewer may do: say otherwise in an answer of your own, or ask for it."
        )
    return plan


def _touched(now: Snapshot, plan: Plan) -> list[str]:
    """Return whose answers and acts a plan takes back or decides about."""
    match plan:
        case Undone(position):
            return [now.acts[position].who]
        case Revision(retracted=ids, back=back):
            return [*_told_by(now, ids), *_set_aside_by(now, back)]
        case Kept(ids):
            return _told_by(now, ids)
        case SetAside(sample, False):
            return _set_aside_by(now, (sample,))
        case Renamed(sample, _):
            return _named_by(now, sample)
    return []


def _told_by(now: Snapshot, ids: Sequence[int]) -> list[str]:
    told = (now.ledger.answers.get(id_) for id_ in ids)
    return [entry.made.who for entry in told if entry is not None]


def _set_aside_by(now: Snapshot, samples: Sequence[int]) -> list[str]:
    """Return who has set some items aside."""
    by: dict[int, str] = {}
    for at in now.standing if samples else ():
        for single in singles_of(now.acts[at].event):
            if isinstance(single, SetAside) and single.aside:
                by[single.sample] = now.acts[at].who
    return [by[sample] for sample in samples if sample in by]


def _named_by(now: Snapshot, sample: int) -> list[str]:
    """Return who has given the group of an item its name; nobody if it has none."""
    label = now.label_of(there(now, sample))
    if label is None or not now.name.get(label):
        return []
    for at in reversed(now.standing):
        named = (s for s in singles_of(now.acts[at].event) if isinstance(s, Renamed))
        if any(one.name and now.label_of(one.sample) == label for one in named):
            return [now.acts[at].who]
    return []


def revision_of(now: Snapshot, command: Planned) -> Revision:
    """Return what an act amounts to; names stay with the groups that items leave."""
    revision = _planned(now, command)
    renamed = _names_kept(now, leaving(command)) or _name_of_both(now, command)
    return replace(revision, renamed=renamed) if revision and renamed else revision


def leaving(command: Planned) -> list[int]:
    """Return the items that an act may take out of their groups."""
    if isinstance(command, Review) and command.action not in ("confirm", "back"):
        return command.items
    return []


def grouped(now: Snapshot, item: int) -> int:
    """Return an item that is in a group."""
    if now.label_of(there(now, item)) is None:
        raise InputError(f"Item {item} is in no group: choose another one.")
    return item


def there(now: Snapshot, item: int) -> int:
    """Return an item that there is."""
    if item >= len(now.labels):
        raise InputError(f"There is no item {item}: look again.")
    return item


def _planned(now: Snapshot, command: Planned) -> Revision:
    repairs = now.repairs
    match command:
        case Review():
            return _reviewed(now, command)
        case Merge(groups=groups):
            return repairs.merge([grouped(now, item) for item in groups])
        case Split():
            return repairs.part(_parts(now, command))
        case Compare():
            return _compared(now, command)
        case Unfuse(answer=answer):
            if answer not in {told.id for told in repairs.known.answers}:
                raise StaleError(MEANWHILE)
            return Revision(retracted=(answer,))
        case Together(pairs=pairs):
            return _as_one(now, pairs)


def _compared(now: Snapshot, command: Compare) -> Revision:
    one, other = grouped(now, command.one), grouped(now, command.other)
    if now.labels[one] == now.labels[other]:
        raise StaleError(MEANWHILE)
    return now.repairs.compare(one, other, Verdict(command.verdict))


def _as_one(now: Snapshot, pairs: Sequence[Sequence[int]]) -> Revision:
    """Return that pairs are the same, those of which nothing is known yet."""
    for item in {item for pair in pairs for item in pair}:
        there(now, item)
    return Revision(
        told=tuple(
            Answer(Question(later, earlier), Verdict.SAME, how="given")
            for later, earlier in open_pairs(now, pairs)
        )
    )


def open_pairs(now: Snapshot, pairs: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
    """Return those of some pairs of which answers say nothing, both in the game."""
    known = now.view.known
    relation, aside = known.constraints.relation, known.aside
    return [
        (one, other)
        for one, other in pairs
        if one != other
        and relation(one, other) is None
        and not aside.intersection((one, other))
    ]


def _reviewed(now: Snapshot, command: Review) -> Revision:
    repairs = now.repairs
    items = [there(now, item) for item in dict.fromkeys(command.items)]
    _check_seen(now, command)
    match command.action:
        case "confirm":
            return repairs.confirm(items)
        case "reject":
            return repairs.reject(items)
        case "move":
            if command.group is None:
                raise InputError("Choose the group to move them to.")
            return repairs.move(items, grouped(now, command.group))
        case "new":
            return repairs.found(items)
        case "aside":
            out = [item for item in items if item not in repairs.known.aside]
            return Revision(aside=tuple(out))
        case "back":
            out = [item for item in items if item in repairs.known.aside]
            return Revision(back=tuple(out))


def _check_seen(now: Snapshot, command: Review) -> None:
    if not command.seen:
        return
    if len(command.seen) != len(command.items):
        raise InputError("There must be as many groups seen as items, or none.")
    here = [now.label_of(item) for item in command.items]
    if here != [now.label_of(there(now, item)) for item in command.seen]:
        raise StaleError(MEANWHILE)


def _parts(now: Snapshot, command: Split) -> list[list[int]]:
    """Return the parts to be recorded: what is confirmed, typical, or put by hand."""
    label = int(now.labels[grouped(now, command.group)])
    parts = now.parts(label, command.n_parts)
    if command.seen and command.seen != [part[0] for part in parts]:
        raise StaleError(MEANWHILE)
    moved = {by_hand.item: by_hand.part for by_hand in command.moved}
    inside = {item for part in parts for item in part}
    if not inside.issuperset(moved) or max(moved.values(), default=0) >= len(parts):
        raise InputError("Only items of the group can be moved, and only to its parts.")
    return [_recorded(now, part, at, moved) for at, part in enumerate(parts)]


def _recorded(
    now: Snapshot, part: Sequence[int], at: int, moved: dict[int, int]
) -> list[int]:
    stays = [item for item in part if moved.get(item, at) == at]
    confirmed = [item for item in stays if now.confirmed[item]]
    came = [item for item, to in moved.items() if to == at and item not in stays]
    kept = [item for item in stays if item in moved]
    return list(dict.fromkeys([*stays[:1], *confirmed, *kept, *came]))


def _names_kept(now: Snapshot, items: Sequence[int]) -> tuple[tuple[int, str], ...]:
    """Return whom the names of leaving items go to, so that their groups keep them."""
    out = set(items)
    carrier = {int(now.labels[item]): item for item, name in now.names.items() if name}
    kept: list[tuple[int, str]] = []
    for label, item in carrier.items():
        heir = now.repairs.anchor(item, items) if item in out else None
        if heir is not None:
            kept += [(item, ""), (heir, now.name[label])]
    return tuple(kept)


def _name_of_both(now: Snapshot, command: Planned) -> tuple[tuple[int, str], ...]:
    """Return the name that stays when groups of several names become one.

    It is the one of the largest, guesses included: what people see.
    """
    items: Sequence[int] = ()
    match command:
        case Merge(groups=groups):
            items = groups
        case Compare(verdict="same"):
            items = (command.one, command.other)
    labels = {int(now.labels[item]) for item in items}
    named = sorted(filter(now.name.__contains__, labels), key=now.size)
    if len({now.name[label] for label in named}) < 2:  # noqa: PLR2004 - of several
        return ()
    carriers = {int(now.labels[item]): item for item, name in now.names.items() if name}
    return ((carriers[named[-1]], now.name[named[-1]]),)


# What is done to what was said


def brings_back(event: Event) -> bool:
    """Tell whether undoing an act says again what was taken back."""
    singles = singles_of(event)
    return isinstance(event, Undone) or [type(s) for s in singles] == [Retracted]


def _amended(now: Snapshot, command: Amending) -> Plan:
    match command:
        case Change(answer=answer, verdict=said):
            verdict = Verdict.of(said)
            if _standing(now.ledger, answer).answer.verdict is verdict:
                raise InputError(f"Answer {answer} says “{WORDS[said]}” already.")
            return now.repairs.change(answer, verdict)
        case Retract(answers=answers):
            ids = tuple(dict.fromkeys(answers))
            return Revision(retracted=tuple(_said(now.ledger, id_) for id_ in ids))
        case TakeBack(who=who):
            return Revision(retracted=_all_of(now.ledger, who))
        case Keep():
            return _kept(now.ledger, command.answer)
        case Decide():
            return _decided(now, command)
        case UndoAct(act=act):
            return _without(now, act)


def _kept(ledger: Ledger, answer: int) -> Kept:
    if _standing(ledger, answer).state != "doubtful":
        raise StaleError(
            f"There is nothing to decide about answer {answer} any more: look again."
        )
    return Kept((answer,))


def _decided(now: Snapshot, command: Decide) -> Plan:
    one, other = sorted((command.one, command.other))
    if (one, other) not in now.ledger.disputes:
        raise StaleError("Readers do not disagree on these two any more: look again.")
    return now.repairs.decide(one, other, Verdict.of(command.verdict))


def _without(now: Snapshot, number: int) -> Plan:
    """Return what undoes an act; an undone one comes back."""
    act = now.acts[number] if number < now.version else None
    event = None if act is None else without_numbers(act.event)
    if event is None:
        raise InputError(f"There is no action {number}.")
    if isinstance(event, Undone):
        return _repeated(now, event)
    if isinstance(event, Told):
        # Taken back, not undone, so that this can be undone in turn.
        entries = now.ledger.by_act[number].entries
        left = tuple(entry.answer.id for entry in entries if entry.is_standing)
        if not left:
            raise StaleError("All of this was taken back in the meantime: look again.")
        return Revision(retracted=left)
    if number not in now.standing:
        raise StaleError("This was undone in the meantime: look again.")
    return Undone(number)


def _repeated(now: Snapshot, undoing: Undone) -> Plan:
    """Return what was undone, to be done again: an undoing cannot be undone."""
    event, ledger = now.acts[undoing.position].event, now.ledger
    singles, told = singles_of(event), told_in(event)
    if told and all(map(ledger.is_said, told)):
        raise StaleError("This was already brought back: look again.")
    match singles:
        case [Renamed() as renamed]:
            return renamed
        case [Kept(ids)]:
            return Kept((_said(ledger, ids[0]),))
    taken = [id_ for s in singles if isinstance(s, Retracted) for id_ in s.ids]
    aside = [s for s in singles if isinstance(s, SetAside)]
    return Revision(
        tuple(_said(ledger, id_) for id_ in taken),
        told,
        tuple(s.sample for s in aside if s.aside),
        tuple(s.sample for s in aside if not s.aside),
        tuple((s.sample, s.name) for s in singles if isinstance(s, Renamed)),
    )


def _all_of(ledger: Ledger, who: str) -> tuple[int, ...]:
    """Return the ids of all answers of a reader that stand."""
    theirs = [
        id_
        for id_, entry in ledger.answers.items()
        if entry.made.who == who and entry.is_standing and entry.how != "given"
    ]
    if not theirs:
        raise StaleError(f"Nothing that {who} said stands any more: look again.")
    return tuple(theirs)


def _said(ledger: Ledger, answer: int) -> int:
    """Return the id of an answer that stands."""
    return int(_standing(ledger, answer).answer.id)


def _standing(ledger: Ledger, answer: int) -> Entry:
    entry = ledger.answers.get(answer)
    if entry is None:
        raise InputError(f"There is no answer {answer}.")
    if not entry.is_standing:
        by = f" by {entry.by.who}" if entry.by else ""
        raise StaleError(
            f"Answer {answer} was {entry.state} meanwhile{by}: look again."
        )
    return entry
