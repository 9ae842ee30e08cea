"""Disks fill up, databases go away: the page says so, and saves when it can."""

from __future__ import annotations

from multiprocessing.context import BaseContext
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect
from tests.e2e.conftest import Serve, Sit
from tests.e2e.running import started
from tests.e2e.seat import Seat
from tests.e2e.windows import PATIENCE
from tests.troubles import (
    NEEDS_LINUX,
    NEEDS_PRLIMIT,
    Postgres,
    Unprivileged,
    filled,
    no_growing_files,
    postgres,
    shut,
    small_disk,
)

HOW = ("--encoder", "hog+colour")


@pytest.fixture
def database() -> Postgres:
    return postgres()


def told(seat: Seat, *words: str) -> None:
    """Answer, and see that it is not saved yet, and why."""
    seat.page.keyboard.press(seat.truth())
    expect(seat.page.locator("#saved")).to_contain_text("Not saved", timeout=PATIENCE)
    for part in (*words, "Keep this page open"):
        alert = seat.page.get_by_role("alert")
        expect(alert).to_contain_text(part, timeout=PATIENCE)


def saved(seat: Seat, n: int) -> None:
    """See that everything was saved once, without anybody doing anything."""
    expect(seat.page.locator("#n-answers")).to_have_text(f"{n}", timeout=PATIENCE)
    expect(seat.page.locator("#saved")).to_contain_text("Saved")
    expect(seat.page.locator("#notice")).to_be_hidden()
    assert len(seat.acts()) == n


def test_an_answer_waits_for_room_on_a_full_disk(
    piles: Path, serve: Serve, sit: Sit, tmp_path: Path
) -> None:
    with small_disk(tmp_path / "disk") as disk:
        project = ("--project", f"{disk / 'shapes.db'}")
        server = serve(piles / "shapes", *HOW, *project)
        seat = sit(server)
        seat.skip(3)
        with filled(disk):
            told(seat, "shapes.db", "disk is full", "make room on its disk")
        saved(seat, 4)
        seat.answer()
        saved(seat, 5)
        server.kill()


@NEEDS_PRLIMIT
def test_an_answer_waits_for_a_disk_that_takes_no_writes(
    piles: Path, serve: Serve, sit: Sit
) -> None:
    server = serve(piles / "shapes", *HOW)
    seat = sit(server)
    seat.skip(3)

    with no_growing_files(server.process.pid or 0):
        told(seat, "project.db", "disk I/O error", "check its disk")

    saved(seat, 4)


def test_an_answer_waits_for_a_database_that_has_gone(
    piles: Path, serve: Serve, sit: Sit, database: Postgres
) -> None:
    seat = sit(serve(piles / "shapes", *HOW, "--project", database.new_url()))
    seat.skip(2)

    with database.away():
        told(seat, "postgresql://", "see that it runs and can be reached")

    saved(seat, 3)
    seat.answer()
    saved(seat, 4)


def test_a_page_loaded_meanwhile_comes_by_itself(
    piles: Path, serve: Serve, sit: Sit, database: Postgres
) -> None:
    seat = sit(serve(piles / "shapes", *HOW, "--project", database.new_url()))
    seat.skip(2)

    with database.away():
        told(seat, "see that it runs")
        seat.page.reload()
        alert = seat.page.get_by_role("alert")
        expect(alert).to_contain_text("This page tries again by itself.")

    seat.ready()
    saved(seat, 3)


@NEEDS_LINUX
def test_people_go_on_while_the_folder_of_the_project_is_shut(
    piles: Path, processes: BaseContext, sit: Sit, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    command = [str(piles / "shapes"), *HOW]
    server = started(Unprivileged(processes), command, home)  # type: ignore[arg-type]
    seat = sit(server)
    seat.skip(2)

    with shut(home):
        seat.answers(4)
        for picture in seat.page.locator("#pair img").all():
            assert picture.evaluate("(one) => one.naturalWidth") > 0

    saved(seat, 6)
    server.kill()


def test_a_reply_that_is_cut_off_is_asked_for_again(shapes: Seat) -> None:
    cut: list[str] = []

    def cut_first(route: Any) -> None:
        if cut:
            route.fallback()
            return
        cut.append(route.fetch().text()[:100])
        route.fulfill(status=200, content_type="application/json", body=cut[0])

    shapes.page.route("**/api/answer", cut_first)
    shapes.answer()

    assert len(cut) == 1
    saved(shapes, 1)


@NEEDS_PRLIMIT
def test_words_that_cannot_be_saved_stay_in_their_field(
    piles: Path, serve: Serve, sit: Sit
) -> None:
    server = serve(piles / "few", *HOW)
    page = sit(server).page

    with no_growing_files(server.process.pid or 0):
        page.get_by_role("button", name="Change the question").click()
        page.get_by_label("What people are asked").fill("Same shape?")
        page.get_by_role("button", name="Save", exact=True).click()
        expect(page.get_by_role("alert")).to_contain_text("check its disk")

    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator("#criterion")).to_have_text("Same shape?")
