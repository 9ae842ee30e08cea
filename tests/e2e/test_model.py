"""The owner lets a model read, looks at what it said, and takes it all back."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import expect
from tests.e2e.conftest import Serve, Sit
from tests.e2e.test_access import OVERFLOW
from tests.e2e.test_axe import SIZES, grave
from tests.readers.scripted import Script, playing


def test_a_model_is_started_marked_and_taken_back(
    piles: Path, serve: Serve, sit: Sit
) -> None:
    server = serve(piles / "shapes", "--encoder", "hog+colour", "--who", "Ann")
    ann = sit(server, reduced_motion="reduce")
    ann.answer()
    page = ann.page
    page.goto(f"{server.root}people")
    expect(page.locator("#model-now")).to_contain_text("nothing leaves it")

    page.get_by_label("Address, up to /v1").fill("https://models.example/v1")
    page.get_by_label("Model", exact=True).fill("scripted")
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_role("alert")).to_contain_text("nothing was sent")

    with playing(Script()) as script:
        page.get_by_label("Address, up to /v1").fill(script.url)
        page.get_by_label("Calls at most").fill("5")
        page.get_by_role("button", name="Start").click()
        expect(page.locator("#model-now")).to_contain_text("Ended.", timeout=60_000)
    row = page.get_by_role("row", name="model:scripted")
    expect(row).to_contain_text("⚙ model")
    for size in SIZES:
        page.set_viewport_size(size)
        assert page.evaluate(OVERFLOW) == 0
        assert grave(ann) == [], size

    back = page.get_by_role("button", name="Take back all that model:scripted said")
    back.click()
    expect(back).to_have_text("Sure: take back all")
    back.click()
    expect(page.locator("#taken")).to_contain_text("model:scripted said taken back")
    expect(back).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(back).to_be_visible()
    page.goto(f"{server.root}history")
    expect(page.get_by_text("⚙ model").first).to_be_visible()
