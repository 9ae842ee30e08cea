"""Questions are answered by keys, and every answer counts once."""

from __future__ import annotations

from playwright.sync_api import expect
from tests.e2e.seat import Seat

TWICE = """() => {
  for (const key of ["s", "s"]) {
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  }
}"""


def test_thirty_questions_are_answered_by_keys_alone(shapes: Seat) -> None:
    for done in range(30):
        assert shapes.n_answers == done
        shapes.answer()

    assert shapes.n_answers == 30


def test_arrows_answer_like_letters(shapes: Seat) -> None:
    for key, words in (
        ("ArrowRight", "Saved: same"),
        ("ArrowLeft", "Saved: different"),
        ("ArrowDown", "Saved: unsure"),
    ):
        shapes.press(key)
        expect(shapes.page.locator("#saved")).to_have_text(words)


def test_undo_goes_five_deep_and_marks_the_old_answers(shapes: Seat) -> None:
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


def test_an_undone_answer_can_be_changed(shapes: Seat) -> None:
    shapes.press("s")
    shapes.press("z")
    shapes.press("d")

    assert shapes.n_answers == 1
    assert [act["undone"] for act in shapes.acts() if "told" in act["what"]] == [
        True,
        False,
    ]


def test_the_page_loaded_again_shows_the_same_question(shapes: Seat) -> None:
    shapes.answers(3)
    pair = shapes.pair()

    shapes.page.reload()

    assert shapes.pair() == pair
    assert shapes.n_answers == 3


def test_not_sure_leads_to_another_question(shapes: Seat) -> None:
    pair = shapes.pair()

    shapes.press("u")

    assert shapes.pair() != pair
    expect(shapes.page.locator("#saved")).to_have_text("Saved: unsure")


def test_an_item_set_aside_is_not_asked_about_again(shapes: Seat) -> None:
    aside = shapes.pair()[0]

    shapes.press("x")

    assert shapes.state()["progress"]["aside"] == 1
    for _ in range(6):
        assert aside not in shapes.pair()
        shapes.answer()


def test_a_key_held_down_answers_once(shapes: Seat) -> None:
    shapes.ready()
    for _ in range(5):
        shapes.page.keyboard.down("s")  # all but the first are repeats
    shapes.page.keyboard.up("s")
    shapes.ready()

    assert shapes.state()["progress"]["answers"] == 1


def test_a_double_press_answers_once(shapes: Seat) -> None:
    shapes.ready()
    shapes.page.evaluate(TWICE)
    shapes.ready()

    assert shapes.state()["progress"]["answers"] == 1


def test_keys_in_the_field_of_the_criterion_answer_nothing(shapes: Seat) -> None:
    shapes.ready()
    shapes.page.get_by_role("button", name="Change the question").click()
    shapes.page.keyboard.type("dusk zing")
    shapes.page.keyboard.press("ArrowLeft")
    shapes.page.keyboard.press("Enter")

    expect(shapes.page.locator("#criterion")).to_have_text("dusk zing")
    assert shapes.state()["criterion"] == "dusk zing"
    assert shapes.state()["progress"]["answers"] == 0


def test_letters_that_were_switched_off_answer_nothing(shapes: Seat) -> None:
    shapes.ready()
    shapes.page.keyboard.press("?")
    shapes.page.locator("#letters").uncheck()
    shapes.page.keyboard.press("Escape")

    shapes.press("s")
    assert shapes.state()["progress"]["answers"] == 0
    shapes.press("ArrowRight")
    assert shapes.state()["progress"]["answers"] == 1


def test_buttons_answer_like_keys(shapes: Seat) -> None:
    shapes.ready()
    shapes.page.get_by_role("button", name="Different").click()
    shapes.ready()

    expect(shapes.page.locator("#saved")).to_have_text("Saved: different")


def test_when_everything_is_settled_keys_answer_nothing(few: Seat) -> None:
    few.settle()
    before = few.state()["version"]

    expect(
        few.page.get_by_role("heading", name="Everything is settled")
    ).to_be_visible()
    for key in "sduxgn":
        few.press(key)
    assert few.state()["version"] == before


def test_the_last_answer_can_be_undone_when_everything_is_settled(few: Seat) -> None:
    few.settle()

    few.press("z")

    assert few.is_asked
