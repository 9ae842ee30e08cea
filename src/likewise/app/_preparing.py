"""From a path to a desk, in the background, with something to look at meanwhile."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from likewise.app._desk import Desk
from likewise.app._messages import Preparing
from likewise.app._show import Shown
from likewise.app._stamped import StampedJournal
from likewise.encoders import encoder_for
from likewise.errors import InputError, LikewiseError
from likewise.items import (
    LOOKING,
    Broken,
    Changes,
    Gathered,
    Reading,
    VectorCache,
    encode,
    new_and_gone,
    traces_of,
)
from likewise.session import FEATURES, Session
from likewise.storage import Item, Project, Trace, kept_affinity

Watch: TypeAlias = Callable[[int, int, str], None]
AUTO = "auto"
ALIKE = "Finding out what is like what"
AT_ONCE = 5000  # items after which it is said how far one is
CRITERION = {
    "image": "Do these two pictures belong together?",
    "text": "Do these two texts belong together?",
    "row": "Do these two belong together?",
}


def unwatched(done: int, total: int, note: str) -> None:
    """Let nobody know how far it is."""


def nothing_to_forget() -> None:
    """Forget nothing: all there is lies in the project."""


@dataclass(frozen=True)
class Pile:
    """Items with their vectors, ready to be sorted.

    Attributes
    ----------
    gathered : Gathered
        Items and where their files are; as many as `X` has rows.
    X : ndarray of shape (n_items, n_features)
    about : str
        How items became vectors, in one sentence.
    encoder : str
    is_piecemeal : bool
        Whether a vector depends on its own item only.
    forget : callable
        Called when the project has the vectors, which need not lie elsewhere then.
    """

    gathered: Gathered
    X: NDArray[Any]
    about: str
    encoder: str
    is_piecemeal: bool = True
    forget: Callable[[], None] = nothing_to_forget

    @property
    def broken(self) -> tuple[Broken, ...]:
        """Files that could not be read."""
        return self.gathered.broken


Heap: TypeAlias = Callable[[Watch, Project], Pile]


@dataclass(frozen=True)
class PathHeap:
    """What lies behind a path, as a pile.

    Parameters
    ----------
    path : Path
    encoder : str or Encoder
    cache : Path
        Where vectors are kept until the project has them.
    reading : Reading
    download : bool
        Whether weights may be fetched.
    """

    path: Path
    encoder: Any
    cache: Path
    reading: Reading
    download: bool = False

    def __call__(self, watch: Watch, project: Project) -> Pile:
        """Read everything; the vectors of files that were seen before are kept."""
        watch(0, 1, LOOKING)
        cache = VectorCache(self.cache, project, FEATURES)
        choose = partial(encoder_for, name=self.encoder, download=self.download)
        found = encode(self.path, choose, self.reading, cache, watch)
        encoder, kind = found.encoder, found.gathered.kind
        return Pile(
            found.gathered,
            found.X,
            encoder.about,
            encoder.name,
            is_piecemeal=encoder.piecemeal and kind != "row",  # rows are scaled
            forget=partial(cache.clear, encoder.name),
        )


class Workshop:
    """Makes a desk out of a pile, and says how far it is.

    Parameters
    ----------
    project : Project
    heap : callable
        ``heap(watch, project)`` returns the pile.
    clock : callable
    options : dict
        ``method``, ``n_clusters``, ``affinity`` and ``random_state`` of the session.
    """

    def __init__(
        self,
        project: Project,
        heap: Heap,
        clock: Callable[[], float],
        options: dict[str, Any],
    ) -> None:
        self.project = project
        self.shown: Shown | None = None
        self.root: Path | None = None
        self.broken: tuple[Broken, ...] = ()
        self.status = Preparing(stage="Starting", done=0, total=1)
        self._heap = heap
        self._clock = clock
        self._options = options

    def start(self) -> Thread:
        """Work in the background; :attr:`shown` is there when it is done."""
        thread = Thread(target=self._work, name="workshop", daemon=True)
        thread.start()
        return thread

    def _work(self) -> None:
        try:
            self.prepare()
        except LikewiseError as error:
            self.status.error = str(error)
        except Exception as error:
            traceback.print_exc()
            self.status.error = f"Something unforeseen went wrong: {error!r}."

    def prepare(self) -> Shown:
        """Read, encode, compare with what is stored, and open the desk."""
        pile = self._heap(self._watch, self.project)
        self.root, self.broken = pile.gathered.root, pile.broken
        self._watch(0, 1, "Comparing with what was sorted before")
        X = merged(self.project, pile, self._watch)
        pile.forget()
        self._watch(0, 1, ALIKE)
        desk = Desk(self.project, self._begin(X), self._clock)
        self._watch(0, 1, "Looking for the groups and the first question")
        desk.session.ask_besides(())  # the slow part, before anybody waits for it
        self.shown = self._shown(desk, pile)
        return self.shown

    def _begin(self, X: NDArray[Any]) -> Callable[[StampedJournal], Session]:
        options = dict(self._options)
        if options.get("affinity", AUTO) == AUTO:
            options["affinity"] = kept_affinity(self.project, self._watch_neighbours)

        def begin(journal: StampedJournal) -> Session:
            return Session(X, **options, journal=journal)

        return begin

    def _watch_neighbours(self, done: int, total: int) -> None:
        self._watch(done, total, ALIKE)

    def _shown(self, desk: Desk, pile: Pile) -> Shown:
        settings = self.project.info().settings
        kind = pile.gathered.kind
        return Shown(
            desk,
            settings.get("criterion") or CRITERION[kind],
            pile.about,
            kind,
            bool(settings.get("hints", False)),
        )

    def _watch(self, done: int, total: int, note: str) -> None:
        self.status = Preparing(stage=note, done=done, total=max(total, 1))


def merged(project: Project, pile: Pile, watch: Watch = unwatched) -> NDArray[Any]:
    """Bring a project up to date with a pile, and return the vectors of its items.

    Items keep their positions for ever: new ones come behind, those that are gone are
    marked and keep the vectors that they had. Whoever is killed on the way can begin
    again: each step looks at what is there.
    """
    info, items = project.info(), pile.gathered.items
    kept = info.settings.get("encoder")
    if not info.n_items:
        project.change({"encoder": pile.encoder})
        project.add_items(_watched(items, watch))
    elif kept != pile.encoder:
        raise InputError(
            f"This project was begun with the encoder {kept!r}, not {pile.encoder!r}: "
            f"name that one with --encoder, or begin another project."
        )
    elif info.n_items != len(items) or not _is_as_before(project, items):
        before = tuple(project.traces())
        _bring_items(project, before, new_and_gone(before, pile.gathered))
        return _brought_vectors(project, pile, _by_key(project, pile))
    return _brought_vectors(project, pile, lambda start: pile.X[start:])


def _watched(items: Sequence[Item], watch: Watch) -> Iterator[Item]:
    for at, item in enumerate(items):
        if at % AT_ONCE == 0:
            watch(at, len(items), "Writing down what there is")
        yield item


def _is_as_before(project: Project, items: Sequence[Item]) -> bool:
    """Tell whether nothing has changed, without holding all items at once."""
    pairs = zip(project.traces(), traces_of(items), strict=True)
    return all(old == (*now, "here") for old, now in pairs)


def _bring_items(project: Project, before: Sequence[Trace], changes: Changes) -> None:
    gone = {item.key for item in changes.gone}
    changed = {item.key for item in changes.new if item.key in gone}
    statuses = {}
    for item in before:
        lost = "changed" if item.key in changed else "gone"
        status = lost if item.key in gone else "here"
        if status != item.status:
            statuses[item.key] = status
    project.mark_all(statuses)
    fresh = [item for item in changes.new if item.key not in changed]
    moved = {old.key: new.key for old, new in changes.moved}
    taken = {*moved.values(), *(item.key for item in fresh)}
    # Rows go by their numbers: another one may have that of a row that is gone.
    made_way = {
        item.key: f"{item.key} (gone {position + 1})"
        for position, item in enumerate(before)
        if item.key in gone and item.key in taken
    }
    project.rekey({**moved, **made_way})
    project.add_items(_watched(fresh, unwatched))


def _brought_vectors(
    project: Project, pile: Pile, described: Callable[[int], NDArray[Any]]
) -> NDArray[Any]:
    """Return the vectors of all items; what is new in them is kept.

    ``described(start)`` returns those of the items from a position on.
    """
    n_items, n_there = project.info().n_items, project.n_rows(FEATURES)
    if not n_there or not pile.is_piecemeal:
        X = described(0)
        project.put_array(FEATURES, X)
        return X
    if n_there < n_items:
        project.append_rows(FEATURES, described(n_there))
    return np.asarray(project.array(FEATURES))


def _by_key(project: Project, pile: Pile) -> Callable[[int], NDArray[Any]]:
    """Return how to find the vectors of items that lie elsewhere in the pile.

    Items that are gone lie in the middle of all: nothing else is known of them.
    """
    X = pile.X
    row = {key: at for at, (key, _) in enumerate(traces_of(pile.gathered.items))}
    places = np.array([row.get(item.key, -1) for item in project.traces()])

    def described(start: int) -> NDArray[Any]:
        wanted = places[start:]
        found = X[wanted]
        found[wanted < 0] = X.mean(axis=0, dtype=np.float64).astype(X.dtype)
        return found

    return described
