"""A journal in a file of JSON lines: one event a line, on disk before it returns."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

from likewise.errors import InputError
from likewise.knowledge import Event, decode, encode


class JsonLinesJournal:
    """Keep events in a text file that people can read.

    A line that was cut off while being written (the machine went down) is left out and
    written over; any other line that cannot be read is an error.

    Parameters
    ----------
    path : path
        Made when the first event comes.
    """

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path)

    def append(self, event: Event) -> None:
        """Write the event and wait until it is on disk."""
        line = json.dumps(encode(event)) + "\n"
        with self._path.open("ab") as file:
            end = file.seek(0, os.SEEK_END)
            whole = self._whole_length(end)
            if whole < end:
                file.truncate(whole)
            file.write(line.encode())
            file.flush()
            os.fsync(file.fileno())

    def read(self) -> Iterator[Event]:
        """Yield every event, oldest first."""
        if not self._path.exists():
            return
        lines = self._path.read_bytes().split(b"\n")
        for number, line in enumerate(lines[:-1], start=1):  # the last has no newline
            try:
                yield decode(json.loads(line))
            except (ValueError, KeyError, TypeError):
                raise InputError(
                    f"Line {number} of {self._path} is no answer of likewise: mend or "
                    f"remove it, or name another file with --answers."
                ) from None

    def _whole_length(self, end: int) -> int:
        if end == 0:
            return 0
        content = self._path.read_bytes()
        return content.rfind(b"\n") + 1
