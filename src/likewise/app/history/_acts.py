"""What people do to what was said: each is one act, and one step to undo."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from likewise.app.history._ledger import Entry, Ledger
from likewise.app.history._messages import Change, Done, Keep, Retract, UndoAct
from likewise.app.history._show import History
from likewise.errors import InputError, StaleError
from likewise.knowledge import (
    Event,
    Kept,
    Renamed,
    Retracted,
    SetAside,
    Single,
    Told,
    Undone,
    Verdict,
    singles_of,
    told_in,
    without_numbers,
)
from likewise.session import Revision, Session

DOUBTFUL = "Answers disagree now; nothing was dropped."
WORDS = {"same": "same", "different": "different", "unsure": "not sure"}


def change(history: History, who: str, wanted: Change) -> Done:
    """Say something else than an answer did."""

    def do(session: Session) -> None:
        entry = _standing(history.ledger(), wanted.answer)
        verdict = Verdict.of(wanted.verdict)
        if entry.answer.verdict is verdict:
            said = WORDS[wanted.verdict]
            raise InputError(f"Answer {wanted.answer} says “{said}” already.")
        session.revise(session.repairs.change(wanted.answer, verdict))

    saved = f"answer {wanted.answer} changed to {WORDS[wanted.verdict]}"
    return _done(history, who, wanted.client_id, do, saved)


def retract(history: History, who: str, wanted: Retract) -> Done:
    """Take back some answers."""
    ids = tuple(dict.fromkeys(wanted.answers))

    def do(session: Session) -> None:
        for id_ in ids:
            _standing(history.ledger(), id_)
        session.revise(Revision(retracted=ids))

    what = f"answer {ids[0]}" if len(ids) == 1 else f"{len(ids)} answers"
    return _done(history, who, wanted.client_id, do, f"{what} taken back")


def keep(history: History, who: str, wanted: Keep) -> Done:
    """Leave an answer to disagree with others."""

    def do(session: Session) -> None:
        if _standing(history.ledger(), wanted.answer).state != "doubtful":
            raise StaleError(
                f"There is nothing to decide about answer {wanted.answer} any more: "
                f"look again."
            )
        session.keep(wanted.answer)

    saved = f"answer {wanted.answer} stays as it is"
    return _done(history, who, wanted.client_id, do, saved)


def undo_act(history: History, who: str, wanted: UndoAct) -> Done:
    """Undo one act of anybody; an undone one comes back."""
    act = history.act(wanted.act)
    event = None if act is None else without_numbers(act.event)
    if event is None:
        raise InputError(f"There is no act {wanted.act}.")

    def do(session: Session) -> None:
        if isinstance(event, Undone):
            _repeat(history, session, event)
        elif isinstance(event, Told):
            # Taken back, not undone, so that this can be undone in turn.
            ids = [entry.answer.id for entry in _left(history.ledger(), wanted.act)]
            session.revise(Revision(retracted=tuple(ids)))
        elif wanted.act in session.acts:
            session.undo(wanted.act)
        else:
            raise StaleError("This was undone meanwhile: look again.")

    saved = "brought back" if _brings_back(event) else "undone"
    return _done(history, who, wanted.client_id, do, saved)


def _done(
    history: History,
    who: str,
    client_id: str,
    do: Callable[[Session], None],
    saved: str,
) -> Done:
    desk = history.shown.desk
    with desk.lock:
        before = {entry.answer.id for entry in history.ledger().open}
        missed = desk.act(who, client_id, do)
        new = {entry.answer.id for entry in history.ledger().open} - before
        return Done(
            saved=None if missed else f"Saved: {saved}",
            notice=DOUBTFUL if new else missed,
            version=desk.version,
            can_undo=desk.last_act(who) is not None,
            act=history.number_of(client_id),
            disagreement=max(new, default=None),
        )


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


def _left(ledger: Ledger, act: int) -> Sequence[Entry]:
    found = [entry for entry in ledger.by_act[act].entries if entry.is_standing]
    if not found:
        raise StaleError("All of this was taken back meanwhile: look again.")
    return found


def _brings_back(event: Event) -> bool:
    singles = singles_of(event)
    return isinstance(event, Undone) or [type(s) for s in singles] == [Retracted]


def _repeat(history: History, session: Session, undoing: Undone) -> None:
    """Do again what was undone: an undoing itself cannot be undone."""
    act = history.act(undoing.position)
    ledger = history.ledger()
    singles = singles_of(act.event) if act else ()
    told = told_in(act.event) if act else ()
    if told and all(map(ledger.is_said, told)):
        raise StaleError("This was brought back already: look again.")
    match singles:
        case [Renamed(sample, name)]:
            session.rename(sample, name)
        case [Kept(ids)]:
            session.keep(_standing(ledger, ids[0]).answer.id)
        case _:
            session.revise(_revision(ledger, singles))


def _revision(ledger: Ledger, singles: Sequence[Single]) -> Revision:
    taken = [id_ for s in singles if isinstance(s, Retracted) for id_ in s.ids]
    aside = [s for s in singles if isinstance(s, SetAside)]
    return Revision(
        tuple(_standing(ledger, id_).answer.id for id_ in taken),
        tuple(a for s in singles if isinstance(s, Told) for a in s.answers),
        tuple(s.sample for s in aside if s.aside),
        tuple(s.sample for s in aside if not s.aside),
    )
