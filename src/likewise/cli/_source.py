"""From what was named on the command line to samples."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from likewise import datasets
from likewise.affinity import gaussian
from likewise.datasets import Dataset, coded
from likewise.errors import InputError
from likewise.items import Reading, read_pile

Affinity = str | Callable[[Any], Any]


def labelled(name: str, data: Path | None, how: Reading) -> Dataset:
    """Return a data set by its name, or a file of the user's with its label column."""
    if name in datasets.DATASETS:
        return datasets.load(name, data)
    path = Path(name)
    if not path.suffix and not path.exists():
        return datasets.load(name, data)  # says which names there are
    pile = read_pile(path, how)
    if pile.labels is None:
        raise InputError(
            f"{path.name} has no labels to answer from: name its class column with "
            f"--label (in an .npz file, save the classes as y)."
        )
    return Dataset(path.stem, pile.X, coded(np.array(pile.labels)), "as the file says")


def chosen_affinity(
    name: str, bandwidth: float | None, paper: str = "gaussian"
) -> Affinity:
    """Return the affinity that the options name; "paper" means the paper's kernel."""
    if name == "paper":
        name = paper
    if bandwidth is None:
        return name
    if name != "gaussian":
        raise InputError("--bandwidth goes with --affinity gaussian only.")
    return partial(gaussian, bandwidth=bandwidth)


def known_k(text: str, truth: int | None = None) -> int | None:
    """Return the number of clusters that an option means, or None for unknown."""
    if text == "true":
        return truth
    if text == "unknown":
        return None
    try:
        return int(text)
    except ValueError:
        raise InputError(
            f"--n-clusters takes a number or 'unknown', but it is {text!r}."
        ) from None


def scaled(scale: str) -> bool:
    """Return whether tables are standardised."""
    if scale not in ("auto", "none"):
        raise InputError(f"--scale takes 'auto' or 'none', but it is {scale!r}.")
    return scale == "auto"
