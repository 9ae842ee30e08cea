"""What follows from a journal: a frozen value, one event further at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

from likewise._arrays import as_whole, described, whole_or_none
from likewise.errors import InputError
from likewise.knowledge import (
    STAY,
    Answer,
    Draft,
    Event,
    Kept,
    Knowledge,
    Numbered,
    Prediction,
    Question,
    Renamed,
    Retracted,
    SetAside,
    Shown,
    Single,
    Standing,
    Together,
    Told,
    Undone,
    Verdict,
    checked_name,
    numbers_in,
    singles_of,
    standing,
)
from likewise.session._review import Revision


@dataclass(frozen=True, slots=True)
class State:
    """Where a session is after some events: a fold over them, in their order.

    Parameters
    ----------
    known : Knowledge
        What a method works with. Events that change nothing in it (names, numbers,
        answers left to disagree, and whatever was undone of these) leave the very same
        value, so that what was worked out from it holds still.
    stands : Standing
        What stands of all that was said.
    events : tuple of Event
        All of them, oldest first.

    Examples
    --------
    >>> from likewise import Question, Verdict
    >>> told = Told((Answer(Question(0, 1), Verdict.SAME, 1),))
    >>> state = State.of(3, [told, Renamed(0, "oak")])
    >>> state == State(Knowledge(3)).after(told).after(Renamed(0, "oak"))
    True
    >>> state.after(Renamed(0, "elm")).known is state.known
    True
    """

    known: Knowledge
    stands: Standing = field(default_factory=Standing)
    events: tuple[Event, ...] = ()

    @classmethod
    def of(cls, n_samples: int, events: Iterable[Event]) -> State:
        """Return the state after these events, in one go.

        Events that speak of other samples are refused: they are not of these data.
        """
        return cls(Knowledge(n_samples)).caught_up(events)

    def after(self, event: Event) -> State:
        """Return the state one event further."""
        events = (*self.events, event)
        if not isinstance(event, Told):
            return self.replayed(events)
        stands = self.stands.with_told(len(self.events), event.answers)
        return State(self.known.after_all(event.answers), stands, events)

    def caught_up(self, events: Iterable[Event]) -> State:
        """Return the state after these events, of which its own were the first."""
        listed = tuple(events)
        for event in listed[len(self.events) :]:
            self._check_event(event)
        return self.replayed(listed)

    def replayed(self, events: Iterable[Event]) -> State:
        """Return the state after these events instead of its own.

        What is known is the very same value where nothing in it has changed.
        """
        listed = tuple(events)
        stands, known = standing(listed), self.known
        if (stands.answers, stands.aside) != (known.answers, known.aside):
            start = known
            if not is_longer(stands.answers, stands.aside, known):
                start = Knowledge(known.n_samples, aside=stands.aside)
            known = start.after_all(stands.answers[len(start.answers) :])
        return State(known, stands, listed)

    @property
    def seconds(self) -> dict[str, float]:
        """How long each reader took for what stands, as far as they told."""
        acts = map(self.events.__getitem__, self.stands.acts)
        took: dict[str, float] = {}
        for single in (single for event in acts for single in singles_of(event)):
            if isinstance(single, Told) and single.shown is not None and single.answers:
                by = single.answers[0].by
                took[by] = took.get(by, 0.0) + (single.shown.seconds or 0.0)
        return took

    # What to record

    def told(
        self,
        answers: Iterable[Answer],
        *,
        may_contradict: bool,
        shown: Shown | None = None,
        by: str = "",
    ) -> Told:
        """Return the event that answers make, each with its number.

        Parameters
        ----------
        answers : iterable of Answer
        may_contradict : bool
            Whether answers that deny earlier ones are taken, as doubtful ones. Those to
            check questions always are.
        shown : Shown, optional
            The screen that they came of.
        by : str
            Who gave them.
        """
        draft = Draft(self.known)
        numbered = []
        for answer in self._with_ids(answers, by):
            is_strict = not may_contradict and not answer.question.is_check
            if is_strict and (error := draft.contradiction(answer)) is not None:
                raise error
            numbered.append(answer)
            draft.take(answer)
        return Told(tuple(numbered), shown)

    def revised(self, revision: Revision, by: str = "") -> Event | None:
        """Return the event that one act of a review makes; None where it is nothing."""
        if not isinstance(revision, Revision):
            raise InputError(
                f"A session is revised by a Revision, but this is "
                f"{described(revision)}: see session.repairs."
            )
        gone = tuple(map(self.check_answer, revision.retracted))
        events: list[Single] = []
        if gone:
            events.append(Retracted(gone))
        if revision.told:
            events.append(Told(tuple(self._with_ids(revision.told, by))))
        events += [SetAside(sample) for sample in self.check(*revision.aside)]
        events += [
            SetAside(sample, aside=False) for sample in self.check(*revision.back)
        ]
        events += [self.renamed(sample, name) for sample, name in revision.renamed]
        if not events:
            return None
        return events[0] if len(events) == 1 else Together(tuple(events))

    def renamed(self, sample: int, name: str) -> Renamed:
        """Return the event that a name makes; an empty one takes it away."""
        return Renamed(self.sample(sample), checked_name(name, may_be_empty=True))

    def numbered(self, numbers: Numbered) -> Numbered:
        """Return the event that numbers of groups make."""
        if not isinstance(numbers, Numbered):
            raise InputError(f"Numbers are Numbered, but this is {described(numbers)}.")
        return Numbered(
            tuple(
                (as_whole(number, "The number of a group", 1), self.sample(sample))
                for number, sample in numbers.anchors
            )
        )

    def _with_ids(self, answers: Iterable[Answer], by: str) -> Iterator[Answer]:
        for number, answer in enumerate(answers, start=self.stands.n_answers + 1):
            asked, how = self.question(answer.question), _how(answer.how)
            reader = "" if how == "given" else by
            yield Answer(asked, Verdict.of(answer.verdict), number, how, reader)

    # What may be named

    def check(self, *samples: int) -> tuple[int, ...]:
        """Return samples by plain numbers, or refuse those that do not exist.

        None may be named twice.
        """
        n_samples = self.known.n_samples
        numbers = [whole_or_none(sample) for sample in samples]
        for sample, number in zip(samples, numbers, strict=True):
            if number is None or not 0 <= number < n_samples:
                raise InputError(
                    f"There is no sample {described(sample)}: samples are numbered "
                    f"from 0 to {n_samples - 1}."
                )
        checked = tuple(number for number in numbers if number is not None)
        if len(checked) > len(set(checked)):
            raise InputError(
                f"Sample {checked[0]} was compared with itself: name two samples."
            )
        return checked

    def sample(self, number: int) -> int:
        """Return one sample by its plain number, or refuse it."""
        return self.check(number)[0]

    def question(self, asked: Question) -> Question:
        """Return a question in plain numbers, or refuse what is none."""
        if not isinstance(asked, Question):
            raise InputError(
                f"A question is one of session.ask(), but this is {described(asked)}: "
                f"use tell_pair for two samples that nobody asked about."
            )
        sample, against = self.check(asked.sample, asked.against)
        predicted = asked.predicted
        return Question(sample, against, predicted and self._prediction(predicted))

    def _prediction(self, predicted: Prediction) -> Prediction:
        try:
            same, aux = float(predicted.same), float(predicted.aux)
            means = as_whole(
                predicted.if_different, "if_different", STAY, self.known.n_samples - 1
            )
            if not (0 <= same <= 1 and isfinite(aux)):
                raise ValueError(predicted)
            kind = checked_name(predicted.kind)
        except (AttributeError, TypeError, ValueError):
            raise InputError(
                f"No method expects this of a question: {described(predicted)}; leave "
                f"the prediction out."
            ) from None
        return Prediction(same, kind, aux, bool(predicted.if_same), means)

    def _check_event(self, event: Any) -> None:
        """Refuse an event of a journal that cannot be about these samples."""
        kinds = (Told, Retracted, Renamed, SetAside, Kept, Numbered, Together, Undone)
        if not isinstance(event, kinds):
            raise InputError(f"A journal holds events, but this is {described(event)}.")
        named = [pair for single in singles_of(event) for pair in _named(single)]
        named += [(sample,) for _, sample in numbers_in(event)]
        try:
            for samples in named:
                self.check(*samples)
        except InputError as error:
            raise InputError(
                f"The journal is not of these {self.known.n_samples} samples: name "
                f"the data that it was begun with, or another journal. {error}"
            ) from None

    def check_answer(self, answer_id: int) -> int:
        """Return the id of an answer that stands, or refuse any other."""
        number = whole_or_none(answer_id)
        if number not in {answer.id for answer in self.known.answers}:
            raise InputError(
                f"There is no answer {described(answer_id)}: see session.history."
            )
        return int(number)

    def check_act(self, position: int) -> int:
        """Return the position of an act that can be undone, or refuse any other."""
        number = whole_or_none(position)
        if number not in self.stands.acts:
            raise InputError(
                f"There is no act {described(position)} to undo: see session.acts."
            )
        return int(number)


def _named(single: Single) -> Iterator[tuple[int, ...]]:
    """Yield the samples that an event speaks of, those of a pair together."""
    match single:
        case Told(answers):
            for answer in answers:
                yield answer.question.sample, answer.question.against
        case Renamed(sample, _) | SetAside(sample, _):
            yield (sample,)


def _how(how: str) -> str:
    if not isinstance(how, str):
        raise InputError(f"How an answer came about is a word, not {described(how)}.")
    return how


def is_longer(
    answers: tuple[Answer, ...], aside: frozenset[int], known: Knowledge
) -> bool:
    """Tell whether answers are those that are known, and more after them."""
    return aside == known.aside and answers[: len(known.answers)] == known.answers


def steps(
    before: Knowledge, answers: Sequence[Answer], after: Knowledge
) -> Iterator[tuple[Answer, Knowledge]]:
    """Yield answers of one act, each with what is known after it.

    Parameters
    ----------
    before, after : Knowledge
        What was known before all of them, and is known after them.
    answers : sequence of Answer
    """
    known = before
    for answer in answers[:-1]:
        known = known.after(answer)
        yield answer, known
    for answer in answers[-1:]:
        yield answer, after
