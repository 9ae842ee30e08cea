"""Where a project lies: in a folder of ours, away from the user's own files."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import typer

from likewise.errors import InputError, LikewiseError, StorageError
from likewise.knowledge import checked_name, readable

REPLIES = "replies.db"  # beside the homes: contents are the same in every project
LONGEST = 200  # characters of a name
N_SECRET = 32  # bytes
LONGEST_NAME = 255  # bytes of the name of a folder


def is_there(path: Path) -> bool:
    """Tell whether there is something at a path, however odd the path is."""
    try:
        return path.exists()
    except OSError:  # too long, or in a folder that is not ours to read
        return False


def parted(path: Path) -> tuple[Path, str]:
    """Return a file, and which sheet or table in it is meant, with its mark.

    Examples
    --------
    >>> parted(Path("shop.xlsx::Prices"))
    (PosixPath('shop.xlsx'), '::Prices')
    """
    file, mark, part = str(path).partition(PART)
    return (path, "") if not mark or is_there(path) else (Path(file), mark + part)


PART = "::"  # between a file and the sheet or table in it


def stem_of(path: Path) -> str:
    """Return what a project is called after a file, or after a table in it.

    Examples
    --------
    >>> stem_of(Path("shop.xlsx::Prices")), stem_of(Path("shop.csv"))
    ('shop Prices', 'shop')
    """
    file, part = parted(path)
    return f"{file.stem} {part.removeprefix(PART)}" if part else path.stem


def root_of_homes() -> Path:
    """Return where homes are: ``LIKEWISE_HOME``, or where programs keep their data."""
    base = os.environ.get("LIKEWISE_HOME")
    data = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) if base else Path(data) / "likewise"


def made_root() -> Path:
    """Return where homes are; made when it is not there, for its owner alone."""
    root = root_of_homes()
    with named_errors(root), for_us_alone():
        root.mkdir(parents=True, exist_ok=True)
    return root


def home_for(path: Path) -> Path:
    """Return the folder that belongs to a path, whether it is there or not."""
    mark = hashlib.sha256(os.fsencode(path)).hexdigest()[:8]
    plain = re.sub(r"[^\w-]+", "-", stem_of(path)).strip("-") or "pile"
    # A name that fills its folder's limit leaves no room for the mark.
    short = plain.encode()[: LONGEST_NAME - len(mark) - 1].decode(errors="ignore")
    return root_of_homes() / f"{short}-{mark}"


def home_of(path: Path) -> Path:
    """Return the folder that belongs to a path; made when it is not there.

    What is made is for its owner alone.
    """
    home = home_for(path)
    with named_errors(home), for_us_alone():
        home.mkdir(parents=True, exist_ok=True)
        _for_us_alone(home, 0o700)
        if not (home / PATH).exists():
            (home / PATH).write_text(f"{path}\n", errors="surrogateescape")
    return home


def url_in(home: Path) -> str:
    """Return the address of the database that lies in a home."""
    return f"sqlite:///{home / 'project.db'}"


PATH = "path"  # the file that says whose folder it is
BESIDE = ("", "-wal", "-shm", "-journal", "-acts")  # files of a database


@contextmanager
def leaving_nothing(*made: Path) -> Iterator[None]:
    """Remove homes and databases again that are new and of no use.

    Where what was given cannot be used (any error of ours, or exit code 2), nothing of
    the project stays; what was there before is not touched.

    Parameters
    ----------
    *made : Path
        Homes, or files of databases, that may be made meanwhile.
    """
    new = [path for path in made if not is_there(path)]
    try:
        yield
    except (LikewiseError, typer.Exit) as error:
        if getattr(error, "exit_code", REFUSED) == REFUSED:
            for path in new:
                _remove(path)
        raise


REFUSED = 2  # the exit code where what was given cannot be used


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
        return
    for suffix in BESIDE:
        with suppress(OSError):
            path.with_name(path.name + suffix).unlink(missing_ok=True)
    shutil.rmtree(path.with_name(f"{path.name}-cache"), ignore_errors=True)


@contextmanager
def for_us_alone() -> Iterator[None]:
    """Let all files and folders that are made meanwhile be their owner's alone."""
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)


def left_homes(path: Path) -> Iterator[tuple[Path, Path]]:
    """Yield paths that are gone and were called alike, with the files of their answers.

    Parameters
    ----------
    path : Path
        Of a pile that has no answers.
    """
    for other, before in homes():
        kept = other / "project.db"
        is_left = before.is_absolute() and not before.exists() and kept.exists()
        if is_left and (before.name == path.name or before.parent == path.parent):
            yield before, kept


def homes() -> Iterator[tuple[Path, Path]]:
    """Yield all homes, each with the path that it belongs to."""
    for noted in sorted(root_of_homes().glob(f"*/{PATH}")):
        with suppress(OSError):
            text = noted.read_text(errors="surrogateescape")
            yield noted.parent, Path(text.rstrip("\n"))


def last_used(home: Path) -> float:
    """Return when something was last written to the project of a home."""
    found = [0.0]
    for suffix in BESIDE:
        with suppress(OSError):
            about = (home / f"project.db{suffix}").stat()
            if about.st_size and suffix != "-shm":  # these come with a mere look
                found.append(about.st_mtime)
    return max(found)


def usual_name(stem: str) -> str:
    r"""Return what a project is called after a file, whatever that is called.

    Examples
    --------
    >>> usual_name("leaves"), usual_name("lea\udcffves") == "lea\ufffdves"
    ('leaves', True)
    """
    try:
        return checked_name(readable(stem).strip()[:LONGEST])
    except InputError:
        return "pile"


def secret_of(home: Path) -> bytes:
    """Return the secret that signs cookies; made the first time, for us alone.

    Raises
    ------
    StorageError
        What is there is none, or cannot be read or written.
    """
    kept = home / "secret"
    with named_errors(home):
        if not kept.exists():
            _keep_secret(kept)
        _for_us_alone(kept, 0o600)
        found = kept.read_bytes()
    if len(found) < N_SECRET:
        raise StorageError(
            f"The secret in {kept} has {len(found)} bytes instead of {N_SECRET}, and "
            f"anybody could guess it: delete that file and start again; people will "
            f"have to sign in once more."
        )
    return found


def _keep_secret(kept: Path) -> None:
    """Write a secret where there is none; of several at once, one is kept."""
    part = kept.with_name(f"secret.{secrets.token_hex(8)}")
    only_new = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    with os.fdopen(os.open(part, only_new, 0o600), "wb") as file:
        file.write(secrets.token_bytes(N_SECRET))
        file.flush()
        os.fsync(file.fileno())  # a power cut must not leave an empty one
    try:
        kept.hardlink_to(part)
    except FileExistsError:
        pass  # another server was faster
    except OSError:  # on a disk that has no links
        part.replace(kept)
    finally:
        part.unlink(missing_ok=True)


def _for_us_alone(path: Path, mode: int) -> None:
    """Shut out others who were let in by an earlier version or by hand."""
    if stat.S_IMODE(path.stat().st_mode) & ~mode:
        with suppress(PermissionError):  # where it is another's, who lets us use it
            path.chmod(mode)


@contextmanager
def named_errors(home: Path) -> Iterator[None]:
    """Say in one sentence that a folder of ours cannot be used."""
    try:
        yield
    except OSError as error:
        raise StorageError(
            f"The folder {home} cannot be used ({error.strerror}): allow writing to "
            f"it, make room there, or set LIKEWISE_HOME to another one."
        ) from None


MOUNTS = Path("/proc/mounts")  # of Linux; elsewhere nothing is known
REMOTE = re.compile(
    r"(fuse\.)?(afs|beegfs|ceph.*|cifs|curlftpfs|davfs2?|glusterfs|gpfs|gvfsd-fuse|"
    r"lustre|ncpfs|nfs4?|orangefs|rclone|s3fs|smb.*|sshfs)"
)


def network_drive(path: Path, mounts: str) -> str | None:
    r"""Return the kind of network drive that a file lies on, or None.

    Parameters
    ----------
    path : Path
        Absolute, without symbolic links.
    mounts : str
        What is mounted where, as in ``/proc/mounts``.

    Examples
    --------
    >>> mounts = "/dev/sda / ext4 rw 0 0\nserver:/home /home nfs4 rw 0 0"
    >>> network_drive(Path("/home/ann/leaves.db"), mounts)
    'nfs4'
    >>> network_drive(Path("/homes/leaves.db"), mounts)
    """
    kind, depth = "", 0
    for line in mounts.splitlines():
        _, place, fs, *_ = line.split(" ")
        parts = Path(_plain(place)).parts
        # Of two in the same place, the later one hides the earlier one.
        if path.parts[: len(parts)] == parts and len(parts) >= depth:
            kind, depth = fs, len(parts)
    return kind if REMOTE.fullmatch(kind) else None


def _plain(place: str) -> str:
    return re.sub(r"\\([0-7]{3})", lambda code: chr(int(code[1], 8)), place)


def mounts_here() -> str:
    """Return what is mounted where on this machine; nothing where that is unknown."""
    try:
        return MOUNTS.read_text(errors="surrogateescape")
    except OSError:
        return ""
