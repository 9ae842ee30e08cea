"""People answer while a large pile gets ready: about a part of it, in its journal."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

import numpy as np

from likewise._arrays import Samples
from likewise._regime import COARSE
from likewise.errors import InputError
from likewise.session import FEATURES, Session, coarse_session, is_long
from likewise.storage import Project, ProjectJournal

HOW = ("method", "n_clusters", "affinity", "random_state")
READY = "ready"  # the setting that says of what all items were compared already


def is_early(project: Project, X: Samples | None, options: Mapping[str, Any]) -> bool:
    """Tell whether it takes long until all items are compared.

    Parameters
    ----------
    project : Project
        With its items and vectors: positions are final.
    X : ndarray of shape (n_items, n_features), or None
        The vectors; those that the project keeps unless given.
    options : mapping
        Settings that go before those that the project keeps.
    """
    vectors = project.array(FEATURES) if X is None else X
    is_again = project.info().settings.get(READY) == _mark(project, options)
    return is_long(vectors, _how(project, options), is_again=is_again)


def note_ready(project: Project, options: Mapping[str, Any]) -> None:
    """Note that all items were compared: what took long of it is kept from then on."""
    mark = _mark(project, options)
    if project.info().settings.get(READY) != mark:
        project.change({READY: mark})


def _mark(project: Project, options: Mapping[str, Any]) -> list[str]:
    """Return what must be the same, so that what was worked out is of use again."""
    how = _how(project, options)
    said = [f"{key}={how.get(key)}" for key in HOW]
    return [f"{project.info().n_items} items", version("likewise"), *said]


def early_session(
    project: Project,
    journal: ProjectJournal,
    X: Samples | None,
    options: Mapping[str, Any],
) -> Session | None:
    """Return a session on a part of the items; None where there is none to begin with.

    Parameters
    ----------
    project, X, options
        As in :func:`is_early`.
    journal : ProjectJournal
        Of the project.
    """
    how = _how(project, options)
    how.pop("affinity", None)
    vectors = project.array(FEATURES) if X is None else X
    try:
        return coarse_session(np.asarray(vectors), journal, **how)
    except InputError:
        return None  # whoever compares all of them says what is wrong


def _how(project: Project, options: Mapping[str, Any]) -> Any:
    said = {**project.info().settings, **options}
    return {key: said[key] for key in HOW if key in said}


def said_early(session: Session) -> str:
    """Say which items the first questions are about.

    Parameters
    ----------
    session : Session
        On a part of the items.
    """
    return (
        f"The first questions come from {COARSE:,} of {session.n_samples:,} items, "
        f"while all are compared; answers count in full."
    )
