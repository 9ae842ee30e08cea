"""The start page: recent projects, and a folder to choose."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import count, islice
from pathlib import Path
from typing import Annotated, Literal, Protocol, TypeAlias

from fastapi import APIRouter, Depends, HTTPException, Request
from fastapi.responses import HTMLResponse
from pydantic import BaseModel, Field

from likewise.app._auth import Door
from likewise.app._commands import Message
from likewise.app._context import drawn
from likewise.errors import InputError
from likewise.knowledge import valid_text

router = APIRouter(include_in_schema=False)
LONGEST = 4096  # characters of a path
MOST_SHOWN = 500  # folders and files of a folder
MOST_COUNTED = 5000  # files that are looked at to say what a folder holds
KINDS = {
    "pictures": (
        *(".jpg", ".jpeg", ".png", ".webp", ".gif", ".bmp", ".tif", ".tiff"),
        *(".heic", ".heif", ".avif"),
    ),
    "texts": (".txt",),
    "tables": (
        *(".csv", ".tsv", ".xlsx", ".parquet", ".jsonl", ".sqlite", ".db"),
        *(".npy", ".npz"),
    ),
}
KIND_OF = {suffix: kind for kind, those in KINDS.items() for suffix in those}
Status: TypeAlias = Literal["opening", "open", "failed"]


@dataclass(frozen=True, slots=True)
class Recent:
    """A project that was begun on this machine.

    Attributes
    ----------
    name, path : str
    n_items, n_answers : int
    used : float
        When something was last written to it, in seconds since 1970.
    is_there : bool
        Whether its path leads anywhere.
    is_open : bool
        Whether a server has it open.
    """

    name: str
    path: str
    n_items: int
    n_answers: int
    used: float
    is_there: bool
    is_open: bool

    @property
    def when(self) -> str:
        """The day and time in words, by the clock of this machine."""
        at = datetime.fromtimestamp(self.used).astimezone()
        return f"{at.day} {at:%B %Y, %H:%M}"


class Opening(BaseModel):
    """What has become of a project that is being opened.

    `words` say what is being done, or why it cannot be; `url` is where its page is.
    """

    id: int
    status: Status
    words: str
    url: str | None = None


class Child(Protocol):
    """A server that was started for one project."""

    def look(self) -> tuple[Status, str, str | None]:
        """Return the status, what is being done or wrong, and the address."""


@dataclass(frozen=True)
class StartContext:
    """All that the start page works with.

    Parameters
    ----------
    door : Door
    recents : callable
        Returns the recent projects, the latest first.
    launch : callable
        ``launch(path)`` starts a server for a path.
    """

    door: Door
    recents: Callable[[], Sequence[Recent]]
    launch: Callable[[str], Child]
    children: dict[int, Child] = field(default_factory=dict)
    _ids: Iterator[int] = field(default_factory=lambda: count(1))

    def opened(self, path: str) -> int:
        """Start a server for a path; return the number to ask for it."""
        number = next(self._ids)
        self.children[number] = self.launch(path)
        return number


async def context(request: Request) -> StartContext:
    """Return what the start page works with."""
    found: StartContext = request.app.state.context
    return found


Start = Annotated[StartContext, Depends(context)]


class Wish(Message):
    """What is to be opened."""

    path: Annotated[str, Field(min_length=1, max_length=LONGEST)]


class Place(BaseModel):
    """A folder or a file: what it is called, and where it is."""

    name: str
    path: str


class Listing(BaseModel):
    """A folder: the way to it, what it holds, and what can be chosen in it."""

    path: str
    way: list[Place]
    holds: str
    folders: list[Place]
    tables: list[Place]
    more: int


@router.get("/")
def start_page(start: Start) -> HTMLResponse:
    """Show recent projects, and where to find another pile."""
    here = listing_of(Path.home())
    return drawn("start", page="start", recents=start.recents(), here=here)


@router.get("/api/folders")
def folders(path: str = "") -> Listing:
    """List what can be chosen in a folder."""
    return listing_of(Path(path) if path else Path.home())


@router.post("/api/open")
def open_path(wish: Wish, start: Start) -> Opening:
    """Begin to open a folder or a file."""
    return _told(start, start.opened(wish.path.strip()))


@router.get("/api/open/{number}")
def opening(number: int, start: Start) -> Opening:
    """Tell how far it is."""
    if number not in start.children:
        raise HTTPException(404, "Nothing is being opened under this number.")
    return _told(start, number)


def _told(start: StartContext, number: int) -> Opening:
    status, words, url = start.children[number].look()
    return Opening(id=number, status=status, words=words, url=url)


# Folders of this machine


def listing_of(folder: Path) -> Listing:
    """Return what can be chosen in a folder; what begins with a dot is left out.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as name:
    ...     (Path(name) / "leaves").mkdir()
    ...     _ = (Path(name) / "a.csv").write_text("x")
    ...     found = listing_of(Path(name))
    >>> [one.name for one in found.folders + found.tables], found.holds
    (['leaves', 'a.csv'], '1 table')
    """
    place = _real(folder)
    try:
        names = sorted(filter(_is_shown, (one.name for one in place.iterdir())))
    except OSError as error:
        raise InputError(
            f"{folder} cannot be opened ({error.strerror}): choose another folder."
        ) from None
    found = [Place(name=name, path=str(place / name)) for name in names]
    inside = [one for one in found if _is(Path.is_dir, one)]
    tables = [one for one in found if _kind(one.name) == "tables"]
    files = [one for one in tables if _is(Path.is_file, one)]
    left = max(len(inside) - MOST_SHOWN, 0) + max(len(files) - MOST_SHOWN, 0)
    return Listing(
        path=str(place),
        way=_way(place, Path.home().resolve()),
        holds=held(place),
        folders=inside[:MOST_SHOWN],
        tables=files[:MOST_SHOWN],
        more=left,
    )


def _real(folder: Path) -> Path:
    try:
        return folder.expanduser().resolve(strict=True)
    except (OSError, ValueError, RuntimeError):
        raise InputError(f"There is no folder {folder}: choose another one.") from None


def _is(asked: Callable[[Path], bool], one: Place) -> bool:
    try:
        return asked(Path(one.path))
    except OSError:  # in a folder that is not ours to read
        return False


def _way(place: Path, home: Path) -> list[Place]:
    """Return the folders that lead to one; a person's own is called Home.

    Examples
    --------
    >>> [one.name for one in _way(Path("/home/ann/Photos"), Path("/home/ann"))]
    ['/', 'Home', 'Photos']
    >>> [one.name for one in _way(Path("/media/disk"), Path("/home/ann"))]
    ['/', 'media', 'disk']
    """
    way = [*reversed(place.parents), place]
    if home in way[1:]:
        way = [way[0], *way[way.index(home) :]]
    return [
        Place(name="Home" if one == home else one.name or one.anchor, path=str(one))
        for one in way
    ]


def _is_shown(name: str) -> bool:
    return not name.startswith(".") and valid_text(name) == name


def _kind(name: str) -> str | None:
    return KIND_OF.get(Path(name).suffix.lower())


def held(folder: Path) -> str:
    """Return in words what a folder holds, in subfolders too.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as name:
    ...     _ = [(Path(name) / f"{n}.png").write_text("") for n in range(3)]
    ...     held(Path(name))
    '3 pictures'
    """
    walked = (name for _, _, names in os.walk(folder) for name in names)
    files = list(islice(walked, MOST_COUNTED + 1))
    counts = Counter(kind for kind in map(_kind, files) if kind)
    more = "more than " if len(files) > MOST_COUNTED else ""
    said = [f"{more}{_counted(counts[kind], kind)}" for kind in KINDS if counts[kind]]
    return ", ".join(said) or "no pictures, texts or tables"


def _counted(number: int, kind: str) -> str:
    return f"{number:,} {kind.removesuffix('s') if number == 1 else kind}"
