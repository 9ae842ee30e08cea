"""Second opinions: what one reader said, put to another who does not know it.

A tenth of a reader's questions are pairs that somebody else has answered, drawn at
random: by these the agreement of readers is measured. What somebody was not sure of, or
said against all odds, is put to another reader too, but tells nothing of agreement.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from likewise.knowledge import (
    DECIDED,
    TAPPED,
    Answer,
    Knowledge,
    Prediction,
    Question,
    Verdict,
)
from likewise.session._control import LEAST, USUAL, is_drawn
from likewise.session._review import REVIEW

OVERLAP = "check overlap groups"  # the kind of a pair that another reader has answered
REFERRED = "check referred groups"  # and of one that another reader was not sure of
SHARE = 0.1  # of a reader's questions, those that another one has answered
MODEL = "model:"  # what names of readers begin with who are programs
SURPRISING = 9.0  # odds against an answer from which on another reader is asked
N_LATEST = 300  # answers among which one to refer is looked for
SAID = ("asked", TAPPED)  # how answers came that are put to another reader
NO_GUESS = "group"  # a prediction of this kind says what was meant, not how likely
RESTS = LEAST - 1.0  # answers that a second opinion rests on: it is no drawn check


def is_model(name: str) -> bool:
    """Tell whether a reader is a program.

    Examples
    --------
    >>> is_model("model:small"), is_model("ann")
    (True, False)
    """
    return name.startswith(MODEL)


def is_overlap(question: Question) -> bool:
    """Tell whether a question was drawn at random among those of another reader."""
    return question.predicted is not None and question.predicted.kind == OVERLAP


def is_second(question: Question) -> bool:
    """Tell whether another reader was asked the same before, by lot or for a reason.

    Examples
    --------
    >>> is_second(Question(0, 1, Prediction(0.9, OVERLAP)))
    True
    >>> is_second(Question(0, 1, Prediction(0.9, "check groups")))
    False
    """
    predicted = question.predicted
    return predicted is not None and predicted.kind in (OVERLAP, REFERRED)


def is_independent(answer: Answer) -> bool:
    """Tell whether somebody said something of their own, as they would of any pair.

    Neither what was known from the start, nor what was said with the groups or other
    answers in view, nor what was asked for again out of doubt.
    """
    asked = answer.question
    is_plain = not asked.is_check or is_overlap(asked) or is_drawn(asked)
    return is_plain and answer.how not in ("given", REVIEW, DECIDED)


def is_overlap_due(answers: Sequence[Answer], share: float) -> bool:
    """Tell whether a reader is to be asked now what another one has answered.

    Parameters
    ----------
    answers : sequence of Answer
        Those of one reader, oldest first.
    share : float
        Of their questions, but never two in a row; 0 for none.

    Examples
    --------
    >>> asked = [Answer(Question(at, 9), Verdict.SAME) for at in range(9)]
    >>> is_overlap_due(asked, 0.1), is_overlap_due(asked[1:], 0.1)
    (True, False)
    >>> is_overlap_due(asked, 0.0)
    False
    """
    if share <= 0:
        return False
    every = max(round(1 / share), 2)
    said = (answer for answer in reversed(answers) if answer.how in SAID)
    lately = list(islice(said, every - 1))
    return len(lately) == every - 1 and not any(is_overlap(a.question) for a in lately)


def second_opinion(
    known: Knowledge,
    by: str,
    rng: np.random.Generator,
    pending: Iterable[Question] = (),
) -> Question | None:
    """Draw a pair that one other reader has answered, to be put to a second one.

    The other reader is the one with whom this one shares fewest pairs so far; of their
    answers each is as likely as any other, so that agreement is measured without bias.
    Nobody is told that it is a second opinion. Models are not asked about what models
    have said, but people are.

    Parameters
    ----------
    known : Knowledge
    by : str
        Who is to be asked.
    rng : Generator
    pending : iterable of Question
        Open with other people.

    Returns
    -------
    Question or None
        None where nobody else has answered anything that could be asked. It concludes
        nothing by itself, and is no drawn check.

    Notes
    -----
    With two readers only, what was referred to one of them (:func:`referral_of`) cannot
    be drawn for that one any more: agreement is then that on all other answers.

    Examples
    --------
    >>> told = Answer(Question(0, 1), Verdict.SAME, 1, by="ann")
    >>> known, rng = Knowledge(3).after(told), np.random.default_rng(0)
    >>> second_opinion(known, "bob", rng).pair
    (0, 1)
    >>> second_opinion(known, "ann", rng) is None
    True
    """
    pairs = _Pairs.of(known, by, pending)
    firsts: dict[str, list[Answer]] = {}
    for told in pairs.left():
        alone = [answer for answer in told if is_independent(answer)]
        if len(alone) == 1 and _may_be_put(alone[0], by):
            firsts.setdefault(alone[0].by, []).append(alone[0])
    if not firsts:
        return None
    shared = pairs.shared()
    name = min(sorted(firsts), key=shared.__getitem__)
    answer = firsts[name][int(rng.integers(len(firsts[name])))]
    agrees = (1 - USUAL) ** 2 + USUAL**2
    same = agrees if answer.verdict is Verdict.SAME else 1 - agrees
    return _put(answer.question, same, OVERLAP)


def referral_of(
    known: Knowledge, by: str, pending: Iterable[Question] = ()
) -> Question | None:
    """Return a pair that another reader was not sure of, or surprised with.

    What was said against odds of more than nine to one. It is put to one other reader
    only, the oldest first.

    Parameters
    ----------
    known : Knowledge
    by : str
        Who is to be asked.
    pending : iterable of Question
        Open with other people.

    Returns
    -------
    Question or None
        None where there is no such pair.

    Examples
    --------
    >>> told = Answer(Question(0, 1), Verdict.UNSURE, 1, by="ann")
    >>> referral_of(Knowledge(3).after(told), "bob").pair
    (0, 1)
    """
    pairs = _Pairs.of(known, by, pending)
    recent = {answer.id for answer in known.answers[-N_LATEST:]}
    for told in pairs.left():
        first = told[0]
        if len(told) > 1 or first.id not in recent or first.how not in SAID:
            continue
        if _is_puzzling(known, first) and not _are_models(first.by, by):
            guess = _guess_of(first.question)
            return _put(first.question, 0.5 if guess is None else guess, REFERRED)
    return None


def _may_be_put(answer: Answer, by: str) -> bool:
    """Tell whether an answer may be put to another reader by lot."""
    is_said = answer.how in SAID and answer.verdict is not Verdict.UNSURE
    return is_said and not answer.question.is_check and not _are_models(answer.by, by)


def _are_models(one: str, other: str) -> bool:
    return is_model(one) and is_model(other)


def _is_puzzling(known: Knowledge, answer: Answer) -> bool:
    """Tell whether another reader should look at what one has said."""
    if answer.question.is_check:
        return False
    if answer.verdict is Verdict.UNSURE:
        return known.constraints.relation(*answer.question.pair) is None
    guess = _guess_of(answer.question)
    if guess is None:
        return False
    told = guess if answer.verdict is Verdict.SAME else 1 - guess
    return (1 - told) > SURPRISING * told


def _guess_of(question: Question) -> float | None:
    predicted = question.predicted
    if predicted is None or predicted.kind == NO_GUESS:
        return None
    return predicted.same


def _put(question: Question, same: float, kind: str) -> Question:
    asked = Prediction(same, kind, RESTS, if_same=False)
    return replace(question, predicted=asked)


@dataclass(frozen=True, slots=True)
class _Pairs:
    """What was said of each pair, as far as it matters to one reader."""

    by: str
    told: Mapping[tuple[int, int], Sequence[Answer]]
    out: frozenset[int]  # samples that are not asked about now
    contested: frozenset[tuple[int, int]]

    @classmethod
    def of(cls, known: Knowledge, by: str, pending: Iterable[Question]) -> _Pairs:
        told: dict[tuple[int, int], list[Answer]] = {}
        for answer in known.answers:
            told.setdefault(answer.question.pair, []).append(answer)
        taken = {sample for question in pending for sample in question.pair}
        contested = (known.answers[at].question.pair for at in known.doubtful)
        return cls(by, told, known.aside.union(taken), frozenset(contested))

    def left(self) -> Iterator[Sequence[Answer]]:
        """Yield what named others said of each pair that may be asked now."""
        for pair, told in self.told.items():
            is_open = self.out.isdisjoint(pair) and pair not in self.contested
            if is_open and all(a.by not in ("", self.by) for a in told):
                yield told

    def shared(self) -> Counter[str]:
        """Return on how many pairs each has said something that this reader did."""
        found: Counter[str] = Counter()
        for told in self.told.values():
            names = {answer.by for answer in told if is_independent(answer)}
            if self.by in names:
                found.update(names)
        return found
