"""What the groups pages show, made from a project at one moment."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from pydantic import BaseModel

from likewise._arrays import Indices
from likewise.app._commands import (
    Compare,
    Merge,
    Planned,
    Rename,
    Review,
    Split,
    Together,
    Unfuse,
    allowed,
    grouped,
    leaving,
    open_pairs,
    revision_of,
    there,
)
from likewise.app._project import Outcome
from likewise.app._schemas import Card, GroupCard
from likewise.app._snapshot import Snapshot
from likewise.app.question import STRIP
from likewise.knowledge import Answer, Verdict, told_in
from likewise.session import Revision, fusing_answer

Sort: TypeAlias = Literal["review", "size", "name", "newest"]
Order: TypeAlias = Literal["unsure", "typical"]
Rest: TypeAlias = Literal["not-placed", "not-sure", "set-aside"]
Wanted: TypeAlias = Planned | Rename
MOST_ALIKE = 24  # pairs of almost identical pictures that are shown
PER_PAGE = 60
IN_STRIP = 3 * STRIP
COVER = 4  # items on the cover of a group
MOST_SINGLES = 24  # groups of one item among the others; more are folded
IN_PART = 24  # items of a part that are shown
IN_SIDE = 6  # items on either side of an answer
ALREADY = "Nothing changed: the answers already say so."


class Recorded(BaseModel):
    """What an action records: answers given, answers taken back, items set aside."""

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
    """What became of an action.

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
    """What an action would record, and the groups that it is about."""

    recorded: Recorded
    groups: list[GroupCard] = []


class Counts(BaseModel):
    """How many there are on each tab."""

    groups: int
    unplaced: int
    deferred: int
    aside: int


class Groups(BaseModel):
    """The groups, and the first of the items that are in none.

    `total` is how many groups there are, or fit what was asked for.
    """

    version: int
    total: int
    groups: list[GroupCard]
    deferred: list[Card]
    aside: list[Card]


class GroupPage(BaseModel):
    """The items of one group, some at a time: least sure first, confirmed last.

    `needs_look` marks guesses that are not sure. `similar` is the group that may be the
    same one. `sure` is empty without hints.
    """

    group: GroupCard
    start: int
    per_page: int
    items: list[Card]
    confirmed: list[bool]
    needs_look: list[bool]
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


# Lists of groups


def groups_of(
    now: Snapshot,
    sort: Sort = "size",
    near: int | None = None,
    n_members: int = IN_STRIP,
    most: int | None = None,
    called: str = "",
) -> Groups:
    """Return groups, sorted, or the nearest to the group of an item first."""
    label = None if near is None else now.label_of(near)
    order = sorted_by(now, sort) if label is None else now.nearest_first(label)
    order = [one for one in order if _is_called(now, one, called)] if called else order
    return Groups(
        version=now.version,
        total=len(order),
        groups=now.glances(order[:most], n_members),
        deferred=now.cards(now.waiting[:PER_PAGE]),
        aside=now.cards(now.aside[:PER_PAGE]),
    )


@dataclass(frozen=True)
class Covers:
    """A page of groups with their covers.

    Parameters
    ----------
    groups : list of GroupCard
    start : int
        How many come before them.
    total : int
        How many there are on all pages.
    n_folded : int
        Groups of one item that are on pages of their own.
    n_unsure : int
        How many of these need a look.
    """

    groups: list[GroupCard]
    start: int
    total: int
    n_folded: int
    n_unsure: int


def listed(now: Snapshot, sort: Sort, start: int, *, singles: bool = False) -> Covers:
    """Return a page of groups; many of one item are folded, or shown alone."""
    order = sorted_by(now, sort)
    single = [label for label in order if now.size(label) == 1]
    is_folded = MOST_SINGLES < len(single) < len(order)
    if singles:
        order = single
    elif is_folded:
        order = [label for label in order if now.size(label) > 1]
    start = min(start, page_of_last(len(order)))
    return Covers(
        groups=now.glances(order[start : start + PER_PAGE], COVER),
        start=start,
        total=len(order),
        n_folded=len(single) if is_folded and not singles else 0,
        n_unsure=sum(now.n_unsure(label) for label in single),
    )


def page_of_last(total: int) -> int:
    """Return where the last page begins: acts make lists shorter."""
    return max(total - 1, 0) // PER_PAGE * PER_PAGE


def neighbours(now: Snapshot, item: int) -> list[GroupCard]:
    """Return the groups by number, those around the group of an item if many."""
    order = sorted(now.clusters, key=lambda label: now.number[label])
    at = order.index(int(now.labels[item]))
    start = max(0, min(at - PER_PAGE // 2, len(order) - PER_PAGE))
    return now.glances(order[start : start + PER_PAGE], 0)


def sorted_by(now: Snapshot, sort: Sort) -> list[int]:
    """Return the clusters in one of the orders; equal ones by their numbers."""
    key: Callable[[int], object] = {
        "review": lambda label: -now.n_unsure(label),
        "size": lambda label: -now.size(label),
        "name": lambda label: (label not in now.name, _name(now, label)),
        "newest": lambda label: -now.number[label],
    }[sort]
    return sorted(now.clusters, key=lambda label: (key(label), now.number[label]))


def next_to_look_at(now: Snapshot, item: int) -> GroupCard | None:
    """Return the other group that needs a look most, or None."""
    here = now.label_of(item)
    order = [label for label in sorted_by(now, "review") if label != here]
    if not order or not now.n_unsure(order[0]):
        return None
    return now.cluster(order[0], 0)


def namesakes(now: Snapshot, item: int, name: str) -> list[int]:
    """Return the other clusters that have a name, whatever its case."""
    here, wanted = now.label_of(item), name.strip().casefold()
    return [c for c in now.name if c != here and _name(now, c) == wanted]


def _is_called(now: Snapshot, label: int, wanted: str) -> bool:
    """Tell whether some letters are of the name of a cluster, or are its number."""
    number, letters = now.number[label], wanted.strip().casefold()
    name = _name(now, label) or f"group {number}"
    return letters in name or letters == str(number)


def _name(now: Snapshot, label: int) -> str:
    return now.name.get(label, "").casefold()


def counts_of(now: Snapshot) -> Counts:
    """Return how many there are on each tab."""
    return Counts(
        groups=len(now.clusters),
        unplaced=now.n_guessed,
        deferred=len(now.waiting),
        aside=len(now.aside),
    )


# Items


def group_of(
    now: Snapshot, item: int, start: int, order: Order = "unsure"
) -> GroupPage | None:
    """Return some items of the group of an item; None if it is in none."""
    label = now.label_of(item)
    if label is None:
        return None
    whole = now.order(label, typical_first=order == "typical")
    some = whole[start : start + PER_PAGE]
    similar = now.similar(label)
    return GroupPage(
        group=now.cluster(label, STRIP),
        start=start,
        per_page=PER_PAGE,
        items=now.cards(some),
        confirmed=now.confirmed[some].tolist(),
        needs_look=now.needs_look[some].tolist(),
        has_more=len(whole) > start + PER_PAGE,
        order=order,
        sure=now.sure[some].tolist() if now.display.hints else [],
        similar=None if similar is None else now.cluster(similar, STRIP),
    )


def items_of(now: Snapshot, which: Rest, start: int) -> ItemsPage:
    """Return some of the items that are not settled, and where they may belong."""
    whole = _REST[which](now)
    some = whole[start : start + PER_PAGE]
    labels = [now.label_of(item) for item in some.tolist()]
    cards = {at: now.cluster(at, 0) for at in set(labels) if at is not None}
    return ItemsPage(
        which=which,
        start=start,
        per_page=PER_PAGE,
        total=len(whole),
        items=now.cards(some),
        groups=[None if label is None else cards[label] for label in labels],
        has_more=len(whole) > start + PER_PAGE,
    )


_REST: dict[str, Callable[[Snapshot], Indices]] = {
    "not-placed": lambda now: now.guessed,
    "not-sure": lambda now: now.waiting,
    "set-aside": lambda now: now.aside,
}


# Parts


def parts_of(now: Snapshot, item: int, n_parts: int) -> Parts | None:
    """Return how the group of an item may fall apart; None if it is in none."""
    label = now.label_of(item)
    if label is None:
        return None
    parts = now.parts(label, n_parts)
    fused = fusing_answer(now.repairs.known, parts)
    if fused is not None and now.hidden.issuperset(fused[0].question.pair):
        fused = None
    return Parts(
        group=now.cluster(label, 0),
        parts=[_part(now, part) for part in parts],
        fusing=None if fused is None else _fusing(now, *fused),
    )


def _part(now: Snapshot, part: Sequence[int]) -> Part:
    some = list(part[:IN_PART])
    return Part(
        size=len(part),
        confirmed=int(now.confirmed[list(part)].sum()),
        items=now.cards(some),
        is_confirmed=now.confirmed[some].tolist(),
    )


def _fusing(
    now: Snapshot, answer: Answer, sides: Sequence[Sequence[int]]
) -> Fusing | None:
    pair = answer.question.pair
    for act in now.acts:
        if any(told.id == answer.id for told in told_in(act.event)):
            return Fusing(
                answer=answer.id,
                who=act.who,
                at=act.at,
                pair=now.cards(pair),
                sides=[now.cards(side[:IN_SIDE]) for side in sides],
                sizes=[len(side) for side in sides],
            )
    return None


# What became of an act


def reviewed(now: Snapshot, who: str, command: Planned, outcome: Outcome) -> Reviewed:
    """Return what became of an act; what was done before is not done again."""
    before, plan = outcome.before, outcome.plan
    if before is None or not isinstance(plan, Revision):
        return _reply(now, who, "Already saved", outcome.notice)
    saved = f"Saved: {_said(before, command)}" if plan else None
    stay = stay_of(before, command)
    reply = _reply(now, who, saved, None if plan else ALREADY)
    reply.recorded, reply.stay = recorded_in(plan), stay
    reply.before, reply.after = _tally(before, stay), _tally(now, stay)
    return reply


def previewed(now: Snapshot, who: str, wanted: Wanted) -> Preview:
    """Return what an act would amount to; nothing is recorded."""
    items: Sequence[int] = ()
    match wanted:
        case Rename(item=item, name=name):
            others = namesakes(now, there(now, item), name)
            items = [item, *(now.anchor(label) for label in others)]
            return Preview(recorded=Recorded(), groups=_cards(now, items))
        case Merge(groups=groups):
            items = groups
        case Compare(one=one, other=other):
            items = [one, other]
    revision = revision_of(now, wanted)
    allowed(now, who, revision)
    recorded = recorded_in(revision)
    return Preview(recorded=recorded, groups=_cards(now, items))


class Lookalikes(BaseModel):
    """Pictures that are almost identical to another one.

    `pairs` are their items, each with the one that it is like; `shown` are the cards
    of the first of them.
    """

    pairs: list[list[int]]
    shown: list[list[Card]]


def lookalikes_of(now: Snapshot, pairs: Sequence[tuple[int, int]]) -> Lookalikes:
    """Return what is offered as one; nothing where that was declined."""
    open_ = open_pairs(now, pairs) if now.display.alike else []
    cards = now.cards([item for pair in open_[:MOST_ALIKE] for item in pair])
    shown = [list(pair) for pair in zip(cards[::2], cards[1::2], strict=True)]
    return Lookalikes(pairs=list(map(list, open_)), shown=shown)


def recorded_in(revision: Revision) -> Recorded:
    """Return what a revision amounts to."""
    return Recorded(
        same=revision.count(Verdict.SAME),
        different=revision.count(Verdict.DIFFERENT),
        unsure=revision.count(Verdict.UNSURE),
        taken_back=len(revision.retracted),
        aside=len(revision.aside),
        back=len(revision.back),
    )


def stay_of(now: Snapshot, command: Planned) -> int | None:
    """Return an item of the group in which an act takes place, and that stays there."""
    match command:
        case Review(items=items):
            if len(set(now.labels[items].tolist())) > 1:
                return None
            heir = now.repairs.anchor(items[0], leaving(command))
            return command.group if heir is None else heir
        case Merge(groups=groups):
            return groups[0]
        case Split(group=group):
            return group
        case Compare(one=one):
            return one
        case Unfuse() | Together():
            return None


def _tally(now: Snapshot, item: int | None) -> Tally | None:
    label = None if item is None else now.label_of(item)
    if label is None:
        return None
    return Tally(size=now.size(label), confirmed=now.n_confirmed(label))


def _said(now: Snapshot, command: Planned) -> str:
    match command:
        case Review(action=action, items=items):
            return f"{len(set(items)):,} {_DONE[action]}" + _where(now, command)
        case Merge(groups=groups):
            return f"{len(set(now.labels[groups].tolist()))} groups merged"
        case Split(n_parts=n_parts):
            return f"split into {n_parts}"
        case Compare(verdict=verdict):
            return "not sure" if verdict == "unsure" else verdict
        case Unfuse(answer=answer):
            return f"answer {answer} taken back"
        case Together(pairs=pairs):
            return f"{len(pairs):,} taken as one with another"


_DONE = {
    "confirm": "confirmed",
    "reject": "taken out of the group",
    "move": "moved to",
    "new": "in a new group",
    "aside": "set aside",
    "back": "put back",
}


def _where(now: Snapshot, command: Review) -> str:
    if command.action != "move" or command.group is None:
        return ""
    label = int(now.labels[command.group])
    return " " + (now.name.get(label) or f"Group {now.number[label]}")


def _cards(now: Snapshot, items: Sequence[int]) -> list[GroupCard]:
    labels = dict.fromkeys(int(now.labels[grouped(now, i)]) for i in items)
    return now.glances(list(labels), IN_SIDE)


def _reply(now: Snapshot, who: str, saved: str | None, notice: str | None) -> Reviewed:
    return Reviewed(
        saved=None if notice else saved,
        notice=notice,
        recorded=Recorded(),
        version=now.version,
        can_undo=now.last_act(who) is not None,
    )
