"""A project of texts about trees, which a scripted model can read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from likewise.readers import WAYS, ModelOracle, ModelReader, ProjectContents
from likewise.session import Session, session_on
from likewise.storage import Item, Project, ProjectJournal, open_store

KINDS = ("oak", "elm", "fir", "yew", "ash")
PER_KIND = 6
TRUTH = [kind for kind in KINDS for _ in range(PER_KIND)]
TEXTS = [f"number {at} {kind}" for at, kind in enumerate(TRUTH)]


def features(spread: float = 0.55) -> np.ndarray[Any, Any]:
    """Return numbers by which kinds can be told, but not easily."""
    rng = np.random.default_rng(3)
    centres = rng.normal(size=(len(KINDS), 6))
    labels = [KINDS.index(kind) for kind in TRUTH]
    return centres[labels] + spread * rng.normal(size=(len(TRUTH), 6))


def project_at(url: str, texts: Sequence[str] = TEXTS) -> Project:
    project = open_store(url).create("trees", {}, now=0.0)
    project.add_items(
        Item(f"{at}.txt", "text", shown={"text": text}) for at, text in enumerate(texts)
    )
    project.put_array("features", features()[: len(texts)])
    return project


def session_of(project: Project) -> tuple[Session, ProjectJournal]:
    journal = ProjectJournal(project, "ann", lambda: 60.0)
    return session_on(Session, project, journal), journal


def oracle_for(project: Project, url: str, **how: Any) -> ModelOracle:
    contents = ProjectContents(project, None)
    return ModelOracle(contents, model="scripted", endpoint=url, **how)


def reader_of(
    project: Project, oracle: ModelOracle, ways: Sequence[str] = WAYS
) -> ModelReader:
    session, journal = session_of(project)
    return ModelReader(project, journal, session, oracle, lambda: 60.0, ways)
