"""The map: its page, and what the page asks for."""

from __future__ import annotations

from threading import Lock
from typing import Annotated

from fastapi import APIRouter, Depends, HTTPException, Request
from fastapi.responses import RedirectResponse, Response

from likewise.app._api import troubles
from likewise.app._messages import Card
from likewise.app._pages import drawn
from likewise.app._routes import Desk, Place, Who
from likewise.app.map._drawing import sheet_of
from likewise.app.map._making import Drawing
from likewise.app.map._messages import Sheet
from likewise.errors import InputError

router = APIRouter(tags=["Map"])
WAIT = "The map is still being drawn: wait a moment."
_beginning = Lock()


def drawing(request: Request, desk: Desk) -> Drawing:
    """Return the map of the desk; whoever asks first has it drawn."""
    state = request.app.state
    with _beginning:
        found: Drawing | None = getattr(state, "drawing", None)
        if found is None or found.desk is not desk.desk:
            found = state.drawing = Drawing(desk.desk)
    found.begin()
    return found


@router.get("/api/map", responses=troubles(400))
def map_of_items(desk: Desk, drawing: Annotated[Drawing, Depends(drawing)]) -> Sheet:
    """See all items at a glance, with their groups.

    Those that are alike lie near each other. The first request has the map drawn, and
    is told to wait (503) until it is; then it is kept. Of more than 20,000 items some
    are shown, of every group.
    """
    if drawing.error is not None:
        raise InputError(drawing.error)
    if drawing.plane is None:
        raise HTTPException(503, WAIT, {"Retry-After": "1"})
    return sheet_of(desk, drawing.plane, drawing.about)


@router.get("/api/map/{item}", responses=troubles(404))
def item_of_map(item: int, desk: Desk) -> Card:
    """Look at one item."""
    if not 0 <= item < desk.desk.session.n_samples:
        raise HTTPException(404, "There is no such item.")
    return desk.cards([item])[0]


@router.get("/map", include_in_schema=False)
def map_page(place: Place, who: Who) -> Response:
    """Show the map."""
    if place.workshop.shown is None:
        return RedirectResponse("/", 303)
    return drawn("map", state=place.state(who), page="map")
