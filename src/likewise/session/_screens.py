"""Screens of a session: asked for by their worth a second, and told as one act."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from math import isfinite
from typing import Any

from likewise._arrays import described, whole_or_none
from likewise.errors import InputError
from likewise.knowledge import (
    Answer,
    Costs,
    Overview,
    Pile,
    Sheet,
    Shown,
    told_by_sheet,
)
from likewise.methods import KINDS, MOST, Model
from likewise.session._state import State

FOUNDING = 0.15  # a sample with no group this likely founds one


def checked_kinds(kinds: Iterable[str]) -> tuple[str, ...]:
    """Return the kinds of screens that are wanted, or refuse others."""
    if isinstance(kinds, str) or not isinstance(kinds, Iterable):
        raise InputError(
            f"Kinds of screens are a list of {', '.join(KINDS)}, not "
            f"{described(kinds)}."
        )
    wanted = tuple(kinds)
    for kind in wanted:
        if kind not in KINDS:
            raise InputError(
                f"There are no screens of kind {described(kind)}: use "
                f"{', '.join(KINDS)}."
            )
    return wanted


def checked_seconds(seconds: float | None) -> float | None:
    """Return how long somebody took, or refuse what nobody can have taken."""
    if seconds is None:
        return None
    try:
        found = float(seconds)
    except (TypeError, ValueError):
        found = -1.0
    if not (isfinite(found) and found >= 0):
        raise InputError(
            f"Seconds are a number from 0 on, but these are {described(seconds)}."
        )
    return found


def _listed(samples: Any, what: str) -> list[int]:
    numbers = [whole_or_none(sample) for sample in samples]
    if None in numbers:
        raise InputError(f"{what} are samples, but these are {described(samples)}.")
    return [int(number) for number in numbers if number is not None]


def told_of_sheet(
    state: State,
    model: Model,
    sheet: Sheet,
    tapped: Iterable[int],
    piles: Iterable[Pile],
    unsure: Iterable[int],
    seconds: float | None,
) -> tuple[list[Answer], Shown]:
    """Return what a filled-in sheet says, and what was on it."""
    if not isinstance(sheet, Sheet):
        raise InputError(
            f"A sheet is one of session.ask_screen(), but this is {described(sheet)}."
        )
    chosen, open_ = _listed(tapped, "Tapped items"), _listed(unsure, "Unsure items")
    sorted_ = list(piles)
    placed = [item for pile in sorted_ for item in pile.items]
    for sample in (*chosen, *open_, *placed):
        if sample not in sheet.items:
            raise InputError(
                f"Sample {sample} is not on the sheet: its items are "
                f"{', '.join(map(str, sheet.items))}."
            )
    misfits = set(chosen) ^ (set() if sheet.tap == "misfits" else set(sheet.items))
    if not misfits.issuperset(placed) or len(set(placed)) < len(placed):
        raise InputError("Only what does not belong is put elsewhere, and once.")
    are_new = [_is_new(state, model, pile) for pile in sorted_]
    told = told_by_sheet(sheet, chosen, sorted_, open_, are_new)
    before = state.known.compared
    told = [
        answer
        for answer in told
        if answer.how != "piled"
        or answer.question.against not in before.get(answer.question.sample, ())
    ]
    offered = tuple(len(pile.unlike) + (pile.group is not None) for pile in sorted_)
    shown = Shown(
        "sheet",
        sheet.speakers,
        sheet.items,
        sheet.tap,
        tuple(chosen),
        offered,
        checked_seconds(seconds),
    )
    return told, shown


def _is_new(state: State, model: Model, pile: Pile) -> bool:
    """Tell whether items of none of the groups offered are one of their own.

    Several are; a single one is if no other group is likely, too.
    """
    if pile.group is not None or len(pile.items) > 1:
        return True
    out = {state.sample(sample) for sample in pile.unlike}
    chances = model.chances(state.sample(pile.items[0]))
    left = [p for members, p in chances.groups if out.isdisjoint(members)]
    return max(left, default=0.0) < FOUNDING


def told_of_overview(
    overview: Overview, same: Iterable[Sequence[int]], seconds: float | None
) -> tuple[list[Answer], Shown]:
    """Return what a filled-in overview says, and what was on it."""
    if not isinstance(overview, Overview):
        raise InputError(
            f"An overview is one of session.ask_screen(), but this is "
            f"{described(overview)}."
        )
    parts = [_listed(part, "Groups that are the same") for part in same]
    tapped = [speaker for part in parts for speaker in part]
    if not set(overview.speakers).issuperset(tapped) or len(set(tapped)) < len(tapped):
        raise InputError(
            f"Each group is named once, by its item on the overview "
            f"({', '.join(map(str, overview.speakers))}), but these are {parts}."
        )
    shown = Shown(
        "overview",
        speakers=overview.speakers,
        tapped=tuple(tapped),
        seconds=checked_seconds(seconds),
    )
    return list(overview.answers(parts)), shown
