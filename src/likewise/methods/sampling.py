"""From one chosen sample to the pairs to ask about it (paper, 3.3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import Protocol, TypeAlias, cast

import numpy as np

from likewise._arrays import AnyFloats, Floats, Indices
from likewise._ties import best_first, first_best, tied_best
from likewise.affinity import Closeness
from likewise.knowledge import Knowledge, Question, Verdict
from likewise.methods.clustering import SpectralModel

PATIENCE = 2  # members of a set tried for a sample before the set is left open


def opened(known: Knowledge, start: int) -> Knowledge:
    """Return what is known, with a first certain set in it (paper, 3, step 1).

    A start that is set aside gives way to the next sample that is not.
    """
    if known.certain:
        return known
    order = chain(range(start, known.n_samples), range(start))
    first = next((s for s in order if s not in known.aside), start)
    return replace(known, certain=(first,))


def unplaced(known: Knowledge, taken: Sequence[int] = ()) -> Indices:
    """Return the samples of no certain set that may be asked about, ascending.

    Those in `taken` are left out: they are asked about elsewhere.
    """
    free = np.ones(known.n_samples, dtype=bool)
    free[[*placed(known), *taken]] = False
    return np.flatnonzero(free)


def placed(known: Knowledge) -> list[int]:
    """Return the samples of certain sets, and those set aside."""
    sets = map(known.constraints.samples, known.certain)
    return [*chain.from_iterable(sets), *known.aside]


def begun(known: Knowledge) -> Iterator[int]:
    """Yield the samples asked about that are still without a set, latest first.

    A sample whose questions have begun is placed before another is chosen: inside one
    series the next pair needs no new clustering.
    """
    seen: set[int] = set()
    for answer in reversed(known.answers):
        sample = answer.question.sample
        if answer.how == "asked" and sample not in seen:
            seen.add(sample)
            if not known.is_placed(sample) and sample not in known.aside:
                yield sample


def next_question(
    sample: int, known: Knowledge, closeness: Closeness
) -> Question | None:
    """Return the pair with the closest certain set that is not ruled out.

    Each set is represented by its member closest to the sample. Where nobody could
    tell, the next closest member is tried once, then the set is left open.

    Returns
    -------
    Question or None
        None when no set is left to ask about.
    """
    constraints = known.constraints
    doubted = known.unsure.get(sample, frozenset())
    candidates: list[int] = []
    for group in known.certain:
        members = constraints.samples(group)
        relation = constraints.relation(sample, group)
        if relation is Verdict.SAME:
            return None
        if relation is None and len(doubted.intersection(members)) < PATIENCE:
            candidates += [s for s in members if s not in doubted | known.aside]
    if not candidates:
        return None
    best = first_best(closeness(sample, np.array(candidates, dtype=np.intp)))
    return Question(sample, candidates[best])


def representatives(known: Knowledge, rng: np.random.Generator) -> Indices:
    """Return one sample drawn from each certain set (paper, 4.1)."""
    sets = map(known.constraints.samples, known.certain)
    return np.array([members[rng.integers(len(members))] for members in sets])


class Scores(Protocol):
    """The scores of free samples, wherever they are."""

    def tied(self) -> Indices:
        """Return which of the free samples tie with the best."""

    def listed(self) -> AnyFloats:
        """Return the scores of all free samples."""


@dataclass(frozen=True, slots=True)
class ListedScores:
    """Scores in an ordinary array."""

    numbers: AnyFloats

    def tied(self) -> Indices:
        """Return which of them tie with the best."""
        return np.flatnonzero(tied_best(self.numbers))

    def listed(self) -> AnyFloats:
        """Return them."""
        return self.numbers


Score: TypeAlias = Callable[
    [SpectralModel, Knowledge, Indices, np.random.Generator], "AnyFloats | Scores"
]


N_COMPARED = 50  # best samples among which those unlike the pending ones are sought


def propose_by_sample(
    score: Score,
    model: SpectralModel,
    known: Knowledge,
    rng: np.random.Generator,
    pending: tuple[Question, ...] = (),
) -> Question | None:
    """Ask about the best-scoring sample until it is placed, then choose another.

    Parameters
    ----------
    score : callable
        ``score(model, known, samples, rng)`` says how much would be learned from
        placing each of the samples; the largest is asked about, ties by lot.
    model, known, rng, pending
        As for every method.
    """
    known = opened(known, model.start)
    taken = [question.sample for question in pending]
    for sample in _best_first(score, model, known, rng, taken):
        question = next_question(sample, known, model.clustering.problem.closeness)
        if sample not in taken and question is not None:
            return question
    return None


def _best_first(
    score: Score,
    model: SpectralModel,
    known: Knowledge,
    rng: np.random.Generator,
    taken: list[int],
) -> Iterator[int]:
    yield from begun(known)
    free = unplaced(known, taken)
    if free.size:
        lots = _drawn_when_asked(rng, len(free))
        found = score(model, known, free, rng)
        scores = ListedScores(found) if isinstance(found, np.ndarray) else found
        if taken:
            plain = scores.listed()
            unlike = _unlike(model, known, free, plain, taken)
            scores = ListedScores(plain * unlike)
        best = scores.tied()
        first = best[np.argmin(lots()[best])] if len(best) > 1 else best[0]
        yield int(free[first])
        by_lot = np.argsort(lots())
        for at in islice(best_first(scores.listed()[by_lot]), 1, None):
            yield int(free[by_lot[at]])


def _drawn_when_asked(rng: np.random.Generator, n: int) -> Callable[[], Floats]:
    """Return what draws n numbers as if they had been drawn now.

    Of a million samples only some that tie need a lot, and mostly none do.
    """
    later = deepcopy(rng)
    cast(np.random.PCG64, rng.bit_generator).advance(n)  # that of default_rng
    drawn: list[Floats] = []

    def draw() -> Floats:
        if not drawn:
            drawn.append(later.random(n))
        return drawn[0]

    return draw


def _unlike(
    model: SpectralModel,
    known: Knowledge,
    free: Indices,
    scores: AnyFloats,
    taken: list[int],
) -> Floats:
    """Return how much of each sample's pull on the eigenvectors the taken ones lack.

    1 for a sample that moves them in a direction of its own, 0 for one that moves them
    as the taken ones do. Only the best samples are compared, the others left out.
    """
    best = np.fromiter(islice(best_first(scores), N_COMPARED), dtype=np.intp)
    anchors = np.array([known.constraints.samples(g)[0] for g in known.certain])
    both = np.concatenate([free[best], np.array(taken, dtype=np.intp)])
    pulls = model.clustering.pulls(anchors, both)
    mine, theirs = pulls[: len(best)], pulls[len(best) :]
    basis, _ = np.linalg.qr(theirs.T)
    length = np.linalg.norm(mine, axis=1)
    rest = np.linalg.norm(mine - (mine @ basis) @ basis.T, axis=1)
    share = np.zeros(len(free))
    share[best] = np.divide(rest, length, out=np.ones_like(rest), where=length > 0)
    return share
