"""The session of a project, to look at."""

from __future__ import annotations

from typing import Any

from likewise.errors import InputError
from likewise.knowledge import MemoryJournal
from likewise.session import DEFAULTS, FEATURES, Session, with_graph
from likewise.storage import Project, read_affinity


def session_of(project: Project) -> Session:
    """Return a session as the project has it at this moment.

    What is told to it is not kept: it is for reading.

    Examples
    --------
    >>> import numpy as np
    >>> from likewise.storage import open_store
    >>> project = open_store("memory://").create("leaves", {}, now=0.0)
    >>> project.put_array("features", np.array([[0.0], [0.1], [9.0]]))
    >>> session_of(project).n_samples
    3
    """
    if not project.n_rows(FEATURES):
        raise InputError(
            f"Project {project.name!r} holds nothing to sort yet: open it with "
            f"`likewise app` first."
        )
    kept = project.info().settings
    settings: dict[str, Any] = {
        key: kept.get(key, value) for key, value in DEFAULTS.items()
    }
    journal = MemoryJournal(act.event for act in project.acts())
    how = with_graph(settings, read_affinity(project))
    return Session(project.array(FEATURES), **how, journal=journal)
