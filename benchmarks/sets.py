"""The development sets, by kind: choices are made on three kinds, judged on the fourth.

Those of the wider suite are files ``DATA/suite/NAME.npz``, with X (ready for Euclidean
distance) and y.
"""

from __future__ import annotations

from functools import partial

from likewise.datasets import DATASETS, Entry
from likewise.datasets._dataset import embeddings

FOLDS: dict[str, tuple[str, ...]] = {
    "pictures": (
        *("digits", "mnist", "texture", "dog", "dog-bow", "face-1", "face-1-lbp"),
    ),
    "living things": (
        *("leaf", "leaf-margin", "leaf-shape", "cho", "iyer", "ecoli", "yeast"),
    ),
    "two classes": (
        *("breast_cancer", "sonar", "bupa", "diabetes", "ionosphere", "heart"),
        "spambase",
    ),
    "small tables": (
        *("wine", "iris", "balance", "newthyroid", "zoo", "led7digit", "automobile"),
        *("glass", "vowel"),
    ),
}
WEAK = ("dog-bow", "face-1-lbp")  # features that say little: beside the 28 sets
SETS = tuple(name for fold in FOLDS.values() for name in fold)
SUITE = {
    "vowel": "990 spoken vowels, 11 kinds",
    "texture": "2,000 textures, 11 kinds",
    "newthyroid": "215 patients, 3 classes",
    "zoo": "101 animals, 7 classes",
    "led7digit": "500 noisy displays, 10 digits",
    "ionosphere": "351 radar returns, 2 classes",
    "automobile": "159 cars, 6 classes",
    "heart": "270 patients, 2 classes",
    "spambase": "2,000 mails, 2 classes",
    "yeast": "1,484 proteins, 10 places",
    "ecoli": "336 proteins, 8 places",
    "iyer": "484 genes, 10 patterns",
    "glass": "214 pieces of glass, 6 kinds",
    "mnist": "2,000 handwritten digits as pixels, 10 kinds",
}


def add_suite() -> None:
    """Make the sets of the wider suite known by their names."""
    for name, about in SUITE.items():
        read = partial(embeddings, name, f"suite/{name}.npz", "the wider suite")
        DATASETS[name] = Entry(read, about)


def fold_of(name: str) -> str:
    """Return the kind of a set.

    Examples
    --------
    >>> fold_of("ecoli")
    'living things'
    """
    return next(fold for fold, names in FOLDS.items() if name in names)
