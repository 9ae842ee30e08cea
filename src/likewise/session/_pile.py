"""What a session's pile is made of, and what its groups are called."""

from __future__ import annotations

from typing import Any

from likewise._arrays import stack
from likewise.knowledge import Renamed, SetAside
from likewise.session._insight import Insight
from likewise.session._summary import Group


class Pile(Insight):
    """Samples that come, go aside and come back, and groups that get names."""

    def add(self, X_new: Any) -> None:
        """Add samples behind the present ones; every answer stays.

        Parameters
        ----------
        X_new : array-like, DataFrame or sparse matrix of shape (m, n_features)
            With a precomputed affinity, of shape (m, n + m): the similarity of each new
            sample to all samples, old and new.
        """
        data = stack(self._data, X_new, square=self._affinity == "precomputed")
        given = self._problem_of(data)
        self._keep(data)
        self._data, self._given = data, given
        self._model = self._earlier = None  # of fewer samples
        self._replay()

    def set_aside(self, sample: int) -> None:
        """Take a sample out of the game: never asked about, label -1."""
        self._check(sample)
        self._append(SetAside(sample))

    def put_back(self, sample: int) -> None:
        """Bring a sample back that was set aside."""
        self._check(sample)
        self._append(SetAside(sample, aside=False))

    def rename(self, group: int | Group, name: str) -> None:
        """Name a group, given as a group or by any of its samples."""
        sample = group.id if isinstance(group, Group) else group
        self._check(sample)
        self._append(Renamed(sample, name))
