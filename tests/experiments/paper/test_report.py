"""The page that shows the evaluation, and its digest."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from html.parser import HTMLParser
from math import inf, nan
from pathlib import Path

from tests.outcomes import flat, outcome, rising

from likewise.datasets import DATASETS
from likewise.experiments._trials import Failure, Trial
from likewise.experiments.paper import Evaluation, Figure, publish
from likewise.experiments.paper._claims import claims_of
from likewise.experiments.paper._diagnostic import Diagnosis, State
from likewise.experiments.paper._digest import digest_of
from likewise.experiments.paper._figures import draw_figure
from likewise.experiments.paper._intervals import Interval, interval_of
from likewise.experiments.paper._plans import Line, Panel
from likewise.experiments.paper._provenance import Facts, Provenance
from likewise.experiments.paper._report import Report, html_of, substitutions

BOTH = ("paper", "ours")
WINE, SONAR = Panel("wine", 100), Panel("<sonar>", 60)
FIGURE = Figure(
    "variants",
    "Mine & yours",
    "About <it>.",
    (WINE, SONAR),
    ("urasc+n", "random", "<b>"),
    recipes=BOTH,
)
STEPS = Figure(
    "ablations",
    "Single steps",
    "About steps.",
    (WINE,),
    ("urasc+n",),
    kind="table",
    recipes=("paper", "graph"),
)
RUNS = [
    outcome(FIGURE, WINE, line, curve, seed)
    for line in FIGURE.lines
    for curve in [flat(0.3) if line.method == "random" else rising(0, 1)]
    for seed in (0, 1, 2)
]
RUNS += [
    outcome(STEPS, WINE, Line("urasc+n", recipe="graph"), flat(0.5), seed)
    for seed in (0, 1, 2)
]
FIGURES = [FIGURE, Figure("noise", "Not run", "", (WINE,), ("d",)), STEPS]
PROVENANCE = Provenance(
    commit="abc123",
    versions={"numpy": "<2>"},
    python="3.11",
    processor="A processor",
    cores=2,
    seconds=7200,
    worked=9000,
    trials=12,
    repeats=3,
    sets={"wine": Facts(178, (71, 59, 48), 0.336, "0f" * 32)},
    recipes={"paper": "As the paper has it."},
)
VOID = {"meta", "img"}


class Page(HTMLParser):
    """Collects what a page is made of, and sees that all elements are closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    def values(self, attribute: str) -> Iterator[str]:
        for _, attributes in self.elements:
            if (value := attributes.get(attribute)) is not None:
                yield value


def report_in(folder: Path) -> Report:
    return Report(
        figures=FIGURES,
        outcomes=RUNS,
        judged=claims_of(FIGURES, RUNS),
        pictures={"variants": draw_figure(FIGURE, RUNS, folder, {"wine": 0.3})},
        provenance=[PROVENANCE],
        failures=[Failure(Trial("wine", "c", 4, 100), "ValueError: 1 < 2")],
        left_out=["asc is not for 3 classes (wine)."],
    )


def test_a_report_needs_nothing_else(tmp_path: Path) -> None:
    text = html_of(report_in(tmp_path))
    page = Page(text)

    assert not page.open
    assert all(source.startswith("data:image/png") for source in page.values("src"))
    assert all(link.startswith("#") for link in page.values("href"))
    assert not {"link", "script", "iframe"} & {tag for tag, _ in page.elements}
    assert "url(" not in text
    assert "@import" not in text


def test_every_picture_is_there_with_words_for_those_who_do_not_see_it(
    tmp_path: Path,
) -> None:
    page = Page(html_of(report_in(tmp_path)))

    images = [attributes for tag, attributes in page.elements if tag == "img"]
    assert len(images) == len(FIGURE.metrics)
    for image in images:
        assert "Largest mean area, the paper's recipe: urasc+n." in str(image["alt"])


def test_links_lead_somewhere_and_names_are_given_once(tmp_path: Path) -> None:
    page = Page(html_of(report_in(tmp_path)))

    names = list(page.values("id"))
    assert len(set(names)) == len(names)
    assert {link.removeprefix("#") for link in page.values("href")} <= set(names)


def test_what_is_shown_is_escaped(tmp_path: Path) -> None:
    text = html_of(report_in(tmp_path))
    shown = "".join(Page(text).text)

    for words in ("Mine & yours", "About <it>.", "<sonar>", "<2>", "1 < 2"):
        assert words in shown
        assert words not in text


def test_the_tables_hold_the_numbers(tmp_path: Path) -> None:
    page = Page(html_of(report_in(tmp_path)))
    shown = "".join(page.text)

    for words in ("0.300", "± 0.000", ">100", "all in one: Jaccard 0.336", "not run"):
        assert words in shown
    assert "asc is not for 3 classes (wine)." in page.text
    assert "wine, c, k known, 0 % wrong, recipe ours, repeat 4: ValueError" in shown


def test_the_page_says_where_its_numbers_come_from(tmp_path: Path) -> None:
    shown = "".join(Page(html_of(report_in(tmp_path))).text)

    for words in ("abc123", "A processor, 2 cores", "2.00 h", "As the paper has it."):
        assert words in shown
    assert "0f" * 8 in shown


def test_each_claim_stands_beside_what_was_found(tmp_path: Path) -> None:
    shown = "".join(Page(html_of(report_in(tmp_path))).text)

    assert "The paper says: On every set, and often by far." in shown
    assert "the paper's recipe: ARI: in part 1 yes, 0 no, 0 open" in shown
    assert "wine: urasc+n against random" in shown


def test_single_steps_are_a_table_with_differences(tmp_path: Path) -> None:
    text = html_of(report_in(tmp_path))
    shown = "".join(Page(text).text)

    assert "About steps." in shown
    assert "0.500+0.1" in shown  # the difference is a line of its own
    assert 'id="figure-ablations"' not in text


def test_the_best_area_is_bold(tmp_path: Path) -> None:
    text = html_of(report_in(tmp_path))

    assert "<b>0.304</b>" in text
    assert "<span>0.300</span>" in text
    assert "<b>0.300</b>" not in text


def test_without_repeats_the_page_says_that_all_is_open(tmp_path: Path) -> None:
    runs = [run for run in RUNS if run.trial.seed == 0]

    text = html_of(Report([FIGURE], runs, claims_of([FIGURE], runs)))

    assert "all cases are open" in text
    assert "all cases are open" not in html_of(report_in(tmp_path))


def test_a_quick_run_is_called_one() -> None:
    pages = [
        html_of(Report([], [], [], provenance=[replace(PROVENANCE, is_quick=is_quick)]))
        for is_quick in (True, False)
    ]

    assert ["A quick run" in page for page in pages] == [True, False]


def test_an_empty_evaluation_is_a_page() -> None:
    assert not Page(html_of(Report([], [], claims_of([], [])))).open


def test_what_stands_for_a_set_of_the_paper_is_a_data_set() -> None:
    named = {name for entry in substitutions() for name in entry["here"]}

    assert named <= set(DATASETS)
    assert {"face-1", "leaf", "dog", "cho", "wine"} <= named


def test_the_digest_has_claims_means_and_steps() -> None:
    text = digest_of(FIGURES, RUNS, claims_of(FIGURES, RUNS))

    for words in (
        "| 3. URASC is above random pairs everywhere | in part (1 / 0 / 0) |",
        "| random | 1 | 0.300 ± 0.000 |",
        "### urasc+n, ARI",
        "| graph | 0.500: +0.1",
    ):
        assert words in text
    widths = {
        len({line.count("|") for line in part.splitlines()})
        for part in text.split("\n\n")
        if part.startswith("|")
    }
    assert widths == {1}  # as many cells in each line of a table


def test_a_diagnostic_is_a_section_with_its_command(tmp_path: Path) -> None:
    empty = Interval(nan, -inf, inf, 0)
    some = interval_of([0.36, 0.30, 0.42])
    row = Diagnosis("sonar", "paper", "gradient x step", some, some, empty, some)
    plan = Figure(
        "diagnostic", "A score", "What it says.", (WINE,), ("d",), kind="diagnostic"
    )
    report = replace(report_in(tmp_path), diagnoses=[row], figures=[plan])

    shown = "".join(Page(html_of(report)).text)

    for words in ("What it says.", "gradient x step", "0.360 ± 0.149"):
        assert words in shown
    assert "likewise reproduce diagnostic --data DIR --out DIR" in shown
    digest = digest_of([plan], [], [], [row])
    assert "| sonar | paper | gradient x step | 0.360 ± 0.149 |" in digest
    assert "nan" not in digest


def test_publishing_writes_page_digest_and_figures(tmp_path: Path) -> None:
    found = Evaluation(
        tuple(FIGURES),
        3,
        {run.trial: run for run in RUNS},
        provenance=(PROVENANCE,),
    )

    beside = tmp_path / "beside"
    beside.mkdir()
    values = ["sonar,paper,0,10,gradient x step,0.1234,0.2,0.3,0.4", ""]
    header = ",".join(field.name for field in fields(State))
    (beside / "diagnostic.csv").write_text("\n".join([header, *values]), "utf-8")

    figures = (FIGURE, STEPS)
    written = publish(replace(found, figures=figures), None, tmp_path, [beside])

    assert "0.123" in (tmp_path / "report.html").read_text("utf-8")
    names = {path.name for path in written}
    assert {"report.html", "claims.md"} <= names
    assert all(path.stat().st_size > 500 for path in written)
