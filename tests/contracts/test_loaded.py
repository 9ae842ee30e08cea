"""What takes long to load is loaded by whoever needs it, not by everybody."""

from __future__ import annotations

import subprocess
import sys

import pytest

SLOW = ("sklearn", "scipy.stats", "scipy.optimize", "pandas", "alembic", "matplotlib")
LOADED = """
import sys
import {0}
print(*(name for name in {1!r} if name in sys.modules))
"""


@pytest.mark.parametrize(
    "name", ["likewise.app", "likewise.cli", "likewise.storage.sql"]
)
def test_an_opened_project_needs_none_of_them(name: str) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", LOADED.format(name, SLOW)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.split() == []
