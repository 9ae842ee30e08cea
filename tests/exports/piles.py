"""Projects of twelve small files in two rows, far from each other."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from tests.lines import LINE

from likewise import Session
from likewise.exports import session_of
from likewise.storage import Item, MemoryStore, Project, ProjectJournal

KEYS = tuple(f"leaves/{number}.png" for number in range(len(LINE)))


def project_of(keys: Iterable[str] = KEYS, X: Any = LINE, **settings: Any) -> Project:
    """Return a project of items with features, without answers."""
    project = MemoryStore().create("leaves", settings, now=0.0)
    project.add_items(Item(key, "image") for key in keys)
    project.put_array("features", np.asarray(X))
    return project


def acting(project: Project, who: str = "ann", at: float = 60.0) -> Session:
    """Return a session that writes to the project."""
    return Session(LINE, journal=ProjectJournal(project, who, lambda: at))


def answered(*acts: Callable[[Session], Any], **settings: Any) -> Project:
    """Return a project in which these acts were done."""
    project = project_of(**settings)
    session = acting(project)
    for act in acts:
        act(session)
    return project


def as_sets(session: Session, keys: Iterable[str] = KEYS) -> set[frozenset[str]]:
    """Return the known groups as sets of keys."""
    names = tuple(keys)
    return {frozenset(names[s] for s in group.samples) for group in session.groups}


__all__ = ["KEYS", "LINE", "acting", "answered", "as_sets", "project_of", "session_of"]
