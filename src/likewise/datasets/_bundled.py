"""Data sets that come with scikit-learn: nothing to download."""

from __future__ import annotations

from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

from likewise.affinity import standardised
from likewise.datasets._base import Dataset, coded


def wine() -> Dataset:
    """Return 178 wines of 3 growers, 13 measurements."""
    return _standardised("wine", load_wine())


def iris() -> Dataset:
    """Return 150 irises of 3 species, 4 measurements."""
    return _standardised("iris", load_iris())


def breast_cancer() -> Dataset:
    """Return 569 tumours, benign or malignant, 30 measurements."""
    return _standardised("breast_cancer", load_breast_cancer())


def digits() -> Dataset:
    """Return 1,797 handwritten digits of 8 by 8 pixels."""
    bunch = load_digits()
    return Dataset("digits", bunch.data, coded(bunch.target), "as it is")


def _standardised(name: str, bunch: object) -> Dataset:
    X, y = bunch.data, bunch.target  # type: ignore[attr-defined]
    return Dataset(name, standardised(X), coded(y), "standardised")
