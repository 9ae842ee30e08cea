"""A file that somebody hands in: the border for what comes from outside.

Read line by line, compared with the items of the project, and recorded as one act.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from math import isfinite
from pathlib import Path
from typing import Any, TypeAlias

from likewise.errors import InputError, MissingExtraError
from likewise.exports._rows import traces_of
from likewise.exports._tables import unguarded
from likewise.knowledge import (
    LONGEST,
    STAY,
    Answer,
    Event,
    Knowledge,
    Prediction,
    Question,
    Renamed,
    SetAside,
    Standing,
    Told,
    Verdict,
    checked_name,
    decode,
    readable,
    singles_of,
    standing,
)
from likewise.session import FEATURES, links_of_labels
from likewise.storage import Project, ProjectJournal

Record: TypeAlias = dict[str, Any]
MAX_BYTES = 1_000_000_000
GUARDED = (".csv", ".tsv")


def records_of(path: Path) -> Iterator[tuple[int, Record]]:
    r"""Yield the records of a file, each with the number of its line.

    Parameters
    ----------
    path : Path
        ``.csv`` or ``.tsv`` with a header, ``.jsonl`` with an object a line, or
        ``.parquet``, whose records count as lines.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "answers.csv"
    ...     _ = path.write_text("a,b,verdict\n1.png,2.png,same\n")
    ...     list(records_of(path))
    [(2, {'a': '1.png', 'b': '2.png', 'verdict': 'same'})]
    """
    reader = _READERS.get(path.suffix.lower())
    if not path.is_file():
        raise InputError(f"There is no file {path}: check the name.")
    if reader is None:
        raise InputError(
            f"{path.name} is of no known kind: give a {', '.join(_READERS)} file."
        )
    if path.stat().st_size > MAX_BYTES:
        raise InputError(
            f"{path.name} has more than {MAX_BYTES // 10**9} GB, which cannot be "
            f"answers or labels: split it, or check the name."
        )
    return _plainly(reader(path), path)


def at_line(path: Path, number: int, problem: str) -> InputError:
    """Return the error for a line that cannot be used."""
    return InputError(f"Line {number} of {path.name} {problem}: mend or remove it.")


def _plainly(
    records: Iterator[tuple[int, Record]], path: Path
) -> Iterator[tuple[int, Record]]:
    try:
        yield from records
    except UnicodeDecodeError:
        raise InputError(
            f"{path.name} is not UTF-8 text: save it as UTF-8 and try again."
        ) from None
    except (csv.Error, OSError) as error:
        raise InputError(
            f"{path.name} cannot be read ({error}): check that it is whole."
        ) from None


def _csv(path: Path) -> Iterator[tuple[int, Record]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        first = file.readline()
        file.seek(0)
        reader = csv.DictReader(file, delimiter=max(",;\t", key=first.count))
        for record in reader:
            if None in record or None in record.values():
                problem = f"has not {len(reader.fieldnames or ())} columns as the first"
                raise at_line(path, reader.line_num, problem)
            yield reader.line_num, record


def _jsonl(path: Path) -> Iterator[tuple[int, Record]]:
    with path.open(encoding="utf-8-sig") as file:
        for number, line in enumerate(file, start=1):
            if line.strip():
                yield number, _object(path, number, line)


def _object(path: Path, number: int, line: str) -> Record:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        raise at_line(path, number, "is no JSON") from None
    if not isinstance(record, dict):
        raise at_line(path, number, "is no JSON object")
    return record


def _parquet(path: Path) -> Iterator[tuple[int, Record]]:
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        raise MissingExtraError("pyarrow", "tables") from None
    number = 0
    try:
        with parquet.ParquetFile(path) as file:
            for batch in file.iter_batches():
                for record in batch.to_pylist():
                    number += 1
                    yield number, record
    except pa.ArrowException as error:
        raise OSError(str(error).partition("\n")[0].rstrip(".")) from None


_READERS: dict[str, Callable[[Path], Iterator[tuple[int, Record]]]] = {
    ".csv": _csv,
    ".tsv": _csv,
    ".jsonl": _jsonl,
    ".parquet": _parquet,
}


@dataclass(frozen=True, slots=True)
class Places:
    """The sample numbers of a project's items, by their keys.

    Attributes
    ----------
    positions : mapping of str to int
        Copies have the place of their item.
    is_numbered : bool
        Whether keys are numbers themselves, as those of the rows of a table are.

    Examples
    --------
    >>> places = Places({"a.png": 0, "b.png": 1}, is_numbered=False)
    >>> places.find("b.png"), places.find("1"), places.find("2")
    (1, 1, None)
    """

    positions: Mapping[str, int]
    is_numbered: bool

    def find(self, key: str) -> int | None:
        """Return the item of a key, or else of a sample number, or None."""
        found = self.positions.get(key)
        if found is not None or self.is_numbered or not key.isdecimal():
            return found
        return int(key) if len(key) < 19 and int(key) < len(self) else None  # noqa: PLR2004 - more digits than any count has

    def __len__(self) -> int:
        return 1 + max(self.positions.values(), default=-1)


def found_in(path: Path, key: str, places: Places) -> int | None:
    """Return the item that a file means by a key, or None.

    In a table of ours as text, apostrophes stand before what looks like a formula.
    """
    if path.suffix.lower() not in GUARDED:
        return places.find(key)
    found = places.find(unguarded(key))
    return places.find(key) if found is None else found


def places_of(project: Project) -> Places:
    """Return the places of a project's items."""
    positions = {
        key: at
        for at, item in enumerate(traces_of(project))
        for key in (item.key, *item.copies)
    }
    return Places(positions, any(key.isdecimal() for key in positions))


Said: TypeAlias = Answer | Renamed | SetAside
MISFITS = (ValueError, KeyError, TypeError, AttributeError)


@dataclass(frozen=True, slots=True)
class NotThere:
    """Something was said about an item that is not here."""

    key: str


class _BadNameError(Exception):
    """A group of a line is called what nothing may be called."""


class _UnknownKeyError(Exception):
    """An item of a line is not in this project."""


class _CopiesError(Exception):
    """Two keys of a line are copies of one item here, so that nothing is said."""


def said_in(
    lines: Iterator[tuple[int, Record]], places: Places, path: Path
) -> Iterator[Said | NotThere]:
    """Yield what stands in a log, oldest first.

    Parameters
    ----------
    lines : iterator of (int, dict)
        Lines as :func:`~likewise.exports._answers.answer_chunks` writes them. Some may
        be missing: each says itself whether it stands.
    places : Places
        Where the items are here.
    path : Path
        The file, for errors.
    """
    for number, line in lines:
        try:
            yield from tuple(_said(line, places))
        except _BadNameError as error:
            problem = f"has a name that cannot be kept ({str(error).rstrip('.')})"
            raise at_line(path, number, problem) from None
        except MISFITS:
            problem = "is no line of a log of answers"
            raise at_line(path, number, problem) from None


def _said(line: Record, places: Places) -> Iterator[Said | NotThere]:
    if line["undone"]:
        return
    _check_names(line["what"])
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
        except _CopiesError:
            continue


def _check_names(what: Record) -> None:
    """Refuse names that nobody could have given here."""
    for one in what.get("together", [what]):
        if "renamed" in one:
            try:
                checked_name(one["name"], may_be_empty=True)
            except InputError as error:
                raise _BadNameError(str(error)) from None


@dataclass(frozen=True, slots=True)
class _Here:
    """Sample numbers of one line, turned into those of this project."""

    keys: Mapping[str, str]
    places: Places

    def moved(self, entry: Said) -> Said:
        match entry:
            case Renamed(sample, name):
                return Renamed(self._place(sample), name)
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
        if self.keys[str(question.sample)] == self.keys[str(question.against)]:
            raise ValueError(sample)
        if sample == against:
            raise _CopiesError(sample)
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


PAIR = ("a", "b", "verdict")
KEY = "key"


@dataclass(frozen=True, slots=True)
class Incoming:
    """What a file says about the items of a project.

    Attributes
    ----------
    answers : tuple of Answer
        As :class:`~likewise.Session` takes them. Those of another project say how they
        came about there; all others are "given".
    names : dict of int to str
        Names by the sample they were given for, oldest first.
    aside : frozenset of int
        Samples that were set aside.
    unknown : tuple of str
        Keys that are not in the project.
    n_left_out : int
        How many answers, names or labels were left out because of them.
    """

    answers: tuple[Answer, ...] = ()
    names: Mapping[int, str] = field(default_factory=dict)
    aside: frozenset[int] = frozenset()
    unknown: tuple[str, ...] = ()
    n_left_out: int = 0


def read_answers(path: Path, project: Project) -> Incoming:
    """Return the answers of a file.

    Parameters
    ----------
    path : Path
        The ``answers.jsonl`` of any project with some of the same items; or a table
        with the columns ``a`` and ``b`` (keys of items, or sample numbers from 0 on
        where the keys are no numbers) and ``verdict`` (same, different or unsure).
    project : Project
        Whose items they are about.

    Returns
    -------
    Incoming
    """
    places = places_of(project)
    records = records_of(path)
    first = next(records, None)
    if first is None:
        raise InputError(f"{path.name} is empty: give a file with answers.")
    every = chain([first], records)
    if "what" in first[1]:
        return _collected(said_in(every, places, path), path)
    return _collected(_pairs(every, places, path), path)


def read_labels(
    path: Path, project: Project, column: str, key_column: str | None = None
) -> Incoming:
    """Return the answers that known classes amount to.

    Parameters
    ----------
    path : Path
        A table; an empty cell means that the class is not known.
    project : Project
    column : str
        Holds the classes.
    key_column : str, optional
        Holds the keys of the items; ``key`` unless given. If there is none and the
        items are rows of a table, the rows of the file are taken to be the same ones.

    Returns
    -------
    Incoming
    """
    places = places_of(project)
    known: dict[int, tuple[str, str]] = {}
    unknown: list[str] = []
    for number, key, label in _labels(path, column, key_column, places):
        sample = found_in(path, key, places)
        if sample is None:
            unknown.append(key)
            continue
        first, before = known.setdefault(sample, (key, label))
        if first == key and before != label:  # of copies the first counts
            problem = f"calls {key!r} {label!r}, after {before!r} before"
            raise at_line(path, number, problem)
    if not known:
        raise _nothing(path, unknown)
    classes = {sample: label for sample, (_, label) in known.items()}
    is_encoded = project.n_rows(FEATURES) == len(places)
    X = project.array(FEATURES) if is_encoded else None
    links = tuple(links_of_labels(classes, len(places), X))
    keys = tuple(dict.fromkeys(unknown))
    return Incoming(links, _names_of(classes), unknown=keys, n_left_out=len(unknown))


def _names_of(classes: Mapping[int, str]) -> dict[int, str]:
    """Return the names of classes, each by its first sample, as far as they can be."""
    first: dict[str, int] = {}
    for sample, label in classes.items():
        first.setdefault(label, sample)
    named = {sample: readable(label)[:LONGEST] for label, sample in first.items()}
    return {sample: name.strip() for sample, name in named.items() if name.strip()}


def _events(said: Iterable[Said | NotThere]) -> Iterator[Event]:
    """Yield what was said as events, each answer on its own."""
    for one in said:
        if isinstance(one, Answer):
            yield Told((one,))
        elif not isinstance(one, NotThere):
            yield one


def _collected(said: Iterator[Said | NotThere], path: Path) -> Incoming:
    listed = list(said)
    found = tuple(one for one in listed if isinstance(one, Answer))
    stands = standing(_events(listed))
    unknown = [one.key for one in listed if isinstance(one, NotThere)]
    if not (found or stands.names or stands.aside):
        raise _nothing(path, unknown)
    keys = tuple(dict.fromkeys(unknown))
    return Incoming(found, stands.names, stands.aside, keys, len(unknown))


def _nothing(path: Path, unknown: list[str]) -> InputError:
    if not unknown:
        return InputError(f"{path.name} says nothing that stands: give another file.")
    return InputError(
        f"None of the items in {path.name} is in this project (the first is "
        f"{unknown[0][:LONGEST]!r}): check that both are of the same files."
    )


# Tables of pairs


def _pairs(
    records: Iterator[tuple[int, Record]], places: Places, path: Path
) -> Iterator[Answer | NotThere]:
    for number, record in records:
        if not record.keys() >= set(PAIR):
            raise InputError(
                f"{path.name} has no columns {', '.join(PAIR)}, and is no log of "
                f"answers: name its columns so, or give --labels for known classes."
            )
        a, b = str(record["a"]), str(record["b"])
        i, j = found_in(path, a, places), found_in(path, b, places)
        verdict = _verdict(record["verdict"], number, path)
        if i is None or j is None:
            yield NotThere(a if i is None else b)
        elif i == j and a != b:
            continue  # copies of one item: there is nothing to learn
        elif i == j:
            raise at_line(path, number, f"compares {a!r} with itself")
        else:
            yield Answer(Question(i, j), verdict, how="given")


def _verdict(said: Any, number: int, path: Path) -> Verdict:
    try:
        return Verdict.of(said)
    except InputError:
        problem = f"says {said!r}, not same, different or unsure"
        raise at_line(path, number, problem) from None


# Tables of classes


def _labels(
    path: Path, column: str, key_column: str | None, places: Places
) -> Iterator[tuple[int, str, str]]:
    """Yield line number, key and class of each row whose class is known."""
    keys = _rows_in_order(places)
    n_rows = 0
    for number, record in records_of(path):
        by = key_column or (KEY if KEY in record else None)
        for name in (column, by):
            if name is not None and name not in record:
                raise InputError(
                    f"{path.name} has no column {name!r}. The columns are: "
                    f"{', '.join(map(str, record))}."
                )
        if by is None and (not places.is_numbered or n_rows >= len(keys)):
            raise _unmatched(path, len(keys))
        key = keys[n_rows] if by is None else str(record[by])
        n_rows += 1
        label = record[column]
        if label is not None and str(label).strip():
            yield number, key, str(label).strip()
    if n_rows and by is None and n_rows != len(keys):
        raise _unmatched(path, len(keys))


def _rows_in_order(places: Places) -> list[str]:
    """Return the keys as the rows of a table follow each other, copies among them."""
    keys = list(places.positions)
    if len(keys) == len(places) or not places.is_numbered:
        return keys
    return sorted(keys, key=lambda key: int(key) if key.isdecimal() else len(keys))


def _unmatched(path: Path, n_items: int) -> InputError:
    return InputError(
        f"It is not clear which of the {n_items} items each row of {path.name} is "
        f"about: name the column that holds their keys with --key."
    )


# Into the project


@dataclass(frozen=True, slots=True)
class Recorded:
    """What came of it.

    Attributes
    ----------
    n_answers : int
        Answers that were new.
    n_doubtful : int
        Those of them that contradict others; they are kept, outside of conclusions.
    n_there : int
        Answers that stood already, and were not recorded again.
    """

    n_answers: int
    n_doubtful: int
    n_there: int


def record(incoming: Incoming, project: Project, *, who: str, now: float) -> Recorded:
    """Record answers as one act, and after it names and what is aside.

    The same file may come again: what stands already is left out.

    Parameters
    ----------
    incoming : Incoming
    project : Project
    who : str
        Written beside the acts.
    now : float
        Seconds since 1970.

    Raises
    ------
    StaleError
        Somebody has acted meanwhile: try again.

    Examples
    --------
    >>> from likewise import Question, Verdict
    >>> from likewise.storage import open_store
    >>> project = open_store("memory://").create("leaves", {}, now=0.0)
    >>> known = Incoming((Answer(Question(0, 1), Verdict.SAME, how="given"),))
    >>> record(known, project, who="ann", now=60.0)
    Recorded(n_answers=1, n_doubtful=0, n_there=0)
    >>> record(known, project, who="ann", now=61.0)
    Recorded(n_answers=0, n_doubtful=0, n_there=1)
    """
    journal = ProjectJournal(project, checked_name(who), lambda: now)
    before = standing(journal.read())
    answers = _new_answers(incoming, before)
    wanted: list[Event] = [Told(answers)] if answers else []
    wanted += [
        Renamed(sample, name)
        for sample, name in incoming.names.items()
        if before.names.get(sample, "") != name
    ]
    wanted += [SetAside(sample) for sample in sorted(incoming.aside - before.aside)]
    for event in wanted:
        journal.append(event)
    n_there = len(incoming.answers) - len(answers)
    n_samples = project.n_rows(FEATURES)
    return Recorded(len(answers), _n_doubtful(before, answers, n_samples), n_there)


def _new_answers(incoming: Incoming, before: Standing) -> tuple[Answer, ...]:
    there = {(answer.question.pair, answer.verdict) for answer in before.answers}
    new = [a for a in incoming.answers if (a.question.pair, a.verdict) not in there]
    first = before.n_answers + 1
    return tuple(replace(answer, id=first + at) for at, answer in enumerate(new))


def _n_doubtful(before: Standing, new: tuple[Answer, ...], n_samples: int) -> int:
    known = Knowledge(n_samples).after_all(before.answers)
    return len(known.after_all(new).doubtful) - len(known.doubtful)
