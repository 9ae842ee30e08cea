"""What readers are worth: each is judged by what the others say, now and then."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from likewise._arrays import Floats, Indices
from likewise.knowledge import Answer
from likewise.methods._likewise._beliefs import Trust
from likewise.methods._likewise._folding import folded
from likewise.methods._likewise._prior import Source
from likewise.methods._likewise._probabilities import Probabilities, trusted
from likewise.methods._likewise._surroundings import brought_to
from likewise.methods._readers import Errors, Votes, errors_in, errors_told

FIRST = 20  # answers; it is looked after 2, 3, 4, 6, 8, 12, ... times as many
N_PASSES = 2
PARTS = 5  # of the readers, each judged by a model that has heard all others
LEAST, MOST = 0.125, 1.5  # what a word may be worth beside another one
STEP = 1 / 64  # sums of what words are worth are exact on every machine


def is_judged(answers: Sequence[Answer]) -> bool:
    """Tell whether it is said anew now what readers are worth.

    After 40, 60, 80, 120, 160, 240, ... answers, if there are several readers.

    Examples
    --------
    >>> from likewise.knowledge import Question, Verdict
    >>> told = [Answer(Question(0, 1), Verdict.SAME, by=by) for by in "ab"] * 100
    >>> [n for n in range(200) if is_judged(told[:n])]
    [40, 60, 80, 120, 160]
    """
    n_times, rest = divmod(len(answers), FIRST)
    while n_times > 3 and not n_times % 2:  # noqa: PLR2004 - down to 2 or 3
        n_times //= 2
    is_time = not rest and n_times in (2, 3)
    return is_time and len(_readers(answers)) > 1


def trust_at(
    source: Source, answers: tuple[Answer, ...], aside: frozenset[int]
) -> Trust:
    """Return what readers are worth by what was said when they were last judged."""
    for n in range(len(answers), 2 * FIRST - 1, -1):
        if not n % FIRST and is_judged(answers[:n]):
            return trust_in(source, answers[:n], aside)
    return {}


def trust_in(
    source: Source, answers: tuple[Answer, ...], aside: frozenset[int]
) -> Trust:
    """Return what the word of each reader is worth.

    Beside what an answer of all of them is worth on average, those left out who guess:
    they are worth nothing.
    """
    return _trust(errors_of(source, answers, aside))


def _trust(found: Mapping[str, Errors]) -> Trust:
    heard = [one.wrong.mean for one in found.values() if not one.is_guessing]
    if not heard:
        return {}
    usual = float(np.mean(heard))
    return {by: _worth(one, usual) for by, one in found.items()}


def _worth(errors: Errors, usual: float) -> float:
    """Return what an answer is worth, by both rates together: one alone says little."""
    if errors.is_guessing:
        return 0.0
    rates = np.array([errors.wrong.mean, usual])
    mine, theirs = np.log((1 - rates) / rates)
    return round(float(np.clip(mine / theirs, LEAST, MOST)) / STEP) * STEP


def errors_of(
    source: Source, answers: Sequence[Answer], aside: frozenset[int]
) -> Mapping[str, Errors]:
    """Return how often each reader is wrong.

    What they said is held against models of all that others have said, without what
    several of them were asked: that is told by themselves. In a second pass these
    models hear the others for what they were found to be worth in the first.
    """
    votes = Votes.of(answers)
    trust: Trust = {}
    if not votes.readers:
        return {}
    if len(votes.readers) == 1:
        return errors_told(answers)
    for _ in range(N_PASSES):
        chances = np.empty(len(votes.pairs))
        for pairs, q in _unheard(source, answers, aside, votes, trust):
            chances[pairs] = q
        found = errors_in(votes, chances)
        trust = _trust(found)
    return found


def _unheard(
    source: Source,
    answers: Sequence[Answer],
    aside: frozenset[int],
    votes: Votes,
    trust: Trust,
) -> Iterator[tuple[Indices, Floats]]:
    """Yield pairs, and the chances that they are the same by those who were not asked.

    Readers are left out a fifth of them at a time, or one at a time. Where those who
    are left said less than those who are judged, they know too little of most pairs:
    then only pairs that several answered tell anything.
    """
    shared = {votes.pairs[at] for at in np.flatnonzero(votes.is_shared)}
    for part in range(min(PARTS, len(votes.readers))):
        mine = {*votes.readers[part::PARTS]}
        left = tuple(
            answer
            for answer in answers
            if answer.by not in mine and answer.question.pair not in shared
        )
        pairs = np.unique(votes.pair[votes.who % PARTS == part])
        if len(left) < len(pairs):
            yield pairs, np.full(len(pairs), 1 / 2)
            continue
        prior, beliefs = folded(source, left, aside, trust)
        around = brought_to(prior, beliefs, None)
        probabilities = Probabilities(beliefs, around, aside)
        yield pairs, same_chances(probabilities, [votes.pairs[at] for at in pairs])


def same_chances(
    probabilities: Probabilities, pairs: Sequence[tuple[int, int]]
) -> Floats:
    r"""Return the chance that two samples are of one group, for each pair.

    :math:`q_{ij} = R_i^T G R_j`, R the beliefs about samples, G the chance that two
    classes are one, with :math:`G_{gg} = 1`.
    """
    samples = np.unique(np.array(pairs, dtype=np.intp))
    rows = believed_rows(probabilities, samples)
    G = probabilities.pairs + np.eye(len(probabilities.pairs))
    i, j = np.searchsorted(samples, np.array(pairs).T)
    return np.asarray(((rows @ G)[i] * rows[j]).sum(axis=1))


def believed_rows(probabilities: Probabilities, samples: Indices) -> Floats:
    """Return P(class) of some samples, ascending, of shape (s, m)."""
    rows = np.asarray(probabilities.belonging(samples), dtype=np.float64).copy()
    is_free = probabilities.is_free[samples]
    if is_free.any():
        questioned = probabilities.questioned_of(samples[is_free])[0]
        rows[is_free] = trusted(probabilities, questioned)
    checked, _, which = probabilities.checked
    there = np.isin(samples, which)
    rows[there] = checked[np.searchsorted(which, samples[there])]
    return rows


def _readers(answers: Sequence[Answer]) -> frozenset[str]:
    return frozenset(answer.by for answer in answers if answer.how != "given")
