"""Screens: what a person sees at once, what each tap means, and what they cost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, field, replace
from math import isfinite
from typing import Literal, TypeAlias

import numpy as np

from likewise.errors import InputError
from likewise.knowledge._constraints import Verdict
from likewise.knowledge._knowledge import (
    GO_ON,
    NEW,
    STAY,
    Answer,
    Prediction,
    Question,
)

Tap: TypeAlias = Literal["misfits", "members"]  # what is to be tapped on a sheet
TAPPED, PASSED, PILED = "tapped", "passed", "piled"  # how answers of a screen came
SCREENED = (TAPPED, PASSED, PILED)  # how any answer of a screen came


@dataclass(frozen=True, slots=True)
class Pair:
    """Two items side by side: one question.

    Parameters
    ----------
    question : Question
    worth : float
        The pairs that it is expected to change.
    seconds : float
        How long a person is expected to take.
    """

    question: Question
    worth: float = field(default=0.0, compare=False)
    seconds: float = field(default=0.0, compare=False)

    @property
    def questions(self) -> tuple[Question, ...]:
        """What is asked: one question."""
        return (self.question,)

    def _repr_html_(self) -> str:
        first, second = self.question.sample, self.question.against
        return f"<div>Pair: are samples {first} and {second} the same?</div>"


@dataclass(frozen=True, slots=True)
class Sheet:
    """Items beside members of a group: what does not belong is tapped.

    Parameters
    ----------
    speakers : tuple of int
        Members that speak for the group, the first of them above all.
    questions : tuple of Question
        What is asked about each item: whether it is of the group. Most doubtful first.
    tap : {"misfits", "members"}
        Which are to be tapped: those that do not belong, or those that do.
    sorts : bool
        Whether what does not belong is put where it belongs, pile by pile.
    worth, seconds : float
        As for :class:`Pair`.

    Examples
    --------
    >>> sheet = Sheet((7,), (Question(1, 7), Question(2, 7), Question(3, 7)))
    >>> [str(answer) for answer in sheet.answers(tapped=[2])]
    ['1 and 7 are same', '2 and 7 are different', '3 and 7 are same']
    """

    speakers: tuple[int, ...]
    questions: tuple[Question, ...]
    tap: Tap = "misfits"
    sorts: bool = False
    worth: float = field(default=0.0, compare=False)
    seconds: float = field(default=0.0, compare=False)

    @property
    def items(self) -> tuple[int, ...]:
        """The items to look through."""
        return tuple(question.sample for question in self.questions)

    def answers(
        self, tapped: Iterable[int], unsure: Iterable[int] = ()
    ) -> Iterator[Answer]:
        """Yield what a filled-in sheet says of each item and the group.

        Parameters
        ----------
        tapped : iterable of int
            The items that were tapped.
        unsure : iterable of int
            Items that nobody could tell about.
        """
        chosen, open_ = set(tapped), set(unsure)
        for question in self.questions:
            is_tapped = question.sample in chosen
            belongs = is_tapped == (self.tap == "members")
            verdict = Verdict.SAME if belongs else Verdict.DIFFERENT
            if question.sample in open_:
                verdict = Verdict.UNSURE
            yield Answer(question, verdict, how=TAPPED if is_tapped else PASSED)

    def _repr_html_(self) -> str:
        do = "do not belong" if self.tap == "misfits" else "belong"
        among, to = _listed(self.items), _listed(self.speakers)
        return f"<div>Sheet: which of samples {among} {do} with {to}?</div>"


@dataclass(frozen=True, slots=True)
class Overview:
    """Groups at a glance, one member of each: those that are the same are tapped.

    Parameters
    ----------
    questions : tuple of Question
        The pairs of groups that are compared at a glance, by the members that speak
        for them.
    worth, seconds : float
        As for :class:`Pair`.

    Examples
    --------
    >>> overview = Overview((Question(1, 0), Question(2, 0), Question(2, 1)))
    >>> [str(answer) for answer in overview.answers([[0, 2]])]
    ['2 and 0 are same', '1 and 0 are different']
    """

    questions: tuple[Question, ...]
    worth: float = field(default=0.0, compare=False)
    seconds: float = field(default=0.0, compare=False)

    @property
    def speakers(self) -> tuple[int, ...]:
        """One member of each group, in the order in which they are asked about."""
        ends = (end for q in self.questions for end in (q.against, q.sample))
        return tuple(dict.fromkeys(ends))

    def answers(self, same: Iterable[Sequence[int]]) -> Iterator[Answer]:
        """Yield what a filled-in overview says.

        Groups that were tapped together are the same; all others that were seen side
        by side are different, but for what follows from these.

        Parameters
        ----------
        same : iterable of sequences of int
            Speakers of groups that are the same, each sequence one group.
        """
        asked = {question.pair: question for question in self.questions}
        home = {speaker: speaker for speaker in self.speakers}
        for speakers in same:
            for other in speakers[1:]:
                pair = (min(speakers[0], other), max(speakers[0], other))
                question = asked.get(pair, Question(other, speakers[0]))
                yield Answer(_merging(question), Verdict.SAME, how=TAPPED)
            home |= dict.fromkeys(speakers, speakers[0])
        seen: set[frozenset[int]] = set()
        for question in self.questions:
            ends = frozenset(home[end] for end in question.pair)
            if len(ends) > 1 and ends not in seen:
                seen.add(ends)
                yield Answer(question, Verdict.DIFFERENT, how=PASSED)

    def _repr_html_(self) -> str:
        among = _listed(self.speakers)
        return f"<div>Overview: which of the groups of samples {among} are one?</div>"


def _listed(samples: Iterable[int]) -> str:
    return ", ".join(map(str, samples))


Screen: TypeAlias = Pair | Sheet | Overview  # what a reader sees at once


def _merging(question: Question) -> Question:
    """Return a question about two groups whose "same" makes them one."""
    predicted = question.predicted
    if predicted is None:
        return question
    return replace(question, predicted=replace(predicted, if_same=True))


@dataclass(frozen=True, slots=True)
class Pile:
    """Items of a sheet that belong together elsewhere.

    Parameters
    ----------
    items : tuple of int
    group : int or None
        A sample of the group that they belong to; None for none of those offered.
    unlike : tuple of int
        One sample of each group that was offered and that they do not belong to.
    """

    items: tuple[int, ...]
    group: int | None = None
    unlike: tuple[int, ...] = ()

    def answers(self, *, is_new: bool) -> Iterator[Answer]:
        """Yield what a pile says.

        Parameters
        ----------
        is_new : bool
            Whether items that belong to none of the groups offered are a new one, and
            not still to be asked about.
        """
        if self.group is not None:
            for item in self.items:
                if item != self.group:
                    question = Question(item, self.group, Prediction(0.5, "group"))
                    yield Answer(question, Verdict.SAME, how=PILED)
            return
        first, *others = self.items
        for at, sample in enumerate(self.unlike, start=1):
            last = NEW if is_new else GO_ON
            then = last if at == len(self.unlike) else STAY
            predicted = Prediction(0.0, "group", if_different=then)
            yield Answer(
                Question(first, sample, predicted), Verdict.DIFFERENT, how=PILED
            )
        for item in others:
            yield Answer(Question(item, first), Verdict.SAME, how=PILED)


@dataclass(frozen=True, slots=True)
class Shown:
    """What was on a screen, what was tapped, and how long it took; kept with an act.

    Parameters
    ----------
    kind : {"pair", "sheet", "overview"}
    speakers, items : tuple of int
        Those that spoke for groups, and those that were to be looked through.
    tap : str
        Of a sheet, which were to be tapped: "misfits" or "members".
    tapped : tuple of int
    offered : tuple of int
        For each pile, how many groups were offered.
    seconds : float or None
        How long the person took; None when nobody knows.
    sorts : bool
        Of a sheet, whether what did not belong was to be put where it does.
    """

    kind: str
    speakers: tuple[int, ...] = ()
    items: tuple[int, ...] = ()
    tap: str = ""
    tapped: tuple[int, ...] = ()
    offered: tuple[int, ...] = ()
    seconds: float | None = None
    sorts: bool = False


def told_by_sheet(
    sheet: Sheet,
    tapped: Iterable[int],
    piles: Sequence[Pile],
    unsure: Iterable[int],
    are_new: Sequence[bool],
) -> list[Answer]:
    """Return all that a filled-in sheet says: of its items and the group, and of piles.

    What a pile says of an item decides where it belongs; that it does not belong to
    the group concludes nothing then.
    """
    placed = {item for pile in piles for item in pile.items}
    told = [
        _left_open(answer) if answer.question.sample in placed else answer
        for answer in sheet.answers(tapped, unsure)
    ]
    said = {answer.question.pair for answer in told}
    for pile, is_new in zip(piles, are_new, strict=True):
        for answer in pile.answers(is_new=is_new):
            if answer.question.pair not in said:
                said.add(answer.question.pair)
                told.append(answer)
    return told


def _left_open(answer: Answer) -> Answer:
    predicted = answer.question.predicted
    if predicted is None:
        return answer
    stays = replace(predicted, if_different=STAY)
    return replace(answer, question=replace(answer.question, predicted=stays))


# What screens cost a person

PRECISION = 4.0  # screens that what is assumed of each part counts for
BREAK = 1.5  # in logarithms: 4.5 times longer or shorter is a break, or a slip
N_STEPS = 8  # of weighing and solving
ROBUST = 0.5  # in logarithms, from here on a screen counts less
LEAST, LARGEST = 0.2, 5.0  # times what is assumed


@dataclass(frozen=True, slots=True)
class Costs:
    """Seconds of a person.

    A pair takes `pair`, two groups `groups`. A sheet takes `base`, `item` for each
    item, `tap` for each one tapped, and for each pile `pile` and `choice` for each
    group that is offered. An overview takes `base`, `item` for each group and `tap`.

    Examples
    --------
    >>> round(Costs().sheet(n_items=12, n_taps=2), 1)
    7.3
    """

    pair: float = 2.0
    groups: float = 2.5
    base: float = 1.5
    item: float = 0.35
    tap: float = 0.8
    pile: float = 2.0
    choice: float = 0.4

    def __post_init__(self) -> None:
        if not all(isfinite(cost) and cost > 0 for cost in astuple(self)):
            raise InputError(f"Seconds are positive numbers, but these are {self}.")

    def sheet(self, n_items: float, n_taps: float = 0.0) -> float:
        """Return what a sheet takes, but for piles; or an overview of groups."""
        return self.base + self.item * n_items + self.tap * n_taps

    def sorting(self, n_offered: float) -> float:
        """Return what a pile takes that is put into one of so many groups."""
        return self.pile + self.choice * n_offered

    def fitted(self, seen: Iterable[Shown]) -> Costs:
        r"""Return what a person takes, by how long they took.

        Each cost is multiplied by a factor. The factors f are those with the least

        .. math:: \sum_s w_s \log^2(x_s f / t_s) + 4 \sum_j (f_j - 1)^2,

        x the costs of what was on screen s and t the seconds taken; w makes little of
        what is far off, and breaks and what nobody can have looked at count nothing.

        Parameters
        ----------
        seen : iterable of Shown
            Those without seconds are passed over.

        Examples
        --------
        >>> slow = [Shown("pair", seconds=4.0)] * 40
        >>> round(Costs().fitted(slow).pair, 1)
        3.5
        """
        timed = [(one, one.seconds) for one in seen if one.seconds]
        if not timed:
            return self
        parts = np.array([self._parts(one) for one, _ in timed])
        took = np.array([seconds for _, seconds in timed])
        factors = np.ones(parts.shape[1])
        for _ in range(N_STEPS):
            expected = parts @ factors
            off = np.log(took / expected)
            weights = (np.abs(off) < BREAK) / np.maximum(np.abs(off) / ROBUST, 1.0)
            rows = parts / expected[:, np.newaxis]
            bend = (rows * weights[:, np.newaxis]).T @ rows
            bend += PRECISION * np.eye(len(factors))
            slope = rows.T @ (weights * off) + PRECISION * (1 - factors)
            step = np.linalg.solve(bend, slope)
            factors = np.clip(factors + step, LEAST, LARGEST)
        return Costs(*(np.array(astuple(self)) * factors).tolist())

    def _parts(self, shown: Shown) -> list[float]:
        """Return what each cost adds up to on a screen."""
        if shown.kind == "pair":
            return [self.pair, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
        n_items = len(shown.items) or len(shown.speakers)
        counts = (1, n_items, len(shown.tapped), len(shown.offered), sum(shown.offered))
        of_sheets = (self.base, self.item, self.tap, self.pile, self.choice)
        return [0.0, 0.0, *(c * n for c, n in zip(of_sheets, counts, strict=True))]
