"""What follows from a journal: a frozen value, one event further at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from likewise.errors import InputError
from likewise.knowledge import (
    Answer,
    Draft,
    Event,
    Knowledge,
    Renamed,
    Retracted,
    SetAside,
    Single,
    Standing,
    Together,
    Told,
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
        """Return the state after these events, in one go."""
        return cls(Knowledge(n_samples)).replayed(events)

    def after(self, event: Event) -> State:
        """Return the state one event further."""
        events = (*self.events, event)
        if not isinstance(event, Told):
            return self.replayed(events)
        stands = self.stands.with_told(len(self.events), event.answers)
        return State(self.known.after_all(event.answers), stands, events)

    def replayed(self, events: Iterable[Event]) -> State:
        """Return the state after these events instead of its own.

        What is known is the very same value where nothing in it has changed.
        """
        listed = tuple(events)
        stands, known = standing(listed), self.known
        if (stands.answers, stands.aside) != (known.answers, known.aside):
            empty = Knowledge(known.n_samples, aside=stands.aside)
            known = empty.after_all(stands.answers)
        return State(known, stands, listed)

    # What to record

    def told(self, answers: Iterable[Answer], *, may_contradict: bool) -> Told:
        """Return the event that answers make, each with its number.

        Parameters
        ----------
        answers : iterable of Answer
        may_contradict : bool
            Whether answers that deny earlier ones are taken, as doubtful ones. Those to
            check questions always are.
        """
        draft = Draft(self.known)
        numbered = []
        for answer in self._with_ids(answers):
            is_strict = not may_contradict and not answer.question.is_check
            if is_strict and (error := draft.contradiction(answer)) is not None:
                raise error
            numbered.append(answer)
            draft.take(answer)
        return Told(tuple(numbered))

    def revised(self, revision: Revision) -> Event | None:
        """Return the event that one act of a review makes; None where it is nothing."""
        self.check(*revision.aside)
        self.check(*revision.back)
        events: list[Single] = []
        if revision.retracted:
            events.append(Retracted(revision.retracted))
        if revision.told:
            events.append(Told(tuple(self._with_ids(revision.told))))
        events += [SetAside(sample) for sample in revision.aside]
        events += [SetAside(sample, aside=False) for sample in revision.back]
        events += [Renamed(sample, name) for sample, name in revision.renamed]
        if not events:
            return None
        return events[0] if len(events) == 1 else Together(tuple(events))

    def _with_ids(self, answers: Iterable[Answer]) -> Iterator[Answer]:
        for number, answer in enumerate(answers, start=self.stands.n_answers + 1):
            self.check(answer.question.sample, answer.question.against)
            yield replace(answer, id=number)

    # What may be named

    def check(self, *samples: int) -> None:
        """Refuse samples that do not exist, or of which one is named twice."""
        n_samples = self.known.n_samples
        for sample in samples:
            is_index = isinstance(sample, int | np.integer)
            if not is_index or not 0 <= sample < n_samples:
                raise InputError(
                    f"There is no sample {sample}: samples are numbered from 0 to "
                    f"{n_samples - 1}."
                )
        if len(samples) > len(set(samples)):
            raise InputError(
                f"Sample {samples[0]} was compared with itself: name two samples."
            )

    def check_answer(self, answer_id: int) -> None:
        """Refuse an answer that does not stand."""
        if answer_id not in {answer.id for answer in self.known.answers}:
            raise InputError(f"There is no answer {answer_id}: see session.history.")

    def check_act(self, position: int) -> None:
        """Refuse an act that cannot be undone."""
        if position not in self.stands.acts:
            raise InputError(f"There is no act {position} to undo: see session.acts.")


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
