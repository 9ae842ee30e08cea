"""Sessions in a database: `Session.open`."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import scipy.sparse as sp

from likewise._arrays import Samples, as_samples, is_frame
from likewise.affinity import Affinity
from likewise.errors import InputError, StaleError
from likewise.knowledge import Journal
from likewise.methods import METHODS, find_method
from likewise.session._session import Session
from likewise.storage import (
    Project,
    ProjectJournal,
    Store,
    keep_graph,
    kept_affinity,
    open_store,
)

SessionT = TypeVar("SessionT")
FEATURES = "features"
DEFAULTS = {
    "method": "likewise",
    "n_clusters": None,
    "affinity": "auto",
    "random_state": 0,
}


class StoredSession(Session):
    """A session whose samples and answers are in a project of a store."""

    _project: Project

    def attach(self, project: Project, who: str, clock: Callable[[], float]) -> None:
        """Take up what the project holds, and write to it from now on."""
        self._project = project
        if self._affinity == DEFAULTS["affinity"]:
            keep_graph(project, self._given.affinity)
        self._take_up(ProjectJournal(project, who, clock))

    def _keep(self, data: Any) -> None:
        kept = as_samples(data)
        if self._project.n_rows(FEATURES) != self.n_samples:
            raise StaleError(
                "Somebody else has added samples: open the session again to go on "
                "from there."
            )
        is_square = self._affinity == "precomputed"
        if is_square or sp.issparse(kept) != sp.issparse(self._data):
            self._project.put_array(FEATURES, kept)
        else:
            self._project.append_rows(FEATURES, kept[self.n_samples :])


def open_session(
    url: str | Path,
    X: Any = None,
    *,
    name: str = "default",
    who: str = "me",
    clock: Callable[[], float] = time.time,
    device: str = "cpu",
    **how: Any,
) -> Session:
    """Begin a session in a database, or go on with it where it stopped.

    Each answer is on disk before ``tell`` returns, and so are samples when ``add``
    returns. A session is the only writer: if another process has answered meanwhile,
    ``tell`` raises a :class:`~likewise.errors.StaleError` and records nothing; open
    the session again to go on with all answers.

    Parameters
    ----------
    url : str or Path
        As in :func:`~likewise.storage.open_store`.
    X : array-like or scipy sparse matrix of shape (n_samples, n_features), optional
        Needed the first time, and kept as float64. Later it may be left out; if it is
        given, it must be what is kept.
    name : str, default="default"
        One database holds many sessions.
    who : str, default="me"
        Written beside each answer.
    clock : callable
        Returns the seconds since 1970.
    device : {"cpu", "cuda"}, default="cpu"
        As in :class:`~likewise.Session`; of this machine, so it is not kept.
    **how
        ``method``, ``n_clusters``, ``affinity`` and ``random_state`` as in
        :class:`~likewise.Session`, by name. They are kept; later, those that are left
        at their defaults are taken from there, and others must be what is kept.

    Returns
    -------
    Session

    Examples
    --------
    >>> session = open_session("memory://", [[0.0], [0.1], [5.0], [5.1]], n_clusters=2)
    >>> session.tell(session.ask(), "different")
    >>> session.n_questions
    1
    """
    wanted = _settings(how)
    store = open_store(url)
    project = _find(store, name)
    if project is not None and project.n_rows(FEATURES):
        kept = project.info().settings
        wanted = {key: kept.get(key, value) for key, value in DEFAULTS.items()}
        _refuse_other(wanted, how)
        samples = _same(project.array(FEATURES), X)
        wanted = with_graph(wanted, kept_affinity(project))
        session = StoredSession(samples, **wanted, device=device)
    else:
        samples = _first_samples(X, name, store)
        # It says what is wrong before anything is written.
        session = StoredSession(samples, **wanted, device=device)
        project = project or store.create(name, wanted, now=clock())
        project.change(wanted)
        project.put_array(FEATURES, samples)
    session.attach(project, who, clock)
    return session


def with_graph(
    settings: Mapping[str, Any], affinity: Callable[[Any], Affinity]
) -> dict[str, Any]:
    """Return settings of a session, with another way to the graph of "auto"."""
    is_usual = settings["affinity"] == DEFAULTS["affinity"]
    return {**settings, **({"affinity": affinity} if is_usual else {})}


def _settings(how: Mapping[str, Any]) -> dict[str, Any]:
    unknown = how.keys() - DEFAULTS.keys()
    if unknown:
        raise InputError(
            f"A stored session has no setting {min(unknown)!r}: use "
            f"{', '.join(DEFAULTS)}, name or who."
        )
    wanted = {**DEFAULTS, **how}
    method = find_method(wanted["method"])
    if METHODS.get(method.name) is not method or callable(wanted["affinity"]):
        raise InputError(
            "A stored session must find its method and affinity again: give both by "
            "their names."
        )
    seed, k = wanted["random_state"], wanted["n_clusters"]
    return {
        "method": method.name,
        "n_clusters": None if k is None else int(k),
        "affinity": wanted["affinity"],
        "random_state": _entropy() if seed is None else int(seed),
    }


def _entropy() -> int:
    # Drawn once and kept: a session that goes on must draw as it did before.
    return int(np.random.SeedSequence().generate_state(1, np.uint64)[0])


def _find(store: Store, name: str) -> Project | None:
    is_there = any(info.name == name for info in store.projects())
    return store.project(name) if is_there else None


def _refuse_other(kept: Mapping[str, Any], how: Mapping[str, Any]) -> None:
    said = _settings(how)
    for key, value in how.items():
        if value is not None and value != DEFAULTS[key] and said[key] != kept[key]:
            raise InputError(
                f"This session was begun with {key}={kept[key]!r}, not {said[key]!r}: "
                f"leave it out to go on, or begin another one with name=."
            )


def _first_samples(X: Any, name: str, store: Store) -> Samples:
    if X is None:
        there = ", ".join(info.name for info in store.projects()) or "none yet"
        raise InputError(
            f"There is no session {name!r} to go on with (there: {there}): give X to "
            f"begin one."
        )
    return _numbers(X)


def _same(kept: Samples, X: Any) -> Samples:
    """Return the samples that are kept, if X is the same or None."""
    if X is None:
        return kept
    given = _numbers(X)
    is_same = given.shape == kept.shape and sp.issparse(given) == sp.issparse(kept)
    if not is_same or (given != kept).sum():
        raise InputError(
            f"This session holds other samples ({kept.shape[0]} x {kept.shape[1]}): "
            f"leave X out to go on, use add for more, or begin another one with name=."
        )
    return kept


def _numbers(X: Any) -> Samples:
    if is_frame(X):
        for column, dtype in X.dtypes.items():
            if dtype.kind not in "biuf":
                raise InputError(
                    f"Column {column!r} is of type {dtype}, but a stored session keeps "
                    f"numbers only: encode it first."
                )
    return as_samples(X)


def session_on(
    begin: Callable[..., SessionT],
    project: Project,
    journal: Journal,
    *,
    samples: Samples | None = None,
    graph: Callable[[Any], Affinity] | None = None,
    **said: Any,
) -> SessionT:
    """Return a session on what a project holds.

    Parameters
    ----------
    begin : callable
        ``begin(samples, journal=journal, **settings)`` makes the session.
    project : Project
    journal : Journal
        Where it writes, and what it takes up.
    samples : ndarray or sparse array of shape (n_samples, n_features), optional
        Those that the project keeps, unless given.
    graph : callable, optional
        The way to the graph of "auto"; the one that the project keeps, unless given.
    **said
        Settings that go before those that the project keeps.
    """
    kept = project.info().settings
    wanted = {key: kept.get(key, value) for key, value in DEFAULTS.items()} | said
    X = project.array(FEATURES) if samples is None else samples
    how = with_graph(wanted, graph or kept_affinity(project))
    return begin(X, **how, journal=journal)
