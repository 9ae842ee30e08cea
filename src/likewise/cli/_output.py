"""Where words go: data to standard output, words for people to standard error."""

from __future__ import annotations

import json
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import typer

JOINERS = "\u200c\u200d"  # letters are shown joined or not; nothing else happens


def visible(text: str) -> str:
    r"""Return a text in which nothing speaks to the terminal: all of it is seen.

    Names of files and groups may hold anything. Control characters, ends of lines among
    them, are written as Python writes them, and so is what turns the direction of
    writing, has no width or is no Unicode.

    Examples
    --------
    >>> print(visible("oak\x1b[2J\n"))
    oak\x1b[2J\n
    """
    if text.isprintable():
        return text
    return "".join(
        sign if sign.isprintable() or _is_plain(sign) else repr(sign)[1:-1]
        for sign in text
    )


def _is_plain(sign: str) -> bool:
    """Tell whether a sign that Python does not print does nothing to a terminal."""
    return sign in JOINERS or unicodedata.category(sign) in ("Zs", "Co", "Cn")


def visible_lines(text: str) -> str:
    """Return the same of a text whose lines are ours."""
    return "\n".join(map(visible, text.split("\n")))


def say(words: str) -> None:
    """Say something to the person; lines may be several, but nothing else is obeyed."""
    typer.echo(visible_lines(words), err=True)


def complain(words: str) -> None:
    """Say what went wrong, on one line."""
    typer.echo(f"likewise: {visible(words)}", err=True)


def print_json(data: Any) -> None:
    """Print data for programs."""
    typer.echo(json.dumps(data))


def print_table(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print data for people: a table on a terminal, tab-separated lines otherwise."""
    from rich.console import Console

    console = Console(highlight=False)
    if not console.is_terminal:
        for row in (header, *rows):
            typer.echo("\t".join(visible(str(cell)) for cell in row))
        return
    from rich.table import Table
    from rich.text import Text  # as it is: a name may look like markup

    table = Table(*header, box=None, pad_edge=False)
    for row in rows:
        table.add_row(*(Text(visible(str(cell))) for cell in row))
    console.print(table)


def print_chunks(chunks: Iterable[bytes]) -> None:
    """Print a file as it is; on a terminal, as text that does nothing to it."""
    if not sys.stdout.isatty():
        sys.stdout.buffer.writelines(chunks)
        sys.stdout.buffer.flush()
        return
    for line in b"".join(chunks).decode(errors="replace").splitlines():
        typer.echo(visible(line))


@contextmanager
def progress(title: str, total: int) -> Iterator[Callable[[int, str], None]]:
    """Show how far something is: a bar on a terminal, five plain lines otherwise.

    Yields
    ------
    callable
        ``update(done, note)``.
    """
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:
        yield _plain_lines(title, total)
        return
    from rich import progress as shown

    with shown.Progress(
        shown.TextColumn("{task.description}", markup=False),
        shown.BarColumn(),
        shown.MofNCompleteColumn(),
        shown.TimeRemainingColumn(),
        shown.TextColumn("{task.fields[note]}", markup=False),
        console=console,
        transient=True,
    ) as bar:
        task = bar.add_task(visible(title), total=total, note="")
        yield lambda done, note: bar.update(task, completed=done, note=visible(note))


def _plain_lines(title: str, total: int) -> Callable[[int, str], None]:
    due = [total * fifth // 5 for fifth in range(5, 0, -1)]

    def update(done: int, note: str) -> None:
        if due and done >= due[-1]:
            due.pop()
            say(f"{title}: {done} of {total}" + (f", {note}" if note else ""))

    return update
