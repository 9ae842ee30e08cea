"""What docs/notebook.md says runs, in its order."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

TEXT = (Path(__file__).parents[2] / "docs/notebook.md").read_text(encoding="utf-8")


def an_export(folder: Path) -> None:
    """Write what FiftyOne writes of six pictures, of which two have a label."""
    (folder / "data").mkdir(parents=True)
    for at in range(6):
        colour = ("red", "blue")[at % 2]
        Image.new("RGB", (20, 20), colour).save(folder / f"data/{at:06}.png")
    labels = {"000000": 0, "000001": 1, "000002": None}
    said = {"classes": ["oak", "elm"], "labels": labels}
    (folder / "labels.json").write_text(json.dumps(said), encoding="utf-8")


def test_the_recipes_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("anywidget")
    monkeypatch.chdir(tmp_path)
    an_export(tmp_path / "export")
    made: dict[str, Any] = {}

    for code in re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL):
        exec(compile(code, "notebook.md", "exec"), made)

    session = made["session"]
    assert sorted(group.name for group in session.groups) == ["elm", "oak"]
    assert (session.labels[::2] == session.labels[0]).all()
