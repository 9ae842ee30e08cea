"""Which answer is the likeliest slip, where answers contradict each other.

A contradiction is an answer and a chain of others that deny it. One of them is wrong;
which one, the other contradictions tell, and what lies around the two samples.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from likewise._arrays import Indices, Sparse
from likewise.knowledge import (
    PASSED,
    Answer,
    Constraints,
    Knowledge,
    Prediction,
    Question,
    Verdict,
)

N_CLASHES = 20  # contradictions that are looked at, the newest
SMOOTH = 0.02  # added to shares of neighbours: a handful of them is no proof
CLEAR = 3.0  # log odds by which one answer must be doubted more than all others
N_BESIDE = 6  # members of a group that may be asked about in place of another one
DECIDES = "check groups"  # the kind of a question that decides between answers
NO_GUESS = "group"  # a prediction of this kind says what was meant, not how likely


@dataclass(frozen=True, slots=True)
class Clash:
    """An answer, and a shortest chain of others that deny it."""

    answer: Answer
    chain: tuple[Answer, ...]

    @property
    def answers(self) -> tuple[Answer, ...]:
        """All of them, of which one at least is wrong."""
        return (*self.chain, self.answer)


@dataclass(frozen=True, slots=True)
class Suspect:
    """An answer that may be the slip, and what speaks for that.

    Attributes
    ----------
    answer : Answer
    n_solved : int
        Contradictions that would be gone if it had not been given.
    n_confirmed : int
        Ways in which other answers say the same.
    doubt : float
        How unlikely it is, by all that does not rest on it; in log odds.
    fault : float
        The share of wrong answers of who gave it.
    """

    answer: Answer
    n_solved: int
    n_confirmed: int
    doubt: float = 0.0
    fault: float = 0.0


def clash_of(known: Knowledge, answer: Answer) -> Clash:
    """Return an answer that others deny with what denies it."""
    return Clash(
        answer, known.evidence(answer.question.sample, answer.question.against)
    )


def nobody_doubts(answer: Answer) -> float:  # noqa: ARG001 - whatever was said
    """Have no doubt about an answer."""
    return 0.0


def suspects(
    known: Knowledge,
    clash: Clash,
    doubt: Callable[[Answer], float] = nobody_doubts,
    fault: Callable[[Answer], float] = nobody_doubts,
    kept: Collection[int] = (),
) -> tuple[Suspect, ...]:
    """Return the answers of a contradiction, the likeliest slip first.

    First comes the one that most contradictions share: without it they would be gone.
    Among equals, one that fewer others confirm, that is doubted more, whose giver was
    wrong more often, that was only left untapped, and that is older.

    Parameters
    ----------
    known : Knowledge
    clash : Clash
    doubt : callable
        ``doubt(answer)`` returns how unlikely an answer is, in log odds.
    fault : callable
        ``fault(answer)`` returns the share of wrong answers of who gave it.
    kept : collection of int
        Ids of answers that somebody has decided to leave as they are.

    Examples
    --------
    >>> from likewise import Question
    >>> said = [(0, 1, "same"), (0, 1, "same"), (1, 2, "same"), (0, 3, "same"),
    ...         (0, 2, "different"), (3, 2, "different")]
    >>> told = [Answer(Question(i, j), Verdict(v), n)
    ...         for n, (i, j, v) in enumerate(said, start=1)]
    >>> known = Knowledge(4).after_all(told)
    >>> [one.answer.id for one in suspects(known, clash_of(known, told[-1]))][0]
    3
    """
    others = [known.answers[at] for at in sorted(known.doubtful)]
    open_ones = [a for a in others if a.id not in kept or a == clash.answer]
    clashes = [
        answer for answer in open_ones[-N_CLASHES:] if _touch(known, answer, clash)
    ]
    found = [
        Suspect(one, *_without(known, one, clashes), doubt(one), fault(one))
        for one in clash.answers
    ]
    return tuple(sorted(found, key=_guilt))


def _guilt(one: Suspect) -> tuple[float, ...]:
    """Return what suspects are sorted by, the likeliest slip first."""
    is_weak = one.answer.how == PASSED
    return (
        -one.n_solved,
        one.n_confirmed,
        -one.doubt,
        -one.fault,
        not is_weak,
        one.answer.id,
    )


def _touch(known: Knowledge, answer: Answer, clash: Clash) -> bool:
    """Tell whether two contradictions are about the same groups."""
    group = known.constraints.group
    here = {group(s) for s in clash.answer.question.pair}
    return not here.isdisjoint(group(s) for s in answer.question.pair)


def _without(
    known: Knowledge, answer: Answer, clashes: Iterable[Answer]
) -> tuple[int, int]:
    """Return how many contradictions go with an answer, and how it is confirmed."""
    listed = list(clashes)
    there = _closure(known, answer, listed)
    solved = [one for one in listed if one == answer or _fits(there, one)]
    pair, same = answer.question.pair, answer.verdict
    again = sum(
        one.question.pair == pair and one.verdict is same and one != answer
        for one in known.answers
    )
    return len(solved), again + (there.relation(*pair) is same)


def _fits(there: Constraints, answer: Answer) -> bool:
    return there.fits(*answer.question.pair, answer.verdict)


def _closure(
    known: Knowledge, without: Answer, clashes: Iterable[Answer]
) -> Constraints:
    """Return what follows about the groups concerned without an answer.

    Neither the answer nor what is contradicted counts.
    """
    constraints = known.constraints
    ends = {s for one in clashes for s in one.question.pair}
    names = {constraints.group(s) for s in ends}
    inside = {s for name in names for s in constraints.samples(name)}
    links = (
        (*one.question.pair, one.verdict)
        for at, one in enumerate(known.answers)
        if one != without and at not in known.doubtful
        if inside.issuperset(one.question.pair)
    )
    return Constraints().after_all(links)


# A question that decides between them


def is_clear(found: Sequence[Suspect]) -> bool:
    """Tell whether one answer is by far the likeliest slip.

    Others contradict the same answers without it, or hardly anything speaks for it. But
    what was asked again because it was doubted is not doubted twice: there only other
    answers tell.
    """
    first, *others = found
    again = any(
        one.answer.question.is_check and not is_deciding(one.answer.question)
        for one in found
    )
    return all(
        (first.n_solved, -first.n_confirmed) > (one.n_solved, -one.n_confirmed)
        or (not again and first.doubt >= one.doubt + CLEAR)
        for one in others
    )


def is_deciding(question: Question) -> bool:
    """Tell whether a question was asked to decide between answers."""
    predicted = question.predicted
    return predicted is not None and predicted.kind == DECIDES and predicted.aux == 0


def decider_of(
    known: Knowledge, found: Sequence[Suspect], left_out: Iterable[int] = ()
) -> Question | None:
    """Return a question whose answer tells which of some answers is the slip.

    Its relation follows from about half of them: said otherwise, the slip is among
    these, and among the others if not. Where there is no such question, one of them is
    asked for again. Nobody is told that it decides something.

    Parameters
    ----------
    known : Knowledge
    found : sequence of Suspect
    left_out : iterable of int
        Samples that are not to be shown.

    Returns
    -------
    Question or None
        None where no question does.

    Examples
    --------
    >>> said = [(0, 1, "same"), (1, 2, "same"), (0, 1, "different")]
    >>> told = [Answer(Question(i, j), Verdict(v), n)
    ...         for n, (i, j, v) in enumerate(said, start=1)]
    >>> known = Knowledge(3).after_all(told)
    >>> decider_of(known, suspects(known, clash_of(known, told[-1]))).pair
    (0, 2)
    """
    out = known.aside.union(left_out)
    most = max(one.n_solved for one in found)
    ids = {one.answer.id for one in found if one.n_solved == most}
    best: tuple[tuple[float, int], tuple[int, int]] | None = None
    for i, j in _pairs_beside(known, found, out):
        chain = known.evidence(i, j)
        n_on = sum(answer.id in ids for answer in chain)
        if 0 < n_on < len(ids):
            rank = abs(n_on - len(ids) / 2), len(chain)
            best = min(best or (rank, (i, j)), (rank, (i, j)))
    pair = _asked_once(known, found, out) if best is None else best[1]
    if pair is None:
        return None
    return Question(*pair, Prediction(0.5, DECIDES, 0.0, if_same=False))


def _asked_once(
    known: Knowledge, found: Sequence[Suspect], out: frozenset[int]
) -> tuple[int, int] | None:
    """Return the pair of a suspect that was asked about once, to be asked again.

    Not that of the last answer, which nobody has forgotten.
    """
    times = Counter(answer.question.pair for answer in known.answers)
    last = max(one.answer.id for one in found)
    pairs = (one.answer.question.pair for one in found if one.answer.id != last)
    left = (pair for pair in pairs if times[pair] == 1 and out.isdisjoint(pair))
    return next(left, None)


def _pairs_beside(
    known: Knowledge, found: Sequence[Suspect], out: Collection[int]
) -> Iterator[tuple[int, int]]:
    """Yield pairs that were not compared, of samples that answers are about.

    Each may be replaced by others of its group.
    """
    group, samples = known.constraints.group, known.constraints.samples
    about = dict.fromkeys(s for one in found for s in one.answer.question.pair)
    near = {s: [s, *samples(group(s))[:N_BESIDE]] for s in about}
    listed = dict.fromkeys(s for beside in near.values() for s in beside)
    left = [s for s in listed if s not in out]
    for i, j in combinations(left, 2):
        if not about.keys().isdisjoint((i, j)) and j not in known.compared.get(i, ()):
            yield i, j


# How unlikely answers are


@dataclass(frozen=True)
class Doubts:
    """How unlikely answers are by what was expected, and by what lies around.

    Parameters
    ----------
    neighbours : csr_array of shape (n_samples, n_samples)
        Weights from each sample to its nearest neighbours.
    labels : ndarray of shape (n_samples,)
        The present clusters, 0..k-1.
    """

    neighbours: Sparse
    labels: Indices

    def __call__(self, answer: Answer) -> float:
        """Return the log odds against an answer."""
        if answer.verdict is Verdict.UNSURE:
            return 0.0
        sign = 1 if answer.verdict is Verdict.DIFFERENT else -1
        chances = [self._around(*answer.question.pair)]
        guess = answer.question.predicted
        if (
            guess is not None
            and guess.kind != NO_GUESS
            and not answer.question.is_check
        ):
            chances.append(guess.same)
        return sign * sum(map(_log_odds, chances))

    def _around(self, i: int, j: int) -> float:
        """Return how likely two samples are the same by the clusters around each."""
        shares = [self._shares(i, j), self._shares(j, i)]
        return sum(shares[0].get(label, 0.0) * p for label, p in shares[1].items())

    def _shares(self, sample: int, besides: int) -> dict[int, float]:
        start, stop = self.neighbours.indptr[sample : sample + 2]
        near, weights = (
            self.neighbours.indices[start:stop],
            self.neighbours.data[start:stop],
        )
        kept = (near != sample) & (near != besides)
        labels, weights = self.labels[near[kept]], weights[kept]
        total = float(weights.sum())
        if total <= 0:
            return {}
        found: dict[int, float] = {}
        for label, weight in zip(labels.tolist(), weights.tolist(), strict=True):
            found[label] = found.get(label, 0.0) + weight / total
        return found


def _log_odds(p: float) -> float:
    bounded = (p + SMOOTH) / (1 + 2 * SMOOTH)
    return float(np.log(bounded / (1 - bounded)))
