"""The command line.

Exit codes: 0 all went well; 2 the input or an option cannot be used, said in one
sentence; 130 interrupted; 1 anything unforeseen.
"""

from __future__ import annotations

import sys
import warnings
from typing import Any

import typer

from likewise.cli import _app as app_
from likewise.cli import _ask as ask
from likewise.cli import _demo as demo
from likewise.cli import _exporting as exporting
from likewise.cli import _info as info
from likewise.cli import _reproduce as reproduce
from likewise.cli import _simulate as simulate
from likewise.cli._output import complain, say
from likewise.errors import (
    AssumptionWarning,
    CacheWarning,
    LikewiseError,
    PluginWarning,
)

app = typer.Typer(
    name="likewise",
    help="Sort anything into the groups you mean, by answering 'same or different?'.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command("demo")(demo.demo)
app.command("app")(app_.app)
app.command("ask")(ask.ask)
app.command("export")(exporting.export)
app.command("import")(exporting.import_)
app.command("simulate")(simulate.simulate)
app.command("reproduce")(reproduce.reproduce)
app.command("methods")(info.methods)
app.command("datasets")(info.datasets)
app.command("doctor")(info.doctor)


def main() -> None:
    """Run the command line; what goes wrong is one sentence, never a traceback."""
    warnings.showwarning = _show_warning
    try:
        app()
    except LikewiseError as error:
        complain(str(error))
        sys.exit(2)
    except KeyboardInterrupt:
        complain("Stopped.")
        sys.exit(130)


def _show_warning(
    message: Warning | str, category: type[Warning], *where: Any, **more: Any
) -> None:
    """Show our own warnings as sentences, all others as Python does."""
    if issubclass(category, AssumptionWarning | CacheWarning | PluginWarning):
        say(str(message))
    else:
        _python_shows(message, category, *where, **more)


_python_shows = warnings.showwarning
