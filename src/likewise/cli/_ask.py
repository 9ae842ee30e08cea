"""``likewise ask``: the questions in the terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from likewise._regime import EXACT_SEARCH
from likewise.cli._options import (
    AffinityName,
    AsJson,
    Bandwidth,
    ColumnsSaid,
    Device,
    Ignore,
    Method,
    Scale,
    chosen_affinity,
    known_k,
    reading_of,
)
from likewise.cli._output import print_json, print_table, progress, say, visible

if TYPE_CHECKING:
    from likewise.items import Table
    from likewise.knowledge import Question
    from likewise.session import Session

KEYS = {"s": "same", "d": "different", "u": "unsure"}
HELP = "[s]ame  [d]ifferent  [u]nsure  [z] undo  [q]uit"


def ask(
    path: Annotated[Path, typer.Argument(help="A table, features, or texts (.txt).")],
    answers: Annotated[
        Path | None, typer.Option(help="Where answers are kept; taken up again.")
    ] = None,
    method: Method = "likewise",
    n_clusters: Annotated[
        str, typer.Option(help="A number, or 'unknown'.")
    ] = "unknown",
    affinity: AffinityName = "auto",
    bandwidth: Bandwidth = None,
    columns: ColumnsSaid = None,
    ignore: Ignore = None,
    scale: Scale = "auto",
    device: Device = "cpu",
    as_json: AsJson = False,
) -> None:
    """Ask about pairs until you stop; then print the group of each sample.

    Every answer is kept before the next question is shown, in a file named after the
    data (in the present folder) unless --answers names another.
    """
    from likewise.items import read_table
    from likewise.session import Session
    from likewise.storage import JsonLinesJournal

    table = read_table(path, reading_of(None, ignore, scale, columns))
    kept = answers or Path(f"{path.stem}.answers.jsonl")
    journal = JsonLinesJournal(kept)
    is_long = table.X.shape[0] > EXACT_SEARCH
    with progress("Searching for neighbours", 100) as watch:
        session = Session(
            table.X,
            method,
            known_k(n_clusters),
            chosen_affinity(affinity, bandwidth),
            journal=journal,
            device=device,
            progress=partial(_percent, watch) if is_long else None,
        )
    journal.lock()
    if session.n_questions:
        say(f"Going on after {session.n_questions} answers in {kept}.")
    _converse(session, table)
    _report(session, as_json)


def _percent(watch: Callable[[int, str], None], done: int, total: int) -> None:
    watch(100 * done // total, "")


def _converse(session: Session, table: Table) -> None:
    while True:
        question = session.ask()
        if question is None:
            say("Everything is settled: there is nothing left to ask.")
            return
        _show(question, table, session)
        key = _key()
        if key == "q":
            return
        if key == "z":
            say("Undone." if session.undo() else "There is nothing to undo.")
        elif key in KEYS:
            session.tell(question, KEYS[key])
        else:
            say(f"Type one of these keys: {HELP}")


def _show(question: Question, table: Table, session: Session) -> None:
    progress = session.progress
    say(
        f"\nQuestion {session.n_questions + 1}   "
        f"({int(session.labels.max()) + 1} groups)\n{progress.sentence}"
    )
    left, right = _seen(table, question.sample), _seen(table, question.against)
    width = max(map(len, left))
    if "text" not in left:
        say(f"  {'':<{width}}  {'A':>12}  {'B':>12}")
    for name in left:
        if name == "text":
            say(f"  A: {left[name]}\n  B: {right[name]}")
        else:
            say(f"  {name:<{width}}  {left[name]:>12}  {right[name]:>12}")
    say(f"Same group or different?  {HELP}")


def _seen(table: Table, sample: int) -> dict[str, str]:
    """Return what is shown of a sample: whatever it holds, it keeps to its line."""
    shown = table.shown[sample]
    return {visible(name): visible(str(value)) for name, value in shown.items()}


def _key() -> str:
    """Return one key on a terminal, the first letter of a line otherwise."""
    if sys.stdin.isatty():
        return typer.getchar().lower()
    line = sys.stdin.readline()
    return line.strip().lower()[:1] if line else "q"


def _report(session: Session, as_json: bool) -> None:
    labels = session.labels.tolist()
    if as_json:
        result: dict[str, Any] = {"questions": session.n_questions, "labels": labels}
        print_json(result)
        return
    say(f"\n{session.n_questions} answers, {max(labels) + 1} groups.")
    say(f"{session.progress.sentence} {session.progress.standing}")
    print_table(["sample", "group"], enumerate(labels))
