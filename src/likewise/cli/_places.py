"""Where a project lies: in a folder of ours, away from the user's own files."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from likewise.errors import InputError, StorageError
from likewise.knowledge import checked_name, readable

LONGEST = 200  # characters of a name


def home_of(path: Path) -> Path:
    """Return the folder that belongs to a path; made when it is not there.

    In ``LIKEWISE_HOME``, or where the system keeps data of programs.
    """
    base = os.environ.get("LIKEWISE_HOME")
    data = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    root = Path(base) if base else Path(data) / "likewise"
    mark = hashlib.sha256(os.fsencode(path)).hexdigest()[:8]
    plain = re.sub(r"[^\w-]+", "-", path.stem).strip("-") or "pile"
    home = root / f"{plain}-{mark}"
    with _named_errors(home):
        home.mkdir(parents=True, exist_ok=True)
    return home


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
    """Return the secret that signs cookies; made the first time, for us alone."""
    kept = home / "secret"
    with _named_errors(home):
        if not kept.exists():
            part = home / f"secret.{os.getpid()}"
            part.touch(mode=0o600)
            part.write_bytes(secrets.token_bytes(32))
            part.replace(kept)
        return kept.read_bytes()


@contextmanager
def _named_errors(home: Path) -> Iterator[None]:
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
