"""The clusters at one moment, as pages show them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from likewise._arrays import Floats, Indices
from likewise.errors import InputError
from likewise.knowledge import Verdict
from likewise.session import (
    Likeness,
    Numbers,
    Repairs,
    Session,
    Statuses,
    cluster_names,
    likeness_of,
    parts_within,
    statuses_within,
)

UNSURE = 0.8  # below, a guessed member needs to be looked at
ALIKE = 0.05  # below, nobody would take two clusters for one


@dataclass(frozen=True)
class Overview:
    """What a session makes of the items now; worked out when it is looked at.

    Parameters
    ----------
    session : Session
        Must not have gone on since: see `version`.
    version : int
        How many acts there were.
    before : Numbers
        The numbers that groups had.
    """

    session: Session
    version: int
    before: Numbers

    @cached_property
    def repairs(self) -> Repairs:
        """Plans for acts on the clusters."""
        return self.session.repairs

    @property
    def labels(self) -> Indices:
        """The cluster of each item; -1 when set aside."""
        return self.repairs.labels

    @property
    def sure(self) -> Floats:
        """The probability that each item is in the right cluster."""
        return self.repairs.sure

    @cached_property
    def clusters(self) -> tuple[int, ...]:
        """The labels in use."""
        return tuple(self.repairs.members)

    @cached_property
    def statuses(self) -> Statuses:
        """How settled items are."""
        return statuses_within(self.repairs)

    @cached_property
    def confirmed(self) -> np.ndarray:
        """Whether answers have put each item into a group."""
        found = np.zeros(len(self.labels), dtype=bool)
        found[list(self.statuses.confirmed)] = True
        return found

    @cached_property
    def numbers(self) -> Numbers:
        """The numbers of groups, with those that are new."""
        return self.before.brought_to(self.labels, self.repairs.known, self.anchor)

    @cached_property
    def number(self) -> dict[int, int]:
        """The number of each cluster."""
        return self.numbers.of(self.labels)

    @cached_property
    def name(self) -> dict[int, str]:
        """The names of clusters that have one."""
        return cluster_names(self.labels, self.session.names)

    @cached_property
    def likeness(self) -> Likeness:
        """How alike the clusters are."""
        return likeness_of(self.session.weights, self.labels)

    @property
    def _members(self) -> dict[int, Indices]:
        return self.repairs.members

    @cached_property
    def _n_confirmed(self) -> Indices:
        return self._counted(self.confirmed)

    @cached_property
    def _n_unsure(self) -> Indices:
        return self._counted(~self.confirmed & (self.sure < UNSURE))

    def _counted(self, which: np.ndarray) -> Indices:
        """Return how many of some items each cluster has."""
        there = self.labels[which & (self.labels >= 0)]
        return np.bincount(there, minlength=max(self.clusters, default=-1) + 1)

    @cached_property
    def _anchors(self) -> dict[int, int]:
        firsts = {label: int(found[0]) for label, found in self._members.items()}
        anchors = {label: self.repairs.anchor(at) for label, at in firsts.items()}
        return {
            label: firsts[label] if found is None else found
            for label, found in anchors.items()
        }

    def anchor(self, label: int) -> int:
        """Return the item that speaks for a cluster."""
        return self._anchors[label]

    def label_of(self, item: int) -> int | None:
        """Return the cluster of an item; None if there is none."""
        is_there = 0 <= item < len(self.labels) and self.labels[item] >= 0
        return int(self.labels[item]) if is_there else None

    def size(self, label: int) -> int:
        """Return how many items a cluster has."""
        return len(self._members[label])

    def n_confirmed(self, label: int) -> int:
        """Return how many of them are confirmed."""
        return int(self._n_confirmed[label])

    def n_unsure(self, label: int) -> int:
        """Return how many guessed ones need to be looked at."""
        return int(self._n_unsure[label])

    @cached_property
    def _orders(self) -> dict[tuple[int, bool], Indices]:
        return {}

    def order(self, label: int, *, typical_first: bool = False) -> Indices:
        """Return the items of a cluster: confirmed ones, then the least sure first."""
        key = label, typical_first
        if key not in self._orders:
            members = self._members[label]
            is_confirmed = self.confirmed[members]
            guessed = members[~is_confirmed]
            sure = self.sure[guessed] * (-1 if typical_first else 1)
            guessed = guessed[np.argsort(sure, kind="stable")]
            self._orders[key] = np.concatenate([members[is_confirmed], guessed])
        return self._orders[key]

    def typical(self, label: int, n: int) -> list[int]:
        """Return the first items of a cluster: confirmed ones, then the surest.

        As :meth:`order` has them, without sorting all.
        """
        key = label, True
        if key not in self._orders and len(self._members[label]) > n:
            return self._first(self._members[label], n)
        return self.order(label, typical_first=True)[:n].tolist()

    def _first(self, members: Indices, n: int) -> list[int]:
        is_confirmed = self.confirmed[members]
        confirmed, guessed = members[is_confirmed][:n], members[~is_confirmed]
        missing = n - len(confirmed)
        if not missing:
            return confirmed.tolist()
        sure = self.sure[guessed]
        least = -np.partition(-sure, missing - 1)[missing - 1]
        surest = guessed[sure >= least]
        order = np.argsort(-self.sure[surest], kind="stable")
        return [*confirmed.tolist(), *surest[order][:missing].tolist()]

    @cached_property
    def guessed(self) -> Indices:
        """The items that no answer has confirmed, the least sure first."""
        found = np.flatnonzero(self._is_guessed)
        return found[np.argsort(self.sure[found], kind="stable")]

    @property
    def n_guessed(self) -> int:
        """How many there are of them."""
        return int(self._is_guessed.sum())

    @cached_property
    def _is_guessed(self) -> np.ndarray:
        open_ones = ~self.confirmed & (self.labels >= 0)
        open_ones[list(self.statuses.deferred)] = False
        return open_ones

    @cached_property
    def waiting(self) -> Indices:
        """The items about which somebody was unsure."""
        return np.array(sorted(self.statuses.deferred), dtype=np.intp)

    @cached_property
    def aside(self) -> Indices:
        """The items that are set aside."""
        return np.array(sorted(self.statuses.aside), dtype=np.intp)

    def nearest_first(self, label: int) -> list[int]:
        """Return all clusters: this one, then those that are most like it."""
        alike = self.likeness.values[label]
        others = [other for other in self.clusters if other != label]
        return [label, *sorted(others, key=lambda other: -alike[other])]

    def similar(self, label: int) -> int | None:
        """Return the cluster that may be the same as this one.

        Neither one that is known to be different, nor one about which somebody was
        unsure.
        """
        out = frozenset(c for c in self.clusters if self._is_told(label, c))
        found = self.likeness.nearest(label, out)
        if found is None or self.likeness.values[label, found] < ALIKE:
            return None
        return found

    def _is_told(self, one: int, other: int) -> bool:
        """Tell whether somebody was asked about two clusters, and did not say same."""
        known = self.repairs.known
        constraints = known.constraints
        i, j = self.anchor(one), self.anchor(other)
        if constraints.relation(i, j) is Verdict.DIFFERENT:
            return True
        theirs = set(constraints.samples(constraints.group(j)))
        mine = constraints.samples(constraints.group(i))
        return any(not theirs.isdisjoint(known.unsure.get(s, ())) for s in mine)

    @cached_property
    def _parts(self) -> dict[tuple[int, int], list[list[int]]]:
        return {}

    def parts(self, label: int, n_parts: int) -> list[list[int]]:
        """Return the parts that a cluster falls into; worked out once."""
        if self.size(label) < n_parts:
            raise InputError(
                f"The group has {self.size(label)} items: too few for {n_parts} parts."
            )
        if (label, n_parts) not in self._parts:
            members = self._members[label].tolist()
            found = parts_within(self.session.weights, members, n_parts)
            self._parts[label, n_parts] = found
        return self._parts[label, n_parts]
