"""Data to cluster, by name.

Examples
--------
>>> from likewise import datasets
>>> datasets.load("wine").X.shape
(178, 13)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from likewise._registry import Registry
from likewise.datasets._dataset import (
    UCI,
    Dataset,
    breast_cancer,
    coarse,
    columns_of,
    digits,
    directions,
    embeddings,
    first_classes,
    histograms,
    iris,
    only_people,
    plain_table,
    standardised_table,
    wine,
)

Loader = Callable[[Path | None], Dataset]


@dataclass(frozen=True, slots=True)
class Entry:
    """A data set that can be loaded.

    Attributes
    ----------
    load : callable
        ``load(folder)`` returns it.
    about : str
    is_bundled : bool
        Whether it needs no data
    """

    load: Loader
    about: str
    is_bundled: bool = False


def _from_folder(
    read: Callable[[str, str, str, Path | None], Dataset],
    name: str,
    file: str,
    about: str,
    source: str = UCI,
) -> Entry:
    return Entry(partial(read, name, file, source), about)


def _smaller(name: str, whole: str, about: str) -> Entry:
    def read(data: Path | None) -> Dataset:
        return only_people(load(whole, data), name, data)

    return Entry(read, about)


def _made_of(
    make: Callable[..., Dataset], name: str, whole: str, how: object, about: str
) -> Entry:
    def read(data: Path | None) -> Dataset:
        return make(load(whole, data), name, how)

    return Entry(read, about)


def _bundled(read: Callable[[], Dataset], about: str) -> Entry:
    return Entry(lambda _: read(), about, is_bundled=True)


_LFW = "Labeled Faces in the Wild"
_DOGS = "Stanford Dogs"
N_SPECIES = 62  # those of the paper's Leafsnap; to open 99 groups takes 4,851 questions
MIDDLE = {"face-1": 4, "face-2": 2, "dog": 4}  # principal components, by ``coarse``

_BUILT_IN: dict[str, Entry] = {
    "wine": _bundled(wine, "178 wines, 3 growers"),
    "iris": _bundled(iris, "150 irises, 3 species"),
    "breast_cancer": _bundled(breast_cancer, "569 tumours, 2 kinds"),
    "digits": _bundled(digits, "1,797 handwritten digits, 10 kinds"),
    "balance": _from_folder(
        standardised_table,
        "balance",
        "balance/balance.csv",
        "625 balance scales, 3 classes",
    ),
    "bupa": _from_folder(
        standardised_table, "bupa", "bupa/bupa.csv", "345 blood tests, 2 classes"
    ),
    "diabetes": _from_folder(
        standardised_table,
        "diabetes",
        "diabetes/diabetes.csv",
        "768 patients, 2 classes",
    ),
    "sonar": _from_folder(
        standardised_table, "sonar", "sonar/sonar.csv", "208 sonar echoes, mine or rock"
    ),
    "cho": _from_folder(
        plain_table,
        "cho",
        "cho/cho.csv",
        "386 genes, 5 phases",
        "Cho et al. 1998 (yeast cell cycle)",
    ),
    "face-1": _from_folder(
        embeddings,
        "face-1",
        "lfw500/features_dlib.npz",
        "500 faces of 50 people, deep features",
        _LFW,
    ),
    "face-2": _smaller("face-2", "face-1", "200 faces of 20 people, deep features"),
    "face-1-lbp": _from_folder(
        histograms,
        "face-1-lbp",
        "lfw500/features_lbp.npz",
        "500 faces of 50 people, classical features",
        _LFW,
    ),
    "face-2-lbp": _smaller(
        "face-2-lbp", "face-1-lbp", "200 faces of 20 people, classical features"
    ),
    "dog": _from_folder(
        directions,
        "dog",
        "dog400/features_effnet.npz",
        "400 dogs of 20 breeds, deep features",
        _DOGS,
    ),
    "dog-bow": _from_folder(
        histograms,
        "dog-bow",
        "dog400/features_bow.npz",
        "400 dogs of 20 breeds, classical features",
        _DOGS,
    ),
    "leaf": _from_folder(
        standardised_table, "leaf", "leaf990/leaf990.csv", "990 leaves of 99 species"
    ),
    "leaf-margin": _made_of(
        columns_of,
        "leaf-margin",
        "leaf",
        slice(0, 64),
        "990 leaves of 99 species, by their margins alone",
    ),
    "leaf-shape": _made_of(
        columns_of,
        "leaf-shape",
        "leaf",
        slice(64, 128),
        "990 leaves of 99 species, by their shapes alone",
    ),
    "leaf-62": _made_of(
        first_classes,
        "leaf-62",
        "leaf",
        N_SPECIES,
        "620 leaves of 62 species, as many as the paper has",
    ),
    "leaf-62-shape": _made_of(
        first_classes,
        "leaf-62-shape",
        "leaf-shape",
        N_SPECIES,
        "620 leaves of 62 species, by their shapes alone",
    ),
    **{
        f"{whole}-mid": _made_of(
            coarse,
            f"{whole}-mid",
            whole,
            n_components,
            f"{about}, deep features cut to {n_components} directions",
        )
        for whole, n_components, about in (
            ("face-1", MIDDLE["face-1"], "500 faces of 50 people"),
            ("face-2", MIDDLE["face-2"], "200 faces of 20 people"),
            ("dog", MIDDLE["dog"], "400 dogs of 20 breeds"),
        )
    },
}

DATASETS: Registry[Entry] = Registry(  # every data set by its name
    "data set", Entry, "likewise.datasets", _BUILT_IN.items()
)


def load(name: str, data: str | Path | None = None) -> Dataset:
    """Return a data set by its name.

    Parameters
    ----------
    name : str
        A name in ``DATASETS``.
    data : path, optional
        The folder to look in; ``LIKEWISE_DATA`` unless given. Sets that come with
        scikit-learn need none.

    Returns
    -------
    Dataset
    """
    return DATASETS.find(name).load(None if data is None else Path(data))
