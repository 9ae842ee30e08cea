"""Which answers to take back, and which to record, so that samples are grouped so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from likewise.constraints import Constraints, Verdict
from likewise.knowledge import NEW, Answer, Knowledge, Prediction, Question

REVIEW = "review"  # how such answers came about


@dataclass(frozen=True, slots=True)
class Revision:
    """What one act of a review amounts to.

    Attributes
    ----------
    retracted : tuple of int
        Ids of the answers that are taken back.
    told : tuple of Answer
        Answers that are recorded.
    aside, back : tuple of int
        Samples that leave the game, or come back.
    renamed : tuple of (int, str)
        Samples and what their groups are called from now on.
    """

    retracted: tuple[int, ...] = ()
    told: tuple[Answer, ...] = ()
    aside: tuple[int, ...] = ()
    back: tuple[int, ...] = ()
    renamed: tuple[tuple[int, str], ...] = ()

    def __bool__(self) -> bool:
        """Tell whether it changes anything."""
        grouped = self.retracted or self.told
        return bool(grouped or self.aside or self.back or self.renamed)

    def count(self, verdict: Verdict) -> int:
        """Return how many answers with this verdict it records."""
        return sum(answer.verdict is verdict for answer in self.told)


def applied(known: Knowledge, revision: Revision) -> Knowledge:
    """Return what is known after a revision; nothing is recorded."""
    gone = set(revision.retracted)
    stays = [answer for answer in known.answers if answer.id not in gone]
    aside = known.aside.union(revision.aside).difference(revision.back)
    start = Knowledge(known.n_samples, aside=aside)
    return start.after_all([*stays, *revision.told])


def regrouped(
    known: Knowledge,
    parts: Sequence[Iterable[int]],
    apart: Iterable[tuple[int, int]] = (),
    alone: int = NEW,
) -> Revision:
    """Return the revision after which the samples of each part are together.

    Answers that say otherwise are taken back: "same" between two parts, "different"
    within one. What then hangs loose is tied to the first sample of its part, and parts
    that are to be apart are told apart, each by one answer where none says so already.
    Samples that were known to be together with a listed one, and are not listed, keep
    together and are a part of their own.

    Parameters
    ----------
    known : Knowledge
    parts : sequence of iterables of int
        Disjoint; the first sample of each speaks for it.
    apart : iterable of (int, int)
        Which parts, by their positions, are to be different.
    alone : int
        What it means for a lone sample to be told apart: a group of its own (NEW), or
        that it is still open where it belongs (GO_ON).

    Examples
    --------
    >>> links = [(0, 1, Verdict.SAME), (1, 2, Verdict.SAME)]
    >>> answers = [Answer(Question(i, j), v, n) for n, (i, j, v) in enumerate(links, 1)]
    >>> revision = regrouped(Knowledge(3).after_all(answers), [[0, 1], [2]], [(0, 1)])
    >>> revision.retracted, [str(answer) for answer in revision.told]
    ((2,), ['2 and 0 are different'])
    """
    wanted = [tuple(dict.fromkeys(map(int, part))) for part in parts]
    apart = tuple(apart)
    whole = wanted + _left_over(known, wanted)
    place = {sample: at for at, part in enumerate(whole) for sample in part}
    gone = frozenset(a.id for a in known.answers if _denies(a, place))
    while True:
        revision = _told(known, gone, whole, apart, alone)
        wrong = _denied(applied(known, revision), revision)
        if wrong is None:
            return revision
        gone |= {_culprit(known, wrong).id}


def _left_over(
    known: Knowledge, parts: Sequence[tuple[int, ...]]
) -> list[tuple[int, ...]]:
    listed = {sample for part in parts for sample in part}
    touched = dict.fromkeys(map(known.constraints.group, sorted(listed)))
    rests = (
        tuple(s for s in known.constraints.samples(group) if s not in listed)
        for group in touched
    )
    return [rest for rest in rests if rest]


def _denies(answer: Answer, place: dict[int, int]) -> bool:
    i, j = (place.get(sample) for sample in answer.question.pair)
    if i is None or j is None or answer.verdict is Verdict.UNSURE:
        return False
    return (i == j) != (answer.verdict is Verdict.SAME)


def _told(
    known: Knowledge,
    gone: frozenset[int],
    parts: Sequence[tuple[int, ...]],
    apart: Sequence[tuple[int, int]],
    alone: int,
) -> Revision:
    stays = [answer for answer in known.answers if answer.id not in gone]
    there = Constraints().after_all((*a.question.pair, a.verdict) for a in stays)
    links = list(_ties(there, parts))
    there = there.after_all(links)
    told = [_answer(i, j, verdict) for i, j, verdict in links]
    for a, b in apart:
        i, j = parts[b][0], parts[a][0]
        if there.relation(i, j) is not Verdict.DIFFERENT:
            there = there.after(i, j, Verdict.DIFFERENT)
            then = alone if len(parts[b]) == 1 else None
            told.append(_answer(i, j, Verdict.DIFFERENT, then))
    return Revision(tuple(sorted(gone)), tuple(told))


def _ties(
    there: Constraints, parts: Sequence[tuple[int, ...]]
) -> Iterator[tuple[int, int, Verdict]]:
    for first, *others in parts:
        tied = {there.group(first)}
        for sample in others:
            if there.group(sample) not in tied:
                tied.add(there.group(sample))
                yield sample, first, Verdict.SAME


def _answer(i: int, j: int, verdict: Verdict, then: int | None = None) -> Answer:
    predicted = None if then is None else Prediction(0.0, "group", if_different=then)
    return Answer(Question(i, j, predicted), verdict, how=REVIEW)


def _denied(after: Knowledge, revision: Revision) -> tuple[Answer, ...] | None:
    """Return the chain of answers that denies one of those told, or None."""
    told = {answer.question.pair for answer in revision.told}
    for at in sorted(after.doubtful):
        question = after.answers[at].question
        if question.pair in told and after.answers[at].how == REVIEW:
            return after.evidence(*question.pair)
    return None


def _culprit(known: Knowledge, chain: Iterable[Answer]) -> Answer:
    """Return which answer of a chain to take back: one that was doubtful, or the last.

    Answers without a number are those being told.
    """
    old = [answer for answer in chain if answer.id]
    doubtful = {known.answers[at].id for at in known.doubtful}
    return max(old, key=lambda answer: (answer.id in doubtful, answer.id))


def linked(known: Knowledge, samples: Iterable[int]) -> list[tuple[int, ...]]:
    """Return samples in the parts that answers between them alone hold together."""
    listed = list(dict.fromkeys(map(int, samples)))
    inside = set(listed)
    links = [
        (*answer.question.pair, Verdict.SAME)
        for answer in known.answers
        if answer.verdict is Verdict.SAME and inside.issuperset(answer.question.pair)
    ]
    tied = Constraints().after_all(links)
    found: dict[int, list[int]] = {}
    for sample in listed:
        found.setdefault(tied.group(sample), []).append(sample)
    return [tuple(part) for part in found.values()]
