"""Options that several commands share, and what their values mean."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from likewise.errors import InputError

if TYPE_CHECKING:
    from likewise.items import Reading

Method = Annotated[str, typer.Option("--method", help="See `likewise methods`.")]
AffinityName = Annotated[
    str,
    typer.Option("--affinity", help="auto, gaussian, chi2, cosine; simulate: paper."),
]
Bandwidth = Annotated[
    float | None, typer.Option("--bandwidth", help="Of the Gaussian kernel.")
]
DataFolder = Annotated[Path | None, typer.Option("--data", help="The data folder.")]
Ignore = Annotated[
    list[str] | None,
    typer.Option("--ignore", help="Column of a table to leave out; repeatable."),
]
ColumnsSaid = Annotated[
    str | None,
    typer.Option(
        "--columns",
        help="What columns hold, as NAME:KIND:WEIGHT,…; or 'guessed', without asking.",
    ),
]
Title = Annotated[
    str | None, typer.Option("--title", help="Column that names the rows.")
]
Duplicates = Annotated[
    bool,
    typer.Option("--duplicates", help="Look for the same thing entered twice."),
]
Scale = Annotated[
    str, typer.Option("--scale", help="auto (tables are standardised) or none.")
]
Device = Annotated[
    str,
    typer.Option(
        "--device",
        help="cuda: a graphics card finds neighbours and solves large spectra.",
    ),
]
Who = Annotated[str, typer.Option(help="Your name, beside your answers.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print for programs.")]


def chosen_affinity(
    name: str, bandwidth: float | None, paper: str = "gaussian"
) -> str | Callable[[Any], Any]:
    """Return the affinity that the options name; "paper" means the paper's kernel."""
    if name == "paper":
        name = paper
    if bandwidth is None:
        return name
    if name != "gaussian":
        raise InputError("--bandwidth goes with --affinity gaussian only.")
    from likewise.affinity import gaussian

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


GUESSED = "guessed"  # columns, without anybody being asked


def reading_of(
    label: str | None,
    ignore: list[str] | None,
    scale: str,
    columns: str | None = None,
    title: str | None = None,
    *,
    duplicates: bool = False,
) -> Reading:
    """Return how the options want a table to be read."""
    from likewise.items import Reading

    if scale not in ("auto", "none"):
        raise InputError(f"--scale takes 'auto' or 'none', but it is {scale!r}.")
    said = [] if columns in (None, GUESSED) else list(_columns_of(str(columns)))
    return Reading(
        label,
        tuple(ignore or ()),
        scale == "auto",
        kinds=tuple((name, kind) for name, kind, _ in said if kind),
        weights=tuple((name, weight) for name, _, weight in said if weight is not None),
        title=title,
        seek="duplicates" if duplicates else "groups",
    )


def _columns_of(words: str) -> Iterator[tuple[str, str, float | None]]:
    """Yield the name, the kind and the weight of each column that is said.

    A name with a comma stands in quotes.
    """
    for one in next(csv.reader([words], skipinitialspace=True)):
        name, *rest = one.rsplit(":", 2)
        kind, weight = (*rest, "", "")[:2]
        if len(rest) == 1 and _is_weight(kind):
            kind, weight = "", kind
        if not name or (weight and not _is_weight(weight)):
            raise InputError(
                f"--columns takes NAME:KIND:WEIGHT, such as price:number:2, but one of "
                f"them is {one!r}."
            )
        yield name, kind, float(weight) if weight else None


def _is_weight(words: str) -> bool:
    try:
        float(words)
    except ValueError:
        return False
    return True
