"""What is there more than once, and what was left out, as the pages show it."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect
from tests.e2e.conftest import Serve, Sit
from tests.e2e.reviewer import Reviewer
from tests.e2e.running import Server
from tests.e2e.test_axe import grave
from tests.generated import packed
from tests.items.drawer_folders import photo, photos, put

OFFER = "2 pictures look almost identical to another one."
TAKEN = "Saved: 2 taken as one with another"


@pytest.fixture(scope="module")
def pile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pictures, one of which is there twice and two of which were saved again."""
    folder = tmp_path_factory.mktemp("alike") / "pile"
    put(folder, photos(4))
    put(folder, {"copy.jpg": packed(photo(0), "JPEG"), "film.mov": b"a film"})
    put(
        folder,
        {f"again {at}.jpg": packed(photo(at), "JPEG", quality=40) for at in (1, 2)},
    )
    return folder


@pytest.fixture
def server(pile: Path, serve: Serve) -> Server:
    return serve(pile, "--encoder", "hog+colour")


@pytest.fixture
def ann(server: Server, sit: Sit) -> Reviewer:
    return Reviewer.of(sit(server))


def test_what_looks_the_same_is_taken_as_one_and_taken_back(ann: Reviewer) -> None:
    ann.open("/groups")
    expect(ann.page.get_by_text(OFFER)).to_be_visible()
    ann.page.get_by_text("Show", exact=True).click()
    expect(ann.page.locator(".twins img")).to_have_count(4)

    ann.page.get_by_role("button", name="Take them as one").click()
    ann.says(TAKEN)
    expect(ann.page.get_by_text(OFFER)).to_have_count(0)
    ann.press("z")

    expect(ann.page.get_by_text(OFFER)).to_be_visible()


def test_what_is_left_as_it_is_is_not_offered_again(ann: Reviewer) -> None:
    ann.open("/groups")
    ann.page.get_by_role("button", name="Leave them as they are").click()
    expect(ann.page.get_by_text(OFFER)).to_have_count(0)

    ann.page.reload()

    ann.ready()
    expect(ann.page.get_by_text(OFFER)).to_have_count(0)


@pytest.mark.parametrize("width", [1280, 390])
def test_the_pages_about_it_are_for_everybody(
    server: Server, sit: Sit, width: int
) -> None:
    size = {"width": width, "height": 800}
    seat = sit(server, viewport=size, reduced_motion="reduce")
    expect(seat.page.get_by_text("1 other file is left out: 1 .mov.")).to_be_visible()
    assert grave(seat) == []
    seat.page.goto(server.root + "groups")
    seat.page.get_by_text("Show", exact=True).click()

    assert grave(seat) == []
