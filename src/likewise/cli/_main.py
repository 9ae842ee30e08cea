"""The command line.

Exit codes: 0 all went well; 2 the input or an option cannot be used, said in one
sentence; 130 interrupted; 1 anything unforeseen.

Each command imports what it works with when it runs, so that help comes at once.
"""

from __future__ import annotations

import importlib.metadata
import sys
import traceback
import warnings
from collections.abc import Callable
from functools import wraps
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, ParamSpec, TypeVar

import typer

from likewise.cli._ask import ask
from likewise.cli._doctor import doctor
from likewise.cli._evaluating import reproduce, simulate
from likewise.cli._exporting import export, import_, restore
from likewise.cli._options import AsJson, DataFolder
from likewise.cli._output import (
    complain,
    print_chunks,
    print_json,
    print_table,
    say,
    visible_lines,
)
from likewise.cli._reading import read
from likewise.cli._serving import app as serve_path
from likewise.cli._serving import demo
from likewise.errors import (
    AssumptionWarning,
    CacheWarning,
    InputError,
    LikewiseError,
    MissingDataError,
    MissingExtraError,
    PluginWarning,
)

P = ParamSpec("P")
T = TypeVar("T")

APP = (
    "fastapi",
    "uvicorn",
    "sqlalchemy",
    "alembic",
    "jinja2",
    "PIL",
    "python_multipart",
)


def methods(as_json: AsJson = False) -> None:
    """List the methods."""
    from likewise.methods import METHODS

    if as_json:
        print_json([{"name": m.name, "about": m.about} for m in METHODS.values()])
    else:
        print_table(["method", "about"], [[m.name, m.about] for m in METHODS.values()])


def datasets(
    folder: DataFolder = None,
    as_json: AsJson = False,
) -> None:
    """List the data sets, and whether they can be loaded."""
    from likewise.datasets import DATASETS

    rows = [
        {"name": name, "about": entry.about, "status": _status(name, folder)}
        for name, entry in DATASETS.items()
    ]
    if as_json:
        print_json(rows)
        return
    print_table(["data set", "about", "status"], [list(row.values()) for row in rows])
    if any(row["status"] == "missing" for row in rows):
        say("Missing ones are looked for in the folder of --data or LIKEWISE_DATA.")


def _status(name: str, folder: Path | None) -> str:
    from likewise.datasets import DATASETS, load

    try:
        load(name, folder)
    except MissingDataError:
        return "missing"
    except InputError:
        return "damaged"
    return "bundled" if DATASETS[name].is_bundled else "found"


def _with_app(command: Callable[P, T]) -> Callable[P, T]:
    """Return a command that says what to install before it does anything."""

    @wraps(command)
    def checked(*arguments: P.args, **options: P.kwargs) -> T:
        for package in APP:
            if find_spec(package) is None:
                raise MissingExtraError(package, "app")
        return command(*arguments, **options)

    return checked


app = typer.Typer(  # every command
    name="likewise",
    help="Sort anything into the groups you mean, by answering 'same or different?'.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _print_version(is_wanted: bool) -> None:
    if is_wanted:
        print_chunks([f"likewise {importlib.metadata.version('likewise')}\n".encode()])
        raise typer.Exit


@app.callback()
def likewise(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            help="Print the version.",
            is_eager=True,
            callback=_print_version,
        ),
    ] = False,
) -> None:
    """Sort anything into the groups you mean, by answering 'same or different?'."""


app.command("demo")(_with_app(demo))
app.command("app")(_with_app(serve_path))
app.command("ask")(ask)
app.command("read")(_with_app(read))
app.command("export")(_with_app(export))
app.command("import")(_with_app(import_))
app.command("restore")(_with_app(restore))
app.command("simulate")(simulate)
app.command("reproduce")(reproduce)
app.command("methods")(methods)
app.command("datasets")(datasets)
app.command("doctor")(doctor)


def main() -> None:
    """Run the command line; what goes wrong is one sentence, never a traceback."""
    warnings.showwarning = _show_warning
    try:
        code = app(standalone_mode=False)
    except LikewiseError as error:
        complain(str(error))
        code = 2
    except (KeyboardInterrupt, typer.Abort):
        complain("Stopped.")
        code = 130
    except Exception as error:
        code = _shown(error)
    sys.exit(code or 0)


def _shown(error: Any) -> int:
    """Show what the reader of options says, or else where something went wrong."""
    if hasattr(error, "show") and hasattr(error, "message"):
        error.message = visible_lines(error.message)
        error.show()
        return int(error.exit_code)
    say(traceback.format_exc().rstrip())
    return 1


def _show_warning(
    message: Warning | str, category: type[Warning], *where: Any, **_: Any
) -> None:
    """Show our own warnings as sentences, all others as Python does."""
    if issubclass(category, AssumptionWarning | CacheWarning | PluginWarning):
        say(str(message))
    else:
        say(warnings.formatwarning(message, category, *where[:2]).rstrip())
