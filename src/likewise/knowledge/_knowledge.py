"""Questions about pairs, what a method expected of them, and answers."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from html import escape

from likewise.errors import ContradictionError
from likewise.knowledge._constraints import Constraints, Verdict
from likewise.knowledge._constraints import Draft as Links

DECIDED = "decided"  # how an answer came by which somebody decides between readers
GO_ON, NEW, STAY = -1, -2, -3  # what "different" may mean, besides "with that sample"


@dataclass(frozen=True, slots=True)
class Prediction:
    """What a method expected when it asked, and what each answer would mean.

    It is kept with the answer, so that what a method concludes from answers, and the
    rates that it learns from its own hits, are functions of the journal alone.

    Parameters
    ----------
    same : float
        The probability of "same".
    kind : str
        "sample" (against a group), "groups" (two of them) or "duplicate" (two records
        that may be the same thing); "check" or "check groups" asks what is known
        already, "check overlap groups" and "check referred groups" what another reader
        was asked before.
    aux : float
        What the probability was made of: how far the sample is from settled ones, or
        how close the two groups are.
    if_same : bool
        Whether "same" is enough to conclude.
    if_different : int
        What "different" concludes: ask on (GO_ON), a group of its own (NEW), nothing
        (STAY), or the sample that it then belongs with.
    """

    same: float
    kind: str = "sample"
    aux: float = 0.0
    if_same: bool = True
    if_different: int = GO_ON


@dataclass(frozen=True, slots=True, repr=False)
class Question:
    """A pair of samples: are they of the same group, or of different ones.

    Two questions are equal when they compare the same samples in the same order.

    Parameters
    ----------
    sample : int
        The sample to be placed.
    against : int
        The sample it is compared with.
    predicted : Prediction or None
        What the method expected when it asked; no part of equality.
    """

    sample: int
    against: int
    predicted: Prediction | None = field(default=None, compare=False)

    @property
    def pair(self) -> tuple[int, int]:
        """The two samples, smaller index first."""
        return min(self.sample, self.against), max(self.sample, self.against)

    @property
    def is_check(self) -> bool:
        """Whether the relation follows from earlier answers already."""
        return self.predicted is not None and self.predicted.kind.startswith("check")

    def __repr__(self) -> str:
        return f"<Question: {self._words}>"

    def _repr_html_(self) -> str:
        return f"<div>{escape(self._words)}</div>"

    @property
    def _words(self) -> str:
        return f"are samples {self.sample} and {self.against} the same?"


@dataclass(frozen=True, slots=True)
class Answer:
    """A question with its verdict, as the journal keeps it.

    Parameters
    ----------
    question : Question
    verdict : Verdict
    id : int
        Its number in the journal, from 1 on; 0 while it is not recorded.
    how : str
        "asked" (the method asked it), "told" (nobody asked), "given" (known from the
        start), "group" (implied by placing a sample into a group), "review" (in looking
        through groups) or "decided" (between readers who disagree).
    by : str
        The reader who gave it; empty where nobody said who.
    """

    question: Question
    verdict: Verdict
    id: int = 0
    how: str = "asked"
    by: str = ""

    def __str__(self) -> str:
        number = f"answer {self.id}: " if self.id else ""
        return (
            f"{number}{self.question.sample} and {self.question.against} "
            f"are {self.verdict.value}"
        )

    def _repr_html_(self) -> str:
        return f"<div>{escape(str(self))}</div>"


@dataclass(frozen=True, slots=True)
class Knowledge:
    """All that the answers so far have taught; a fold over them, in their order.

    Attributes
    ----------
    n_samples : int
    answers : tuple of Answer
        Every answer that stands, oldest first.
    constraints : Constraints
        Their closure.
    doubtful : frozenset of int
        Positions in `answers` of those that contradict earlier ones. They are not in
        the closure, and enter it by themselves once an answer that they contradict
        is retracted.
    certain : tuple of int
        The certain-sample sets Z of the paper: names of groups that are pairwise known
        to be apart. A group enters when it is apart from all sets found before it,
        unless all of it is set aside: nobody could be asked about it any more.
    unsure : mapping of int to frozenset of int
        For each sample, those it was compared with and nobody could tell.
    aside : frozenset of int
        Samples that are out of the game: never asked about.
    compared : mapping of int to frozenset of int
        For each sample, those it was compared with, whatever was said.
    """

    n_samples: int
    answers: tuple[Answer, ...] = ()
    constraints: Constraints = field(default_factory=Constraints)
    doubtful: frozenset[int] = frozenset()
    certain: tuple[int, ...] = ()
    unsure: Mapping[int, frozenset[int]] = field(default_factory=dict)
    aside: frozenset[int] = frozenset()
    compared: Mapping[int, frozenset[int]] = field(default_factory=dict, repr=False)

    def after(self, answer: Answer) -> Knowledge:
        """Return what is known after one more answer.

        An answer that contradicts earlier ones becomes doubtful; :meth:`contradiction`
        tells beforehand.
        """
        return self.after_all([answer])

    def after_all(self, answers: Iterable[Answer]) -> Knowledge:
        """Return what is known after many answers.

        One copy serves all, so a long list costs time in proportion to its length.
        """
        draft = Draft(self)
        for answer in answers:
            draft.take(answer)
        return draft.knowledge

    def contradiction(
        self, question: Question, told: Verdict
    ) -> ContradictionError | None:
        """Return the error for a verdict that denies what is known, or None."""
        i, j = question.sample, question.against
        if self.constraints.fits(i, j, told):
            return None
        implied = self.constraints.relation(i, j)
        return ContradictionError((i, j), str(told), str(implied), self.evidence(i, j))

    def evidence(self, i: int, j: int) -> tuple[Answer, ...]:
        """Return a shortest chain of answers that settles the relation of i and j.

        At most one of them says "different"; empty when the relation is not known.
        """
        implied = self.constraints.relation(i, j)
        if implied is None:
            return ()
        crossings = int(implied is Verdict.DIFFERENT)
        return _shortest_chain(self._neighbours(), (i, 0), (j, crossings))

    def is_placed(self, sample: int) -> bool:
        """Tell whether a sample belongs to a certain-sample set."""
        return self.constraints.group(sample) in self.certain

    def _neighbours(self) -> dict[int, list[tuple[int, Answer]]]:
        neighbours: dict[int, list[tuple[int, Answer]]] = defaultdict(list)
        for position, answer in enumerate(self.answers):
            if answer.verdict is not Verdict.UNSURE and position not in self.doubtful:
                i, j = answer.question.sample, answer.question.against
                neighbours[i].append((j, answer))
                neighbours[j].append((i, answer))
        return neighbours


class Draft:
    """A copy of what is known that may still be changed, by its maker only."""

    def __init__(self, start: Knowledge) -> None:
        self._start = start
        self._answers = list(start.answers)
        self._links = Links(start.constraints)
        self._doubtful = set(start.doubtful)
        self._certain = dict.fromkeys(start.certain)
        self._unsure = _Partners(start.unsure)
        self._compared = _Partners(start.compared)

    def contradiction(self, answer: Answer) -> ContradictionError | None:
        """Return the error for an answer that denies what is known, or None."""
        if self._fits(answer):
            return None
        return self.knowledge.contradiction(answer.question, answer.verdict)

    def take(self, answer: Answer) -> None:
        """Take in one more answer."""
        i, j = answer.question.sample, answer.question.against
        fits = self._fits(answer)
        if not fits:
            self._doubtful.add(len(self._answers))
        self._answers.append(answer)
        self._compared.add(i, j)
        if answer.verdict is Verdict.UNSURE:
            self._unsure.add(i, j)
        if fits:
            nearby = self._newly_apart(i, j) if answer.verdict is Verdict.SAME else ()
            self._links.take(i, j, answer.verdict)
            self._grow((j, i), nearby)

    @property
    def knowledge(self) -> Knowledge:
        """What is known, as a value; it is good until the draft is changed."""
        return Knowledge(
            self._start.n_samples,
            tuple(self._answers),
            self._links.view,
            frozenset(self._doubtful),
            tuple(self._certain),
            self._unsure.frozen,
            self._start.aside,
            self._compared.frozen,
        )

    def _fits(self, answer: Answer) -> bool:
        i, j = answer.question.sample, answer.question.against
        return self._links.view.fits(i, j, answer.verdict)

    def _newly_apart(self, i: int, j: int) -> Iterable[int]:
        """Return groups that a merge makes apart from a certain set, oldest first."""
        known = self._links.view
        a, b = known.group(i), known.group(j)
        if b in self._certain:
            a, b = b, a
        if a not in self._certain:
            return ()
        found = known.apart_from(b) - known.apart_from(a)
        return sorted(found, key=known.born.__getitem__)

    def _grow(self, touched: tuple[int, int], nearby: Iterable[int]) -> None:
        """Bring the certain sets under their present names, and add those just found.

        Only the two groups just touched, or groups just told apart from a certain set
        by a merge, can have become apart from all the sets.
        """
        known, aside = self._links.view, self._start.aside
        self._certain = found = dict.fromkeys(map(known.group, self._certain))
        for group in (*dict.fromkeys(map(known.group, touched)), *nearby):
            is_new = group not in found and found.keys() <= known.apart_from(group)
            if is_new and not aside.issuperset(known.samples(group)):
                found[group] = None


class _Partners:
    """For each sample some others, both ways; sets are copied when they change."""

    def __init__(self, start: Mapping[int, frozenset[int]]) -> None:
        self._frozen = start
        self._changed: dict[int, set[int]] = {}

    def add(self, i: int, j: int) -> None:
        for one, other in ((i, j), (j, i)):
            if one not in self._changed:
                self._changed[one] = set(self._frozen.get(one, ()))
            self._changed[one].add(other)

    @property
    def frozen(self) -> Mapping[int, frozenset[int]]:
        if not self._changed:
            return self._frozen
        return {**self._frozen, **{s: frozenset(o) for s, o in self._changed.items()}}


def _shortest_chain(
    neighbours: Mapping[int, list[tuple[int, Answer]]],
    start: tuple[int, int],
    goal: tuple[int, int],
) -> tuple[Answer, ...]:
    # Breadth first over (sample, number of "different" answers passed, 0 or 1).
    came_from: dict[tuple[int, int], tuple[tuple[int, int], Answer]] = {}
    queue = deque([start])
    while queue and goal not in came_from:
        here = queue.popleft()
        for sample, answer in neighbours.get(here[0], ()):
            crossed = here[1] + (answer.verdict is Verdict.DIFFERENT)
            there = (sample, crossed)
            if crossed <= goal[1] and there != start and there not in came_from:
                came_from[there] = (here, answer)
                queue.append(there)
    chain: list[Answer] = []
    while goal != start:
        goal, answer = came_from[goal]
        chain.append(answer)
    return tuple(reversed(chain))
