"""What lies beside a database: how much was saved in it, and copies of it.

A database that was emptied, exchanged or set back (its ``-wal`` removed after a kill)
is a sound one all the same, and knows nothing of what it lacks. So the number of acts
is written down beside it: after an act is on disk, and before anybody is told that it
is. The number is never ahead of the acts, whatever is killed when; and where it is, an
act that was acknowledged is missing. It is not waited for until the number is on the
disk itself: a machine that goes down may forget the last ones, which the database, for
which is waited, has.
"""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import shutil
import sqlite3
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from glob import escape
from pathlib import Path
from typing import IO, NamedTuple

from likewise.errors import StorageError
from likewise.storage._protocol import Act

if sys.platform != "win32":
    from fcntl import LOCK_EX, flock

OURS_ALONE = 0o600


class Saved(NamedTuple):
    """Up to where a project was saved.

    Attributes
    ----------
    project : str
        What tells it from others, of any database.
    n_acts : int
    mark : str
        What tells the last of these acts from others.
    """

    project: str
    n_acts: int
    mark: str


def identity(name: str, created: float) -> str:
    """Return what tells a project from those of other databases.

    Examples
    --------
    >>> identity("leaves", 0.0) == identity("leaves", 1.0)
    False
    """
    return _digest([name, float(created)], 32)


def mark_of(act: Act) -> str:
    """Return what tells an act from others of its number.

    Examples
    --------
    >>> from likewise.knowledge import Renamed
    >>> len(mark_of(Act(0, Renamed(1, "oak"), "ann", 0.0)))
    16
    """
    return _digest([act.number, act.who, float(act.at), act.client_id, act.closed], 16)


def _digest(values: list[object], length: int) -> str:
    return hashlib.sha256(json.dumps(values).encode()).hexdigest()[:length]


WIDTH = 64  # bytes of a line, which never lies on two pages: it is written or it is not


class Tally:
    """How many acts of each project were saved, in a small file.

    One line for each project. Several processes may write to it at once.

    Parameters
    ----------
    path : Path
        Made when the first act comes.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     tally = Tally(Path(folder) / "leaves.db-acts")
    ...     tally.note([Saved("a" * 32, 2, "b" * 16)])
    ...     tally.note([Saved("a" * 32, 1, "c" * 16)])
    ...     [saved.n_acts for saved in tally.read()]
    [2]
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> list[Saved]:
        """Return up to where each project was saved; what cannot be read is not."""
        try:
            return [s for s in _lines(self.path.read_bytes()) if s is not None]
        except OSError:
            return []

    def note(self, saved: Iterable[Saved]) -> None:
        """Write down what is more than there is, if it can be written."""
        # An act that is on disk is not refused for want of its number.
        with suppress(OSError), self._locked() as file:
            lines = _lines(file.read())
            for one in saved:
                there = [at for at, line in enumerate(lines) if _is_of(line, one)]
                at = there[0] if there else len(lines)
                if not there:
                    lines.append(one)
                elif (lines[at] or one).n_acts >= one.n_acts:
                    continue
                file.seek(at * WIDTH)
                file.write(_line(one))

    def forget(self) -> None:
        """Know nothing of what was saved."""
        self.path.unlink(missing_ok=True)

    @contextmanager
    def _locked(self) -> Iterator[IO[bytes]]:
        opened = os.open(self.path, os.O_RDWR | os.O_CREAT, OURS_ALONE)
        with os.fdopen(opened, "r+b", buffering=0) as file:
            if sys.platform != "win32":
                flock(opened, LOCK_EX)  # until it is closed
            yield file


def _line(saved: Saved) -> bytes:
    words = f"{saved.project} {saved.n_acts:012} {saved.mark}"
    return f"{words:<{WIDTH - 1}}\n".encode()


def _lines(content: bytes) -> list[Saved | None]:
    starts = range(0, len(content), WIDTH)
    return [_saved(content[start : start + WIDTH]) for start in starts]


def _saved(line: bytes) -> Saved | None:
    try:
        project, number, mark = line.decode("ascii").split()
        return Saved(project, int(number), mark)
    except ValueError:
        return None


def _is_of(line: Saved | None, saved: Saved) -> bool:
    return line is not None and line.project == saved.project


def tally_of(file: Path) -> Tally:
    """Return the tally beside a SQLite file.

    Examples
    --------
    >>> tally_of(Path("leaves.db")).path.name
    'leaves.db-acts'
    """
    return Tally(file.with_name(f"{file.name}-acts"))


def make_private(file: Path) -> None:
    """Make a file that is not there yet, for its owner alone.

    What SQLite puts beside a database may be read by whoever may read that.
    """
    with suppress(OSError):  # SQLite says what is wrong
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, OURS_ALONE))


# Copies of a SQLite file: one a day, and one before an upgrade

N_COPIES = 5  # of each kind
QUICKLY = 256 * 2**20  # bytes that are copied in a moment, so that a copy is renewed


def daily_copy(path: Path, now: float) -> Path | None:
    """Copy a SQLite file unless that was done today; keep the five latest days.

    A copy of today that holds fewer acts is renewed, if that takes a moment only.

    Parameters
    ----------
    path : Path
    now : float
        Seconds since 1970; days are those of UTC.

    Returns
    -------
    Path or None
        ``leaves.copy-2026-07-30.db`` for ``leaves.db``; None where there is one of
        today, or where five of them would not fit on the disk.

    Raises
    ------
    StorageError
        It cannot be written.
    """
    today = datetime.fromtimestamp(now, UTC).date().isoformat()
    target = path.with_suffix(f".copy-{today}.db")
    try:
        free, size = shutil.disk_usage(path.parent).free, path.stat().st_size
        is_new = target.exists() and (size > QUICKLY or not _is_behind(target, path))
        if is_new or free < N_COPIES * size:
            return None
        copy_of(path, target)
        keep_latest(path, "copy")
    except (OSError, sqlite3.Error) as error:
        raise StorageError(
            f"{target} cannot be written ({error}): {path} itself is as it was."
        ) from None
    return target


def _is_behind(copy: Path, path: Path) -> bool:
    return sum(n_acts_in(copy).values()) < sum(n_acts_in(path).values())


def back_up(path: Path, version: str) -> Path:
    """Copy a SQLite file beside itself, and keep the five latest such copies.

    Returns
    -------
    Path
        ``leaves.backup-0001.db`` for version 0001 of ``leaves.db``, with a number where
        that one is there already.
    """
    target = _free(path, f"backup-{version}")
    copy_of(path, target)
    keep_latest(path, "backup")
    return target


def _free(path: Path, what: str) -> Path:
    target, number = path.with_suffix(f".{what}.db"), 2
    while target.exists():
        target = path.with_suffix(f".{what}-{number}.db")
        number += 1
    return target


def copy_of(path: Path, target: Path) -> None:
    """Copy a SQLite file that others may be writing to; all of it or nothing."""
    for left in path.parent.glob(f"{escape(path.stem)}.*.unfinished*"):
        left.unlink(missing_ok=True)  # by one that was killed
    unfinished = target.with_suffix(f".{os.getpid()}.unfinished")
    make_private(unfinished)
    with (
        closing(sqlite3.connect(path)) as source,
        closing(sqlite3.connect(unfinished)) as copy,
    ):
        source.backup(copy)
    unfinished.replace(target)


def keep_latest(path: Path, kind: str) -> None:
    """Delete all copies of a kind but the five latest."""
    for old in _latest_last(path, kind)[:-N_COPIES]:
        old.unlink()


def _latest_last(path: Path, kind: str) -> list[Path]:
    copies = path.parent.glob(f"{escape(path.stem)}.{kind}-*.db")
    return sorted(copies, key=lambda copy: copy.stat().st_mtime_ns)


# From a copy to the database

COUNTED = (
    "SELECT name, created, (SELECT coalesce(max(number) + 1, 0) FROM event "
    "WHERE event.project = project.id) FROM project"
)


def n_acts_in(file: Path) -> dict[str, int]:
    """Return how many acts of each project a SQLite file holds; none if damaged."""
    if not file.is_file() or not file.stat().st_size:
        return {}  # what lies beside an empty one would be deleted
    try:
        address = f"{file.resolve().as_uri()}?mode=rw"
        with closing(sqlite3.connect(address, uri=True)) as connection:
            rows = connection.execute(COUNTED).fetchall()
    except sqlite3.Error:
        return {}
    return {identity(name, created): n_acts for name, created, n_acts in rows}


class Glance(NamedTuple):
    """A project at a glance, without opening its database for work.

    Attributes
    ----------
    name : str
    n_items, n_answers : int
    """

    name: str
    n_items: int
    n_answers: int


def glanced(file: Path) -> list[Glance]:
    """Return the projects of a SQLite file; none where it cannot be read.

    Nothing is written, and a database of an earlier version stays as it is.
    """
    try:
        address = f"{file.resolve(strict=True).as_uri()}?mode=ro"
        with closing(sqlite3.connect(address, uri=True)) as connection:
            return [Glance(*row) for row in connection.execute(GLANCED)]
    except (OSError, sqlite3.Error):
        return []


GLANCED = """
SELECT name, (SELECT count(*) FROM item WHERE item.project = project.id),
(SELECT count(*) FROM answer WHERE answer.project = project.id)
FROM project ORDER BY id
"""


def held(there: Mapping[str, int], wanted: Iterable[Saved]) -> int:
    """Return how many of the acts that were saved are there."""
    return sum(min(there.get(one.project, 0), one.n_acts) for one in wanted)


def best_copy(file: Path) -> tuple[Path, int] | None:
    """Return the copy that holds most of what was saved in a file, and how much.

    Of those that hold the same, the latest; None when no copy holds anything.
    """
    wanted = tally_of(file).read()
    copies = _latest_last(file, "backup") + _latest_last(file, "copy")
    found = [(held(n_acts_in(copy), wanted), at) for at, copy in enumerate(copies)]
    most, at = max(found, default=(0, 0))
    return (copies[at], most) if most else None


def is_noted(file: Path) -> bool:
    """Tell whether anything was ever saved in a SQLite file, be it there or not."""
    return bool(tally_of(file).read())


def lacking(
    shown: str, file: Path | None, wanted: Iterable[Saved], n_there: int
) -> StorageError:
    """Return the error for a database that lacks what was saved in it.

    Parameters
    ----------
    shown : str
        Its address, without a password.
    file : Path or None
        Of SQLite.
    wanted : iterable of Saved
    n_there : int
        How many of these acts it holds.
    """
    total = sum(saved.n_acts for saved in wanted)
    if file is None:
        return StorageError(
            f"{shown} holds {n_there:,} of the {total:,} answers that were saved in "
            f"it: see whether it was set back or exchanged, or go on with what is "
            f"there with --as-is."
        )
    name = shlex.quote(str(file))
    found, put_back = best_copy(file), "put it back with what lay beside it"
    if found is not None and found[1] > n_there:
        copy, n_acts = found
        put_back += (
            f", take the copy {copy.name} with {n_acts:,} answers by `likewise restore "
            f"{name}`"
        )
    return StorageError(
        f"{shown} {_what_is_wrong(file, n_there, total)}: {put_back}, or go on with "
        f"what is there by `likewise restore --as-is {name}`."
    )


def _what_is_wrong(file: Path, n_there: int, total: int) -> str:
    if not file.exists():
        return f"is not there, but {total:,} answers were saved in it"
    if not n_there:
        what = "another database" if n_acts_in(file) else "empty"
        return f"is {what} now, but {total:,} answers were saved in it"
    if n_there < total:
        return f"lacks {total - n_there:,} of the {total:,} answers saved in it"
    return "holds other answers than those that were saved in it"


def restore(file: Path, copy: Path | None = None) -> tuple[Path, Path | None]:
    """Put a copy in the place of a SQLite file; what is there is kept beside it.

    Parameters
    ----------
    file : Path
    copy : Path, optional
        The one that holds most of what was saved, unless given.

    Returns
    -------
    copy : Path
    aside : Path or None
        What was there, as ``leaves.replaced.db``.

    Raises
    ------
    StorageError
        There is no copy, or none that holds more than the file itself.
    """
    chosen = _chosen(file) if copy is None else copy
    if not n_acts_in(chosen):
        raise StorageError(f"{chosen} is no copy of a project: name another one.")
    aside = _set_aside(file)
    copy_of(chosen, file)
    tally_of(file).forget()
    return chosen, aside


def _chosen(file: Path) -> Path:
    wanted, found = tally_of(file).read(), best_copy(file)
    total, there = sum(one.n_acts for one in wanted), held(n_acts_in(file), wanted)
    if wanted and there == total:
        raise StorageError(
            f"{file} holds all that was saved in it: name the copy to go back to with "
            f"--copy."
        )
    if found is None or found[1] <= there:
        raise StorageError(
            f"No copy beside {file} holds more than it does ({there:,} of {total:,} "
            f"answers): name one with --copy, or go on with what is there with --as-is."
        )
    return found[0]


def _set_aside(file: Path) -> Path | None:
    """Move a database out of the way, with what belongs to it."""
    aside = _free(file, "replaced")
    for end in ("-wal", "-shm"):
        beside = file.with_name(f"{file.name}{end}")
        if beside.exists():
            beside.rename(aside.with_name(f"{aside.name}{end}"))
    return file.rename(aside) if file.exists() else None
