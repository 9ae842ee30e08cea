"""The groups pages and their JSON routes."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, HTTPException, Query, Request
from fastapi.responses import RedirectResponse, Response

from likewise.app._api import troubles
from likewise.app._commands import (
    Compare,
    Merge,
    NParts,
    Planned,
    Rename,
    Review,
    Split,
    Together,
    Unfuse,
)
from likewise.app._context import Context, Page, Service, Who, drawn
from likewise.app._project import ProjectService
from likewise.app._snapshot import Snapshot
from likewise.app.groups import _presenter as presenter
from likewise.app.groups._presenter import (
    GroupPage,
    Groups,
    ItemsPage,
    Lookalikes,
    Order,
    Parts,
    Preview,
    Rest,
    Reviewed,
    Sort,
    Wanted,
)
from likewise.app.question import seen_by

router = APIRouter(tags=["Groups"])  # the routes of the pages of groups
NOWHERE = "This item is in no group."
MANY = 12  # items of each group that are listed with it
Near = Annotated[int | None, Query(ge=0)]
Members = Annotated[int, Query(ge=0, le=MANY)]
Most = Annotated[int | None, Query(ge=1)]
Called = Annotated[str, Query(max_length=200)]


@router.get("/api/groups")
def groups(
    project: Service,
    who: Who,
    near: Near = None,
    members: Members = MANY,
    most: Most = None,
    called: Called = "",
) -> Groups:
    """List the groups, the largest first.

    Each with a few of its items (`members`); `confirmed` of them are in it by answers,
    the others by a guess, and `unsure` of these need a look. With `near`, the group of
    that item comes first, and then those that are most like it. All of them, or at most
    `most`; with `called`, only those whose name has these letters, or whose number it
    is.
    """
    now = project.seen(who)
    return presenter.groups_of(now, "size", near, members, most, called)


@router.get("/api/groups/{item}", responses=troubles(404))
def group(
    item: int, project: Service, who: Who, start: Page = 0, order: Order = "unsure"
) -> GroupPage:
    """Look into the group of an item.

    Some items from `start` on: what needs a look comes first, the least sure guess at
    the top, and what answers have confirmed last; with `order=typical` the other way
    round.
    """
    return _found(presenter.group_of(project.seen(who), item, start, order))


@router.get("/api/groups/{item}/parts", responses=troubles(400, 404))
def parts(item: int, project: Service, who: Who, n: NParts = 2) -> Parts:
    """Look how the group of an item may fall apart.

    Into `n` parts, the least coherent first, with up to 24 items of each. If a single
    answer has fused two groups, `fusing` is that answer.
    """
    found = presenter.parts_of(project.seen(who), item, n)
    if found is None:
        raise HTTPException(404, NOWHERE)
    return found


@router.get("/api/items")
def items(
    project: Service, who: Who, which: Rest = "not-placed", start: Page = 0
) -> ItemsPage:
    """List items that are not settled.

    `not-placed`: no answer has confirmed where they belong, the least sure first;
    `not-sure`: somebody could not tell; `set-aside`: they take no part.
    """
    return presenter.items_of(project.seen(who), which, start)


@router.post("/api/rename", responses=troubles(404, 409))
def rename(rename: Rename, project: Service, who: Who) -> GroupPage:
    """Name the group of an item.

    The name stays with the group while the clusters around it change. Another group
    may have the same one: see `POST /api/preview`.
    """
    _found(presenter.group_of(project.seen(who), rename.item, 0))
    project.act(who, rename.client_id, rename)
    return _found(presenter.group_of(project.seen(who), rename.item, 0))


@router.post("/api/review", responses=troubles(409))
def review(review: Review, project: Service, who: Who) -> Reviewed:
    """Confirm items, take them out of their group, move them, or set them aside.

    Only what is listed is touched, and all of it is one action, undone by
    `POST /api/undo`. Answers that say otherwise are taken back.
    """
    return _acted(project, who, review)


@router.post("/api/merge", responses=troubles(409))
def merge(merge: Merge, project: Service, who: Who) -> Reviewed:
    """Make several groups one.

    Each is named by any of its items. Undone at once by `POST /api/undo`.
    """
    return _acted(project, who, merge)


@router.get("/api/alike")
def alike(context: Context, project: Service) -> Lookalikes:
    """List pictures that are almost identical to another one.

    Saved again, smaller or a little brighter; those of which nothing is known yet.
    None once that was declined (`POST /api/settings` with `alike` of false).
    """
    pairs = context.preparation.alike
    return presenter.lookalikes_of(project.snapshot(), pairs)


@router.post("/api/alike", responses=troubles(409))
def together(together: Together, project: Service, who: Who) -> Reviewed:
    """Take pictures that are almost identical as one.

    Each pair is recorded as `same`, known before; all of them are one act, undone
    at once by `POST /api/undo`. Pairs of which something is known stay as they are.
    """
    return _acted(project, who, together)


@router.post("/api/split", responses=troubles(409))
def split(split: Split, project: Service, who: Who) -> Reviewed:
    """Part a group.

    Along the parts that `GET /api/groups/{item}/parts` shows, apart from what you have
    `moved` by hand. Recorded is the least that keeps them apart: where confirmed items
    belong, the first of each part, and what was moved.
    """
    return _acted(project, who, split)


@router.post("/api/unfuse", responses=troubles(409))
def unfuse(unfuse: Unfuse, project: Service, who: Who) -> Reviewed:
    """Take back the answer that has made one group out of two.

    See `fusing` of `GET /api/groups/{item}/parts`.
    """
    return _acted(project, who, unfuse)


@router.post("/api/compare", responses=troubles(409))
def compare(compare: Compare, project: Service, who: Who) -> Reviewed:
    """Say whether the groups of two items are the same.

    `same` makes them one; after `different` or `unsure` they are not suggested again.
    """
    return _acted(project, who, compare)


@router.post("/api/preview", responses=troubles(409))
def preview(wanted: Wanted, project: Service, who: Who) -> Preview:
    """See what an action would record; nothing is saved.

    Takes the same as the other routes, and returns how many answers would be told and
    taken back. `groups` are those that would be merged, or, for a name, the group of
    the item and all that have that name already.
    """
    return presenter.previewed(project.seen(who), who, wanted)


# Pages


@router.get("/groups", include_in_schema=False)
def groups_page(
    context: Context,
    who: Who,
    sort: Sort = "review",
    start: Page = 0,
    only: Literal["singles"] | None = None,
) -> Response:
    """Show the groups, or those of one item."""
    project = context.preparation.service
    if project is None:
        return RedirectResponse("/", 303)
    now = project.seen(who)
    values = _common(now, who, "groups")
    found = presenter.listed(now, sort, start, singles=only is not None)
    alike = presenter.lookalikes_of(now, context.preparation.alike)
    return drawn("groups", **values, found=found, sort=sort, only=only, alike=alike)


@router.get("/groups/not-placed", include_in_schema=False)
@router.get("/groups/not-sure", include_in_schema=False)
@router.get("/groups/set-aside", include_in_schema=False)
def items_page(
    request: Request, context: Context, who: Who, start: Page = 0
) -> Response:
    """Show items that are not settled."""
    project = context.preparation.service
    if project is None:
        return RedirectResponse("/", 303)
    which: Any = request.url.path.rpartition("/")[2]
    now = project.seen(who)
    values = _common(now, who, which)
    found = presenter.items_of(now, which, start)
    if start >= found.total:
        found = presenter.items_of(now, which, presenter.page_of_last(found.total))
    return drawn("items", **values, found=found)


@router.get("/groups/{item}", include_in_schema=False)
def group_page(
    item: int, project: Service, who: Who, start: Page = 0, order: Order = "unsure"
) -> Response:
    """Show one group."""
    now = project.seen(who)
    values = _common(now, who, "group")
    found = presenter.group_of(now, item, start, order)
    if found is None:
        raise HTTPException(404, NOWHERE)
    if start >= found.group.size:
        last = presenter.page_of_last(found.group.size)
        found = presenter.group_of(now, item, last, order) or found
    side, then = (
        presenter.neighbours(now, item),
        presenter.next_to_look_at(now, item),
    )
    return drawn("group", **values, found=found, side=side, then=then)


def _common(now: Snapshot, who: str, tab: str) -> dict[str, Any]:
    return {
        "state": seen_by(now, who),
        "page": "groups",
        "tab": tab,
        "counts": presenter.counts_of(now),
    }


def _acted(project: ProjectService, who: str, command: Planned) -> Reviewed:
    outcome = project.act(who, command.client_id, command)
    return presenter.reviewed(project.snapshot(), who, command, outcome)


def _found(page: GroupPage | None) -> GroupPage:
    if page is None:
        raise HTTPException(404, NOWHERE)
    return page
