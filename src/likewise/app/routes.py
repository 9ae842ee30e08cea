"""The JSON routes: each decides nothing, and asks the desk."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter, Depends, HTTPException, Query, Request
from fastapi.responses import Response

from likewise.app.messages import (
    Ahead,
    Aside,
    Candidates,
    GroupPage,
    Groups,
    Pick,
    Rename,
    Reply,
    Settings,
    State,
    Undo,
)
from likewise.app.show import Shown
from likewise.app.workplace import Workplace
from likewise.errors import UnreadableFileError
from likewise.storage.base import Item

router = APIRouter()
FOREVER = {"Cache-Control": "private, max-age=31536000, immutable"}
Page = Annotated[int, Query(ge=0, le=10**6)]


def workplace(request: Request) -> Workplace:
    """Return what this server serves."""
    found: Workplace = request.app.state.workplace
    return found


def person(request: Request) -> str:
    """Return who is asking; the guard has seen to it."""
    return str(request.state.who)


def shown(place: Annotated[Workplace, Depends(workplace)]) -> Shown:
    """Return the desk, or say that it is not ready yet."""
    if place.workshop.shown is None:
        raise HTTPException(503, "The pile is still being read: wait a moment.")
    return place.workshop.shown


Place = Annotated[Workplace, Depends(workplace)]
Who = Annotated[str, Depends(person)]
Desk = Annotated[Shown, Depends(shown)]


@router.get("/api/state")
def state(place: Place, who: Who) -> State:
    """Return everything that the question page shows."""
    return place.state(who)


@router.post("/api/answer")
def answer(reply: Reply, desk: Desk, who: Who) -> State:
    """Record an answer, then return the next question."""
    notice = desk.desk.answer(who, reply)
    saved = None if notice else f"Saved: {reply.verdict}"
    return desk.state(who, saved=saved, notice=notice)


@router.post("/api/pick")
def pick(pick: Pick, desk: Desk, who: Who) -> State:
    """Put the sample of the question into a group, then return the next question."""
    notice = desk.desk.pick(who, pick)
    saved = "new group" if pick.group == "new" else "picked its group"
    return desk.state(who, saved=None if notice else f"Saved: {saved}", notice=notice)


@router.post("/api/aside")
def aside(aside: Aside, desk: Desk, who: Who) -> State:
    """Set an item aside, or put it back."""
    _known(desk, aside.item)
    notice = desk.desk.set_aside(who, aside)
    saved = "set aside" if aside.aside else "put back"
    return desk.state(who, saved=None if notice else f"Saved: {saved}", notice=notice)


@router.post("/api/undo")
def undo(undo: Undo, desk: Desk, who: Who) -> State:
    """Take back one's last act; its question is asked again."""
    notice, before = desk.desk.undo(who, undo)
    saved = None if notice else "Undone"
    return desk.state(who, saved=saved, notice=notice, before=before)


@router.post("/api/rename")
def rename(rename: Rename, desk: Desk, who: Who) -> GroupPage:
    """Name the group of an item."""
    _found(desk.group(rename.item, 0))
    desk.desk.rename(who, rename)
    return _found(desk.group(rename.item, 0))


@router.post("/api/settings")
def settings(settings: Settings, place: Place, who: Who) -> State:
    """Change what people are asked, and what they are shown."""
    place.change(settings)
    return place.state(who)


@router.get("/api/candidates")
def candidates(desk: Desk, who: Who, page: Page = 0) -> Candidates:
    """Return groups that the sample of one's question may belong to."""
    found = desk.candidates(who, page)
    if found is None:
        raise HTTPException(404, "You have no open question.")
    return found


@router.get("/api/ahead")
def ahead(desk: Desk, who: Who) -> Ahead:
    """Return pictures that may be needed next."""
    return desk.ahead(who)


@router.get("/api/groups")
def groups(desk: Desk) -> Groups:
    """Return all groups, the largest first."""
    return desk.groups()


@router.get("/api/groups/{item}")
def group(item: int, desk: Desk, start: Page = 0) -> GroupPage:
    """Return some items of the group of an item."""
    return _found(desk.group(item, start))


@router.get("/thumb/{item}")
def thumb(item: int, place: Place) -> Response:
    """Return the small picture of an item."""
    picture = place.pictures().small
    return Response(_picture(picture, place.item(item)), 200, FOREVER, "image/jpeg")


@router.get("/picture/{item}")
def picture(item: int, place: Place) -> Response:
    """Return the large picture of an item."""
    picture = place.pictures().large
    return Response(_picture(picture, place.item(item)), 200, FOREVER, "image/jpeg")


def _picture(make: Callable[[Item], bytes], item: Item | None) -> bytes:
    if item is None or item.kind != "image":
        raise HTTPException(404, "There is no such picture.")
    try:
        return make(item)
    except UnreadableFileError as error:
        raise HTTPException(404, str(error)) from None


def _known(desk: Shown, item: int) -> None:
    if not 0 <= item < desk.desk.session.n_samples:
        raise HTTPException(404, "There is no such item.")


def _found(page: GroupPage | None) -> GroupPage:
    if page is None:
        raise HTTPException(404, "That item is in no group.")
    return page
