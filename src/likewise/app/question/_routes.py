"""The question page and its JSON routes."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, HTTPException, Query, Request
from fastapi.responses import RedirectResponse, Response

from likewise.app._api import troubles
from likewise.app._commands import (
    Aside,
    Command,
    OverviewReply,
    Pick,
    Reply,
    Settings,
    SheetReply,
    Skip,
    Undo,
)
from likewise.app._context import AppContext, Context, Page, Service, Who, drawn, said
from likewise.app._preparing import CRITERION
from likewise.app._project import SMALL, ProjectService
from likewise.app._schemas import Ahead, Candidates, State
from likewise.app.question import _presenter as presenter

router = APIRouter(tags=["Questions"])  # the routes of questions
PHONE = "Mobi"  # what browsers of phones call themselves, among other things
Fits = Annotated[int | None, Query(ge=4, le=48)]
Items = Annotated[tuple[Annotated[int, Query(ge=0, lt=2**53)], ...], Query()]


@router.get("/", include_in_schema=False)
def question_page(request: Request, context: Context, who: Who) -> Response:
    """Show the question, or how far the items are read."""
    if context.preparation.choosing is not None:
        return RedirectResponse("/columns", 303)
    project = context.preparation.service
    is_phone = PHONE in request.headers.get("user-agent", "")
    if project is not None and is_phone and not project.has_fit(who):
        project.fit(who, SMALL)
    state, broken = present_state(context, who), context.preparation.broken
    left_out = context.preparation.left_out
    return drawn(
        "question", state=state, page="question", broken=broken, left_out=left_out
    )


@router.get("/api/state", response_model=State)
def state(context: Context, who: Who, fits: Fits = None) -> Response:
    """Look at your question or screen, and at how far the sorting is.

    Begin here, and come back whenever you are in doubt: it changes nothing. What you
    have stays yours until you answer it, or until answers of others settle it.

    `status` says what to do: with `asking`, answer `question`, or `screen` where that
    is there; with `preparing` or `waiting`, ask again in a moment; with `settled`,
    nothing is left to ask; with `choosing`, `POST /api/columns` comes first. `fits`
    says how many items your screen holds, which is remembered for a while; with eight
    or fewer, nothing is to be sorted into piles.
    """
    project = context.preparation.service
    if fits is not None and project is not None:
        project.fit(who, fits)
    return said(present_state(context, who))


@router.post("/api/answer", response_model=State, responses=troubles(409))
def answer(reply: Reply, project: Service, who: Who) -> Response:
    """Answer your question, and get the next one.

    The answer is on disk when the reply comes. If `question` is no longer yours,
    nothing is recorded, `notice` says so, and the current question is in the reply.
    An answer that contradicts earlier ones is kept as doubtful, and `disagreement` is
    its id.
    """
    return said(_acted(project, who, reply, f"Saved: {reply.verdict}"))


@router.post("/api/pick", responses=troubles(409))
def pick(pick: Pick, project: Service, who: Who) -> State:
    """Put the item of your question into a group, and get the next question.

    One pick settles many pairs. `group` is the id of one of the groups that
    `GET /api/candidates` lists, or `"new"` if it belongs to none of all of them.
    """
    saved = "new group" if pick.group == "new" else "picked its group"
    return _acted(project, who, pick, f"Saved: {saved}")


@router.post("/api/sheet", responses=troubles(409))
def sheet(sheet: SheetReply, project: Service, who: Who) -> State:
    """Say which items of your sheet belong to its group, and get the next screen.

    All of it is one action, undone at once. `tapped` are those that `tap` of the sheet
    asks for, and no others; of those that do not belong, some may be in `piles`, each
    with a group that `GET /api/candidates` lists, or with none of them.
    """
    n_items = len({*sheet.tapped, *sheet.unsure})
    marked = f"{n_items} marked" if n_items else "nothing marked"
    return _acted(project, who, sheet, f"Saved: {marked}")


@router.post("/api/overview", responses=troubles(409))
def overview(overview: OverviewReply, project: Service, who: Who) -> State:
    """Say which groups of your overview are the same, and get the next screen.

    All of it is one action, undone at once.
    """
    same = sum(map(len, overview.same))
    saved = f"{same} groups are the same" if same else "all are different"
    return _acted(project, who, overview, f"Saved: {saved}")


@router.post("/api/skip", responses=troubles(409))
def skip(skip: Skip, project: Service, who: Who) -> State:
    """Get one pair instead of your sheet or overview.

    Nothing is recorded: what is on it may be asked about again.
    """
    return _acted(project, who, skip, None)


@router.post("/api/aside", responses=troubles(404, 409))
def aside(aside: Aside, project: Service, who: Who) -> State:
    """Set an item aside, or put it back.

    What is set aside takes no further part: it is in no group and is not asked about,
    until it is put back with `"aside": false`.
    """
    if aside.item >= project.session.n_samples:
        raise HTTPException(404, "There is no such item.")
    saved = "set aside" if aside.aside else "put back"
    return _acted(project, who, aside, f"Saved: {saved}")


@router.post("/api/undo", responses=troubles(409))
def undo(undo: Undo, project: Service, who: Who) -> State:
    """Take back your last act.

    Any number of times; what others did stays. If it was an answer, its question or
    screen is yours again, with what you said in `before`.
    """
    return _acted(project, who, undo, "Undone")


@router.post("/api/settings")
def settings(settings: Settings, context: Context, who: Who) -> State:
    """Change what people are asked, and what they are shown.

    For everybody, and for good, by the owner. What is left out stays as it is; an empty
    criterion is the usual one.
    """
    context.preparation.change(settings.model_dump(exclude_none=True))
    return present_state(context, who)


@router.get("/api/candidates", responses=troubles(400, 404))
def candidates(
    project: Service, who: Who, page: Page = 0, items: Items = ()
) -> Candidates:
    """List the groups that the item of your question may belong to.

    Or, with `items`, those that misfits of your sheet may belong to together, without
    the group of the sheet. The likeliest first, a page at a time. Look at
    `GET /api/state` before, which is what gives you a question.
    """
    now, mine = project.snapshot(), project.held(who)
    if mine is None:
        raise HTTPException(404, "You have no open question.")
    if items:
        return presenter.candidates_for(now, mine, items, page)
    if mine.screen is not None:
        raise HTTPException(404, "You have a screen: say which of its items, too.")
    return presenter.candidates(now, mine, page)


@router.get("/api/ahead")
def ahead(project: Service, who: Who) -> Ahead:
    """List the pictures that may be asked about next.

    To be fetched while a person looks at the present ones. It also works out both
    questions that may follow, so that the next reply comes at once.
    """
    nexts = project.ahead(who)
    return presenter.ahead_of(project.snapshot(), nexts)


def _acted(
    project: ProjectService, who: str, command: Command, saved: str | None
) -> State:
    fits: int | None = getattr(command, "fits", None)
    if fits is not None:
        project.fit(who, fits)
    done = project.act(who, command.client_id, command)
    return presenter.state_of(
        *project.look(who),
        saved=None if done.notice else saved,
        notice=done.notice,
        outcome=done,
    )


def present_state(context: AppContext, who: str) -> State:
    """Return what the question page shows, also while the items are being read."""
    preparation = context.preparation
    project = preparation.service
    if project is None:
        info, status = preparation.project.info(), preparation.status
        usual, roster = CRITERION["row"], context.roster()
        state = presenter.preparing_state(info, status, usual, who, roster)
        is_choosing = preparation.choosing is not None
        return state.model_copy(update={"status": "choosing"} if is_choosing else {})
    state = presenter.state_of(*project.look(who))
    rest = preparation.status if state.early else None
    return state.model_copy(update={"preparing": rest})
