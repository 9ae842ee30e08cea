"""The JSON routes: each decides nothing, and asks the desk."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter, Depends, HTTPException, Query, Request
from fastapi.responses import Response

from likewise.app._api import troubles
from likewise.app._messages import (
    Ahead,
    Aside,
    Candidates,
    Pick,
    Reply,
    Settings,
    State,
    Undo,
)
from likewise.app._show import Shown
from likewise.app._workplace import Workplace
from likewise.errors import UnreadableFileError
from likewise.storage import Item

router = APIRouter()
QUESTIONS, PICTURES = "Questions", "Pictures"
READING = "The pile is still being read: wait a moment."
FOREVER = {"Cache-Control": "private, max-age=31536000, immutable"}
Page = Annotated[int, Query(ge=0, le=10**6)]


class Jpeg(Response):
    """A picture."""

    media_type = "image/jpeg"


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
        raise HTTPException(503, READING, {"Retry-After": "1"})
    return place.workshop.shown


Place = Annotated[Workplace, Depends(workplace)]
Who = Annotated[str, Depends(person)]
Desk = Annotated[Shown, Depends(shown)]


@router.get("/api/state", tags=[QUESTIONS])
def state(place: Place, who: Who) -> State:
    """Look at your question, and at how far the sorting is.

    Begin here, and come back whenever you are in doubt: it changes nothing. The
    question stays yours until you answer it, or until answers of others settle it.

    `status` says what to do: with `asking`, answer `question`; with `preparing` or
    `waiting`, ask again in a moment; with `settled`, nothing is left to ask.
    """
    return place.state(who)


@router.post("/api/answer", tags=[QUESTIONS], responses=troubles(409))
def answer(reply: Reply, desk: Desk, who: Who) -> State:
    """Answer your question, and get the next one.

    The answer is on disk when the reply comes. If `question` is no longer yours,
    nothing is recorded, `notice` says so, and the present question is in the reply. An
    answer that earlier ones deny is kept as doubtful, and `disagreement` is its id.
    """
    notice = desk.desk.answer(who, reply)
    saved = None if notice else f"Saved: {reply.verdict}"
    return desk.state(who, saved=saved, notice=notice)


@router.post("/api/pick", tags=[QUESTIONS], responses=troubles(409))
def pick(pick: Pick, desk: Desk, who: Who) -> State:
    """Put the item of your question into a group, and get the next question.

    One pick settles many pairs. `group` is the id of one of the groups that
    `GET /api/candidates` lists, or `"new"` if it belongs to none of all of them.
    """
    notice = desk.desk.pick(who, pick)
    saved = "new group" if pick.group == "new" else "picked its group"
    return desk.state(who, saved=None if notice else f"Saved: {saved}", notice=notice)


@router.post("/api/aside", tags=[QUESTIONS], responses=troubles(404, 409))
def aside(aside: Aside, desk: Desk, who: Who) -> State:
    """Set an item aside, or put it back.

    What is set aside takes no further part: it is in no group and is not asked about,
    until it is put back with `"aside": false`.
    """
    _known(desk, aside.item)
    notice = desk.desk.set_aside(who, aside)
    saved = "set aside" if aside.aside else "put back"
    return desk.state(who, saved=None if notice else f"Saved: {saved}", notice=notice)


@router.post("/api/undo", tags=[QUESTIONS], responses=troubles(409))
def undo(undo: Undo, desk: Desk, who: Who) -> State:
    """Take back your last act.

    Any number of times; acts of others stay. If it was an answer, its question is
    yours again, with the old answer in `before`.
    """
    notice, before = desk.desk.undo(who, undo)
    saved = None if notice else "Undone"
    return desk.state(who, saved=saved, notice=notice, before=before)


@router.post("/api/settings", tags=[QUESTIONS])
def settings(settings: Settings, place: Place, who: Who) -> State:
    """Change what people are asked, and what they are shown.

    For everybody, and for good. What is left out stays as it is; an empty criterion
    is the usual one.
    """
    place.change(settings)
    return place.state(who)


@router.get("/api/candidates", tags=[QUESTIONS], responses=troubles(404))
def candidates(desk: Desk, who: Who, page: Page = 0) -> Candidates:
    """List the groups that the item of your question may belong to.

    The likeliest first, a page at a time. Look at `GET /api/state` before, which is
    what gives you a question.
    """
    found = desk.candidates(who, page)
    if found is None:
        raise HTTPException(404, "You have no open question.")
    return found


@router.get("/api/ahead", tags=[QUESTIONS])
def ahead(desk: Desk, who: Who) -> Ahead:
    """List the pictures that may be asked about next.

    To be fetched while a person looks at the present ones. It also works out both
    questions that may follow, so that the next reply comes at once.
    """
    return desk.ahead(who)


@router.get(
    "/thumb/{item}",
    tags=[PICTURES],
    response_class=Jpeg,
    responses=troubles(404),
)
def thumb(item: int, place: Place) -> Response:
    """Fetch the small picture of an item.

    Upright, without EXIF, at most 480 pixels along its longer edge. Its address is
    `thumb` of a card, which changes with the content: it may be kept for ever.
    """
    picture = place.pictures().small
    return Jpeg(_picture(picture, place.item(item)), 200, FOREVER)


@router.get(
    "/picture/{item}",
    tags=[PICTURES],
    response_class=Jpeg,
    responses=troubles(404),
)
def picture(item: int, place: Place) -> Response:
    """Fetch the large picture of an item.

    Upright, without EXIF, at most 1600 pixels along its longer edge. Its address is
    `picture` of a card, which changes with the content: it may be kept for ever.
    """
    picture = place.pictures().large
    return Jpeg(_picture(picture, place.item(item)), 200, FOREVER)


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
