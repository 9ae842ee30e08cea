"""The JSON routes of history and of disagreements."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from fastapi import APIRouter, Depends, Query, Request

from likewise.app._api import troubles
from likewise.app._routes import Desk, Page, Who
from likewise.app.history import _acts as acts
from likewise.app.history._choosing import Only, Wanted
from likewise.app.history._messages import (
    Change,
    Disagreements,
    Done,
    HistoryPage,
    Keep,
    Retract,
    UndoAct,
)
from likewise.app.history._show import History

router = APIRouter(tags=["History"])
How: TypeAlias = Literal["asked", "check", "picker", "review", "given", "told", "other"]
ME = "me"
Name = Annotated[str | None, Query(max_length=200)]
Number = Annotated[int | None, Query(ge=0, lt=2**31)]


def history(request: Request, desk: Desk) -> History:
    """Return what has become of everything said at the desk of this server."""
    state = request.app.state
    found: History | None = getattr(state, "history", None)
    if found is None or found.shown is not desk:
        found = state.history = History(desk)
    return found


def wanted(
    me: Who,
    who: Name = None,
    only: Only | None = None,
    item: Number = None,
    how: How | Literal[""] = "",
    act: Number = None,
) -> Wanted:
    """Return the filters of an address; `who=me` is who asks."""
    return Wanted(me if who == ME else who, only, item, how or None, act)


Past = Annotated[History, Depends(history)]
Filters = Annotated[Wanted, Depends(wanted)]


@router.get("/api/history")
def list_history(past: Past, filters: Filters, page: Page = 0) -> HistoryPage:
    """List what was said and done, newest first.

    Everything that was ever recorded, with what has become of it. `who` is a name, or
    `me`; `only=doubtful` lists answers that disagree with others or surprise, the most
    surprising first; `only=checks` lists checks that failed; `item` and `act` are
    numbers. An act with many answers has all of them if asked for by its number.
    """
    return past.page(filters, page)


@router.get("/api/disagreements")
def list_disagreements(past: Past) -> Disagreements:
    """List the answers that others deny.

    Each with a shortest chain of answers that say otherwise. Those that somebody left
    to disagree are listed apart.
    """
    return past.disagreements()


@router.post("/api/change", responses=troubles(409))
def change_answer(change: Change, past: Past, who: Who) -> Done:
    """Change an answer.

    The old one is taken back and another one recorded, as one act. One that others
    deny is kept as doubtful, and `disagreement` names it.
    """
    return acts.change(past, who, change)


@router.post("/api/retract", responses=troubles(409))
def retract_answers(retract: Retract, past: Past, who: Who) -> Done:
    """Take back some answers, as one act."""
    return acts.retract(past, who, retract)


@router.post("/api/keep", responses=troubles(409))
def keep_answer(keep: Keep, past: Past, who: Who) -> Done:
    """Leave an answer that others deny as it is.

    It is not asked about any more, and takes no part in what is concluded, until an
    answer that it contradicts is taken back.
    """
    return acts.keep(past, who, keep)


@router.post("/api/undo-act", responses=troubles(409))
def undo_act(undo: UndoAct, past: Past, who: Who) -> Done:
    """Undo any act, of anybody.

    The number of an undoing brings back what it has undone.
    """
    return acts.undo_act(past, who, undo)
