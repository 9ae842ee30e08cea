"""Acts in plain words."""

from __future__ import annotations

from collections.abc import Sequence

from likewise.app.history._ledger import Ledger, Record, replaced_in
from likewise.knowledge import (
    Kept,
    Renamed,
    Retracted,
    SetAside,
    Single,
    Verdict,
    singles_of,
)
from likewise.session import Reliability

HOW = {
    "asked": "answered",
    "check": "answered a check",
    "picker": "picked the group",
    "review": "sorted by hand",
    "given": "known beforehand",
    "told": "told without a question",
    "other": "did something else",
}
NEW_GROUP = "began a new group"


def words_of(record: Record, ledger: Ledger) -> str:
    """Return what somebody did, as it follows their name.

    Examples
    --------
    >>> from likewise.storage._protocol import Act
    >>> words_of(Record(Act(0, Renamed(3, "oak"), "Ann", 0.0)), Ledger())
    'named a group “oak”'
    """
    changed = change_in(record, ledger)
    if changed is not None:
        return changed
    singles = singles_of(record.act.event)
    said = [] if not record.entries else [_told(record)]
    taken = [id_ for s in singles if isinstance(s, Retracted) for id_ in s.ids]
    left = [id_ for s in singles if isinstance(s, Kept) for id_ in s.ids]
    said += [f"took back {_answers(taken)}"] if taken else []
    said += [f"left {_answers(left)} to disagree"] if left else []
    return ", ".join([*said, *_others(singles)])


def change_in(record: Record, ledger: Ledger) -> str | None:
    """Return which answer an act has changed, if that is all that it did."""
    if len(record.entries) != 1:
        return None
    taken = [
        id_
        for single in singles_of(record.act.event)
        if isinstance(single, Retracted)
        for id_ in single.ids
    ]
    before = [ledger.answers[id_].answer for id_ in taken if id_ in ledger.answers]
    pairs = {answer.id: answer.question.pair for answer in before}
    if len(before) != 1 or not list(replaced_in(record.act, pairs)):
        return None
    after = record.entries[0].answer.verdict
    old = before[0]
    return f"changed answer {old.id} from {_said(old.verdict)} to {_said(after)}"


def undoing_of(record: Record, ledger: Ledger) -> str | None:
    """Return what undoing an act is called; None when its one answer says it all."""
    singles = singles_of(record.act.event)
    if [type(single) for single in singles] == [Retracted]:
        return "Bring back"
    if change_in(record, ledger) is not None:
        return "Undo this change"
    if not record.entries or len(singles) > 1:
        return "Undo this"
    return "Take all back" if len(record.entries) > 1 else None


def checks_of(found: Reliability) -> str:
    """Return what the checks tell about the answers.

    Examples
    --------
    >>> checks_of(Reliability(0, 0, 0.015, 0.0, 0.05))
    'No check has been answered yet.'
    >>> checks_of(Reliability(20, 1, 0.021, 0.004, 0.049))
    'Of 20 checks 1 failed. About 2.1 % of the answers are wrong (0.4 to 4.9 %).'
    """
    if found.n_checks == 0:
        return "No check has been answered yet."
    checks = "1 check" if found.n_checks == 1 else f"{found.n_checks} checks"
    low, rate, high = (f"{100 * x:.1f}" for x in (found.low, found.rate, found.high))
    return (
        f"Of {checks} {found.n_failed or 'none'} failed. "
        f"About {rate} % of the answers are wrong ({low} to {high} %)."
    )


def _told(record: Record) -> str:
    apart = all(e.answer.verdict is Verdict.DIFFERENT for e in record.entries)
    if record.how == "picker" and apart:
        return NEW_GROUP
    return HOW.get(record.how, record.how)


def _others(singles: Sequence[Single]) -> list[str]:
    found = [
        f"named a group “{s.name}”" if s.name else "took the name of a group away"
        for s in singles
        if isinstance(s, Renamed)
    ]
    aside = sum(isinstance(s, SetAside) and s.aside for s in singles)
    back = sum(isinstance(s, SetAside) and not s.aside for s in singles)
    found += [f"set {_items(aside)} aside"] if aside else []
    return found + ([f"put {_items(back)} back"] if back else [])


def _answers(ids: Sequence[int]) -> str:
    return f"answer {ids[0]}" if len(ids) == 1 else f"{len(ids)} answers"


def _items(count: int) -> str:
    return "an item" if count == 1 else f"{count} items"


def _said(verdict: Verdict) -> str:
    return {"unsure": "not sure"}.get(verdict.value, verdict.value)
