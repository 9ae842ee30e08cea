"""Groups of pictures, on tiny ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from likewise.datasets import load
from likewise.errors import InputError, MissingDataError
from likewise.experiments.paper import Figure
from likewise.experiments.paper._plans import Panel
from likewise.experiments.paper._qualitative import (
    PER_CLASS,
    draw_pictures,
    drawn_samples,
    groups_of,
    panes_of,
)

FIGURE = Figure(
    "pictures",
    "Dogs",
    "",
    (Panel("dog", 6, "deep"), Panel("dog-bow", 6, "classical")),
    ("urasc+n",),
    kind="pictures",
    pictures={"images": "dog400", "n_classes": 3, "marks": [0, 3, 6]},
)
N_CLASSES, EACH = 4, 10


@pytest.fixture
def data(tmp_path: Path, rng: np.random.Generator) -> Path:
    """A data folder with four breeds of ten dogs, whose pictures are plain colours."""
    folder = tmp_path / "data/dog400"
    (folder / "images").mkdir(parents=True)
    y = np.repeat([f"n0{i}-breed_{i}" for i in range(N_CLASSES)], EACH)
    X = np.repeat(np.eye(N_CLASSES), EACH, axis=0) + rng.random((len(y), N_CLASSES))
    files = [f"{i}.png" for i in range(len(y))]
    for name in ("features_effnet", "features_bow"):
        np.savez(folder / f"{name}.npz", X=X, y=y, name=files)
    rows = [f"{file},{kind}" for file, kind in zip(files, y, strict=True)]
    (folder / "labels.csv").write_text("\n".join(["file,class", *rows]), "utf-8")
    for position, file in enumerate(files):
        colour = (6 * position, 120, 255 - 6 * position)
        Image.new("RGB", (20, 12), colour).save(folder / "images" / file)
    return tmp_path / "data"


def test_each_kind_of_features_has_a_sheet(data: Path, tmp_path: Path) -> None:
    paths = draw_pictures(FIGURE, data, tmp_path)

    names = ["dog.png", "dog.svg", "dog-bow.png", "dog-bow.svg"]
    assert [path.name for path in paths] == [f"pictures-{name}" for name in names]
    svg = paths[1].read_text(encoding="utf-8")
    for words in ("true classes", "no question, Jaccard", "6 questions, Jaccard"):
        assert f"<!-- {words}" in svg
    assert svg.count("<image") == 4 * 3 * PER_CLASS


def test_the_same_samples_are_drawn_each_time(data: Path) -> None:
    y = load("dog", data).y

    kept = drawn_samples(y, 3)

    assert kept.tolist() == drawn_samples(load("dog-bow", data).y, 3).tolist()
    assert np.unique(y[kept], return_counts=True)[1].tolist() == [PER_CLASS] * 3


def test_no_more_classes_are_drawn_than_there_are() -> None:
    assert drawn_samples(np.array([0, 0, 1]), 5).tolist() == [0, 1, 2]


def test_panes_begin_with_the_truth(data: Path) -> None:
    part = load("dog", data).subset(np.arange(20))

    truth, *found = panes_of(FIGURE, FIGURE.panels[0], part, part.y, [0, 40])

    assert truth.labels.tolist() == part.y.tolist()
    assert found[-1].title == "40 questions, Jaccard 1.00"


def test_groups_come_by_their_class_and_strangers_last() -> None:
    groups = groups_of(np.array([1, 1, 1, 0, 0, 0]), np.array([1, 0, 0, 1, 1, 0]))

    assert [(members.tolist(), own) for members, own in groups] == [
        ([1, 2, 0], 0),
        ([3, 4, 5], 1),
    ]


def test_missing_pictures_are_named(data: Path, tmp_path: Path) -> None:
    for picture in (data / "dog400/images").iterdir():
        picture.unlink()
    with pytest.raises(MissingDataError, match="leave this figure out"):
        draw_pictures(FIGURE, data, tmp_path)

    (data / "dog400/labels.csv").unlink()
    with pytest.raises(MissingDataError, match=r"dog400/labels\.csv"):
        draw_pictures(FIGURE, data, tmp_path)


def test_pictures_of_other_samples_are_refused(data: Path, tmp_path: Path) -> None:
    labels = data / "dog400/labels.csv"
    first, *rows = labels.read_text(encoding="utf-8").splitlines()
    labels.write_text("\n".join([first, *rows[::-1]]), encoding="utf-8")
    with pytest.raises(InputError, match="in their order"):
        draw_pictures(FIGURE, data, tmp_path)
