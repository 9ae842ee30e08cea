"""A journal in a file of JSON lines: one event a line, on disk before it returns."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from likewise.constraints import Verdict
from likewise.errors import InputError
from likewise.journal import Event, Renamed, Retracted, SetAside, Told, Undone
from likewise.knowledge import Answer, Prediction, Question


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


def encode(event: Event) -> dict[str, Any]:
    """Return an event as plain values."""
    match event:
        case Told(answers):
            return {"told": [_encode_answer(answer) for answer in answers]}
        case Retracted(ids):
            return {"retracted": list(ids)}
        case Renamed(sample, name):
            return {"renamed": sample, "name": name}
        case SetAside(sample, aside):
            return {"set_aside": sample, "aside": aside}
        case Undone(position):
            return {"undone": position}


def decode(line: dict[str, Any]) -> Event:
    """Return the event that plain values mean."""
    match line:
        case {"told": answers}:
            return Told(tuple(_decode_answer(answer) for answer in answers))
        case {"retracted": ids}:
            return Retracted(tuple(ids))
        case {"renamed": sample, "name": name}:
            return Renamed(sample, name)
        case {"set_aside": sample, "aside": aside}:
            return SetAside(sample, aside)
        case {"undone": position}:
            return Undone(position)
    raise ValueError(line)


def _encode_answer(answer: Answer) -> dict[str, Any]:
    question = answer.question
    return {
        "id": answer.id,
        "sample": question.sample,
        "against": question.against,
        "verdict": answer.verdict.value,
        "how": answer.how,
        "predicted": asdict(question.predicted) if question.predicted else None,
    }


def _decode_answer(line: dict[str, Any]) -> Answer:
    predicted = Prediction(**line["predicted"]) if line["predicted"] else None
    question = Question(line["sample"], line["against"], predicted)
    return Answer(question, Verdict(line["verdict"]), line["id"], line["how"])
