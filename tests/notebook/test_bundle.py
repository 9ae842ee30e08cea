"""The script of the widget: the app's modules, as one that a notebook can load."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import likewise
from likewise.notebook._bundle import script, style

HOME = Path(likewise.__file__).parent
MOST = 60_000  # bytes
SETS_HTML = (
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|Function\("
)


def test_the_script_is_small() -> None:
    assert len(script().encode()) < MOST


def test_it_is_one_module_that_imports_nothing() -> None:
    said = re.findall(r"^(?:import|export)\b.*", script(), re.MULTILINE)

    assert said == ["export default { render: (given) => begin().render(given) };"]


@pytest.mark.parametrize("word", ["fetch(", "XMLHttpRequest", "WebSocket", "/api/"])
def test_it_asks_no_server(word: str) -> None:
    assert word not in script()


def test_text_is_never_set_as_html() -> None:
    assert re.findall(SETS_HTML, script()) == []


@pytest.mark.parametrize("name", ["lib/cards", "question/sheet", "question/picker"])
def test_the_screens_are_those_of_the_app(name: str) -> None:
    text = (HOME / f"app/static/{name}.js").read_text(encoding="utf-8")
    functions = re.findall(r"^(?:export )?(?:async )?(function \w+\(.*)", text, re.M)

    assert functions
    assert all(line in script() for line in functions)


def test_every_module_comes_before_those_that_use_it() -> None:
    made = [int(at) for at in re.findall(r"^const m(\d+) = \(\(\)", script(), re.M)]
    used = re.findall(r"^const m(\d+) = |\} = m(\d+);", script(), re.M)
    now, seen = -1, []
    for name, other in used:
        now = int(name) if name else now
        seen.append(not other or int(other) < now)

    assert made == list(range(len(made)))
    assert all(seen)


def test_the_style_is_for_the_host_of_the_widget() -> None:
    assert ":root" not in style()
    assert style().count("{") == style().count("}")
