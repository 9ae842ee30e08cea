"""Each page says for whom it is, its links lead somewhere, and its examples run."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from likewise.cli import app

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
RESULTS = {DOCS / "evaluation" / "claims.md"}  # written by the evaluation itself
FOUND = {*DOCS.rglob("*.md"), *DOCS.rglob("*.rst")} - RESULTS
# The gallery is made of the examples, whose tests are in tests/examples.
PAGES = sorted(page for page in FOUND if DOCS / "gallery" not in page.parents)
LINKED = [*PAGES, *RESULTS, *ROOT.glob("*.md")]
GUIDES = [page for page in PAGES if page.parent.name in ("tutorials", "how-to")]
COMMANDS: Any = get_command(app)


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


def links_in(page: Path) -> list[str]:
    """Links of ours: to other pages, to files, and to places in them."""
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    return re.findall(r"\]\((?![a-z]+:)([^)\s]+)\)", text)


def places_in(page: Path) -> set[str]:
    """Where one can go in a page, as GitHub and MyST name it."""
    heads = re.findall(r"^#+ (.*)", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_the_first_sentence_of_a_page_says_for_whom_it_is(page: Path) -> None:
    lines = page.read_text(encoding="utf-8").splitlines()
    first = next(line for line in lines[1:] if re.match(r"\w", line))

    assert re.match(r"For (those|everybody|anybody) ", first)


@pytest.mark.parametrize("page", LINKED, ids=name_of)
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    for link in links_in(page):
        where, _, place = link.partition("#")
        found = (page.parent / where).resolve() if where else page

        assert found.exists(), link
        assert not place or place in places_in(found), link


@pytest.mark.parametrize("page", GUIDES, ids=name_of)
def test_the_examples_of_a_page_run_one_after_the_other(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = page.read_text(encoding="utf-8")
    names: dict[str, object] = {}

    for code in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        exec(compile(code, page.name, "exec"), names)


@pytest.mark.parametrize("page", [*PAGES, ROOT / "README.md"], ids=name_of)
def test_every_command_of_a_page_is_there_with_its_options(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    lines = re.findall(r"(?<![\w-])likewise ([a-z]+)\b([^\n`|]*)", text)
    commands = COMMANDS.commands

    for name, rest in ((name, rest) for name, rest in lines if name in commands):
        known = {one for at in commands[name].params for one in at.opts}
        said = set(re.findall(r"(?<!\S)--[a-z][a-z-]*", rest))

        assert said <= {*known, "--help"}, f"likewise {name}{rest}"


def test_one_click_leads_to_a_page_that_ends_with_a_sorted_folder() -> None:
    front = (DOCS / "index.md").read_text(encoding="utf-8")
    text = (DOCS / "tutorials" / "photographs.md").read_text(encoding="utf-8")

    assert ":link: tutorials/photographs" in front
    assert "pip install" in text
    assert "likewise app Pictures/holiday" in text
    assert "likewise export Pictures/holiday --to Pictures/sorted" in text


def test_there_are_enough_guides() -> None:
    """Four tutorials and ten how-tos, whatever else comes."""
    pages = (DOCS / "how-to" / "index.md").read_text(encoding="utf-8")
    ways = re.findall(r"^(?:[a-z-]+|.*<.*>)$", pages, re.MULTILINE)

    assert len(ways) >= 10
    assert len(list((DOCS / "tutorials").glob("*.md"))) >= 5
