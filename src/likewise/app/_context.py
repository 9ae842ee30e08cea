"""What every route works with: what is served, who asks, and pages to draw."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

from anyio import to_thread
from fastapi import Depends, HTTPException, Query, Request
from fastapi.responses import HTMLResponse, Response
from jinja2 import Environment, PackageLoader, StrictUndefined
from pydantic import BaseModel

from likewise.app._auth import Badge, Door, name_of
from likewise.app._machine import Machine
from likewise.app._preparing import Preparation
from likewise.app._project import ProjectService
from likewise.app._roles import ANYBODY, LEAST, OWNER, Role, Roster, reaches
from likewise.session import is_model

READING = "The items are still being read: wait a moment."
COMPARING = (
    "All items are still being compared: go on answering, this comes when they are."
)
_templates = Environment(
    loader=PackageLoader("likewise.app"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_templates.tests["model"] = is_model
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
    replies : Path or None
        Where replies of models are kept; None for as long as the server runs.
    """

    preparation: Preparation
    door: Door
    thumbs: Path
    replies: Path | None = None

    @cached_property
    def machine(self) -> Machine:
        """The model that reads beside the people, if the owner starts one."""
        return Machine(self.preparation, self.door.clock, self.replies)

    def roster(self) -> Roster:
        """Return who may do what, also while the items are being read."""
        if self.preparation.service is not None:
            return self.preparation.service.roster()
        settings = self.preparation.project.info().settings
        owner = name_of(settings["owner"]) if settings.get("owner") else None
        changes = str(settings.get("changes") or OWNER)
        return Roster(owner, changes, self.preparation.members.now())


async def context(request: Request) -> AppContext:
    """Return what this server serves."""
    found: AppContext = request.app.state.context
    return found


async def door(request: Request) -> Door:
    """Return what people come in by."""
    found: Door = request.app.state.context.door
    return found


async def permitted(request: Request) -> None:
    """Refuse whoever may not use a route; every request to one passes here.

    What nobody has written into the table is for nobody.
    """
    route = request.scope["route"]
    context: AppContext = request.app.state.context
    badge: Badge | None = request.state.badge
    least = LEAST[request.method, route.path]
    is_ours = route.path.startswith("/static/")  # whatever becomes of the database
    if least is ANYBODY and (badge is None or is_ours):
        return
    roster = await _roster(context)
    role = None if badge is None else roster.takes(badge.who, badge.made)
    if role is None:
        request.state.badge = None
    if least is ANYBODY:
        return
    if role is None:
        raise HTTPException(401, _removed(roster))
    if not reaches(role, least):
        raise HTTPException(403, _beyond(least, roster))


async def _roster(context: AppContext) -> Roster:
    # What the database is asked for is no work for the thread in which all wait.
    service = context.preparation.service
    is_known = service is not None and service.owner is not None
    if is_known and context.preparation.members.is_fresh:
        return context.roster()
    return await to_thread.run_sync(context.roster)


def _removed(roster: Roster) -> str:
    return (
        f"You are no longer let in here: ask {roster.owner or 'the owner'} for a link."
    )


def _beyond(least: Role, roster: Roster) -> str:
    whom = roster.owner or "the owner"
    if least == OWNER:
        return f"Only the owner may do this: ask {whom} for it."
    return f"Only reviewers may do this: ask {whom} for it, or to become one."


async def person(request: Request) -> str:
    """Return who is asking; the guard has seen to it."""
    return str(request.state.badge.who)


async def service(context: Annotated[AppContext, Depends(context)]) -> ProjectService:
    """Return the project, or say that it is not ready yet."""
    if context.preparation.service is None:
        raise HTTPException(503, READING, {"Retry-After": "1"})
    return context.preparation.service


async def whole(project: Annotated[ProjectService, Depends(service)]) -> ProjectService:
    """Return the project, or say that not all of its items are compared yet."""
    return compared(project)


def compared(project: ProjectService) -> ProjectService:
    """Return a project all of whose items are compared."""
    if project.display.early:
        raise HTTPException(503, COMPARING, {"Retry-After": "5"})
    return project


Context = Annotated[AppContext, Depends(context)]
Entrance = Annotated[Door, Depends(door)]
Who = Annotated[str, Depends(person)]
Service = Annotated[ProjectService, Depends(service)]
Whole = Annotated[ProjectService, Depends(whole)]
Page = Annotated[int, Query(ge=0, le=10**6)]


def said(reply: BaseModel) -> Response:
    """Return a reply as it is: it was made here, and needs no further look."""
    return Response(reply.model_dump_json(), media_type="application/json")


def drawn(name: str, code: int = 200, **values: Any) -> HTMLResponse:
    """Return a page."""
    page = _templates.get_template(f"{name}.html").render(**values)
    return HTMLResponse(page, code)
