"""Numbers that stay with groups, however often everything is clustered anew."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from likewise._arrays import Indices
from likewise.knowledge import Event, Knowledge, Numbered, numbers_in
from likewise.session._summary import clusters_in

NUMBERS = "numbers"  # the setting of a project that keeps them


@dataclass(frozen=True, slots=True)
class Numbers:
    """A number belongs to a sample, and goes where that sample goes.

    A cluster has the lowest of the numbers whose samples are in it. The others are kept
    for the day when it is parted again; a number is never given to another sample that
    answers have not put beside the old one.

    Attributes
    ----------
    anchors : mapping of int to int
        The sample of each number, from 1 on.

    Examples
    --------
    >>> import numpy as np
    >>> labels, first = np.array([0, 0, 1, 1]), [0, 2]
    >>> numbers = Numbers().brought_to(labels, Knowledge(4), first.__getitem__)
    >>> numbers.of(np.array([1, 1, 0, 0]))
    {1: 1, 0: 2}
    """

    anchors: Mapping[int, int] = field(default_factory=dict)

    @classmethod
    def after(cls, events: Iterable[Event], start: Numbers | None = None) -> Numbers:
        """Return the numbers after events: all of them, also those that were undone.

        Parameters
        ----------
        events : iterable of Event
            Oldest first; the latest sample of a number counts.
        start : Numbers, optional
            Those of a project that had numbers before its journal held them: see
            :meth:`kept_in`.

        Examples
        --------
        >>> Numbers.after([Numbered(((1, 4), (2, 7))), Numbered(((1, 5),))]).anchors
        {1: 5, 2: 7}
        """
        anchors = dict(start.anchors) if start else {}
        for event in events:
            anchors.update(numbers_in(event))
        return cls(anchors)

    def since(self, before: Numbers) -> Numbered | None:
        """Return what to record so that numbers which were known become these.

        Examples
        --------
        >>> Numbers({1: 5, 2: 7}).since(Numbers({1: 4, 2: 7}))
        Numbered(anchors=((1, 5),))
        >>> Numbers({1: 4}).since(Numbers({1: 4})) is None
        True
        """
        new = [
            (int(number), int(sample))
            for number, sample in sorted(self.anchors.items())
            if before.anchors.get(number) != sample
        ]
        return Numbered(tuple(new)) if new else None

    @classmethod
    def kept_in(cls, settings: Mapping[str, Any]) -> Numbers:
        """Return the numbers that the settings of an older project hold."""
        kept = settings.get(NUMBERS, {})
        return cls({int(number): int(sample) for number, sample in kept.items()})

    def as_settings(self) -> dict[str, Any]:
        """Return the settings that keep the numbers."""
        return {NUMBERS: {str(n): int(sample) for n, sample in self.anchors.items()}}

    def of(self, labels: Indices) -> dict[int, int]:
        """Return the number of each cluster that has one."""
        found: dict[int, int] = {}
        for number in sorted(self.anchors):
            sample = self.anchors[number]
            label = int(labels[sample]) if sample < len(labels) else -1
            if label >= 0:
                found.setdefault(label, number)
        return found

    def handed_on(self, heirs: Mapping[int, int]) -> Numbers:
        """Return the numbers after some samples left theirs to others.

        Examples
        --------
        >>> Numbers({1: 4, 2: 7}).handed_on({4: 5}).anchors
        {1: 5, 2: 7}
        """
        return Numbers({n: heirs.get(s, s) for n, s in self.anchors.items()})

    def brought_to(
        self, labels: Indices, known: Knowledge, speaker: Callable[[int], int]
    ) -> Numbers:
        """Return the numbers with one for each cluster.

        A number moves to a sample that answers have put into its group as soon as there
        is one; from then on it stays there.

        Parameters
        ----------
        labels : ndarray of shape (n_samples,)
            The cluster of each sample; -1 for none.
        known : Knowledge
        speaker : callable
            ``speaker(label)`` returns the sample that speaks for a cluster.
        """
        of = self.of(labels)
        anchors = dict(self.anchors)
        latest = max(anchors, default=0)
        for label in clusters_in(labels):
            if label not in of:
                latest += 1
                of[label] = latest
            number = of[label]
            if anchors.get(number) not in known.constraints.group_of:
                anchors[number] = speaker(label)
        return Numbers(anchors)
