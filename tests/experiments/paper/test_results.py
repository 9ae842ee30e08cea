"""The file of results: whole trials, taken up again after any stop."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

import pytest

from likewise.errors import InputError
from likewise.experiments import METRICS
from likewise.experiments._trials import Outcome, Trial, points_of
from likewise.experiments.paper import Results
from likewise.experiments.paper._evaluate import HEADER


def outcome(seed: int, **settings: object) -> Outcome:
    trial = Trial("wine", "random", seed, 20, **settings)  # type: ignore[arg-type]
    points = tuple(points_of(20))
    values = tuple(at / 16 + seed for at in points)  # exact with few digits
    return Outcome(trial, points, dict.fromkeys(METRICS, values), 0.5, 15)


@pytest.fixture
def results(tmp_path: Path) -> Results:
    return Results(tmp_path / "results.csv")


def test_nothing_is_read_where_nothing_was_written(results: Results) -> None:
    assert results.mend() == results.read() == {}


def test_what_was_written_is_read_back(results: Results) -> None:
    written = [outcome(0), outcome(1, noise=0.02), outcome(1, k="unknown")]

    results.append(written[:1])
    results.append(written[1:])

    assert list(results.read().values()) == written


def test_a_row_has_the_columns_that_everybody_expects(results: Results) -> None:
    results.append([outcome(0)])

    with results.path.open(newline="") as lines:
        row = next(csv.DictReader(lines))

    assert list(row) == [
        "data", "method", "seed", "budget", "k", "noise", "opening", "shortlist",
        "recipe", "metric", "seconds", "answered", "curve",
    ]  # fmt: skip
    assert row["curve"].startswith("0.0000 0.0625 0.1250 ")
    assert row["answered"] == "15"


def test_a_trial_is_one_row_for_each_metric(results: Results) -> None:
    results.append([outcome(0), outcome(1)])

    assert len(results.path.read_text().splitlines()) == 1 + 2 * len(METRICS)


def test_an_outcome_cut_off_anywhere_is_left_out(results: Results) -> None:
    results.append([outcome(0)])
    first = len(results.path.read_bytes())
    results.append([outcome(1)])
    whole = results.path.read_bytes()

    for end in range(first, len(whole) - 2, 37):
        results.path.write_bytes(whole[:end])
        assert list(results.mend()) == [outcome(0).trial]
        results.append([outcome(1)])
        assert list(results.read().values()) == [outcome(0), outcome(1)]


def test_compressed_results_are_read_as_they_were(results: Results) -> None:
    results.append([outcome(0), outcome(1)])
    packed = results.path.with_suffix(".csv.gz")
    packed.write_bytes(gzip.compress(results.path.read_bytes()))

    assert Results(packed).read() == results.read()


@pytest.mark.parametrize("name", ["results.csv", "results.csv.gz"])
def test_what_is_no_text_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"\xff\xfe\x00\x81 no results")

    with pytest.raises(InputError, match="not a file of results"):
        Results(tmp_path / name).read()


def test_a_file_of_something_else_is_refused(results: Results) -> None:
    results.path.write_text("name,age\nAda,36\n")

    with pytest.raises(InputError, match="choose another folder"):
        results.mend()


def test_the_header_names_every_setting() -> None:
    assert set(Trial.__slots__) < set(HEADER)
