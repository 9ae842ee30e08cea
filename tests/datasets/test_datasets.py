"""Data sets by name: shapes, scaling, and a clear word when one is missing."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from benchmarks.middle import difficulties, nearest

from likewise import InputError, MissingDataError
from likewise.datasets import DATASETS, Dataset, load
from likewise.datasets._dataset import coarse
from likewise.datasets._load import MIDDLE

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
    "leaf-margin": (990, 64, 99),
    "leaf-shape": (990, 64, 99),
    "leaf-62": (620, 192, 62),
    "leaf-62-shape": (620, 64, 62),
    "face-1-mid": (500, 4, 50),
    "face-2-mid": (200, 2, 20),
    "dog-mid": (400, 4, 20),
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


@pytest.mark.skipif(not SHARED.exists(), reason="there is no data folder")
@pytest.mark.parametrize(("block", "at"), [("margin", 0), ("shape", 64)])
def test_leaves_by_one_feature_are_a_block_of_the_table(block: str, at: int) -> None:
    table = SHARED / "leaf990/leaf990.csv"
    names = table.read_text(encoding="utf-8").splitlines()[0].split(",")

    part, whole = load(f"leaf-{block}", SHARED), load("leaf", SHARED)

    assert names[at : at + 64] == [f"{block}{i}" for i in range(1, 65)]
    np.testing.assert_array_equal(part.X, whole.X[:, at : at + 64])
    np.testing.assert_array_equal(part.y, whole.y)


@pytest.mark.skipif(not SHARED.exists(), reason="there is no data folder")
@pytest.mark.parametrize("whole", MIDDLE)
def test_a_set_of_middle_difficulty_is_what_its_rule_gives(whole: str) -> None:
    tried = difficulties(load(whole, SHARED))

    assert nearest(tried) == MIDDLE[whole]
    assert 0.25 < tried[MIDDLE[whole]] < 0.45


def test_main_directions_keep_what_spreads_most() -> None:
    rng = np.random.default_rng(0)
    spread = np.array([9.0, 3.0, 1.0, 0.1])
    X = (rng.standard_normal((200, 4)) * spread) @ np.linalg.qr(np.eye(4) + 0.3)[0]
    whole = Dataset("blob", X, np.zeros(200, dtype=np.intp), "as it is")

    part = coarse(whole, "blob-mid", 2)

    lost = ((X - X.mean(axis=0)) ** 2).sum() - (part.X**2).sum()
    smallest = np.linalg.svd(X - X.mean(axis=0), compute_uv=False)[2:]
    np.testing.assert_allclose(lost, (smallest**2).sum())
    assert part.scaling == "as it is, 2 principal components"


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
