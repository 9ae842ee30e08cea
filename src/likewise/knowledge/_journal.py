"""Events, their JSON, and the append-only record of them: the only state there is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeAlias, runtime_checkable

from likewise._arrays import Samples
from likewise.knowledge._constraints import Verdict
from likewise.knowledge._knowledge import Answer, Prediction, Question
from likewise.knowledge._names import GroupNames, readable
from likewise.knowledge._screens import Overview, Sheet, Shown


@dataclass(frozen=True, slots=True)
class Told:
    """Some answers came in, as one act; with the screen that they came of, if any."""

    answers: tuple[Answer, ...]
    shown: Shown | None = None


@dataclass(frozen=True, slots=True)
class Retracted:
    """Some answers were taken back."""

    ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Renamed:
    """The group of a sample got a name; an empty one takes it away."""

    sample: int
    name: str


@dataclass(frozen=True, slots=True)
class SetAside:
    """A sample left the game, or came back."""

    sample: int
    aside: bool = True


@dataclass(frozen=True, slots=True)
class Kept:
    """Answers that disagree were looked at, and stay as they are."""

    ids: tuple[int, ...]


# An event that is not made of others.
Single: TypeAlias = Told | Retracted | Renamed | SetAside | Kept


@dataclass(frozen=True, slots=True)
class Numbered:
    """Groups were seen under these numbers, each of which belongs to a sample.

    Nobody did anything: it is no act, changes nothing of what stands, and stays when
    the act is undone that carries it. A later number takes the place of the same one.
    """

    anchors: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Together:
    """Several events as one act: recorded at once, and undone at once."""

    events: tuple[Single | Numbered, ...]


@dataclass(frozen=True, slots=True)
class Undone:
    """The act at this position of the journal was undone."""

    position: int


Event: TypeAlias = Single | Numbered | Together | Undone  # what a journal holds


def singles_of(event: Event) -> tuple[Single, ...]:
    """Return the events that an act consists of; undoing and numbers are none.

    Examples
    --------
    >>> singles_of(Together((SetAside(3), SetAside(5))))
    (SetAside(sample=3, aside=True), SetAside(sample=5, aside=True))
    """
    match event:
        case Undone() | Numbered():
            return ()
        case Together(events):
            return tuple(one for one in events if not isinstance(one, Numbered))
    return (event,)


def told_in(event: Event) -> tuple[Answer, ...]:
    """Return the answers that came in with an act."""
    told = [single for single in singles_of(event) if isinstance(single, Told)]
    return tuple(answer for single in told for answer in single.answers)


def signed(event: Event, who: str) -> Event:
    """Return an event whose answers say who gave them, where they say nothing yet.

    What was known from the start nobody gave.

    Examples
    --------
    >>> told = Told((Answer(Question(0, 1), Verdict.SAME, 1),))
    >>> signed(told, "ann").answers[0].by
    'ann'
    >>> unsigned(signed(told, "ann"), "ann") == told
    True
    """
    return _with_authors(event, lambda a: a.by or ("" if a.how == "given" else who))


def unsigned(event: Event, who: str) -> Event:
    """Return an event whose answers do not repeat that they are by whoever acts."""
    return _with_authors(event, lambda a: "" if a.by == who else a.by)


def _with_authors(event: Event, by: Callable[[Answer], str]) -> Event:
    match event:
        case Together(events):
            told = (_given_by(e, by) if isinstance(e, Told) else e for e in events)
            return Together(tuple(told))
        case Told():
            return _given_by(event, by)
    return event


def _given_by(told: Told, by: Callable[[Answer], str]) -> Told:
    answers = tuple(replace(answer, by=by(answer)) for answer in told.answers)
    return replace(told, answers=answers)


def numbers_in(event: Event) -> tuple[tuple[int, int], ...]:
    """Return the numbers of groups that an event holds, each with its sample.

    Examples
    --------
    >>> numbers_in(Together((Renamed(3, "oak"), Numbered(((1, 3),)))))
    ((1, 3),)
    """
    events = event.events if isinstance(event, Together) else (event,)
    found = [one.anchors for one in events if isinstance(one, Numbered)]
    return tuple(pair for anchors in found for pair in anchors)


def with_numbers(event: Single | Together, numbers: Numbered) -> Together:
    """Return an act that carries numbers of groups, recorded at once with it.

    Examples
    --------
    >>> with_numbers(Renamed(3, "oak"), Numbered(((1, 3),))).events
    (Renamed(sample=3, name='oak'), Numbered(anchors=((1, 3),)))
    """
    events = event.events if isinstance(event, Together) else (event,)
    return Together((*events, numbers))


def without_numbers(event: Event) -> Event | None:
    """Return what somebody did, without numbers that it carries; None if nothing.

    Examples
    --------
    >>> without_numbers(Together((Renamed(3, "oak"), Numbered(((1, 3),)))))
    Renamed(sample=3, name='oak')
    """
    if not numbers_in(event):
        return None if isinstance(event, Numbered) else event
    singles = singles_of(event)
    if not singles:
        return None
    return singles[0] if len(singles) == 1 else Together(singles)


class Journal(Protocol):
    """Keeps events, in order, for ever."""

    def append(self, event: Event) -> None:
        """Record the event, durably where the journal is, before returning."""

    def read(self) -> Iterator[Event]:
        """Yield every event, oldest first."""


@runtime_checkable
class Authored(Journal, Protocol):
    """A journal that knows who acts; answers that name nobody are theirs."""

    @property
    def who(self) -> str:
        """The present author; empty where there is none."""


@runtime_checkable
class OfSamples(Journal, Protocol):
    """A journal that promises more: that it is of certain samples only."""

    def recognise(self, samples: Samples) -> None:
        """Be of these samples from now on; refuse if it is of others."""

    def grow(self, samples: Samples) -> None:
        """Be of more samples: those it is of, and others behind them."""


class MemoryJournal:
    """A journal that lasts as long as the process.

    Examples
    --------
    >>> journal = MemoryJournal()
    >>> journal.append(Renamed(3, "oak"))
    >>> list(journal.read())
    [Renamed(sample=3, name='oak')]
    """

    def __init__(self, events: Iterable[Event] = ()) -> None:
        self._events = list(events)

    def append(self, event: Event) -> None:
        self._events.append(event)

    def read(self) -> Iterator[Event]:
        yield from tuple(self._events)


@dataclass(frozen=True, slots=True)
class Standing:
    """What stands after all events: a fold over the journal.

    Attributes
    ----------
    answers : tuple of Answer
        Oldest first, without those that were taken back.
    names : dict of int to str
        Names by the sample they were given for, oldest first; but where two groups
        became one, the larger one's name comes last.
    aside : frozenset of int
    kept : frozenset of int
        Ids of the answers that were looked at and left to disagree.
    acts : tuple of int
        Positions of the events that :meth:`Session.undo` can still undo.
    n_answers : int
        Answers ever recorded; the next one's id is one more.
    """

    answers: tuple[Answer, ...] = ()
    names: dict[int, str] = field(default_factory=dict)
    aside: frozenset[int] = frozenset()
    kept: frozenset[int] = frozenset()
    acts: tuple[int, ...] = ()
    n_answers: int = 0

    def with_told(self, position: int, answers: tuple[Answer, ...]) -> Standing:
        """Return what stands after answers at the end of the journal."""
        names = self.names
        if len(names) > 1:
            found = GroupNames().linked(same_in(self.answers))
            for sample, name in names.items():
                found.rename(sample, name)
            names = found.linked(same_in(answers)).given
        return replace(
            self,
            answers=self.answers + answers,
            names=names,
            acts=(*self.acts, position),
            n_answers=self.n_answers + len(answers),
        )


def standing(events: Iterable[Event]) -> Standing:
    """Return what stands after these events."""
    listed = list(events)
    undone = {event.position for event in listed if isinstance(event, Undone)}
    acts = [
        (position, event)
        for position, event in enumerate(listed)
        if position not in undone and _is_act(event)
    ]
    singles = [single for _, event in acts for single in singles_of(event)]
    gone = {
        id_ for single in singles if isinstance(single, Retracted) for id_ in single.ids
    }
    told = [single for single in singles if isinstance(single, Told)]
    aside, kept = _said(singles)
    return Standing(
        tuple(a for single in told for a in single.answers if a.id not in gone),
        _names_after(singles, gone),
        aside,
        kept,
        tuple(position for position, _ in acts),
        sum(len(told_in(event)) for event in listed),
    )


def _is_act(event: Event) -> bool:
    """Tell whether somebody did something that can be undone."""
    return not isinstance(event, Undone) and without_numbers(event) is not None


def same_in(answers: Iterable[Answer]) -> list[tuple[int, int]]:
    """Return the pairs that answers say are the same."""
    return [a.question.pair for a in answers if a.verdict is Verdict.SAME]


def _names_after(singles: Sequence[Single], gone: Set[int]) -> dict[int, str]:
    """Return names after these events, without the answers that were taken back."""
    names = GroupNames()
    several = sum(isinstance(single, Renamed) for single in singles) > 1
    for single in singles:
        match single:
            case Renamed(sample, name):
                names.rename(sample, name)
            case Told(answers) if several:
                names.linked(same_in(a for a in answers if a.id not in gone))
    return names.given


def _said(singles: Iterable[Single]) -> tuple[frozenset[int], frozenset[int]]:
    """Return samples aside and answers left to disagree after these events."""
    aside: set[int] = set()
    kept: set[int] = set()
    for single in singles:
        match single:
            case SetAside(sample, True):
                aside.add(sample)
            case SetAside(sample, False):
                aside.discard(sample)
            case Kept(ids):
                kept.update(ids)
    return frozenset(aside), frozenset(kept)


Json: TypeAlias = dict[str, Any]  # what JSON can hold, by name


def encode(event: Event) -> Json:
    """Return an event as plain values, its kind first.

    Examples
    --------
    >>> encode(Renamed(3, "oak"))
    {'renamed': 3, 'name': 'oak'}
    """
    match event:
        case Together(events):
            return {"together": [_encode_single(one) for one in events]}
        case Undone(position):
            return {"undone": int(position)}
    return _encode_single(event)


def _encode_single(event: Single | Numbered) -> Json:
    match event:
        case Told(answers, shown):
            body: Json = {"told": [encode_answer(a) for a in answers]}
            if shown is not None:
                body["shown"] = _encode_shown(shown)
        case Retracted(ids):
            body = {"retracted": [int(id_) for id_ in ids]}
        case Renamed(sample, name):
            body = {"renamed": int(sample), "name": name}
        case SetAside(sample, aside):
            body = {"set_aside": int(sample), "aside": bool(aside)}
        case Kept(ids):
            body = {"kept": [int(id_) for id_ in ids]}
        case Numbered(anchors):
            body = {"numbered": [[int(n), int(sample)] for n, sample in anchors]}
    return body


def decode(line: Json) -> Event:
    """Return the event that plain values mean.

    Examples
    --------
    >>> decode({"renamed": 3, "name": "oak"})
    Renamed(sample=3, name='oak')
    """
    match line:
        case {"together": singles}:
            return Together(tuple(map(_decode_single, singles)))
        case {"undone": position}:
            return Undone(position)
    return _decode_single(line)


def _decode_single(line: Json) -> Single | Numbered:
    match line:
        case {"told": answers}:
            told = tuple(_decode_answer(answer) for answer in answers)
            event: Single | Numbered = Told(told, _decode_shown(line.get("shown")))
        case {"retracted": ids}:
            event = Retracted(tuple(ids))
        case {"renamed": sample, "name": name}:
            # One that was kept before names were checked must not stop anybody.
            event = Renamed(sample, readable(name))
        case {"set_aside": sample, "aside": aside}:
            event = SetAside(sample, aside)
        case {"kept": ids}:
            event = Kept(tuple(ids))
        case {"numbered": anchors}:
            event = Numbered(tuple((number, sample) for number, sample in anchors))
        case _:
            raise ValueError(line)
    return event


def kind_of(body: Json) -> str:
    """Return the kind of an encoded event: its first key."""
    return next(iter(body))


def encode_answer(answer: Answer) -> Json:
    """Return an answer as plain values; who gave it only where that is known."""
    question = answer.question
    by = {"by": answer.by} if answer.by else {}
    return {
        "id": int(answer.id),
        "sample": int(question.sample),
        "against": int(question.against),
        "verdict": answer.verdict.value,
        "how": answer.how,
        "predicted": encode_prediction(question.predicted),
        **by,
    }


def encode_prediction(predicted: Prediction | None) -> Json | None:
    """Return a prediction as plain values: numpy's numbers are none of JSON's."""
    if predicted is None:
        return None
    return {
        "same": float(predicted.same),
        "kind": predicted.kind,
        "aux": float(predicted.aux),
        "if_same": bool(predicted.if_same),
        "if_different": int(predicted.if_different),
    }


def decode_question(sample: int, against: int, predicted: Json | None) -> Question:
    """Return the question that plain values mean."""
    return Question(sample, against, Prediction(**predicted) if predicted else None)


def _decode_answer(line: Json) -> Answer:
    question = decode_question(line["sample"], line["against"], line["predicted"])
    verdict, by = Verdict(line["verdict"]), line.get("by", "")
    return Answer(question, verdict, line["id"], line["how"], by)


def _encode_shown(shown: Shown) -> Json:
    return {
        "kind": shown.kind,
        "speakers": list(map(int, shown.speakers)),
        "items": list(map(int, shown.items)),
        "tap": shown.tap,
        "tapped": list(map(int, shown.tapped)),
        "offered": list(map(int, shown.offered)),
        "seconds": None if shown.seconds is None else float(shown.seconds),
        "sorts": bool(shown.sorts),
    }


def _decode_shown(line: Json | None) -> Shown | None:
    if line is None:
        return None
    return Shown(
        line["kind"],
        tuple(line["speakers"]),
        tuple(line["items"]),
        line["tap"],
        tuple(line["tapped"]),
        tuple(line["offered"]),
        line["seconds"],
        bool(line.get("sorts")),
    )


def encode_screen(screen: Sheet | Overview) -> Json:
    """Return a screen that is open as plain values, its kind first.

    Examples
    --------
    >>> encode_screen(Overview((Question(1, 0),)))["overview"]
    [{'sample': 1, 'against': 0, 'predicted': None}]
    """
    asked = [
        {
            "sample": int(question.sample),
            "against": int(question.against),
            "predicted": encode_prediction(question.predicted),
        }
        for question in screen.questions
    ]
    said = {"worth": float(screen.worth), "seconds": float(screen.seconds)}
    if isinstance(screen, Overview):
        return {"overview": asked, **said}
    speakers = list(map(int, screen.speakers))
    how = {"speakers": speakers, "tap": screen.tap, "sorts": bool(screen.sorts)}
    return {"sheet": asked, **how, **said}


def decode_screen(line: Json) -> Sheet | Overview:
    """Return the screen that plain values mean.

    Examples
    --------
    >>> sheet = Sheet((7, 5), (Question(1, 7),), "members")
    >>> decode_screen(encode_screen(sheet)) == sheet
    True
    """
    asked = line["sheet"] if "sheet" in line else line["overview"]
    questions = tuple(decode_question(**question) for question in asked)
    said = line["worth"], line["seconds"]
    if "overview" in line:
        return Overview(questions, *said)
    return Sheet(
        tuple(line["speakers"]), questions, line["tap"], bool(line["sorts"]), *said
    )
