"""From what a person wants done to groups, to what it amounts to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from likewise.app._overview import Overview
from likewise.app.groups._messages import (
    Compare,
    Merge,
    Planned,
    Review,
    Split,
    Unfuse,
)
from likewise.errors import InputError, StaleError
from likewise.knowledge import Verdict
from likewise.session import Revision

MEANWHILE = "This has changed meanwhile, so nothing was recorded: look again."


def revision_of(found: Overview, wanted: Planned) -> Revision:
    """Return what an act amounts to; names stay with the groups that items leave."""
    revision = _planned(found, wanted)
    renamed = _names_kept(found, leaving(wanted))
    return replace(revision, renamed=renamed) if revision and renamed else revision


def leaving(wanted: Planned) -> list[int]:
    """Return the items that an act may take out of their groups."""
    if isinstance(wanted, Review) and wanted.action not in ("confirm", "back"):
        return wanted.items
    return []


def grouped(found: Overview, item: int) -> int:
    """Return an item that is in a group."""
    if found.label_of(there(found, item)) is None:
        raise InputError(f"Item {item} is in no group: choose another one.")
    return item


def there(found: Overview, item: int) -> int:
    """Return an item that there is."""
    if item >= len(found.labels):
        raise InputError(f"There is no item {item}: look again.")
    return item


def _planned(found: Overview, wanted: Planned) -> Revision:
    repairs = found.repairs
    match wanted:
        case Review():
            return _reviewed(found, wanted)
        case Merge(groups=groups):
            return repairs.merge([grouped(found, item) for item in groups])
        case Split():
            return repairs.part(_parts(found, wanted))
        case Compare(one=one, other=other, verdict=verdict):
            one, other = grouped(found, one), grouped(found, other)
            if found.labels[one] == found.labels[other]:
                raise StaleError(MEANWHILE)
            return repairs.compare(one, other, Verdict(verdict))
        case Unfuse(answer=answer):
            if answer not in {told.id for told in repairs.known.answers}:
                raise StaleError(MEANWHILE)
            return Revision(retracted=(answer,))


def _reviewed(found: Overview, wanted: Review) -> Revision:
    repairs = found.repairs
    items = [there(found, item) for item in dict.fromkeys(wanted.items)]
    _check_seen(found, wanted)
    match wanted.action:
        case "confirm":
            return repairs.confirm(items)
        case "reject":
            return repairs.reject(items)
        case "move":
            if wanted.group is None:
                raise InputError("Moving needs a group: say where to.")
            return repairs.move(items, grouped(found, wanted.group))
        case "new":
            return repairs.found(items)
        case "aside":
            out = [item for item in items if item not in repairs.known.aside]
            return Revision(aside=tuple(out))
        case "back":
            out = [item for item in items if item in repairs.known.aside]
            return Revision(back=tuple(out))


def _check_seen(found: Overview, wanted: Review) -> None:
    if not wanted.seen:
        return
    if len(wanted.seen) != len(wanted.items):
        raise InputError("There must be as many groups seen as items, or none.")
    now = [found.label_of(item) for item in wanted.items]
    if now != [found.label_of(there(found, item)) for item in wanted.seen]:
        raise StaleError(MEANWHILE)


def _parts(found: Overview, wanted: Split) -> list[list[int]]:
    """Return the parts to be recorded: what is confirmed, typical, or put by hand."""
    label = int(found.labels[grouped(found, wanted.group)])
    parts = found.parts(label, wanted.n_parts)
    if wanted.seen and wanted.seen != [part[0] for part in parts]:
        raise StaleError(MEANWHILE)
    moved = {by_hand.item: by_hand.part for by_hand in wanted.moved}
    inside = {item for part in parts for item in part}
    if not inside.issuperset(moved) or max(moved.values(), default=0) >= len(parts):
        raise InputError("Only items of the group can be moved, and only to its parts.")
    return [_recorded(found, part, at, moved) for at, part in enumerate(parts)]


def _recorded(
    found: Overview, part: Sequence[int], at: int, moved: dict[int, int]
) -> list[int]:
    stays = [item for item in part if moved.get(item, at) == at]
    confirmed = [item for item in stays if found.confirmed[item]]
    came = [item for item, to in moved.items() if to == at and item not in stays]
    kept = [item for item in stays if item in moved]
    return list(dict.fromkeys([*stays[:1], *confirmed, *kept, *came]))


def _names_kept(found: Overview, items: Sequence[int]) -> tuple[tuple[int, str], ...]:
    """Return whom the names of leaving items go to, so that their groups keep them."""
    out = set(items)
    carrier = {
        int(found.labels[item]): item
        for item, name in found.session.names.items()
        if name
    }
    kept: list[tuple[int, str]] = []
    for label, item in carrier.items():
        heir = found.repairs.anchor(item, items) if item in out else None
        if heir is not None:
            kept += [(item, ""), (heir, found.name[label])]
    return tuple(kept)
