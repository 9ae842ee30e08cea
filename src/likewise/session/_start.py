"""What is known from the start, as answers."""

from __future__ import annotations

import unicodedata
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, pairwise
from operator import index
from typing import TypeAlias, TypeVar

import numpy as np

from likewise._arrays import Samples, described, whole_or_none
from likewise.affinity import nearest_neighbours
from likewise.errors import InputError
from likewise.knowledge import (
    LONGEST,
    NEW,
    STAY,
    Answer,
    Constraints,
    Prediction,
    Question,
    Said,
    Verdict,
    checked_name,
    readable,
    valid_text,
)

T = TypeVar("T")
MANY_CLASSES = 200  # that are all told apart
NEAREST_CLASSES = 24  # from which each is, where there are more
Given: TypeAlias = Answer | tuple[int, int, Said]  # what may be known from the start


def answers_of(given: Iterable[Given]) -> list[Answer]:
    """Return answers from answers or from ``(i, j, verdict)`` triples.

    Examples
    --------
    >>> answers_of([(0, 5, "same")])[0].verdict
    <Verdict.SAME: 'same'>
    """
    entries = _listed(given, "answers: give (i, j, 'same') triples")
    return [entry if isinstance(entry, Answer) else _answer(entry) for entry in entries]


def links_of_labels(
    known: Mapping[int, Hashable] | Iterable[Hashable],
    n_samples: int,
    X: Samples | None = None,
) -> list[Answer]:
    """Return the answers that known classes amount to.

    The samples of a class are linked in a chain, and the classes are told apart by
    their first samples: n + k(k - 1)/2 answers say what n^2/2 pairs would. Of more than
    200 classes each is told apart from the 24 nearest only: nobody would take the
    others for it, and millions of answers would be too many.

    Parameters
    ----------
    known : mapping of int to class, or sequence of n_samples classes
        None and NaN in a sequence mean that the class is not known.
    n_samples : int
    X : array of shape (n_samples, n_features), optional
        What is near; without it all classes are told apart, however many.
    """
    classes: dict[Hashable, list[int]] = {}
    for sample, label in _pairs(known, n_samples):
        classes.setdefault(label, []).append(sample)
    links = [
        (later, earlier, Verdict.SAME)
        for members in classes.values()
        for earlier, later in pairwise(members)
    ]
    first = [members[0] for members in classes.values()]
    is_many = len(first) > MANY_CLASSES and X is not None
    apart = _nearest(X, first) if X is not None and is_many else combinations(first, 2)
    links += [(later, earlier, Verdict.DIFFERENT) for earlier, later in apart]
    return [Answer(Question(i, j), verdict, how="given") for i, j, verdict in links]


def _nearest(X: Samples, first: Sequence[int]) -> list[tuple[int, int]]:
    """Return each class with those that are nearest to it, by their first samples."""
    near = nearest_neighbours(X[np.array(first)], NEAREST_CLASSES).indices
    pairs = {
        (min(at, other), max(at, other))
        for at, others in enumerate(near.tolist())
        for other in others
    }
    return [(first[earlier], first[later]) for earlier, later in sorted(pairs)]


def classes_of(
    known: Mapping[int, Hashable] | Iterable[Hashable], n_samples: int
) -> dict[int, Hashable]:
    """Return known classes by sample, without those that are missing."""
    return dict(_pairs(known, n_samples))


def names_of_labels(classes: Mapping[int, Hashable]) -> dict[int, str]:
    """Return the names of known classes, each by its first sample.

    Classes that are words have one; numbers say nothing, also where they are written as
    words. What cannot be a name is left out, or shown as it may be.

    Examples
    --------
    >>> names_of_labels({0: "oak", 1: "elm", 2: "oak", 3: 3, 4: "4.0"})
    {0: 'oak', 1: 'elm'}
    """
    first: dict[str, int] = {}
    for sample, label in classes.items():
        if isinstance(label, str) and not _is_number(label):
            first.setdefault(label, sample)
    return {sample: name for label, sample in first.items() if (name := _named(label))}


def _named(label: str) -> str:
    """Return a class as the name of a group: what can be seen, and not too long."""
    seen = unicodedata.normalize("NFC", readable(valid_text(label)).strip())
    try:
        return checked_name(seen[:LONGEST])
    except InputError:  # nothing of it can be seen
        return ""


def placed(sample: int, anchor: int | None, unlike: Iterable[int]) -> list[Answer]:
    """Return the answers that putting a sample into a group implies.

    Parameters
    ----------
    sample : int
    anchor : int or None
        A sample of the group; None for a new one.
    unlike : iterable of int
        Samples of groups that it does not belong to.
    """
    apart = Prediction(0.0, "group", if_different=STAY)
    others = [other for other in dict.fromkeys(unlike) if other != sample]
    asked = [Question(sample, other, apart) for other in others]
    if anchor is None and asked:
        founds = replace(apart, if_different=NEW)
        asked[-1] = replace(asked[-1], predicted=founds)
    told = [Answer(question, Verdict.DIFFERENT, how="group") for question in asked]
    if anchor is not None:
        told.append(Answer(Question(sample, anchor), Verdict.SAME, how="group"))
    return told


def another_of(constraints: Constraints, sample: int) -> int:
    """Return some other sample of a sample's own group; itself if it is alone."""
    others = [s for s in constraints.samples(constraints.group(sample)) if s != sample]
    return others[0] if others else sample


def _answer(entry: tuple[int, int, Said]) -> Answer:
    try:
        i, j, said = entry
        question = Question(index(i), index(j))
    except (TypeError, ValueError):
        question = None
    if question is None or isinstance(i, bool) or isinstance(j, bool):
        raise InputError(
            f"{described(entry)} is not an answer: write (i, j, 'same') with two "
            f"sample numbers."
        )
    return Answer(question, Verdict.of(said), how="given")


def _pairs(
    known: Mapping[int, Hashable] | Iterable[Hashable], n_samples: int
) -> list[tuple[int, Hashable]]:
    if isinstance(known, Mapping):
        listed = [(_sample(i, n_samples), c) for i, c in known.items()]
    else:
        labels = _listed(known, "classes: give one for each sample")
        if len(labels) != n_samples:
            raise InputError(
                f"There are {n_samples} samples but {len(labels)} known classes: give "
                f"one for each sample (None where unknown), or a mapping of index to "
                f"class."
            )
        listed = list(enumerate(labels))
    return [(i, _class(c)) for i, c in listed if not _is_missing(c)]


def _sample(number: int, n_samples: int) -> int:
    found = whole_or_none(number)
    if found is None or not 0 <= found < n_samples:
        raise InputError(
            f"There is no sample {described(number)}: samples are numbered from 0 to "
            f"{n_samples - 1}."
        )
    return found


def _listed(given: Iterable[T], what: str) -> list[T]:
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise InputError(f"{described(given)} is no list of {what}.")
    return list(given)


def _class(label: Hashable) -> Hashable:
    try:
        hash(label)
    except TypeError:
        raise InputError(
            f"A class is a word or a number, but this is {described(label)}."
        ) from None
    return label


def _is_number(label: str) -> bool:
    try:
        float(label)
    except ValueError:
        return False
    return True


def _is_missing(label: Hashable) -> bool:
    try:
        return label is None or bool(label != label)  # noqa: PLR0124 - NaN is not itself
    except TypeError:  # nor can anybody tell of pandas' NA
        return True
    except ValueError:  # of an array, which is no class
        return False
