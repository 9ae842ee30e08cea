"""Where results come from, kept beside them."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from likewise.datasets import load
from likewise.errors import InputError
from likewise.experiments import all_in_one
from likewise.experiments._trials import Failure, Outcome, Trial
from likewise.experiments.paper import read_provenance
from likewise.experiments.paper._provenance import (
    NAME,
    Log,
    facts_of,
    provenance_here,
    write_provenance,
)

FAILED = Failure(Trial("iris", "random", 0, 5), "ValueError: no")
DONE = Outcome(FAILED.trial, (0,), {"jaccard": (0.5,)}, 2.5, 5)


def test_a_run_says_what_it_was_made_with() -> None:
    here = provenance_here(["paper", "ours"])

    assert here.commit
    assert set(here.versions) == {"likewise", "numpy", "scipy", "scikit-learn"}
    assert here.processor
    assert here.cores >= 1
    assert date.fromisoformat(here.date)
    assert set(here.recipes) == {"paper", "ours"}


def test_what_was_written_before_days_were_is_read(tmp_path: Path) -> None:
    write_provenance(tmp_path, [provenance_here()])
    path = tmp_path / "provenance.json"
    [entry] = json.loads(path.read_text("utf-8"))
    del entry["date"]
    path.write_text(json.dumps([entry]), encoding="utf-8")

    assert read_provenance(tmp_path)[0].date == ""


def test_what_was_written_is_read_back(tmp_path: Path) -> None:
    facts = {"iris": facts_of(load("iris"))}
    one = provenance_here(["ours"], sets=facts, failures=(FAILED,), left_out=("No.",))

    write_provenance(tmp_path, [one, replace(one, seconds=3.5)])

    assert read_provenance(tmp_path) == (one, replace(one, seconds=3.5))


def test_nothing_is_known_where_nothing_was_written(tmp_path: Path) -> None:
    assert read_provenance(tmp_path) == ()


@pytest.mark.parametrize("text", ["{", "[1]", '[{"commit": "x"}]'])
def test_a_file_of_something_else_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / NAME).write_text(text)

    with pytest.raises(InputError, match="does not say where results come from"):
        read_provenance(tmp_path)


def test_facts_tell_data_apart_and_not_their_last_digits() -> None:
    iris = load("iris")
    facts = facts_of(iris)

    assert (facts.n, facts.k, facts.sizes) == (150, 3, (50, 50, 50))
    assert facts.all_in_one == pytest.approx(all_in_one(iris.y), abs=1e-6)
    assert facts_of(replace(iris, X=iris.X + 1e-13)).sha256 == facts.sha256
    assert facts_of(replace(iris, X=iris.X + 0.01)).sha256 != facts.sha256
    assert facts_of(replace(iris, y=np.roll(iris.y, 1))).sha256 != facts.sha256


def test_a_stretch_of_work_is_written_down_as_it_goes_on(tmp_path: Path) -> None:
    seconds = iter([100.0, 103.0, 107.0])
    log = Log(tmp_path, (), provenance_here(), lambda: next(seconds))

    log.add(DONE)
    [first] = read_provenance(tmp_path)
    log.add(FAILED)
    [second] = read_provenance(tmp_path)

    assert (first.seconds, first.worked, first.trials) == (3.0, 2.5, 1)
    assert (second.seconds, second.trials, second.failures) == (7.0, 1, (FAILED,))


def test_a_stretch_that_did_nothing_leaves_no_trace(tmp_path: Path) -> None:
    earlier = (provenance_here(trials=5),)

    assert Log(tmp_path, earlier, provenance_here(), lambda: 0.0).entries == earlier
