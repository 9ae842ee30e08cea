"""Screens of a session: asked for by their worth a second, and told as one act."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from math import isfinite

import numpy as np

from likewise._arrays import described, whole_or_none
from likewise.errors import InputError
from likewise.knowledge import (
    PASSED,
    PILED,
    STAY,
    TAPPED,
    Answer,
    Knowledge,
    Overview,
    Pile,
    Prediction,
    Question,
    Sheet,
    Shown,
    Told,
    Verdict,
    told_by_sheet,
)
from likewise.methods import KINDS, Model
from likewise.session._control import LEAST
from likewise.session._state import State

FOUNDING = 0.15  # a sample with no group this likely founds one
GLANCED = (TAPPED, PASSED)  # answers about what was shown on a screen
HALF = 0.5
PER_CHECK = 12  # items of a sheet, to one that is known already
SLIP = 0.015  # the share of verdicts that are wrong, as it is assumed


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


def _listed(samples: Iterable[int], what: str) -> tuple[int, ...]:
    is_list = isinstance(samples, Iterable) and not isinstance(samples, str | bytes)
    numbers = [whole_or_none(sample) for sample in samples] if is_list else [None]
    if None in numbers:
        raise InputError(f"{what} are samples, but these are {described(samples)}.")
    return tuple(int(number) for number in numbers if number is not None)


@dataclass(frozen=True, slots=True)
class Filled:
    """What somebody did to a sheet.

    Attributes
    ----------
    tapped, unsure : tuple of int
        Items that were tapped, and those that nobody could tell about.
    piles : tuple of Pile
        What does not belong, put where it does.
    """

    tapped: tuple[int, ...]
    piles: tuple[Pile, ...]
    unsure: tuple[int, ...]

    @classmethod
    def of(
        cls, tapped: Iterable[int], piles: Iterable[Pile], unsure: Iterable[int]
    ) -> Filled:
        """Return it in plain numbers, or refuse what is no such thing."""
        listed = tuple(piles)
        if not all(isinstance(pile, Pile) and pile.items for pile in listed):
            raise InputError(f"Piles are likewise.Pile, not {described(piles)}.")
        return cls(
            _listed(tapped, "Tapped items"), listed, _listed(unsure, "Unsure items")
        )

    def check(self, sheet: Sheet) -> None:
        """Refuse what cannot have been done to a sheet."""
        placed = [item for pile in self.piles for item in pile.items]
        for sample in (*self.tapped, *self.unsure, *placed):
            if sample not in sheet.items:
                raise InputError(
                    f"Sample {sample} is not on the sheet: its items are "
                    f"{', '.join(map(str, sheet.items))}."
                )
        others = () if sheet.tap == "misfits" else sheet.items
        misfits = set(self.tapped) ^ set(others)
        if not misfits.issuperset(placed) or len(set(placed)) < len(placed):
            raise InputError(
                "Only what does not belong is put elsewhere, each item once: look at "
                "the piles again."
            )


def told_of_sheet(
    state: State, model: Model, sheet: Sheet, filled: Filled
) -> list[Answer]:
    """Return what a filled-in sheet says, but for what was said before."""
    if not isinstance(sheet, Sheet):
        raise InputError(
            f"A sheet is one of session.ask_screen(), but this is {described(sheet)}."
        )
    filled.check(sheet)
    are_new = [_is_new(state, model, pile) for pile in filled.piles]
    told = told_by_sheet(sheet, filled.tapped, filled.piles, filled.unsure, are_new)
    before = state.known.compared
    return [
        answer
        for answer in told
        if answer.how != PILED
        or answer.question.against not in before.get(answer.question.sample, ())
    ]


def shown_sheet(sheet: Sheet, filled: Filled, seconds: float | None) -> Shown:
    """Return what was on a sheet, and what was done."""
    offered = [len(pile.unlike) + (pile.group is not None) for pile in filled.piles]
    return Shown(
        "sheet",
        sheet.speakers,
        sheet.items,
        sheet.tap,
        filled.tapped,
        tuple(offered),
        checked_seconds(seconds),
        sheet.sorts,
    )


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
    listed = same if isinstance(same, Iterable) else [same]
    parts = [_listed(part, "Groups that are the same") for part in listed]
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


def with_checks(
    sheet: Sheet,
    known: Knowledge,
    rng: np.random.Generator,
    taken: Collection[int] = (),
) -> Sheet:
    """Return a sheet with items among the others that are known already.

    One in twelve: members of the group, and what is known not to belong. Whether it is
    seen rightly says how far the other verdicts can be trusted.

    Parameters
    ----------
    sheet : Sheet
    known : Knowledge
    rng : Generator
    taken : collection of int
        Samples that are not to be shown.
    """
    out = {*taken, *sheet.speakers, *sheet.items, *known.aside}
    constraints = known.constraints
    home = constraints.group(sheet.speakers[0])
    members = [s for s in constraints.samples(home) if s not in out]
    others = (s for g in constraints.apart_from(home) for s in constraints.samples(g))
    strangers = sorted(s for s in others if s not in out)
    asked = list(sheet.questions)
    for _ in range(round(len(sheet.items) / PER_CHECK)):
        pool, same = (members, 1 - SLIP) if rng.random() < HALF else (strangers, SLIP)
        if pool:
            sample = pool.pop(int(rng.integers(len(pool))))
            predicted = Prediction(same, "check", LEAST, if_different=STAY)
            question = Question(sample, sheet.speakers[0], predicted)
            asked.insert(int(rng.integers(len(asked) + 1)), question)
    return replace(sheet, questions=tuple(asked))


# What an act that was taken back had said


def unsure_in(told: Told) -> list[int]:
    """Return the items of a sheet that nobody could tell about."""
    unsure = (a for a in told.answers if a.verdict is Verdict.UNSURE)
    return [answer.question.sample for answer in unsure if answer.how in GLANCED]


def same_in(told: Told) -> list[list[int]]:
    """Return the groups of an overview that are the same, by those that spoke.

    Examples
    --------
    >>> from likewise import Overview, Question
    >>> asked = (Question(1, 0), Question(2, 0), Question(3, 0))
    >>> same_in(Told(tuple(Overview(asked).answers([[2, 0, 3]]))))
    [[2, 0, 3]]
    """
    parts: list[list[int]] = []
    for answer in told.answers:
        if answer.verdict is not Verdict.SAME:
            continue
        pair = (answer.question.sample, answer.question.against)
        home = next((p for p in parts if not {*p}.isdisjoint(pair)), None)
        if home is None:
            home = []
            parts.append(home)
        home += [end for end in pair if end not in home]
    return parts
