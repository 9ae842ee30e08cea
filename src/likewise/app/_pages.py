"""Pages and files beside the four parts: entering, exports, pictures, the API."""

from __future__ import annotations

import hashlib
import os
from asyncio import get_running_loop
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from threading import get_ident
from typing import Annotated, Any, Literal, TypeAlias

from anyio import CapacityLimiter, to_thread
from anyio.lowlevel import RunVar
from fastapi import APIRouter, Form, HTTPException, Request
from fastapi import Path as PathParameter
from fastapi.responses import (
    HTMLResponse,
    JSONResponse,
    RedirectResponse,
    Response,
    StreamingResponse,
)
from pydantic import BaseModel, Field

from likewise.app._api import kinds, sections, troubles
from likewise.app._auth import LASTS, LONGEST, LOOPBACK, TOO_MANY, Badge, Door, name_of
from likewise.app._commands import Folders, Message, Text
from likewise.app._context import (
    AppContext,
    Context,
    Entrance,
    Service,
    Who,
    Whole,
    compared,
    drawn,
)
from likewise.app._project import LEASE
from likewise.app._roles import NOBODY, OWNER, READER, REVIEWER, reaches
from likewise.app._schemas import Written
from likewise.app.question import present_state
from likewise.encoders import thumbnail_apart
from likewise.errors import (
    InputError,
    NotAllowedError,
    StaleError,
    UnreadableFileError,
)
from likewise.exports import (
    EXPORTS,
    SNIPPET,
    chunks_of,
    export_chunks,
    iso,
    original_suffix,
    rows_of,
    small_csv,
    traces_of,
    write_folders,
)
from likewise.items import file_inside, is_table, page_in, picture_in, place_of
from likewise.knowledge import folded
from likewise.storage import NO_LINK, Invite, Item, name_taken

entering = APIRouter(tags=["Signing in"])
pictures = APIRouter(tags=["Pictures"])
exports = APIRouter(tags=["Export"])
router = APIRouter(include_in_schema=False)
doors = APIRouter(include_in_schema=False)  # what the start page has, too
Kind: TypeAlias = Literal[
    "csv", "jsonl", "parquet", "xlsx", "table", "zip", "sklearn", "answers"
]
FILES: dict[str, Any] = {
    made.media_type.partition(";")[0]: {} for made in EXPORTS.values()
}
SMALL, LARGE = 480, 1600  # pixels along the longer edge
ThumbEdge: TypeAlias = Literal["480", "960"]  # the second for dense screens
PictureEdge: TypeAlias = Literal["1600", "4096"]  # the second for zooming in
MOST_KEPT = 4_000_000  # bytes of small pictures in a folder; 256 folders: 1 GB
N_WAITING = 8  # threads that wait for pictures, two of which are being made
FOREVER = {"Cache-Control": "private, max-age=31536000, immutable"}
ANEW = {"Cache-Control": "private, no-cache"}
STATIC = {
    "css": "text/css",
    "js": "text/javascript",
    "svg": "image/svg+xml",
    "png": "image/png",
    "woff2": "font/woff2",
}
MEANT: Mapping[str, str] = {
    READER: "You answer questions, and change what you said yourself.",
    REVIEWER: "You answer questions, change what anybody said, and export the groups.",
    OWNER: "You answer questions, and everything about the project is yours to change.",
}
MINE = ("answer", "item", "against", "verdict", "how", "at", "state")
SPENT = "This code was used before: run the same command again for a new one."
USED = (
    "This address was opened in another browser before. Run the same command again: it "
    "prints a new address."
)


# Entering


class ByCode(Message):
    """The one-time code of the address that the app has printed."""

    code: Text


class ByPassword(Message):
    """The password of everybody, and the name to stand beside your answers."""

    name: Annotated[str, Field(max_length=LONGEST)]
    password: Text


class ByInvite(Message):
    """The last part of an invite link, and the name to stand beside your answers."""

    invite: Text
    name: Annotated[str, Field(max_length=LONGEST)]


class Key(BaseModel):
    """What lets you in from now on, and who you are."""

    token: str
    who: str


class Left(BaseModel):
    """Who has signed out."""

    who: str


@entering.post("/api/enter", openapi_extra={"security": []}, responses=troubles(409))
async def enter_by_program(
    shown: ByCode | ByPassword | ByInvite, request: Request, context: Context
) -> Key:
    """Get a token: for a code, or for a name with the password or an invite.

    Send it with every request, as `Authorization: Bearer TOKEN`. It is good for 30
    days, also after a restart, until you sign out, are removed or the password changes;
    a code is good once. After five wrong passwords or links within a minute nobody gets
    in from the same address until it is over. A name is one person's while they are
    signed in: to come back under it from a program that has ended, send its token
    along. Who has come by an invite keeps their name.
    """
    door = context.door
    if isinstance(shown, ByCode):
        token = door.redeem(shown.code)
    elif isinstance(shown, ByInvite):
        join = partial(joined, request, context, shown.invite, shown.name)
        token = await to_thread.run_sync(join)
    else:
        token = await _let_in(request, context, shown.name, shown.password)
    if token is None:
        raise HTTPException(403, SPENT)
    return Key(token=token, who=door.who(token) or "")


@entering.post("/api/leave")
def leave_by_program(request: Request, context: Context) -> Left:
    """Sign out: the token is worth nothing from then on, and the name is free."""
    badge = request.state.badge
    context.door.seats.leave(badge)
    return Left(who=badge.who)


@doors.get("/enter")
def door(request: Request, entrance: Entrance, code: str = "") -> Response:
    """Let somebody in by the one-time code of the address, or ask for a password."""
    if code:
        cookie = entrance.redeem(code)
        if cookie is not None:
            return inside(request, cookie)
        if request.state.badge is not None:  # the one who has used it comes back
            return RedirectResponse("/", 303)
        return _asked_in(request, entrance, USED, 403, with_password=False)
    return _asked_in(request, entrance)


@router.post("/enter")
async def enter(
    request: Request,
    context: Context,
    name: Annotated[str, Form(max_length=LONGEST)],
    password: Annotated[str, Form(max_length=200)],
) -> Response:
    """Let somebody in by name and password."""
    try:
        cookie = await _let_in(request, context, name, password)
    except InputError as error:
        return _asked_in(request, context.door, str(error), 403)
    except HTTPException as error:
        return _asked_in(request, context.door, error.detail, error.status_code)
    return inside(request, cookie)


@doors.post("/leave")
def leave(request: Request, entrance: Entrance) -> Response:
    """Sign out, in all tabs of this browser."""
    entrance.seats.leave(request.state.badge)
    response = RedirectResponse("/enter", 303)
    response.delete_cookie(request.app.cookie, httponly=True, samesite="strict")
    return response


async def _let_in(
    request: Request, context: AppContext, name: str, password: str
) -> str:
    # Not here, where everybody waits, nor among the threads that answer requests.
    door, before = context.door, request.state.shown
    enter = partial(door.enter, name, password, address_of(request), before)
    cookie = await get_running_loop().run_in_executor(door.porter, enter)
    refuse = partial(refuse_barred, context, name_of(name), door.badge(cookie))
    await to_thread.run_sync(refuse)
    return cookie


def _asked_in(
    request: Request,
    entrance: Door,
    words: str = "",
    code: int = 200,
    *,
    with_password: bool = True,
) -> Response:
    badge, has_one = request.state.badge, entrance.password is not None
    if not words and badge is None and not has_one:
        words = "Open the link that was printed in the terminal, or sent to you."
    return drawn(
        "enter",
        code,
        words=words,
        with_password=with_password and has_one,
        who=None if badge is None else badge.who,
        page="enter",
    )


def inside(request: Request, cookie: str) -> Response:
    """Return the way to the first page, with a cookie for all others."""
    response = RedirectResponse("/", 303)
    response.set_cookie(
        request.app.cookie,
        cookie,
        max_age=int(LASTS),
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )
    return response


# Invites: who shows one is asked for a name, which is theirs from then on

Token = Annotated[str, PathParameter(max_length=200)]


@router.get("/join/{token}")
def invitation(request: Request, context: Context, token: Token) -> Response:
    """Ask somebody who has an invite for their name."""
    try:
        invite = invited(context, token, address_of(request))
    except HTTPException as error:
        return _asked_to_join(request, None, str(error.detail), error.status_code)
    return _asked_to_join(request, invite)


@router.post("/join/{token}")
def join(
    request: Request,
    context: Context,
    token: Token,
    name: Annotated[str, Form(max_length=LONGEST)] = "",
) -> Response:
    """Let somebody in by an invite and the name of their choice."""
    try:
        invite = invited(context, token, address_of(request))
        cookie = joined(request, context, token, name)
    except (InputError, StaleError) as error:
        code = 409 if isinstance(error, StaleError) else 400
        return _asked_to_join(request, invite, str(error), code, name)
    except NotAllowedError as error:  # somebody was faster
        return _asked_to_join(request, None, str(error), 403)
    except HTTPException as error:
        return _asked_to_join(request, None, str(error.detail), error.status_code)
    return inside(request, cookie)


def _asked_to_join(
    request: Request,
    invite: Invite | None,
    words: str = "",
    code: int = 200,
    name: str = "",
) -> Response:
    badge = request.state.badge
    return drawn(
        "join",
        code,
        words=words,
        invite=invite,
        role="" if invite is None else MEANT[invite.role],
        called=name,
        who=None if badge is None else badge.who,
        page="enter",
    )


def joined(request: Request, context: AppContext, token: str, name: str) -> str:
    """Return a cookie for somebody who comes in by an invite.

    Links are counted as passwords are, and the right one is taken off again.
    """
    address, members = address_of(request), context.preparation.members
    invite = invited(context, token, address)
    if not invite.who:
        refuse_taken(context, name_of(name))
    member = members.join(name, token)
    return context.door.admit(member.name)


def invited(context: AppContext, token: str, address: str) -> Invite:
    """Return the invite of a token; anything else is counted, and refused."""
    guesses = context.door.guesses
    if not guesses.begin(address):
        raise HTTPException(403, TOO_MANY)
    invite, refusal = context.preparation.members.find(token)
    if invite is None or refusal is not None:
        raise HTTPException(403, refusal or NO_LINK)
    guesses.forgive(address)
    return invite


def refuse_taken(context: AppContext, name: str) -> None:
    """Refuse a name that is, or was, anybody else's."""
    preparation, roster = context.preparation, context.roster()
    service = preparation.service
    if service is None:
        acted = {folded(act.who) for act in preparation.project.acts()}
    else:
        acted = set(service.people)
    here = map(folded, [*context.door.seats.idle(), roster.owner or NOBODY, NOBODY])
    if folded(name) in {*acted, *here, *roster.members}:
        raise name_taken(name)


def refuse_barred(context: AppContext, name: str, badge: Badge | None) -> None:
    """Refuse a name under which nobody comes in by the password."""
    member = context.preparation.members.now().get(folded(name))
    if member is None or (member.invite is None and member.removed is None):
        return
    if badge is not None:
        context.door.seats.leave(badge)
    if member.removed is not None:
        raise HTTPException(403, f"{name} is no longer let in: ask for a link.")
    raise HTTPException(409, f"{name} has come in by a link: choose another name.")


def address_of(request: Request) -> str:
    """Return where a request comes from."""
    return request.client.host if request.client else ""


# Exports: always what is known at this moment


@router.get("/export")
def export_page(context: Context, who: Who, request: Request) -> Response:
    """Show what can be downloaded, or written to a folder."""
    if context.preparation.service is None:
        return RedirectResponse("/", 303)
    root, state = context.preparation.root, present_state(context, who)
    if not reaches(state.role, REVIEWER):
        return drawn("export", state=state, page="export", has_more=False)
    has_table = root is not None and state.kind == "row" and is_table(root)
    return drawn(
        "export",
        state=state,
        page="export",
        has_more=True,
        table=original_suffix(root) if root is not None and has_table else None,
        has_files=root is not None and root.is_dir(),
        may_choose=_is_owner_here(request, context, who),
        snippet=SNIPPET.format(file=_file_name(state.project, "sklearn")),
    )


def _is_owner_here(request: Request, context: AppContext, who: str) -> bool:
    """Tell whether it is the owner, at this machine, who may name places on it."""
    project = context.preparation.service
    owner = None if project is None else project.snapshot().owner
    is_near = request.client is not None and request.client.host in LOOPBACK
    return is_near and context.door.password is None and owner in (None, who)


@exports.get(
    "/export/mine",
    response_class=Response,
    responses={200: {"content": {"text/csv": {}}}},
)
def export_mine(project: Service, who: Who) -> Response:
    """Fetch your own answers as a csv file.

    Each with the two items, what you said, when, how, and what has become of it.
    """
    now = project.snapshot()
    mine = [e for e in now.ledger.answers.values() if e.made.who == who]
    keys = project.project.items_at(s for e in mine for s in e.answer.question.pair)
    rows = [
        (
            entry.answer.id,
            keys[entry.answer.question.sample].key,
            keys[entry.answer.question.against].key,
            entry.answer.verdict.value,
            entry.how,
            iso(entry.made.at),
            entry.state,
        )
        for entry in mine
    ]
    return as_csv(small_csv(MINE, rows), f"{project.display.project}-mine.csv")


def as_csv(content: bytes, name: str) -> Response:
    """Return a small file to be saved under a name."""
    headers = {"Content-Disposition": f'attachment; filename="{_plain(name)}"'}
    return Response(content, 200, headers, EXPORTS["csv"].media_type)


@exports.get(
    "/export/{kind}",
    response_class=StreamingResponse,
    responses={200: {"content": FILES}, **troubles(400)},
)
def export(kind: Kind, context: Context, project: Service) -> StreamingResponse:
    """Fetch the items with their groups, or the log of answers, as a file.

    What is known at this moment. `table` is the table that is being sorted with a
    column for the group, in its own format; `zip` the files in a folder for each
    group; `sklearn` arrays to train a classifier on. `answers` has everything that was
    said, in order, and can be imported again.
    """
    made, root = EXPORTS[kind], context.preparation.root
    if kind != "answers":
        compared(project)
    numbers = project.snapshot().numbers
    with project.hold():  # one moment of the session, however long the download takes
        log = export_chunks("answers", project.project, project.session)
        rows = rows_of(project.session, traces_of(project.project), numbers)
    is_log = kind == "answers"
    chunks = log if is_log else chunks_of(kind, rows, project.session, root)
    name = _file_name(project.display.project, kind, root)
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return StreamingResponse(chunks, 200, headers, made.media_type)


@exports.post("/api/folders")
def folders(
    wanted: Folders, context: Context, project: Whole, who: Who, request: Request
) -> Written:
    """Write a folder for each group.

    Into a new folder beside the project, whose place is in the reply. The files
    themselves stay where they are. The owner, at the machine itself, may name another
    folder with `to`, which must be empty or not there yet.
    """
    if wanted.to is not None and not _is_owner_here(request, context, who):
        raise NotAllowedError(
            "Only the owner, at the machine itself, may choose a folder on it."
        )
    root = context.preparation.root
    has_files = root is not None and root.is_dir()
    if root is None or project.display.kind == "row" or not has_files:
        raise InputError("Only the files of a folder can be sorted into folders.")
    numbers = project.snapshot().numbers
    with project.hold():
        items = traces_of(project.project)
        rows = rows_of(project.session, items, numbers)
    target = _next_folder(context) if wanted.to is None else _chosen(wanted.to)
    done = write_folders(rows, root, target, wanted.how)
    missing = list(done.missing)
    return Written(folder=str(target), n_files=done.n_files, missing=missing)


def _next_folder(context: AppContext) -> Path:
    place = context.thumbs.parent / "sorted"
    taken = [int(path.name) for path in place.glob("[0-9]*") if path.is_dir()]
    return place / str(max(taken, default=0) + 1)


def _chosen(to: str) -> Path:
    chosen = Path(to.strip()).expanduser()
    if not chosen.is_absolute() or "\0" in to:
        raise InputError(
            f"{to} is no full path of a folder: write it from the root on."
        )
    return chosen


def _file_name(project: str, kind: str, root: Path | None = None) -> str:
    made = EXPORTS[kind]
    is_own = kind == "table" and root is not None
    suffix = original_suffix(root) if root is not None and is_own else made.suffix
    return _plain(f"{project}-{made.stem}.{suffix}")


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

    A browser never gets a file of the user's as it is: every picture is opened in
    another process, under the limits of :mod:`likewise.encoders`, and packed anew,
    without EXIF.

    Parameters
    ----------
    root : Path
        The folder of the originals, which are only read.
    cache : Path
        Where small ones are kept, by content.
    column : str
        Of a table: what names the picture of each row, beside the table.
    """

    root: Path
    cache: Path
    column: str = ""

    def small(self, item: Item, edge: int = SMALL) -> bytes:
        """Return the picture on a card; from the cache even if its file is gone."""
        digest = item.digest if item.kind == "image" else self._mark(item)
        kept = self.cache / digest[:2] / f"{digest}-{edge}.jpg"
        found = _kept(kept)
        if found:
            return found
        made = self.large(item, edge)
        if item.status != "changed":  # a changed file is another picture by now
            _keep(kept, made)
        return made

    def large(self, item: Item, edge: int = LARGE) -> bytes:
        """Return the picture as large as a screen, or as one that is zoomed into."""
        if item.kind == "row":
            return thumbnail_apart(self._named(item), edge)
        file, (_, page) = file_inside(self.root, item.key), page_in(item.key)
        return thumbnail_apart(file, edge, page)

    def _named(self, item: Item) -> Path:
        """Return the file that a row names."""
        folder = place_of(self.root)[0].parent
        return picture_in(folder, str(item.shown.get(self.column, "")).strip())

    def _mark(self, item: Item) -> str:
        """Return what the picture of a row is kept by; its row stays if it changes."""
        file = self._named(item)
        about = file.stat()
        mark = f"{file}\0{about.st_size}\0{about.st_mtime_ns}"
        return hashlib.sha256(mark.encode("utf-8", "surrogateescape")).hexdigest()


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
        _make_room(kept)
    except OSError:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def _make_room(kept: Path) -> None:
    """Remove the oldest pictures of a folder that has grown too large, but this one."""
    others = ((one, one.stat()) for one in kept.parent.glob("*.jpg") if one != kept)
    oldest_last = sorted(others, key=lambda pair: -pair[1].st_mtime_ns)
    room = MOST_KEPT - kept.stat().st_size
    for one, about in oldest_last:
        room -= about.st_size
        if room < 0:
            one.unlink(missing_ok=True)


# They wait in threads of their own: those of answers stay free for answers.
_waiting: RunVar[CapacityLimiter] = RunVar("threads that wait for a picture")


async def _wait_for(make: Callable[[], Response]) -> Response:
    limiter = _waiting.get(None) or CapacityLimiter(N_WAITING)
    _waiting.set(limiter)
    return await to_thread.run_sync(make, limiter=limiter)


@pictures.get(
    "/thumb/{item}",
    response_class=Jpeg,
    responses=troubles(404),
)
async def thumb(item: int, context: Context, size: ThumbEdge = "480") -> Response:
    """Fetch the small picture of an item.

    Upright, without EXIF, at most 480 pixels along its longer edge, or 960 with
    `&size=960` behind the address, for dense screens. The address is `thumb` of a card.
    It changes with the content, so pictures may be kept for ever.
    """
    make = partial(_pictures(context).small, edge=int(size))
    return await _wait_for(partial(_picture, make, context, item))


@pictures.get(
    "/picture/{item}",
    response_class=Jpeg,
    responses=troubles(404),
)
async def picture(item: int, context: Context, size: PictureEdge = "1600") -> Response:
    """Fetch the large picture of an item.

    Upright, without EXIF, at most 1600 pixels along its longer edge, or 4096 with
    `&size=4096` behind the address, for zooming in. The address is `picture` of a card.
    It changes with the content, so pictures may be kept for ever.
    """
    make = partial(_pictures(context).large, edge=int(size))
    return await _wait_for(partial(_picture, make, context, item))


def _picture(
    make: Callable[[Item], bytes], context: AppContext, position: int
) -> Response:
    item = _item(context, position)
    is_named = item is not None and item.kind == "row" and bool(_column(context))
    if item is None or (item.kind != "image" and not is_named):
        raise HTTPException(404, "There is no such picture.")
    try:
        # The picture that a row names may become another one, and the row stays.
        return Jpeg(make(item), 200, ANEW if is_named else FOREVER)
    except (UnreadableFileError, FileNotFoundError) as error:
        raise HTTPException(404, str(error)) from None


def _pictures(context: AppContext) -> Pictures:
    root = context.preparation.root or Path()
    return Pictures(root, context.thumbs, _column(context))


def _column(context: AppContext) -> str:
    service = context.preparation.service
    return "" if service is None else service.display.picture


def _item(context: AppContext, position: int) -> Item | None:
    if not 0 <= position < 2**31:
        return None
    found = context.preparation.project.items(position, position + 1)
    return next(iter(found), None)


# The API, and our own files


@router.get("/api/openapi.json")
def description(request: Request) -> JSONResponse:
    """Describe the API to programs."""
    return JSONResponse(request.app.openapi())


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


@doors.get("/static/{name}")
@doors.get("/static/{folder}/{name}")
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
