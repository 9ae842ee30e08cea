"""``likewise demo``: see it work, with nothing to download."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from likewise.cli.options import AsJson
from likewise.cli.output import print_json, progress, say
from likewise.datasets import load
from likewise.experiments.figures import draw_curves
from likewise.experiments.runner import Curve, Plan, simulate


def demo(
    out: Annotated[Path, typer.Option(help="Where the picture goes.")] = Path(
        "likewise-demo.png"
    ),
    budget: Annotated[int, typer.Option(help="Questions to answer.", min=1)] = 400,
    as_json: AsJson = False,
) -> None:
    """Sort 1,797 handwritten digits by answered questions, and draw how it went."""
    digits = load("digits")
    say(
        f"Sorting {len(digits.y):,} handwritten digits into {digits.n_classes} groups: "
        f"{budget} questions 'same or different?', answered from the true digits."
    )
    curves = {}
    for method in ("likewise", "urasc+n", "random"):
        plan = Plan(digits.X, digits.y, method, budget, digits.n_classes)
        curves[method] = [_watched(plan)]
        scores = curves[method][0].scores["jaccard"]
        say(f"  {method:8} Jaccard {scores[0]:.3f} before, {scores[-1]:.3f} after")
    draw_curves(curves, "Handwritten digits, sorted by questions", out)
    say(f"The picture is in {out}.")
    if as_json:
        print_json({m: [c.as_dict() for c in runs] for m, runs in curves.items()})


def _watched(plan: Plan) -> Curve:
    with progress(str(plan.method), plan.budget) as update:

        def watch(curve: Curve) -> None:
            update(curve.questions[-1], f"Jaccard {curve.scores['jaccard'][-1]:.3f}")

        return simulate(plan, seed=0, watch=watch)
