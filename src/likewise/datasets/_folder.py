"""Data sets that lie in a folder of the user's, as tables or arrays of features.

The folder is the one given, or named by ``LIKEWISE_DATA``. Tables are csv files with a
header whose last column is the class; feature files are npz archives with X and y.
"""

from __future__ import annotations

import csv
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from likewise._arrays import Floats
from likewise.affinity import standardised, unit_length
from likewise.datasets._base import Dataset, coded
from likewise.errors import MissingDataError

UCI = "the UCI Machine Learning Repository"


def standardised_table(name: str, file: str, source: str, data: Path | None) -> Dataset:
    """Return a table whose columns are standardised."""
    X, y = _table(name, file, source, data)
    return Dataset(name, standardised(X), coded(y), "standardised")


def plain_table(name: str, file: str, source: str, data: Path | None) -> Dataset:
    """Return a table as it is."""
    X, y = _table(name, file, source, data)
    return Dataset(name, X, coded(y), "as it is")


def histograms(name: str, file: str, source: str, data: Path | None) -> Dataset:
    """Return histograms: their square roots, or as they are for chi-square."""
    X, y = _archive(name, file, source, data)
    return Dataset(name, np.sqrt(X), coded(y), "square root", "chi2", raw=X)


def embeddings(name: str, file: str, source: str, data: Path | None) -> Dataset:
    """Return learned features as they are."""
    X, y = _archive(name, file, source, data)
    return Dataset(name, X, coded(y), "as it is")


def directions(name: str, file: str, source: str, data: Path | None) -> Dataset:
    """Return learned features of which the direction counts: rows of length 1."""
    X, y = _archive(name, file, source, data)
    return Dataset(name, unit_length(X), coded(y), "unit length")


def only_people(faces: Dataset, name: str, data: Path | None) -> Dataset:
    """Return the faces of the people listed for the smaller set (face-2)."""
    listed = _find(name, "lfw500/face2_people.txt", "the folder of face-1", data)
    people = listed.read_text(encoding="utf-8").split()
    archive = _find(name, "lfw500/features_dlib.npz", "the folder of face-1", data)
    with np.load(archive, allow_pickle=False) as held:
        kept = np.isin(held["y"].astype(str), people)
    part = faces.subset(np.flatnonzero(kept))
    return replace(part, name=name, y=coded(part.y))


def _find(name: str, file: str, source: str, data: Path | None) -> Path:
    chosen = data or os.environ.get("LIKEWISE_DATA")
    if chosen is None:
        raise MissingDataError(
            f"The data set {name!r} needs a data folder: name it with --data or "
            f"LIKEWISE_DATA, with {file} from {source} in it."
        )
    path = Path(chosen) / file
    if not path.exists():
        raise MissingDataError(
            f"The data set {name!r} is not in the data folder: {path} is missing. Get "
            f"it from {source}, or choose another folder with --data or LIKEWISE_DATA."
        )
    return path


def _table(name: str, file: str, source: str, data: Path | None) -> tuple[Floats, Any]:
    path = _find(name, file, source, data)
    with path.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.reader(lines))[1:]
    return np.array([row[:-1] for row in rows], dtype=np.float64), [r[-1] for r in rows]


def _archive(
    name: str, file: str, source: str, data: Path | None
) -> tuple[Floats, Any]:
    with np.load(_find(name, file, source, data), allow_pickle=False) as archive:
        return archive["X"].astype(np.float64), archive["y"]
