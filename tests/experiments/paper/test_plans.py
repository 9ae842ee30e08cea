"""The plans of the figures, and one's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from likewise.datasets import DATASETS
from likewise.errors import InputError
from likewise.experiments._recipes import RECIPES
from likewise.experiments.paper import FIGURES, Figure, read_figure
from likewise.experiments.paper._plans import Line, Panel
from likewise.methods import METHODS

BUDGETS = {
    **dict.fromkeys(("wine", "sonar", "bupa"), 200),
    **dict.fromkeys(("balance", "diabetes", "cho"), 400),
    **dict.fromkeys(("dog-mid", "face-2-mid"), 800),
    "face-1-mid": 2000,
    **dict.fromkeys(("leaf-62", "leaf-62-shape"), 3000),
}
OWN = """
title = "Mine"
about = "A figure of my own."
methods = ["random"]

[[panel]]
data = "iris"
budget = 20
"""


@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_names_methods_and_data_that_exist(name: str) -> None:
    figure = read_figure(name)

    assert set(figure.methods) <= set(METHODS)
    assert {panel.data for panel in figure.panels} <= set(DATASETS)
    assert figure.name == name


@pytest.mark.parametrize("name", sorted({*FIGURES} - {"qualitative", "diagnostic"}))
def test_budgets_are_those_of_the_evaluation(name: str) -> None:
    for panel in read_figure(name).panels:
        assert panel.budget == BUDGETS[panel.data]


@pytest.mark.parametrize("name", sorted({*FIGURES} - {"qualitative", "diagnostic"}))
def test_lot_and_a_metric_that_corrects_for_chance_are_in_each_figure(
    name: str,
) -> None:
    figure = read_figure(name)

    assert {"jaccard", "ari"} <= set(figure.metrics)
    assert "lot" in figure.methods or name in ("unknown-k", "ablations")


def test_the_ablations_take_every_recipe() -> None:
    figure = read_figure("ablations")

    recipes = {trial.recipe for trial in figure.trials(seeds=1)}

    assert figure.kind == "table"
    assert recipes == set(RECIPES)


def test_a_quick_figure_asks_a_fifth_and_no_more_than_sixty() -> None:
    whole = read_figure("variants")
    figure = whole.quick()

    assert {p.data: p.budget for p in figure.panels} == {
        "face-1-mid": 60, "dog-mid": 60, "wine": 40, "sonar": 40,
    }  # fmt: skip
    assert figure.dropped == tuple(p.data for p in whole.panels if p.budget > 2000)


@pytest.mark.parametrize("name", FIGURES)
def test_a_quick_run_has_something_to_show_in_every_figure(name: str) -> None:
    assert read_figure(name).quick().panels


def test_each_curve_has_as_many_sessions_as_seeds() -> None:
    figure = read_figure("unknown-k")

    trials = figure.trials(seeds=3)

    n_lines = 3 * 2  # urasc+n on both recipes, likewise once, k known and unknown
    assert len(trials) == len(set(trials)) == n_lines * len(figure.panels) * 3
    assert {trial.k for trial in trials} == {"known", "unknown"}


def test_pictures_are_no_part_of_the_grid() -> None:
    figure = read_figure("qualitative")

    assert figure.trials(seeds=3) == []
    assert figure.quick() == figure.also(["random"], [Panel("iris", 5)]) == figure


def test_methods_and_data_can_be_added() -> None:
    figure = read_figure("learning").also(["random", "quire"], [Panel("iris", 9)])

    assert figure.methods[-1] == "random"
    assert figure.methods.count("quire") == 1
    assert figure.panels[-1].data == "iris"


def test_a_plan_of_ones_own_is_read(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(OWN)

    figure = read_figure(str(tmp_path / "mine.toml"))

    assert (figure.name, figure.title) == ("mine", "Mine")
    assert figure.panels == (Panel("iris", 20),)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("title = ", "is not a plan of a figure"),
        (OWN + "colour = 'red'", "is not a plan of a figure"),
        ("wrong = 1\n" + OWN, "is not a plan of a figure"),
        ("title = 'x'\nabout = ''\nmethods = ['random']", "at least one"),
        ("kind = 'songs'\n" + OWN, "kind is one of curves, table"),
        ("opening = 'no'\n" + OWN, "opening is one of none, farthest-first"),
        ("recipes = ['no']\n" + OWN, "recipes is one of ours, paper"),
    ],
)
def test_a_plan_that_cannot_be_read_is_refused(
    tmp_path: Path, text: str, found: str
) -> None:
    (tmp_path / "mine.toml").write_text(text)

    with pytest.raises(InputError, match=found):
        read_figure(str(tmp_path / "mine.toml"))


@pytest.mark.parametrize("name", ["nothing", "nothing.toml"])
def test_an_unknown_figure_is_answered_with_the_known_ones(name: str) -> None:
    with pytest.raises(InputError, match="Choose one of: variants, learning"):
        read_figure(name)


def test_a_plan_stands_on_both_recipes_unless_told() -> None:
    figure = read_figure("noise")

    assert figure.recipes == ("paper", "ours")
    assert figure.under("both") == figure
    assert {t.recipe for t in figure.under("ours").trials(1)} == {"ours"}
    with pytest.raises(InputError, match="paper, ours or both, not 'chi2'"):
        figure.under("chi2")


def test_a_method_without_recipes_is_run_once_and_shown_beside_both() -> None:
    methods, recipes = ("urasc+n", "ffqs"), ("paper", "ours")
    figure = Figure("f", "", "", (Panel("iris", 5),), methods, recipes=recipes)

    assert [(t.method, t.recipe) for t in figure.trials(1)] == [
        ("urasc+n", "paper"),
        ("ffqs", "ours"),
        ("urasc+n", "ours"),
    ]
    for recipe in figure.recipes:
        expected = (Line("urasc+n", recipe=recipe), Line("ffqs"))
        assert figure.lines_on(recipe) == expected
    assert figure.plots == tuple((figure.panels[0], recipe) for recipe in recipes)


def test_recipes_of_a_plans_own_are_not_narrowed(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('recipes = ["paper", "literal"]\n' + OWN)

    figure = read_figure(str(tmp_path / "mine.toml"))

    assert figure.under("ours").recipes == ("paper", "literal")


def test_a_method_is_left_out_of_a_panel_by_the_plan(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(OWN + 'without = ["random"]\n')

    figure = read_figure(str(tmp_path / "mine.toml"))

    assert figure.trials(1) == []
    assert figure.also(["ffqs"], []).trials(1)[0].method == "ffqs"


def test_a_panel_says_what_is_special_about_it() -> None:
    assert Panel("dog", 9, "deep", 0.02).title == "dog (deep), 2 % wrong"
    assert Panel("leaf", 9, noise=0.019).title == "leaf, 1.9 % wrong"
