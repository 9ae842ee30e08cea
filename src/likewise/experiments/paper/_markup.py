"""HTML from values: elements, tables, pictures, with all plain text escaped."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Markup:
    """Text that is HTML already.

    Attributes
    ----------
    text : str
    """

    text: str

    def __add__(self, other: Markup) -> Markup:
        return Markup(self.text + other.text)


def element(name: str, *content: str | Markup, **attributes: str) -> Markup:
    """Return an element; plain text in it is escaped.

    Parameters
    ----------
    name : str
    *content : str or Markup
    **attributes : str
        ``class_`` stands for ``class``, ``aria_label`` for ``aria-label``.

    Examples
    --------
    >>> element("p", "1 < 2", class_="small").text
    '<p class="small">1 &lt; 2</p>'
    """
    inside = "".join(c.text if isinstance(c, Markup) else escape(c) for c in content)
    return Markup(f"<{name}{_attributes(attributes)}>{inside}</{name}>")


def picture(path: Path, alt: str) -> Markup:
    """Return a PNG file as an image that needs no file."""
    data = b64encode(path.read_bytes()).decode("ascii")
    about = {"alt": alt, "src": f"data:image/png;base64,{data}"}
    return Markup(f"<img{_attributes(about)}>")


def bullets(items: Iterable[str | Markup]) -> Markup:
    """Return a list."""
    return element("ul", *(element("li", item) for item in items))


def row(cells: Sequence[str | Markup], *, kind: str = "td") -> Markup:
    """Return a row of a table, whose first cell is its head."""
    first = element("th", cells[0], scope="row" if kind == "td" else "col")
    rest = {"scope": "col"} if kind == "th" else {}
    return element("tr", first, *(element(kind, cell, **rest) for cell in cells[1:]))


def table(header: Sequence[str | Markup], *bodies: Markup, **kind: str) -> Markup:
    """Return a table, with room to scroll where it is too wide."""
    return _framed([row(header, kind="th")], bodies, kind)


def grouped_table(
    groups: Sequence[str], header: Sequence[str], *bodies: Markup, **kind: str
) -> Markup:
    """Return a table whose columns behind the first come in groups of equal size.

    Parameters
    ----------
    groups : sequence of str
        What stands above each group.
    header : sequence of str
        Of the first column, then of those of one group.
    *bodies : Markup
    **kind : str
        Attributes.
    """
    first, *inside = header
    span = str(len(inside))
    above = (element("th", g, scope="colgroup", colspan=span) for g in groups)
    top = element("tr", element("th", ""), *above, class_="groups")
    return _framed([top, row([first, *inside * len(groups)], kind="th")], bodies, kind)


def _framed(
    head: Sequence[Markup], bodies: Sequence[Markup], kind: Mapping[str, str]
) -> Markup:
    inside = element("table", element("thead", *head), *bodies, **kind)
    return element("div", inside, class_="wide", tabindex="0")


def nothing() -> Markup:
    """Return no text at all."""
    return Markup("")


def plain_table(
    header: Sequence[str], rows: Iterable[Sequence[str | Markup]], **kind: str
) -> Markup:
    """Return a table of one part."""
    return table(header, element("tbody", *(row(cells) for cells in rows)), **kind)


def _attributes(attributes: Mapping[str, str]) -> str:
    named = (
        (name.rstrip("_").replace("_", "-"), value)
        for name, value in attributes.items()
    )
    return "".join(f' {name}="{escape(value)}"' for name, value in named)
