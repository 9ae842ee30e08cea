"""The pages that people see, drawn on the server."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Annotated, Any

from fastapi import APIRouter, Form, HTTPException, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from jinja2 import Environment, PackageLoader, StrictUndefined

from likewise.app._people import LASTS
from likewise.app._routes import Place, Who
from likewise.errors import InputError

router = APIRouter(include_in_schema=False)
STATIC = {
    "css": "text/css",
    "js": "text/javascript",
    "svg": "image/svg+xml",
    "png": "image/png",
    "woff2": "font/woff2",
}
_templates = Environment(
    loader=PackageLoader("likewise.app"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


def drawn(name: str, code: int = 200, **values: Any) -> HTMLResponse:
    """Return a page."""
    page = _templates.get_template(f"{name}.html").render(**values)
    return HTMLResponse(page, code)


@router.get("/")
def question_page(place: Place, who: Who) -> HTMLResponse:
    """Show the question, or how far the pile is read."""
    state = place.state(who)
    return drawn("question", state=state, page="question", broken=place.workshop.broken)


@router.get("/export")
def export_page(place: Place, who: Who) -> Response:
    """Show what can be taken along."""
    if place.workshop.shown is None:
        return RedirectResponse("/", 303)
    return drawn("export", state=place.state(who), page="export")


@router.get("/enter")
def door(request: Request, place: Place, code: str = "") -> Response:
    """Let somebody in by the one-time code of the address, or ask for a password."""
    if code:
        cookie = place.door.redeem(code)
        if cookie is None:
            words = "This address was used before: start the app again for a new one."
            return drawn("enter", 403, words=words, with_password=False, page="enter")
        return _inside(request, cookie)
    with_password = place.door.password is not None
    words = "" if with_password else (
        "Open the address that was printed when the app started."
    )  # fmt: skip
    return drawn("enter", words=words, with_password=with_password, page="enter")


@router.post("/enter")
def enter(
    request: Request,
    place: Place,
    name: Annotated[str, Form(max_length=60)],
    password: Annotated[str, Form(max_length=200)],
) -> Response:
    """Let somebody in by name and password."""
    try:
        cookie = place.door.enter(name, password)
        words = place.door.why_not
    except InputError as error:
        cookie, words = None, str(error)
    if cookie is not None:
        return _inside(request, cookie)
    return drawn("enter", 403, words=words, with_password=True, page="enter")


@router.get("/static/{name}")
@router.get("/static/{folder}/{name}")
def static(name: str, request: Request, folder: str = "") -> Response:
    """Return one of our own files, or say that the browser has it already.

    Asked for each time, so that an upgrade never mixes old files with new ones. A name
    is looked up in the list of them, so that none leads out of their folder.
    """
    found = static_files().get(f"{folder}/{name}" if folder else name)
    if found is None:
        raise HTTPException(404, "There is no such file.")
    kind, content = STATIC[name.rpartition(".")[2]], found.read_bytes()
    mark = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
    headers = {"Cache-Control": "private, no-cache", "ETag": mark}
    if request.headers.get("if-none-match") == mark:
        return Response(None, 304, headers)
    return Response(content, 200, headers, kind)


@cache
def static_files() -> dict[str, Traversable]:
    """Return our own files that browsers may have, by folder and name."""
    found = {}
    for entry in (files("likewise.app") / "static").iterdir():
        inside = entry.iterdir() if entry.is_dir() else ()
        found[entry.name] = entry
        found |= {f"{entry.name}/{file.name}": file for file in inside}
    return {at: file for at, file in found.items() if at.rpartition(".")[2] in STATIC}


def _inside(request: Request, cookie: str) -> Response:
    response = RedirectResponse("/", 303)
    response.set_cookie(
        request.app.state.guard.cookie,
        cookie,
        max_age=int(LASTS),
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )
    return response
