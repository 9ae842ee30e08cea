"""Answers and labels to start from, out of a file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from likewise.constraints import Verdict
from likewise.errors import InputError
from likewise.exports.log import NotThere, Said, said_in
from likewise.exports.places import Places, places_of
from likewise.exports.records import Record, at_line, records_of
from likewise.given import links_of_labels
from likewise.journal import Renamed, SetAside, standing
from likewise.knowledge import Answer, Question
from likewise.storage.base import Project

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
    known: dict[int, str] = {}
    unknown: list[str] = []
    for number, key, label in _labels(path, column, key_column, places):
        sample = places.find(key)
        if sample is None:
            unknown.append(key)
        elif known.setdefault(sample, label) != label:
            problem = f"calls {key!r} {label!r}, after {known[sample]!r} before"
            raise at_line(path, number, problem)
    if not known:
        raise _nothing(path, unknown)
    links = tuple(links_of_labels(known, len(places)))
    return Incoming(
        links, unknown=tuple(dict.fromkeys(unknown)), n_left_out=len(unknown)
    )


def _collected(said: Iterator[Said | NotThere], path: Path) -> Incoming:
    listed = list(said)
    found = tuple(one for one in listed if isinstance(one, Answer))
    stands = standing(one for one in listed if isinstance(one, Renamed | SetAside))
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
        f"{unknown[0]!r}): check that both are of the same files."
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
        i, j = places.find(a), places.find(b)
        verdict = _verdict(record["verdict"], number, path)
        if i is None or j is None:
            yield NotThere(a if i is None else b)
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
    keys = list(places.positions)
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


def _unmatched(path: Path, n_items: int) -> InputError:
    return InputError(
        f"It is not clear which of the {n_items} items each row of {path.name} is "
        f"about: name the column that holds their keys with --key."
    )
