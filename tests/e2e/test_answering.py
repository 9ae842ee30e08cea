"""Questions are answered by keys, and every answer counts once."""

from __future__ import annotations

from playwright.sync_api import expect
from tests.e2e.seat import Seat

TWICE = """() => {
  for (const key of ["s", "s"]) {
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  }
}"""


def n_answers(seat: Seat) -> int:
    """Return how many answers the server has."""
    return int(seat.state()["progress"]["answers"])


def test_thirty_questions_are_answered_by_keys_alone(shapes: Seat) -> None:
    for done in range(30):
        assert shapes.n_answers == done
        shapes.answer()

    assert shapes.n_answers == 30
    pair = shapes.pair()
    shapes.page.reload()
    assert shapes.pair() == pair
    assert shapes.n_answers == 30


def test_the_page_says_how_right_the_groups_are_after_every_answer(
    shapes: Seat,
) -> None:
    outlook, bar = shapes.page.locator("#outlook"), shapes.page.locator("#right-bar")
    for _ in range(12):
        shapes.answer()
        progress = shapes.state()["progress"]
        expect(outlook).to_have_text(progress["sentence"])
        expect(outlook).to_be_visible()
        assert bar.evaluate("(bar) => bar.value") == progress["right"]

    shapes.page.reload()
    expect(outlook).to_have_text(progress["sentence"])


def test_arrows_and_buttons_answer_like_letters_and_each_counts_once(
    shapes: Seat,
) -> None:
    saved = shapes.page.locator("#saved")
    for key, words in (
        ("ArrowRight", "Saved: same"),
        ("ArrowLeft", "Saved: different"),
        ("ArrowDown", "Saved: unsure"),
    ):
        pair = shapes.pair()
        shapes.press(key)
        expect(saved).to_have_text(words)
        assert shapes.pair() != pair
    shapes.page.get_by_role("button", name="Different").click()
    shapes.ready()
    expect(saved).to_have_text("Saved: different")
    before = n_answers(shapes)

    for _ in range(5):
        shapes.page.keyboard.down("s")  # all but the first are repeats
    shapes.page.keyboard.up("s")
    shapes.ready()
    assert n_answers(shapes) == before + 1
    shapes.page.evaluate(TWICE)
    shapes.ready()
    assert n_answers(shapes) == before + 2


def test_undo_goes_five_deep_and_an_undone_answer_can_be_changed(shapes: Seat) -> None:
    asked = []
    for _ in range(5):
        pair = shapes.pair()
        asked.append((pair, shapes.answer()))

    for pair, key in reversed(asked):
        shapes.press("z")
        assert shapes.pair() == pair
        verdict = {"s": "same", "d": "different"}[key]
        marked = shapes.page.locator(".answer:has(.before:visible)")
        assert marked.get_attribute("data-do") == verdict
    assert shapes.n_answers == 0

    shapes.press("u")
    assert shapes.n_answers == 1
    undone = [act["undone"] for act in shapes.acts() if "told" in act["what"]]
    assert undone == [True] * 5 + [False]


def test_an_item_set_aside_is_not_asked_about_again(shapes: Seat) -> None:
    aside = shapes.pair()[0]

    shapes.press("x")

    assert shapes.state()["progress"]["aside"] == 1
    for _ in range(6):
        assert aside not in shapes.pair()
        shapes.skip(1)


def test_keys_that_are_typed_or_switched_off_answer_nothing(shapes: Seat) -> None:
    shapes.ready()
    shapes.page.get_by_role("button", name="Change the question").click()
    shapes.page.keyboard.type("dusk zing")
    shapes.page.keyboard.press("ArrowLeft")
    shapes.page.keyboard.press("Enter")

    expect(shapes.page.locator("#criterion")).to_have_text("dusk zing")
    assert shapes.state()["criterion"] == "dusk zing"
    assert n_answers(shapes) == 0

    shapes.page.keyboard.press("?")
    shapes.page.locator("#letters").uncheck()
    shapes.page.keyboard.press("Escape")
    shapes.press("s")
    assert n_answers(shapes) == 0
    shapes.press("ArrowRight")
    assert n_answers(shapes) == 1


def test_when_everything_is_settled_keys_do_nothing_but_undo(few: Seat) -> None:
    few.skip()
    before = few.state()["version"]

    settled = few.page.get_by_role("heading", name="Everything is sorted")
    expect(settled).to_be_visible()
    for key in "sduxgn":
        few.press(key)
    assert few.state()["version"] == before
    few.press("z")
    assert few.is_asked
