"""Every act and answer ever recorded, and what has become of each."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import Literal, TypeAlias

from likewise.app._roles import NOBODY
from likewise.exports import said, samples_of
from likewise.knowledge import (
    DECIDED,
    GO_ON,
    Answer,
    Costs,
    Kept,
    Overview,
    Pair,
    Question,
    Retracted,
    Screen,
    Sheet,
    Shown,
    Together,
    Told,
    Undone,
    Verdict,
    folded,
    singles_of,
    told_in,
    without_numbers,
)
from likewise.session import GLANCED, is_check_told, is_model, is_second
from likewise.storage import Act

State: TypeAlias = Literal["stands", "doubtful", "kept", "taken back", "undone"]
Only: TypeAlias = Literal["doubtful", "checks"]
STANDING = frozenset({"stands", "doubtful", "kept"})
HOW = {"group": "picker"}  # what people call it, where the journal says otherwise
DECIDING = (Retracted, Kept, Together)  # events that may decide about answers
SURPRISING = 0.75  # from here on an answer is listed as surprising
MANY_ACTS = 1000  # of a person, among which the last questions are looked for
NO_GUESS = "group"  # a prediction of this kind says what was meant, not how likely


@dataclass(frozen=True, slots=True)
class Mark:
    """Who did something, when, and with which act."""

    act: int
    who: str
    at: float


@dataclass(frozen=True, slots=True)
class Entry:
    """An answer as it was recorded, and what has become of it.

    Attributes
    ----------
    answer : Answer
    made : Mark
    state : str
        "stands", "doubtful" (others deny it), "kept" (left to disagree), "taken back"
        or "undone".
    by : Mark or None
        Who took it back, undid it, or left it to disagree.
    became : int or None
        The id of the answer that was given instead of it.
    """

    answer: Answer
    made: Mark
    state: State = "stands"
    by: Mark | None = None
    became: int | None = None

    @property
    def how(self) -> str:
        """How it came about: "asked", "check", "picker", "review", "given", "told".

        Of a sheet or an overview: "tapped", "passed" or "piled". What another reader
        was asked before is "second", and what was decided between readers "decided".
        """
        if is_second(self.answer.question) and self.answer.how == "asked":
            return "second"
        if self.answer.question.is_check and self.answer.how == "asked":
            return "check"
        return HOW.get(self.answer.how, self.answer.how)

    @property
    def is_standing(self) -> bool:
        """Whether it counts as said."""
        return self.state in STANDING

    @property
    def predicted(self) -> float | None:
        """The probability of "same" when it was asked; None when nobody guessed."""
        guess = self.answer.question.predicted
        return None if guess is None or guess.kind == NO_GUESS else guess.same

    @property
    def surprise(self) -> float | None:
        """How unlikely the answer was, from 0 to 1; None when nobody guessed."""
        if self.predicted is None or self.answer.verdict is Verdict.UNSURE:
            return None
        is_same = self.answer.verdict is Verdict.SAME
        return 1.0 - self.predicted if is_same else self.predicted


@dataclass(frozen=True, slots=True)
class Record:
    """An act, the answers that came with it, and whether it was undone.

    Attributes
    ----------
    act : Act
    entries : tuple of Entry
    is_standing : bool
    undone : Mark or None
    """

    act: Act
    entries: tuple[Entry, ...] = ()
    is_standing: bool = True
    undone: Mark | None = None

    @property
    def screen(self) -> Shown | None:
        """What was on the sheet or overview that it answered; None if none was."""
        told = (s for s in singles_of(self.act.event) if isinstance(s, Told))
        shown = next((one.shown for one in told), None)
        return None if shown is None or shown.kind == "pair" else shown

    @property
    def how(self) -> str:
        """How its answers came about; "other" for an act without any."""
        if self.screen is not None:
            return self.screen.kind
        return self.entries[0].how if self.entries else "other"

    @property
    def is_undoable(self) -> bool:
        """Whether anything of it is left to undo."""
        has_more = not isinstance(self.act.event, Told)
        return self.is_standing and (
            has_more or any(entry.is_standing for entry in self.entries)
        )


@dataclass(frozen=True)
class Ledger:
    """Every act, oldest first; an undoing stands beside the act that it undid.

    Attributes
    ----------
    records : tuple of Record
    answers : dict of int to Entry
        Every answer ever recorded, by its id.
    """

    records: tuple[Record, ...] = ()
    answers: Mapping[int, Entry] = field(default_factory=dict)

    @cached_property
    def by_act(self) -> dict[int, Record]:
        """The records by the numbers of their acts."""
        return {record.act.number: record for record in self.records}

    @cached_property
    def said(self) -> frozenset[tuple[tuple[int, int], Verdict]]:
        """What answers that stand say about which pairs."""
        stand = (e.answer for e in self.answers.values() if e.is_standing)
        return frozenset((a.question.pair, a.verdict) for a in stand)

    def is_said(self, answer: Answer) -> bool:
        """Tell whether an answer that stands says the same."""
        return (answer.question.pair, answer.verdict) in self.said

    @property
    def open(self) -> tuple[Entry, ...]:
        """The answers that others deny and that nobody has decided about."""
        return tuple(e for e in self.answers.values() if e.state == "doubtful")

    @property
    def kept(self) -> tuple[Entry, ...]:
        """The answers that somebody left to disagree."""
        return tuple(e for e in self.answers.values() if e.state == "kept")

    @cached_property
    def disputes(self) -> dict[tuple[int, int], tuple[Entry, ...]]:
        """What readers said last of each pair on which two of them disagree.

        Without what somebody left to disagree. The latest disagreement comes last.
        """
        of: dict[tuple[int, int], dict[str, Entry]] = {}
        for entry in self.answers.values():
            is_said = entry.is_standing and entry.answer.verdict is not Verdict.UNSURE
            if is_said and entry.how != "given":
                of.setdefault(entry.answer.question.pair, {})[entry.made.who] = entry
        found = {pair: tuple(told.values()) for pair, told in of.items()}
        return {pair: told for pair, told in found.items() if _is_dispute(told)}

    @cached_property
    def decisions(self) -> tuple[Record, ...]:
        """Acts that stand by which somebody decided between readers, newest first."""
        return tuple(
            record
            for record in reversed(self.records)
            if record.is_standing and record.how == DECIDED
        )


def _is_dispute(told: Sequence[Entry]) -> bool:
    is_open = any(entry.state == "doubtful" for entry in told)
    return is_open and len({entry.answer.verdict for entry in told}) > 1


def ledger_of(
    acts: Sequence[Act], standing: Iterable[int], doubtful: Iterable[int]
) -> Ledger:
    """Return every act and answer with what has become of it.

    Parameters
    ----------
    acts : sequence of Act
        All of them, oldest first; numbers of groups are left out.
    standing : iterable of int
        Numbers of the acts that stand: see ``Session.acts``.
    doubtful : iterable of int
        Ids of the answers that contradict earlier ones.

    Examples
    --------
    >>> from likewise import Question
    >>> from likewise.knowledge._journal import Told
    >>> told = Told((Answer(Question(0, 1), Verdict.SAME, 1),))
    >>> acts = [Act(0, told, "Ann", 0.0), Act(1, Retracted((1,)), "Bob", 60.0)]
    >>> entry = ledger_of(acts, [0, 1], []).answers[1]
    >>> entry.state, entry.by.who
    ('taken back', 'Bob')
    """
    acts, stays = list(said(acts)), set(standing)
    fates = _fates([act for act in acts if act.number in stays], frozenset(doubtful))
    undone = {
        act.event.position: _mark(act) for act in acts if isinstance(act.event, Undone)
    }
    records = tuple(
        _record(act, undone.get(act.number), fates)
        for act in acts
        if not isinstance(act.event, Undone)
    )
    entries = (entry for record in records for entry in record.entries)
    return Ledger(records, {entry.answer.id: entry for entry in entries})


@dataclass(frozen=True, slots=True)
class _Fates:
    """What acts that stand have done to answers, by their ids."""

    gone: Mapping[int, Mark]
    became: Mapping[int, int]
    kept: Mapping[int, Mark]
    doubtful: frozenset[int]

    def of(self, answer: Answer, made: Mark) -> Entry:
        number = answer.id
        if number in self.gone:
            instead = self.became.get(number)
            return Entry(answer, made, "taken back", self.gone[number], instead)
        if number not in self.doubtful:
            return Entry(answer, made)
        if number in self.kept:
            return Entry(answer, made, "kept", self.kept[number])
        return Entry(answer, made, "doubtful")


def _fates(acts: Sequence[Act], doubtful: frozenset[int]) -> _Fates:
    gone: dict[int, Mark] = {}
    kept: dict[int, Mark] = {}
    deciding = [act for act in acts if isinstance(act.event, DECIDING)]
    for act in deciding:
        for single in singles_of(act.event):
            if isinstance(single, Retracted):
                gone |= dict.fromkeys(single.ids, _mark(act))
            elif isinstance(single, Kept):
                kept |= dict.fromkeys(single.ids, _mark(act))
    told = (answer for act in acts for answer in told_in(act.event))
    pairs = {answer.id: answer.question.pair for answer in told if answer.id in gone}
    became = {old: new for act in deciding for old, new in replaced_in(act, pairs)}
    return _Fates(gone, became, kept, doubtful)


def replaced_in(
    act: Act, pairs: Mapping[int, tuple[int, int]]
) -> Iterator[tuple[int, int]]:
    """Yield which answer an act took back, and which it gave instead of it.

    Parameters
    ----------
    act : Act
    pairs : mapping of int to (int, int)
        What answers are about, by their ids.
    """
    instead = {answer.question.pair: answer.id for answer in told_in(act.event)}
    if not instead:
        return
    for single in singles_of(act.event):
        for old in single.ids if isinstance(single, Retracted) else ():
            if pairs.get(old) in instead:
                yield old, instead[pairs[old]]


def _record(act: Act, undone: Mark | None, fates: _Fates) -> Record:
    made = _mark(act)
    told = told_in(act.event)
    if undone is None:
        return Record(act, tuple(fates.of(answer, made) for answer in told))
    gone = tuple(Entry(answer, made, "undone", undone) for answer in told)
    return Record(act, gone, is_standing=False, undone=undone)


def _mark(act: Act) -> Mark:
    return Mark(act.number, act.who, act.at)


# Screens that were answered, once their acts are undone

QUESTIONED = ("asked", "group")  # answers that came of a question alone


def screen_in(told: Told) -> Screen | None:
    """Return the screen that an act has answered, to be seen again; None if none was.

    Examples
    --------
    >>> sheet = Sheet((7,), (Question(1, 7), Question(2, 7)))
    >>> told = Told(tuple(sheet.answers([2])), Shown("sheet", (7,), (1, 2), "misfits"))
    >>> screen_in(told) == sheet
    True
    """
    shown, last = told.shown, told.answers[-1]
    if shown is not None and shown.kind == "sheet":
        return _sheet_in(told, shown)
    if shown is not None and shown.kind == "overview":
        return _overview_in(told, shown)
    return Pair(last.question) if last.how in QUESTIONED else None


def left_of(screen: Sheet | Overview, aside: Collection[int]) -> Sheet | Overview:
    """Return a screen without what was set aside since it was opened.

    Examples
    --------
    >>> sheet = Sheet((7, 5), (Question(1, 7), Question(2, 7)))
    >>> left = left_of(sheet, {2, 5})
    >>> left.speakers, left.items
    ((7,), (1,))
    """
    gone = set(aside)
    asked = tuple(q for q in screen.questions if gone.isdisjoint(q.pair))
    if isinstance(screen, Overview):
        return replace(screen, questions=asked)
    speakers = tuple(s for s in screen.speakers if s not in gone)
    return replace(screen, speakers=speakers or screen.speakers, questions=asked)


def _sheet_in(told: Told, shown: Shown) -> Sheet:
    piled = {a.question.sample for a in told.answers if a.how not in GLANCED}
    asked = {
        answer.question.sample: _asked_again(answer.question, piled)
        for answer in told.answers
        if answer.how in GLANCED
    }
    return Sheet(
        shown.speakers,
        tuple(asked[item] for item in shown.items),
        "members" if shown.tap == "members" else "misfits",
        shown.sorts,
        seconds=Costs().sheet(len(shown.items)),
    )


def _asked_again(question: Question, piled: Collection[int]) -> Question:
    """Return a question of a sheet; what was put elsewhere had concluded nothing."""
    predicted = question.predicted
    if predicted is None or question.sample not in piled:
        return question
    return replace(question, predicted=replace(predicted, if_different=GO_ON))


def _overview_in(told: Told, shown: Shown) -> Overview:
    """Return an overview, with what followed from groups that were the same."""
    asked = {answer.question.pair: answer.question for answer in told.answers}
    tapped, speakers = set(shown.tapped), shown.speakers
    sides = [
        Question(one, two) for at, one in enumerate(speakers) for two in speakers[:at]
    ]
    again = tuple(
        asked.get(side.pair, side)
        for side in sides
        if side.pair in asked or not tapped.isdisjoint(side.pair)
    )
    return Overview(again, seconds=Costs().sheet(len(speakers)))


class Tally:
    """What is asked of the acts again and again, kept up as they come.

    Attributes
    ----------
    n_screens : int
        How many screens people have answered; some settle several pairs.
    first : str or None
        Who was the first to act under a name, models apart: they own nothing.

    Examples
    --------
    >>> from likewise import Question
    >>> told = Told((Answer(Question(0, 1), Verdict.SAME, 1),))
    >>> tally = Tally()
    >>> tally.take([Act(0, told, "Ann", 0.0), Act(1, Undone(0), "Ann", 60.0)])
    >>> tally.n_screens, list(tally.latest("Ann"))
    (1, [])
    """

    def __init__(self) -> None:
        self.n_screens = 0
        self.first: str | None = None
        self._by_person: dict[str, list[Act]] = {}
        self._undone: set[int] = set()

    def take(self, acts: Iterable[Act]) -> None:
        """Take in the next acts."""
        for act in acts:
            event = without_numbers(act.event)
            if self.first is None and act.who != NOBODY and not is_model(act.who):
                self.first = act.who
            if isinstance(event, Undone):
                self._undone.add(event.position)
            elif event is not None:
                self._by_person.setdefault(act.who, []).append(act)
            if isinstance(event, Told):
                self.n_screens += event.answers[0].how != "given"

    @property
    def is_of_several(self) -> bool:
        """Whether more than one has done something."""
        return len(self._by_person) > 1

    @property
    def people(self) -> frozenset[str]:
        """Whoever has done something, by their folded names."""
        return frozenset(map(folded, self._by_person))

    def latest(self, who: str) -> Iterator[Act]:
        """Yield the acts of a person that can still be undone, newest first."""
        for act in reversed(self._by_person.get(who, ())):
            if act.number not in self._undone:
                yield act

    def shown(self, who: str, most: int) -> list[Shown]:
        """Return what was on the screens of a person's last acts, newest first."""
        acts = islice(self.latest(who), most)
        events = (without_numbers(act.event) for act in acts)
        told = (event.shown for event in events if isinstance(event, Told))
        return [one for one in told if one is not None]

    def lately(self, who: str, n_asked: int) -> list[Answer]:
        """Return the last answers of a person, oldest first.

        With so many at least that were asked for, if there are as many among the last
        acts.
        """
        found: list[Answer] = []
        n_found = 0
        for act in islice(self.latest(who), MANY_ACTS):
            told = told_in(act.event)
            found += reversed(told)
            n_found += sum(answer.how == "asked" for answer in told)
            if n_found >= n_asked:
                break
        return found[::-1]


# Which records a person wants to see, and in which order


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
    besides : tuple of (int, int), optional
        A pair of which nothing is shown: who looks is asked about it, and is not to
        know what another reader said.
    """

    who: str | None = None
    only: Only | None = None
    item: int | None = None
    how: str | None = None
    act: int | None = None
    besides: tuple[int, int] | None = None


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
    return is_check_told(entry.answer) and entry.state in ("doubtful", "kept")


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
    if wanted.only is None and wanted.item is None and wanted.besides is None:
        return record
    entries = tuple(_matching(record, wanted))
    is_hidden = wanted.only is not None or _is_only_about(record, wanted.besides)
    if is_hidden and not entries:
        return None
    return replace(record, entries=entries)


def _is_only_about(record: Record, pair: tuple[int, int] | None) -> bool:
    pairs = {entry.answer.question.pair for entry in record.entries}
    return pairs == {pair}


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
        if pair == wanted.besides:
            continue
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
