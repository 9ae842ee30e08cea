"""Whatever needs an extra that is not installed says so in one sentence."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from release.missing import ENTRIES, Entry

ROOT = Path(__file__).parents[2]
NO_FEATURES = {
    "all",
    "dev",
    "docs",
    "notebook-test",
    "test",
}  # of the package: they only gather others
BY_FORM = {"formats"}  # said of each file: tests/encoders, tests/items
FIRST = {one.hidden for one in ENTRIES if not one.behind}
BEHIND = {one.hidden for one in ENTRIES if one.behind}


def said_without(modules: set[str]) -> dict[str, str | None]:
    """Return what each entry says where some modules cannot be found."""
    hiding = [word for module in sorted(modules) for word in ("--hide", module)]
    words = [sys.executable, str(ROOT / "release/missing.py"), *hiding]
    ran = subprocess.run(words, capture_output=True, check=True, text=True)
    return {one["code"]: one["said"] for one in json.loads(ran.stdout)}


@pytest.fixture(scope="module")
def said() -> dict[str, str | None]:
    return said_without(BEHIND) | said_without(FIRST - BEHIND)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.code[:50])
def test_one_sentence_says_what_to_install(
    entry: Entry, said: dict[str, str | None]
) -> None:
    assert said[entry.code] == entry.sentence


def test_every_extra_is_among_them() -> None:
    asked = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extras = set(asked["project"]["optional-dependencies"])

    assert {one.extra for one in ENTRIES} == extras - NO_FEATURES - BY_FORM
