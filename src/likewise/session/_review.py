"""Which answers to take back, and which to record, so that samples are grouped so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from likewise._arrays import Floats, Indices
from likewise._ties import first_best
from likewise.errors import InputError
from likewise.knowledge import (
    DECIDED,
    GO_ON,
    NEW,
    Answer,
    Constraints,
    Knowledge,
    Prediction,
    Question,
    Verdict,
)

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

    Answers without a number are those being told. What was decided goes last of all.
    """
    old = [answer for answer in chain if answer.id]
    doubtful = {known.answers[at].id for at in known.doubtful}
    return max(old, key=lambda a: (a.how != DECIDED, a.id in doubtful, a.id))


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


TWO = 2  # groups at least, to merge or to part


@dataclass(frozen=True, repr=False)
class Repairs:
    """Plans for acts on the clusters that are there; nothing is recorded.

    Parameters
    ----------
    known : Knowledge
    labels : ndarray of shape (n_samples,)
        The cluster of each sample; -1 for none.
    sure : ndarray of shape (n_samples,)
        How sure it is.

    Examples
    --------
    >>> repairs = Repairs(Knowledge(4), np.array([0, 0, 1, 1]), np.ones(4))
    >>> [str(answer) for answer in repairs.merge([0, 2]).told]
    ['2 and 0 are same']
    """

    known: Knowledge
    labels: Indices
    sure: Floats

    def __repr__(self) -> str:
        n_clusters = int(self.labels.max(initial=-1)) + 1
        return f"<Repairs: {len(self.labels):,} samples in {n_clusters:,} clusters>"

    def anchor(self, sample: int, besides: Iterable[int] = ()) -> int | None:
        """Return the sample that speaks for a cluster.

        The first of its largest known group, or else its surest member.

        Parameters
        ----------
        sample : int
            Any of the cluster's.
        besides : iterable of int
            Samples that are not to speak for it.
        """
        label, left_out = int(self.labels[sample]), frozenset(besides)
        if label < 0:
            return None
        if left_out:
            return self._speaker(label, left_out)
        if label not in self._speakers:
            self._speakers[label] = self._speaker(label, left_out)
        return self._speakers[label]

    def confirm(self, samples: Sequence[int], group: int | None = None) -> Revision:
        """Put samples into a cluster for good: theirs, or that of another sample."""
        homes = self._by_cluster(samples) if group is None else {group: list(samples)}
        parts = []
        for home, chosen in homes.items():
            anchor = self._anchored(home)
            if anchor not in self.known.constraints.group_of:
                other = self.anchor(home, chosen)  # nobody is confirmed with oneself
                anchor = anchor if other is None else other
            parts.append(self._whole([anchor, *chosen]))
        return regrouped(self.known, parts)

    def reject(self, samples: Sequence[int]) -> Revision:
        """Take samples out of their clusters: different from what speaks for these."""
        parts: list[tuple[int, ...]] = []
        apart: list[tuple[int, int]] = []
        for home, chosen in self._by_cluster(samples).items():
            anchor = self._other(home, chosen)
            at = len(parts)
            parts.append(self._whole([anchor], chosen))
            parts += linked(self.known, chosen)
            apart += [(at, other) for other in range(at + 1, len(parts))]
        return regrouped(self.known, parts, apart, alone=GO_ON)

    def move(self, samples: Sequence[int], group: int) -> Revision:
        """Put samples into the cluster of another sample, and out of their own."""
        target = self.anchor(group, samples)
        target = group if target is None else target
        mine = self._whole([target], samples)
        return self._placed((*mine, *samples), samples, self.labels[group])

    def found(self, samples: Sequence[int]) -> Revision:
        """Make a group of its own out of samples."""
        return self._placed(tuple(samples), samples, None)

    def merge(self, samples: Sequence[int]) -> Revision:
        """Make the clusters of some samples one."""
        anchors = [self._anchored(sample) for sample in samples]
        if len({int(self.labels[sample]) for sample in samples}) < TWO:
            raise InputError("Merging needs two groups or more: choose another one.")
        return regrouped(self.known, [self._whole(anchors)])

    def part(self, parts: Sequence[Sequence[int]]) -> Revision:
        """Tell the parts of a cluster apart, each kept together."""
        listed = [sample for part in parts for sample in part]
        filled = [part for part in parts if part]
        if len(filled) < TWO or len(set(listed)) < len(listed):
            raise InputError("Splitting needs two parts or more, without overlap.")
        return regrouped(self.known, filled, combinations(range(len(filled)), 2))

    def compare(self, one: int, other: int, verdict: Verdict) -> Revision:
        """Say whether two clusters are the same."""
        if verdict is Verdict.SAME:
            return self.merge([one, other])
        i, j = self._anchored(other), self._anchored(one)
        if verdict is Verdict.DIFFERENT:
            parts = [self._whole([j]), self._whole([i])]
            return regrouped(self.known, parts, [(0, 1)])
        return Revision(told=(Answer(Question(i, j), verdict, how=REVIEW),))

    def change(self, answer_id: int, verdict: Verdict) -> Revision:
        """Say something else about a pair than an earlier answer did."""
        for answer in self.known.answers:
            if answer.id == answer_id:
                asked = Question(answer.question.sample, answer.question.against)
                return Revision((answer_id,), (Answer(asked, verdict, how=REVIEW),))
        raise InputError(f"There is no answer {answer_id} to change: it may be gone.")

    def decide(self, one: int, other: int, verdict: Verdict) -> Revision:
        """Say what holds of a pair about which readers disagree.

        Answers about the pair that say otherwise are taken back, and so is whatever
        else denies the decision; "unsure" takes back both sides.

        Examples
        --------
        >>> told = [Answer(Question(0, 1), Verdict.SAME, 1, by="ann"),
        ...         Answer(Question(0, 1), Verdict.DIFFERENT, 2, by="bob")]
        >>> known = Knowledge(2).after_all(told)
        >>> plan = Repairs(known, np.zeros(2, int), np.ones(2)).decide(
        ...     0, 1, Verdict.DIFFERENT)
        >>> plan.retracted, str(plan.told[0])
        ((1,), '0 and 1 are different')
        """
        decision = Answer(Question(one, other), verdict, how=DECIDED)
        about = [a for a in self.known.answers if a.question.pair == (one, other)]
        out = (verdict, Verdict.UNSURE)
        gone = {a.id for a in about if a.verdict not in out}
        while True:
            revision = Revision(tuple(sorted(gone)), (decision,))
            after = applied(self.known, revision)
            if len(after.answers) - 1 not in after.doubtful:
                return revision
            gone.add(_culprit(self.known, after.evidence(one, other)).id)

    # Inside

    @cached_property
    def _speakers(self) -> dict[int, int | None]:
        return {}

    @cached_property
    def _known_in(self) -> dict[int, dict[int, list[int]]]:
        """What is known to be together, by cluster and by group."""
        found: dict[int, dict[int, list[int]]] = {}
        for group, samples in self.known.constraints.members.items():
            for sample in samples:
                here = found.setdefault(int(self.labels[sample]), {})
                here.setdefault(group, []).append(sample)
        return found

    @cached_property
    def members(self) -> dict[int, Indices]:
        """The samples of each cluster, ascending."""
        order = np.argsort(self.labels, kind="stable")
        counts = np.bincount(self.labels + 1)
        ends = np.cumsum(counts)
        return {
            label: order[ends[label] : ends[label + 1]]
            for label in np.flatnonzero(counts[1:]).tolist()
        }

    def _speaker(self, label: int, left_out: frozenset[int]) -> int | None:
        groups = {
            group: inside
            for group, samples in self._known_in.get(label, {}).items()
            if (inside := [s for s in samples if s not in left_out])
        }
        if groups:
            born = self.known.constraints.born
            largest = max(groups, key=lambda g: (len(groups[g]), -born[g]))
            there = set(groups[largest])
            return next(s for s in self._whole([largest]) if s in there)
        members = self.members[label]
        if left_out:
            members = members[~np.isin(members, list(left_out))]
        return int(members[first_best(self.sure[members])]) if len(members) else None

    def _placed(
        self, part: tuple[int, ...], samples: Sequence[int], target: int | None
    ) -> Revision:
        parts = [tuple(dict.fromkeys(part))]
        for home, chosen in self._by_cluster(samples).items():
            anchor = self.anchor(home, samples)
            if self.labels[home] == target or anchor is None or anchor in parts[0]:
                continue
            parts.append(self._whole([anchor], chosen))
        apart = [(at, 0) for at in range(1, len(parts))]
        return regrouped(self.known, parts, apart)

    def _by_cluster(self, samples: Sequence[int]) -> dict[int, list[int]]:
        """Return the samples by their clusters, each named by its first sample."""
        named: dict[int, int] = {}
        found: dict[int, list[int]] = {}
        for sample in samples:
            label = int(self.labels[sample])
            if label < 0:
                raise InputError(f"Item {sample} is set aside: put it back first.")
            found.setdefault(named.setdefault(label, int(sample)), []).append(
                int(sample)
            )
        return found

    def _whole(
        self, samples: Iterable[int], besides: Iterable[int] = ()
    ) -> tuple[int, ...]:
        """Return samples with all that are known to be together with them."""
        left_out = set(besides)
        joined = dict.fromkeys(
            member
            for sample in samples
            for member in (
                sample,
                *self.known.constraints.samples(self.known.constraints.group(sample)),
            )
        )
        return tuple(s for s in joined if s not in left_out)

    def _anchored(self, sample: int) -> int:
        found = self.anchor(sample)
        if found is None:
            raise InputError(f"Item {sample} is in no group.")
        return found

    def _other(self, sample: int, besides: Sequence[int]) -> int:
        found = self.anchor(sample, besides)
        if found is None:
            raise InputError(
                "All of the group was chosen, so nothing would be left to be different "
                "from: leave at least one out."
            )
        return found
