"""The page that shows the evaluation."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

from tests.outcomes import flat, outcome, rising

from likewise.experiments._trials import Failure, Trial
from likewise.experiments.paper import Figure
from likewise.experiments.paper._claims import claims_of
from likewise.experiments.paper._figures import draw_figure
from likewise.experiments.paper._plans import Panel
from likewise.experiments.paper._report import Report, html_of, write_report

WINE, SONAR = Panel("wine", 100), Panel("<sonar>", 60)
FIGURE = Figure("variants", "Mine & yours", "About <it>.", (WINE, SONAR), ("<b>", "c"))
RUNS = [
    outcome(FIGURE, WINE, line, curve, seed)
    for line, curve in zip(FIGURE.lines, (rising(0, 1), flat(0.3)), strict=True)
    for seed in (0, 1)
]
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
        figures=[FIGURE, Figure("noise", "Not run", "", (WINE,), ("d",))],
        outcomes=RUNS,
        claims=claims_of([FIGURE], RUNS),
        pictures={"variants": draw_figure(FIGURE, RUNS, folder, {"wine": 0.3})},
        all_in_one={"wine": 0.336},
        settings={"seeds": "2", "numpy": "<2>"},
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
    assert len(images) == 1
    assert "Largest mean area: <b>" in str(images[0]["alt"])


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
    assert "wine, c, k known, 0 % wrong, seed 4: ValueError: 1 < 2" in shown


def test_the_best_area_is_bold(tmp_path: Path) -> None:
    text = html_of(report_in(tmp_path))

    assert "<b>0.304</b>" in text
    assert "<span>0.300</span>" in text
    assert "<b>0.300</b>" not in text


def test_an_empty_evaluation_is_a_page(tmp_path: Path) -> None:
    path = tmp_path / "report.html"

    write_report(path, Report([], [], [], {}, {}))

    assert not Page(path.read_text(encoding="utf-8")).open
