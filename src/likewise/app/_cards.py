"""From items to the cards that people look at."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

from likewise.app._messages import Card, Column
from likewise.storage import Item

MANY_COLUMNS = 12  # shown at once; those that differ come first
LONGEST = 20_000  # characters of a text


def card_of(position: int, item: Item) -> Card:
    """Return the card of one item."""
    title = str(item.shown.get("name") or f"{item.kind} {item.key}")
    facts = {"kind": item.kind, "status": item.status}
    card = Card.model_validate({"item": position, "title": title, **facts})
    if item.kind == "image":
        # Browsers keep pictures by address, also those of another pile on this port.
        which = f"{position}?{item.digest[:16]}"
        card.thumb, card.picture = f"/thumb/{which}", f"/picture/{which}"
    elif item.kind == "text":
        card.text = str(item.shown.get("text", ""))[:LONGEST]
    else:
        card.columns = [Column(name=k, value=str(v)) for k, v in item.shown.items()]
    return card


def compared(left: Card, right: Card) -> tuple[Card, Card]:
    """Return two cards of rows with the columns that differ most in front.

    Numbers differ by their share of the larger one, words wholly or not at all.
    """
    if left.kind != "row" or right.kind != "row":
        return left, right
    other = {column.name: column.value for column in right.columns}
    gaps = {c.name: _gap(c.value, other.get(c.name, "")) for c in left.columns}
    order = sorted(gaps, key=lambda name: -gaps[name])[:MANY_COLUMNS]
    return _ordered(left, order, gaps), _ordered(right, order, gaps)


def _ordered(card: Card, order: Sequence[str], gaps: dict[str, float]) -> Card:
    values = {column.name: column.value for column in card.columns}
    columns = [
        Column(name=name, value=values.get(name, ""), differs=gaps[name] > 0)
        for name in order
    ]
    return card.model_copy(update={"columns": columns})


def _gap(left: str, right: str) -> float:
    try:
        a, b = float(left), float(right)
    except ValueError:
        return float(left != right)
    gap = abs(a - b) / max(abs(a), abs(b), 1e-12)
    return gap if isfinite(gap) else float(left != right)
