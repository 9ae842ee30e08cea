"""Figures of the evaluation, drawn from outcomes made by hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.outcomes import flat, outcome, rising

from likewise.experiments.paper import FIGURES, Figure, read_figure
from likewise.experiments.paper._figures import LOOKS, draw_figure, looks_of
from likewise.experiments.paper._plans import Line, Panel
from likewise.methods import METHODS

WINE, SONAR = Panel("wine", 100), Panel("sonar", 60, noise=0.02)
FIGURE = Figure(
    "mine",
    "A title",
    "",
    (WINE, SONAR),
    ("urasc+n", "mine", "random"),
    ("jaccard", "ari"),
    ("known", "unknown"),
)
RUNS = [
    outcome(FIGURE, WINE, line, rising(0.2, end), seed)
    for line in FIGURE.lines[:4]
    for seed, end in enumerate((0.8, 1.0, 0.9))
]


def pictures_of(paths: list[Path]) -> list[str]:
    return [path.read_text("utf-8") for path in paths if path.suffix == ".svg"]


def test_each_metric_is_drawn_as_png_and_svg(tmp_path: Path) -> None:
    paths = draw_figure(FIGURE, RUNS, tmp_path, {"wine": 0.3})

    names = ["jaccard.png", "jaccard.svg", "ari.png", "ari.svg"]
    assert [path.name for path in paths] == [f"mine-{name}" for name in names]
    assert all(path.stat().st_size > 1000 for path in paths)


def test_a_picture_names_plots_and_the_lines_that_were_run(tmp_path: Path) -> None:
    paths = draw_figure(FIGURE, RUNS, tmp_path, {"wine": 0.3})
    jaccard, ari = pictures_of(paths)

    for words in ("wine", "sonar, 2 % wrong", "urasc+n, k unknown", "not run"):
        assert f"<!-- {words} -->" in jaccard
    assert "<!-- random -->" not in jaccard
    assert "all in one" in jaccard
    assert "all in one" not in ari


def test_recipes_stand_side_by_side(tmp_path: Path) -> None:
    figure = Figure(
        "both", "A title", "", (WINE,), ("urasc+n", "ffqs"), recipes=("paper", "ours")
    )
    runs = [outcome(figure, WINE, line, flat(0.5)) for line in figure.lines]

    [picture] = pictures_of(draw_figure(figure, runs, tmp_path, {}))

    assert "<!-- wine, paper -->" in picture
    assert "<!-- wine, ours -->" in picture
    assert picture.count("<!-- urasc+n -->") == 1  # once in the legend


def test_a_plot_that_cannot_show_much_is_marked(tmp_path: Path) -> None:
    figure = Figure("plain", "A title", "", (WINE,), ("urasc+n",))
    run = outcome(figure, WINE, Line("urasc+n"), flat(1.0))

    [picture] = pictures_of(draw_figure(figure, [run], tmp_path, {}))

    assert "(starts at 1.00)" in picture


@pytest.mark.parametrize(("repeats", "has_band"), [(2, False), (3, True)])
def test_a_band_needs_three_repeats(
    tmp_path: Path, repeats: int, has_band: bool
) -> None:
    figure = Figure("plain", "A title", "", (WINE,), ("random",))
    line, middle = Line("random"), (repeats - 1) / 2
    wide, narrow = (
        [
            outcome(figure, WINE, line, rising(0.25, 0.5 + (seed - middle) * by), seed)
            for seed in range(repeats)
        ]
        for by in (0.125, 0.0)  # the mean is the same
    )

    drawn = [
        pictures_of(draw_figure(figure, runs, tmp_path, {})) for runs in (wide, narrow)
    ]

    assert (drawn[0] != drawn[1]) == has_band


def test_one_metric_needs_no_name(tmp_path: Path) -> None:
    figure = Figure("plain", "A title", "", (WINE,), ("random",), ("jaccard",))
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


def test_each_method_has_a_colour_and_a_marker_of_its_own() -> None:
    assert len({look.colour for look in LOOKS.values()}) == len(LOOKS)
    assert len({look.marker for look in LOOKS.values()}) == len(LOOKS)
    assert looks_of([Line("asc")])[Line("asc")] == LOOKS["asc"]


@pytest.mark.parametrize("name", FIGURES)
def test_every_method_of_a_figure_has_its_look(name: str) -> None:
    assert set(read_figure(name).methods) <= set(LOOKS)
    assert set(read_figure(name).methods) <= set(METHODS)
