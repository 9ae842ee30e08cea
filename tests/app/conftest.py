"""An app in memory, and apps on piles of each kind."""

from __future__ import annotations

from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from tests.app.places import KINDS, Clock, Served, path_source, pile_file, served


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def rows(tmp_path: Path, clock: Clock) -> Served:
    """Twelve rows in three heaps."""
    return served(tmp_path, clock=clock).prepared()


@pytest.fixture
def ann(rows: Served) -> TestClient:
    return rows.seat("ann")


@pytest.fixture(params=KINDS)
def any_kind(request: pytest.FixtureRequest, tmp_path: Path) -> Served:
    """Twelve pictures, texts or rows, from files."""
    path = pile_file(request.param, tmp_path)
    return served(tmp_path, path_source(path, tmp_path / "vectors")).prepared()


@pytest.fixture
def pictures(tmp_path: Path) -> Served:
    """Twelve pictures, from files."""
    path = pile_file("image", tmp_path)
    return served(tmp_path, path_source(path, tmp_path / "vectors")).prepared()
