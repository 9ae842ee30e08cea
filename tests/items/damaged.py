"""Small valid files of every kind, and what can happen to them."""

from __future__ import annotations

import io
import json
import os
import random
import re
import sqlite3
import struct
import sys
import tempfile
import unicodedata
import warnings
import zipfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from likewise.errors import LikewiseError
from likewise.items import Reading, read_table

TABLE = 'size,colour,"a name"\n1,red,"x, y"\n2.5,blue,z\n-3e2,red,"x, y"\n4,blue,z\n'


def valid() -> dict[str, bytes]:
    """Return the content of a whole file by its suffix."""
    import pyarrow as pa
    from pyarrow import parquet

    X = np.arange(24, dtype=np.float64).reshape(8, 3)
    y = np.array(list("aabbccdd"))
    columns = {"size": [1.0, 2.5, 4.0] * 4, "colour": ["red", "blue", "red"] * 4}
    plain, packed, archive, table = (io.BytesIO() for _ in range(4))
    np.save(plain, X)
    np.savez(archive, X=X, y=y)
    np.savez_compressed(packed, X=X.astype(np.float32), y=y)
    parquet.write_table(pa.table(columns), table)
    records = [{"size": 1, "in": {"colour": "red"}}, {"size": 2.5, "tags": ["a"]}]
    lines = "\n".join(map(json.dumps, records * 3))
    return {
        ".npy": plain.getvalue(),
        ".npz": archive.getvalue(),
        ".NPZ": packed.getvalue(),
        ".csv": TABLE.encode(),
        ".tsv": TABLE.replace(",", "\t").encode(),
        ".txt": b"red apple\ngreen apple\nblue car\n",
        ".parquet": table.getvalue(),
        ".jsonl": lines.encode(),
        ".json": json.dumps(records * 3).encode(),
        ".xlsx": workbook({"Sheet": [["size", "colour"], [1, "red"], [2.5, "blue"]]}),
        ".sqlite": database({"t": [["size", "colour"], [1, "red"], [2.5, "blue"]]}),
    }


def workbook(sheets: dict[str, list[list[Any]]]) -> bytes:
    """Return a workbook with these sheets of rows."""
    import openpyxl

    book, packed = openpyxl.Workbook(), io.BytesIO()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(packed)
    return packed.getvalue()


def database(tables: dict[str, list[list[Any]]]) -> bytes:
    """Return a database with these tables; the first row names the columns."""
    with closing(sqlite3.connect(":memory:")) as db:
        for name, (head, *rows) in tables.items():
            columns = ", ".join(f'"{column}"' for column in head)
            db.execute(f'CREATE TABLE "{name}" ({columns})')
            marks = ", ".join("?" * len(head))
            db.executemany(f'INSERT INTO "{name}" VALUES ({marks})', rows)
        db.commit()
        return db.serialize()


def mutations(content: bytes, seed: int, n: int) -> Iterator[bytes]:
    """Yield damaged copies: cut off, with other bytes, with enormous numbers."""
    draw = random.Random(seed)
    for _ in range(n):
        made = bytearray(content)
        draw.choice(_WAYS)(made, draw)
        yield bytes(made)


def _cut_off(made: bytearray, draw: random.Random) -> None:
    del made[draw.randrange(len(made)) :]


def _cut_out(made: bytearray, draw: random.Random) -> None:
    at = draw.randrange(len(made))
    del made[at : at + draw.randrange(1, 9)]


def _put_in(made: bytearray, draw: random.Random) -> None:
    at = draw.randrange(len(made))
    made[at:at] = draw.randbytes(draw.randrange(1, 9))


def _enlarge(made: bytearray, draw: random.Random) -> None:
    at = draw.randrange(len(made))
    made[at : at + 4] = struct.pack("<i", draw.choice([-1, 2**31 - 1, 2**30, 0]))


def _enlarge_words(made: bytearray, draw: random.Random) -> None:
    found = list(re.finditer(rb"\d+", bytes(made)))
    if found:
        one = draw.choice(found)
        made[one.start() : one.end()] = draw.choice(NUMBERS)


def _flip(made: bytearray, draw: random.Random) -> None:
    for _ in range(draw.randrange(1, 5)):
        made[draw.randrange(len(made))] = draw.randrange(256)


NUMBERS = [b"99999999999999", b"-5", b"1e999", b"0", b"1000000"]
_WAYS = [_cut_off, _cut_out, _put_in, _enlarge, _enlarge_words, _flip]


def outcome(path: Path) -> str:
    """Return "works", or the sentence that says why not; anything else is raised."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            read_table(path, Reading())
        except LikewiseError as error:
            return str(error)
    return "works"


def is_a_sentence(words: str) -> bool:
    """Tell whether a message is one line that ends as a sentence does."""
    odd = any(unicodedata.category(sign) in ("Cc", "Cs") for sign in words)
    return words.endswith(".") and not odd


def main(suffix: str, seed: int, n: int, memory: int) -> None:
    """Read damaged copies of one file under a limit of memory."""
    import resource

    contents = list(mutations(valid()[suffix], seed, n))
    outcome(_written(contents[0], suffix))  # what is imported is imported
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    n_works = 0
    for at, content in enumerate(contents):
        found = outcome(_written(content, suffix))
        n_works += found == "works"
        if found != "works" and not is_a_sentence(found):
            sys.exit(f"mutation {at}: {found!r}")
    print(n_works)


def _written(content: bytes, suffix: str) -> Path:
    path = Path(tempfile.gettempdir()) / f"damaged-{os.getpid()}{suffix}"
    path.write_bytes(content)
    return path


def inflated(rows: int, columns: int, claimed: int) -> bytes:
    """Return an archive that says to hold far more than it does."""
    head = io.BytesIO()
    shape = {"descr": "<f8", "fortran_order": False, "shape": (rows, columns)}
    np.lib.format.write_array_header_1_0(head, shape)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("X.npy", head.getvalue() + bytes(100_000))
    content = file.getvalue()
    real = struct.pack("<I", len(head.getvalue()) + 100_000)
    return content.replace(real, struct.pack("<I", claimed))


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
