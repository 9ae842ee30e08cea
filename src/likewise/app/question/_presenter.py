"""What the question page shows, made from a project at one moment."""

from __future__ import annotations

from collections.abc import Iterable

from likewise.app._project import EVERY, Turn
from likewise.app._schemas import (
    Ahead,
    Candidates,
    Preparing,
    QuestionCard,
    State,
    Status,
)
from likewise.app._snapshot import Snapshot, compared
from likewise.knowledge import Question, Verdict, readable
from likewise.session import candidates_of, explained
from likewise.storage import Info, OpenQuestion

PER_PICKER = 12
STRIP = 4  # further members under a card
IN_A_ROW = 3  # "different" answers about one sample before the picker opens
MANY_GROUPS = 8
CALLED = ("this one", "the other")  # people do not know samples by numbers


def state_of(
    now: Snapshot,
    turn: Turn,
    *,
    saved: str | None = None,
    notice: str | None = None,
    before: Verdict | None = None,
) -> State:
    """Return everything that the question page shows to a person.

    Parameters
    ----------
    now : Snapshot
    turn : Turn
    saved, notice : str, optional
        What became of the act that this is the reply to.
    before : Verdict, optional
        What they had answered, if it was just taken back.
    """
    mine = turn.mine
    card = None if mine is None else _question(now, mine, before)
    status: Status = "waiting" if turn.is_waiting else "settled"
    return seen_by(now, turn.who).model_copy(
        update={
            "question": card,
            "status": "asking" if card else status,
            "saved": saved,
            "notice": notice,
            "checks": now.display.checks,
            "disagreement": now.disagreement(turn.who),
        }
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
        progress=now.progress,
        can_undo=now.last_act(who) is not None,
        disagreements=now.n_disagreements,
        hints=display.hints,
        owner=now.owner,
        changes=display.changes,
    )


def preparing_state(info: Info, status: Preparing, criterion: str, who: str) -> State:
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
        checks=int(info.settings.get("checks", EVERY)),
    )


def candidates(now: Snapshot, mine: OpenQuestion, page: int) -> Candidates:
    """Return a page of groups for the sample of a question."""
    sample, hints = mine.question.sample, now.display.hints
    found = candidates_of(now.view.model, (sample,), now.groups, now.labels)
    shown = found[page * PER_PICKER : (page + 1) * PER_PICKER]
    groups = [
        now.group(
            one.group,
            STRIP,
            one.probability if hints else None,
            (sample,),  # a check is not to give itself away
        )
        for one in shown
    ]
    more = len(found) > (page + 1) * PER_PICKER
    return Candidates(question=mine.id, page=page, groups=groups, has_more=more)


def ahead_of(now: Snapshot, nexts: Iterable[Question]) -> Ahead:
    """Return the pictures of what may be asked next."""
    samples = dict.fromkeys(s for q in nexts for s in (q.sample, q.against))
    return Ahead(pictures=[str(card.thumb) for card in now.cards(list(samples))])


def _question(
    now: Snapshot, mine: OpenQuestion, before: Verdict | None
) -> QuestionCard:
    question = mine.question
    left, right = compared(*now.cards([question.sample, question.against]))
    group = now.by_group.get(now.view.known.constraints.group(question.against))
    card = None if group is None else now.group(group, STRIP, None, question.pair)
    hints = now.display.hints
    return QuestionCard(
        id=mine.id,
        sample=left,
        against=right,
        group=card,
        picker=_wants_picker(now, question.sample),
        why=explained(question, now.view.model, CALLED) if hints else None,
        before=None if before is None else before.value,
    )


def _wants_picker(now: Snapshot, sample: int) -> bool:
    """Tell whether the picker opens by itself: the pair is getting nowhere."""
    streak = 0
    for answer in reversed(now.view.known.answers):
        if answer.question.sample != sample or answer.verdict != "different":
            break
        streak += 1
    many = len(now.groups) > MANY_GROUPS
    return streak >= IN_A_ROW or (many and streak >= 1)
