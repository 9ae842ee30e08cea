"""What everything says that needs an extra which is not there.

``python release/missing.py`` asks the environment whose Python runs it; with ``--hide
NAME`` (repeatable), what needs a module is asked as if that were not installed. It
prints a JSON list: what was tried, which extra it needs, what was to be said, and what
was said (null where nothing was missing).
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from contextlib import chdir, contextmanager, redirect_stdout
from dataclasses import dataclass
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType

START = """
from pathlib import Path
from likewise import ModelOracle, Session
from likewise.affinity import Search, nearest_neighbours
from likewise.cli import app
from likewise.encoders import encoder_for, open_picture
from likewise.exports import chunks_of, read_answers
from likewise.items import read_columns
from likewise.session import plane_of
from likewise.storage import Item, open_store
import numpy as np
Path("empty.parquet").touch()
X = np.arange(12.0).reshape(6, 2)
"""


@dataclass(frozen=True)
class Entry:
    """Something that needs an extra.

    Attributes
    ----------
    extra : str
    package : str
        What is missing first, as the sentence names it.
    code : str
        Run after ``START``, in an empty folder.
    hidden : str
        The module that is hidden where the package is to be missing.
    behind : tuple of str
        Modules without which it is not reached: others are missing before.
    """

    extra: str
    package: str
    code: str
    hidden: str
    behind: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """What is to be said."""
        return (
            f"This needs {self.package}, which is not installed: "
            f"run `pip install 'likewise[{self.extra}]'`."
        )


def _command(*words: str) -> Entry:
    code = f"app({list(words)!r}, standalone_mode=False)"
    return Entry("app", "fastapi", code, "fastapi")


def _tables(package: str, code: str) -> Entry:
    return Entry("tables", package, code, package)


SQL = ("sqlalchemy", "alembic")
SESSION = "session = Session(X, n_clusters=2)"
EMPTY = "project = open_store('memory://').create('p', {}, now=0.0)"

ENTRIES = (
    _command("demo", "--host", "nowhere.invalid"),
    _command("app", "--host", "nowhere.invalid"),
    _command("app", "nowhere"),
    _command("export", "."),
    _command("import", ".", "answers.jsonl"),
    _command("restore", "."),
    _command("read", ".", "--model", "m"),
    Entry("app", "sqlalchemy", "Session.open('sqlite:///p.db', X)", "sqlalchemy"),
    Entry("app", "sqlalchemy", "open_store('p.db')", "sqlalchemy"),
    Entry(
        "postgres",
        "psycopg",
        "open_store('postgresql://127.0.0.1:1/p')",
        "psycopg",
        SQL,
    ),
    Entry(
        "dask",
        "distributed",
        "from likewise.experiments.paper import on_cluster\n"
        "list(on_cluster([], 'nowhere'))",
        "distributed",
    ),
    Entry("images", "Pillow", "open_picture(b'')", "PIL"),
    Entry("images", "torch", "encoder_for('image', 'lite0')", "torch", ("PIL",)),
    Entry(
        "gpu",
        "torch",
        "nearest_neighbours(X, 2, search=Search('torch-cpu', 6, 6))",
        "torch",
    ),
    Entry("map", "umap-learn", "plane_of(X, 0, 'umap')", "umap"),
    Entry("model", "httpx", "ModelOracle(['a', 'b'], model='m')", "httpx"),
    Entry(
        "plots",
        "matplotlib",
        "from likewise.experiments.paper import draw_curves\n"
        "draw_curves({}, 'title', Path('p.png'))",
        "matplotlib",
    ),
    Entry(
        "scale",
        "faiss",
        "nearest_neighbours(X, 2, search=Search('flat', 6, 6))",
        "faiss",
    ),
    Entry(
        "sentences",
        "sentence-transformers",
        "encoder_for('text', 'sentences:m')",
        "sentence_transformers",
    ),
    Entry("text", "onnxruntime", "encoder_for('text', 'minilm')", "onnxruntime"),
    Entry(
        "notebook",
        "anywidget",
        f"from likewise import widget\n{SESSION}; widget(session)",
        "anywidget",
    ),
    Entry("polars", "polars", f"{SESSION}; session.to_frame('polars')", "polars"),
    _tables("pandas", f"{SESSION}; session.to_frame()"),
    _tables("openpyxl", "read_columns(Path('t.xlsx'))"),
    _tables("pyarrow", "read_columns(Path('t.parquet'))"),
    _tables("openpyxl", f"{SESSION}; list(chunks_of('xlsx', [], session, None))"),
    _tables("pyarrow", f"{SESSION}; list(chunks_of('parquet', [], session, None))"),
    _tables("pyarrow", f"{EMPTY}; read_answers(Path('empty.parquet'), project)"),
)


class Without:
    """Finds modules as Python does, but for some, which are as if not installed."""

    find_distributions = staticmethod(PathFinder.find_distributions)  # for versions

    def __init__(self, hidden: Sequence[str]) -> None:
        self.hidden = frozenset(hidden)

    def find_spec(
        self,
        name: str,
        path: Sequence[str] | None = None,
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        """Return nothing for what is hidden."""
        if name.partition(".")[0] in self.hidden:
            return None
        return PathFinder.find_spec(name, path, target)

    def hide(self) -> None:
        """Take the place of the usual finder."""
        sys.meta_path[:] = [one for one in sys.meta_path if one is not PathFinder]
        sys.meta_path.append(self)


@contextmanager
def _elsewhere() -> Iterator[None]:
    """Work in an empty folder, below which projects are kept too."""
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder, chdir(folder):
        os.environ["LIKEWISE_HOME"] = str(Path(folder) / "home")
        yield


def said_by(entry: Entry) -> str | None:
    """Return what an entry says is missing; None where nothing is."""
    from likewise import MissingExtraError

    try:
        exec(START + entry.code, {})  # the code above, and no other
    except MissingExtraError as error:
        return str(error)
    except Exception:  # nothing was missing: it came further than that
        return None
    return None


def tried(hidden: Sequence[str]) -> list[dict[str, str | None]]:
    """Return what each entry says that can be reached, and is asked about."""
    Without(hidden).hide()
    asked = [one for one in ENTRIES if not hidden or one.hidden in hidden]
    with warnings.catch_warnings(), _elsewhere(), redirect_stdout(sys.stderr):
        warnings.simplefilter("ignore")
        return [
            {
                "extra": one.extra,
                "code": one.code,
                "sentence": one.sentence,
                "said": said_by(one),
            }
            for one in asked
            if all(find_spec(module) is not None for module in one.behind)
        ]


if __name__ == "__main__":
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--hide", action="append", default=[])
    print(json.dumps(tried(parser.parse_args().hide)))
