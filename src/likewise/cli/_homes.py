"""Where a project lies: in a folder of ours, away from the user's own files."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from likewise.errors import StorageError


def home_of(path: Path) -> Path:
    """Return the folder that belongs to a path; made when it is not there.

    In ``LIKEWISE_HOME``, or where the system keeps data of programs.
    """
    base = os.environ.get("LIKEWISE_HOME")
    data = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    root = Path(base) if base else Path(data) / "likewise"
    mark = hashlib.sha256(str(path).encode()).hexdigest()[:8]
    plain = re.sub(r"[^\w-]+", "-", path.stem).strip("-") or "pile"
    home = root / f"{plain}-{mark}"
    with _named_errors(home):
        home.mkdir(parents=True, exist_ok=True)
    return home


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
