"""From an evaluation to what people look at: pictures and one report."""

from __future__ import annotations

import importlib.metadata
import platform
from pathlib import Path

from likewise.errors import MissingDataError
from likewise.experiments.paper._claims import claims_of
from likewise.experiments.paper._figures import draw_figure
from likewise.experiments.paper._plans import Figure
from likewise.experiments.paper._qualitative import draw_pictures
from likewise.experiments.paper._report import Report, write_report
from likewise.experiments.paper._reproduce import Evaluation

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
        "sessions behind each curve": str(found.seeds),
        "questions": ", ".join(f"{name} {b:,}" for name, b in budgets.items()),
        "affinity": ", ".join(sorted({figure.affinity for figure in figures})),
        "shortlist b of urasc+n and urasc+p": ", ".join(map(str, listed)) or "none",
        "opened by farthest-first exploration": ", ".join(opened) or "none",
        "scores": "at 50 evenly spaced and some log-spaced numbers of questions; a "
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
