"""A scripted model, served while a test runs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.readers.scripted import Script, playing

from likewise.readers import Patience


@pytest.fixture
def script() -> Iterator[Script]:
    with playing(Script()) as played:
        yield played


@pytest.fixture
def waits() -> list[float]:
    """How long was waited, if anybody had."""
    return []


@pytest.fixture
def patience(waits: list[float]) -> Patience:
    return Patience(
        sleep=waits.append, clock=iter(range(10**6)).__next__, draw=lambda: 1
    )
