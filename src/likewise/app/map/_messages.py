"""What the map page gets to see."""

from __future__ import annotations

from pydantic import BaseModel

from likewise.app._messages import GroupCard


class Sheet(BaseModel):
    """All items on a sheet; those that are alike lie near each other.

    Columns of equal length, one entry for each item that is shown: its place from 0 to
    4095, the number of its group (0 for none) and its status, a position in `statuses`.
    `items` says which ones they are, and is null where all are shown, in their order.
    """

    version: int
    about: str
    n_items: int
    items: list[int] | None
    x: list[int]
    y: list[int]
    group: list[int]
    status: list[int]
    statuses: list[str]
    groups: list[GroupCard]
