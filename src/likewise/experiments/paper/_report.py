"""The evaluation on one page: figures, tables, claims, settings, nothing fetched."""

from __future__ import annotations

import importlib.metadata
import platform
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from likewise.errors import MissingDataError
from likewise.experiments._trials import LEVELS, Failure, Outcome
from likewise.experiments.paper._claims import claims_of
from likewise.experiments.paper._evaluate import Evaluation
from likewise.experiments.paper._figures import draw_figure
from likewise.experiments.paper._findings import Claim, Finding
from likewise.experiments.paper._outcomes import (
    Curves,
    Level,
    Standing,
    curves_of,
    on_plot,
    ranking_of,
    standing_of,
)
from likewise.experiments.paper._plans import Figure, Line, Panel
from likewise.experiments.paper._qualitative import draw_pictures


@dataclass(frozen=True, slots=True)
class Markup:
    """Text that is HTML already.

    Attributes
    ----------
    text : str
    """

    text: str

    def __add__(self, other: Markup) -> Markup:
        return Markup(self.text + other.text)


def element(name: str, *content: str | Markup, **attributes: str) -> Markup:
    """Return an element; plain text in it is escaped.

    Parameters
    ----------
    name : str
    *content : str or Markup
    **attributes : str
        ``class_`` stands for ``class``, ``aria_label`` for ``aria-label``.

    Examples
    --------
    >>> element("p", "1 < 2", class_="small").text
    '<p class="small">1 &lt; 2</p>'
    """
    inside = "".join(c.text if isinstance(c, Markup) else escape(c) for c in content)
    return Markup(f"<{name}{_attributes(attributes)}>{inside}</{name}>")


def picture(path: Path, alt: str) -> Markup:
    """Return a PNG file as an image that needs no file."""
    data = b64encode(path.read_bytes()).decode("ascii")
    about = {"alt": alt, "src": f"data:image/png;base64,{data}"}
    return Markup(f"<img{_attributes(about)}>")


def bullets(items: Iterable[str | Markup]) -> Markup:
    """Return a list."""
    return element("ul", *(element("li", item) for item in items))


def row(cells: Sequence[str | Markup], *, kind: str = "td") -> Markup:
    """Return a row of a table, whose first cell is its head."""
    first = element("th", cells[0], scope="row" if kind == "td" else "col")
    rest = {"scope": "col"} if kind == "th" else {}
    return element("tr", first, *(element(kind, cell, **rest) for cell in cells[1:]))


def table(header: Sequence[str | Markup], *bodies: Markup, **kind: str) -> Markup:
    """Return a table, with room to scroll where it is too wide."""
    head = element("thead", row(header, kind="th"))
    return element("div", element("table", head, *bodies, **kind), class_="wide")


def plain_table(
    header: Sequence[str], rows: Iterable[Sequence[str | Markup]], **kind: str
) -> Markup:
    """Return a table of one part."""
    return table(header, element("tbody", *(row(cells) for cells in rows)), **kind)


def _attributes(attributes: dict[str, str]) -> str:
    named = (
        (name.rstrip("_").replace("_", "-"), value)
        for name, value in attributes.items()
    )
    return "".join(f' {name}="{escape(value)}"' for name, value in named)


NOTHING = "–"
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
            rank.line.recipe,
            f"{rank.plots} of {len(figure.panels)}",
        )
        for rank in ranking_of(curves)
    ]
    header = ["method", "mean area", "recipe", "plots"]
    bodies = [
        _panel_rows(panel, recipe, on_plot(figure, curves, panel, recipe), all_in_one)
        for panel, recipe in figure.plots
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
    recipe: str,
    lines: Mapping[Line, Sequence[Outcome]],
    all_in_one: Mapping[str, float],
) -> Markup:
    one = all_in_one.get(panel.data)
    facts = [f"recipe {recipe}", f"{panel.budget} questions"]
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


CSS = Path(__file__).with_name("report.css")
TITLE = "Active clustering, evaluated"
RULE = (
    "A claim holds when all of its cases come out as claimed (more than half where it "
    "speaks of most cases), holds in part when at least half as many do, and does not "
    "hold otherwise; without some of the methods it speaks of it holds in part at "
    "best. Nothing was tuned to make a claim hold."
)


@dataclass(frozen=True)
class Report:
    """What the page shows.

    Attributes
    ----------
    figures : sequence of Figure
    outcomes : sequence of Outcome
    claims : sequence of Claim
    pictures : mapping of str to sequence of Path
        For each name of a figure what was drawn of it; the PNG files are shown.
    all_in_one : mapping of str to float
        For each data set the Jaccard coefficient of one big cluster.
    settings : mapping of str to str
        What was run and with which versions, shown as it is.
    failures : sequence of Failure
    left_out : sequence of str
        What was not run, and why, in sentences.
    """

    figures: Sequence[Figure]
    outcomes: Sequence[Outcome]
    claims: Sequence[Claim]
    pictures: Mapping[str, Sequence[Path]]
    all_in_one: Mapping[str, float]
    settings: Mapping[str, str] = field(default_factory=dict)
    failures: Sequence[Failure] = ()
    left_out: Sequence[str] = ()


def write_report(path: Path, report: Report) -> None:
    """Write the page into a file that needs no other."""
    path.write_text(html_of(report), encoding="utf-8")


def html_of(report: Report) -> str:
    """Return the page."""
    head = element(
        "head",
        Markup('<meta charset="utf-8">'),
        Markup('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        element("title", TITLE),
        element("style", Markup(CSS.read_text(encoding="utf-8"))),
    )
    main = element(
        "main",
        _summary(report),
        *(_figure_section(report, figure) for figure in report.figures),
        _claims_section(report.claims),
        _settings_section(report),
    )
    body = element("body", _contents(report), main)
    return "<!doctype html>\n" + element("html", head, body, lang="en").text + "\n"


def _contents(report: Report) -> Markup:
    links = {
        "summary": "Summary",
        **{f"figure-{figure.name}": figure.title for figure in report.figures},
        "claims": "Claims",
        "settings": "Settings",
    }
    items = [element("a", text, href=f"#{name}") for name, text in links.items()]
    return element("nav", bullets(items), aria_label="Contents")


def _summary(report: Report) -> Markup:
    sets = {outcome.trial.data for outcome in report.outcomes}
    methods = {outcome.trial.method for outcome in report.outcomes}
    counts = (
        f"{len(report.outcomes)} simulated sessions of {len(methods)} methods on "
        f"{len(sets)} data sets; {len(report.failures)} failed."
    )
    rows = [
        (
            element("a", claim.title, href=f"#claim-{number}"),
            "likewise" if claim.ours else "the paper",
            f"{claim.kept} of {len(claim.cases)}",
            _badge(claim.finding),
        )
        for number, claim in enumerate(report.claims, start=1)
        if claim.finding is not Finding.NOT_RUN
    ]
    untested = len(report.claims) - len(rows)
    glance = plain_table(["claim", "of", "cases", "here"], rows, class_="glance")
    return element(
        "section",
        element("h1", TITLE),
        element("p", counts, class_="lead"),
        glance if rows else Markup(""),
        element("p", f"{untested} of the claims were not put to the test.")
        if untested
        else Markup(""),
        id="summary",
    )


def _figure_section(report: Report, figure: Figure) -> Markup:
    curves = curves_of(figure, report.outcomes)
    drawn = [p for p in report.pictures.get(figure.name, ()) if p.suffix == ".png"]
    shown = [
        element("figure", picture(path, _alt(figure, path, curves))) for path in drawn
    ]
    tables = tables_of(figure, curves, report.all_in_one) if curves else Markup("")
    empty = not curves and not drawn
    return element(
        "section",
        element("h2", figure.title),
        element("p", figure.about),
        *shown,
        tables,
        element("p", "Not run.", class_="faint") if empty else Markup(""),
        id=f"figure-{figure.name}",
    )


def _alt(figure: Figure, path: Path, curves: Curves) -> str:
    panels = ", ".join(panel.title for panel in figure.panels)
    if not curves:
        return f"{figure.title} ({path.stem}): {panels}."
    best = ranking_of(curves)[0].line.title
    return f"{figure.title} ({path.stem}): {panels}. Largest mean area: {best}."


def _claims_section(claims: Sequence[Claim]) -> Markup:
    items = [_claim(number, claim) for number, claim in enumerate(claims, start=1)]
    return element(
        "section", element("h2", "Claims"), element("p", RULE), *items, id="claims"
    )


def _claim(number: int, claim: Claim) -> Markup:
    said = "Said here" if claim.ours else "The paper says"
    rows = [
        (
            case.where,
            f"{case.left} {case.left_value:.3f}",
            f"{case.right} {case.right_value:.3f}",
            f"{case.left_value - case.right_value:+.3f}",
            "yes" if case.holds else element("b", "no"),
        )
        for case in claim.cases
    ]
    header = ["case", "compared", "with", "difference", "as claimed"]
    cases = element(
        "details", element("summary", "All cases"), plain_table(header, rows)
    )
    return element(
        "article",
        element("h3", f"{number}. {claim.title} ", _badge(claim.finding)),
        element("p", element("b", f"{said}: "), claim.said),
        element("p", element("b", "Measured: "), claim.reading, " ", claim.measured),
        cases if rows else Markup(""),
        id=f"claim-{number}",
    )


def _settings_section(report: Report) -> Markup:
    failed = [
        f"{f.trial.data}, {f.trial.method}, k {f.trial.k}, "
        f"{100 * f.trial.noise:.2g} % wrong, seed {f.trial.seed}: {f.reason}"
        for f in report.failures
    ]
    gaps = [*report.left_out, *failed]
    return element(
        "section",
        element("h2", "Settings"),
        plain_table(["setting", "value"], list(report.settings.items())),
        element("h3", "Failed and left out"),
        bullets(gaps) if gaps else element("p", "Nothing."),
        id="settings",
    )


def _badge(finding: Finding) -> Markup:
    return element("span", finding.value, class_=f"badge {finding.name.lower()}")


PACKAGES = ("likewise", "numpy", "scipy", "scikit-learn")


def publish(found: Evaluation, data: Path | None, out: Path) -> list[Path]:
    """Draw every figure and write the report.

    Parameters
    ----------
    found : Evaluation
    data : Path or None
        The data folder, for pictures of the samples themselves.
    out : Path
        The folder to write to.

    Returns
    -------
    list of Path
        What was written.
    """
    pictures: dict[str, list[Path]] = {}
    left_out = list(found.left_out)
    outcomes = list(found.outcomes.values())
    for figure in found.figures:
        try:
            pictures[figure.name] = _draw(figure, found, data, out)
        except MissingDataError as error:
            left_out.append(str(error))
    report = Report(
        found.figures,
        outcomes,
        claims_of(found.figures, outcomes),
        pictures,
        found.all_in_one,
        settings_of(found),
        found.failures,
        left_out,
    )
    write_report(out / "report.html", report)
    return [*(p for paths in pictures.values() for p in paths), out / "report.html"]


def settings_of(found: Evaluation) -> dict[str, str]:
    """Return what one has to know to make the same figures again."""
    figures = [figure for figure in found.figures if figure.kind == "curves"]
    budgets = {p.data: p.budget for figure in figures for p in figure.panels}
    listed = {figure.shortlist for figure in figures} - {0}
    opened = [figure.name for figure in figures if figure.opening != "none"]
    versions = {name: importlib.metadata.version(name) for name in PACKAGES}
    return {
        "sessions behind each curve": str(found.repeats),
        "questions": ", ".join(f"{name} {b:,}" for name, b in budgets.items()),
        "recipes": ", ".join(sorted({r for f in figures for r in f.recipes})),
        "shortlist b of urasc+n and urasc+p": ", ".join(map(str, listed)) or "none",
        "opened by farthest-first exploration": ", ".join(opened) or "none",
        "scores": "at 25 evenly spaced and some log-spaced numbers of questions; a "
        "level counts as reached at the first of them",
        "versions": ", ".join(f"{name} {v}" for name, v in versions.items())
        + f", Python {platform.python_version()}",
    }


def _draw(
    figure: Figure, found: Evaluation, data: Path | None, out: Path
) -> list[Path]:
    if figure.kind == "pictures":
        return draw_pictures(figure, data, out)
    outcomes = list(found.outcomes.values())
    return draw_figure(figure, outcomes, out, found.all_in_one)
