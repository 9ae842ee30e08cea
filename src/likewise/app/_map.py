"""The map: a picture of all items, coloured by group.

Places are found once, in the background, and kept. What UMAP needs for it is compiled
first, which would keep a server from answering, so that is a process of its own:

    python -m likewise.app._map WAY SEED features|affinity <samples >plane
"""

from __future__ import annotations

import atexit
import hashlib
import subprocess
import sys
import traceback
from threading import Lock, Thread
from typing import Annotated, Any, TypeAlias, get_args

import numpy as np
import scipy.sparse as sp
from fastapi import APIRouter, Depends, HTTPException, Request
from fastapi.responses import RedirectResponse, Response
from numpy.typing import NDArray
from pydantic import BaseModel

from likewise._arrays import Indices, Samples, Weights
from likewise.affinity import PAIRWISE
from likewise.app._api import troubles
from likewise.app._context import Context, Service, Who, Whole, drawn
from likewise.app._project import ProjectService
from likewise.app._schemas import Card, GroupCard
from likewise.app._snapshot import Snapshot
from likewise.app.question import present_state
from likewise.errors import InputError, LikewiseError
from likewise.session import (
    FEATURES,
    Plane,
    Session,
    Status,
    Statuses,
    plane_of,
    plane_of_affinity,
    plane_of_graph,
    way_of,
)
from likewise.storage import Project, pack, unpack

router = APIRouter(tags=["Map"])
Codes: TypeAlias = NDArray[np.uint8]
WAIT = "The map is still being drawn: wait a moment."
EDGE = 4095  # the largest place
MOST = 20_000  # items that are shown at once
SOME = 20  # items of each group that are among them, if it has as many
STATUSES: tuple[Status, ...] = get_args(Status)
MAP, SEAL = "map", "map-seal"  # arrays of a project
SEED = 0
MAKING = 1  # to be raised whenever the same items would be placed elsewhere
ABOUT = {
    "pca": "Placed by neighbours, and by what differs most overall.",
    "umap": "Placed by UMAP: similar items lie close together.",
}
PLACERS: dict[str, Any] = {"features": plane_of, "affinity": plane_of_affinity}
_beginning = Lock()


class Sheet(BaseModel):
    """All items on a sheet; similar ones lie close together.

    Columns of equal length, one entry for each item that is shown: its place from 0 to
    4095, the number of its group (0 for none) and its status, a position in `statuses`.
    `items` says which ones they are, and is null where all are shown, in their order.
    """

    version: int
    about: str
    n_items: int
    items: list[int] | None
    x: list[int]
    y: list[int]
    group: list[int]
    status: list[int]
    statuses: list[str]
    groups: list[GroupCard]


class Drawing:
    """The map of one project; every method may be called from any thread.

    Parameters
    ----------
    service : ProjectService
    """

    def __init__(self, service: ProjectService) -> None:
        self.service = service
        self.plane: Plane | None = None
        self.error: str | None = None
        self._thread: Thread | None = None
        self._lock = Lock()

    @property
    def about(self) -> str:
        """How the places are found, in one sentence."""
        return ABOUT[way_of("auto", self.service.session.n_samples)]

    def begin(self) -> Thread:
        """Find the places in the background; the first call only.

        Returns
        -------
        Thread
            When it ends, either :attr:`plane` or :attr:`error` is there.
        """
        with self._lock:
            if self._thread is None:
                self._thread = Thread(target=self._draw, name="map", daemon=True)
                self._thread.start()
            return self._thread

    def _draw(self) -> None:
        try:
            self.plane = brought_plane(self.service.project, self.service.session)
        except LikewiseError as error:
            self.error = f"The map could not be drawn. {error}"
        except Exception as error:
            traceback.print_exc()
            self.error = f"The map could not be drawn: {error!r}."


def brought_plane(project: Project, session: Session) -> Plane:
    """Return the place of each item: the kept one, if it is of this pile and this way.

    What is not, because items were added or another way is installed by now, is drawn
    anew and kept.

    Returns
    -------
    ndarray of shape (n_items, 2) and type float32
    """
    way, weights = way_of("auto", session.n_samples), session.weights
    kept = _kept(project, way, weights)
    if kept is not None:
        return kept
    plane = _made(project, way, weights)
    # The seal comes last, so that half of it is never taken for all.
    project.put_array(MAP, plane)
    project.put_array(SEAL, _seal(way, weights, plane))
    return plane


def _kept(project: Project, way: str, weights: Weights) -> Plane | None:
    if not project.n_rows(MAP) or not project.n_rows(SEAL):
        return None
    plane: Plane = project.array(MAP)
    is_ours = np.array_equal(project.array(SEAL), _seal(way, weights, plane))
    return plane if is_ours else None


def _made(project: Project, way: str, weights: Weights) -> Plane:
    """Return new places; the graph is the one that groups are found in."""
    is_affinity = project.info().settings.get("affinity") in PAIRWISE
    X = weights if is_affinity else project.array(FEATURES)
    if way == "umap":
        return plane_apart(X, SEED, way, is_affinity=is_affinity)
    if is_affinity:
        return plane_of_affinity(weights, SEED, way)
    return plane_of_graph(X, weights, SEED)


def _seal(way: str, weights: Weights, plane: Plane) -> NDArray[np.uint8]:
    """Return a digest of what a map was made of, and how, and of the map itself."""
    parts: tuple[Any, ...] = (weights,)
    if sp.issparse(weights):
        parts = (weights.data, weights.indices, weights.indptr)
    digest = hashlib.sha256(f"{way} {SEED} {MAKING}".encode())
    for part in (*parts, plane):
        digest.update(np.ascontiguousarray(part).data)
    return np.frombuffer(digest.digest(), dtype=np.uint8)


def plane_apart(X: Samples, seed: int, way: str, *, is_affinity: bool = False) -> Plane:
    """Return the place of each sample, as :func:`~likewise.session.plane_of` does.

    Raises
    ------
    InputError
        The process ended without a result.
    """
    given = "affinity" if is_affinity else "features"
    command = [sys.executable, "-P", "-m", "likewise.app._map", way, str(seed), given]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        atexit.register(process.kill)  # nobody waits for it any more
        made, said = process.communicate(pack(X))
        atexit.unregister(process.kill)
    if process.returncode:
        last = said.decode(errors="replace").strip().rpartition("\n")[2]
        raise InputError(f"Its process ended with {process.returncode}: {last or '?'}")
    plane: Plane = unpack(made)
    return plane


# What the page draws


def sheet_of(now: Snapshot, plane: Plane, about: str) -> Sheet:
    """Return the map as it is now.

    Parameters
    ----------
    now : Snapshot
    plane : ndarray of shape (n_items, 2)
        The place of each item, between 0 and 1.
    about : str
        How the places were now.
    """
    group, status = _numbers(now), _codes(now.statuses, len(plane))
    some = sample_of(group, MOST) if len(plane) > MOST else None
    at: Any = slice(None) if some is None else some
    places = np.rint(plane[at] * EDGE).astype(np.intp)
    return Sheet.model_construct(
        version=now.version,
        about=about,
        n_items=len(plane),
        items=None if some is None else some.tolist(),
        x=places[:, 0].tolist(),
        y=places[:, 1].tolist(),
        group=group[at].tolist(),
        status=status[at].tolist(),
        statuses=list(STATUSES),
        groups=_groups(now),
    )


def sample_of(group: Indices, most: int) -> Indices:
    """Return some of the items, ascending; the same ones for the same groups.

    Some of every group, then any. While answers come in, most of them stay.

    Parameters
    ----------
    group : ndarray of shape (n_items,)
        The group of each item.
    most : int
        How many are wanted; more, if there are more groups than that.

    Examples
    --------
    >>> group = np.array([1] * 1000 + [2] * 3)
    >>> kept = sample_of(group, 100)
    >>> len(kept), np.bincount(group[kept]).tolist()
    (100, [0, 97, 3])
    """
    n = len(group)
    order = np.random.default_rng(n).permutation(n)
    by_group = order[np.argsort(group[order], kind="stable")]
    _, first, counts = np.unique(group[by_group], return_index=True, return_counts=True)
    rank = np.empty(n, dtype=np.intp)
    rank[by_group] = np.arange(n) - np.repeat(first, counts)
    turn = np.minimum(rank[order], SOME)  # the first of each group, then the second ...
    wanted = order[np.argsort(turn, kind="stable")]
    return np.sort(wanted[: max(most, len(first))])


def _numbers(now: Snapshot) -> Indices:
    of = np.zeros(max(now.clusters, default=-1) + 2, dtype=np.intp)
    for label in now.clusters:
        of[label] = now.number[label]
    return of[now.labels]  # the last one is for those in none, whose label is -1


def _codes(statuses: Statuses, n_items: int) -> Codes:
    codes = np.full(n_items, STATUSES.index("guessed"), dtype=np.uint8)
    for name in ("confirmed", "deferred", "aside"):
        codes[list(getattr(statuses, name))] = STATUSES.index(name)
    return codes


def _groups(now: Snapshot) -> list[GroupCard]:
    groups = [
        GroupCard(
            id=now.anchor(label),
            number=now.number[label],
            name=now.name.get(label, ""),
            size=now.size(label),
            confirmed=now.n_confirmed(label),
        )
        for label in now.clusters
    ]
    return sorted(groups, key=lambda group: (-group.size, group.number))


# Routes


def drawing(request: Request, project: Whole) -> Drawing:
    """Return the map of the project; whoever asks first has it drawn."""
    state = request.app.state
    with _beginning:
        found: Drawing | None = getattr(state, "drawing", None)
        if found is None or found.service is not project:
            found = state.drawing = Drawing(project)
    found.begin()
    return found


@router.get("/api/map", responses=troubles(400))
def map_of_items(
    project: Service, who: Who, drawing: Annotated[Drawing, Depends(drawing)]
) -> Sheet:
    """See all items at a glance, with their groups.

    Those that are alike lie near each other. The first request has the map drawn, and
    is told to wait (503) until it is; then it is kept. Of more than 20,000 items some
    are shown, of every group.
    """
    if drawing.error is not None:
        raise InputError(drawing.error)
    if drawing.plane is None:
        raise HTTPException(503, WAIT, {"Retry-After": "1"})
    return sheet_of(project.seen(who), drawing.plane, drawing.about)


@router.get("/api/map/{item}", responses=troubles(404))
def item_of_map(item: int, project: Service) -> Card:
    """Look at one item."""
    if not 0 <= item < project.session.n_samples:
        raise HTTPException(404, "There is no such item.")
    return project.snapshot().cards([item])[0]


@router.get("/map", include_in_schema=False)
def map_page(context: Context, who: Who) -> Response:
    """Show the map."""
    if context.preparation.service is None:
        return RedirectResponse("/", 303)
    return drawn("map", state=present_state(context, who), page="map")


def main() -> None:
    """Read samples, write their places."""
    way, seed, given = sys.argv[1:]
    out, sys.stdout = sys.stdout, sys.stderr  # whatever is printed is no plane
    plane = PLACERS[given](unpack(sys.stdin.buffer.read()), int(seed), way)
    out.buffer.write(pack(np.asarray(plane)))


if __name__ == "__main__":
    main()
