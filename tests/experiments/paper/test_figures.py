"""Figures of the evaluation, drawn from outcomes made by hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.outcomes import flat, outcome, rising

from likewise.experiments.paper import FIGURES, Figure, read_figure
from likewise.experiments.paper._figures import LOOKS, draw_figure, looks_of
from likewise.experiments.paper._plans import Line, Panel

WINE, SONAR = Panel("wine", 100), Panel("sonar", 60, noise=0.02)
FIGURE = Figure(
    "mine",
    "A title",
    "",
    (WINE, SONAR),
    ("urasc+n", "mine", "random"),
    ("jaccard", "v_measure"),
    ("known", "unknown"),
)
RUNS = [
    outcome(FIGURE, WINE, line, rising(0.2, end), seed)
    for line in FIGURE.lines[:4]
    for seed, end in enumerate((0.8, 1.0))
]


def test_each_metric_is_drawn_as_png_and_svg(tmp_path: Path) -> None:
    paths = draw_figure(FIGURE, RUNS, tmp_path, {"wine": 0.3})

    names = ["jaccard.png", "jaccard.svg", "v_measure.png", "v_measure.svg"]
    assert [path.name for path in paths] == [f"mine-{name}" for name in names]
    assert all(path.stat().st_size > 1000 for path in paths)


def test_a_picture_names_plots_and_the_lines_that_were_run(tmp_path: Path) -> None:
    paths = draw_figure(FIGURE, RUNS, tmp_path, {"wine": 0.3})
    jaccard, v_measure = (p.read_text("utf-8") for p in paths if p.suffix == ".svg")

    for words in ("wine", "sonar, 2 % wrong", "urasc+n, k unknown", "not run"):
        assert f"<!-- {words} -->" in jaccard
    assert "<!-- random -->" not in jaccard
    assert "all in one" in jaccard
    assert "all in one" not in v_measure


def test_one_metric_needs_no_name(tmp_path: Path) -> None:
    figure = Figure("plain", "A title", "", (WINE,), ("random",))
    run = outcome(figure, WINE, Line("random"), flat(0.5))

    paths = draw_figure(figure, [run], tmp_path, {})

    assert [path.name for path in paths] == ["plain.png", "plain.svg"]


def test_the_same_outcomes_give_the_same_bytes(tmp_path: Path) -> None:
    drawn = []
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        paths = draw_figure(FIGURE, RUNS, tmp_path / name, {})
        drawn.append([path.read_bytes() for path in paths])

    assert drawn[0] == drawn[1]


def test_nothing_run_is_still_a_picture(tmp_path: Path) -> None:
    assert len(draw_figure(FIGURE, [], tmp_path, {"wine": 0.3})) == 4


@pytest.mark.parametrize("name", FIGURES)
def test_no_two_lines_of_a_figure_look_alike(name: str) -> None:
    looks = looks_of((*read_figure(name).lines_on("ours"), Line("mine"), Line("yours")))

    assert len(set(looks.values())) == len(looks)


def test_each_method_has_a_colour_of_its_own() -> None:
    assert len({look.colour for look in LOOKS.values()}) == len(LOOKS)
    assert looks_of([Line("asc")])[Line("asc")] == LOOKS["asc"]
