"""Which records a person wants to see, and in which order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from likewise.app.history._ledger import Entry, Ledger, Record
from likewise.exports import samples_of
from likewise.knowledge import Kept, Retracted, singles_of

Only: TypeAlias = Literal["doubtful", "checks"]
SURPRISING = 0.75  # from here on an answer is listed as surprising


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to show; None is all.

    Parameters
    ----------
    who : str, optional
    only : {"doubtful", "checks"}, optional
        Answers that disagree or surprise, or checks that failed.
    item : int, optional
    how : str, optional
        See ``Record.how``.
    act : int, optional
    """

    who: str | None = None
    only: Only | None = None
    item: int | None = None
    how: str | None = None
    act: int | None = None


def chosen(ledger: Ledger, wanted: Wanted) -> list[Record]:
    """Return the records that are wanted, newest first, each with such answers only.

    Those that are wanted because they are doubtful come in the order of their surprise,
    and those that disagree before all others.
    """
    found = [
        kept
        for record in reversed(ledger.records)
        if (kept := _kept(record, wanted, ledger)) is not None
    ]
    if wanted.only == "doubtful":
        found.sort(key=_doubt, reverse=True)
    return found


def is_failed(entry: Entry) -> bool:
    """Tell whether an answer to a check denies what was known."""
    is_check = entry.answer.question.is_check
    return is_check and entry.state in ("doubtful", "kept")


def is_surprising(entry: Entry) -> bool:
    """Tell whether hardly anybody would have expected an answer."""
    return (entry.surprise or 0.0) >= SURPRISING


def spoken_of(record: Record, ledger: Ledger) -> tuple[int, ...]:
    """Return the items that an act speaks of, also by the answers that it names."""
    named = [
        sample
        for single in singles_of(record.act.event)
        if isinstance(single, Retracted | Kept)
        for id_ in single.ids
        if id_ in ledger.answers
        for sample in ledger.answers[id_].answer.question.pair
    ]
    return tuple(dict.fromkeys([*samples_of(record.act.event), *named]))


def _kept(record: Record, wanted: Wanted, ledger: Ledger) -> Record | None:
    if not _fits(record, wanted, ledger):
        return None
    if wanted.only is None and wanted.item is None:
        return record
    entries = tuple(_matching(record, wanted))
    if wanted.only is not None and not entries:
        return None
    return replace(record, entries=entries)


def _fits(record: Record, wanted: Wanted, ledger: Ledger) -> bool:
    return (
        wanted.act in (None, record.act.number)
        and wanted.who in (None, record.act.who)
        and wanted.how in (None, record.how)
        and (wanted.item is None or wanted.item in spoken_of(record, ledger))
    )


def _matching(record: Record, wanted: Wanted) -> Iterator[Entry]:
    for entry in record.entries:
        pair = entry.answer.question.pair
        if wanted.item is not None and wanted.item not in pair:
            continue
        if wanted.only == "doubtful" and not _is_doubtful(entry):
            continue
        if wanted.only == "checks" and not is_failed(entry):
            continue
        yield entry


def _is_doubtful(entry: Entry) -> bool:
    if entry.state in ("doubtful", "kept"):
        return True
    return entry.is_standing and is_surprising(entry)


def _doubt(record: Record) -> tuple[bool, float]:
    return max((e.state == "doubtful", e.surprise or 0.0) for e in record.entries)
