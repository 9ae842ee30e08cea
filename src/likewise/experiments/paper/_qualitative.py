"""What answers do to groups of pictures, seen after a few questions and a few more."""

from __future__ import annotations

import csv
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from likewise._arrays import Indices
from likewise.datasets import Dataset, coded, load
from likewise.errors import InputError, MissingDataError
from likewise.experiments._metrics import jaccard
from likewise.experiments._trials import kernel_of, method_of
from likewise.experiments.paper._figures import new_sheet, save
from likewise.experiments.paper._plans import Figure, Panel
from likewise.methods import find_method
from likewise.session import LabelOracle, Session, run

SEED = 0
PER_CLASS = 8  # so few that each is seen, so many that 45 questions do not settle all
PIXELS = 56  # a side of a picture
GAP = 0.14  # between pictures, whose side is 1
BREAK = 0.3  # between groups
WIDE = 12  # pictures in a row
WRONG = "#e3000b"
FRAMES = ("#0072b2", "#e69f00", "#009e73", "#56b4e9", "#cc79a7", "#000000", "#999933")

Groups: TypeAlias = list[tuple[Indices, int]]


@dataclass(frozen=True)
class Pane:
    """One grouping of the pictures.

    Attributes
    ----------
    title : str
    labels : ndarray of shape (n_samples,)
    """

    title: str
    labels: Indices


@dataclass(frozen=True)
class Album:
    """Pictures of some samples, with what is true of them.

    Attributes
    ----------
    pictures : ndarray of shape (n_samples, PIXELS, PIXELS, 3)
    classes : ndarray of shape (n_samples,)
        0..k-1.
    names : tuple of str
        Of the classes.
    """

    pictures: NDArray[np.uint8]
    classes: Indices
    names: tuple[str, ...]


def draw_pictures(figure: Figure, data: Path | None, folder: Path) -> list[Path]:
    """Draw groups of pictures, true and found, a sheet for each kind of features.

    Parameters
    ----------
    figure : Figure
        Of kind "pictures"; its first method is shown, told the number of classes.
    data : Path or None
        The data folder; ``LIKEWISE_DATA`` unless given.
    folder : Path
        Where ``<name>-<data set>.png`` and ``.svg`` go.

    Returns
    -------
    list of Path
        What was written: for each panel the PNG, then the SVG.

    Notes
    -----
    The classes and, of each, ``PER_CLASS`` samples are drawn with seed 0, the same for
    all panels. The frame of a picture is its true class; a cross marks one that is not
    of the class that most of its group are. Groups are in the order of that class.
    One session on one draw of samples: an illustration, no measurement. Other numbers
    of samples or another seed give other scores.
    """
    chosen = dict(figure.pictures or {})
    paths = []
    for panel in figure.panels:
        whole = load(panel.data, data)
        kept = drawn_samples(whole.y, int(chosen["n_classes"]))
        album = _album(_folder(chosen["images"], data), whole, kept)
        part = whole.subset(kept)
        panes = panes_of(figure, panel, part, album.classes, chosen["marks"])
        title = f"{figure.title}: {panel.title}, recipe {figure.lines[0].recipe}"
        sheet = _draw_album(title, album, panes)
        name = f"{figure.name}-{panel.data}"
        paths += [save(sheet, folder / f"{name}.{x}") for x in ("png", "svg")]
    return paths


def drawn_samples(y: Indices, n_classes: int) -> Indices:
    """Return some samples of some classes, drawn with a fixed seed, class by class."""
    rng = np.random.default_rng(SEED)
    kinds = np.unique(y)
    chosen = np.sort(rng.choice(kinds, min(n_classes, len(kinds)), replace=False))
    members = (rng.permutation(np.flatnonzero(y == kind)) for kind in chosen)
    return np.concatenate([np.sort(samples[:PER_CLASS]) for samples in members])


def panes_of(
    figure: Figure, panel: Panel, part: Dataset, classes: Indices, marks: Sequence[int]
) -> list[Pane]:
    """Return the true groups, then those of a session after each of some questions."""
    trial = figure.trial(panel, figure.lines[0], SEED)
    method = method_of(trial, find_method(trial.method))
    kernel = kernel_of(trial, part, method)
    n_clusters = int(classes.max()) + 1
    session = Session(part.samples_for(kernel), method, n_clusters, kernel, SEED)
    panes, asked = [Pane("true classes", classes)], 0
    for mark in marks:
        for _ in run(session, LabelOracle(classes), mark - asked):
            pass
        asked, score = mark, jaccard(classes, session.labels)
        count = f"{mark} questions" if mark else "no question"
        panes.append(Pane(f"{count}, Jaccard {score:.2f}", session.labels))
    return panes


def groups_of(labels: Indices, classes: Indices) -> Groups:
    """Return the members of each group and the class that most of them are of.

    Groups are in the order of that class, large ones first; within a group its own
    class comes first.
    """
    groups: Groups = []
    for label in np.unique(labels):
        members = np.flatnonzero(labels == label)
        own = int(np.bincount(classes[members]).argmax())
        order = np.lexsort((members, classes[members], classes[members] != own))
        groups.append((members[order], own))
    return sorted(groups, key=lambda group: (group[1], -len(group[0])))


def _folder(name: str, data: Path | None) -> Path:
    chosen = data or os.environ.get("LIKEWISE_DATA")
    folder = Path(chosen) / name if chosen else None
    if folder is None or not (folder / "labels.csv").is_file():
        raise MissingDataError(
            f"The pictures of {name} are not in the data folder: name one with --data "
            f"that holds {name}/images and {name}/labels.csv (file,class), or leave "
            f"this figure out."
        )
    return folder


def _album(folder: Path, whole: Dataset, kept: Indices) -> Album:
    with (folder / "labels.csv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    names = np.array([row["class"] for row in rows])
    if not np.array_equal(coded(names), whole.y):
        raise InputError(
            f"{folder / 'labels.csv'} does not list the samples of {whole.name} in "
            f"their order: fetch pictures and features from the same place."
        )
    pictures = [_thumbnail(folder / "images" / rows[i]["file"]) for i in kept]
    kinds, classes = np.unique(names[kept], return_inverse=True)
    breeds = tuple(str(kind).split("-", 1)[-1].replace("_", " ") for kind in kinds)
    return Album(np.stack(pictures), classes.astype(np.intp), breeds)


def _thumbnail(path: Path) -> NDArray[np.uint8]:
    from PIL import Image, ImageOps

    if not path.is_file():
        raise MissingDataError(
            f"The picture {path} is missing: fetch it, or leave this figure out."
        )
    with Image.open(path) as picture:
        small = ImageOps.fit(picture.convert("RGB"), (PIXELS, PIXELS))
    return np.asarray(small, dtype=np.uint8)


def _draw_album(title: str, album: Album, panes: Sequence[Pane]) -> Any:
    shown = [groups_of(pane.labels, album.classes) for pane in panes]
    height = max(_height(groups) for groups in shown)
    rows = -(-len(panes) // 2)
    sheet = new_sheet(12, rows * (5.9 * height / (WIDE * (1 + GAP)) + 0.3) + 0.8)
    grid = sheet.subplots(rows, 2, squeeze=False)
    for axes in grid.flat:
        axes.set_axis_off()
    for axes, pane, groups in zip(grid.flat, panes, shown, strict=False):
        _draw_groups(axes, album, groups)
        axes.set(xlim=(-GAP, WIDE * (1 + GAP)), ylim=(height, -GAP), aspect="equal")
        axes.set_title(pane.title, fontsize=11, loc="left")
    sheet.suptitle(title, fontsize=12)
    _explain(sheet, album.names)
    return sheet


def _height(groups: Groups) -> float:
    return sum(_rows(members) * (1 + GAP) + BREAK for members, _ in groups)


def _rows(members: Indices) -> int:
    return -(-len(members) // WIDE)


def _draw_groups(axes: Any, album: Album, groups: Groups) -> None:
    top = 0.0
    for members, own in groups:
        for position, sample in enumerate(members):
            down, across = divmod(position, WIDE)
            at = (across * (1 + GAP), top + down * (1 + GAP))
            _draw_picture(axes, album.pictures[sample], at)
            _draw_frame(axes, at, int(album.classes[sample]), own)
        top += _rows(members) * (1 + GAP) + BREAK


def _draw_picture(
    axes: Any, picture: NDArray[np.uint8], at: tuple[float, float]
) -> None:
    x, y = at
    axes.imshow(picture, extent=(x, x + 1, y + 1, y), interpolation="none")


def _draw_frame(axes: Any, at: tuple[float, float], kind: int, own: int) -> None:
    from matplotlib.patches import Rectangle

    frame: dict[str, Any] = {"fill": False, "edgecolor": _frame(kind), "linewidth": 2.2}
    axes.add_patch(Rectangle(at, 1, 1, **frame))
    if kind != own:  # in the corner, for the picture to be seen
        corner = (at[0] + 0.76, at[1] + 0.24)
        axes.plot(*corner, "o", color="white", markersize=9)
        axes.plot(*corner, "x", color=WRONG, markersize=6, markeredgewidth=2.2)


def _explain(sheet: Any, names: Sequence[str]) -> None:
    from matplotlib.lines import Line2D

    key: dict[str, Any] = {"linestyle": "", "markersize": 9, "markeredgewidth": 2.4}
    squares = {"marker": "s", "fillstyle": "none", **key}
    keys = [Line2D([], [], color=_frame(i), **squares) for i in range(len(names))]
    sheet.legend(
        [*keys, Line2D([], [], color=WRONG, marker="x", **key)],
        [*names, "not of the group's class"],
        loc="outside lower center",
        ncols=6,
        frameon=False,
    )


def _frame(kind: int) -> str:
    return FRAMES[kind % len(FRAMES)]
