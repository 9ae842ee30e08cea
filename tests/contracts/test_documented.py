"""What the documents say is true, and says everything there is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import likewise
from likewise import METHODS
from likewise.cli import app
from likewise.datasets import DATASETS

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCS = README + "".join(
    path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs").rglob("*.md"))
)


def test_the_example_of_the_readme_prints_what_it_says(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = re.search(r"```python\n(.*?)```", README, re.DOTALL)
    assert found is not None

    exec(compile(found[1], "README.md", "exec"), {})

    assert capsys.readouterr().out == "1.0\n"


def test_the_method_of_ones_own_in_the_documents_runs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = (ROOT / "docs/extending.md").read_text(encoding="utf-8")
    found = re.search(r"```python\n(.*?)```", text, re.DOTALL)
    assert found is not None

    try:
        exec(compile(found[1], "extending.md", "exec"), {})
    finally:
        del METHODS["margin"], DATASETS["heaps"]

    assert capsys.readouterr().out == "1.0\n"


SCALE = (ROOT / "docs/scale.md").read_text(encoding="utf-8")


def test_many_samples_are_sorted_as_the_documents_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All but what needs a cluster, which tests/distributed has."""
    monkeypatch.chdir(tmp_path)
    found = re.findall(r"```python\n(.*?)```", SCALE, re.DOTALL)
    here = [code for code in found if "Client" not in code]
    assert len(here) == len(found) - 1

    for code in here:
        exec(compile(code, "scale.md", "exec"), {})


def test_a_model_is_asked_as_the_documents_say() -> None:
    """All but the asking, for which there is no server here."""
    text = (ROOT / "docs/models.md").read_text(encoding="utf-8")
    found = re.search(r"```python\n(.*?)```", text, re.DOTALL)
    assert found is not None
    made: dict[str, object] = {}

    exec(compile(found[1], "models.md", "exec"), made)

    assert {"oracle", "answers"} <= set(made)


def test_scores_are_given_as_the_documents_say(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = (ROOT / "docs/scores.md").read_text(encoding="utf-8")
    found = re.search(r"```python\n(.*?)```", text, re.DOTALL)
    assert found is not None

    exec(compile(found[1], "scores.md", "exec"), {})

    assert capsys.readouterr().out == "[1 1 1 0 0 2]\n"


@pytest.mark.parametrize("command", [info.name for info in app.registered_commands])
def test_every_command_is_in_the_readme(command: str) -> None:
    assert re.search(rf"likewise [^\n]*\b{command}\b", README)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_is_in_the_documents(method: str) -> None:
    assert f"`{method}`" in DOCS


def test_the_public_names_are_there_once() -> None:
    assert len(likewise.__all__) == len(set(likewise.__all__))
    assert all(hasattr(likewise, name) for name in likewise.__all__)


def test_every_folder_and_every_module_at_the_top_is_on_the_map() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    source = ROOT / "src/likewise"
    modules = {path.stem for path in source.glob("*.py")} - {"__init__"}
    folders = {path.parent.name for path in source.glob("*/__init__.py")}

    missing = [n for n in modules | folders if not re.search(rf"\b{n}\b", text)]

    assert missing == []
