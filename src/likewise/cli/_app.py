"""``likewise app``: sort a folder or a file in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from likewise.cli._homes import home_of
from likewise.cli._options import AsJson, Device, Ignore, Method, Scale
from likewise.cli._serving import (
    AskPassword,
    Host,
    Listening,
    NoBrowser,
    Port,
    Sorting,
    Who,
    chosen_password,
    run_app,
)
from likewise.cli._source import known_k, scaled
from likewise.errors import InputError
from likewise.items import Reading
from likewise.methods import find_method


def app(
    path: Annotated[
        Path, typer.Argument(help="A folder of pictures or texts, or a file.")
    ],
    encoder: Annotated[str, typer.Option(help="How things become numbers.")] = "auto",
    method: Method = "likewise",
    n_clusters: Annotated[
        str, typer.Option(help="How many groups, or 'unknown'.")
    ] = "unknown",
    criterion: Annotated[
        str | None, typer.Option(help="The question that people are to answer.")
    ] = None,
    checks: Annotated[
        int | None,
        typer.Option(
            min=0, max=1000, help="One question in so many is a check; 0 for none."
        ),
    ] = None,
    label: Annotated[str | None, typer.Option(help="Column to leave out.")] = None,
    ignore: Ignore = None,
    scale: Scale = "auto",
    device: Device = "cpu",
    download: Annotated[
        bool, typer.Option("--download", help="Weights of a model may be fetched.")
    ] = False,
    project: Annotated[
        str | None,
        typer.Option(help="A .db file or a postgresql:// URL to keep it in."),
    ] = None,
    name: Annotated[str | None, typer.Option(help="Of the project.")] = None,
    who: Who = "me",
    host: Host = "127.0.0.1",
    port: Port = None,
    password: AskPassword = False,
    no_browser: NoBrowser = False,
    as_json: AsJson = False,
) -> None:
    """Sort a folder or a file by answering questions in the browser."""
    from likewise.app import PathSource

    if not path.exists():
        raise InputError(f"There is no {path}: name a folder or a file.")
    path = path.resolve()
    home = home_of(path)
    reading = Reading(label, tuple(ignore or ()), scaled(scale))
    said = {"criterion": criterion, "checks": checks}
    sorting = Sorting(
        url=project or f"sqlite:///{home / 'project.db'}",
        name=name or path.stem,
        source=PathSource(path, encoder, home / "vectors", reading, download),
        home=home,
        options={
            "method": find_method(method).name,
            "n_clusters": known_k(n_clusters),
            "random_state": 0,
        },
        settings={key: value for key, value in said.items() if value is not None},
        device=device,
    )
    shut = chosen_password(host, password)
    run_app(sorting, Listening(host, port, shut, who, no_browser, as_json))
