"""The groups pages, drawn on the server."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import RedirectResponse, Response

from likewise.app._pages import drawn
from likewise.app._routes import Desk, Page, Place, Who
from likewise.app._show import Shown
from likewise.app.groups import _show as show
from likewise.app.groups._messages import Order, Sort
from likewise.app.groups._routes import NOWHERE

router = APIRouter(include_in_schema=False)


@router.get("/groups")
def groups_page(
    place: Place, who: Who, sort: Sort = "review", start: Page = 0
) -> Response:
    """Show the groups."""
    desk = place.workshop.shown
    if desk is None:
        return RedirectResponse("/", 303)
    with desk.desk.lock:
        values = _common(desk, who, "groups")
        start = min(start, _last(values["counts"].groups))
        found = show.listed(desk, sort, start)
    return drawn(
        "groups", **values, found=found, sort=sort, start=start, per_page=show.PER_PAGE
    )


@router.get("/groups/not-placed")
@router.get("/groups/not-sure")
@router.get("/groups/set-aside")
def items_page(request: Request, place: Place, who: Who, start: Page = 0) -> Response:
    """Show items that are not settled."""
    desk = place.workshop.shown
    if desk is None:
        return RedirectResponse("/", 303)
    which: Any = request.url.path.rpartition("/")[2]
    with desk.desk.lock:
        values = _common(desk, who, which)
        found = show.items_of(desk, which, start)
        if start >= found.total:
            found = show.items_of(desk, which, _last(found.total))
    return drawn("items", **values, found=found)


@router.get("/groups/{item}")
def group_page(
    item: int, desk: Desk, who: Who, start: Page = 0, order: Order = "unsure"
) -> Response:
    """Show one group."""
    with desk.desk.lock:
        values = _common(desk, who, "group")
        found = show.group_of(desk, item, start, order)
        if found is None:
            raise HTTPException(404, NOWHERE)
        if start >= found.group.size:
            last = _last(found.group.size)
            found = show.group_of(desk, item, last, order) or found
        side, then = show.neighbours(desk, item), show.next_to_look_at(desk, item)
    return drawn("group", **values, found=found, side=side, then=then)


def _last(total: int) -> int:
    """Return where the last page begins: acts make groups smaller."""
    return max(total - 1, 0) // show.PER_PAGE * show.PER_PAGE


def _common(desk: Shown, who: str, tab: str) -> dict[str, Any]:
    state = desk.outline(who)
    return {
        "state": state,
        "page": "groups",
        "tab": tab,
        "counts": show.counts_of(desk),
    }
