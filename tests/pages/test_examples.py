"""The gallery of the site has every example, in an order that somebody chose."""

from __future__ import annotations

from pathlib import Path

from docs._reference._gallery import CONFIG, ORDER, place_of

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("plot_*.py"))


def test_every_example_has_its_place() -> None:
    assert {path.name for path in EXAMPLES} == set(ORDER)
    assert len(ORDER) == 8


def test_what_is_not_listed_comes_last() -> None:
    assert place_of("examples/plot_digits.py") == 0
    assert place_of("plot_new.py") == len(ORDER)


def test_an_example_that_fails_fails_the_site() -> None:
    assert CONFIG["abort_on_example_error"]
