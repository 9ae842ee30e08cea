"""A journal in a text file that people can read: of one set of samples, by one writer.

The first line says which samples it is of, and each other line is an event.
"""

from __future__ import annotations

import json
import os
import weakref
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from likewise._arrays import Floats, Samples, spans
from likewise.errors import InputError, StaleError, StorageError
from likewise.knowledge import (
    Event,
    Kept,
    Renamed,
    Retracted,
    SetAside,
    Told,
    Undone,
    decode,
    encode,
    numbers_in,
    singles_of,
    told_in,
)

try:
    import fcntl
except ImportError:  # Windows: the length of the file alone tells of other writers
    fcntl = None  # type: ignore[assignment]

VERSION = 1  # of the first line
N_SUMS = 4
ALIKE = 1e-5  # of a sum's length: other processors round otherwise, at 1e-7
ROWS = 65_536  # looked at together
ELSEWHERE = "name another file with --answers"


class JsonLinesJournal:
    """Keep events in a text file that people can read.

    The first line says how many samples there are, and what they add up to: a journal
    of other samples is refused, one of the first of them is not (samples may be added).
    From its first event on a journal is the only writer of its file, until it is closed
    or forgotten. A line that was cut off while being written (the machine went down) is
    left out and written over; any other line that cannot be read is an error.

    Parameters
    ----------
    path : path
        Made when the first event comes.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from likewise import Session
    >>> with TemporaryDirectory() as folder:
    ...     journal = JsonLinesJournal(Path(folder, "answers.jsonl"))
    ...     session = Session([[0.0], [0.1], [5.0]], journal=journal)
    ...     session.tell_pair(0, 1, "same")
    ...     len(Path(folder, "answers.jsonl").read_text().splitlines())
    2
    """

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path)
        self._samples: Fingerprint | None = None  # if somebody has said what they are
        self._is_noted = False  # whether the file says so too
        self._file: int | None = None
        self._end: int | None = None  # of what was read or written here

    def recognise(self, samples: Samples) -> None:
        """Be of these samples from now on.

        Parameters
        ----------
        samples : ndarray or sparse array of shape (n_samples, n_features)

        Raises
        ------
        InputError
            The file is of other samples, or of more.
        """
        noted = [line for line in self._lines() if isinstance(line, Fingerprint)]
        if noted and not noted[-1].is_of_first(samples):
            raise InputError(
                f"{self._path} holds answers about other samples ({noted[-1]}, not "
                f"{samples.shape[0]} x {samples.shape[1]} that are alike): give those "
                f"that it is of, or {ELSEWHERE}."
            )
        self._samples = Fingerprint.of(samples)
        self._is_noted = bool(noted) and noted[-1].shape == self._samples.shape

    def grow(self, samples: Samples) -> None:
        """Be of more samples: those it is of, and others behind them."""
        self._samples, self._is_noted = Fingerprint.of(samples), False

    def append(self, event: Event) -> None:
        """Write the event and wait until it is on disk.

        Raises
        ------
        InputError
            Another session writes to the file.
        StaleError
            The file is not what was read any more.
        StorageError
            It cannot be written; nothing was recorded.
        """
        self.lock()
        written = [] if self._samples is None or self._is_noted else [self._samples]
        lines = [one.line for one in written] + [encode(event)]
        self._write("".join(f"{json.dumps(line)}\n" for line in lines).encode())
        self._is_noted = self._samples is not None

    def read(self) -> Iterator[Event]:
        """Yield every event, oldest first."""
        return (line for line in self._lines() if not isinstance(line, Fingerprint))

    def lock(self) -> None:
        """Be the only writer, until this is closed or forgotten."""
        if self._file is None:
            try:
                file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
            except OSError as error:
                raise self._trouble(error) from None
            self._file, self._let_go = file, weakref.finalize(self, os.close, file)
            try:
                self._take(file)
            except BaseException:
                self.close()
                raise
        if not self._is_in_place(self._file):
            raise StaleError(
                f"{self._path} was removed, exchanged or written to since it was read: "
                f"nothing was recorded, open the session again."
            )

    def close(self) -> None:
        """Let others write."""
        if self._file is not None:
            self._let_go()
            self._file = None

    # The file

    def _take(self, file: int) -> None:
        """Lock the file, and cut off what was being written when a machine went down.

        Locked before its end is looked at, so that no line of another is cut off.
        """
        try:
            if fcntl is not None:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError(
                f"Another session writes to {self._path}: end that one first, or "
                f"{ELSEWHERE}."
            ) from None
        except OSError:
            pass  # some network folders know no locks
        size, whole = os.fstat(file).st_size, self._whole()
        if self._end is None or whole == self._end:
            if whole < size:
                os.ftruncate(file, whole)
            self._end = whole

    def _is_in_place(self, file: int) -> bool:
        """Tell whether the path still leads to the file, which nobody else wrote to."""
        held = os.fstat(file)
        try:
            found = self._path.stat()
        except OSError:
            return False
        return os.path.samestat(held, found) and held.st_size == self._end

    def _write(self, content: bytes) -> None:
        file, before = self._file, self._end
        assert file is not None  # it is locked
        assert before is not None
        try:
            rest = memoryview(content)
            while rest:
                rest = rest[os.write(file, rest) :]
            os.fsync(file)
        except OSError as error:
            os.ftruncate(file, before)
            raise self._trouble(error) from None
        self._end = before + len(content)

    def _trouble(self, error: OSError) -> StorageError:
        return StorageError(
            f"{self._path} cannot be written ({error.strerror}): mend that, or "
            f"{ELSEWHERE}."
        )

    def _whole(self) -> int:
        """Return how many bytes whole lines take."""
        return self._content().rfind(b"\n") + 1

    def _content(self) -> bytes:
        try:
            return self._path.read_bytes()
        except FileNotFoundError:
            return b""
        except OSError as error:
            raise InputError(
                f"{self._path} cannot be read ({error.strerror}): {ELSEWHERE}."
            ) from None

    # Its lines

    def _lines(self) -> Iterator[Fingerprint | Event]:
        content = self._content()
        self._end = content.rfind(b"\n") + 1
        n_samples = None if self._samples is None else self._samples.shape[0]
        checked = Sequence(n_samples)
        for number, line in enumerate(content[: self._end].splitlines(), start=1):
            try:
                found = _decoded(json.loads(line))
                why = None if isinstance(found, Fingerprint) else checked.fault(found)
            except (ValueError, KeyError, TypeError, RecursionError):
                why = "is no answer of likewise"
            if why is not None:
                raise InputError(
                    f"Line {number} of {self._path} {why}: mend or remove it, or "
                    f"{ELSEWHERE}."
                )
            yield found


def _decoded(line: Any) -> Fingerprint | Event:
    if not isinstance(line, dict):
        raise TypeError(line)
    return Fingerprint.read(line) if "likewise" in line else decode(line)


@dataclass
class Sequence:
    """What events may say, one after the other.

    Parameters
    ----------
    n_samples : int or None
        None when nobody has said.
    """

    n_samples: int | None
    n_events: int = 0
    n_answers: int = 0

    def fault(self, event: Event) -> str | None:
        """Return what is wrong with the next event, or None."""
        ids = [answer.id for answer in told_in(event)]
        expected = list(range(self.n_answers + 1, self.n_answers + len(ids) + 1))
        known, position = self.n_answers + len(ids), self.n_events
        self.n_events, self.n_answers = position + 1, known
        if not all(type(number) is int for number in (*ids, *_numbers(event))):
            return "names a sample or an answer that is no number"
        if ids != expected:
            return f"holds answer {ids[0]} where {expected[0]} comes next"
        if isinstance(event, Undone) and not 0 <= event.position < position:
            return "undoes what comes later"
        if any(not 0 < id_ <= known for id_ in _mentioned(event)):
            return "names an answer that nobody has given"
        there = self.n_samples
        least, most = min(_samples(event), default=0), max(_samples(event), default=0)
        if least < 0 or (there is not None and most >= there):
            odd = least if least < 0 else most
            return f"is about sample {odd}, but there are {there} samples"
        return None


def _samples(event: Event) -> list[int]:
    """Return the samples that an event names."""
    named = [sample for _, sample in numbers_in(event)]
    for single in singles_of(event):
        match single:
            case Told(answers):
                named += [s for answer in answers for s in answer.question.pair]
            case Renamed(sample) | SetAside(sample):
                named.append(sample)
    return named


def _mentioned(event: Event) -> list[int]:
    """Return the answers that an event takes back or looks at."""
    singles = [one for one in singles_of(event) if isinstance(one, Retracted | Kept)]
    return [id_ for single in singles for id_ in single.ids]


def _numbers(event: Event) -> list[int]:
    position = [event.position] if isinstance(event, Undone) else []
    return position + _samples(event) + _mentioned(event)


# Which samples


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What samples add up to: the same for the same ones, but for rounding.

    Attributes
    ----------
    shape : tuple of int
        Number of samples and of features.
    sums : tuple of float
        Of all numbers, each over the largest of its column and times a weight of its
        row and column, so that no two rows can be exchanged. A digest of bytes would
        refuse the same samples from another processor.
    lengths : tuple of float
        Of what was added, as vectors: the unit in which sums differ.
    """

    shape: tuple[int, int]
    sums: tuple[float, ...]
    lengths: tuple[float, ...]

    @classmethod
    def of(cls, samples: Samples) -> Fingerprint:
        """Return the fingerprint of samples of shape (n_samples, n_features)."""
        n, d = samples.shape
        across = _weights(d) / _largest(samples)[:, np.newaxis]
        sums, squares = np.zeros(N_SUMS), np.zeros(N_SUMS)
        for part in spans(n, ROWS):
            added = (samples[part] @ across) * _weights(part.stop, part.start)
            sums += added.sum(axis=0)
            squares += (added**2).sum(axis=0)
        return cls((n, d), tuple(sums.tolist()), tuple(np.sqrt(squares).tolist()))

    @classmethod
    def read(cls, line: dict[str, Any]) -> Fingerprint:
        """Return the fingerprint that a line means."""
        if line["likewise"] != VERSION:
            raise ValueError(line)
        shape = int(line["samples"]), int(line["features"])
        digest = [(float(one), float(length)) for one, length in line["digest"]]
        sums, lengths = zip(*digest, strict=True)
        return cls(shape, sums, lengths)

    @property
    def line(self) -> dict[str, Any]:
        """The line that means it."""
        digest = [[*pair] for pair in zip(self.sums, self.lengths, strict=True)]
        (n, d) = self.shape
        return {"likewise": VERSION, "samples": n, "features": d, "digest": digest}

    def is_of_first(self, samples: Samples) -> bool:
        """Tell whether it is of the first of these samples, or of all of them."""
        n, d = self.shape
        if samples.shape[0] == samples.shape[1] and n == d:
            samples = samples[:, :d]  # similarities to those that were there
        if samples.shape[0] < n or samples.shape[1] != d:
            return False
        found = Fingerprint.of(samples[:n])
        apart = np.abs(np.subtract(found.sums, self.sums))
        return bool((apart <= ALIKE * np.add(found.lengths, self.lengths)).all())

    def __str__(self) -> str:
        return f"{self.shape[0]} x {self.shape[1]}"


def _largest(samples: Samples) -> Floats:
    """Return the largest size of a number in each column, 1 where all are zero."""
    found = np.zeros(samples.shape[1])
    for part in spans(samples.shape[0], ROWS):
        sizes = abs(samples[part]).max(axis=0)
        sizes = sizes.toarray().ravel() if sp.issparse(sizes) else sizes
        np.maximum(found, sizes, out=found)
    return np.where(found > 0, found, 1.0)


def _weights(stop: int, start: int = 0) -> Floats:
    """Return weights between -1 and 1 for numbers, the same in every version.

    Of shape (stop - start, N_SUMS): the mixing function of SplitMix64 (Steele, Lea,
    Flood, 2014) of their places in the array.
    """
    steps = np.arange(start * N_SUMS, stop * N_SUMS, dtype=np.uint64) + np.uint64(1)
    z: NDArray[np.uint64] = steps * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    return (z.astype(np.float64) / 2**63 - 1.0).reshape(-1, N_SUMS)
