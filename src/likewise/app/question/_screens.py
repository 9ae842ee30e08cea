"""What sheets and overviews show, made from a project at one moment."""

from __future__ import annotations

from collections.abc import Sequence

from likewise.app._ledger import left_of, same_in, unsure_in
from likewise.app._schemas import (
    Candidates,
    GlanceCard,
    OverviewCard,
    SheetCard,
    Tapped,
)
from likewise.app._snapshot import Snapshot
from likewise.errors import InputError
from likewise.knowledge import Overview, Pair, Screen, Sheet, Told
from likewise.session import Group, candidates_of
from likewise.storage import OpenQuestion

STRIP = 4  # further members under a card
AT_A_GLANCE = 3  # further members of a group on an overview
OFFERED = 8  # groups for a pile, on a page
WHY = {
    "misfits": "Most of these are expected to belong: the most doubtful come first.",
    "members": "Few of these are expected to belong: the likeliest come last.",
}


def screen_card(
    now: Snapshot, mine: OpenQuestion, undone: Told | None
) -> SheetCard | OverviewCard | None:
    """Return the screen that a person has; None for a question alone.

    Parameters
    ----------
    now : Snapshot
    mine : OpenQuestion
    undone : Told or None
        What they had said, if it was just taken back.
    """
    if mine.screen is None:
        return None
    left = left_of(mine.screen, now.view.known.aside)
    if isinstance(left, Sheet):
        return _sheet(now, mine.id, left, undone)
    return _overview(now, mine.id, left, undone)


def seen_on(screen: Screen) -> tuple[int, ...]:
    """Return all samples that are shown on a screen.

    Examples
    --------
    >>> from likewise import Question
    >>> seen_on(Sheet((7, 5), (Question(1, 7), Question(2, 7))))
    (7, 5, 1, 2)
    """
    match screen:
        case Pair(question):
            return question.sample, question.against
        case Sheet():
            return (*screen.speakers, *screen.items)
    return screen.speakers


def candidates_for(
    now: Snapshot, mine: OpenQuestion, items: Sequence[int], page: int
) -> Candidates:
    """Return a page of groups that some misfits of a sheet may belong to together."""
    sheet, pile = mine.screen, tuple(dict.fromkeys(items))
    if not isinstance(sheet, Sheet):
        raise InputError("You have no sheet whose items could be sorted: look again.")
    for item in pile:
        if item not in sheet.items:
            raise InputError(f"Item {item} is not on your sheet: look again.")
    here = _group(now, sheet.speakers[0])
    unlike = (*sheet.speakers, *(() if here is None else here.samples))
    return offered(now, mine, pile, page, OFFERED, unlike)


def offered(
    now: Snapshot,
    mine: OpenQuestion,
    pile: Sequence[int],
    page: int,
    per_page: int,
    unlike: Sequence[int] = (),
) -> Candidates:
    """Return a page of the groups that samples may belong to, but for some.

    They are not shown as members of these: a check is not to give itself away.
    """
    found = candidates_of(now.view.model, pile, now.groups, now.labels, unlike)
    start, stop = page * per_page, (page + 1) * per_page
    hints = now.display.hints
    groups = [
        now.group(one.group, STRIP, one.probability if hints else None, pile)
        for one in found[start:stop]
    ]
    more = len(found) > stop
    return Candidates(question=mine.id, page=page, groups=groups, has_more=more)


def _sheet(now: Snapshot, id_: int, sheet: Sheet, undone: Told | None) -> SheetCard:
    group, before = _group(now, sheet.speakers[0]), None
    if undone is not None and undone.shown is not None:
        tapped = list(undone.shown.tapped)
        before = Tapped(tapped=tapped, unsure=unsure_in(undone))
    return SheetCard(
        id=id_,
        tap=sheet.tap,
        sorts=sheet.sorts,
        speakers=now.cards(sheet.speakers),
        items=now.cards(sheet.items),
        group=None if group is None else now.group(group, 0),
        why=WHY[sheet.tap] if now.display.hints else None,
        before=before,
    )


def _overview(
    now: Snapshot, id_: int, overview: Overview, undone: Told | None
) -> OverviewCard:
    return OverviewCard(
        id=id_,
        groups=[_glance(now, speaker) for speaker in overview.speakers],
        before=None if undone is None else same_in(undone),
    )


def _glance(now: Snapshot, speaker: int) -> GlanceCard:
    """Return a group by one of its members, with some more that are known to be."""
    group, label = _group(now, speaker), now.label_of(speaker)
    card = None if label is None else now.cluster(label, 0)
    known = [] if group is None else [s for s in group.samples if s != speaker]
    return GlanceCard(
        speaker=now.cards([speaker])[0],
        more=now.cards(known[:AT_A_GLANCE]),
        number=card.number if card else 0,
        name=card.name if card else "",
        size=card.size if card else 1 + len(known),
    )


def _group(now: Snapshot, sample: int) -> Group | None:
    return now.by_group.get(now.view.known.constraints.group(sample))
