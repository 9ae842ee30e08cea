"""What a figure of the evaluation is made of, read from its TOML file."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from likewise.errors import InputError
from likewise.experiments._recipes import RECIPES
from likewise.experiments._trials import Trial, has_recipes

FOLDER = Path(__file__).parent
FIGURES = (  # in the order of the report
    *("variants", "learning", "clustering", "noise", "unknown-k", "ablations"),
    *("qualitative", "diagnostic"),
)
KINDS = ("curves", "table", "diagnostic", "pictures")
SIMULATED = ("curves", "table")  # kinds that trials are behind
PICTURES = ("images", "n_classes", "marks")
BOTH = ("paper", "ours")  # recipes, side by side
QUICK = 5  # a quick run asks a fifth of the questions,
MOST_QUICK = 60  # but no more than these,
LONGEST_QUICK = 2000  # and nothing where there are more than these


@dataclass(frozen=True, slots=True)
class Panel:
    """One data set under one condition: a plot of its own.

    Attributes
    ----------
    data : str
        A name in ``DATASETS``.
    budget : int
        Questions to answer.
    features : str
        "deep" or "classical" where a set comes with both, else empty.
    noise : float
        Rate of wrong answers.
    without : tuple of str
        Methods of the figure that are not run here. Where a plot is told from others
        it does not count.
    """

    data: str
    budget: int
    features: str = ""
    noise: float = 0.0
    without: tuple[str, ...] = field(default=(), compare=False)

    @property
    def title(self) -> str:
        """What stands above the plot."""
        features = f" ({self.features})" if self.features else ""
        wrong = f", {100 * self.noise:.2g} % wrong" if self.noise else ""
        return f"{self.data}{features}{wrong}"


@dataclass(frozen=True, slots=True)
class Line:
    """One curve of a plot: a method, told the number of groups or not, on a recipe.

    A method on which recipes have no bearing is run once, on "ours".
    """

    method: str
    k: str = "known"
    recipe: str = "ours"

    @property
    def title(self) -> str:
        """What the legend says; the recipe is that of the plot."""
        return self.method + (", k unknown" if self.k == "unknown" else "")


@dataclass(frozen=True)
class Figure:
    """A figure of the evaluation.

    Attributes
    ----------
    name, title, about : str
    panels : tuple of Panel
    methods : tuple of str
    metrics : tuple of str
        Each is drawn.
    n_clusters : tuple of {"known", "unknown"}
    kind : {"curves", "table", "diagnostic", "pictures"}
        What is shown: scores against questions, one number for each of its lines, what
        the scores of samples predict, or groups of pictures.
    shortlist : int
        b of the paper for URASC with both step and gradient; 0 for none.
    opening : {"none", "farthest-first"}
        How sessions begin.
    recipes : tuple of str
        Names in ``RECIPES``: each panel is a plot on each of them.
    pictures : mapping
        For "pictures": the folder of images, how many classes, and after how many
        questions to look.
    dropped : tuple of str
        Data sets of its plan that a quick run leaves out.
    """

    name: str
    title: str
    about: str
    panels: tuple[Panel, ...]
    methods: tuple[str, ...]
    metrics: tuple[str, ...] = ("jaccard",)
    n_clusters: tuple[str, ...] = ("known",)
    kind: str = "curves"
    shortlist: int = 0
    opening: str = "none"
    recipes: tuple[str, ...] = ("ours",)
    pictures: Mapping[str, Any] | None = None
    dropped: tuple[str, ...] = ()

    @property
    def lines(self) -> tuple[Line, ...]:
        """All curves: those that recipes change on each of them, the others once."""
        found = (line for recipe in self.recipes for line in self.lines_on(recipe))
        return tuple(dict.fromkeys(found))

    @property
    def plots(self) -> tuple[tuple[Panel, str], ...]:
        """Every panel on every recipe, the recipes of a panel side by side."""
        return tuple((panel, r) for panel in self.panels for r in self.recipes)

    def lines_on(self, recipe: str) -> tuple[Line, ...]:
        """Return the curves of every plot that is on a recipe."""
        return tuple(
            Line(method, k, recipe if has_recipes(method) else "ours")
            for method in self.methods
            for k in self.n_clusters
        )

    def trial(self, panel: Panel, line: Line, seed: int) -> Trial:
        """Return one simulated session behind one curve of one plot."""
        return Trial(
            data=panel.data,
            method=line.method,
            seed=seed,
            budget=panel.budget,
            k=line.k,
            noise=panel.noise,
            opening=self.opening,
            shortlist=self.shortlist,
            recipe=line.recipe,
        )

    def trials(self, seeds: int) -> list[Trial]:
        """Return every session behind the figure, panel by panel."""
        if self.kind not in SIMULATED:
            return []
        return [
            self.trial(panel, line, seed)
            for panel in self.panels
            for line in self.lines
            if line.method not in panel.without
            for seed in range(seeds)
        ]

    def quick(self) -> Figure:
        """Return the figure with a fifth of the questions, and few at most.

        Panels that are worth thousands of questions are left out: their samples are
        too many for a few minutes.
        """
        if self.kind not in SIMULATED:
            return self
        short = [panel for panel in self.panels if panel.budget <= LONGEST_QUICK]
        panels = tuple(
            replace(panel, budget=min(-(-panel.budget // QUICK), MOST_QUICK))
            for panel in short
        )
        dropped = (panel.data for panel in self.panels if panel not in short)
        return replace(self, panels=panels, dropped=tuple(dict.fromkeys(dropped)))

    def also(self, methods: Iterable[str], panels: Iterable[Panel]) -> Figure:
        """Return the figure with more methods and more data sets in it."""
        if self.kind not in SIMULATED:
            return self
        return replace(
            self,
            methods=tuple(dict.fromkeys((*self.methods, *methods))),
            panels=tuple(dict.fromkeys((*self.panels, *panels))),
        )

    def under(self, recipe: str) -> Figure:
        """Return the figure on one recipe, or on both; ablations stay as they are."""
        if recipe not in (*BOTH, "both"):
            raise InputError(
                f"The recipe of a figure is {', '.join(BOTH)} or both, not {recipe!r}."
            )
        if recipe == "both" or set(self.recipes) - set(BOTH):
            return self
        return replace(self, recipes=(recipe,))


def read_figure(name: str) -> Figure:
    """Return a figure by its name, or from a TOML file of the user's.

    Examples
    --------
    >>> read_figure("learning").methods
    ('urasc+n', 'urasc+p', 'quire', 'pknn+al', 'lot')
    """
    path = FOLDER / f"{name}.toml" if name in FIGURES else Path(name)
    if path.suffix != ".toml" or not path.is_file():
        raise InputError(
            f"There is no figure {name!r}. Choose one of: {', '.join(FIGURES)}, or "
            f"name a TOML file of your own."
        )
    try:
        return _figure(path.stem, tomllib.loads(path.read_text(encoding="utf-8")))
    except (tomllib.TOMLDecodeError, TypeError, ValueError) as error:
        raise InputError(f"{path.name} is not a plan of a figure: {error}.") from None


def _figure(name: str, plan: dict[str, Any]) -> Figure:
    panels = tuple(_panel(**panel) for panel in plan.pop("panel", ()))
    pictures: dict[str, Any] = {key: plan.pop(key) for key in PICTURES if key in plan}
    lists = {key: tuple(v) for key, v in plan.items() if isinstance(v, list)}
    values: dict[str, Any] = {"recipes": BOTH, **plan, **lists}
    figure = Figure(name, panels=panels, **values, pictures=pictures or None)
    for what, given, allowed in (
        ("kind", (figure.kind,), KINDS),
        ("opening", (figure.opening,), ("none", "farthest-first")),
        ("n_clusters", figure.n_clusters, ("known", "unknown")),
        ("recipes", figure.recipes, tuple(RECIPES)),
    ):
        if not set(given) <= set(allowed):
            raise ValueError(f"{what} is one of {', '.join(allowed)}")
    if not panels or not figure.methods:
        raise ValueError("it needs methods and at least one [[panel]]")
    return figure


def _panel(without: Iterable[str] = (), **values: Any) -> Panel:
    return Panel(**values, without=tuple(without))
