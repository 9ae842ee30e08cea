"""From a path to a project that is served, with something to look at meanwhile."""

from __future__ import annotations

import hashlib
import sys
import traceback
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from io import BytesIO
from itertools import chain
from pathlib import Path
from threading import Lock, Thread
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from threadpoolctl import threadpool_limits

from likewise._cached import digest_of
from likewise._regime import COARSE_FROM, KEPT, ONE_THREAD
from likewise.app._auth import name_of
from likewise.app._early import early_session, is_early, note_ready, said_early
from likewise.app._project import EVERY, ProjectService
from likewise.app._roles import OWNER, Members
from likewise.app._schemas import Preparing
from likewise.app._snapshot import Display
from likewise.datasets import load
from likewise.encoders import AUTO, Encoder, Kind, encoder_before, encoder_for
from likewise.errors import InputError, LikewiseError, StaleError, StorageError
from likewise.items import (
    LOOK,
    LOOKING,
    LOOKS,
    Broken,
    Changes,
    Fold,
    Folded,
    Gathered,
    Preview,
    Reading,
    VectorCache,
    difference,
    each_apart,
    encode,
    fold_files,
    folded,
    is_table,
    lookalikes,
    names_of,
    new_and_gone,
    preview_table,
    traces_of,
)
from likewise.knowledge import checked_name, readable, valid_text
from likewise.session import FEATURES, SHARE, Session, session_on
from likewise.storage import Item, Project, ProjectJournal, Trace, kept_affinity

Watch: TypeAlias = Callable[[int, int, str], None]
Consent: TypeAlias = Callable[[str], bool]
ASKING = "Waiting for an answer in the terminal"
CHOOSING = "Waiting for the columns to be chosen on the page"
ALIKE = "Comparing the items"
CHOSEN = "Looking for the first questions"
COMPARED = "Comparing all of the items"
EDGE = 128  # pixels of a drawn digit, which has eight
PIXELS = "The 64 pixels of each digit, as they are."
AT_ONCE = 5000  # items after which it is said how far one is
CRITERION = {
    "image": "Do these two pictures belong together?",
    "text": "Do these two texts belong together?",
    "row": "Do these two belong together?",
}
SAME_THING = "Are these two the same thing?"


def unwatched(done: int, total: int, note: str) -> None:
    """Let nobody know how far it is."""


def refused(_: str) -> bool:
    """Let nothing happen that somebody has to be asked about."""
    return False


class OtherPileError(InputError):
    """What lies behind the path is not what the project was begun with."""


def nothing_to_forget() -> None:
    """Forget nothing: all there is lies in the project."""


@dataclass(frozen=True)
class Encoded:
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
    looks : mapping of str to ndarray
        What pictures look like, by their digests, as far as they were opened.
    forget : callable
        Called when the project has the vectors, which need not lie elsewhere then.
    how : Reading or None
        How a table was read.
    """

    gathered: Gathered
    X: NDArray[Any]
    about: str
    encoder: str
    is_piecemeal: bool = True
    forget: Callable[[], None] = nothing_to_forget
    how: Reading | None = None
    looks: Mapping[str, NDArray[Any]] = field(default_factory=dict)

    @property
    def broken(self) -> tuple[Broken, ...]:
        """Files that could not be read."""
        return self.gathered.broken


Source: TypeAlias = Callable[[Watch, Project], Encoded]


@dataclass(frozen=True)
class PathSource:
    """What lies behind a path.

    Parameters
    ----------
    path : Path
    encoder : str or Encoder
    cache : Path
        Where vectors are kept until the project has them.
    reading : Reading
    download : bool
        Whether weights may be fetched.
    asks : bool
        Whether somebody is asked what the columns of a new table hold; otherwise it is
        guessed.
    """

    path: Path
    encoder: Any
    cache: Path
    reading: Reading
    download: bool = False
    asks: bool = False

    def __call__(self, watch: Watch, project: Project) -> Encoded:
        """Read everything; the vectors of files that were seen before are kept."""
        watch(0, 1, LOOKING)
        cache = VectorCache(self.cache, project, FEATURES)
        choose, fold = partial(self._chosen, project), _folding(project)
        found = encode(self.path, choose, self._how(project), cache, watch, fold)
        encoder, kind, how = found.encoder, found.gathered.kind, found.gathered.how
        return Encoded(
            found.gathered,
            found.X,
            encoder.about if how is None else compared_by(how),
            encoder.name,
            is_piecemeal=encoder.piecemeal and kind != "row",  # rows are scaled
            forget=partial(_forget, cache, encoder.name),
            how=how,
            looks=found.looks,
        )

    def to_choose(self, project: Project) -> Preview | None:
        """Return a new table whose columns are to be chosen; None otherwise."""
        info = project.info()
        is_known = info.n_items or info.settings.get(COLUMNS)
        if not self.asks or is_known or not is_table(self.path):
            return None
        return preview_table(self.path, self.reading)

    def _how(self, project: Project) -> Reading:
        """Return how to read a table: as is said now, or else as it was before."""
        kept, said = project.info().settings.get(COLUMNS), self.reading
        if not kept or said.is_said or not is_table(self.path):
            return said
        return replace(said, **columns_kept(kept)).within(names_of(self.path))

    def _chosen(self, project: Project, kind: Kind) -> Encoder:
        """Return the encoder; a project goes on with what was best when it began."""
        kept = project.info().settings.get("encoder")
        is_auto = isinstance(self.encoder, str) and self.encoder == AUTO
        before = encoder_before(kind, kept) if kept and is_auto else None
        return before or encoder_for(kind, self.encoder, download=self.download)


def _forget(cache: VectorCache, encoder: str) -> None:
    for kept in (encoder, LOOKS):
        cache.clear(kept)


def _folding(project: Project) -> Fold:
    """Return what becomes of equal things; earlier versions had an item of each."""
    info = project.info()
    is_old = info.n_items and not info.settings.get(FOLDS)
    return each_apart if is_old else _fold


def _fold(gathered: Gathered) -> Folded:
    """Make one item of equal things; of equal rows where duplicates are sought."""
    is_records = gathered.how is not None and gathered.how.seek == DUPLICATES
    return folded(gathered) if is_records else fold_files(gathered)


DUPLICATES = "duplicates"  # what is sought in a table of records, and the method for it
COLUMNS = "columns"  # the setting that says what the columns of a table hold


def compared_by(how: Reading) -> str:
    """Say which columns of a table count.

    Examples
    --------
    >>> compared_by(Reading(weights=(("a", 1.0), ("b", 0.0), ("c", 2.0))))
    'Compared by: a, c.'
    """
    names = [name for name, weight in how.weights if weight > 0]
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return f"Compared by: {', '.join(names[:MOST_NAMED])}{more}."


MOST_NAMED = 8  # columns that a sentence names


def columns_kept(kept: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a project has kept about the columns of its table."""
    return {
        "kinds": tuple((str(name), str(kind)) for name, kind in kept["kinds"]),
        "weights": tuple((str(name), float(w)) for name, w in kept["weights"]),
        "title": kept["title"],
        "seek": kept["seek"],
    }


def columns_to_keep(how: Reading) -> dict[str, Any]:
    """Return what a project keeps about the columns of its table."""
    return {
        "kinds": [list(pair) for pair in how.kinds],
        "weights": [list(pair) for pair in how.weights],
        "title": how.title,
        "seek": how.seek,
    }


@dataclass(frozen=True)
class DigitsSource:
    """1,797 handwritten digits, written as pictures into a folder of ours.

    Parameters
    ----------
    folder : Path
    """

    folder: Path

    def __call__(self, watch: Watch, _: Project) -> Encoded:
        """Draw the digits that are not there yet."""
        self.folder.mkdir(parents=True, exist_ok=True)
        digits, items = load("digits").X, []
        for at, pixels in enumerate(digits):
            if at % 200 == 0:
                watch(at, len(digits), "Drawing the digits")
            items.append(self._item(at, drawn_digit(pixels)))
        return Encoded(
            Gathered(self.folder, "image", tuple(items)), digits, PIXELS, "pixels"
        )

    def _item(self, at: int, png: bytes) -> Item:
        path = self.folder / f"{at + 1:04}.png"
        if not path.exists():
            path.write_bytes(png)
        shown = {"name": f"scan {at + 1:04}", "size": f"{len(png)} bytes"}
        return Item(path.name, "image", hashlib.sha256(png).hexdigest(), shown)


def drawn_digit(pixels: Any) -> bytes:
    """Return a digit of 8 by 8 pixels (0 to 16) as a PNG, dark on light."""
    digit = np.pad(np.asarray(pixels, dtype=np.float64).reshape(8, 8), 1)
    ink = 255 - np.clip(digit * 15.9, 0, 255)
    smooth = Image.Resampling.BICUBIC
    picture = Image.fromarray(ink.astype(np.uint8)).resize((EDGE, EDGE), smooth)
    packed = BytesIO()
    picture.save(packed, "PNG")
    return packed.getvalue()


class Preparation:
    """Makes a project ready to be served, and says how far it is.

    Parameters
    ----------
    project : Project
    source : callable
        ``source(watch, project)`` returns items with their vectors.
    clock : callable
    options : dict
        ``method``, ``n_clusters``, ``affinity`` and ``random_state`` of the session.
    settings : mapping, optional
        To be kept by the project, once it is known to be the one that is meant.
    consent : callable
        ``consent(words)`` tells whether most items may be marked as gone.

    Attributes
    ----------
    service : ProjectService or None
        None until people can answer, about a part of the items at first if it is long
        until all of them are compared.
    status : Preparing
    choosing : Preview or None
        The table whose columns somebody is to choose first.
    root : Path or None
        The folder of the files.
    broken : tuple of Broken
        Files that could not be read.
    left_out : tuple of str
        What was left out by kind, a sentence each.
    alike : list of pairs of int
        Pictures that are almost identical to an earlier one, and that one.
    notice : str or None
        What is to be known about where the items were found.
    is_asking, is_refused : bool
        Whether it waits for consent, and whether it has stopped for lack of it.
    is_unforeseen : bool
        Whether it stopped by an error of ours.
    """

    def __init__(
        self,
        project: Project,
        source: Source,
        clock: Callable[[], float],
        options: dict[str, Any],
        settings: Mapping[str, Any] | None = None,
        consent: Consent = refused,
    ) -> None:
        self.project = project
        self.members = Members(project, clock)
        self.notice: str | None = None
        self.is_asking = self.is_refused = False
        self._settings = dict(settings or {})
        self._consent = consent
        self._about, self._kind = "", ""
        self.service: ProjectService | None = None
        self.choosing: Preview | None = None
        self._choosing = Lock()
        self.root: Path | None = None
        self.broken: tuple[Broken, ...] = ()
        self.left_out: tuple[str, ...] = ()
        self.alike: list[tuple[int, int]] = []
        self.is_unforeseen = False
        self.status = Preparing(stage="Starting", done=0, total=1)
        self._source = source
        self._clock = clock
        self._options = dict(options)

    def start(self) -> Thread:
        """Work in the background; :attr:`service` is there when it is done.

        Of a table whose columns are to be chosen, only its beginning is read at first.
        """
        return self._begin(self._look_or_prepare)

    def _look_or_prepare(self) -> None:
        source = self._source
        if isinstance(source, PathSource):
            self._watch(0, 1, LOOKING)
            self.choosing = source.to_choose(self.project)
        if self.choosing is None:
            self.prepare()
        else:
            self._watch(0, 1, CHOOSING)

    def choose(self, how: Reading) -> Thread:
        """Take the columns of a table as somebody has chosen them, and go on.

        Raises
        ------
        StaleError
            They were chosen before.
        """
        with self._choosing:
            if self.choosing is None:
                raise StaleError("The columns were already chosen: go on answering.")
            self.project.change({COLUMNS: columns_to_keep(how)})
            self._watch(0, 1, LOOKING)
            self.choosing = None
        return self.start()

    def _begin(self, work: Callable[[], object]) -> Thread:
        thread = Thread(
            target=self._work, args=(work,), name="preparation", daemon=True
        )
        thread.start()
        return thread

    def _work(self, work: Callable[[], object]) -> None:
        try:
            work()
        except LikewiseError as error:
            self.is_refused = isinstance(error, OtherPileError)
            self.status.error = valid_text(str(error))
        except Exception as error:
            self.is_unforeseen = True
            lines = traceback.format_exc().splitlines()
            sys.stderr.write("\n".join(map(readable, lines)) + "\n")
            self.status.error = f"Something unexpected went wrong: {error!r}."

    def prepare(self) -> ProjectService:
        """Read, encode, compare with what is stored, and open the session."""
        found = self._source(self._watch, self.project)
        self._watch(0, 1, "Comparing with earlier work")
        X, self.notice = self._merged(found)
        self.root, self.broken = found.gathered.root, found.broken
        self.left_out = found.gathered.left_out
        self._about, self._kind = found.about, found.gathered.kind
        if found.how is not None:
            self._take(found.how)
        self.project.change(self._settings)
        self.alike = _lookalikes(self.project, _brought_looks(self.project, found))
        found.forget()
        return self._open(X)

    def _take(self, how: Reading) -> None:
        """Keep how a table was read, and look for what is sought in it."""
        self._settings[COLUMNS] = columns_to_keep(how)
        if how.seek == DUPLICATES:
            sought = {"method": DUPLICATES, "n_clusters": None}
            self._options |= sought
            self._settings |= sought

    def _open(self, X: NDArray[Any] | None = None) -> ProjectService:
        """Open the session on vectors; on those that the project keeps unless given."""
        self._watch(0, 1, ALIKE)
        if self.project.info().n_items <= ONE_THREAD:
            threadpool_limits(1)  # for as long as it is served
        journal = ProjectJournal(self.project, None, self._clock)
        device = self._options.get("device", "cpu")
        early = self._early(journal, X)
        graph = kept_affinity(self.project, self._watch_neighbours, device=device)
        session = session_on(
            Session, self.project, journal, samples=X, graph=graph, **self._options
        )
        self._watch(0, 1, "Finding the groups and the first question")
        session.ask_besides(())  # the slow part, before anybody waits for it
        if self.project.info().n_items > COARSE_FROM:
            note_ready(self.project, self._options)
        if early is None:
            self.service = self._serving(journal, session)
            return self.service
        self._hand_over(early, session)
        return early

    def _hand_over(self, early: ProjectService, session: Session) -> None:
        """Let a session on all items take over, unless all is opened again anyhow."""
        if self.service is not early:
            return
        try:
            early.take_over(session)
        except StorageError:
            if self.service is early:
                raise
            # Another server has added items, and they are being taken in.

    def _early(
        self, journal: ProjectJournal, X: NDArray[Any] | None
    ) -> ProjectService | None:
        """Let people answer already, if it takes long until all items are compared."""
        if not is_early(self.project, X, self._options):
            return None
        self._watch(0, 1, CHOSEN)
        session = early_session(self.project, journal, X, self._options)
        if session is None:
            return None
        session.ask_besides(())
        self.service = self._serving(journal, session, said_early(session))
        self._watch(0, 1, COMPARED)
        return self.service

    def _serving(
        self, journal: ProjectJournal, session: Session, early: str = ""
    ) -> ProjectService:
        return ProjectService(
            self.project,
            journal,
            session,
            self._clock,
            replace(self._display(), early=early),
            self._take_in_more,
            members=self.members,
        )

    def _take_in_more(self) -> None:
        """Open the session again, because another server has added items."""
        self._watch(0, 1, "Adding items from another server")
        self.service = None
        self._begin(self._open)

    def _merged(self, found: Encoded) -> tuple[NDArray[Any], str | None]:
        n_before = self.project.info().n_items
        try:
            return merged(self.project, found, self._watch, self._asked)
        except InputError as error:
            is_other = isinstance(error, OtherPileError)
            if is_other or self.project.info().n_items == n_before:
                raise
            # Another server that starts at the same time has brought these items.
            return merged(self.project, found, self._watch, self._asked)

    def _asked(self, words: str) -> bool:
        self.is_asking = True
        self._watch(0, 1, ASKING)
        may = self._consent(words)
        self.is_asking = False
        return may

    def change(self, said: Mapping[str, Any]) -> None:
        """Change settings of the project, for everybody."""
        if "criterion" in said:
            asked = checked_name(said["criterion"], may_be_empty=True)
            said = {**said, "criterion": asked}
        if self.service is None:
            self.project.change(said)
            kept = self._settings.items()
            self._settings = {key: value for key, value in kept if key not in said}
            return
        shown = self.service.display
        asked = said.get("criterion", shown.criterion)
        criterion = asked or self._usual(shown.kind)
        display = replace(
            shown,
            criterion=criterion,
            hints=said.get("hints", shown.hints),
            why=said.get("why", shown.why),
            checks=said.get("checks", shown.checks),
            owner=said.get("owner", shown.owner),
            changes=said.get("changes", shown.changes),
            screens=said.get("screens", shown.screens),
            alike=said.get("alike", shown.alike),
            overlap=said.get("overlap", shown.overlap),
            refer=said.get("refer", shown.refer),
        )
        self.service.change(said, display)

    def _watch_neighbours(self, done: int, total: int) -> None:
        self._watch(done, total, ALIKE)

    def _usual(self, kind: str) -> str:
        """Return what people are asked where nobody has said anything else."""
        return SAME_THING if self._is_records else CRITERION[kind]

    @property
    def _is_records(self) -> bool:
        how = {**self.project.info().settings, **self._options}
        return bool(how.get("method") == DUPLICATES)

    def _display(self) -> Display:
        settings, kind = self.project.info().settings, self._kind
        return Display(
            project=self.project.name,
            kind=kind,
            criterion=readable(settings.get("criterion") or self._usual(kind)),
            about=self._about,
            hints=bool(settings.get("hints", False)),
            why=bool(settings.get("why", True)),
            checks=int(settings.get("checks", EVERY)),
            owner=name_of(settings["owner"]) if settings.get("owner") else "",
            changes=str(settings.get("changes") or OWNER),
            screens="pairs" if settings.get("screens") == "pairs" else "all",
            title=str((settings.get(COLUMNS) or {}).get("title") or "name"),
            alike=bool(settings.get("alike", True)),
            seek="duplicates" if self._is_records else "groups",
            picture=_picture_column(settings.get(COLUMNS) or {}),
            overlap=float(settings.get("overlap", SHARE)),
            refer=bool(settings.get("refer", True)),
        )

    def _watch(self, done: int, total: int, note: str) -> None:
        self.status = Preparing(stage=note, done=done, total=max(total, 1))


def _picture_column(kept: Mapping[str, Any]) -> str:
    """Return the first column of a table that names pictures; empty for none."""
    pairs = kept.get("kinds", ())
    return next((str(name) for name, kind in pairs if kind == "picture"), "")


def merged(
    project: Project,
    found: Encoded,
    watch: Watch = unwatched,
    consent: Consent = refused,
) -> tuple[NDArray[Any], str | None]:
    """Bring a project up to date with what was found.

    Items keep their positions for ever: new ones come behind, those that are gone are
    marked and keep the vectors that they had. Whoever is killed on the way can begin
    again: each step looks at what is there.

    Returns
    -------
    X : ndarray of shape (n_items, n_features)
        All vectors.
    notice : str or None
        That the items were found elsewhere.

    Raises
    ------
    OtherPileError
        These are other items; nothing was changed.
    """
    info, items = project.info(), found.gathered.items
    kept, root = info.settings.get("encoder"), str(found.gathered.root.resolve())
    source, notice = info.settings.get(SOURCE), None
    described: Callable[[int], NDArray[Any]] = lambda start: found.X[start:]  # noqa: E731
    if not info.n_items:
        project.change({"encoder": found.encoder, SOURCE: root, FOLDS: True})
        project.add_items(_watched(items, watch))
    elif kept != found.encoder:
        raise InputError(
            f"This project was begun with the encoder {kept!r}, not {found.encoder!r}: "
            f"name that one with --encoder, or begin another project."
        )
    elif info.n_items != len(items) or not _is_as_before(project, items):
        before = tuple(project.traces())
        changes = new_and_gone(before, found.gathered)
        _refuse_other(project, found.gathered, changes, before, consent)
        _bring_items(project, before, changes)
        described = _by_key(project, found)
    if source != root:
        project.change({SOURCE: root})
        notice = MOVED.format(root, source) if source and info.n_items else None
    return _brought_vectors(project, found, described), notice


SOURCE = "source"  # the setting that says where the items came from
FOLDS = "folds"  # the setting that says that equal things are one item
MOVED = "{} holds what was in {}: the project goes on with it."


def _refuse_other(
    project: Project,
    gathered: Gathered,
    changes: Changes,
    before: Sequence[Trace],
    consent: Consent,
) -> None:
    """Refuse another pile than that of the project, and ask where most of it is gone.

    Where it lies says nothing as long as its content is known, and the same place says
    that it is the same pile, of which everything may have changed.
    """
    source, root = project.info().settings.get(SOURCE), str(gathered.root.resolve())
    found, name = difference(before, gathered, changes), project.name
    is_elsewhere = source not in (None, root)
    if found.is_all and is_elsewhere and found.n_here:
        raise OtherPileError(
            f"The project {name!r} holds {found.n_here:,} items of {source}, and none "
            f"of them is in {root}: give that a project of its own with --name, or "
            f"another database with --project."
        )
    words = (
        f"Of the {found.n_here:,} items of the project {name!r}, {found.n_lost:,} are "
        f"no longer in {root} as they were"
    )
    is_doubtful = found.is_much or (found.is_all and is_elsewhere)
    if is_doubtful and not consent(f"{words}. Mark them as gone or changed?"):
        raise OtherPileError(
            f"{words}: bring them back, mark them as gone or changed with --as-is, or "
            f"begin another project with --name."
        )


def _watched(items: Sequence[Item], watch: Watch) -> Iterator[Item]:
    for at, item in enumerate(items):
        if at % AT_ONCE == 0:
            watch(at, len(items), "Saving the list of items")
        yield item


def _is_as_before(project: Project, items: Sequence[Item]) -> bool:
    """Tell whether nothing has changed, without holding all items at once."""
    pairs = zip(project.traces(), traces_of(items), strict=True)
    return all(old == now for old, now in pairs)


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
    project.note_copies({item.key: () for item in changes.gone if item.copies})
    fresh = list(_fresh(changes.new, changed))
    moved = {old.key: new.key for old, new in changes.moved}
    others = chain(changes.copies.values(), (item.copies for item in fresh))
    taken = {*moved.values(), *(item.key for item in fresh), *chain(*others)}
    # Rows go by their numbers: another one may have that of a row that is gone.
    made_way = {
        item.key: f"{item.key} (gone {position + 1})"
        for position, item in enumerate(before)
        if item.key in gone and item.key in taken
    }
    project.rekey({**moved, **made_way})
    project.note_copies(changes.copies)
    project.add_items(_watched(fresh, unwatched))


def _fresh(new: Sequence[Item], changed: Collection[str]) -> Iterator[Item]:
    """Yield the items to be added; a changed one stays what it was."""
    for item in new:
        if item.key not in changed:
            yield item
        elif item.copies:
            first, *others = item.copies
            yield replace(item, key=first, copies=tuple(others))


def _brought_vectors(
    project: Project, found: Encoded, described: Callable[[int], NDArray[Any]]
) -> NDArray[Any]:
    """Return the vectors of all items; what is new in them is kept.

    ``described(start)`` returns those of the items from a position on.
    """
    n_items, n_there = project.info().n_items, project.n_rows(FEATURES)
    if not n_there or not found.is_piecemeal:
        X = described(0)
        project.put_array(FEATURES, X)
        return X
    if n_there < n_items:
        project.append_rows(FEATURES, described(n_there))
    X = np.asarray(project.array(FEATURES))
    if len(X) > n_items:  # another server that started meanwhile has brought them too
        X = X[:n_items]
        project.put_array(FEATURES, X)
    return X


def _brought_looks(project: Project, found: Encoded) -> NDArray[np.uint8]:
    """Return what all pictures look like; zeros where that is not known."""
    if found.gathered.kind != "image":
        return np.zeros((0, LOOK), dtype=np.uint8)
    digests = [trace.digest for trace in project.traces()]
    before = np.asarray(project.array(LOOKS)) if project.n_rows(LOOKS) else ()
    known = {**dict(zip(digests, before, strict=False)), **found.looks}
    unseen = np.zeros(LOOK)
    looks = np.array([known.get(one, unseen) for one in digests]).astype(np.uint8)
    if not np.array_equal(looks, before):
        project.put_array(LOOKS, looks)
    return looks


def _lookalikes(project: Project, looks: NDArray[np.uint8]) -> list[tuple[int, int]]:
    """Return pictures that look the same, as they were found before if that is kept."""
    cache, key = project.cache, digest_of(looks)
    kept = None if cache is None else cache.read(SAME_LOOKS, key)
    if kept is not None:
        return [(int(one), int(other)) for one, other in kept["pairs"]]
    pairs = lookalikes(looks)
    if cache is not None and len(looks) > KEPT:
        found = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        cache.keep(SAME_LOOKS, key, {"pairs": found})
    return pairs


SAME_LOOKS = "lookalikes"  # the kind of file in which they are kept


def _by_key(project: Project, found: Encoded) -> Callable[[int], NDArray[Any]]:
    """Return how to find the vectors of items that lie elsewhere in the found.

    Items that are gone lie in the middle of all: nothing else is known of them.
    """
    X = found.X
    row = {
        key: at
        for at, trace in enumerate(traces_of(found.gathered.items))
        for key in (trace.key, *trace.copies)
    }
    places = np.array([row.get(item.key, -1) for item in project.traces()])

    def described(start: int) -> NDArray[Any]:
        wanted = places[start:]
        vectors = X[wanted]
        vectors[wanted < 0] = X.mean(axis=0, dtype=np.float64).astype(X.dtype)
        return vectors

    return described
