"""What docs/notebook.md says runs, in its order."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from likewise import Session

BESIDE = """<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/" xmlns:dc="http://purl.org/dc/elements/1.1/"
 xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
 xmlns:Iptc4xmpExt="http://iptc.org/std/Iptc4xmpExt/2008-02-29/">
  <rdf:RDF>
    <rdf:Description rdf:about="">
      <dc:subject><rdf:Bag><rdf:li>holiday</rdf:li></rdf:Bag></dc:subject>
      <Iptc4xmpExt:PersonInImage><rdf:Bag>{people}</rdf:Bag></Iptc4xmpExt:PersonInImage>
    </rdf:Description>
  </rdf:RDF>
</x:xmpmeta>
<?xpacket end="w"?>
"""
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


def a_library(folder: Path) -> None:
    """Write what immich-export writes of six pictures, three of which name somebody."""
    named = {0: ["Ada"], 1: ["Björn"], 2: ["Ada", "Björn"]}
    for at in range(6):
        path = folder / f"library/2024/0{at % 2 + 3}/IMG_{at}.jpg"
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (20, 20), ("red", "blue")[at % 2]).save(path)
        people = "".join(f"<rdf:li>{name}</rdf:li>" for name in named.get(at, []))
        if at < 4:
            beside = path.with_name(f"{path.name}.xmp")
            beside.write_text(BESIDE.format(people=people), encoding="utf-8")


def test_the_recipes_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("anywidget")
    monkeypatch.chdir(tmp_path)
    an_export(tmp_path / "export")
    a_library(tmp_path / "immich-export")
    made: dict[str, Any] = {}
    sessions: list[Session] = []

    for code in re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL):
        exec(compile(code, "notebook.md", "exec"), made)
        sessions.append(made["session"])

    *_, trees, people = sessions
    assert sorted(group.name for group in trees.groups) == ["elm", "oak"]
    assert (trees.labels[::2] == trees.labels[0]).all()
    names = {group.name: group.samples for group in people.groups}
    assert {name: len(of) for name, of in names.items()} == {"Ada": 1, "Björn": 1}
    assert len(set(people.labels[:3].tolist())) == 1  # as red as Ada
