"""Data sets by name: shapes, scaling, and a clear word when one is missing."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from likewise import InputError, MissingDataError
from likewise.datasets import DATASETS, load

SHARED = Path(
    os.environ.get("LIKEWISE_DATA", Path(__file__).parents[3] / "shared/data")
)
SHAPES = {
    "wine": (178, 13, 3),
    "iris": (150, 4, 3),
    "breast_cancer": (569, 30, 2),
    "digits": (1797, 64, 10),
    "balance": (625, 4, 3),
    "bupa": (345, 6, 2),
    "diabetes": (768, 8, 2),
    "sonar": (208, 60, 2),
    "cho": (386, 16, 5),
    "face-1": (500, 128, 50),
    "face-2": (200, 128, 20),
    "face-1-lbp": (500, 3304, 50),
    "face-2-lbp": (200, 3304, 20),
    "dog": (400, 1280, 20),
    "dog-bow": (400, 1000, 20),
    "leaf": (990, 192, 99),
}


def test_every_data_set_has_its_shape_here() -> None:
    assert set(SHAPES) == set(DATASETS)


@pytest.mark.parametrize("name", SHAPES)
def test_a_data_set_has_the_promised_shape_and_scale(name: str) -> None:
    if not DATASETS[name].is_bundled and not SHARED.exists():
        pytest.skip("there is no data folder")

    dataset = load(name, SHARED)

    n, d, k = SHAPES[name]
    assert dataset.X.shape == (n, d)
    assert dataset.n_classes == k
    assert set(dataset.y) == set(range(k))
    assert np.isfinite(dataset.X).all()
    if dataset.scaling == "standardised":
        np.testing.assert_allclose(dataset.X.mean(axis=0), 0, atol=1e-9)
    elif dataset.scaling == "unit length":
        np.testing.assert_allclose(np.linalg.norm(dataset.X, axis=1), 1)
    elif dataset.scaling == "square root":
        np.testing.assert_allclose(dataset.X**2, dataset.samples_for("chi2"))
    assert dataset.samples_for("auto") is dataset.X


def test_a_missing_folder_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LIKEWISE_DATA", raising=False)

    with pytest.raises(
        MissingDataError, match=r"'sonar' needs a data folder.*sonar\.csv"
    ):
        load("sonar")


def test_the_folder_comes_from_the_environment(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "bupa").mkdir()
    (tmp_path / "bupa/bupa.csv").write_text("a,b,class\n1,2,x\n3,5,y\n1,1,x\n")
    monkeypatch.setenv("LIKEWISE_DATA", str(tmp_path))

    assert load("bupa").y.tolist() == [0, 1, 0]


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(InputError, match="Choose one of: wine"):
        load("nosuch")
