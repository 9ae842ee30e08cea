"""The numbers behind a figure, as tables of the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from likewise.experiments._summary import LEVELS, NOTHING
from likewise.experiments.paper._markup import Markup, element, plain_table, row, table
from likewise.experiments.paper._outcomes import (
    Curves,
    Level,
    Standing,
    on_panel,
    ranking_of,
    standing_of,
)
from likewise.experiments.paper._plans import Figure, Line, Panel
from likewise.experiments.paper._trials import Outcome

HEADER = (
    "method",
    "runs",
    "area",
    *(f"to {level}" for level in LEVELS),
    "Jaccard",
    "V-measure",
    "ARI",
    "s/question",
)
LEGEND = (
    "Means over the runs. Area: mean Jaccard at 0, 10, 14, 19, 28, 39 ... questions up "
    "to the budget, ± its standard deviation. To a level: the first scored number of "
    "questions with that Jaccard; > where some run did not get there and counts as its "
    "budget. Jaccard, V-measure and ARI: at the end of the budget. Jaccard rewards one "
    "big cluster: what that alone would score stands beside each data set, and ARI, "
    "which gives it 0, in the last column but one. Curves: mean ± one standard "
    "deviation. Best area in bold."
)


def tables_of(
    figure: Figure, curves: Curves, all_in_one: Mapping[str, float]
) -> Markup:
    """Return the ranking of a figure's lines, then what each did on each plot."""
    ranks = [
        (
            rank.line.title,
            _area(rank.mean),
            f"{rank.plots} of {len(figure.panels)}",
        )
        for rank in ranking_of(curves)
    ]
    header = ["method", "mean area", "plots"]
    bodies = [
        _panel_rows(panel, on_panel(curves, panel), all_in_one)
        for panel in figure.panels
    ]
    return (
        element("h3", "Ranking")
        + plain_table(header, ranks, class_="ranking")
        + element("h3", "By data set")
        + table(HEADER, *bodies, class_="numbers")
        + element("p", LEGEND, class_="faint")
    )


def _panel_rows(
    panel: Panel,
    lines: Mapping[Line, Sequence[Outcome]],
    all_in_one: Mapping[str, float],
) -> Markup:
    one = all_in_one.get(panel.data)
    facts = [f"{panel.budget} questions"]
    facts += [] if one is None else [f"all in one: Jaccard {one:.3f}, ARI 0"]
    facts += [] if lines else ["not run"]
    about = element("span", "; ".join(facts), class_="faint")
    span = str(len(HEADER))
    title = element("th", element("b", panel.title), " ", about, colspan=span)
    standings = {line: standing_of(runs) for line, runs in lines.items()}
    best = max((s.area for s in standings.values()), default=0.0)
    rows = [_standing_row(x, s, best) for x, s in standings.items()]
    return element("tbody", element("tr", title, class_="panel"), *rows)


def _standing_row(line: Line, standing: Standing, best: float) -> Markup:
    spread = f" ± {standing.spread:.3f}" if standing.runs > 1 else ""
    mean = f"{standing.area:.3f}"
    area = element("b", mean) if standing.area == best else element("span", mean)
    final = (standing.final.get(name) for name in ("jaccard", "v_measure", "ari"))
    return row(
        [
            line.title,
            str(standing.runs),
            _bar(standing.area) + area + element("span", spread, class_="faint"),
            *map(_level, standing.levels),
            *(NOTHING if value is None else f"{value:.3f}" for value in final),
            f"{standing.seconds:.3g}",
        ]
    )


def _level(level: Level) -> str:
    return f"{'' if level.by_all else '>'}{level.questions:.0f}"


def _area(area: float) -> Markup:
    return _bar(area) + element("span", f"{area:.3f}")


def _bar(share: float) -> Markup:
    return element("i", class_="bar", style=f"--share:{share:.3f}", aria_hidden="true")
