"""Every public name, command and route is in the reference, and says what it is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from docs._reference._commands import commands
from docs._reference._names import face, modules, names
from docs._reference._routes import document, routes
from docs.check import Page, inventory, wanted, wrong

from likewise.cli import app

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / "docs" / "reference" / "python"


@pytest.mark.parametrize("module", modules())
def test_every_public_module_has_a_page_that_the_reference_lists(module: str) -> None:
    page = (PYTHON / f"{module}.rst").read_text(encoding="utf-8")
    listed = (ROOT / "docs/reference/python.md").read_text(encoding="utf-8")

    assert f"\n.. face:: {module}\n" in page
    assert f"\npython/{module}\n" in listed


@pytest.mark.parametrize("module", modules())
def test_every_public_name_is_on_the_page_of_its_module(module: str) -> None:
    page = face(module)

    for one in names()[module]:
        assert f":py:obj:`{one.name} <{one.target}>`" in page
        assert one.about.endswith("."), f"{one.target} does not say what it is"


def test_every_command_is_in_the_reference() -> None:
    said = commands()

    assert {f"## `likewise {info.name}`" for info in app.registered_commands} <= set(
        said.splitlines()
    )


def test_every_route_is_in_the_reference() -> None:
    said = routes()
    paths = document()["paths"]

    assert all(
        f"### {method.upper()} {path}\n" in said
        for path, here in paths.items()
        for method in here
    )


def test_every_link_to_a_message_leads_to_it() -> None:
    said = routes()
    places = {head.lower() for head in re.findall(r"^### (\w+)$", said, re.MULTILINE)}

    assert set(re.findall(r"\]\(#([^)]*)\)", said)) <= places


def test_what_is_wrong_with_a_page_is_seen() -> None:
    page = Page('<a href="#no"></a><p id="yes"><script src="//far/x.js"></script>')

    assert page.links == ["#no"]
    assert page.loaded == ["//far/x.js"]
    assert page.places == {"yes"}


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_the_site_is_built_without_a_warning_and_holds_together(tmp_path: Path) -> None:
    build = pytest.importorskip("sphinx.cmd.build")
    site = tmp_path / "site"

    ended = build.main(
        ["-W", "-q", "-d", f"{tmp_path}/trees", f"{ROOT}/docs", f"{site}"]
    )

    assert ended == 0
    assert list(wrong(site)) == []
    assert wanted() <= inventory(site)
