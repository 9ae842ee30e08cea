"""What every route works with: what is served, who asks, and pages to draw."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from fastapi import Depends, HTTPException, Query, Request
from fastapi.responses import HTMLResponse, Response
from jinja2 import Environment, PackageLoader, StrictUndefined
from pydantic import BaseModel

from likewise.app._auth import Door
from likewise.app._preparing import Preparation
from likewise.app._project import ProjectService

READING = "The items are still being read: wait a moment."
_templates = Environment(
    loader=PackageLoader("likewise.app"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_templates.globals["all_projects"] = os.environ.get("LIKEWISE_STARTED_BY", "")


@dataclass(frozen=True)
class AppContext:
    """All that one server serves.

    Parameters
    ----------
    preparation : Preparation
    door : Door
    thumbs : Path
        Where small pictures are kept.
    """

    preparation: Preparation
    door: Door
    thumbs: Path


async def context(request: Request) -> AppContext:
    """Return what this server serves."""
    found: AppContext = request.app.state.context
    return found


async def door(request: Request) -> Door:
    """Return what people come in by."""
    found: Door = request.app.state.context.door
    return found


async def person(request: Request) -> str:
    """Return who is asking; the guard has seen to it."""
    return str(request.state.badge.who)


async def service(context: Annotated[AppContext, Depends(context)]) -> ProjectService:
    """Return the project, or say that it is not ready yet."""
    if context.preparation.service is None:
        raise HTTPException(503, READING, {"Retry-After": "1"})
    return context.preparation.service


Context = Annotated[AppContext, Depends(context)]
Entrance = Annotated[Door, Depends(door)]
Who = Annotated[str, Depends(person)]
Service = Annotated[ProjectService, Depends(service)]
Page = Annotated[int, Query(ge=0, le=10**6)]


def said(reply: BaseModel) -> Response:
    """Return a reply as it is: it was made here, and needs no further look."""
    return Response(reply.model_dump_json(), media_type="application/json")


def drawn(name: str, code: int = 200, **values: Any) -> HTMLResponse:
    """Return a page."""
    page = _templates.get_template(f"{name}.html").render(**values)
    return HTMLResponse(page, code)
