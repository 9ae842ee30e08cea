"""What the model thinks of every sample and every pair of classes."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.methods.likewise.hand_made import (
    DIFFERENT,
    SAME,
    asked,
    membership_of,
    prior_for,
    probabilities_of,
    seen_in_dialogue,
    settled_as,
    with_parts,
)
from tests.problems import Tiny, blobs

from likewise._arrays import AnyFloats, Floats, dense
from likewise.knowledge import Answer
from likewise.methods._likewise._beliefs import Beliefs, weighed
from likewise.methods._likewise._prior import Prior
from likewise.methods._likewise._probabilities import (
    APART,
    CLASS_PRIOR,
    CLASS_SLOPES,
    CLOSED,
    MATES,
    PROMISED,
    Probabilities,
    Rows,
    fitted_map,
    likeliest,
    logit,
    with_few_mates,
)
from likewise.methods._likewise._surroundings import (
    FOUNDER,
    SLIGHT,
    TEMPER,
    Surroundings,
    sharp,
)

TINY = blobs((9, 8, 7), spread=1.8, seed=3)


@pytest.fixture(scope="module")
def prior() -> Prior:
    return prior_for(TINY, 3)


@pytest.fixture(scope="module", params=[3, None], ids=["k known", "k unknown"])
def seen(request: pytest.FixtureRequest) -> list[Probabilities]:
    """What is thought during a dialogue with some wrong and some unsure answers."""
    return seen_in_dialogue(prior_for(TINY, request.param), TINY.truth)


def doubted(probabilities: Probabilities) -> Rows:
    """Return the rows of the free samples, were the fields silent as often."""
    free = probabilities.free
    return probabilities.doubted(free, probabilities.rows_of(free))


def after(prior: Prior, *answers: Answer) -> Probabilities:
    return probabilities_of(prior, Beliefs.of(prior.medoids).after_all(answers))


def assert_probabilities(rows: AnyFloats, new: AnyFloats) -> None:
    if not len(rows):
        return
    np.testing.assert_allclose(rows.sum(axis=1) + new, 1.0, atol=1e-9)
    assert rows.min(initial=0.0) >= 0
    assert new.min(initial=0.0) >= 0


def all_apart(
    prior: Prior, votes: list[tuple[int, int]], *, m: int, same: float = 0.001
) -> Probabilities:
    """Return what is thought of m classes, of which some pairs are voted apart."""
    beliefs = settled_as({s: [s] for s in range(m)})
    probabilities = probabilities_of(prior, beliefs)
    classes, pairs = np.zeros((m, m)), np.full((m, m), 0.3)
    np.fill_diagonal(pairs, 0.0)
    for g, h in votes:
        classes[g, h] = classes[h, g] = -1.0
        pairs[g, h] = pairs[h, g] = same
    evidence = replace(probabilities.evidence, classes=classes)
    return with_parts(probabilities, evidence=evidence, pairs=pairs)


def test_rows_sum_to_1_with_new(seen: list[Probabilities]) -> None:
    for probabilities in seen:
        assert_probabilities(*probabilities.rows_of(probabilities.free))
        assert_probabilities(*probabilities.questioned_of(probabilities.free))
        assert_probabilities(*doubted(probabilities))
        assert_probabilities(*probabilities.checked[:2])


def test_memberships_sum_to_1_and_sizes_to_n(seen: list[Probabilities]) -> None:
    for probabilities in seen:
        assert membership_of(probabilities).min() >= 0
        np.testing.assert_allclose(membership_of(probabilities).sum(axis=1), 1.0)
        assert probabilities.sizes.sum() == pytest.approx(len(TINY.X))


def test_a_settled_sample_is_all_of_its_class(seen: list[Probabilities]) -> None:
    for probabilities in seen:
        classes = probabilities.classes
        for sample, name in probabilities.beliefs.class_of.items():
            assert membership_of(probabilities)[sample, classes.index(name)] == 1.0


def test_every_sample_is_settled_or_free(seen: list[Probabilities]) -> None:
    for probabilities in seen:
        both = [*probabilities.settled[0], *probabilities.free]
        assert sorted(both) == list(range(len(TINY.X)))


def test_far_is_between_0_and_1_and_small_at_settled_samples(
    seen: list[Probabilities],
) -> None:
    for probabilities in seen:
        settled = probabilities.settled[0]
        prior = probabilities.prior
        far = np.asarray(probabilities.far)
        assert 0 <= far.min() <= far.max() <= 1
        bound = prior.noise / prior.variance_at(settled)
        assert (far[settled] <= bound + 1e-9).all()


def test_a_sample_comes_nearer_when_another_one_is_settled(prior: Prior) -> None:
    before = after(prior)
    sample = int(before.free[0])

    now = after(prior, asked(sample, int(prior.medoids[0]), SAME))

    here, there = np.asarray(now.far), np.asarray(before.far)
    assert (here <= there + 1e-9).all()
    assert here[sample] < there[sample]


def test_experts_are_weighed_by_how_well_they_foretell_settled_samples(
    seen: list[Probabilities],
) -> None:
    for probabilities in seen[::6]:
        beliefs = probabilities.beliefs
        samples, columns = probabilities.settled
        scores = np.zeros(len(probabilities.around.fields))
        for sample, column in zip(samples.tolist(), columns.tolist(), strict=True):
            home = probabilities.classes[column]
            if len(beliefs.members[home]) == 1:
                continue
            without = Surroundings.of(probabilities.prior, let_go(beliefs, sample))
            for e, field in enumerate(without.fields):
                chance = sharp(field.at(np.array([sample])))[0, column]
                scores[e] += np.log(0.01 + 0.99 * chance)
        expected = np.exp(TEMPER * (scores - scores.max()))

        np.testing.assert_allclose(
            probabilities.around.experts, expected / expected.sum(), atol=1e-6
        )


def let_go(beliefs: Beliefs, sample: int) -> Beliefs:
    """Return the beliefs with a sample settled no longer; its class must not end."""
    home = beliefs.class_of[sample]
    members = dict(beliefs.members)
    members[home] = tuple(s for s in members[home] if s != sample)
    assert members[home]
    class_of = {s: name for s, name in beliefs.class_of.items() if s != sample}
    return replace(beliefs, class_of=class_of, members=members)


def shares_by_start(
    probabilities: Probabilities, beliefs: Beliefs, sample: int
) -> Floats:
    """Return the classes of the settled samples in a sample's start clusters."""
    start, medoids = (
        probabilities.prior.start,
        set(probabilities.prior.medoids.tolist()),
    )
    total = np.zeros(len(probabilities.classes))
    for cluster, part in enumerate(dense(probabilities.prior.shares[[sample]])[0]):
        inside = [s for s in beliefs.class_of if start[s] == cluster]
        weights = {s: FOUNDER if s in medoids else 1.0 for s in inside}
        for at, name in enumerate(probabilities.classes):
            mine = sum(weights[s] for s in inside if beliefs.class_of[s] == name)
            total[at] += part * mine / max(sum(weights.values()), 1e-12)
    return total


def row_by_definition(
    probabilities: Probabilities, near: Floats, own: Floats, far: float, novelty: float
) -> tuple[Floats, float]:
    pure = probabilities.purity
    share = probabilities.sizes / len(probabilities.prior.start)
    known = (1 - far) * near + far * (pure * own + (1 - pure) * (1 - novelty) * share)
    new = far * (1 - pure) * novelty
    return known / (known.sum() + new), new / (known.sum() + new)


def test_near_settled_samples_the_fields_speak_and_far_from_them_the_start(
    seen: list[Probabilities],
) -> None:
    for probabilities in seen[::4]:
        beliefs = probabilities.beliefs
        if beliefs.under_way:
            continue
        calibration = beliefs.calibration
        novelty = (
            0.0
            if probabilities.main
            else calibration.new / (calibration.new + calibration.old)
        )
        near = probabilities.near(probabilities.free)
        rows, new = probabilities.rows_of(probabilities.free)
        for at, sample in enumerate(probabilities.free.tolist()):
            own = shares_by_start(probabilities, beliefs, sample)
            far = float(probabilities.far[sample])
            expected = row_by_definition(probabilities, near[at], own, far, novelty)
            np.testing.assert_allclose(rows[at], expected[0], atol=1e-9)
            assert new[at] == pytest.approx(expected[1], abs=1e-9)


def test_purity_is_the_share_of_hits(prior: Prior) -> None:
    medoid = int(prior.medoids[0])
    free = after(prior).free.tolist()

    before = after(prior)
    hit = after(prior, asked(free[0], medoid, SAME, aux=1.0))
    missed = after(prior, asked(free[0], medoid, DIFFERENT, aux=1.0))

    assert missed.purity < before.purity < hit.purity
    calibration = hit.beliefs.calibration
    assert hit.purity == calibration.hits / (calibration.hits + calibration.misses)


def test_samples_under_way_make_new_classes_as_likely_as_they_are_new(
    prior: Prior,
) -> None:
    medoids = prior.medoids.tolist()
    sample = int(after(prior).free[0])
    probabilities = after(
        prior,
        asked(sample, medoids[0], DIFFERENT),
        asked(sample, medoids[1], DIFFERENT),
    )
    assert probabilities.beliefs.under_way == (sample,)
    calibration = probabilities.beliefs.calibration
    idle = replace(probabilities.beliefs, under_way=())
    plain, plain_new = probabilities_of(prior, idle).rows_of(probabilities.free)
    at = probabilities.free.tolist().index(sample)
    votes = probabilities.evidence.votes(np.array([sample]))
    _, chance = weighed(
        plain[[at]], plain_new[[at]], votes, probabilities.rates.strength
    )
    novelty = (calibration.new + chance[0]) / (calibration.new + calibration.old + 1)

    rows, new = probabilities.rows_of(probabilities.free)

    free = probabilities.free
    near, own = probabilities.near(free), probabilities.around.own(free)
    for i, one in enumerate(free.tolist()):
        far = float(probabilities.far[one])
        expected = row_by_definition(probabilities, near[i], own[i], far, novelty)
        np.testing.assert_allclose(rows[i], expected[0], atol=1e-9)
        assert new[i] == pytest.approx(expected[1], abs=1e-9)


def test_what_is_thought_of_a_settled_sample_is_as_if_it_had_never_been_settled(
    seen: list[Probabilities],
) -> None:
    for probabilities in seen[::4]:
        beliefs = probabilities.beliefs
        rows, new, samples = probabilities.checked
        votes = probabilities.evidence.votes(samples)
        experts = probabilities.around.experts
        calibration, rates = beliefs.calibration, probabilities.rates
        novelty = calibration.new / (calibration.new + calibration.old)
        share = probabilities.sizes / len(probabilities.prior.start)
        for at, sample in enumerate(samples.tolist()):
            if beliefs.members[beliefs.class_of[sample]] == (sample,):
                continue  # its class would be gone
            without = Surroundings.of(probabilities.prior, let_go(beliefs, sample))
            near: Any = sum(
                weight * sharp(field.at(np.array([sample])))[0]
                for weight, field in zip(experts, without.fields, strict=True)
            )
            variance = without.coverage.variance[sample]
            far = min(float(variance / probabilities.prior.variance[sample]), 1.0)
            own = shares_by_start(probabilities, let_go(beliefs, sample), sample)
            row, fresh = row_by_definition(probabilities, near, own, far, novelty)
            row = (1 - rates.silent) * row + rates.silent * share
            fresh = (1 - rates.silent) * fresh
            worth = row * np.exp(rates.strength * votes[at])
            total = worth.sum() + fresh
            np.testing.assert_allclose(rows[at], worth / total, atol=1e-5)
            assert new[at] == pytest.approx(fresh / total, abs=1e-5)


def test_free_samples_belong_where_the_fields_and_the_start_say(
    seen: list[Probabilities],
) -> None:
    for probabilities in seen[::4]:
        quiet = np.setdiff1d(probabilities.free, probabilities.told)
        near, own = probabilities.near(quiet), probabilities.around.own(quiet)
        far = np.asarray(probabilities.far)[quiet][:, np.newaxis]
        rows = (1 - far) * near + far * own + SLIGHT

        np.testing.assert_allclose(
            probabilities.belonging(quiet),
            rows / rows.sum(axis=1, keepdims=True),
            atol=1e-9,
        )


def test_what_is_found_for_all_samples_is_what_is_found_for_some(
    seen: list[Probabilities],
) -> None:
    for probabilities in seen:
        free = probabilities.free
        rows, new = probabilities.questioned_of(free)
        blocked = {int(free[0]): [0], int(free[-1]): [1]}
        askable = rows.copy()
        askable[0, 0] = askable[-1, 1] = 0.0

        pairs = zip(
            probabilities.likeliest(blocked),
            likeliest(askable, rows, new),
            strict=True,
        )
        for actual, expected in pairs:
            np.testing.assert_allclose(np.asarray(actual)[free], expected, atol=1e-9)
        ((_, everything),) = probabilities.by_block()
        np.testing.assert_allclose(np.asarray(everything)[free], rows, atol=1e-9)


def test_founders_are_not_checked(seen: list[Probabilities]) -> None:
    for probabilities in seen:
        settled = set(probabilities.settled[0].tolist())
        expected = settled - set(probabilities.classes)

        assert set(probabilities.checked[2].tolist()) == expected


def test_ballots_move_what_is_thought_of_a_sample(prior: Prior) -> None:
    before = after(prior)
    at = 0
    sample, column = (
        int(before.free[at]),
        int(before.questioned_of(before.free)[0][at].argmax()),
    )
    medoid = int(prior.medoids[column])

    no = after(prior, asked(sample, medoid, DIFFERENT))
    yes = after(prior, asked(sample, medoid, SAME, if_same=False))

    likely = [p.questioned_of(p.free)[0][at, column] for p in (no, before, yes)]
    assert likely == sorted(likely)
    assert likely[0] < 0.5 * likely[1]


def test_a_sample_told_different_from_a_class_gets_almost_none_of_it(
    prior: Prior,
) -> None:
    for column, medoid in enumerate(prior.medoids.tolist()):
        for sample in after(prior).free.tolist():
            told = after(prior, asked(sample, medoid, DIFFERENT))
            assert membership_of(told)[sample, column] < 1e-4


def test_samples_nobody_asked_about_are_as_the_fields_say(
    seen: list[Probabilities],
) -> None:
    for probabilities in seen:
        quiet = ~probabilities.evidence.votes(probabilities.free).any(axis=1)

        np.testing.assert_allclose(
            probabilities.questioned_of(probabilities.free)[0][quiet],
            probabilities.rows_of(probabilities.free)[0][quiet],
            atol=1e-9,
        )
        np.testing.assert_allclose(
            probabilities.questioned_of(probabilities.free)[0][~quiet],
            doubted(probabilities)[0][~quiet],
            atol=1e-12,
        )


def test_silence_mixes_in_the_sizes_of_the_classes(seen: list[Probabilities]) -> None:
    probabilities = seen[-1]
    silent, share = probabilities.rates.silent, probabilities.sizes / len(TINY.X)
    rows, new = np.array([np.eye(len(share))[0]]), np.array([0.0])

    actual, actual_new = probabilities.silenced(rows, new)

    np.testing.assert_allclose(actual[0, 0], (1 - silent) + silent * share[0])
    np.testing.assert_allclose(actual[0, 1:], silent * share[1:])
    assert actual_new == 0


def test_rates_are_between_0_and_1(seen: list[Probabilities]) -> None:
    for probabilities in seen:
        assert 0 < probabilities.rates.wrong < 0.5
        assert 0 < probabilities.rates.silent < 1


def test_closeness_is_the_chance_of_a_step_from_the_smaller_class(
    seen: list[Probabilities],
) -> None:
    probabilities = seen[-1]
    W, Q = dense(probabilities.prior.weights), membership_of(probabilities)
    m = Q.shape[1]
    R = np.zeros((m, m))
    for i, j in np.argwhere(W > 0):
        R += W[i, j] * np.outer(Q[i], Q[j])
    volume = R.sum(axis=1)
    expected = [
        [R[g, h] / min(volume[g], volume[h]) for h in range(m)] for g in range(m)
    ]

    np.testing.assert_allclose(probabilities.closeness, expected, atol=1e-9)
    assert (
        0 <= probabilities.closeness.min() <= probabilities.closeness.max() <= 1 + 1e-9
    )


def test_pairs_are_probabilities_the_same_both_ways(seen: list[Probabilities]) -> None:
    for probabilities in seen:
        np.testing.assert_allclose(
            probabilities.pairs, probabilities.pairs.T, atol=1e-9
        )
        np.testing.assert_array_equal(np.diag(probabilities.pairs), 0.0)
        assert 0 <= probabilities.pairs.min() <= probabilities.pairs.max() <= 1


def test_pairs_follow_from_closeness_and_ballots(seen: list[Probabilities]) -> None:
    for one in seen:
        any_number = replace(one.prior, n_groups=None)
        probabilities = probabilities_of(any_number, one.beliefs)
        groups = probabilities.beliefs.calibration.groups
        a, b = fitted_map(groups, CLASS_PRIOR, CLASS_SLOPES)
        for g, h in combinations(range(len(probabilities.pairs)), 2):
            odds = a + b * float(logit(probabilities.closeness[[g], [h]])[0])
            odds += probabilities.rates.strength * probabilities.evidence.classes[g, h]
            expected = 1 / (1 + np.exp(-odds))
            assert probabilities.pairs[g, h] == pytest.approx(expected, rel=1e-6)


def with_and_without_a_number(
    prior: Prior, beliefs: Beliefs, sizes: list[float]
) -> tuple[Floats, Floats]:
    """Return how likely faintly linked classes are one, of any number or of three."""
    m = len(sizes)
    faint = np.random.default_rng(0).uniform(0.0005, 0.02, (m, m))
    any_number, three = (
        with_parts(
            probabilities_of(replace(prior, n_groups=k), beliefs),
            closeness=faint + faint.T,
            sizes=np.array(sizes),
        ).pairs
        for k in (None, 3)
    )
    return any_number, three


@given(st.integers(2, 30), st.integers(0, 200))
def test_no_class_is_one_with_many_others(m: int, seed: int) -> None:
    same = np.random.default_rng(seed).random((m, m))
    same = np.triu(same, 1) + np.triu(same, 1).T

    found = with_few_mates(same)

    np.testing.assert_allclose(found, found.T)
    assert (found <= same).all()
    others = same.sum(axis=1)[:, np.newaxis] - same
    is_free = np.maximum(others, others.T) <= MATES
    np.testing.assert_allclose(found[is_free], same[is_free])
    at_most = MATES * same / np.maximum(np.maximum(others, others.T), MATES)
    np.testing.assert_allclose(found, at_most)


def test_two_classes_are_promised_all_that_speaks_for_them() -> None:
    same = np.array([[0.0, 0.9], [0.9, 0.0]])

    np.testing.assert_array_equal(with_few_mates(same), same)


def test_more_classes_than_there_are_make_open_pairs_likelier(prior: Prior) -> None:
    a, b, c = prior.medoids.tolist()
    others = after(prior).free[:4].tolist()
    told = asked(a, b, DIFFERENT, "groups", aux=0.1)
    beliefs = settled_as({s: [s] for s in [a, b, c, *others]}).after(told)

    before, now = with_and_without_a_number(prior, beliefs, [24 / 7] * 7)

    is_open = np.triu(np.ones((7, 7), dtype=bool), 1)
    is_open[0, 1] = False
    assert (now[is_open] > before[is_open]).all()
    np.testing.assert_array_equal(np.argsort(now[is_open]), np.argsort(before[is_open]))
    assert before[is_open].sum() < PROMISED * 4 <= now[is_open].sum()
    assert now[0, 1] == pytest.approx(before[0, 1])


def test_classes_too_large_to_be_one_of_k_groups_are_less_likely_one(
    prior: Prior,
) -> None:
    beliefs = settled_as({s: [s] for s in range(3)})

    before, now = with_and_without_a_number(prior, beliefs, [14.0, 8.0, 2.0])

    assert now[0, 1] < before[0, 1]
    assert now[0, 1] / before[0, 1] < now[1, 2] / before[1, 2]


def test_classes_are_apart_when_told_so_and_unlikely_to_be_one(
    seen: list[Probabilities],
) -> None:
    for probabilities in seen:
        expected = (probabilities.evidence.classes < 0) & (probabilities.pairs < APART)

        np.testing.assert_array_equal(probabilities.apart, expected)


ALL_APART = [(0, 1), (0, 2), (1, 2)]


def test_the_main_classes_are_k_that_are_all_apart(prior: Prior) -> None:
    probabilities = all_apart(prior, ALL_APART, m=4)

    assert sorted(probabilities.main) == [0, 1, 2]


@pytest.mark.parametrize("missing", ALL_APART)
def test_there_are_no_main_classes_while_one_pair_is_open(
    missing: tuple[int, int], prior: Prior
) -> None:
    votes = [pair for pair in ALL_APART if pair != missing]

    assert all_apart(prior, votes, m=3).main == []


def test_there_are_no_main_classes_while_a_pair_may_well_be_one(prior: Prior) -> None:
    assert all_apart(prior, ALL_APART, m=3, same=1.01 * APART).main == []


def test_there_are_no_main_classes_while_too_many_pairs_are_doubtful(
    prior: Prior,
) -> None:
    same = 0.99 * APART
    k = next(k for k in range(2, 20) if same * k * (k - 1) / 2 > CLOSED)
    votes = list(combinations(range(k), 2))
    other = replace(prior, n_groups=k)

    assert all_apart(other, votes, m=k, same=same).main == []
    assert len(all_apart(other, votes, m=k, same=same / k**2).main) == k


@pytest.mark.parametrize("n_groups", [None, 1, 2, 4])
def test_there_are_no_main_classes_unless_they_are_as_many_as_known(
    n_groups: int | None, prior: Prior
) -> None:
    other = replace(prior, n_groups=n_groups)

    assert all_apart(other, ALL_APART, m=3).main == []


def test_main_classes_are_apart_whenever_there_are_any(
    seen: list[Probabilities],
) -> None:
    for probabilities in seen:
        assert len(probabilities.main) in (0, probabilities.prior.n_groups)
        for g, h in combinations(probabilities.main, 2):
            assert probabilities.apart[g, h]


def test_once_all_classes_are_found_no_sample_is_new(prior: Prior) -> None:
    a, b, c = prior.medoids.tolist()
    votes = [
        asked(i, j, DIFFERENT, "groups", aux=0.01)
        for _ in range(3)
        for i, j in ((a, b), (a, c), (b, c))
    ]

    probabilities = after(prior, *votes)

    assert len(probabilities.main) == 3
    np.testing.assert_array_equal(probabilities.rows_of(probabilities.free)[1], 0.0)
    assert_probabilities(*probabilities.rows_of(probabilities.free))


def test_a_class_that_is_none_of_the_others_is_the_one_left(prior: Prior) -> None:
    a, b, c = prior.medoids.tolist()
    d = int(after(prior).free[0])
    beliefs = settled_as({s: [s] for s in (a, b, c, d)}).after_all(
        [
            asked(i, j, DIFFERENT, "groups", aux=0.01)
            for _ in range(3)
            for i, j in ((a, b), (a, c), (b, c), (d, a), (d, b))
        ]
    )

    probabilities = probabilities_of(prior, beliefs)

    # Any three of them may be the main ones; d is c in any case.
    assert len(probabilities.main) == 3
    assert probabilities.pairs[2, 3] > 0.9
    assert max(probabilities.pairs[0, 3], probabilities.pairs[1, 3]) < 0.1


def test_samples_set_aside_are_out_of_the_picture(prior: Prior) -> None:
    beliefs = Beliefs.of(prior.medoids)
    some = sorted(set(range(len(TINY.X))) - set(prior.medoids.tolist()))[:4]

    probabilities = probabilities_of(prior, beliefs, frozenset(some))

    assert not set(some) & set(probabilities.free.tolist())
    np.testing.assert_array_equal(membership_of(probabilities)[some], 0.0)
    assert probabilities.sizes.sum() == pytest.approx(len(TINY.X) - 4)
    assert_probabilities(*probabilities.rows_of(probabilities.free))


def test_when_everything_is_settled_nothing_is_free(prior: Prior) -> None:
    heaps = [np.flatnonzero(TINY.truth == label).tolist() for label in range(3)]

    probabilities = probabilities_of(
        prior, settled_as({heap[0]: heap for heap in heaps})
    )

    assert probabilities.free.size == 0
    assert probabilities.rows_of(probabilities.free)[0].shape == (0, 3)
    assert_probabilities(*probabilities.checked[:2])
    np.testing.assert_allclose(probabilities.sizes, [len(heap) for heap in heaps])


def test_what_is_thought_of_nobody_is_still_numbers(prior: Prior) -> None:
    rows, new, samples = after(prior).checked

    assert samples.size == 0
    assert rows.shape == (0, 3)
    assert rows.dtype == new.dtype == np.float64


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("k", [None, 1])
def test_there_is_a_picture_of_very_few_samples(n: int, k: int | None) -> None:
    tiny = Tiny(np.arange(n, dtype=np.float64)[:, np.newaxis], np.arange(n))

    probabilities = after(prior_for(tiny, k))

    assert_probabilities(*probabilities.questioned_of(probabilities.free))
    assert probabilities.sizes.sum() == pytest.approx(n)
    assert np.isfinite(probabilities.pairs).all()
