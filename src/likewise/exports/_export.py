"""What leaves a project, and what may come into one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from likewise.errors import InputError
from likewise.exports._answers import answer_chunks
from likewise.exports._rows import Row, numbers_of, rows_of, traces_of
from likewise.exports._tables import csv_chunks, jsonl_chunks, parquet_chunks
from likewise.session import Session
from likewise.storage import Project


@dataclass(frozen=True, slots=True)
class Export:
    """A kind of file: the stem and suffix of its name, and its media type."""

    stem: str
    suffix: str
    media_type: str


EXPORTS = {
    "csv": Export("items", "csv", "text/csv; charset=utf-8"),
    "jsonl": Export("items", "jsonl", "application/x-ndjson"),
    "parquet": Export("items", "parquet", "application/vnd.apache.parquet"),
    "answers": Export("answers", "jsonl", "application/x-ndjson"),
}


def export_chunks(
    kind: str, project: Project, session: Session, *, raw: bool = False
) -> Iterator[bytes]:
    r"""Return a file piece by piece, as things stand when this is called.

    Parameters
    ----------
    kind : {"csv", "jsonl", "parquet", "answers"}
        The items with their groups, or the log of everything that was said.
    project : Project
    session : Session
        That of the project; it may go on while the pieces are read.
    raw : bool
        Whether a csv keeps texts that a spreadsheet would run as formulas.

    Examples
    --------
    >>> from likewise.storage import Item, open_store
    >>> project = open_store("memory://").create("leaves", {}, now=0.0)
    >>> _ = project.add_items([Item(f"{name}.png", "image") for name in "abc"])
    >>> session = Session([[0.0], [0.1], [9.0]], n_clusters=2)
    >>> next(export_chunks("csv", project, session))
    b'item,key,group,name,status,probability\r\n'
    """
    if kind == "answers":
        return answer_chunks(project)
    rows = rows_of(session, traces_of(project), numbers_of(project))
    return table_chunks(kind, rows, raw=raw)


def table_chunks(
    kind: str, rows: Iterator[Row], *, raw: bool = False
) -> Iterator[bytes]:
    """Return rows as a file of a kind, piece by piece."""
    match kind:
        case "csv":
            return csv_chunks(rows, raw=raw)
        case "jsonl":
            return jsonl_chunks(rows)
        case "parquet":
            return parquet_chunks(rows)
    raise InputError(f"There is no export {kind!r}: use {', '.join(EXPORTS)}.")


__all__ = ["EXPORTS", "Export", "Row", "export_chunks", "rows_of", "table_chunks"]
