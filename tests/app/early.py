"""A server whose first questions are about a part of its items."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from tests.app.places import Served

from likewise.app._project import ProjectService
from likewise.session import FEATURES, Session, coarse_session, session_on
from likewise.storage import ProjectJournal

EARLY = "The first questions come from 20 of 60 items."
COUNT = 20


def begun_early(here: Served) -> Served:
    """Serve a part of the items, as if all of them were not compared yet."""
    journal = ProjectJournal(here.project, None, here.clock)
    X = np.asarray(here.project.array(FEATURES))
    session = coarse_session(X, journal, count=COUNT, **here.options)
    assert session is not None
    here.preparation.service = ProjectService(
        here.project,
        journal,
        session,
        here.clock,
        replace(here.service.display, early=EARLY),
        here.preparation._take_in_more,
        members=here.preparation.members,
    )
    return here


def all_compared(here: Served) -> Session:
    """Return the session that is to take over, as of now."""
    journal = here.service.journal
    return session_on(Session, here.project, journal, **here.options)
