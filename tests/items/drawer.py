"""A drawer of ugly tables: each trouble that real ones have, at least once."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from tests.items.damaged import database, workbook

TREES = ("oak", "elm", "ash")
STREETS = ("Mill Lane", "High Street", "Station Road", "Church Walk", "Park View")
PEOPLE = ("Ann", "Bob", "Cleo", "Dan", "Eve", "Finn", "Gil", "Hana", "Ivo", "Jo")


@dataclass(frozen=True)
class Ugly:
    """A table in a file of its own.

    Attributes
    ----------
    file : str
        Its name.
    content : callable
        Returns its bytes.
    kinds : mapping
        What its columns hold.
    noticed : tuple of str
        Parts of what is to be said about it.
    part : str
        Which sheet or table is meant.
    """

    file: str
    content: Callable[[], bytes]
    kinds: Mapping[str, str]
    noticed: tuple[str, ...] = ()
    part: str = ""
    beside: Mapping[str, Callable[[], bytes]] = field(default_factory=dict)

    def write(self, folder: Path) -> Path:
        """Write it, and what lies beside it; return the path to name."""
        for name, content in {self.file: self.content, **self.beside}.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content())
        return folder / f"{self.file}{self.part}"


def rows(n: int = 24, seed: int = 0) -> list[dict[str, Any]]:
    """Return rows about trees: two groups that differ in everything."""
    draw = np.random.default_rng(seed)
    made = []
    for at in range(n):
        is_large = at % 2
        made.append(
            {
                "tree": TREES[at % 3],
                "height": round(float(draw.normal(20 if is_large else 5, 1)), 2),
                "count": int(draw.integers(100, 200) * (10 if is_large else 1)),
            }
        )
    return made


def text_of(
    table: list[dict[str, Any]], separator: str = ",", decimal: str = "."
) -> str:
    lines = [separator.join(table[0])]
    for row in table:
        cells = (
            str(v).replace(".", decimal) if isinstance(v, float) else str(v)
            for v in row.values()
        )
        lines.append(separator.join(cells))
    return "\n".join(lines) + "\n"


PLAIN = {"tree": "category", "height": "number", "count": "number"}


def _spaced() -> bytes:
    lines = [f"  {row['height']}    {row['count']}" for row in rows()]
    return "\n".join(["height count", *lines]).encode()


def _european() -> bytes:
    lines = ["Baum;Höhe;Preis"]
    lines += [
        f"{r['tree']};{r['height']:.2f}".replace(".", ",")
        + f";1.{r['count'] % 1000:03d},50 €"
        for r in rows()
    ]
    return "\r\n".join(lines).encode("cp1252")


def _currency() -> bytes:
    lines = ["tree,price,share"]
    lines += [f'{r["tree"]},"${r["count"] * 10:,}.00",{r["height"]}%' for r in rows()]
    return "\n".join(lines).encode()


def _ragged() -> bytes:
    lines = text_of(rows()).splitlines()
    lines[3] += ",extra,more"
    lines[5] = "oak"
    lines[9] = ""
    return "\n".join(lines).encode()


def _missing() -> bytes:
    table = rows()
    for at, name, value in ((2, "height", "n/a"), (5, "height", ""), (7, "tree", "?")):
        table[at][name] = value
    table[9]["count"] = "about 12"
    table[11]["height"] = "#DIV/0!"
    return text_of(table).encode()


def _no_header() -> bytes:
    return "\n".join(text_of(rows()).splitlines()[1:]).encode()


def _twins() -> bytes:
    body = text_of(rows()).splitlines()[1:]
    return "\n".join(["tree,,tree", *body]).encode()


def _preamble() -> bytes:
    lines = ["Report of the forestry office", "", "Printed on 3 May", "", ""]
    return ("\n".join(lines) + text_of(rows())).encode()


def _quotes() -> bytes:
    head, *body = text_of(rows()).splitlines()
    body = [
        f'"{line.split(",")[0]}\nof the wood",' + line.split(",", 1)[1] for line in body
    ]
    return "\n".join([head, *body]).encode()


def _open_quote() -> bytes:
    lines = text_of(rows()).splitlines()
    lines[4] = lines[4].replace(lines[4].split(",")[0], '"oak', 1)
    return "\n".join(lines).encode()


def _dates() -> bytes:
    lines = ["no;planted;seen;felled;year;alive"]
    for at in range(24):
        planted = date(1990 + at % 7, 1 + at % 12, 13 + at % 9)
        seen = datetime(2024, 1 + at % 12, 1 + at, at % 24, 30)
        felled = "" if at % 3 else f"{seen:%b} {seen.day}, {seen.year}"
        cells = (at + 1, f"{planted:%d.%m.%Y}", f"{seen:%m/%d/%Y %H:%M}")
        lines.append(
            ";".join(map(str, (*cells, felled, 1950 + at, "ja" if at % 2 else "nein")))
        )
    return "\n".join(lines).encode()


def _people() -> bytes:
    lines = ["id|name|address|zip|note"]
    for at in range(40):
        name = f"{PEOPLE[at % 10]} {PEOPLE[(at * 3 + at // 10) % 10]}son"
        street = f"{at + 1} {STREETS[at * 3 % 5]}"
        note = "Came in person and asked for the large one with the green handle " * 2
        said = f"{note}{PEOPLE[at % 7]}" if at % 2 else f"Wrote a letter. {note}"
        lines.append(f"P-{1000 + at}|{name}|{street}|0{1000 + at % 9}|{said}")
    return "\n".join(lines).encode()


def _outlier() -> bytes:
    table = rows()
    table[0]["height"] = 1e12
    return text_of(table).encode()


def _constant() -> bytes:
    lines = [f"{line},x,," for line in text_of(rows()).splitlines()[1:]]
    return "\n".join(["tree,height,count,always,never,", *lines]).encode()


def _parquet() -> bytes:
    import pyarrow as pa
    from pyarrow import parquet

    table, packed = rows(), io.BytesIO()
    columns = {
        "tree": [row["tree"] for row in table],
        "height": [None if at == 3 else r["height"] for at, r in enumerate(table)],
        "tags": [["tall", "old"] if at % 2 else ["young"] for at in range(24)],
        "vector": [[0.5, 0.25]] * 24,
        "place": [{"x": at % 4, "y": 1} for at in range(24)],
        "seen": [datetime(2024, 1, 1 + at) for at in range(24)],
    }
    parquet.write_table(pa.table(columns), packed)
    return packed.getvalue()


def _twin_parquet() -> bytes:
    import pyarrow as pa
    from pyarrow import parquet

    packed, heights = io.BytesIO(), [row["height"] for row in rows()]
    arrays = [pa.array(heights), pa.array([-height for height in heights])]
    parquet.write_table(pa.Table.from_arrays(arrays, names=["a", "a"]), packed)
    return packed.getvalue()


def _lines() -> bytes:
    made = [
        json.dumps({"tree": r["tree"], "of": {"height": r["height"]}}) for r in rows()
    ]
    made[4] = "{broken"
    made.append(json.dumps({"tree": "oak", "tags": ["a", "b"]}))
    return "\n".join(made).encode()


def _records() -> bytes:
    return json.dumps({"data": rows(), "page": 1}).encode()


def _book() -> bytes:
    body = [
        [r["tree"], r["height"], date(2024, 1, 1 + at)] for at, r in enumerate(rows())
    ]
    return workbook(
        {
            "Empty": [],
            "Trees": [["Trees of 2024"], [], ["tree", "height", "day"], *body],
        }
    )


def _second_sheet() -> bytes:
    body = [list(row.values()) for row in rows()]
    return workbook({"Notes": [["read me"]], "The trees": [list(PLAIN), *body]})


def _database(*names: str) -> bytes:
    body = [list(row.values()) for row in rows()]
    return database({name: [list(PLAIN), *body] for name in names})


def picture(at: int) -> bytes:
    packed = io.BytesIO()
    colour = (200 + at % 50, 30, 30) if at % 2 else (30, 30, 200 + at % 50)
    Image.new("RGB", (32, 24), colour).save(packed, "PNG")
    return packed.getvalue()


def _catalogue() -> bytes:
    lines = [f"pictures/{at}.png,{at % 2}" for at in range(12)]
    lines[7] = "pictures/gone.png,1"
    return "\n".join(["photo,sold", *lines]).encode()


DRAWER: dict[str, Ugly] = {
    "decimal comma, currency, Latin-1": Ugly(
        "european.csv",
        _european,
        {"Baum": "category", "Höhe": "number", "Preis": "number"},
        ("read as Latin-1", "'Preis' read as numbers with a decimal comma"),
    ),
    "dollars, thousands, percent": Ugly(
        "currency.csv",
        _currency,
        {"tree": "category", "price": "number", "share": "number"},
    ),
    "a mark of UTF-8": Ugly(
        "marked.csv", lambda: text_of(rows()).encode("utf-8-sig"), PLAIN
    ),
    "UTF-16": Ugly(
        "wide.csv", lambda: text_of(rows()).encode("utf-16"), PLAIN, ("read as UTF-16",)
    ),
    "UTF-16 without a mark": Ugly(
        "wide2.csv", lambda: text_of(rows()).encode("utf-16-le"), PLAIN
    ),
    "tabs in a text file": Ugly(
        "tabs.txt", lambda: text_of(rows(), "\t").encode(), PLAIN
    ),
    "numbers with spaces between": Ugly(
        "spaces.csv",
        _spaced,
        {"height": "number", "count": "number"},
    ),
    "bars": Ugly("bars.csv", lambda: text_of(rows(), "|").encode(), PLAIN),
    "rows of any length, blank lines": Ugly(
        "ragged.csv",
        _ragged,
        PLAIN,
        ("1 row shorter than the header filled up", "1 row longer than the header cut"),
    ),
    "missing values, words among numbers": Ugly(
        "missing.csv", _missing, PLAIN, ("1 values of 'count' that are no numbers",)
    ),
    "no header": Ugly(
        "headless.csv",
        _no_header,
        {"column 1": "category", "column 2": "number", "column 3": "number"},
        ("there is no header",),
    ),
    "twin names and none": Ugly(
        "twins.csv",
        _twins,
        {"tree": "category", "column 2": "number", "tree 2": "number"},
        ("'tree' is called 'tree 2'", "1 column without a name"),
    ),
    "lines above the header": Ugly(
        "preamble.csv", _preamble, PLAIN, ("2 lines above the header left out",)
    ),
    "lines within quotes": Ugly("quotes.csv", _quotes, PLAIN),
    "a quote that does not end": Ugly(
        "open.csv", _open_quote, PLAIN, ("a quote that does not end",)
    ),
    "NULs": Ugly(
        "nul.csv",
        lambda: text_of(rows()).replace("elm", "e\0lm").encode(),
        PLAIN,
        ("NULs dropped",),
    ),
    "dates of all sorts": Ugly(
        "dates.csv",
        _dates,
        {
            "no": "identifier",
            "planted": "date",
            "seen": "date",
            "felled": "date",
            "year": "date",
            "alive": "yes/no",
        },
        (
            "'planted' read as dates with the day first",
            "'seen' read as dates with the month",
        ),
    ),
    "people": Ugly(
        "people.csv",
        _people,
        {
            "id": "identifier",
            "name": "text",
            "address": "text",
            "zip": "category",
            "note": "long text",
        },
        ("'id' left out: it names each row",),
    ),
    "one value far off": Ugly("outlier.csv", _outlier, PLAIN),
    "columns that say nothing": Ugly(
        "constant.csv",
        _constant,
        {**PLAIN, "always": "nothing", "never": "nothing", "column 6": "nothing"},
    ),
    "lists, objects and times": Ugly(
        "nested.parquet",
        _parquet,
        {
            "tree": "category",
            "height": "number",
            "tags": "category",
            "place": "category",
            "seen": "date",
        },
        ("'vector' left out",),
    ),
    "twins of known type": Ugly(
        "twins.parquet", _twin_parquet, {"a": "number", "a 2": "number"}, ("'a 2'",)
    ),
    "broken lines of JSON": Ugly(
        "lines.jsonl",
        _lines,
        {"tree": "category", "of.height": "number", "tags": "category"},
        ("1 line that is no JSON left out",),
    ),
    "records in an object": Ugly("records.json", _records, PLAIN),
    "a workbook": Ugly(
        "book.xlsx",
        _book,
        {"tree": "category", "height": "number", "day": "date"},
        ("1 line above the header left out",),
    ),
    "another sheet": Ugly("sheets.xlsx", _second_sheet, PLAIN, part="::The trees"),
    "a database of one table": Ugly("one.sqlite", lambda: _database("trees"), PLAIN),
    "a table of a database": Ugly(
        "some.db", lambda: _database("trees", "shrubs"), PLAIN, part="::shrubs"
    ),
    "pictures": Ugly(
        "catalogue.csv",
        _catalogue,
        {"photo": "picture", "sold": "yes/no"},
        beside={
            f"pictures/{at}.png": lambda at=at: picture(at)  # type: ignore[misc]
            for at in range(12)
        },
    ),
}
