"""Whether what a session says of its progress is true: how that is measured."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from benchmarks.progress import Look, error_rows, fitted, left_out, matched, until_rows
from tests import definitions

from likewise.methods._likewise._method import KNOWN_K
from likewise.methods._outlook import Tally
from likewise.session._summary import Progress

TRUTH = replace(KNOWN_K, shift=-0.5, toll=-0.3)
SAID = Progress(0.9, (0.8, 0.95), 30, 80, 0.2, 10.0, 0.8, False)


def look(name: str, n_questions: int, share: float) -> Look:
    """Return what is seen where the model expects a share of the free samples."""
    tally = Tally(n_questions, 200 - n_questions, n_questions, 0.0, n_questions)
    tally = replace(tally, free=share * tally.n_free)
    said = replace(SAID, expected_right=share)
    return Look(name, "known", n_questions, TRUTH.right(tally), share, tally, said)


LOOKS = [
    look(name, 50 * at, share + 0.05 * at)
    for name, share in (("wine", 0.6), ("digits", 0.7), ("sonar", 0.76))
    for at in range(1, 5)
]


@pytest.mark.parametrize("seed", range(5))
def test_matched_is_the_best_of_all_matchings(seed: int) -> None:
    truth, labels = np.random.default_rng(seed).integers(0, 4, (2, 30))

    found = matched(truth, labels)

    assert found == pytest.approx(definitions.matched(truth, labels))


def test_the_numbers_that_made_the_truth_are_found() -> None:
    found = fitted(LOOKS, KNOWN_K)

    for seen in LOOKS:
        assert found.right(seen.tally) == pytest.approx(seen.truth, abs=0.01)


def test_each_kind_is_judged_by_what_the_others_give() -> None:
    odd = [replace(seen, truth=0.1) for seen in LOOKS if seen.name == "wine"]
    others = [seen for seen in LOOKS if seen.name != "wine"]

    found = left_out([*odd, *others])

    assert set(found) == {"small tables", "pictures", "two classes"}
    assert found["small tables"] == fitted(others, KNOWN_K)


def test_errors_are_means_at_each_mark() -> None:
    off = error_rows([*LOOKS, look("wine", 20, 0.5)], {"off": lambda s: s.truth + 0.1})

    assert off == [["off", "known", "0.100", "0.100", "0.100", "0.100"]]


def test_questions_are_foreseen_where_it_came_to_that() -> None:
    rows = until_rows([look("wine", 10, 0.9), look("wine", 45, 0.96)])

    assert rows[0] == ["95%", "1", "1.0", "1.00"]  # 30 and half a step, and it took 35
    assert rows[1][1] == "0"
