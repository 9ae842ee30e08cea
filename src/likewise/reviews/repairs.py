"""What people do to groups: confirm, reject, move, found, merge and part."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from likewise.arrays import Floats, Indices
from likewise.constraints import Verdict
from likewise.errors import InputError
from likewise.knowledge import GO_ON, Answer, Knowledge, Question
from likewise.reviews.regrouping import REVIEW, Revision, linked, regrouped

TWO = 2  # groups at least, to merge or to part


@dataclass(frozen=True)
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
        return int(members[np.argmax(self.sure[members])]) if len(members) else None

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
