"""Sessions in a database: the one place here that knows a clock and paths."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeAlias, TypedDict, TypeVar, Unpack

import numpy as np
import scipy.sparse as sp

from likewise._arrays import (
    Samples,
    SamplesLike,
    as_samples,
    as_whole,
    described,
    is_frame,
)
from likewise.affinity import Affinity, Kernel
from likewise.errors import InputError, StaleError
from likewise.knowledge import Journal, checked_name
from likewise.methods import METHODS, AnyMethod, find_method
from likewise.storage import (
    Project,
    ProjectJournal,
    Settings,
    Store,
    keep_graph,
    kept_affinity,
    open_store,
)

Address: TypeAlias = str | Path
FEATURES = "features"  # under which the samples are kept
DEFAULTS = {
    "method": "likewise",
    "n_clusters": None,
    "affinity": "auto",
    "random_state": 0,
}


class Begun(TypedDict, total=False):
    """What a session is begun with, and goes on with."""

    method: str | AnyMethod
    n_clusters: int | None
    affinity: str | Kernel
    random_state: int | None


class Opened(Begun, total=False):
    """What may be said of a session in a database."""

    name: str
    who: str
    clock: Callable[[], float]
    device: str


@dataclass(frozen=True, slots=True)
class Home:
    """A project of a store that keeps the samples and answers of a session."""

    project: Project
    journal: ProjectJournal

    def keep_graph(self, found: Affinity) -> Affinity:
        """Keep the graph, which takes longest to find, and what will follow from it."""
        return keep_graph(self.project, found)

    def keep_added(
        self, samples: SamplesLike, before: SamplesLike, *, whole: bool
    ) -> None:
        """Keep samples that were added.

        Parameters
        ----------
        samples, before : array-like, DataFrame or sparse matrix
            With those added, and without.
        whole : bool
            Whether those of before have changed too, as the rows of a square do.
        """
        kept, n_before = as_samples(samples), np.shape(before)[0]
        if self.project.n_rows(FEATURES) != n_before:
            raise StaleError(
                "Somebody else has added samples: open the session again to go on "
                "from there."
            )
        if whole or sp.issparse(kept) != sp.issparse(before):
            self.project.put_array(FEATURES, kept)
        else:
            self.project.append_rows(FEATURES, kept[n_before:])


class Keepable(Protocol):
    """A session that a project can keep."""

    def _move_in(self, home: Home) -> None:
        """Take up what the project holds, and write to it from now on."""


SessionT = TypeVar("SessionT")
KeepableT = TypeVar("KeepableT", bound=Keepable)


def open_session(  # noqa: PLR0913 - what may be said of a session in a database
    begin: Callable[..., KeepableT],
    url: Address,
    X: SamplesLike | None = None,
    *,
    name: str = "default",
    who: str = "me",
    clock: Callable[[], float] = time.time,
    device: str = "cpu",
    **how: Unpack[Begun],
) -> KeepableT:
    """Return a session that is kept in a database: see :meth:`Session.open`.

    Parameters
    ----------
    begin : callable
        ``begin(samples, **settings)`` returns a session that nothing keeps yet.
    url, X, name, who, clock, device, **how
        As in :meth:`Session.open`.
    """
    wanted, who = _settings(how), checked_name(who)
    if not callable(clock):
        raise InputError(f"A clock is a function, but this is {described(clock)}.")
    store = open_store(url)
    name = _called(name, store)
    project = _find(store, name)
    if project is not None and project.n_rows(FEATURES):
        _refuse_other(_kept(project), how)
        samples = _same(project.array(FEATURES), X)
        journal = ProjectJournal(project, who, clock)
        session = session_on(begin, project, journal, samples=samples, device=device)
    else:
        samples = _first_samples(X, name, store)
        # It says what is wrong before anything is written.
        session = begin(samples, **wanted, device=device)
        project = project or store.create(name, wanted, now=clock())
        project.change(wanted)
        project.put_array(FEATURES, samples)
        journal = ProjectJournal(project, who, clock)
    session._move_in(Home(project, journal))
    return session


def session_on(
    begin: Callable[..., SessionT],
    project: Project,
    journal: Journal,
    *,
    samples: Samples | None = None,
    graph: Callable[[Samples], Affinity] | None = None,
    **said: Unpack[Opened],
) -> SessionT:
    """Return a session on what a project holds.

    Parameters
    ----------
    begin : callable
        ``begin(samples, journal=journal, **settings)`` returns a session.
    project : Project
    journal : Journal
        What it takes up, and where it writes to.
    samples : ndarray or sparse array of shape (n_samples, n_features), optional
        Those that the project keeps, unless given.
    graph : callable, optional
        Another way to the graph of "auto" than the one that the project keeps.
    **said
        Settings that go before those that the project keeps.
    """
    wanted = {**_kept(project), **said}
    is_auto = wanted["affinity"] == DEFAULTS["affinity"]
    if is_auto and find_method(wanted["method"]).affinity is None:
        device = wanted.get("device", "cpu")
        wanted["affinity"] = graph or kept_affinity(project, device=device)
    X = project.array(FEATURES) if samples is None else samples
    return begin(X, **wanted, journal=journal)


def _kept(project: Project) -> Settings:
    kept = project.info().settings
    return {key: kept.get(key, value) for key, value in DEFAULTS.items()}


def _settings(how: Begun) -> Settings:
    unknown = how.keys() - DEFAULTS.keys()
    if unknown:
        raise InputError(
            f"A stored session has no setting {min(unknown)!r}: use "
            f"{', '.join(DEFAULTS)}, name or who."
        )
    wanted: dict[str, Any] = {**DEFAULTS, **how}
    method = find_method(wanted["method"])
    is_named = isinstance(wanted["affinity"], str)
    if METHODS.get(method.name) is not method or not is_named:
        raise InputError(
            "A stored session must find its method and affinity again: give both by "
            "their names."
        )
    seed, k = seed_of(wanted["random_state"]), wanted["n_clusters"]
    return {
        "method": method.name,
        "n_clusters": None if k is None else as_whole(k, "n_clusters", 1),
        "affinity": wanted["affinity"],
        "random_state": _entropy() if seed is None else seed,
    }


def seed_of(random_state: int | None) -> int | None:
    """Return a seed as a plain number, or say why it is none."""
    return None if random_state is None else as_whole(random_state, "random_state")


def _entropy() -> int:
    # Drawn once and kept: a session that goes on must draw as it did before.
    return int(np.random.SeedSequence().generate_state(1, np.uint64)[0])


def _called(name: str, store: Store) -> str:
    """Return a name as it is kept; one of before names were checked stays as it is."""
    is_there = any(info.name == name for info in store.projects())
    return name if is_there else checked_name(name)


def _find(store: Store, name: str) -> Project | None:
    is_there = any(info.name == name for info in store.projects())
    return store.project(name) if is_there else None


def _refuse_other(kept: Settings, how: Begun) -> None:
    said = _settings(how)
    for key, value in how.items():
        if value is not None and value != DEFAULTS[key] and said[key] != kept[key]:
            raise InputError(
                f"This session was begun with {key}={kept[key]!r}, not {said[key]!r}: "
                f"leave it out to go on, or begin another one with name=."
            )


def _first_samples(X: SamplesLike | None, name: str, store: Store) -> Samples:
    if X is None:
        there = ", ".join(info.name for info in store.projects()) or "none yet"
        raise InputError(
            f"There is no session {name!r} to go on with (there: {there}): give X to "
            f"begin one."
        )
    return _numbers(X)


def _same(kept: Samples, X: SamplesLike | None) -> Samples:
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


def _numbers(X: SamplesLike) -> Samples:
    frame: Any = X
    if is_frame(frame):
        for column, dtype in frame.dtypes.items():
            if dtype.kind not in "biuf":
                raise InputError(
                    f"Column {column!r} is of type {dtype}, but a stored session keeps "
                    f"numbers only: encode it first."
                )
    return as_samples(X)
