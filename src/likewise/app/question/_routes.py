"""The question page and its JSON routes."""

from __future__ import annotations

from fastapi import APIRouter, HTTPException
from fastapi.responses import HTMLResponse, Response

from likewise.app._api import troubles
from likewise.app._commands import Aside, Command, Pick, Reply, Settings, Undo
from likewise.app._context import AppContext, Context, Page, Service, Who, drawn, said
from likewise.app._preparing import CRITERION
from likewise.app._project import ProjectService
from likewise.app._schemas import Ahead, Candidates, State
from likewise.app.question import _presenter as presenter
from likewise.errors import NotAllowedError

router = APIRouter(tags=["Questions"])


@router.get("/", include_in_schema=False)
def question_page(context: Context, who: Who) -> HTMLResponse:
    """Show the question, or how far the items are read."""
    state, broken = present_state(context, who), context.preparation.broken
    return drawn("question", state=state, page="question", broken=broken)


@router.get("/api/state", response_model=State)
def state(context: Context, who: Who) -> Response:
    """Look at your question, and at how far the sorting is.

    Begin here, and come back whenever you are in doubt: it changes nothing. The
    question stays yours until you answer it, or until answers of others settle it.

    `status` says what to do: with `asking`, answer `question`; with `preparing` or
    `waiting`, ask again in a moment; with `settled`, nothing is left to ask.
    """
    return said(present_state(context, who))


@router.post("/api/answer", response_model=State, responses=troubles(409))
def answer(reply: Reply, project: Service, who: Who) -> Response:
    """Answer your question, and get the next one.

    The answer is on disk when the reply comes. If `question` is no longer yours,
    nothing is recorded, `notice` says so, and the present question is in the reply. An
    answer that earlier ones deny is kept as doubtful, and `disagreement` is its id.
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

    Any number of times; acts of others stay. If it was an answer, its question is
    yours again, with the old answer in `before`.
    """
    return _acted(project, who, undo, "Undone")


@router.post("/api/settings")
def settings(settings: Settings, context: Context, who: Who) -> State:
    """Change what people are asked, and what they are shown.

    For everybody, and for good. What is left out stays as it is; an empty criterion
    is the usual one. Who may change what others said is for the owner to decide.
    """
    if settings.changes is not None:
        _check_owner(context, who)
    context.preparation.change(settings.model_dump(exclude_none=True))
    return present_state(context, who)


@router.get("/api/candidates", responses=troubles(404))
def candidates(project: Service, who: Who, page: Page = 0) -> Candidates:
    """List the groups that the item of your question may belong to.

    The likeliest first, a page at a time. Look at `GET /api/state` before, which is
    what gives you a question.
    """
    now, mine = project.snapshot(), project.held(who)
    if mine is None:
        raise HTTPException(404, "You have no open question.")
    return presenter.candidates(now, mine, page)


@router.get("/api/ahead")
def ahead(project: Service, who: Who) -> Ahead:
    """List the pictures that may be asked about next.

    To be fetched while a person looks at the present ones. It also works out both
    questions that may follow, so that the next reply comes at once.
    """
    nexts = project.ahead(who)
    return presenter.ahead_of(project.snapshot(), nexts)


def _acted(project: ProjectService, who: str, command: Command, saved: str) -> State:
    done = project.act(who, command.client_id, command)
    return presenter.state_of(
        *project.look(who),
        saved=None if done.notice else saved,
        notice=done.notice,
        before=done.verdict,
    )


def _check_owner(context: AppContext, who: str) -> None:
    project = context.preparation.service
    owner = None if project is None else project.snapshot().owner
    if owner not in (None, who):
        raise NotAllowedError(
            f"Only {owner} may say who changes what others said: ask for it."
        )


def present_state(context: AppContext, who: str) -> State:
    """Return what the question page shows, also while the items are being read."""
    preparation = context.preparation
    project = preparation.service
    if project is None:
        info, status = preparation.project.info(), preparation.status
        return presenter.preparing_state(info, status, CRITERION["row"], who)
    return presenter.state_of(*project.look(who))
