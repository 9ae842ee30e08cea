"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

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
Scale = Annotated[
    str, typer.Option("--scale", help="auto (tables are standardised) or none.")
]
Device = Annotated[
    str,
    typer.Option("--device", help="cuda: a graphics card solves large spectra."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print for programs.")]
