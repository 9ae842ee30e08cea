"""From what a person wants done to groups, to one act of theirs."""

from __future__ import annotations

from collections.abc import Sequence

from likewise.app._messages import GroupCard, Rename
from likewise.app._overview import Overview
from likewise.app._show import Shown
from likewise.app.groups._messages import (
    Compare,
    Merge,
    Planned,
    Preview,
    Recorded,
    Review,
    Reviewed,
    Split,
    Tally,
    Unfuse,
    Wanted,
)
from likewise.app.groups._plans import grouped, leaving, revision_of, there
from likewise.app.groups._show import IN_SIDE, namesakes
from likewise.knowledge import Verdict
from likewise.session import Revision, Session

ALREADY = "Nothing was recorded: answers say so already."


def acted(shown: Shown, who: str, wanted: Planned) -> Reviewed:
    """Do what a person wants, as one act; what was done before is not done again."""
    plans: list[tuple[Revision, int | None, Overview]] = []

    def do(session: Session) -> None:
        found = shown.overview()
        revision = revision_of(found, wanted)
        plans.append((revision, stay_of(found, wanted), found))
        if revision:
            shown.hand_on(leaving(wanted))
            session.revise(revision)

    with shown.desk.lock:
        notice = shown.desk.act(who, wanted.client_id, do)
        if not plans:
            return _reply(shown, who, "Saved before", notice)
        ((revision, stay, before),) = plans
        saved = f"Saved: {_said(before, wanted)}" if revision else None
        reply = _reply(shown, who, saved, None if revision else ALREADY)
        reply.recorded, reply.stay = recorded_in(revision), stay
        reply.before = _tally(before, stay)
        reply.after = _tally(shown.overview(), stay)
        return reply


def previewed(shown: Shown, wanted: Wanted) -> Preview:
    """Return what an act would amount to; nothing is recorded."""
    with shown.desk.lock:
        found = shown.overview()
        items: Sequence[int] = ()
        match wanted:
            case Rename(item=item, name=name):
                others = namesakes(found, there(found, item), name)
                items = [item, *(found.anchor(label) for label in others)]
                return Preview(recorded=Recorded(), groups=_cards(shown, items))
            case Merge(groups=groups):
                items = groups
            case Compare(one=one, other=other):
                items = [one, other]
        recorded = recorded_in(revision_of(found, wanted))
        return Preview(recorded=recorded, groups=_cards(shown, items))


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


# What is said about it


def stay_of(found: Overview, wanted: Planned) -> int | None:
    """Return an item of the group in which an act takes place, and that stays there."""
    match wanted:
        case Review(items=items):
            if len(set(found.labels[items].tolist())) > 1:
                return None
            heir = found.repairs.anchor(items[0], leaving(wanted))
            return wanted.group if heir is None else heir
        case Merge(groups=groups):
            return groups[0]
        case Split(group=group):
            return group
        case Compare(one=one):
            return one
        case Unfuse():
            return None


def _tally(found: Overview, item: int | None) -> Tally | None:
    label = None if item is None else found.label_of(item)
    if label is None:
        return None
    return Tally(size=found.size(label), confirmed=found.n_confirmed(label))


def _cards(shown: Shown, items: Sequence[int]) -> list[GroupCard]:
    found = shown.overview()
    labels = dict.fromkeys(int(found.labels[grouped(found, i)]) for i in items)
    return [shown.cluster(label, IN_SIDE) for label in labels]


def _said(found: Overview, wanted: Planned) -> str:
    match wanted:
        case Review(action=action, items=items):
            return f"{len(set(items)):,} {_DONE[action]}" + _where(found, wanted)
        case Merge(groups=groups):
            return f"{len(set(found.labels[groups].tolist()))} groups merged"
        case Split(n_parts=n_parts):
            return f"split into {n_parts}"
        case Compare(verdict=verdict):
            return "not sure" if verdict == "unsure" else verdict
        case Unfuse(answer=answer):
            return f"answer {answer} taken back"


_DONE = {
    "confirm": "confirmed",
    "reject": "taken out of the group",
    "move": "moved to",
    "new": "in a new group",
    "aside": "set aside",
    "back": "put back",
}


def _where(found: Overview, wanted: Review) -> str:
    if wanted.action != "move" or wanted.group is None:
        return ""
    label = int(found.labels[wanted.group])
    return " " + (found.name.get(label) or f"Group {found.number[label]}")


def _reply(shown: Shown, who: str, saved: str | None, notice: str | None) -> Reviewed:
    return Reviewed(
        saved=None if notice else saved,
        notice=notice,
        recorded=Recorded(),
        version=shown.desk.version,
        can_undo=shown.desk.last_act(who) is not None,
    )
