"""A model that reads first, and people who check it and answer the rest.

For anything that answers with a confidence, without a server: simulations, classifiers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import combinations, islice, product
from typing import TypeAlias

import numpy as np
from scipy.special import expit, logit

from likewise._arrays import Indices
from likewise._ties import first_best
from likewise.errors import InputError
from likewise.knowledge import Answer, Question, Said, Verdict
from likewise.readers._band import (
    LEAST,
    LIMIT,
    SUREST,
    WORTH,
    Band,
    band,
    checked,
)
from likewise.readers._coherence import SIZE, Heard, own_error
from likewise.session import MODEL, Doubts, Revision, Session

SHARE = 0.1  # of the model's answers, those that a person is given too
BEFORE, EVERY = 18, 6  # groups of samples that are heard first; looked at after so many
READINGS = 9  # pairs of two groups that are read for one answer, at most
# Samples that an answer is expected to misplace, from which on people look at it
# again: before what is open, and after it.
HARMFUL, HARMLESS = 0.5, 0.05
ROUNDING = 1e-9  # of a confidence on its way to log odds and back
PERSON = "person"
# What a model says of two samples, and how sure it is, from 0.5 to 1.
Read: TypeAlias = Callable[[Question], tuple[Said, float]]
People: TypeAlias = Callable[[Question], Said]


@dataclass(frozen=True, slots=True)
class Moment:
    """Where two readers are after an answer.

    Attributes
    ----------
    n_people, n_model : int
        Answers of people so far, checks among them, and of the model.
    n_readings : int
        Pairs that the model has looked at.
    labels : ndarray of shape (n_samples,)
    band : Band
    by : str
        Who gave the last answer.
    """

    n_people: int
    n_model: int
    n_readings: int
    labels: Indices
    band: Band
    by: str


@dataclass
class FirstReader:
    """Let a model answer first, one in ten answers checked, and people the rest.

    What the method asks about is read by the model: the pair itself, then others of the
    two groups, until what they say together is sure enough (Wald's sequential test, as
    if errors were independent; where they are not, the checks show it and the band
    rises). What stays below the band is left: to a later time, when the groups have
    more members to read, and then to people. One in ten answers is put to a person,
    who is not told; where they differ, the person's takes the place of the model's.

    Before it answers anything it is heard on all pairs of a few similar samples, up to
    18 times five. One that contradicts itself is less sure than it says; where that
    leaves hardly a doubt that it is not worth it, people go on alone, and nobody was
    asked in vain. Once the checks leave hardly a doubt, all that the model said is
    taken back, and what people said themselves stays.

    Parameters
    ----------
    session : Session
    read : callable
        ``read(question)`` returns a verdict and a confidence.
    people : callable
        ``people(question)`` returns a verdict: an oracle.
    share : float
        Of the model's answers, those that are checked.
    limit, worth : float
        As for :func:`~likewise.readers.band`.
    most : int, optional
        Answers of the model, at most; as many as it is sure of unless given.
    name : str
        Its answers stand under "model:NAME".
    seed : int
        Of the draw which answers are checked.

    Examples
    --------
    >>> from likewise import LabelOracle
    >>> truth = LabelOracle([0, 0, 0, 1, 1, 1])
    >>> session = Session([[0.0], [0.2], [0.4], [5.0], [5.2], [5.4]])
    >>> first = FirstReader(session, lambda pair: (truth(pair), 0.97), truth)
    >>> trace = list(first.run(most_people=10))
    >>> trace[-1].n_model, trace[-1].n_people, trace[-1].labels.tolist()
    (5, 2, [1, 1, 1, 0, 0, 0])
    """

    session: Session
    read: Read
    people: People
    share: float = SHARE
    limit: float = LIMIT
    worth: float = WORTH
    most: int | None = None
    name: str = "first"
    seed: int = 0
    readings: int = READINGS
    band: Band = field(init=False)
    n_people: int = field(default=0, init=False)
    n_model: int = field(default=0, init=False)
    n_readings: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        if not 0 < self.share <= 1:
            raise InputError(
                f"share is above 0 and up to 1, but it is {self.share}: a model that "
                f"nobody checks is not to be believed."
            )
        self.who = f"{MODEL}{self.name}"
        self._rng = np.random.default_rng(self.seed)
        self._said: dict[tuple[int, int], tuple[Verdict, float]] = {}
        self._confidence: dict[tuple[int, int], float] = {}
        self._stake: dict[tuple[int, int], int] = {}
        self._told: list[Answer] = []
        self._left: dict[Question, int] = {}
        self.band = self._bound()

    def run(self, most_people: int) -> Iterator[Moment]:
        """Yield a moment after each answer, until people have given so many.

        Parameters
        ----------
        most_people : int
            Answers of people at most, checks among them; fewer when nothing is left to
            ask.
        """
        if self.band.own is None and not self.band.is_stopped:
            self._hear()
        while self.n_people < most_people:
            if (question := self._next()) is not None:
                yield from self._answered(question)
            elif self._asks_people():
                yield self._moment(PERSON)
            else:
                return

    def _hear(self) -> None:
        """Let the model be heard by itself, until it is clear what that is worth."""
        least = self.band.least
        assert least is not None  # it is not stopped
        groups, heard = islice(self._alike(), BEFORE), list[Heard]()
        while some := list(islice(groups, EVERY)):
            heard += map(self._heard, some)
            own = own_error(heard, least)
            self.band = replace(self.band, own=own)
            if own.low > self.worth:
                self.band = replace(self.band, least=None)
            if own.low > self.worth or own.high < self.worth:
                return

    def _heard(self, samples: tuple[int, ...]) -> Heard:
        """Return what the model says of all pairs of some samples."""
        said = [self._read(Question(*pair)) for pair in combinations(samples, 2)]
        same = tuple(verdict is Verdict.SAME for verdict, _ in said)
        return Heard(same, tuple(sure for _, sure in said))

    def _alike(self) -> Iterator[tuple[int, ...]]:
        """Yield samples and their nearest neighbours, no sample twice."""
        near, used = self.session.neighbours, set[int]()
        for one in np.random.default_rng(self.seed).permutation(near.shape[0]).tolist():
            at = slice(*near.indptr[one : one + 2])
            order = np.argsort(-near.data[at], kind="stable")
            some = (one, *near.indices[at][order].tolist()[: SIZE - 1])
            if len({*some} - used) == SIZE:
                used.update(some)
                yield some

    def _read(self, question: Question) -> tuple[Verdict, float]:
        """Return what the model says of a pair, and how sure; it is asked once."""
        if question.pair not in self._said:
            said, sure = self.read(question)
            verdict = Verdict.of(said)
            self._said[question.pair] = (
                verdict,
                LEAST if verdict is Verdict.UNSURE else float(sure),
            )
            self.n_readings += 1
        return self._said[question.pair]

    def _asks_people(self) -> bool:
        """Let a person answer what helps most; False where nothing is left.

        What the model said and is likely to misplace something goes first; then what
        is open; then what else it said that may.
        """
        doubted, harm = self._doubted()
        asked = None if doubted and harm > HARMFUL else self.session.ask()
        if asked is None and doubted is not None and harm > HARMLESS:
            self._settle(doubted, Verdict.of(self.people(doubted.question)))
        elif asked is not None:
            verdict = Verdict.of(self.people(asked))
            self.session.tell(asked, verdict, on_conflict="keep", by=PERSON)
        else:
            return False
        self.n_people += 1
        return True

    def _doubted(self) -> tuple[Answer | None, float]:
        """Return the model's answer that does most harm, and how much is expected.

        How likely it is wrong, by all that is known besides and by how sure the model
        was, times the samples that it would misplace.
        """
        seen = {a.question.pair for a in self.session.history if a.by != self.who}
        mine = [a for a in self.session.history if a.by == self.who]
        left = [a for a in mine if a.question.pair not in seen]
        if not left:
            return None, 0.0
        doubts = Doubts(self.session.neighbours, self.session.view.model.labels)
        sure = [self._confidence[a.question.pair] for a in left]
        against = np.array([doubts(a) for a in left])
        odds = against - logit(self.band.calibration(sure))
        harm = expit(odds) * [self._stake[a.question.pair] for a in left]
        best = first_best(harm)
        return left[best], float(harm[best])

    def _next(self) -> Question | None:
        """Return what the model is to read; None when it is the turn of people."""
        is_full = self.most is not None and self.n_model >= self.most
        if is_full or self.band.is_stopped:
            return None
        pending = [q for q, n in self._left.items() if self._n_pairs(q) <= n]
        found = self.session.ask_besides(pending)
        return None if found is None or found in pending else found

    def _answered(self, question: Question) -> Iterator[Moment]:
        enough = self._enough(question)
        verdict, confidence = self._weighed(question, enough)
        if verdict is Verdict.UNSURE or confidence < enough - ROUNDING:
            self._left[question] = self._n_pairs(question)
            self.band = replace(self.band, n_left=self.band.n_left + 1)
            return
        self._confidence[question.pair] = confidence
        self._stake[question.pair] = min(map(len, self._sides(question)))
        self.session.tell(question, verdict, on_conflict="keep", by=self.who)
        self._told.append(self.session.history[-1])
        self.n_model += 1
        self.band = replace(self.band, n_left=0)
        yield self._moment(self.who)
        if self._rng.random() < self.share:
            self._check(self._told[-1])
            yield self._moment(PERSON)

    def _enough(self, question: Question) -> float:
        """Return how sure the model has to be of a question.

        A wrong answer about two groups misplaces all of the smaller one at once, so it
        has to be the rarer by that.
        """
        least = SUREST if self.band.least is None else self.band.least
        return 1 - (1 - least) / min(map(len, self._sides(question)))

    def _weighed(self, question: Question, enough: float) -> tuple[Verdict, float]:
        """Return what the pairs of two groups amount to, read until it is enough."""
        total = 0.0
        for pair in islice(self._pairs(question), self.readings):
            verdict, confidence = self._read(Question(*pair))
            strength = float(logit(min(max(confidence, LEAST), SUREST)))
            match verdict:
                case Verdict.SAME:
                    total += strength
                case Verdict.DIFFERENT:
                    total -= strength
            if expit(abs(total)) >= enough - ROUNDING:
                break
        if not total:
            return Verdict.UNSURE, LEAST
        found = Verdict.SAME if total > 0 else Verdict.DIFFERENT
        return found, float(expit(abs(total)))

    def _pairs(self, question: Question) -> Iterator[tuple[int, int]]:
        """Yield the pair of a question, then others of the same two groups."""
        yield question.sample, question.against
        for pair in product(*self._sides(question)):
            if pair != (question.sample, question.against):
                yield pair

    def _sides(self, question: Question) -> tuple[list[int], list[int]]:
        ends = question.sample, question.against
        return self._known_with(ends[0]), self._known_with(ends[1])

    def _known_with(self, sample: int) -> list[int]:
        """Return a sample and others that answers put with it, and the method too."""
        known, labels = self.session.known.constraints, self.session.labels
        group = known.samples(known.group(sample))
        return [one for one in group if labels[one] == labels[sample]] or [sample]

    def _n_pairs(self, question: Question) -> int:
        one, other = map(len, self._sides(question))
        return min(one * other, self.readings)

    def _check(self, answer: Answer) -> None:
        """Put an answer to a person; theirs counts where they differ."""
        question = answer.question
        verdict = Verdict.of(self.people(question))
        self._told.append(Answer(question, verdict, by=PERSON))
        self.n_people += 1
        self._settle(answer, verdict)
        self.band = replace(self._bound(), own=self.band.own)
        if self.band.is_stopped:
            self.session.take_back(self.who)

    def _settle(self, answer: Answer, verdict: Verdict) -> None:
        """Record what a person says of what the model said; theirs counts."""
        question = answer.question
        if verdict is Verdict.UNSURE or verdict is answer.verdict:
            told = self.session.tell_pair
            told(*question.pair, verdict, on_conflict="keep", by=PERSON)
        else:
            asked = Question(question.sample, question.against)
            instead = Answer(asked, verdict, how="told")
            self.session.revise(Revision((answer.id,), (instead,)), by=PERSON)

    def _bound(self) -> Band:
        checks = checked(self._told, self.who)
        sure = [self._confidence[check.answer.question.pair] for check in checks]
        right = [check.is_right for check in checks]
        return band(sure, right, self.limit, worth=self.worth)

    def _moment(self, by: str) -> Moment:
        labels = self.session.labels
        return Moment(
            self.n_people, self.n_model, self.n_readings, labels, self.band, by
        )
