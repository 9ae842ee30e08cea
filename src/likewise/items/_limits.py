"""What a file says of itself, and whether it fits, before it is read.

A small file can ask for a lot of memory: numbers that shrink well, a text that stands
for a million, a line without an end. So what a file says of itself is looked at before
it is unpacked. What would need more memory than is free is refused, and so is an
archive that grows as no real one does, unless it is saved without compression.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from math import prod
from pathlib import Path
from typing import IO, Any, NamedTuple
from zipfile import ZipFile, ZipInfo

import numpy as np
from numpy.typing import NDArray

from likewise._regime import EXACT_SEARCH
from likewise.errors import InputError, LikewiseError
from likewise.items._item import printable, size_in_words

WELL_PACKED = 200  # times: numbers that are worth comparing do not shrink by more
SMALL_ENOUGH = 1_000_000_000  # bytes that nobody needs to worry about
UNKNOWN = 4_000_000_000  # bytes taken to be free where a system does not say
ENCRYPTED = 0x1  # a flag of what lies in an archive
NUMERIC = "biufcUS"  # kinds of arrays that may be numbers


@contextmanager
def said_plainly(path: Path) -> Iterator[None]:
    """Say in one sentence why a file cannot be read, or is none."""
    name = printable(path.name)
    try:
        yield
    except LikewiseError:
        raise
    except UnicodeDecodeError:
        raise InputError(
            f"{name} is not UTF-8 text: save it as UTF-8 and try again."
        ) from None
    except FileNotFoundError:
        raise InputError(
            f"There is no file {printable(str(path))}: check the name."
        ) from None
    except MemoryError:
        raise InputError(
            f"{name} needs more memory than is free: give a smaller file."
        ) from None
    except OSError as error:
        raise InputError(
            f"{name} cannot be read ({error.strerror or error}): check that it is "
            f"there and yours."
        ) from None


def mode_of(path: Path) -> int:
    """Return what is at a path, as `stat` has it."""
    try:
        return path.stat().st_mode
    except ValueError:  # a path with a NUL in it
        raise FileNotFoundError from None


@contextmanager
def undamaged(path: Path, kind: str) -> Iterator[None]:
    """Say in one sentence that a file is not what its name says."""
    try:
        yield
    except (LikewiseError, MemoryError, UnicodeDecodeError):
        raise
    except Exception as error:  # decoders raise all sorts of things on damaged bytes
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise InputError(
            f"{printable(path.name)} is no {kind}, or damaged: write it again."
        ) from None


# How much fits


def free_memory() -> int:
    """Return how many bytes of memory a file may take.

    As much as is free, here and in the container or under the limit that this process
    runs in; or ``LIKEWISE_MEMORY``, in GB.
    """
    said = os.environ.get("LIKEWISE_MEMORY")
    if said:
        try:
            return int(float(said) * 1e9)
        except (ValueError, OverflowError):
            raise InputError(
                f"LIKEWISE_MEMORY is a number of GB, but it is {said!r}: set it anew."
            ) from None
    known = [free for free in (_free_here(), _free_inside(), _allowed()) if free]
    return min(known, default=UNKNOWN)


def _free_here() -> int | None:
    with suppress(OSError, ValueError, IndexError):
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    with suppress(OSError, ValueError, AttributeError):  # macOS: half of what there is
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    return None


def _free_inside() -> int | None:
    folder = Path("/sys/fs/cgroup")
    with suppress(OSError, ValueError):  # "max" where there is no limit
        most = int((folder / "memory.max").read_text())
        return max(1, most - int((folder / "memory.current").read_text()))
    return None


def _allowed() -> int | None:
    with suppress(ImportError, OSError, ValueError):
        import resource

        most, _ = resource.getrlimit(resource.RLIMIT_AS)
        if most != resource.RLIM_INFINITY:
            pages = int(Path("/proc/self/statm").read_text().split()[0])
            return max(1, most - pages * resource.getpagesize())
    return None


def refuse_large(name: str, needed: int, free: int, advice: str = "") -> None:
    if needed > free:
        raise InputError(
            f"{printable(name)} needs {size_in_words(needed)} of memory, but only "
            f"{size_in_words(free)} are free: {advice or 'give a smaller file'}, or "
            f"allow it more with LIKEWISE_MEMORY (in GB)."
        )


# Arrays


def member(path: Path, archive: ZipFile, one: ZipInfo, free: int) -> NDArray[Any]:
    """Return an array of an archive; nothing is unpacked before its size is known."""
    what = f"The array {printable(one.filename)} in {printable(path.name)}"
    if one.flag_bits & ENCRYPTED:
        raise InputError(f"{what} is encrypted: save it without a password.")
    times = one.file_size / max(one.compress_size, 1)
    if one.file_size > SMALL_ENOUGH and times > WELL_PACKED:
        raise InputError(
            f"{what} would unpack to {size_in_words(one.file_size)}, {times:,.0f} "
            f"times its size: save it with numpy.savez, which does not compress."
        )
    with archive.open(one) as file:
        claim = claimed(path, file, one.file_size)
    refuse_large(path.name, claim.n_bytes + claim.as_floats, free)
    with archive.open(one) as file:
        found: NDArray[Any] = np.lib.format.read_array(file, allow_pickle=False)
    return found


class Claim(NamedTuple):
    """What the first bytes of an array say of it."""

    shape: tuple[int, ...]
    kind: np.dtype[Any]

    @property
    def n_rows(self) -> int:
        return self.shape[0] if self.shape else 1

    @property
    def n_bytes(self) -> int:
        return prod(self.shape) * self.kind.itemsize

    @property
    def as_floats(self) -> int:
        if self.n_rows > EXACT_SEARCH and self.kind in (np.float32, np.float64):
            return 0  # as it is
        return prod(self.shape) * 8


def claimed(path: Path, file: IO[bytes], n_bytes: int) -> Claim:
    """Return what an array says of itself, if so much is there."""
    version = np.lib.format.read_magic(file)
    read = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }[version]
    shape, _, kind = read(file)
    claim = Claim(shape, kind)
    if kind.kind not in NUMERIC:
        raise InputError(
            f"{printable(path.name)} is no array of numbers, but of the kind {kind}: "
            f"write one with numpy.save."
        )
    if min(shape, default=0) < 0 or claim.n_bytes > n_bytes - file.tell():
        raise ValueError("it says more than there is")
    if not prod(shape):
        raise InputError(
            f"{printable(path.name)} holds an array without samples (shape={shape}): "
            f"give some data."
        )
    return claim
