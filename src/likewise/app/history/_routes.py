"""The pages of history and of disagreements, and their JSON routes."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import HTMLResponse

from likewise.app._api import troubles
from likewise.app._commands import (
    Amending,
    Change,
    Decide,
    Keep,
    Retract,
    TakeBack,
    UndoAct,
)
from likewise.app._context import Page, Service, Who, drawn
from likewise.app._ledger import Only, Wanted
from likewise.app._project import ProjectService
from likewise.app.history import _presenter as presenter
from likewise.app.history._presenter import (
    FILTERS,
    HOW,
    Disagreements,
    Done,
    HistoryPage,
)
from likewise.app.question import seen_by

router = APIRouter(tags=["History"])  # the routes of the page of history
How: TypeAlias = Literal[
    "asked",
    "check",
    "picker",
    "sheet",
    "overview",
    "review",
    "given",
    "told",
    "second",
    "decided",
    "other",
]
ME = "me"
Name = Annotated[str | None, Query(max_length=200)]
Number = Annotated[int | None, Query(ge=0, lt=2**31)]


def wanted(  # noqa: PLR0913 - each is a filter
    me: Who,
    project: Service,
    *,
    who: Name = None,
    only: Only | None = None,
    item: Number = None,
    how: How | Literal[""] = "",
    act: Number = None,
) -> Wanted:
    """Return the filters of an address; `who=me` is who asks."""
    besides = project.asked_second(me)
    return Wanted(me if who == ME else who, only, item, how or None, act, besides)


Filters = Annotated[Wanted, Depends(wanted)]


@router.get("/api/history")
def list_history(
    project: Service, filters: Filters, who: Who, page: Page = 0
) -> HistoryPage:
    """List what was said and done, newest first.

    Everything that was ever recorded, with what has become of it. `who` is a name, or
    `me`; `only=doubtful` lists answers that disagree with others or surprise, the most
    surprising first; `only=checks` lists checks that failed; `item` and `act` are
    numbers. An action with many answers has them all if asked for by number.
    """
    return presenter.history_page(project.snapshot(), who, filters, page)


@router.get("/api/disagreements")
def list_disagreements(project: Service, who: Who) -> Disagreements:
    """List the answers that others contradict.

    Each with a shortest chain of answers that say otherwise. Those that somebody left
    to disagree are listed apart, and so are pairs on which readers disagree: those are
    for reviewers, who see what was said, and by whom once they have decided.
    """
    besides = project.asked_second(who)
    return presenter.disagreements(project.snapshot(), who, besides)


@router.post("/api/change", responses=troubles(409))
def change_answer(change: Change, project: Service, who: Who) -> Done:
    """Change an answer: yours, or anybody's if you may change what others said.

    The old one is taken back and another one recorded, as one act. One that others
    deny is kept as doubtful, and `disagreement` names it.
    """
    return _acted(project, who, change)


@router.post("/api/retract", responses=troubles(409))
def retract_answers(retract: Retract, project: Service, who: Who) -> Done:
    """Take back some answers, as one act."""
    return _acted(project, who, retract)


@router.post("/api/take-back", responses=troubles(409))
def take_back(wanted: TakeBack, project: Service, who: Who) -> Done:
    """Take back all that a reader said, a person or a model, as one act.

    What they named or set aside stays. Undo it by the number of the act.
    """
    return _acted(project, who, wanted)


@router.post("/api/keep", responses=troubles(409))
def keep_answer(keep: Keep, project: Service, who: Who) -> Done:
    """Keep an answer that others contradict.

    It is not asked about any more, and takes no part in what is concluded, until an
    answer that it contradicts is taken back.
    """
    return _acted(project, who, keep)


@router.post("/api/decide", responses=troubles(409))
def decide(decide: Decide, project: Service, who: Who) -> Done:
    """Decide between readers who disagree on a pair, as a reviewer.

    It counts from now on, and what says otherwise is taken back, as one act; undoing it
    brings all of that back.
    """
    return _acted(project, who, decide)


@router.post("/api/undo-act", responses=troubles(409))
def undo_act(undo: UndoAct, project: Service, who: Who) -> Done:
    """Undo any action: yours, or anybody's if you may change what others said.

    The number of an undoing brings back what it has undone.
    """
    return _acted(project, who, undo)


def _acted(project: ProjectService, who: str, command: Amending) -> Done:
    outcome = project.act(who, command.client_id, command)
    number = project.journal.position_of(command.client_id)
    return presenter.done_of(project.snapshot(), who, command, outcome, number)


# Pages


@router.get("/history", include_in_schema=False)
def history_page(
    request: Request, project: Service, filters: Filters, who: Who, page: Page = 0
) -> HTMLResponse:
    """Show what was said and done, newest first."""
    now = project.snapshot()
    state = seen_by(now, who)
    found = presenter.history_page(now, who, filters, page)
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
        found=found,
        wanted=filters,
        asked=asked,
        address=address,
        ways=HOW,
        filters=FILTERS,
    )


@router.get("/disagreements", include_in_schema=False)
def disagreements_page(project: Service, who: Who) -> HTMLResponse:
    """Show the answers that others deny."""
    now = project.snapshot()
    state, besides = seen_by(now, who), project.asked_second(who)
    found = presenter.disagreements(now, who, besides)
    return drawn(
        "disagreements", state=state, page="disagreements", found=found, ways=HOW
    )
