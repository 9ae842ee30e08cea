"""Pages and files beside the four parts: entering, exports, pictures, the API."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from threading import get_ident
from typing import Annotated, Any, Literal, TypeAlias

from fastapi import APIRouter, Form, HTTPException, Request
from fastapi.responses import (
    HTMLResponse,
    RedirectResponse,
    Response,
    StreamingResponse,
)
from pydantic import BaseModel, Field

from likewise.app._api import kinds, sections, troubles
from likewise.app._auth import LASTS, LONGEST
from likewise.app._commands import Folders, Message, Text
from likewise.app._context import AppContext, Context, Service, Who, drawn
from likewise.app._project import LEASE
from likewise.app._schemas import Written
from likewise.app.question import present_state
from likewise.encoders import thumbnail
from likewise.errors import InputError, UnreadableFileError
from likewise.exports import EXPORTS, export_chunks, rows_of, traces_of, write_folders
from likewise.items import file_inside
from likewise.storage import Item

entering = APIRouter(tags=["Getting in"])
pictures = APIRouter(tags=["Pictures"])
exports = APIRouter(tags=["Export"])
router = APIRouter(include_in_schema=False)
Kind: TypeAlias = Literal["csv", "jsonl", "parquet", "answers"]
FILES: dict[str, Any] = {
    made.media_type.partition(";")[0]: {} for made in EXPORTS.values()
}
SMALL, LARGE = 480, 1600  # pixels along the longer edge
FOREVER = {"Cache-Control": "private, max-age=31536000, immutable"}
STATIC = {
    "css": "text/css",
    "js": "text/javascript",
    "svg": "image/svg+xml",
    "png": "image/png",
    "woff2": "font/woff2",
}
SPENT = "This code is good no longer: start the app again for a new one."


# Entering


class ByCode(Message):
    """The one-time code of the address that the app has printed."""

    code: Text


class ByPassword(Message):
    """The password of everybody, and the name to stand beside your answers."""

    name: Annotated[str, Field(max_length=LONGEST)]
    password: Text


class Key(BaseModel):
    """What lets you in from now on, and who you are."""

    token: str
    who: str


@entering.post("/api/enter", openapi_extra={"security": []})
def enter_by_program(shown: ByCode | ByPassword, context: Context) -> Key:
    """Get a token, for a code or for a name and the password.

    Send it with every request, as `Authorization: Bearer TOKEN`. It is good for 30
    days, also after a restart; a code is good once. After five wrong passwords within
    a minute nobody gets in until it is over.
    """
    door = context.door
    if isinstance(shown, ByCode):
        token, words = door.redeem(shown.code), SPENT
    else:
        token = door.enter(shown.name, shown.password)
        words = door.why_not
    if token is None:
        raise HTTPException(403, words)
    return Key(token=token, who=door.who(token) or "")


@router.get("/enter")
def door(request: Request, context: Context, code: str = "") -> Response:
    """Let somebody in by the one-time code of the address, or ask for a password."""
    if code:
        cookie = context.door.redeem(code)
        if cookie is None:
            words = "This address was used before: start the app again for a new one."
            return drawn("enter", 403, words=words, with_password=False, page="enter")
        return _inside(request, cookie)
    with_password = context.door.password is not None
    words = "" if with_password else (
        "Open the address that was printed when the app started."
    )  # fmt: skip
    return drawn("enter", words=words, with_password=with_password, page="enter")


@router.post("/enter")
def enter(
    request: Request,
    context: Context,
    name: Annotated[str, Form(max_length=60)],
    password: Annotated[str, Form(max_length=200)],
) -> Response:
    """Let somebody in by name and password."""
    try:
        cookie = context.door.enter(name, password)
        words = context.door.why_not
    except InputError as error:
        cookie, words = None, str(error)
    if cookie is not None:
        return _inside(request, cookie)
    return drawn("enter", 403, words=words, with_password=True, page="enter")


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


# Exports: always what is known at this moment


@router.get("/export")
def export_page(context: Context, who: Who) -> Response:
    """Show what can be taken along."""
    if context.preparation.service is None:
        return RedirectResponse("/", 303)
    return drawn("export", state=present_state(context, who), page="export")


@exports.get(
    "/export/{kind}",
    response_class=StreamingResponse,
    responses={200: {"content": FILES}, **troubles(400)},
)
def export(kind: Kind, project: Service) -> StreamingResponse:
    """Fetch the items with their groups, or the log of answers, as a file.

    What is known at this moment. `answers` has everything that was said, in order, and
    can be imported again.
    """
    made, name = EXPORTS[kind], project.display.project
    with project.hold():  # one moment of the session, however long the download takes
        chunks = export_chunks(kind, project.project, project.session)
    name = _plain(f"{name}-{made.stem}.{made.suffix}")
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return StreamingResponse(chunks, 200, headers, made.media_type)


@exports.post("/api/folders")
def folders(wanted: Folders, context: Context, project: Service) -> Written:
    """Write a folder for each group.

    Into a new folder beside the project, whose place is in the reply. The files
    themselves stay where they are.
    """
    # The page never names a place on the disk; the reply does.
    root = context.preparation.root
    has_files = root is not None and root.is_dir()
    if root is None or project.display.kind == "row" or not has_files:
        raise InputError("Only the files of a folder can be sorted into folders.")
    numbers = project.snapshot().numbers
    with project.hold():
        items = traces_of(project.project)
        rows = rows_of(project.session, items, numbers)
    place = context.thumbs.parent / "sorted"
    taken = [int(path.name) for path in place.glob("[0-9]*") if path.is_dir()]
    target = place / str(max(taken, default=0) + 1)
    done = write_folders(rows, root, target, wanted.how)
    missing = list(done.missing)
    return Written(folder=str(target), n_files=done.n_files, missing=missing)


def _plain(name: str) -> str:
    return "".join(
        c if c.isascii() and (c.isalnum() or c in "-_.") else "_" for c in name
    )


# Pictures: small ones from a cache, large ones made when wanted


class Jpeg(Response):
    """A picture."""

    media_type = "image/jpeg"


@dataclass(frozen=True, slots=True)
class Pictures:
    """Make pictures safe and small before they reach a browser.

    A browser never gets a file of the user's as it is: every picture is opened under
    the limits of :mod:`likewise.encoders` and packed anew, without EXIF.

    Parameters
    ----------
    root : Path
        The folder of the originals, which are only read.
    cache : Path
        Where small ones are kept, by content.
    """

    root: Path
    cache: Path

    def small(self, item: Item) -> bytes:
        """Return the picture on a card; from the cache even if its file is gone."""
        kept = self.cache / item.digest[:2] / f"{item.digest}-{SMALL}.jpg"
        found = _kept(kept)
        if found:
            return found
        made = self._made(item, SMALL)
        if item.status != "changed":  # a changed file is another picture by now
            _keep(kept, made)
        return made

    def large(self, item: Item) -> bytes:
        """Return the picture as large as a screen."""
        return self._made(item, LARGE)

    def _made(self, item: Item, edge: int) -> bytes:
        return thumbnail(file_inside(self.root, item.key), edge)


def _kept(kept: Path) -> bytes | None:
    try:
        return kept.read_bytes()
    except OSError:
        return None


def _keep(kept: Path, made: bytes) -> None:
    """Keep a picture if that is possible: it can always be made again."""
    # Two may make it at once, in this server or in another one.
    part = kept.with_suffix(f".{os.getpid()}-{get_ident()}.part")
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(made)
        part.replace(kept)
    except OSError:
        with suppress(OSError):
            part.unlink(missing_ok=True)


@pictures.get(
    "/thumb/{item}",
    response_class=Jpeg,
    responses=troubles(404),
)
def thumb(item: int, context: Context) -> Response:
    """Fetch the small picture of an item.

    Upright, without EXIF, at most 480 pixels along its longer edge. Its address is
    `thumb` of a card, which changes with the content: it may be kept for ever.
    """
    make = _pictures(context).small
    return Jpeg(_picture(make, _item(context, item)), 200, FOREVER)


@pictures.get(
    "/picture/{item}",
    response_class=Jpeg,
    responses=troubles(404),
)
def picture(item: int, context: Context) -> Response:
    """Fetch the large picture of an item.

    Upright, without EXIF, at most 1600 pixels along its longer edge. Its address is
    `picture` of a card, which changes with the content: it may be kept for ever.
    """
    make = _pictures(context).large
    return Jpeg(_picture(make, _item(context, item)), 200, FOREVER)


def _picture(make: Callable[[Item], bytes], item: Item | None) -> bytes:
    if item is None or item.kind != "image":
        raise HTTPException(404, "There is no such picture.")
    try:
        return make(item)
    except UnreadableFileError as error:
        raise HTTPException(404, str(error)) from None


def _pictures(context: AppContext) -> Pictures:
    return Pictures(context.preparation.root or Path(), context.thumbs)


def _item(context: AppContext, position: int) -> Item | None:
    if not 0 <= position < 2**31:
        return None
    found = context.preparation.project.items(position, position + 1)
    return next(iter(found), None)


# The API, and our own files


@router.get("/api")
def guide_page(request: Request, context: Context, who: Who) -> HTMLResponse:
    """Show how another program can do what the pages do."""
    document = request.app.openapi()
    return drawn(
        "api",
        state=present_state(context, who),
        page="api",
        root=str(request.base_url).rstrip("/"),
        version=document["info"]["version"],
        sections=sections(document),
        kinds=kinds(document),
        troubles=document["components"]["responses"],
        minutes=int(LEASE // 60),
        days=int(LASTS // 86_400),
    )


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
