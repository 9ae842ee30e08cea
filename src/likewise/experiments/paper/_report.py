"""The evaluation on one page: figures, tables, claims, settings, nothing fetched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from likewise.experiments.paper._findings import Claim, Finding
from likewise.experiments.paper._markup import (
    Markup,
    bullets,
    element,
    picture,
    plain_table,
)
from likewise.experiments.paper._outcomes import Curves, curves_of, ranking_of
from likewise.experiments.paper._plans import Figure
from likewise.experiments.paper._tables import tables_of
from likewise.experiments.paper._trials import Failure, Outcome

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
