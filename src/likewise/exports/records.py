"""Records of a file that somebody hands in: the border for what comes from outside."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

from likewise.errors import InputError, MissingExtraError

Record: TypeAlias = dict[str, Any]
MAX_BYTES = 1_000_000_000


def records_of(path: Path) -> Iterator[tuple[int, Record]]:
    r"""Yield the records of a file, each with the number of its line.

    Parameters
    ----------
    path : Path
        ``.csv`` or ``.tsv`` with a header, ``.jsonl`` with an object a line, or
        ``.parquet``, whose records count as lines.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "answers.csv"
    ...     _ = path.write_text("a,b,verdict\n1.png,2.png,same\n")
    ...     list(records_of(path))
    [(2, {'a': '1.png', 'b': '2.png', 'verdict': 'same'})]
    """
    reader = _READERS.get(path.suffix.lower())
    if not path.is_file():
        raise InputError(f"There is no file {path}: check the name.")
    if reader is None:
        raise InputError(
            f"{path.name} is of no known kind: give a {', '.join(_READERS)} file."
        )
    if path.stat().st_size > MAX_BYTES:
        raise InputError(
            f"{path.name} has more than {MAX_BYTES // 10**9} GB, which cannot be "
            f"answers or labels: split it, or check the name."
        )
    return _plainly(reader(path), path)


def at_line(path: Path, number: int, problem: str) -> InputError:
    """Return the error for a line that cannot be used."""
    return InputError(f"Line {number} of {path.name} {problem}: mend or remove it.")


def _plainly(
    records: Iterator[tuple[int, Record]], path: Path
) -> Iterator[tuple[int, Record]]:
    try:
        yield from records
    except UnicodeDecodeError:
        raise InputError(
            f"{path.name} is not UTF-8 text: save it as UTF-8 and try again."
        ) from None
    except (csv.Error, OSError) as error:
        raise InputError(
            f"{path.name} cannot be read ({error}): check that it is whole."
        ) from None


def _csv(path: Path) -> Iterator[tuple[int, Record]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        first = file.readline()
        file.seek(0)
        reader = csv.DictReader(file, delimiter=max(",;\t", key=first.count))
        for record in reader:
            if None in record or None in record.values():
                problem = f"has not {len(reader.fieldnames or ())} columns as the first"
                raise at_line(path, reader.line_num, problem)
            yield reader.line_num, record


def _jsonl(path: Path) -> Iterator[tuple[int, Record]]:
    with path.open(encoding="utf-8-sig") as file:
        for number, line in enumerate(file, start=1):
            if line.strip():
                yield number, _object(path, number, line)


def _object(path: Path, number: int, line: str) -> Record:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        raise at_line(path, number, "is no JSON") from None
    if not isinstance(record, dict):
        raise at_line(path, number, "is no JSON object")
    return record


def _parquet(path: Path) -> Iterator[tuple[int, Record]]:
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        raise MissingExtraError("pyarrow", "tables") from None
    number = 0
    try:
        with parquet.ParquetFile(path) as file:
            for batch in file.iter_batches():
                for record in batch.to_pylist():
                    number += 1
                    yield number, record
    except pa.ArrowException as error:
        raise OSError(str(error).partition("\n")[0].rstrip(".")) from None


_READERS: dict[str, Callable[[Path], Iterator[tuple[int, Record]]]] = {
    ".csv": _csv,
    ".tsv": _csv,
    ".jsonl": _jsonl,
    ".parquet": _parquet,
}
