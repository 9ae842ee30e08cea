"""What is not needed is not imported, so that help and a first line come at once."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

HEAVY = {
    "dask",
    "distributed",
    "faiss",
    "fastapi",
    "matplotlib",
    "pandas",
    "scipy.stats",
    "sklearn",
    "sqlalchemy",
    "torch",
    "umap",
}
HELP = """
import contextlib, io, sys
from likewise.cli import main
sys.argv[:] = ["likewise", *{words}]
said = io.StringIO()
with contextlib.suppress(SystemExit), contextlib.redirect_stdout(said):
    main()
assert "Usage" in said.getvalue()
"""


def loaded_by(code: str) -> set[str]:
    """Return the modules that are there after some code has run on its own."""
    code += "\nimport json, sys\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, text=True
    )
    return set(json.loads(done.stdout))


def test_the_library_is_imported_at_once() -> None:
    assert loaded_by("import likewise") & HEAVY == set()


@pytest.mark.parametrize(
    "words",
    [["--help"], ["app", "--help"], ["export", "--help"], ["simulate", "--help"]],
)
def test_help_comes_at_once(words: list[str]) -> None:
    assert loaded_by(HELP.format(words=words)) & HEAVY == set()


def test_a_folder_is_there_without_a_line_of_its_own() -> None:
    code = "import likewise; assert likewise.methods.METHODS is likewise.METHODS"

    assert "likewise.methods" in loaded_by(code)


def test_errors_need_nothing_else() -> None:
    assert "numpy" not in loaded_by("from likewise import InputError")


def test_what_opens_pictures_starts_at_once() -> None:
    heavy = HEAVY | {"joblib", "scipy"}

    assert loaded_by("import likewise.encoders") & heavy == set()
