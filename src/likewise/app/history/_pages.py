"""The pages of history and of disagreements, drawn on the server."""

from __future__ import annotations

from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from likewise.app._pages import drawn
from likewise.app._routes import Page, Who
from likewise.app.history._routes import Filters, Past
from likewise.app.history._wording import HOW

router = APIRouter(include_in_schema=False)


@router.get("/history")
def history_page(
    request: Request, past: Past, filters: Filters, who: Who, page: Page = 0
) -> HTMLResponse:
    """Show what was said and done, newest first."""
    state = past.shown.outline(who)
    asked = {name: value for name, value in request.query_params.items() if value}
    asked.pop("page", None)

    def address(**changes: object) -> str:
        """Return the address of this page with other filters; None takes one away."""
        kept = {k: v for k, v in {**asked, **changes}.items() if v is not None}
        return "/history" + (f"?{urlencode(kept)}" if kept else "")

    return drawn(
        "history",
        state=state,
        page="history",
        found=past.page(filters, page),
        wanted=filters,
        asked=asked,
        address=address,
        ways=HOW,
    )


@router.get("/disagreements")
def disagreements_page(past: Past, who: Who) -> HTMLResponse:
    """Show the answers that others deny."""
    state = past.shown.outline(who)
    found = past.disagreements()
    return drawn(
        "disagreements", state=state, page="disagreements", found=found, ways=HOW
    )
