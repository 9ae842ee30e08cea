"""Check questions, and what they tell about the answers."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from tests.definitions import answers, truth_of
from tests.problems import Tiny, blobs
from tests.strategies import affinities, links

from likewise import LabelOracle, Session
from likewise._arrays import Floats, Indices
from likewise.knowledge import Answer, Knowledge, Prediction, Question, Verdict
from likewise.knowledge._constraints import Link
from likewise.methods import WRONG
from likewise.session import Reliability, is_due, reliability
from likewise.session._control import N_DRAWN, USUAL, as_check, check_of, is_drawn

SAME, DIFFERENT, UNSURE = Verdict.SAME, Verdict.DIFFERENT, Verdict.UNSURE
N = 8
CHECK = Prediction(0.9, "check groups", aux=2.0, if_same=False)
DOUBT = Prediction(0.4, "check")  # as a method asks that is in doubt
THREE = [(0, 1, SAME), (1, 2, SAME)]  # 0 and 2 are implied
METHODS = ("likewise", "urasc+n")


def after(told: list[Link], n: int = N) -> Knowledge:
    return Knowledge(n).after_all(answers(told))


def labels_of(known: Knowledge) -> Indices:
    """Return clusters that respect what is known."""
    groups = [known.constraints.group(sample) for sample in range(known.n_samples)]
    return np.unique(groups, return_inverse=True)[1].astype(np.intp)


def drawn(
    known: Knowledge,
    seed: int = 0,
    W: Floats | None = None,
    pending: tuple[Question, ...] = (),
) -> Question | None:
    n = known.n_samples
    graph = sp.csr_array((n, n)) if W is None else sp.csr_array(W)
    rng = np.random.default_rng(seed)
    return check_of(known, graph, labels_of(known), rng, pending)


# When


def asked(n: int) -> list[Answer]:
    return [Answer(Question(at, 9), SAME) for at in range(n)]


def checked(predicted: Prediction) -> Answer:
    return Answer(Question(1, 2, predicted), SAME)


def test_a_check_is_due_when_enough_was_asked_since_the_last() -> None:
    before = [*asked(20), checked(CHECK)]

    assert not is_due([*before, *asked(3)], 5)
    assert is_due([*before, *asked(4)], 5)


def test_answers_that_nobody_asked_for_do_not_make_a_check_due() -> None:
    told = [
        replace(answer, how=how) for answer in asked(9) for how in ("told", "group")
    ]

    assert not is_due(told, 5)


def test_a_method_in_doubt_does_not_put_checks_off() -> None:
    assert is_due([*asked(4), checked(DOUBT)], 5)


def test_two_checks_are_never_due_in_a_row() -> None:
    assert is_due([checked(CHECK), *asked(1)], 1)
    assert not is_due([*asked(9), checked(CHECK)], 1)


def test_no_check_is_ever_due_when_they_are_off() -> None:
    assert not is_due(asked(100), 0)


# Which


@given(links(N), affinities(N), st.integers(0, 9))
def test_a_check_is_implied_and_was_never_answered(
    told: list[Link], W: Floats, seed: int
) -> None:
    known = after(told)
    check = drawn(known, seed, W)
    if check is None:
        return

    assert known.constraints.relation(*check.pair) is not None
    assert check.pair not in {answer.question.pair for answer in known.answers}
    assert len(known.evidence(*check.pair)) >= 2
    assert is_drawn(check)


@given(links(N), affinities(N))
def test_a_check_is_found_where_one_is_implied_and_nothing_disagrees(
    told: list[Link], W: Floats
) -> None:
    known = after(told)
    direct = {answer.question.pair for answer in known.answers}
    implied = [
        (i, j)
        for i, j in np.ndindex(N, N)
        if i < j and known.constraints.relation(i, j) and (i, j) not in direct
    ]
    if not known.doubtful:
        assert (drawn(known, 0, W) is not None) == bool(implied)


@given(links(N), affinities(N), st.integers(0, 9))
def test_the_same_draw_gives_the_same_check(
    told: list[Link], W: Floats, seed: int
) -> None:
    known = after(told)
    first, second = drawn(known, seed, W), drawn(known, seed, W)

    assert first == second
    if first is not None and second is not None:
        assert first.predicted == second.predicted


def test_nothing_is_checked_before_anything_is_implied() -> None:
    assert drawn(after([])) is None
    assert drawn(after([(0, 1, SAME), (2, 3, DIFFERENT)])) is None


def test_what_nobody_could_tell_is_not_asked_again() -> None:
    assert drawn(after([*THREE, (2, 0, UNSURE)])) is None


def test_samples_set_aside_are_not_checked() -> None:
    known = replace(after(THREE), aside=frozenset({2}))

    assert drawn(known) is None


def test_what_others_have_before_them_is_not_asked() -> None:
    known = after(THREE)

    assert drawn(known, pending=(Question(2, 0),)) is None
    other = drawn(known, pending=(Question(2, 7),))
    assert other is not None
    assert other.sample == 0  # 2 is somebody's sample


def test_both_kinds_are_asked_about_equally_often() -> None:
    known = after([*THREE, (3, 4, SAME), (0, 3, DIFFERENT)])
    implied = [
        known.constraints.relation(*check.pair)
        for seed in range(200)
        if (check := drawn(known, seed)) is not None
    ]

    assert 70 < implied.count(SAME) < 130
    assert implied.count(SAME) + implied.count(DIFFERENT) == 200


def test_a_member_among_strangers_is_checked_first() -> None:
    chain = [(at, at + 1, SAME) for at in range(4)]
    W = np.zeros((N, N))
    W[:4, :4] = 1.0
    W[4, [5, 6, 7]] = 1.0  # its neighbours are not of its group
    check = drawn(after(chain), 0, W)

    assert check is not None
    assert check.sample == 4
    assert check.predicted is not None
    assert 0.5 < check.predicted.same < 0.9


def test_of_those_apart_the_close_ones_are_checked() -> None:
    told = [(0, 1, SAME), (2, 3, SAME), (0, 2, DIFFERENT), (4, 0, DIFFERENT)]
    W = np.zeros((N, N))
    W[3, 1] = 1.0
    check = drawn(after([*told, (4, 2, DIFFERENT)]), 0, W)

    assert check is not None
    assert (check.sample, check.against) in {(3, 1), (3, 0)}


def test_a_long_chain_is_preferred() -> None:
    chain = [(at, at + 1, SAME) for at in range(3)]
    W = np.zeros((N, N))
    W[0, 7] = 1.0  # 0 is doubted most; 2 and 3 follow it
    lengths = []
    for seed in range(20):
        check = drawn(after(chain), seed, W)
        assert check is not None
        assert check.predicted is not None
        lengths.append((check.sample, check.predicted.aux))

    assert set(lengths) == {(0, 3.0)}


def test_samples_that_were_checked_wait_until_all_were() -> None:
    known = after([(at, at + 1, SAME) for at in range(5)])
    samples = []
    for _ in range(6):
        check = drawn(known)
        assert check is not None
        samples.append(check.sample)
        known = known.after(Answer(check, SAME))

    assert len(set(samples)) == 6


def test_what_answers_disagree_about_waits_for_people() -> None:
    fused = after([(at, at + 1, SAME) for at in range(3)])
    assert drawn(fused) is not None
    failed = fused.after(Answer(Question(0, 3, CHECK), DIFFERENT))
    left = [drawn(failed, seed) for seed in range(5)]
    assert left == [None] * 5  # 1 and 2 were compared, 0 and 3 are contested

    apart = after([(0, 1, SAME), (2, 3, SAME), (0, 2, DIFFERENT)])
    assert drawn(apart) is not None
    assert drawn(apart.after(Answer(Question(1, 3, CHECK), SAME))) is None


def test_a_longer_chain_is_expected_to_fail_more_often() -> None:
    short = as_check(after(THREE), Answer(Question(0, 2), SAME))
    known = after([(at, at + 1, SAME) for at in range(6)])
    long = as_check(known, Answer(Question(0, 6), SAME))

    assert short.question.predicted is not None
    assert long.question.predicted is not None
    assert 0.9 < long.question.predicted.same < short.question.predicted.same < 1


def test_a_check_is_quick_among_many_samples(rng: np.random.Generator) -> None:
    n = 3 * N_DRAWN
    known = after([(at, at + 1, SAME) for at in range(n - 1)], n)
    graph = sp.random_array((n, n), density=0.02, rng=rng, format="csr")
    check = check_of(known, graph, labels_of(known), rng)

    assert check is not None
    assert known.constraints.relation(*check.pair) is SAME


# What was not asked


def test_an_answer_about_what_is_implied_is_one_to_a_check() -> None:
    known = after([*THREE, (3, 0, DIFFERENT)])

    assert is_drawn(as_check(known, Answer(Question(2, 0), DIFFERENT)).question)
    assert is_drawn(as_check(known, Answer(Question(2, 3), SAME)).question)


def test_any_other_answer_stays_as_it_is() -> None:
    answer = Answer(Question(5, 6), SAME)

    assert as_check(after(THREE), answer) is answer


def test_a_pick_that_denies_earlier_answers_joins_no_groups() -> None:
    tiny = blobs((6, 6))
    session = Session(tiny.X, n_clusters=2)
    oracle = LabelOracle(tiny.truth)
    while (question := session.ask()) is not None:
        session.tell(question, oracle(question))
    before = session.labels
    here, there = (int(np.flatnonzero(tiny.truth == c)[-1]) for c in (0, 1))

    session.tell_group(here, there, on_conflict="keep")

    assert len(session.doubtful) == 1
    np.testing.assert_array_equal(session.labels, before)


# What methods make of it


def run_with_checks(session: Session, oracle: LabelOracle, n: int) -> None:
    for at in range(n):
        question = session.check() if at % 3 == 2 else None
        question = question or session.ask()
        if question is None:
            return
        session.tell(question, oracle(question), on_conflict="keep")


@pytest.mark.parametrize("method", METHODS)
def test_checks_that_hold_change_nothing_but_the_count(method: str, seed: int) -> None:
    tiny = blobs((8, 8, 8), spread=1.2, seed=seed)
    session = Session(tiny.X, method, random_state=seed)
    oracle = LabelOracle(tiny.truth)
    run_with_checks(session, oracle, 40)
    groups, labels, count = session.groups, session.labels, session.n_questions

    for _ in range(5):
        check = session.check()
        assert check is not None
        session.tell(check, oracle(check))

    assert session.groups == groups
    np.testing.assert_array_equal(session.labels, labels)
    assert session.n_questions == count + 5
    assert session.doubtful == ()


@pytest.mark.parametrize("method", METHODS)
def test_most_single_slips_are_found(method: str) -> None:
    found = [slip_is_found(method, seed) for seed in range(12)]

    assert sum(found) >= 8


def slip_is_found(method: str, seed: int) -> bool:
    """Answer 24 questions, one of them wrongly, with a check after every third."""
    tiny = blobs((8, 8, 8), spread=1.0, seed=seed)
    session, oracle = (
        Session(tiny.X, method, random_state=seed),
        LabelOracle(tiny.truth),
    )
    slip = 5 + seed % 10
    for at in range(24):
        question = session.check() if at > slip and at % 3 == 0 else None
        question = question or session.ask()
        if question is None:
            break
        right = oracle(question)
        wrong = SAME if right is DIFFERENT else DIFFERENT
        session.tell(question, wrong if at == slip else right, on_conflict="keep")
    return bool(session.doubtful)


def test_the_flagship_lives_with_checks_that_fail(seed: int) -> None:
    tiny = blobs((8, 8, 8), spread=1.5, seed=seed)
    session = Session(tiny.X, random_state=seed)
    oracle = LabelOracle(tiny.truth, error_rate=0.1, seed=seed)
    run_with_checks(session, oracle, 60)

    assert session.doubtful
    assert set(session.labels.tolist()) == set(range(session.labels.max() + 1))


@pytest.mark.parametrize("method", METHODS)
def test_a_session_taken_up_again_draws_the_same_check(method: str, seed: int) -> None:
    tiny: Tiny = blobs((6, 6, 6), spread=1.2, seed=seed)
    session = Session(tiny.X, method, random_state=seed)
    run_with_checks(session, LabelOracle(tiny.truth), 20)
    again = Session(tiny.X, method, random_state=seed, answers=session.history)

    check = session.check()
    assert check is not None
    assert again.check() == check
    assert truth_of(tiny.truth.tolist(), *check.pair) is not None


# How reliable answers are


LIKELY = Prediction(0.95, "check groups", aux=2.0, if_same=False)


def shown_by(verdicts: list[Verdict], predicted: Prediction = LIKELY) -> Reliability:
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
    usual, good, bad = shown_by([]), shown_by([SAME] * 20), shown_by([DIFFERENT] * 5)

    assert good.rate < usual.rate < bad.rate
    assert (good.n_checks, good.n_failed) == (20, 0)
    assert (bad.n_checks, bad.n_failed) == (5, 5)
    assert bad.low > usual.rate


def test_what_nobody_could_tell_does_not_count() -> None:
    assert shown_by([UNSURE] * 4) == shown_by([])


def test_what_a_method_asks_again_in_doubt_does_not_count() -> None:
    assert shown_by([DIFFERENT] * 4, Prediction(0.5, "check")) == shown_by([])


def test_a_check_that_was_expected_to_fail_says_little() -> None:
    doubted = Prediction(0.4, "check groups", aux=2.0, if_same=False)

    assert shown_by([DIFFERENT], doubted).rate < shown_by([DIFFERENT]).rate


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
