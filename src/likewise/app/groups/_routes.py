"""The JSON routes of the groups pages."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, HTTPException, Query

from likewise.app._api import troubles
from likewise.app._messages import Rename
from likewise.app._routes import Desk, Page, Who
from likewise.app.groups._acts import acted, previewed
from likewise.app.groups._messages import (
    Compare,
    GroupPage,
    Groups,
    ItemsPage,
    Merge,
    NParts,
    Order,
    Parts,
    Preview,
    Rest,
    Review,
    Reviewed,
    Split,
    Unfuse,
    Wanted,
)
from likewise.app.groups._show import group_of, groups_of, items_of, parts_of

router = APIRouter(tags=["Groups"])
NOWHERE = "That item is in no group."
MANY = 12  # items of each group that are listed with it
Near = Annotated[int | None, Query(ge=0)]
Members = Annotated[int, Query(ge=0, le=MANY)]


@router.get("/api/groups")
def groups(desk: Desk, near: Near = None, members: Members = MANY) -> Groups:
    """List all groups, the largest first.

    Each with a few of its items (`members`); `confirmed` of them are in it by answers,
    the others by a guess, and `unsure` of these need a look. With `near`, the group of
    that item comes first, and then those that are most like it.
    """
    return groups_of(desk, "size", near, members)


@router.get("/api/groups/{item}", responses=troubles(404))
def group(item: int, desk: Desk, start: Page = 0, order: Order = "unsure") -> GroupPage:
    """Look into the group of an item.

    Some items from `start` on: those that answers have confirmed come first, then the
    guessed ones, the least sure or the most typical first.
    """
    return _found(group_of(desk, item, start, order))


@router.get("/api/groups/{item}/parts", responses=troubles(400, 404))
def parts(item: int, desk: Desk, n: NParts = 2) -> Parts:
    """Look how the group of an item may fall apart.

    Into `n` parts, the least coherent first, with up to 24 items of each. If a single
    answer has fused two groups, `fusing` is that answer.
    """
    found = parts_of(desk, item, n)
    if found is None:
        raise HTTPException(404, NOWHERE)
    return found


@router.get("/api/items")
def items(desk: Desk, which: Rest = "not-placed", start: Page = 0) -> ItemsPage:
    """List items that are not settled.

    `not-placed`: no answer has confirmed where they belong, the least sure first;
    `not-sure`: somebody could not tell; `set-aside`: they take no part.
    """
    return items_of(desk, which, start)


@router.post("/api/rename", responses=troubles(404, 409))
def rename(rename: Rename, desk: Desk, who: Who) -> GroupPage:
    """Name the group of an item.

    The name stays with the group while the clusters around it change. Another group
    may have the same one: see `POST /api/preview`.
    """
    _found(group_of(desk, rename.item, 0))
    desk.desk.rename(who, rename)
    return _found(group_of(desk, rename.item, 0))


@router.post("/api/review", responses=troubles(409))
def review(review: Review, desk: Desk, who: Who) -> Reviewed:
    """Confirm items, take them out of their group, move them, or set them aside.

    Only what is listed is touched, and all of it is one act, undone at once by
    `POST /api/undo`. Answers that say otherwise are taken back.
    """
    return acted(desk, who, review)


@router.post("/api/merge", responses=troubles(409))
def merge(merge: Merge, desk: Desk, who: Who) -> Reviewed:
    """Make several groups one.

    Each is named by any of its items. Undone at once by `POST /api/undo`.
    """
    return acted(desk, who, merge)


@router.post("/api/split", responses=troubles(409))
def split(split: Split, desk: Desk, who: Who) -> Reviewed:
    """Part a group.

    Along the parts that `GET /api/groups/{item}/parts` shows, apart from what you have
    `moved` by hand. Recorded is the least that keeps them apart: where confirmed items
    belong, the first of each part, and what was moved.
    """
    return acted(desk, who, split)


@router.post("/api/unfuse", responses=troubles(409))
def unfuse(unfuse: Unfuse, desk: Desk, who: Who) -> Reviewed:
    """Take back the answer that has made one group out of two.

    See `fusing` of `GET /api/groups/{item}/parts`.
    """
    return acted(desk, who, unfuse)


@router.post("/api/compare", responses=troubles(409))
def compare(compare: Compare, desk: Desk, who: Who) -> Reviewed:
    """Say whether the groups of two items are the same.

    `same` makes them one; after `different` or `unsure` they are not suggested again.
    """
    return acted(desk, who, compare)


@router.post("/api/preview", responses=troubles(409))
def preview(wanted: Wanted, desk: Desk) -> Preview:
    """See what an act would amount to; nothing is recorded.

    Takes the same as the other routes, and returns how many answers would be told and
    taken back. `groups` are those that would be merged, or, for a name, the group of
    the item and all that have that name already.
    """
    return previewed(desk, wanted)


def _found(page: GroupPage | None) -> GroupPage:
    if page is None:
        raise HTTPException(404, NOWHERE)
    return page
