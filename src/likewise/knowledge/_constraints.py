"""What answers imply: the closure of must-links and cannot-links."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

import numpy as np

from likewise._arrays import described
from likewise.errors import InputError

Said: TypeAlias = str | int | np.bool_ | None  # what people and programs may answer


class Verdict(StrEnum):
    """What was said about one pair."""

    SAME = "same"
    DIFFERENT = "different"
    UNSURE = "unsure"

    @classmethod
    def of(cls, said: Said) -> Verdict:
        """Return the verdict meant by a word, True, False or None.

        Examples
        --------
        >>> Verdict.of(True), Verdict.of(None)
        (<Verdict.SAME: 'same'>, <Verdict.UNSURE: 'unsure'>)
        """
        if said is None:
            return cls.UNSURE
        try:
            if isinstance(said, str):
                return cls(str(said).strip().lower())
            if said in (0, 1):
                return cls.SAME if said else cls.DIFFERENT
        except (TypeError, ValueError):  # arrays are neither equal to 1 nor not
            pass
        raise InputError(
            f"{described(said)} is not an answer: say 'same', 'different' or 'unsure' "
            f"(or True, False, None)."
        )


Link: TypeAlias = tuple[int, int, Verdict]


@dataclass(frozen=True, slots=True)
class Constraints:
    """Groups of samples known to be together, and which groups are known apart.

    Two groups may be apart, or not yet known: the cannot-link graph is partial. Only
    samples that some answer touched are stored, so the cost of an answer does not
    depend on how many samples there are. A group is named after its first sample;
    when two groups turn out to be one, the older name stays.

    Immutable: :meth:`after` returns a new value.

    Examples
    --------
    >>> known = Constraints().after(1, 2, Verdict.SAME).after(2, 3, Verdict.DIFFERENT)
    >>> known.relation(1, 3)
    <Verdict.DIFFERENT: 'different'>
    >>> known.relation(1, 4) is None
    True
    """

    group_of: Mapping[int, int] = field(default_factory=dict)
    members: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    apart: Mapping[int, frozenset[int]] = field(default_factory=dict)
    born: Mapping[int, int] = field(default_factory=dict, repr=False)

    def group(self, sample: int) -> int:
        """Return the name of the sample's group; a lone sample names its own."""
        return self.group_of.get(sample, sample)

    def samples(self, group: int) -> tuple[int, ...]:
        """Return the samples of a group, in the order in which they joined."""
        return self.members.get(group, (group,))

    def apart_from(self, group: int) -> frozenset[int]:
        """Return the groups known to be different from this one."""
        return self.apart.get(group, frozenset())

    def relation(self, i: int, j: int) -> Verdict | None:
        """Return what is known of a pair, or None when nothing is."""
        a, b = self.group(i), self.group(j)
        if a == b:
            return Verdict.SAME
        return Verdict.DIFFERENT if b in self.apart_from(a) else None

    def fits(self, i: int, j: int, told: Verdict) -> bool:
        """Tell whether a verdict agrees with everything that is known."""
        return told is Verdict.UNSURE or self.relation(i, j) in (None, told)

    def after(self, i: int, j: int, told: Verdict) -> Constraints:
        """Return what is known after one more verdict; a misfit is left out."""
        return self.after_all([(i, j, told)])

    def after_all(self, links: Iterable[Link]) -> Constraints:
        """Return what is known after many verdicts; misfits are left out.

        One copy serves all, so a long list costs time in proportion to its length.
        """
        draft = Draft(self)
        for i, j, told in links:
            draft.take(i, j, told)
        return draft.view


class Draft:
    """A copy of the constraints that may still be changed, by its maker only."""

    def __init__(self, start: Constraints) -> None:
        self.group_of = dict(start.group_of)
        self.members = dict(start.members)
        self.apart = dict(start.apart)
        self.born = dict(start.born)
        self.view = Constraints(self.group_of, self.members, self.apart, self.born)

    def take(self, i: int, j: int, told: Verdict) -> None:
        if told is Verdict.UNSURE or self.view.relation(i, j) is not None:
            return
        a, b = self._touch(i), self._touch(j)
        if told is Verdict.DIFFERENT:
            self.apart[a] = self.view.apart_from(a) | {b}
            self.apart[b] = self.view.apart_from(b) | {a}
        else:
            older, younger = sorted((a, b), key=self.born.__getitem__)
            self._merge(older, younger)

    def _touch(self, sample: int) -> int:
        if sample not in self.group_of:
            self.group_of[sample] = sample
            self.members[sample] = (sample,)
            self.born[sample] = len(self.born)
        return self.group_of[sample]

    def _merge(self, kept: int, gone: int) -> None:
        joined = self.members.pop(gone)
        self.members[kept] += joined
        self.group_of.update(dict.fromkeys(joined, kept))
        others = self.apart.pop(gone, frozenset())
        for other in others:
            self.apart[other] = self.apart[other] - {gone} | {kept}
        if others:
            self.apart[kept] = self.view.apart_from(kept) | others
