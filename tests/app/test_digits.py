"""The pile of the demo."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import numpy as np
from PIL import Image
from tests.app.places import served

from likewise.app import DigitsSource
from likewise.app._preparing import EDGE, drawn_digit


def test_a_digit_is_drawn_dark_on_light() -> None:
    pixels = np.zeros(64)
    pixels[:32] = 16
    picture = Image.open(BytesIO(drawn_digit(pixels)))

    assert picture.size == (EDGE, EDGE)
    assert picture.getpixel((60, 25)) == 0
    assert picture.getpixel((60, 120)) == picture.getpixel((60, 2)) == 255


def test_the_demo_has_a_question_and_its_pictures(tmp_path: Path) -> None:
    here = served(tmp_path, DigitsSource(tmp_path / "pictures")).prepared()
    browser = here.seat()
    state = browser.get("/api/state").json()

    assert (state["n_items"], state["status"]) == (1797, "asking")
    for side in ("sample", "against"):
        reply = browser.get(state["question"][side]["thumb"])
        assert reply.headers["content-type"] == "image/jpeg"
    assert len(list((tmp_path / "pictures").iterdir())) == 1797
