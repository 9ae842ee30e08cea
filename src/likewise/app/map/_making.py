"""The places of a desk's items: found once, in the background, and kept."""

from __future__ import annotations

import hashlib
import traceback
from threading import Lock, Thread
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from likewise._arrays import Weights
from likewise.app._desk import Desk
from likewise.app.map._apart import plane_apart
from likewise.errors import LikewiseError
from likewise.session import (
    FEATURES,
    Plane,
    Session,
    plane_of_affinity,
    plane_of_graph,
    way_of,
)
from likewise.storage import Project

MAP, SEAL = "map", "map-seal"  # arrays of a project
SEED = 0
MAKING = 1  # to be raised whenever the same items would be placed elsewhere
ABOUT = {
    "pca": "Placed by which items are neighbours, and by what differs most among all.",
    "umap": "Placed by UMAP, which keeps items beside those that are like them.",
}


class Drawing:
    """The map of one desk; every method may be called from any thread.

    Parameters
    ----------
    desk : Desk
    """

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.plane: Plane | None = None
        self.error: str | None = None
        self._thread: Thread | None = None
        self._lock = Lock()

    @property
    def about(self) -> str:
        """How the places are found, in one sentence."""
        return ABOUT[way_of("auto", self.desk.session.n_samples)]

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
            self.plane = brought_plane(self.desk.project, self.desk.session)
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
    is_affinity = project.info().settings.get("affinity") == "precomputed"
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
