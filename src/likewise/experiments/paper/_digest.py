"""The evaluation in Markdown: claims, means with intervals, single steps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from likewise.experiments._trials import Outcome
from likewise.experiments.paper._claims import RULE
from likewise.experiments.paper._diagnostic import EFFECTS, Diagnosis
from likewise.experiments.paper._findings import Found, Judged, Source
from likewise.experiments.paper._intervals import Interval
from likewise.experiments.paper._outcomes import (
    METRICS,
    Curves,
    Step,
    curves_of,
    on_plot,
    over_plots,
    ranking_of,
    steps_of,
)
from likewise.experiments.paper._plans import Figure
from likewise.experiments.paper._tables import HEADS, SHORT, column_of, tally_of

NOTHING = "–"


def digest_of(
    figures: Iterable[Figure],
    outcomes: Iterable[Outcome],
    judged: Sequence[Judged],
    diagnoses: Sequence[Diagnosis] = (),
) -> str:
    """Return the findings of an evaluation as Markdown.

    Parameters
    ----------
    figures : iterable of Figure
    outcomes : iterable of Outcome
    judged : sequence of Judged
    diagnoses : sequence of Diagnosis
    """
    runs = list(outcomes)
    parts = ["# What was found", RULE, "Cells: the finding, and yes / no / open."]
    parts += claims_lines(judged)
    for figure in figures:
        curves = curves_of(figure, runs)
        if curves and figure.kind == "curves":
            parts += [f"## {figure.title}", *_means(figure, curves)]
        elif curves and figure.kind == "table":
            parts += [f"## {figure.title}", *_single_steps(figure, curves)]
        elif diagnoses and figure.kind == "diagnostic":
            parts += [f"## {figure.title}", figure.about, _diagnostic(diagnoses)]
    return "\n\n".join(parts) + "\n"


def claims_lines(judged: Sequence[Judged]) -> Iterator[str]:
    """Yield a heading and a table for the claims of each source."""
    numbered = list(enumerate(judged, start=1))
    for source in Source:
        mine = [(n, one) for n, one in numbered if one.claim.source is source]
        if not mine:
            continue
        columns = list(mine[0][1].found)
        rows = [
            [f"{n}. {one.claim.title}", *(_cell(one.found[c]) for c in columns)]
            for n, one in mine
        ]
        found = [one for _, one in mine]
        if source is Source.PAPER:
            rows.append(["in all", *(tally_of(found, column) for column in columns)])
        yield f"## {HEADS[source]}"
        yield markdown(["claim", *map(column_of, columns)], rows)


def markdown(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table.

    Examples
    --------
    >>> print(markdown(["a", "b"], [["1", "2"]]))
    | a | b |
    |---|---|
    | 1 | 2 |
    """
    lines = [header, ["---"] * len(header), *rows]
    first, rule, *others = (f"| {' | '.join(cells)} |" for cells in lines)
    return "\n".join([first, rule.replace(" ", ""), *others])


def _cell(found: Found) -> str:
    if not found.cases:
        return found.finding.value
    return f"{found.finding.value} ({found.counts})"


def _means(figure: Figure, curves: Curves) -> Iterator[str]:
    yield "Mean areas, ± half of the 95 % interval, over all plots and on each."
    for recipe in figure.recipes:
        ranks = ranking_of(figure, curves, recipe)
        for metric in METRICS:
            rows = [[r.line.title, f"{r.plots}", _mean(r.areas[metric])] for r in ranks]
            yield f"### {column_of((recipe, metric))}"
            yield markdown(["method", "plots", "mean area"], rows)
            yield _by_plot(figure, curves, recipe, metric)


def _by_plot(figure: Figure, curves: Curves, recipe: str, metric: str) -> str:
    lines = figure.lines_on(recipe)
    rows = []
    for panel in figure.panels:
        found = on_plot(figure, curves, panel, recipe)
        cells = (
            _mean(over_plots([found[line]], metric)) if line in found else NOTHING
            for line in lines
        )
        rows.append([panel.title, *cells])
    return markdown(["plot", *(line.title for line in lines)], rows)


def _single_steps(figure: Figure, curves: Curves) -> Iterator[str]:
    yield "Area, and the difference from that on the paper's recipe."
    for method in figure.methods:
        for metric in METRICS:
            found = steps_of(figure, curves, method, metric)
            where = dict.fromkeys(title for steps in found.values() for title in steps)
            rows = [
                [recipe, *(_step(recipe, steps.get(title)) for title in where)]
                for recipe, steps in found.items()
            ]
            yield f"### {method}, {SHORT[metric]}"
            yield markdown(["recipe", *where], rows)


def _step(recipe: str, step: Step | None) -> str:
    if step is None:
        return NOTHING
    if recipe == "paper":
        return _mean(step.area)
    return f"{step.area.mean:.3f}: {step.difference}"


def _diagnostic(diagnoses: Iterable[Diagnosis]) -> str:
    rows = [
        [
            *(one.data, one.recipe, one.what),
            *(
                _mean(getattr(one, e)) if getattr(one, e).n else NOTHING
                for e in EFFECTS
            ),
        ]
        for one in diagnoses
    ]
    return markdown(["data", "recipe", "score", *EFFECTS], rows)


def _mean(found: Interval) -> str:
    half = f" ± {found.half:.3f}" if found.is_known else ""
    return f"{found.mean:.3f}{half}"
