"""How many answers are wrong, by the checks."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
import scipy.sparse as sp
from tests.definitions import truth_of

from likewise.knowledge import Answer, Knowledge, Prediction, Question, Verdict
from likewise.methods import WRONG
from likewise.session import Reliability, reliability
from likewise.session._control import USUAL, check_of

SAME, DIFFERENT, UNSURE = Verdict.SAME, Verdict.DIFFERENT, Verdict.UNSURE
CHECK = Prediction(0.95, "check groups", aux=2.0, if_same=False)


def checked(verdicts: list[Verdict], predicted: Prediction = CHECK) -> Reliability:
    """Return what these answers to checks show, on pairs implied to be the same."""
    n = 2 * len(verdicts) + 2
    same = [Answer(Question(0, at), SAME) for at in range(1, n)]
    asked = [Question(at, at + len(verdicts), predicted) for at in range(1, n // 2)]
    told = [Answer(q, v) for q, v in zip(asked, verdicts, strict=True)]
    return reliability(Knowledge(n).after_all([*same, *told]))


def test_before_any_check_the_usual_is_expected() -> None:
    found = reliability(Knowledge(5))

    assert (found.n_checks, found.n_failed) == (0, 0)
    assert found.rate == pytest.approx(USUAL, rel=0.05)
    assert found.low < found.rate < found.high


def test_checks_that_hold_lower_the_rate_and_those_that_fail_raise_it() -> None:
    usual, good, bad = checked([]), checked([SAME] * 20), checked([DIFFERENT] * 5)

    assert good.rate < usual.rate < bad.rate
    assert (good.n_checks, good.n_failed) == (20, 0)
    assert (bad.n_checks, bad.n_failed) == (5, 5)
    assert bad.low > usual.rate


def test_what_nobody_could_tell_does_not_count() -> None:
    assert checked([UNSURE] * 4) == checked([])


def test_what_a_method_asks_again_in_doubt_does_not_count() -> None:
    assert checked([DIFFERENT] * 4, Prediction(0.5, "check")) == checked([])


def test_a_check_that_was_expected_to_fail_says_little() -> None:
    doubted = Prediction(0.4, "check groups", aux=2.0, if_same=False)

    assert checked([DIFFERENT], doubted).rate < checked([DIFFERENT]).rate


def noisy(e: float, n_checks: int, rng: np.random.Generator) -> Reliability:
    """Compare samples with one of each group, some wrongly, with checks in between."""
    k, n = 5, 12 * n_checks
    truth = [*range(k), *rng.integers(k, size=n - k).tolist()]
    graph, labels = sp.csr_array((n, n)), np.arange(n) % k
    apart = [Answer(Question(*pair), DIFFERENT) for pair in combinations(range(k), 2)]
    known = Knowledge(n).after_all(apart)

    def told(i: int, j: int, predicted: Prediction | None = None) -> Answer:
        right = truth_of(truth, i, j)
        wrong = SAME if right is DIFFERENT else DIFFERENT
        verdict = wrong if rng.random() < e else right
        return Answer(Question(i, j, predicted), verdict)

    for sample in range(k, n):
        for group in rng.permutation(k).tolist():
            if known.constraints.relation(sample, group) is None:
                known = known.after(told(sample, group))
        check = check_of(known, graph, labels, rng) if sample % 10 == 0 else None
        if check is not None:
            known = known.after(told(check.sample, check.against, check.predicted))
    return reliability(known)


def test_the_estimate_is_near_the_truth_on_average(rng: np.random.Generator) -> None:
    found = [noisy(0.05, 25, rng) for _ in range(12)]

    assert 0.03 < np.mean([one.rate for one in found]) < 0.06


def test_the_interval_holds_the_truth_nine_times_in_ten(
    rng: np.random.Generator,
) -> None:
    rates = rng.beta(*WRONG, size=30)
    found = [noisy(float(e), 15, rng) for e in rates]
    held = [one.low <= e <= one.high for one, e in zip(found, rates, strict=True)]

    assert 0.75 <= np.mean(held) <= 1.0
