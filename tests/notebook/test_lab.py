"""The widget in a real browser, inside JupyterLab; its answers are in the kernel."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.running import ARGUMENTS, NO_BROWSER, chromium
from tests.notebook.lab import Page, a_notebook, running

playwright = pytest.importorskip("playwright.sync_api")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        find_spec("jupyterlab") is None or find_spec("anywidget") is None,
        reason="JupyterLab is not installed: `pip install 'likewise[notebook-test]'`.",
    ),
]

SETUP = """import likewise, sklearn.datasets
X, y = sklearn.datasets.load_digits(return_X_y=True)
X, y = X[:200], y[:200]
session = likewise.Session(X)
titles = [f"{label} · {at}" for at, label in enumerate(y)]
pictures = X.reshape(-1, 8, 8)
how = {"titles": titles, "criterion": "The same digit?", "screens": SCREENS}
likewise.widget(session, pictures, **how)
"""
SAID = "print(session.n_questions, len(session.labels), session.labels.max() + 1)"
TEXTS = """words = ["an <img src=x onerror=document.title='broken'> oak", "an elm"] * 4
texts = likewise.Session([[float(at % 2)] for at in range(8)])
likewise.widget(texts, words, screens="pairs")
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as driver:
        path = chromium(driver.chromium.executable_path)
        if path is None:
            pytest.skip(NO_BROWSER)
        found = driver.chromium.launch(executable_path=path, args=[*ARGUMENTS])
        yield found
        found.close()


@pytest.fixture(scope="module")
def notebook(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    folder: Path = tmp_path_factory.mktemp("lab")
    cells = [
        SETUP.replace("SCREENS", "'pairs'"),
        SAID,
        SETUP.replace("SCREENS", "'all'").replace("200", "300"),
        TEXTS,
    ]
    (folder / "sorting.ipynb").write_text(a_notebook(*cells), encoding="utf-8")
    with running(folder) as lab:
        page = browser.new_page(viewport={"width": 1400, "height": 1000})
        page.on("pageerror", lambda error: pytest.fail(str(error)))
        yield Page(page, lab, "sorting.ipynb")
        page.close()


def shown(notebook: Page, at: int) -> Any:
    """Run a cell, and return its widget once something is asked."""
    notebook.run(at)
    found = notebook.page.locator(".jp-CodeCell").nth(at).locator(".likewise")
    found.locator(".card, .item").first.wait_for()
    ready(found)
    return found


def settle(found: Any, act: Any) -> None:
    """Do something, and wait until the next screen is there and may be answered."""
    ready(found)
    before = found.locator("#stage").inner_html()
    act()
    found.page.wait_for_function(
        "([one, before]) => one.querySelector('#stage').innerHTML !== before",
        arg=[found.element_handle(), before],
    )
    ready(found)


def ready(found: Any) -> None:
    found.page.wait_for_function(
        "(one) => one.ariaBusy === 'false'", arg=found.element_handle()
    )


def answer(found: Any) -> None:
    """Answer a pair rightly, by a key: what an item is stands in its title."""
    if found.page.locator("dialog#picker[open]").count():
        found.page.keyboard.press("Escape")
    titles = found.locator(".card-foot .title").all_inner_texts()
    one, other = (title.split(" ")[0] for title in titles)
    settle(found, lambda: found.page.keyboard.press("s" if one == other else "d"))


def test_ten_answers_and_an_undo_are_in_the_kernel(notebook: Page) -> None:
    found = shown(notebook, 0)
    found.locator("#criterion").click()
    for _ in range(10):
        answer(found)
    assert notebook.printed(1).split()[:2] == ["10", "200"]

    found.locator("#criterion").click()
    settle(found, lambda: notebook.page.keyboard.press("z"))

    assert notebook.printed(1).split()[:2] == ["9", "200"]
    assert found.locator("#saved").inner_text() == "Undone"


def test_letters_are_no_shortcuts_of_the_notebook(notebook: Page) -> None:
    found = shown(notebook, 0)
    found.locator("#criterion").click()
    for key in ("a", "b", "c", "y", "m"):
        notebook.page.keyboard.press(key)
    settle(found, lambda: notebook.page.keyboard.press("x"))  # elsewhere it cuts a cell

    assert notebook.page.locator(".jp-CodeCell").count() == 4


def test_a_group_is_picked(notebook: Page) -> None:
    found = shown(notebook, 0)
    found.locator("#criterion").click()
    for _ in range(3):
        answer(found)
    before = int(notebook.printed(1).split()[0])

    found.locator("#criterion").click()
    notebook.page.keyboard.press("g")
    found.page.locator("#candidates .candidate").first.wait_for()
    notebook.page.wait_for_timeout(200)
    settle(found, lambda: notebook.page.keyboard.press("1"))

    assert int(notebook.printed(1).split()[0]) > before


def test_screens_of_many_items_are_marked_and_sent(notebook: Page) -> None:
    found = shown(notebook, 2)
    tile = found.locator(".screen:not([hidden]) .pick")
    tile.first.click()
    assert tile.first.get_attribute("aria-pressed") == "true"
    tile.first.click()

    settle(found, lambda: notebook.page.keyboard.press("Enter"))

    assert int(notebook.printed(1).split()[0]) > 0


def test_text_is_shown_as_text(notebook: Page) -> None:
    found = shown(notebook, 3)

    assert "<img src=x" in " ".join(found.locator(".text").all_inner_texts())
    assert found.locator(".text img").count() == 0
    assert notebook.page.title() != "broken"
