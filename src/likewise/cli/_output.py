"""Where words go: data to standard output, words for people to standard error."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import typer


def say(words: str) -> None:
    """Say something to the person."""
    typer.echo(words, err=True)


def complain(words: str) -> None:
    """Say what went wrong."""
    typer.echo(f"likewise: {words}", err=True)


def print_json(data: Any) -> None:
    """Print data for programs."""
    typer.echo(json.dumps(data))


def print_table(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print data for people: a table on a terminal, tab-separated lines otherwise."""
    from rich.console import Console

    console = Console(highlight=False)
    if not console.is_terminal:
        for row in (header, *rows):
            typer.echo("\t".join(map(str, row)))
        return
    from rich.table import Table

    table = Table(*header, box=None, pad_edge=False)
    for row in rows:
        table.add_row(*map(str, row))
    console.print(table)


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
        shown.TextColumn("{task.description}"),
        shown.BarColumn(),
        shown.MofNCompleteColumn(),
        shown.TimeRemainingColumn(),
        shown.TextColumn("{task.fields[note]}"),
        console=console,
        transient=True,
    ) as bar:
        task = bar.add_task(title, total=total, note="")
        yield lambda done, note: bar.update(task, completed=done, note=note)


def _plain_lines(title: str, total: int) -> Callable[[int, str], None]:
    due = [total * fifth // 5 for fifth in range(5, 0, -1)]

    def update(done: int, note: str) -> None:
        if due and done >= due[-1]:
            due.pop()
            say(f"{title}: {done} of {total}" + (f", {note}" if note else ""))

    return update
