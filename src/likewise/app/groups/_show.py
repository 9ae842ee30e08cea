"""What the groups pages show, made from an overview."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from likewise._arrays import Indices
from likewise.app._messages import GroupCard
from likewise.app._overview import Overview
from likewise.app._show import STRIP, Shown
from likewise.app.groups._messages import (
    Counts,
    Fusing,
    GroupPage,
    Groups,
    ItemsPage,
    Order,
    Part,
    Parts,
    Rest,
    Sort,
)
from likewise.knowledge import Answer, told_in
from likewise.session import fusing_answer

PER_PAGE = 60
IN_STRIP = 3 * STRIP
IN_PART = 24  # items of a part that are shown
IN_SIDE = 6  # items on either side of an answer


# Lists of groups


def groups_of(
    shown: Shown,
    sort: Sort = "size",
    near: int | None = None,
    n_members: int = IN_STRIP,
) -> Groups:
    """Return all groups, sorted, or the nearest to the group of an item first."""
    with shown.desk.lock:
        found = shown.overview()
        label = None if near is None else found.label_of(near)
        order = sorted_by(found, sort) if label is None else found.nearest_first(label)
        return Groups(
            version=found.version,
            groups=[shown.cluster(one, n_members) for one in order],
            deferred=shown.cards(found.waiting[:PER_PAGE]),
            aside=shown.cards(found.aside[:PER_PAGE]),
        )


def listed(shown: Shown, sort: Sort, start: int) -> list[GroupCard]:
    """Return a page of groups with their strips."""
    with shown.desk.lock:
        order = sorted_by(shown.overview(), sort)[start : start + PER_PAGE]
        return [shown.cluster(label, IN_STRIP) for label in order]


def neighbours(shown: Shown, item: int) -> list[GroupCard]:
    """Return the groups by number, those around the group of an item if many."""
    with shown.desk.lock:
        found = shown.overview()
        order = sorted(found.clusters, key=lambda label: found.number[label])
        at = order.index(int(found.labels[item]))
        start = max(0, min(at - PER_PAGE // 2, len(order) - PER_PAGE))
        return [shown.cluster(one, 0) for one in order[start : start + PER_PAGE]]


def sorted_by(found: Overview, sort: Sort) -> list[int]:
    """Return the clusters in one of the orders; equal ones by their numbers."""
    key: Callable[[int], object] = {
        "review": lambda label: -found.n_unsure(label),
        "size": lambda label: -found.size(label),
        "name": lambda label: (label not in found.name, _name(found, label)),
        "newest": lambda label: -found.number[label],
    }[sort]
    return sorted(found.clusters, key=lambda label: (key(label), found.number[label]))


def next_to_look_at(shown: Shown, item: int) -> GroupCard | None:
    """Return the other group that needs a look most, or None."""
    with shown.desk.lock:
        found = shown.overview()
        here = found.label_of(item)
        order = [label for label in sorted_by(found, "review") if label != here]
        if not order or not found.n_unsure(order[0]):
            return None
        return shown.cluster(order[0], 0)


def namesakes(found: Overview, item: int, name: str) -> list[int]:
    """Return the other clusters that have a name, whatever its case."""
    here, wanted = found.label_of(item), name.strip().casefold()
    return [c for c in found.name if c != here and _name(found, c) == wanted]


def _name(found: Overview, label: int) -> str:
    return found.name.get(label, "").casefold()


def counts_of(shown: Shown) -> Counts:
    """Return how many there are on each tab."""
    with shown.desk.lock:
        found = shown.overview()
        return Counts(
            groups=len(found.clusters),
            unplaced=found.n_guessed,
            deferred=len(found.waiting),
            aside=len(found.aside),
        )


# Items


def group_of(
    shown: Shown, item: int, start: int, order: Order = "unsure"
) -> GroupPage | None:
    """Return some items of the group of an item; None if it is in none."""
    with shown.desk.lock:
        found = shown.overview()
        label = found.label_of(item)
        if label is None:
            return None
        whole = found.order(label, typical_first=order == "typical")
        some = whole[start : start + PER_PAGE]
        similar = found.similar(label)
        return GroupPage(
            group=shown.cluster(label, STRIP),
            start=start,
            per_page=PER_PAGE,
            items=shown.cards(some),
            confirmed=found.confirmed[some].tolist(),
            has_more=len(whole) > start + PER_PAGE,
            order=order,
            sure=found.sure[some].tolist() if shown.hints else [],
            similar=None if similar is None else shown.cluster(similar, STRIP),
        )


def items_of(shown: Shown, which: Rest, start: int) -> ItemsPage:
    """Return some of the items that are not settled, and where they may belong."""
    with shown.desk.lock:
        found = shown.overview()
        whole = _REST[which](found)
        some = whole[start : start + PER_PAGE]
        labels = [found.label_of(item) for item in some.tolist()]
        cards = {at: shown.cluster(at, 0) for at in set(labels) if at is not None}
        return ItemsPage(
            which=which,
            start=start,
            per_page=PER_PAGE,
            total=len(whole),
            items=shown.cards(some),
            groups=[None if label is None else cards[label] for label in labels],
            has_more=len(whole) > start + PER_PAGE,
        )


_REST: dict[str, Callable[[Overview], Indices]] = {
    "not-placed": lambda found: found.guessed,
    "not-sure": lambda found: found.waiting,
    "set-aside": lambda found: found.aside,
}


# Parts


def parts_of(shown: Shown, item: int, n_parts: int) -> Parts | None:
    """Return how the group of an item may fall apart; None if it is in none."""
    with shown.desk.lock:
        found = shown.overview()
        label = found.label_of(item)
        if label is None:
            return None
        parts = found.parts(label, n_parts)
        fused = fusing_answer(found.repairs.known, parts)
        return Parts(
            group=shown.cluster(label, 0),
            parts=[_part(shown, found, part) for part in parts],
            fusing=None if fused is None else _fusing(shown, *fused),
        )


def _part(shown: Shown, found: Overview, part: Sequence[int]) -> Part:
    some = list(part[:IN_PART])
    return Part(
        size=len(part),
        confirmed=int(found.confirmed[list(part)].sum()),
        items=shown.cards(some),
        is_confirmed=found.confirmed[some].tolist(),
    )


def _fusing(
    shown: Shown, answer: Answer, sides: Sequence[Sequence[int]]
) -> Fusing | None:
    pair = answer.question.pair
    for act in shown.desk.project.acts():
        if any(told.id == answer.id for told in told_in(act.event)):
            return Fusing(
                answer=answer.id,
                who=act.who,
                at=act.at,
                pair=shown.cards(pair),
                sides=[shown.cards(side[:IN_SIDE]) for side in sides],
                sizes=[len(side) for side in sides],
            )
    return None
