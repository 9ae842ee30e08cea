"""What the question page shows, made from a project at one moment."""

from __future__ import annotations

from collections.abc import Iterable

from likewise.app._project import EVERY, Outcome, Turn
from likewise.app._schemas import (
    Ahead,
    Candidates,
    Preparing,
    QuestionCard,
    State,
    Status,
)
from likewise.app._snapshot import PAIRS, Snapshot, compared
from likewise.app.question._screens import STRIP, offered, screen_card, seen_on
from likewise.knowledge import Costs, Screen, Verdict, readable
from likewise.session import explained
from likewise.storage import Info, OpenQuestion

PER_PICKER = 12
IN_A_ROW = 3  # "different" answers about one sample before the picker opens
MANY_GROUPS = 8
CALLED = ("this one", "the other")  # people do not know samples by numbers


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
        What became of the act that this is the reply to.
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
        progress=now.progress_at(Costs().pair),
        can_undo=now.last_act(who) is not None,
        disagreements=now.n_disagreements,
        hints=display.hints,
        owner=now.owner,
        changes=display.changes,
        screens=display.screens,
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
        screens=PAIRS if info.settings.get("screens") == PAIRS else "all",
    )


def candidates(now: Snapshot, mine: OpenQuestion, page: int) -> Candidates:
    """Return a page of groups for the sample of a question."""
    return offered(now, mine, (mine.question.sample,), page, PER_PICKER)


def ahead_of(now: Snapshot, nexts: Iterable[Screen]) -> Ahead:
    """Return the pictures of what may be asked next."""
    samples = dict.fromkeys(s for screen in nexts for s in seen_on(screen))
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
