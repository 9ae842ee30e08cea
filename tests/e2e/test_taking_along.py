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
    few.settle()
    return few


def downloaded(seat: Seat, title: str) -> Path:
    """Click on a download and return its file."""
    seat.page.get_by_role("link", name="Export", exact=True).first.click()
    with seat.page.expect_download() as caught:
        seat.page.get_by_role("link", name=f"Download: {title}").click()
    return Path(caught.value.path())


def test_the_groups_are_the_shapes(done: Seat) -> None:
    done.page.get_by_role("link", name="Groups", exact=True).click()

    found = done.page.locator(".group").all()
    names = [group.locator("img").all() for group in found]
    kinds = [{str(i.get_attribute("alt")).partition("-")[0] for i in n} for n in names]
    assert sorted(kinds, key=min) == [{"disc"}, {"square"}, {"triangle"}]


def test_a_group_keeps_its_name(done: Seat) -> None:
    done.page.get_by_role("link", name="Groups", exact=True).click()
    done.page.locator(".group h2 a").first.click()
    done.page.get_by_role("button", name="Rename").click()
    done.page.get_by_label("Name of the group").fill("Round ones")
    done.page.keyboard.press("Enter")

    expect(done.page.locator("#saved")).to_have_text("Saved")
    expect(done.page.get_by_role("heading", level=1)).to_have_text("Round ones")
    done.page.get_by_role("link", name="All groups").click()
    expect(done.page.get_by_role("link", name="Round ones")).to_be_visible()


def test_the_table_has_a_line_for_each_item_and_the_right_groups(done: Seat) -> None:
    with downloaded(done, "Table (CSV)").open(newline="") as file:
        rows = list(csv.DictReader(file))

    kinds = {row["key"].partition("-")[0] for row in rows}
    groups = {(row["key"].partition("-")[0], row["group"]) for row in rows}
    assert (len(rows), len(kinds), len(groups)) == (6, 3, 3)


def test_the_answers_are_all_in_their_download(done: Seat) -> None:
    answers = done.n_answers
    lines = downloaded(done, "Answers").read_text().splitlines()

    told = [json.loads(line) for line in lines]
    assert len(told) == answers
    assert all(act["who"] == "me" and not act["undone"] for act in told)


def test_a_picture_opens_in_large_and_escape_closes_it(done: Seat) -> None:
    done.page.get_by_role("link", name="Groups", exact=True).click()
    done.page.locator(".group h2 a").first.click()
    done.page.locator(".item .enlarge").first.click()
    expect(done.page.locator("#large")).to_be_visible()

    done.page.keyboard.press("Escape")

    expect(done.page.locator("#large")).to_be_hidden()


def test_folders_are_written_from_the_page(done: Seat) -> None:
    done.page.get_by_role("link", name="Export", exact=True).first.click()
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
