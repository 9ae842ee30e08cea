"""The evaluation on one page: claims, figures, tables, settings, nothing fetched."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from likewise.errors import MissingDataError
from likewise.experiments._trials import Failure, Outcome
from likewise.experiments.paper._claims import RULE, claims_of
from likewise.experiments.paper._diagnostic import (
    FILE,
    Diagnosis,
    diagnoses,
    read_states,
)
from likewise.experiments.paper._digest import digest_of
from likewise.experiments.paper._evaluate import Evaluation
from likewise.experiments.paper._figures import draw_figure
from likewise.experiments.paper._findings import Found, Judged, Source
from likewise.experiments.paper._intervals import FEWEST, Shown
from likewise.experiments.paper._markup import (
    Markup,
    bullets,
    element,
    nothing,
    picture,
    plain_table,
)
from likewise.experiments.paper._outcomes import Curves, curves_of, ranking_of
from likewise.experiments.paper._plans import Figure
from likewise.experiments.paper._provenance import Facts, Provenance
from likewise.experiments.paper._qualitative import draw_pictures
from likewise.experiments.paper._tables import (
    NOTHING,
    WHOSE,
    ablations_table,
    badge,
    cases_table,
    claims_table,
    column_of,
    diagnoses_table,
    tables_of,
)

CSS = Path(__file__).with_name("report.css")
SUBSTITUTIONS = Path(__file__).with_name("substitutions.toml")
TITLE = "Active clustering, evaluated"
STEPS = (
    "The paper's recipe with one thing changed at a time. Cells: the mean area and, "
    "behind it, the difference from the paper's recipe, repeat by repeat, with its "
    "95 % interval. The first row is the paper's recipe itself."
)
READ = (
    "Spearman's correlation, 1 where the score puts the samples in the order of what "
    "placing them does, 0 where it says nothing; means over states and repeats, ± half "
    "of the 95 % interval over the repeats. Vectors: the way that the eigenvectors "
    "move; subspace: how far the space that they span turns; Jaccard and ARI: what the "
    "labels gain."
)
BANDS = (
    "Curves: means over the repeats; bands: their 95 % intervals (none with fewer than "
    "three). Each panel stands once for each recipe; methods on which a recipe has no "
    "bearing are the same in both. In brackets, why a plot cannot show much: it starts "
    "as one big cluster (before any question urasc+n is within 0.02 of the Jaccard "
    "coefficient of one big cluster, and its ARI is below 0.05), it starts at 1.00, or "
    "no curve reaches 0.1."
)


@dataclass(frozen=True)
class Report:
    """What the page shows.

    Attributes
    ----------
    figures : sequence of Figure
    outcomes : sequence of Outcome
    judged : sequence of Judged
        The claims, with what was found of them.
    pictures : mapping of str to sequence of Path
        For each name of a figure what was drawn of it; the PNG files are shown.
    provenance : sequence of Provenance
        One for each stretch of work.
    failures : sequence of Failure
    left_out : sequence of str
        What was not run, and why, in sentences.
    diagnoses : sequence of Diagnosis
    """

    figures: Sequence[Figure]
    outcomes: Sequence[Outcome]
    judged: Sequence[Judged]
    pictures: Mapping[str, Sequence[Path]] = field(default_factory=dict)
    provenance: Sequence[Provenance] = ()
    failures: Sequence[Failure] = ()
    left_out: Sequence[str] = ()
    diagnoses: Sequence[Diagnosis] = ()

    @property
    def sets(self) -> dict[str, Facts]:
        """What is known of each data set."""
        return {name: f for one in self.provenance for name, f in one.sets.items()}

    @property
    def drawn(self) -> list[Figure]:
        """The figures that are pictures; the others are tables."""
        return [f for f in self.figures if f.kind in ("curves", "pictures")]


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
        _substitutions(report),
        *(_figure_section(report, figure) for figure in report.drawn),
        _claims_section(report.judged),
        _ablations(report),
        _diagnostic(report),
        _provenance(report),
        _gaps(report),
    )
    body = element("body", _contents(report), main)
    return "<!doctype html>\n" + element("html", head, body, lang="en").text + "\n"


def _contents(report: Report) -> Markup:
    links = {
        "summary": "Summary",
        "substitutions": "What stands for what",
        **{f"figure-{figure.name}": figure.title for figure in report.drawn},
        "claims": "Claims, one by one",
        "ablations": "One step at a time",
        "diagnostic": "What the score predicts",
        "provenance": "Where this comes from",
        "gaps": "Left out and failed",
    }
    items = [element("a", text, href=f"#{name}") for name, text in links.items()]
    return element("nav", bullets(items), aria_label="Contents")


def _summary(report: Report) -> Markup:
    sets = {outcome.trial.data for outcome in report.outcomes}
    methods = {outcome.trial.method for outcome in report.outcomes}
    repeats = {outcome.trial.seed for outcome in report.outcomes}
    counts = (
        f"{len(report.outcomes):,} simulated sessions of {len(methods)} methods on "
        f"{len(sets)} data sets, {len(repeats)} repeats each on another 90 % of the "
        f"samples; {len(report.failures)} failed."
    )
    notes = []
    if len(repeats) < FEWEST:
        notes.append("With fewer than three repeats there are no intervals: all cases "
                     "are open.")  # fmt: skip
    if any(one.is_quick for one in report.provenance):
        notes.append("A quick run, with a part of the questions: a look, no finding.")
    ran = any(one.was_run for one in report.judged)
    return element(
        "section",
        element("h1", TITLE),
        element("p", counts, class_="lead"),
        *(element("p", element("b", note)) for note in notes),
        claims_table(report.judged) if ran else nothing(),
        element("p", "Each cell: the finding, and how many cases are yes / no / open. ",
                element("a", "How a finding comes about.", href="#claims"),
                class_="faint") if ran else nothing(),
        id="summary",
    )  # fmt: skip


def _substitutions(report: Report) -> Markup:
    used = {panel.data for figure in report.figures for panel in figure.panels}
    rows = [
        (
            entry["paper"],
            ", ".join(name for name in entry["here"] if name in used) or NOTHING,
            entry["facts"],
            entry["differs"],
        )
        for entry in substitutions()
    ]
    about = (
        "The paper's data are in part not to be had. What it evaluated on, what stands "
        "for it here, and how they differ; named are the sets of these plans."
    )
    header = ["the paper", "in these plans", "what it is", "differs in"]
    return element(
        "section",
        element("h2", "What stands for what"),
        element("p", about),
        plain_table(header, rows, class_="words"),
        id="substitutions",
    )


def substitutions() -> list[Mapping[str, Any]]:
    """Return what the paper evaluated on, and what stands for it here."""
    found = tomllib.loads(SUBSTITUTIONS.read_text(encoding="utf-8"))
    return list(found["set"])


def _figure_section(report: Report, figure: Figure) -> Markup:
    curves = curves_of(figure, report.outcomes)
    drawn = [p for p in report.pictures.get(figure.name, ()) if p.suffix == ".png"]
    shown = [
        element("figure", picture(path, _alt(figure, path, curves))) for path in drawn
    ]
    floors = {name: facts.all_in_one for name, facts in report.sets.items()}
    empty = not curves and not drawn
    return element(
        "section",
        element("h2", figure.title),
        element("p", figure.about),
        *shown,
        element("p", BANDS, class_="faint") if curves else nothing(),
        tables_of(figure, curves, floors) if curves else nothing(),
        element("p", "Not run.", class_="faint") if empty else nothing(),
        id=f"figure-{figure.name}",
    )


def _alt(figure: Figure, path: Path, curves: Curves) -> str:
    panels = ", ".join(panel.title for panel in figure.panels)
    words = [f"{figure.title} ({path.stem}): {panels}."]
    for recipe in figure.recipes if curves else ():
        best = next(iter(ranking_of(figure, curves, recipe)), None)
        if best is not None:
            name = best.line.title
            words.append(f"Largest mean area, {WHOSE.get(recipe, recipe)}: {name}.")
    return " ".join(words)


def _claims_section(judged: Sequence[Judged]) -> Markup:
    items = [_claim(number, one) for number, one in enumerate(judged, start=1)]
    title = element("h2", "Claims, one by one")
    return element("section", title, element("p", RULE), *items, id="claims")


def _claim(number: int, one: Judged) -> Markup:
    claim = one.claim
    says = {Source.OURS: "Said here: ", Source.CONTROL: "Asked here: "}
    who = says.get(claim.source, "The paper says: ")
    found = [
        element("li", f"{column_of(column)}: ", badge(found.finding), _counted(found))
        for column, found in one.found.items()
    ]
    absent = dict.fromkeys(name for f in one.found.values() for name in f.absent)
    gone = f"Not run: {', '.join(absent)}." if absent and one.was_run else ""
    cases = element("details", element("summary", "All cases"), cases_table(one))
    return element(
        "article",
        element("h3", f"{number}. {claim.title}"),
        element("p", element("b", who), claim.said),
        element("p", element("b", "Measured: "), claim.reading),
        element("ul", *found, class_="found") if one.was_run else _not_run(),
        element("p", gone, class_="faint") if gone else nothing(),
        cases if one.was_run else nothing(),
        id=f"claim-{number}",
    )  # fmt: skip


def _counted(found: Found) -> str:
    yes, no, unsure = (found.count(shown) for shown in Shown)
    return f" {yes} yes, {no} no, {unsure} open" if found.cases else ""


def _not_run() -> Markup:
    return element("p", "Nothing that bears on it was run.", class_="faint")


def _ablations(report: Report) -> Markup:
    plans = [figure for figure in report.figures if figure.kind == "table"]
    curves = [curves_of(plan, report.outcomes) for plan in plans]
    parts = [
        element("p", plan.about) + ablations_table(plan, found)
        for plan, found in zip(plans, curves, strict=True)
        if found
    ]
    return element(
        "section",
        element("h2", "One step at a time"),
        element("p", STEPS if parts else "Not run."),
        *parts,
        id="ablations",
    )


def _diagnostic(report: Report) -> Markup:
    plans = [figure for figure in report.figures if figure.kind == "diagnostic"]
    about = [element("p", plan.about) for plan in plans]
    command = element("code", "likewise reproduce diagnostic --data DIR --out DIR")
    found = report.diagnoses
    return element(
        "section",
        element("h2", "What the score predicts"),
        *about,
        diagnoses_table(found) if found else element("p", "Not run.", class_="faint"),
        element("p", READ, class_="faint") if found else nothing(),
        element("p", "The command: ", command, "."),
        id="diagnostic",
    )


def _provenance(report: Report) -> Markup:
    stretches = [
        (
            f"{number}",
            one.date,
            one.commit[:12] + ("-dirty" if one.commit.endswith("-dirty") else ""),
            f"{one.processor}, {one.cores} cores",
            f"{one.trials:,}",
            f"{one.seconds / 3600:.2f} h",
            f"{one.worked / 3600:.2f} h",
            ", ".join([*(f"{n} {v}" for n, v in one.versions.items()),
                       f"Python {one.python}"]),
        )
        for number, one in enumerate(report.provenance, start=1)
    ]  # fmt: skip
    header = ["", "day", "commit", "machine", "sessions", "time", "core time"]
    header = [*header, "versions"]
    data = [
        (name, f"{facts.n:,}", f"{facts.k}", f"{facts.all_in_one:.3f}", _code(facts))
        for name, facts in sorted(report.sets.items())
    ]
    about = ["data set", "samples", "classes", "Jaccard, all in one", "sha256"]
    return element(
        "section",
        element("h2", "Where this comes from"),
        plain_table(header, stretches, class_="words") if stretches else _unknown(),
        element("h3", "Recipes") if report.provenance else nothing(),
        plain_table(["recipe", "what it is"], _recipes(report), class_="words"),
        element("h3", "Settings"),
        plain_table(["setting", "value"], list(settings_of(report).items())),
        *([element("h3", "Data"), plain_table(about, data)] if data else []),
        id="provenance",
    )


def _code(facts: Facts) -> Markup:
    return element("code", facts.sha256[:16], title=facts.sha256)


def _unknown() -> Markup:
    return element(
        "p", "Nothing says by which program and where the results were made."
    )


def _recipes(report: Report) -> list[tuple[str, str]]:
    found = {name: about for one in report.provenance
             for name, about in one.recipes.items()}  # fmt: skip
    return list(found.items())


def settings_of(report: Report) -> dict[str, str]:
    """Return what one has to know to make the same figures again."""
    figures = [f for f in report.figures if f.kind in ("curves", "table")]
    budgets = {p.data: p.budget for figure in figures for p in figure.panels}
    listed = {figure.shortlist for figure in figures} - {0}
    opened = [figure.name for figure in figures if figure.opening != "none"]
    return {
        "command": "likewise reproduce --data DIR --out DIR",
        "repeats": str(len({outcome.trial.seed for outcome in report.outcomes})),
        "questions": ", ".join(f"{name} {b:,}" for name, b in budgets.items()),
        "shortlist b of urasc+n and urasc+p": ", ".join(map(str, listed)) or "none",
        "opened by farthest-first exploration": ", ".join(opened) or "none",
        "scores": "at 25 evenly spaced and some log-spaced numbers of questions; a "
        "level counts as reached at the first of them",
    }


def _gaps(report: Report) -> Markup:
    failed = [
        f"{f.trial.data}, {f.trial.method}, k {f.trial.k}, "
        f"{100 * f.trial.noise:.2g} % wrong, recipe {f.trial.recipe}, repeat "
        f"{f.trial.seed}: {f.reason}"
        for f in report.failures
    ]
    gaps = [*report.left_out, *failed]
    return element(
        "section",
        element("h2", "Left out and failed"),
        bullets(gaps) if gaps else element("p", "Nothing."),
        id="gaps",
    )


def publish(
    found: Evaluation, data: Path | None, out: Path, beside: Sequence[Path] = ()
) -> list[Path]:
    """Draw every figure, and write the report and, as Markdown, the findings.

    Parameters
    ----------
    found : Evaluation
    data : Path or None
        The data folder, for pictures of the samples themselves.
    out : Path
        The folder to write to: figures, ``report.html``, ``claims.md``.
    beside : sequence of Path
        Folders that may hold a diagnostic, besides `out`.

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
    judged = claims_of(found.figures, outcomes)
    states = [s for folder in (out, *beside) for s in read_states(folder / FILE)]
    scores = diagnoses({(s.session, s.mark, s.what): s for s in states}.values())
    report = Report(
        found.figures,
        outcomes,
        judged,
        pictures,
        found.provenance,
        found.failures,
        left_out,
        scores,
    )
    texts = {
        out / "report.html": html_of(report),
        out / "claims.md": digest_of(found.figures, outcomes, judged, scores),
    }
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8")
    return [*(p for paths in pictures.values() for p in paths), *texts]


def _draw(
    figure: Figure, found: Evaluation, data: Path | None, out: Path
) -> list[Path]:
    if figure.kind == "pictures":
        return draw_pictures(figure, data, out)
    if figure.kind == "curves":
        outcomes = list(found.outcomes.values())
        return draw_figure(figure, outcomes, out, found.all_in_one)
    return []  # a table
