"""``likewise reproduce``, as a researcher uses it."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path

import pytest
from tests.commands import Run

PLAN = """
title = "Irises"
about = "A small figure."
metrics = ["jaccard", "ari"]
methods = ["random", "urasc+n", "asc"]
shortlist = 50

[[panel]]
data = "iris"
budget = 10
"""


@pytest.fixture
def plan(likewise: Run) -> str:
    assert likewise is not None  # it is what makes the folder the present one
    Path("mine.toml").write_text(PLAN)
    return "mine.toml"


def test_it_writes_rows_figures_and_a_report(likewise: Run, plan: str) -> None:
    ran = likewise("reproduce", plan, "--out", "out", "--seeds", "2")

    assert ran.code == 0
    assert "The report is out/report.html." in ran.err
    assert "asc is for 2 classes at most: left out on iris." in ran.err
    for metric in ("jaccard", "ari"):
        assert Path(f"out/mine-{metric}.png").stat().st_size > 1000
        assert Path(f"out/mine-{metric}.svg").read_text().startswith("<?xml")
    assert "Irises" in Path("out/report.html").read_text()
    with Path("out/results.csv").open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert {row["method"] for row in rows} == {"random", "urasc+n"}
    assert {row["metric"] for row in rows} == {"jaccard", "v_measure", "ari"}
    assert {row["recipe"] for row in rows} == {"paper", "ours"}
    assert len(rows) == 2 * 2 * 2 * 3
    assert {len(row["curve"].split()) for row in rows} == {11}


def test_a_second_run_repeats_nothing(likewise: Run, plan: str) -> None:
    likewise("reproduce", plan, "--out", "out", "--seeds", "1")
    before = Path("out/results.csv").read_text()

    likewise("reproduce", plan, "--out", "out", "--seeds", "1")

    assert Path("out/results.csv").read_text() == before


def test_quick_asks_a_fifth_of_three_sessions(likewise: Run, plan: str) -> None:
    ran = likewise("reproduce", plan, "--out", "out", "--quick", "--json")

    with Path("out/results.csv").open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert {row["seed"] for row in rows} == {"0", "1", "2"}
    assert {row["budget"] for row in rows} == {"2"}
    assert "out/report.html" in json.loads(ran.out)["written"]


def test_methods_and_data_sets_can_be_added(likewise: Run, plan: str) -> None:
    likewise(
        "reproduce", plan, "--out", "out", "--quick",
        "--method", "urasc-go", "--also", "wine",
    )  # fmt: skip

    with Path("out/results.csv").open(newline="") as lines:
        found = {(row["data"], row["method"]) for row in csv.DictReader(lines)}
    assert ("wine", "urasc-go") in found


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nothing"], "There is no figure 'nothing'"),
        (["variants", "--method", "magic"], "There is no method 'magic'"),
        (["variants", "--also", "magic"], "There is no data set 'magic'"),
        (["variants", "--jobs", "0"], "--jobs is 1 or more"),
        (["variants", "--recipe", "mine"], "paper, ours or both, not 'mine'"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(
    likewise: Run, words: list[str], said: str
) -> None:
    ran = likewise("reproduce", *words)

    assert ran.code == 2
    assert said in ran.err
    assert "Traceback" not in ran.err


def test_without_a_data_folder_it_shows_what_it_can(likewise: Run) -> None:
    ran = likewise("reproduce", "learning", "qualitative", "--quick", "--out", "out")

    assert ran.code == 0
    assert "needs a data folder" in ran.err
    assert "needs a data folder" in Path("out/report.html").read_text()


def test_kept_results_are_drawn_without_running(likewise: Run, plan: str) -> None:
    likewise("reproduce", plan, "--out", "first", "--quick")
    before = Path("first/report.html").read_text()

    ran = likewise("reproduce", plan, "--kept", "first/results.csv", "--out", "again")

    assert ran.code == 0
    assert Path("again/report.html").read_text() == before
    assert not Path("again/results.csv").exists()


def test_kept_results_of_several_machines_become_one_file(
    likewise: Run, plan: str
) -> None:
    for name in ("ours", "paper"):
        likewise("reproduce", plan, "--out", name, "--quick", "--recipe", name)

    ran = likewise(
        "reproduce", plan, "--out", "both",
        "--kept", "ours/results.csv", "--kept", "paper/results.csv",
    )  # fmt: skip

    assert ran.code == 0
    with Path("both/results.csv").open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert {row["recipe"] for row in rows} == {"paper", "ours"}
    assert len(json.loads(Path("both/provenance.json").read_text())) == 2


def test_what_would_be_run_is_said_and_nothing_is_written(
    likewise: Run, plan: str
) -> None:
    ran = likewise("reproduce", plan, "--dry-run", "--out", "out")
    as_json = likewise("reproduce", plan, "--dry-run", "--json")

    assert ran.code == 0
    assert ran.out.splitlines()[1].split("\t") == ["iris", "150", "3", "2", "40", "400"]
    assert "40 sessions of 400 questions in all, 10 for each curve." in ran.err
    assert "asc is for 2 classes at most" in ran.err
    assert not Path("out").exists()
    assert json.loads(as_json.out)["sets"][0]["questions"] == 400


def test_without_matplotlib_the_results_are_kept(
    likewise: Run, plan: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)

    ran = likewise(
        "reproduce", plan, "--out", "out", "--quick", "--json", "--jobs", "1"
    )

    assert ran.code == 0
    assert "likewise reproduce --kept out/results.csv --out out" in ran.err
    assert json.loads(ran.out)["written"] == ["out/results.csv"]
    assert Path("out/results.csv").is_file()


DIAGNOSTIC = """
title = "Irises"
about = "A small diagnostic."
kind = "diagnostic"
methods = ["urasc+n"]
marks = [5]

[[panel]]
data = "iris"
budget = 5
"""


def test_a_diagnostic_is_worked_out_once_and_shown(likewise: Run) -> None:
    Path("scores.toml").write_text(DIAGNOSTIC)
    command = ("reproduce", "scores.toml", "--out", "out", "--seeds", "1")

    ran = likewise(*command, "--recipe", "paper", "--jobs", "1")
    before = Path("out/diagnostic.csv").read_text()
    again = likewise(*command, "--recipe", "paper", "--jobs", "1")

    assert (ran.code, again.code) == (0, 0)
    assert "iris, paper, repeat 0" in ran.err
    assert "iris, paper, repeat 0" not in again.err
    assert Path("out/diagnostic.csv").read_text() == before
    with Path("out/diagnostic.csv").open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert {row["what"] for row in rows} == {"gradient x step", "gradient", "step"}
    assert "A small diagnostic." in Path("out/report.html").read_text()
