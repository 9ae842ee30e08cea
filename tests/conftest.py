"""The seed of a run, what was left out of it, and tiny problems seen by eye."""

from __future__ import annotations

import os

import numpy as np
import pytest
from hypothesis import settings
from tests.e2e.running import NO_BROWSER
from tests.problems import (
    Tiny,
    blobs,
    two_cliques_and_a_bridge,
)

SEED = int(os.environ.get("LIKEWISE_SEED", "0"))

# The same examples each time, so that a change is judged by what it changed; `make
# test-all` looks for others.
settings.register_profile("likewise", deadline=None, max_examples=30, derandomize=True)
settings.register_profile("search", deadline=None, max_examples=100)
settings.load_profile("likewise")


def pytest_report_header() -> str:
    return f"seed: {SEED} (set LIKEWISE_SEED for another; any must pass)"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Let all tests for which there was no browser be one line of the summary."""
    where = f"{terminalreporter.config.rootpath / 'tests' / 'e2e'}"
    for report in terminalreporter.stats.get("skipped", ()):
        if NO_BROWSER in str(report.longrepr):
            words = f"Skipped: the tests in a browser. {NO_BROWSER}"
            report.longrepr = (where, None, words)


@pytest.fixture
def seed() -> int:
    return SEED


@pytest.fixture
def rng(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


@pytest.fixture
def three_blobs(seed: int) -> Tiny:
    """Three round heaps of 8, far apart."""
    return blobs((8, 8, 8), seed=seed)


@pytest.fixture
def blurred_blobs(seed: int) -> Tiny:
    """Three heaps of 8 that run into each other."""
    return blobs((8, 8, 8), spread=1.5, seed=seed)


@pytest.fixture
def bridge() -> Tiny:
    """A similarity: samples 0 to 3 all alike, 5 to 8 all alike, 4 between them."""
    return two_cliques_and_a_bridge()
