"""The session of a project, to look at."""

from __future__ import annotations

from likewise.errors import InputError
from likewise.session import FEATURES, Session, session_on
from likewise.storage import Project, ProjectJournal, read_affinity


def session_of(project: Project) -> Session:
    """Return a session as the project has it at this moment.

    It is for reading: nothing can be told to it, and nothing is written.

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
    journal = ProjectJournal(project, None, lambda: 0.0)
    return session_on(Session, project, journal, graph=read_affinity(project))
