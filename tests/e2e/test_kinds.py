"""Texts and rows are asked about like pictures."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import expect
from tests.e2e.conftest import Serve, Sit
from tests.e2e.piles import TEXTS
from tests.items.drawer import DRAWER


def test_texts_are_read_and_sorted_by_keys(piles: Path, serve: Serve, sit: Sit) -> None:
    seat = sit(serve(piles / "texts"))

    for name, text in zip(
        seat.pair(), seat.page.locator("article.text").all_inner_texts(), strict=True
    ):
        assert set(text.split()) <= set(TEXTS[name.partition("-")[0]].split())

    expect(seat.page.locator("#criterion")).to_contain_text("two texts")
    seat.answers(3)
    assert seat.n_answers == 3


def test_rows_show_what_differs_and_are_sorted_by_keys(
    piles: Path, serve: Serve, sit: Sit
) -> None:
    seat = sit(serve(piles / "things.csv"))
    tables = seat.page.get_by_role("table")

    expect(tables).to_have_count(2)
    columns = tables.first.get_by_role("rowheader").all_inner_texts()
    assert sorted(columns) == ["age", "height", "weight"]
    first, second = (table.locator("tbody tr").first for table in tables.all())
    values = [row.get_by_role("cell").inner_text() for row in (first, second)]
    assert values[0] != values[1]
    expect(first.get_by_role("img", name="differs")).to_be_visible()

    for _ in range(4):
        state = seat.state()["question"]
        heavy = [_weight(state[side]) > 50 for side in ("sample", "against")]
        seat.press("s" if heavy[0] == heavy[1] else "d")

    assert seat.n_answers == 4


def _weight(card: dict[str, list[dict[str, str]]]) -> float:
    return next(float(c["value"]) for c in card["columns"] if c["name"] == "weight")


def test_rows_with_a_picture_show_it_small_and_large(
    tmp_path: Path, serve: Serve, sit: Sit
) -> None:
    seat = sit(serve(DRAWER["pictures"].write(tmp_path)))
    seat.ready()
    shown = seat.page.locator("#pair .pictured img")

    assert shown.count() == 2
    for image in shown.all():
        assert "/thumb/" in str(image.get_attribute("src"))
    assert (
        seat.page.locator("#pair .rows th[scope=row]").all_inner_texts() == ["sold"] * 2
    )
    shown.first.click()
    expect(seat.page.locator("#large .pane img")).to_have_attribute(
        "src", re.compile("/picture/")
    )
