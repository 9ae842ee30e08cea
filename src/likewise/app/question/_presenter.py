"""What the question page shows, made from a project at one moment."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from likewise.app._ledger import left_of
from likewise.app._project import EVERY, Outcome, Turn
from likewise.app._roles import READER, Roster
from likewise.app._schemas import (
    Ahead,
    Candidates,
    GlanceCard,
    GroupCard,
    OverviewCard,
    Preparing,
    QuestionCard,
    SaidCard,
    SheetCard,
    SlipCard,
    State,
    Status,
    Tapped,
)
from likewise.app._snapshot import PAIRS, Snapshot, compared
from likewise.errors import InputError
from likewise.knowledge import (
    Answer,
    Costs,
    Overview,
    Pair,
    Question,
    Screen,
    Sheet,
    Told,
    Verdict,
    readable,
)
from likewise.methods import OFFERED
from likewise.session import (
    SHARE,
    Group,
    candidates_of,
    each_once,
    is_deciding,
    is_second,
    reason_for,
    same_in,
    unsure_in,
    usual_minutes,
    usual_questions,
    why_pick,
)
from likewise.storage import Info, OpenQuestion

PER_PICKER = 12
STRIP = 4  # further members under a card
AT_A_GLANCE = 3  # further members of a group on an overview
WHY = {
    "misfits": "Most probably belong: the most doubtful come first.",
    "members": "Few probably belong: the likeliest come last.",
    "overview": "These groups look alike: some may be the same.",
}
WHY_THE_SAME = {
    "misfits": "Most of these are probably the same: the most doubtful come first.",
    "members": "Few of these are probably the same: the likeliest come last.",
    "overview": "These look alike: some may be the same.",
}
THINGS = {"image": "pictures", "text": "texts", "row": "entries"}


def state_of(
    now: Snapshot,
    turn: Turn,
    *,
    saved: str | None = None,
    notice: str | None = None,
    outcome: Outcome | None = None,
) -> State:
    """Return everything that the question page shows to a person.

    Parameters
    ----------
    now : Snapshot
    turn : Turn
    saved, notice : str, optional
        What became of the action that this replies to.
    outcome : Outcome, optional
        Of that act: what they had answered, if it was just taken back.
    """
    mine, done = turn.mine, outcome or Outcome()
    is_pair = mine is not None and mine.screen is None
    status: Status = "waiting" if turn.is_waiting else "settled"
    return seen_by(now, turn.who).model_copy(
        update={
            "question": _question(now, mine, done.verdict)
            if mine and is_pair
            else None,
            "screen": screen_card(now, mine, done.undone) if mine else None,
            "status": "asking" if mine else status,
            "progress": now.progress_at(turn.pace),
            "saved": saved,
            "notice": notice,
            "checks": now.display.checks,
            "overlap": now.display.overlap,
            "refer": now.display.refer,
            "disagreement": now.disagreement(turn.who),
            "welcome": welcome_of(now, turn.pace) if mine else None,
            "slip": slip_of(now, turn),
        }
    )


def welcome_of(now: Snapshot, pace: float) -> str | None:
    """Return what will happen, how long it takes, and that nothing is wrong yet.

    None from the first answer on.

    Parameters
    ----------
    now : Snapshot
    pace : float
        Seconds that the person takes for a pair.
    """
    if now.view.known.answers:
        return None
    things = THINGS[now.display.kind]
    if now.display.seek == "duplicates":
        return (
            f"You will see two {things} at a time, now and then a few more, and say "
            f"which are the same thing. You are asked only where there is doubt, and "
            f"you can stop at any time. Until you answer, everything is a guess."
        )
    low, high = usual_questions(now.n_items)
    minutes = usual_minutes(now.n_items, now.pace_at(pace))
    return (
        f"You will see a few {things} at a time and say which belong together. "
        f"{now.n_items:,} {things} usually take {low:,} to {high:,} questions, about "
        f"{minutes}, and you can stop at any time. There are no wrong groups yet: "
        f"until you answer, everything is a guess."
    )


def slip_of(now: Snapshot, turn: Turn) -> SlipCard | None:
    """Return what a person has contradicted of late, if it is time to decide.

    Where it is not clear which answer is wrong, they have a question that tells.
    """
    who, mine = turn.who, turn.mine
    answer = now.disputed(who)
    is_early = mine is not None and mine.screen is None and is_deciding(mine.question)
    if answer is None or is_early:
        return None
    found, last = now.suspects(answer), now.last_act(who)
    return SlipCard(
        answer=answer,
        suspects=[_said(now, who, one.answer, last) for one in found],
        solves=found[0].n_solved,
    )


def _said(now: Snapshot, who: str, answer: Answer, last: int | None) -> SaidCard:
    made = now.ledger.answers[answer.id].made
    question = answer.question
    left, right = compared(*now.cards([question.sample, question.against]))
    return SaidCard(
        id=answer.id,
        sample=left,
        against=right,
        verdict="same" if answer.verdict is Verdict.SAME else "different",
        who=made.who,
        at=made.at,
        last=made.act == last,
        may_change=now.may_change(who, made.who),
    )


def seen_by(now: Snapshot, who: str) -> State:
    """Return what every page shows to a person: a state without a question."""
    display = now.display
    return State(
        project=display.project,
        criterion=display.criterion,
        about=display.about,
        who=who,
        kind=display.kind,
        n_items=now.n_items,
        version=now.version,
        status="asking",
        progress=now.progress_at(Costs().pair),
        can_undo=now.last_act(who) is not None,
        disagreements=now.n_disagreements,
        hints=display.hints,
        why=display.why,
        owner=now.owner,
        role=now.roster.role_of(who) or READER,
        changes=display.changes,
        screens=display.screens,
        seek=display.seek,
        early=display.early,
    )


def preparing_state(
    info: Info, status: Preparing, criterion: str, who: str, roster: Roster
) -> State:
    """Return what the question page shows while the items are being read."""
    return State(
        project=info.name,
        criterion=readable(str(info.settings.get("criterion") or criterion)),
        about="",
        who=who,
        kind="row",
        n_items=info.n_items,
        version=info.n_acts,
        status="preparing",
        preparing=status,
        owner=roster.owner,
        role=roster.role_of(who) or READER,
        checks=int(info.settings.get("checks", EVERY)),
        overlap=float(info.settings.get("overlap", SHARE)),
        refer=bool(info.settings.get("refer", True)),
        screens=PAIRS if info.settings.get("screens") == PAIRS else "all",
    )


def candidates(now: Snapshot, mine: OpenQuestion, page: int) -> Candidates:
    """Return a page of groups for the sample of a question."""
    return offered(now, mine, (mine.question.sample,), page, PER_PICKER)


def ahead_of(now: Snapshot, nexts: Iterable[Screen]) -> Ahead:
    """Return the pictures of what may be asked next."""
    samples = dict.fromkeys(s for screen in nexts for s in seen_on(screen))
    cards = now.cards(list(samples))
    return Ahead(pictures=[card.thumb for card in cards if card.thumb is not None])


def _question(
    now: Snapshot, mine: OpenQuestion, before: Verdict | None
) -> QuestionCard:
    question = mine.question
    left, right = compared(*now.cards([question.sample, question.against]))
    things = THINGS[now.display.kind]
    reason = why_pick(now.view.known, question, len(now.groups))
    return QuestionCard(
        id=mine.id,
        sample=left,
        against=right,
        group=_group_beside(now, question),
        picker=reason is not None,
        picker_why=reason,
        why=reason_for(question, now.view, things) if now.display.why else None,
        before=None if before is None else before.value,
    )


def _group_beside(now: Snapshot, question: Question) -> GroupCard | None:
    """Return the group of what an item is compared with, at a glance.

    As if nobody had compared the two: what another reader said of them is not shown.
    """
    group = _group(now, question.against)
    if group is None or not is_second(question):
        return None if group is None else now.group(group, STRIP, None, question.pair)
    others = tuple(s for s in group.samples if s != question.sample)
    card = now.group(replace(group, samples=others), STRIP, None, question.pair)
    return card if card.members else None


# Sheets and overviews


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
    listed = candidates_of(now.view.model, pile, now.groups, now.labels, unlike)
    here = {int(now.labels[item]) for item in unlike}
    found = [one for one in each_once(listed) if one.group.label not in here]
    start, stop = page * per_page, (page + 1) * per_page
    hints = now.display.hints and not is_second(mine.question)
    groups = [
        now.group(one.group, STRIP, one.probability if hints else None, pile, pile)
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
        why=_why(now, sheet.tap),
        before=before,
    )


def _why(now: Snapshot, screen: str) -> str | None:
    if not now.display.why:
        return None
    return (WHY_THE_SAME if now.display.seek == "duplicates" else WHY)[screen]


def _overview(
    now: Snapshot, id_: int, overview: Overview, undone: Told | None
) -> OverviewCard:
    return OverviewCard(
        id=id_,
        groups=[_glance(now, speaker) for speaker in overview.speakers],
        why=_why(now, "overview"),
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
