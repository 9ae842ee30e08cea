"""What a figure of the evaluation is made of, read from its TOML file."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from likewise.errors import InputError
from likewise.experiments._trials import Trial

FOLDER = Path(__file__).parent
FIGURES = ("variants", "learning", "clustering", "noise", "unknown-k", "qualitative")
PICTURES = ("images", "n_classes", "marks")
QUICK = 5  # a quick run asks a fifth of the questions


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
    """

    data: str
    budget: int
    features: str = ""
    noise: float = 0.0

    @property
    def title(self) -> str:
        """What stands above the plot."""
        features = f" ({self.features})" if self.features else ""
        wrong = f", {100 * self.noise:.2g} % wrong" if self.noise else ""
        return f"{self.data}{features}{wrong}"


@dataclass(frozen=True, slots=True)
class Line:
    """One curve of a plot: a method, told the number of groups or not."""

    method: str
    k: str = "known"

    @property
    def title(self) -> str:
        """What the legend says."""
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
    kind : {"curves", "pictures"}
    shortlist : int
        b of the paper for URASC with both step and gradient; 0 for none.
    opening : {"none", "farthest-first"}
        How sessions begin.
    affinity : str
        As in ``simulate``; "paper" for the paper's kernels.
    pictures : mapping
        For "pictures": the folder of images, how many classes, and after how many
        questions to look.
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
    affinity: str = "auto"
    pictures: Mapping[str, Any] | None = None

    @property
    def lines(self) -> tuple[Line, ...]:
        """The curves of every plot."""
        return tuple(Line(m, k) for m in self.methods for k in self.n_clusters)

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
            affinity=self.affinity,
        )

    def trials(self, seeds: int) -> list[Trial]:
        """Return every session behind the figure, panel by panel."""
        if self.kind != "curves":
            return []
        return [
            self.trial(panel, line, seed)
            for panel in self.panels
            for line in self.lines
            for seed in range(seeds)
        ]

    def quick(self) -> Figure:
        """Return the figure with a fifth of the questions."""
        if self.kind != "curves":
            return self
        panels = (replace(p, budget=-(-p.budget // QUICK)) for p in self.panels)
        return replace(self, panels=tuple(panels))

    def also(self, methods: Iterable[str], panels: Iterable[Panel]) -> Figure:
        """Return the figure with more methods and more data sets in it."""
        if self.kind != "curves":
            return self
        return replace(
            self,
            methods=tuple(dict.fromkeys((*self.methods, *methods))),
            panels=tuple(dict.fromkeys((*self.panels, *panels))),
        )

    def under(self, affinity: str) -> Figure:
        """Return the figure with another affinity."""
        if affinity not in ("auto", "paper"):
            raise InputError(
                f"The affinity of a figure is 'auto' or 'paper', not {affinity!r}."
            )
        return replace(self, affinity=affinity)


def read_figure(name: str) -> Figure:
    """Return a figure by its name, or from a TOML file of the user's.

    Examples
    --------
    >>> read_figure("learning").methods
    ('urasc+n', 'urasc+p', 'quire', 'pknn+al')
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
    panels = tuple(Panel(**panel) for panel in plan.pop("panel", ()))
    pictures: dict[str, Any] = {key: plan.pop(key) for key in PICTURES if key in plan}
    lists = {key: tuple(v) for key, v in plan.items() if isinstance(v, list)}
    figure = Figure(name, panels=panels, **{**plan, **lists}, pictures=pictures or None)
    for what, given, allowed in (
        ("kind", (figure.kind,), ("curves", "pictures")),
        ("opening", (figure.opening,), ("none", "farthest-first")),
        ("n_clusters", figure.n_clusters, ("known", "unknown")),
    ):
        if not set(given) <= set(allowed):
            raise ValueError(f"{what} is one of {', '.join(allowed)}")
    if not panels or not figure.methods:
        raise ValueError("it needs methods and at least one [[panel]]")
    return figure
