"""What stands in the log of another project, in the numbers of this one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path
from typing import Any, TypeAlias

from likewise.exports.places import Places
from likewise.exports.records import Record, at_line
from likewise.journal import Renamed, SetAside, Told, singles_of
from likewise.knowledge import STAY, Answer, Prediction, Question
from likewise.storage.events import decode

Said: TypeAlias = Answer | Renamed | SetAside
MISFITS = (ValueError, KeyError, TypeError, AttributeError)


@dataclass(frozen=True, slots=True)
class NotThere:
    """Something was said about an item that is not here."""

    key: str


class _UnknownKeyError(Exception):
    """An item of a line is not in this project."""


def said_in(
    lines: Iterator[tuple[int, Record]], places: Places, path: Path
) -> Iterator[Said | NotThere]:
    """Yield what stands in a log, oldest first.

    Parameters
    ----------
    lines : iterator of (int, dict)
        Lines as :func:`~likewise.exports.answers.answer_chunks` writes them. Some may
        be missing: each says itself whether it stands.
    places : Places
        Where the items are here.
    path : Path
        The file, for errors.
    """
    for number, line in lines:
        try:
            yield from tuple(_said(line, places))
        except MISFITS:
            problem = "is no line of a log of answers"
            raise at_line(path, number, problem) from None


def _said(line: Record, places: Places) -> Iterator[Said | NotThere]:
    if line["undone"]:
        return
    gone, here = frozenset(line["retracted"]), _Here(line["items"], places)
    entries: list[Said] = []
    for single in singles_of(decode(line["what"])):
        match single:
            case Told(answers):
                entries += [answer for answer in answers if answer.id not in gone]
            case Renamed() | SetAside():
                entries.append(single)
    for entry in entries:
        try:
            yield here.moved(entry)
        except _UnknownKeyError as error:
            yield NotThere(str(error))


@dataclass(frozen=True, slots=True)
class _Here:
    """Sample numbers of one line, turned into those of this project."""

    keys: Mapping[str, str]
    places: Places

    def moved(self, entry: Said) -> Said:
        match entry:
            case Renamed(sample, name):
                return Renamed(self._place(sample), _checked(name, str))
            case SetAside(sample, aside):
                return SetAside(self._place(sample), _checked(aside, bool))
            case Answer(question):
                return replace(
                    entry,
                    question=self._question(question),
                    id=0,
                    how=_checked(entry.how, str),
                )

    def _question(self, question: Question) -> Question:
        sample, against = self._place(question.sample), self._place(question.against)
        if sample == against:
            raise ValueError(sample)
        predicted = question.predicted
        return Question(sample, against, predicted and self._prediction(predicted))

    def _prediction(self, predicted: Prediction) -> Prediction | None:
        if not 0 <= predicted.same <= 1 or not isfinite(predicted.aux):
            raise ValueError(predicted)
        _checked(predicted.kind, str)
        _checked(predicted.if_same, bool)
        meant = predicted.if_different
        if meant < STAY:
            raise ValueError(meant)
        if meant < 0:
            return predicted
        try:
            return replace(predicted, if_different=self._place(meant))
        except _UnknownKeyError:
            # What it would have meant is gone; the answer itself still holds.
            return None

    def _place(self, sample: int) -> int:
        key = _checked(self.keys[str(_checked(sample, int))], str)
        found = self.places.positions.get(key)
        if found is None:
            raise _UnknownKeyError(key)
        return found


def _checked(value: Any, kind: type) -> Any:
    if not isinstance(value, kind):
        raise TypeError(value)
    return value
