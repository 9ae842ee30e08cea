"""Servers stop, replies get lost: no answer does, and none counts twice."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect
from tests.e2e.conftest import NewPage, Serve, Sit
from tests.e2e.piles import pictures
from tests.e2e.running import Server
from tests.e2e.seat import Seat

HOW = ("--encoder", "hog+colour")


@pytest.fixture
def server(piles: Path, serve: Serve) -> Server:
    return serve(piles / "shapes", *HOW)


def test_an_answer_waits_for_a_killed_server(
    piles: Path, serve: Serve, server: Server, sit: Sit
) -> None:
    seat = sit(server)
    seat.skip(3)
    server.kill()
    seat.page.keyboard.press(seat.truth())
    expect(seat.page.locator("#saved")).to_contain_text("Not saved yet")

    serve(piles / "shapes", *HOW, port=server.port)

    expect(seat.page.locator("#n-answers")).to_have_text("4")
    seat.answer()
    assert len(seat.acts()) == 5


@pytest.mark.parametrize("path", ["", "groups"])
def test_an_answer_under_way_is_sent_by_the_page_that_is_opened_next(
    piles: Path, serve: Serve, server: Server, sit: Sit, path: str
) -> None:
    seat = sit(server)
    server.kill()
    seat.page.keyboard.press(seat.truth())
    expect(seat.page.locator("#saved")).to_contain_text("Not saved yet")
    seat.page.goto("about:blank")

    again = serve(piles / "shapes", *HOW, port=server.port)
    while seat.page.request.get(f"{again.root}api/state").json()["preparing"]:
        pass
    seat.page.goto(again.root + path)

    expect(seat.page.locator("#saved")).to_contain_text("Saved: ")
    expect(seat.page.locator("#n-answers")).to_have_text("1")
    assert seat.state()["progress"]["answers"] == 1


def test_an_answer_whose_reply_was_lost_counts_once(shapes: Seat) -> None:
    lost: list[str] = []

    def lose_first(route: Any) -> None:
        if lost:
            route.fallback()
            return
        lost.append(route.request.post_data)
        route.fetch()  # the server has it, the page does not know
        route.abort()

    shapes.page.route("**/api/answer", lose_first)
    shapes.answer()

    assert len(lost) == 1
    assert shapes.n_answers == 1
    assert shapes.state()["progress"]["answers"] == 1


def test_a_server_started_again_asks_the_same_question(
    piles: Path, serve: Serve, server: Server, sit: Sit
) -> None:
    seat = sit(server)
    seat.skip(4)
    pair = seat.pair()
    server.stop()

    again = sit(serve(piles / "shapes", *HOW))

    assert again.pair() == pair
    assert again.n_answers == 4


def test_a_pile_being_read_turns_into_its_first_question(
    server: Server, new_page: NewPage
) -> None:
    page = new_page()
    page.goto(server.url)

    Seat(page).ready()

    expect(page.locator("#pair .card")).to_have_count(2)


def test_a_folder_without_anything_says_what_to_do(
    piles: Path, serve: Serve, new_page: NewPage
) -> None:
    page = new_page()
    page.goto(serve(piles / "nothing").url)

    expect(page.get_by_role("alert")).to_contain_text("holds no pictures")
    expect(page.get_by_role("alert")).to_contain_text("name another folder")


def test_files_that_cannot_be_read_are_listed(
    tmp_path: Path, serve: Serve, sit: Sit
) -> None:
    folder = pictures(tmp_path / "pile", 3)
    (folder / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\n and no more")

    seat = sit(serve(folder, *HOW))

    assert seat.is_asked
    seat.page.get_by_text("1 file could not be read").click()
    expect(seat.page.locator(".broken li")).to_contain_text("broken.png")
