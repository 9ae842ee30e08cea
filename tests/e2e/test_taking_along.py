"""Groups are looked at, named, and taken along."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from playwright.sync_api import expect
from tests.e2e.seat import Seat


@pytest.fixture
def done(few: Seat) -> Seat:
    """Somebody who has sorted six pictures."""
    few.skip()
    return few


def downloaded(seat: Seat, title: str) -> Path:
    """Click on a download and return its file."""
    seat.page.get_by_role("link", name="Export", exact=True).first.click()
    with seat.page.expect_download() as caught:
        seat.page.get_by_role("link", name=f"Download: {title}").click()
    return Path(caught.value.path())


def test_the_groups_are_the_shapes_and_keep_their_names(done: Seat) -> None:
    page = done.page
    page.get_by_role("link", name="Groups", exact=True).click()
    names = [group.locator("img").all() for group in page.locator(".group").all()]
    kinds = [{str(i.get_attribute("alt")).partition("-")[0] for i in n} for n in names]
    assert sorted(kinds, key=min) == [{"disc"}, {"square"}, {"triangle"}]

    page.locator(".group h2 a").first.click()
    page.get_by_role("button", name="Rename").click()
    page.get_by_label("Name of the group").fill("Round ones")
    page.keyboard.press("Enter")
    expect(page.locator("#saved")).to_have_text("Saved")
    expect(page.get_by_role("heading", level=1)).to_have_text("Round ones")

    page.locator(".item .enlarge").first.click()
    expect(page.locator("#large")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#large")).to_be_hidden()

    page.get_by_role("link", name="All groups").click()
    expect(page.get_by_role("link", name="Round ones")).to_be_visible()


def test_items_answers_and_folders_are_taken_along(done: Seat) -> None:
    answers = done.n_answers
    with downloaded(done, "List (CSV)").open(newline="") as file:
        rows = list(csv.DictReader(file))
    kinds = {row["key"].partition("-")[0] for row in rows}
    groups = {(row["key"].partition("-")[0], row["group"]) for row in rows}
    assert (len(rows), len(kinds), len(groups)) == (6, 3, 3)

    lines = downloaded(done, "Answers").read_text().splitlines()
    told = [json.loads(line) for line in lines]
    assert len(told) == answers
    assert all(act["who"] == "me" and not act["undone"] for act in told)

    done.page.get_by_role("button", name="Write folders").click()
    expect(done.page.locator("#written")).to_contain_text("6 files are in")


def test_an_item_set_aside_is_listed_and_put_back(few: Seat) -> None:
    few.press("x")
    few.ready()
    few.page.get_by_role("link", name="Groups", exact=True).click()
    few.page.get_by_role("link", name="Set aside 1").click()
    few.page.locator(".pick").click()
    few.page.get_by_role("button", name="Put back").click()

    expect(few.page.get_by_role("link", name="Set aside 0")).to_be_visible()
