"""What a data set is, and how one is read.

Some come with scikit-learn. Others lie in a folder of the user's: the one given, or
named by ``LIKEWISE_DATA``. Tables are csv files with a header whose last column is the
class; feature files are npz archives with X and y.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
from numpy.typing import NDArray

from likewise._arrays import Floats, Indices, as_samples
from likewise.affinity import standardised, unit_length
from likewise.errors import InputError, MissingDataError


@dataclass(frozen=True)
class Dataset:
    """Samples with their true classes.

    Attributes
    ----------
    name : str
    X : ndarray of shape (n_samples, n_features)
        Ready for Euclidean distance.
    y : ndarray of shape (n_samples,)
        The classes, 0..k-1.
    scaling : str
        What was done to the features to make them so.
    paper_affinity : str
        The kernel that the paper used for data of this kind.
    raw : ndarray of shape (n_samples, n_features), or None
        The features as they are stored, where that is not `X`; the chi-square kernel
        takes histograms.
    """

    name: str
    X: Floats
    y: NDArray[np.intp]
    scaling: str
    paper_affinity: str = "gaussian"
    raw: Floats | None = None

    @property
    def n_classes(self) -> int:
        """How many classes there are."""
        return int(self.y.max()) + 1

    def subset(self, kept: Indices) -> Dataset:
        """Return some of the samples, in the order given."""
        raw = None if self.raw is None else self.raw[kept]
        return replace(self, X=self.X[kept], y=self.y[kept], raw=raw)

    def nine_tenths(self, seed: int) -> Dataset:
        """Return 90 % of the samples, drawn and shuffled with a seed."""
        n = len(self.y)
        return self.subset(np.random.default_rng(seed).permutation(n)[: int(0.9 * n)])

    def samples_for(self, affinity: Any) -> Floats:
        """Return the features that suit an affinity."""
        return self.raw if affinity == "chi2" and self.raw is not None else self.X


def coded(classes: Any) -> NDArray[np.intp]:
    """Return classes as numbers 0..k-1."""
    return np.unique(np.asarray(classes), return_inverse=True)[1].astype(np.intp)


# Sets that come with scikit-learn


def wine() -> Dataset:
    """Return 178 wines of 3 growers, 13 measurements."""
    from sklearn.datasets import load_wine

    return _standardised("wine", load_wine())


def iris() -> Dataset:
    """Return 150 irises of 3 species, 4 measurements."""
    from sklearn.datasets import load_iris

    return _standardised("iris", load_iris())


def breast_cancer() -> Dataset:
    """Return 569 tumours, benign or malignant, 30 measurements."""
    from sklearn.datasets import load_breast_cancer

    return _standardised("breast_cancer", load_breast_cancer())


def digits() -> Dataset:
    """Return 1,797 handwritten digits of 8 by 8 pixels."""
    from sklearn.datasets import load_digits

    bunch = load_digits()
    return Dataset("digits", bunch.data, coded(bunch.target), "as it is")


def _standardised(name: str, bunch: object) -> Dataset:
    X, y = bunch.data, bunch.target  # type: ignore[attr-defined]
    return Dataset(name, standardised(X), coded(y), "standardised")


# Sets in a folder


MOST_BYTES = 2_000_000_000  # of a set, unpacked; the largest has two thousandths of it
UCI = "the UCI Machine Learning Repository"


def standardised_table(name: str, file: str, source: str, data: Path | None) -> Dataset:
    """Return a table whose columns are standardised."""
    X, y = _table(name, file, source, data)
    return Dataset(name, standardised(X), coded(y), "standardised")


def plain_table(name: str, file: str, source: str, data: Path | None) -> Dataset:
    """Return a table as it is."""
    X, y = _table(name, file, source, data)
    return Dataset(name, X, coded(y), "as it is")


def columns_of(whole: Dataset, name: str, columns: slice) -> Dataset:
    """Return a set with some of its columns alone."""
    return replace(whole, name=name, X=whole.X[:, columns])


def first_classes(whole: Dataset, name: str, n_classes: int) -> Dataset:
    """Return the samples of the first classes by name, standardised by themselves."""
    part = whole.subset(np.flatnonzero(whole.y < n_classes))
    return replace(part, name=name, X=standardised(part.X), scaling="standardised")


def coarse(whole: Dataset, name: str, n_components: int) -> Dataset:
    """Return a set that is seen along its main directions alone.

    Deep features of known faces and breeds tell nearly all groups apart before the
    first question, and classical ones hardly any. In between lie the deep features
    projected onto their first principal components. How many of 2, 4, 8, 16, 32 and 64
    is a rule that looks at no active method: those with which plain k-means (of
    scikit-learn, ten starts, told the number of classes) has a Jaccard coefficient
    nearest to 0.35. ``python -m benchmarks.middle`` goes through them.

    Parameters
    ----------
    whole : Dataset
    name : str
    n_components : int
    """
    centred = whole.X - whole.X.mean(axis=0)
    axes = np.linalg.svd(centred, full_matrices=False)[2][:n_components]
    farthest = np.abs(axes).argmax(axis=1)  # a sign that no solver chooses
    axes = axes * np.sign(axes[np.arange(len(axes)), farthest])[:, np.newaxis]
    scaling = f"{whole.scaling}, {n_components} principal components"
    return replace(whole, name=name, X=centred @ axes.T, scaling=scaling)


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
    with _whole(listed, "the folder of face-1"):
        people = listed.read_text(encoding="utf-8").split()
    archive = _find(name, "lfw500/features_dlib.npz", "the folder of face-1", data)
    with _whole(archive, "the folder of face-1"), _opened(archive) as held:
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
    if not path.is_file():
        raise MissingDataError(
            f"The data set {name!r} is not in the data folder: {path} is missing. Get "
            f"it from {source}, or choose another folder with --data or LIKEWISE_DATA."
        )
    return path


@contextmanager
def _whole(path: Path, source: str) -> Iterator[None]:
    """Say in one sentence that a file of a data set is not what it was."""
    try:
        yield
    except InputError:
        raise
    except Exception:  # readers raise all sorts of things on damaged bytes
        raise InputError(
            f"{path} is damaged or cannot be read: get it again from {source}."
        ) from None


def _table(name: str, file: str, source: str, data: Path | None) -> tuple[Floats, Any]:
    path = _find(name, file, source, data)
    with _whole(path, source), path.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.reader(lines))[1:]
        X = as_samples(np.array([row[:-1] for row in rows], dtype=np.float64))
        return X, [row[-1] for row in rows]


def _archive(
    name: str, file: str, source: str, data: Path | None
) -> tuple[Floats, Any]:
    path = _find(name, file, source, data)
    with _whole(path, source), _opened(path) as archive:
        X, y = as_samples(archive["X"].astype(np.float64)), archive["y"]
        if y.shape != X.shape[:1]:
            raise ValueError("a class for each sample is missing")
        return X, y


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    """Give an archive that is no larger unpacked than any of these sets."""
    with ZipFile(path) as archive:
        if sum(inside.file_size for inside in archive.infolist()) > MOST_BYTES:
            raise InputError(
                f"{path} would unpack to more than {MOST_BYTES // 10**9} GB, which is "
                f"no set of ours: check the file."
            )
    with np.load(path, allow_pickle=False) as archive:
        yield archive
