"""From the start page to a question, without a terminal."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

MAIN = "from likewise.cli import main; main()"
GRAVE = ("serious", "critical")


@pytest.fixture
def address(piles: Path, tmp_path: Path) -> Iterator[str]:
    """A start page, in the home of somebody who has some piles."""
    words = ["app", "--no-browser", "--json", "--port", "0"]
    env = {**os.environ, "LIKEWISE_HOME": str(tmp_path / "home"), "HOME": str(piles)}
    with subprocess.Popen(
        [sys.executable, "-c", MAIN, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=env,
    ) as process:
        try:
            assert process.stdout is not None
            yield json.loads(process.stdout.readline())["url"]
        finally:
            process.terminate()


def grave(page: Any) -> list[str]:
    found = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        found += Axe().run(page).response["violations"]
    return [rule["id"] for rule in found if rule["impact"] in GRAVE]


def test_a_folder_is_chosen_and_sorted(browser: Any, address: str) -> None:
    page = browser.new_context(reduced_motion="reduce").new_page()
    page.goto(address)
    expect(page.get_by_role("heading", level=1)).to_have_text(
        "What would you like to sort?"
    )
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 800})
        assert grave(page) == []

    page.get_by_label("Or paste a path").fill("/nowhere/at/all")
    page.keyboard.press("Enter")
    alert = page.get_by_role("alert")
    expect(alert).to_have_text("There is no /nowhere/at/all: name a folder or a file.")

    page.get_by_role("button", name="folder shapes").click()
    expect(page.locator("#holds")).to_contain_text("pictures")
    page.get_by_role("button", name="Sort this folder").click()
    expect(page.locator("#criterion")).to_be_visible()
    page.get_by_role("link", name="All projects").click()
    expect(page.locator(".recent")).to_contain_text("open now")
