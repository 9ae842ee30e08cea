"""The command line in Markdown, by Typer's own generator."""

from __future__ import annotations

from typer import Context
from typer.cli import get_docs_for_click
from typer.main import get_command

from likewise.cli import app


def commands() -> str:
    """Return a section for each command, without the title of them all."""
    command = get_command(app)
    context = Context(command, info_name="likewise")
    text = get_docs_for_click(obj=command, ctx=context, name="likewise")
    return text[text.index("## ") :]
