"""Whether a file lies on this machine or on a network drive."""

from __future__ import annotations

import re
from pathlib import Path

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
