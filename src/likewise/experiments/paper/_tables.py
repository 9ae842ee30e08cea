"""Tables of the report: what the runs behind each figure amount to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from likewise.experiments._trials import Outcome
from likewise.experiments.paper._diagnostic import EFFECTS, SCORES, Diagnosis
from likewise.experiments.paper._findings import Case, Finding, Found, Judged, Source
from likewise.experiments.paper._intervals import Interval
from likewise.experiments.paper._markup import (
    Markup,
    element,
    grouped_table,
    nothing,
    plain_table,
    row,
)
from likewise.experiments.paper._outcomes import (
    METRICS,
    Curves,
    Level,
    Rank,
    Standing,
    Step,
    flag_of,
    on_plot,
    ranking_of,
    standing_of,
    steps_of,
)
from likewise.experiments.paper._plans import Figure, Line, Panel

NOTHING = "–"
SHORT = {"jaccard": "Jaccard", "ari": "ARI", "v_measure": "V-measure"}
WHOSE = {"paper": "the paper's recipe", "ours": "our recipe"}
COLUMNS = ("area, Jaccard", "area, ARI", "end, Jaccard", "end, ARI", "to 0.9", "s/q")
AT_0_9 = 1  # place of that level in ``LEVELS``
LEGEND = (
    "Means over the repeats, ± half of the 95 % interval. Area: mean score at 0, 10, "
    "14, 19, 28, 39 ... questions up to the budget. End: the score at the end of the "
    "budget. To 0.9: the first scored number of questions with that Jaccard; > where "
    "some repeat did not get there and counts as its budget. s/q: seconds for each "
    "question. Jaccard rewards one big cluster: what that alone would score stands "
    "beside each data set; ARI gives it 0. Methods on which a recipe has no bearing "
    "were run once and stand under both. Largest area in bold."
)


def tables_of(
    figure: Figure, curves: Curves, all_in_one: Mapping[str, float]
) -> Markup:
    """Return the ranking of a figure's lines, then what each did on each plot."""
    bodies = [_panel_rows(figure, curves, panel, all_in_one) for panel in figure.panels]
    whose = [WHOSE.get(recipe, recipe) for recipe in figure.recipes]
    numbers = grouped_table(whose, ["method", *COLUMNS], *bodies, class_="numbers")
    return (
        element("h3", "Ranking by mean area")
        + ranking_table(figure, curves)
        + element(
            "details",
            element("summary", "Every data set in numbers"),
            numbers,
            element("p", LEGEND, class_="faint"),
        )
    )


def ranking_table(figure: Figure, curves: Curves) -> Markup:
    """Return mean areas of the lines of a figure, its recipes side by side."""
    ranks = {
        recipe: {rank.line.title: rank for rank in ranking_of(figure, curves, recipe)}
        for recipe in figure.recipes
    }
    names = dict.fromkeys(name for found in ranks.values() for name in found)
    rows = [
        row([name, *(c for r in figure.recipes for c in _rank(ranks[r].get(name)))])
        for name in names
    ]
    return grouped_table(
        [WHOSE.get(recipe, recipe) for recipe in figure.recipes],
        ["method", *(SHORT[metric] for metric in METRICS), "plots"],
        element("tbody", *rows),
        class_="ranking",
    )


def _rank(rank: Rank | None) -> list[str | Markup]:
    if rank is None:
        return [NOTHING] * (len(METRICS) + 1)
    first, *others = (rank.areas[metric] for metric in METRICS)
    return [_bar(first.mean) + _mean(first), *map(_mean, others), str(rank.plots)]


def _panel_rows(
    figure: Figure, curves: Curves, panel: Panel, all_in_one: Mapping[str, float]
) -> Markup:
    plots = {
        recipe: on_plot(figure, curves, panel, recipe) for recipe in figure.recipes
    }
    span = str(1 + len(COLUMNS) * len(plots))
    about = element("span", _facts(panel, plots, all_in_one), class_="faint")
    title = element("th", element("b", panel.title), " ", about, colspan=span)
    found = {
        recipe: {line.title: standing_of(runs) for line, runs in lines.items()}
        for recipe, lines in plots.items()
    }
    best = {
        recipe: max((s.areas["jaccard"].mean for s in standings.values()), default=0.0)
        for recipe, standings in found.items()
    }
    names = dict.fromkeys(name for standings in found.values() for name in standings)
    rows = (
        row([n, *(c for r in plots for c in _standing(found[r].get(n), best[r]))])
        for n in names
    )
    return element("tbody", element("tr", title, class_="panel"), *rows)


def _facts(
    panel: Panel,
    plots: Mapping[str, Mapping[Line, Sequence[Outcome]]],
    all_in_one: Mapping[str, float],
) -> str:
    one = all_in_one.get(panel.data)
    facts = [f"{panel.budget:,} questions"]
    facts += [] if one is None else [f"all in one: Jaccard {one:.3f}, ARI 0"]
    flags = {recipe: flag_of(lines, one) for recipe, lines in plots.items()}
    facts += [f"{WHOSE.get(r, r)}: {flag}" for r, flag in flags.items() if flag]
    facts += [] if any(plots.values()) else ["not run"]
    return "; ".join(facts)


def _standing(standing: Standing | None, best: float) -> list[str | Markup]:
    if standing is None:
        return [NOTHING] * len(COLUMNS)
    area = standing.areas["jaccard"]
    return [
        _mean(area, is_best=area.mean == best),
        _mean(standing.areas["ari"]),
        *(f"{standing.ends[metric].mean:.3f}" for metric in METRICS),
        _level(standing.levels[AT_0_9]),
        f"{standing.seconds:.2g}",
    ]


def _mean(found: Interval, *, is_best: bool = False) -> Markup:
    mean = element("b" if is_best else "span", f"{found.mean:.3f}")
    if not found.is_known:
        return mean
    return mean + element("span", f" ± {found.half:.3f}", class_="faint")


def _level(level: Level) -> str:
    return f"{'' if level.by_all else '>'}{level.questions:,.0f}"


def _bar(share: float) -> Markup:
    return element("i", class_="bar", style=f"--share:{share:.3f}", aria_hidden="true")


def claims_table(judged: Sequence[Judged]) -> Markup:
    """Return claims with what was found of each, recipes and metrics side by side."""
    numbered = list(enumerate(judged, start=1))
    bodies = [
        _claims_body(source, [x for x in numbered if x[1].claim.source is source])
        for source in Source
    ]
    recipes = dict.fromkeys(recipe for recipe, _ in judged[0].found) if judged else {}
    return grouped_table(
        [WHOSE.get(recipe, recipe) for recipe in recipes],
        ["claim", *(SHORT[metric] for metric in METRICS)],
        *bodies,
        class_="glance",
    )


def _claims_body(source: Source, numbered: Sequence[tuple[int, Judged]]) -> Markup:
    if not numbered:
        return nothing()
    columns = list(numbered[0][1].found)
    rows = [
        row(
            [
                element("a", f"{number}. {one.claim.title}", href=f"#claim-{number}"),
                *(_finding(one.found[column]) for column in columns),
            ]
        )
        for number, one in numbered
    ]
    head = element("th", HEADS[source], colspan=str(1 + len(columns)))
    found = [one for _, one in numbered]
    total = row(["in all", *(tally_of(found, column) for column in columns)])
    last = [total] if source is Source.PAPER else []
    return element("tbody", element("tr", head, class_="panel"), *rows, *last)


HEADS = {
    Source.PAPER: "Sixteen claims of the paper",
    Source.BESIDE: "Others that it makes beside them",
    Source.CONTROL: "Not the paper's: a control that nobody has published",
    Source.OURS: "Not the paper's: this project's own method",
}


def column_of(column: tuple[str, str]) -> str:
    """Return the head of a column of findings.

    Examples
    --------
    >>> column_of(("paper", "ari"))
    "the paper's recipe: ARI"
    """
    recipe, metric = column
    return f"{WHOSE.get(recipe, recipe)}: {SHORT[metric]}"


def tally_of(judged: Iterable[Judged], column: tuple[str, str]) -> str:
    """Return how many claims came to each finding, in words."""
    found = [one.found[column].finding for one in judged]
    return ", ".join(f"{f.value}: {found.count(f)}" for f in Finding if f in found)


def _finding(found: Found) -> Markup:
    if not found.cases:
        return badge(found.finding)
    return badge(found.finding) + element("span", found.counts, class_="counts")


def badge(finding: Finding) -> Markup:
    """Return a finding as a small sign."""
    return element("span", finding.value, class_=f"badge {finding.name.lower()}")


def cases_table(judged: Judged) -> Markup:
    """Return every case of a claim, recipes and metrics side by side."""
    columns = [column for column, found in judged.found.items() if found.cases]
    by_name = {
        column: {case.name: case for case in judged.found[column].cases}
        for column in columns
    }
    names = dict.fromkeys(name for cases in by_name.values() for name in cases)
    rows = []
    for name in names:
        cells: list[str | Markup] = [name]
        for column in columns:
            case = by_name[column].get(name)
            cells.append(NOTHING if case is None else _case(case))
        rows.append(cells)
    return plain_table(["case", *map(column_of, columns)], rows, class_="cases")


def _case(case: Case) -> Markup:
    sign = element("b", case.shown.value, class_=f"shown {case.shown.value}")
    closest = f" {case.closest}" if case.closest else ""
    below = element("span", f"{case.difference.bounds}{closest}", class_="counts")
    return sign + element("span", f" {case.difference.mean:+.3f}") + below


def diagnoses_table(found: Sequence[Diagnosis]) -> Markup:
    """Return what scores predict, recipes side by side."""
    recipes = list(dict.fromkeys(one.recipe for one in found))
    by_key = {(one.data, one.what, one.recipe): _effects(one) for one in found}
    none: list[str | Markup] = [NOTHING] * len(EFFECTS)
    bodies = []
    for data in dict.fromkeys(one.data for one in found):
        span = str(1 + len(EFFECTS) * len(recipes))
        title = element("tr", element("th", data, colspan=span), class_="panel")
        rows = [
            row(
                [what, *(c for r in recipes for c in by_key.get((data, what, r), none))]
            )
            for what in SCORES
        ]
        bodies.append(element("tbody", title, *rows))
    whose = [WHOSE.get(recipe, recipe) for recipe in recipes]
    header = ["score", "vectors", "subspace", "Jaccard", "ARI"]
    return grouped_table(whose, header, *bodies, class_="numbers")


def _effects(one: Diagnosis) -> list[str | Markup]:
    found: list[Interval] = [getattr(one, effect) for effect in EFFECTS]
    return [_mean(interval) if interval.n else NOTHING for interval in found]


def ablations_table(figure: Figure, curves: Curves) -> Markup:
    """Return what single steps away from the paper's recipe change, by method."""
    parts = [
        element("h3", f"{method}, {SHORT[metric]}")
        + _steps(figure, curves, method, metric)
        for method in figure.methods
        for metric in METRICS
    ]
    return sum(parts, nothing())


def _change(step: Step) -> Markup:
    return element("span", str(step.difference), class_="counts")


def _steps(figure: Figure, curves: Curves, method: str, metric: str) -> Markup:
    found = steps_of(figure, curves, method, metric)
    where = dict.fromkeys(title for steps in found.values() for title in steps)
    rows = []
    for recipe, steps in found.items():
        cells: list[str | Markup] = [recipe]
        for title in where:
            step = steps.get(title)
            if step is None:
                cells.append(NOTHING)
            elif recipe == "paper":
                cells.append(_mean(step.area))
            else:
                cells.append(element("span", f"{step.area.mean:.3f}") + _change(step))
        rows.append(cells)
    return plain_table(["recipe", *where], rows, class_="steps")
