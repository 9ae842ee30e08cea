"""What a notebook shows of values: short, and text only."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

MOST_SHOWN = 20  # rows of a long table


def as_html(*lines: str) -> str:
    """Return lines of text for a notebook: nothing in them is HTML.

    Examples
    --------
    >>> as_html("oak & elm", "12 samples")
    '<div>oak &amp; elm<br>12 samples</div>'
    """
    return f"<div>{'<br>'.join(map(escape, lines))}</div>"


def as_table(heads: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return a table of text for a notebook; nothing where it has no rows.

    Examples
    --------
    >>> "<td>&lt;oak&gt;</td><td>1,200</td>" in as_table(["a", "b"], [["<oak>", 1200]])
    True
    """
    if not rows:
        return ""
    head = "".join(f"<th>{escape(name)}</th>" for name in heads)
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(_cell(value))}</td>' for value in row)}</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def as_long_table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return the first rows of a table for a notebook, and how many follow.

    Examples
    --------
    >>> as_long_table(["answer"], [])
    '<div>none yet</div>'
    >>> as_long_table(["n"], [[n] for n in range(25)]).endswith("<div>and 5 more</div>")
    True
    """
    found = list(rows)
    more = len(found) - MOST_SHOWN
    shown = as_table(heads, found[:MOST_SHOWN]) or as_html("none yet")
    return shown + (as_html(f"and {more:,} more") if more > 0 else "")


def _cell(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)
