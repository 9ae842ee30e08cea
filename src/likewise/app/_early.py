"""People answer while a large pile gets ready: about a part of it, in its journal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from likewise._arrays import Samples
from likewise._regime import COARSE
from likewise.errors import InputError
from likewise.session import FEATURES, Session, coarse_session, is_long
from likewise.storage import Project, ProjectJournal, has_graph

HOW = ("method", "n_clusters", "affinity", "random_state")


def early_session(
    project: Project,
    journal: ProjectJournal,
    X: Samples | None,
    options: Mapping[str, Any],
) -> Session | None:
    """Return a session on a part of the items; None where nobody waits long for all.

    Parameters
    ----------
    project : Project
        With its items and vectors: positions are final.
    journal : ProjectJournal
        Of the project.
    X : ndarray of shape (n_items, n_features), or None
        The vectors; those that the project keeps unless given.
    options : mapping
        Settings that go before those that the project keeps.
    """
    said = {**project.info().settings, **options}
    how: Any = {key: said[key] for key in HOW if key in said}
    vectors = project.array(FEATURES) if X is None else X
    if not is_long(vectors, how, is_kept=has_graph(project)):
        return None
    how.pop("affinity", None)
    try:
        return coarse_session(np.asarray(vectors), journal, **how)
    except InputError:
        return None  # whoever compares all of them says what is wrong


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
