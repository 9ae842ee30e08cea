"""Every example of the gallery runs, and ends in the number that is stated here."""

from __future__ import annotations

import os
import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from benchmarks.tables import digits
from matplotlib import pyplot

ROOT = Path(__file__).parents[2]
GALLERY = sorted((ROOT / "examples").glob("plot_*.py"))
DATA = Path(os.environ.get("LIKEWISE_DATA", ROOT.parent / "shared/data"))


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Draw into memory, on data that are always there."""
    monkeypatch.delenv("LIKEWISE_DATA", raising=False)
    before = pyplot.get_backend()
    pyplot.switch_backend("agg")
    yield
    pyplot.close("all")
    pyplot.switch_backend(before)


def result(name: str) -> dict[str, Any]:
    found: dict[str, Any] = runpy.run_path(str(ROOT / f"examples/plot_{name}.py"))
    return dict(found["RESULT"])


def about(value: float) -> Any:
    """Allow for another processor, and for other versions of what computes."""
    return pytest.approx(value, abs=0.05)


def test_digits() -> None:
    found = result("digits")

    assert found["jaccard"] == about(0.985)
    assert found["questions_to_0.9"] == pytest.approx(70, abs=15)


def test_dogs_that_are_drawn() -> None:
    found = result("dogs")

    assert found["n"] == 90
    assert found["jaccard_before"] == about(0.265)
    assert found["jaccard"] == about(1.0)


@pytest.mark.skipif(not (DATA / "dog400").exists(), reason="needs the folder of dogs")
@pytest.mark.slow
def test_dogs_of_the_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIKEWISE_DATA", str(DATA))
    found = result("dogs")

    assert found["n"] == 400
    assert found["jaccard"] == about(0.889)


def test_texts() -> None:
    found = result("texts")

    assert found["jaccard_by_words"] == about(0.221)
    assert found["jaccard"] == about(1.0 if "minilm" in found["encoder"] else 0.221)


def test_duplicates() -> None:
    found = result("duplicates")

    assert found["records"] == 413
    assert found["f1_before"] == about(0.936)
    assert found["f1"] == about(0.989)


def test_an_unknown_number() -> None:
    found = result("unknown_number")

    assert found["groups"] == 7
    assert found["jaccard"] == about(0.935)


def test_wrong_answers() -> None:
    found = result("wrong_answers")

    assert found["wrong"] == pytest.approx(15, abs=5)
    assert found["rightly"] >= found["pointed_at"] / 2
    assert found["jaccard"] == about(0.80)


def test_a_team() -> None:
    found = result("team")

    assert found["careless"] == "cem"
    assert found["jaccard"] == about(0.933)
    assert found["jaccard"] > found["jaccard_of_ann_alone"]


def test_a_million_samples() -> None:
    found = result("scale")

    text = (ROOT / "docs/scale.md").read_text(encoding="utf-8")

    assert found["exponent"] < 1.2
    assert f"n^{found['exponent']:.2f} (`likewise`)" in text
    assert f"| {digits(found['seconds_at_a_million'])} s |" in text


@pytest.mark.parametrize("path", GALLERY, ids=lambda path: path.stem)
def test_an_example_is_a_page_with_a_title_and_ends_in_a_number(path: Path) -> None:
    title, line = path.read_text(encoding="utf-8").splitlines()[1:3]

    assert line == "=" * len(title)
    assert path.read_text(encoding="utf-8").endswith("}\nprint(RESULT)\n")
