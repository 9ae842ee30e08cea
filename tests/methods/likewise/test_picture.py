"""What the model thinks of every sample and every pair of classes."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tests.methods.likewise.hand_made import (
    DIFFERENT,
    SAME,
    asked,
    ground_for,
    picture_of,
    pictures,
    settled_as,
    with_parts,
)
from tests.problems import Tiny, blobs

from likewise._arrays import AnyFloats, Floats, dense
from likewise.knowledge import Answer
from likewise.methods._likewise._beliefs import Beliefs
from likewise.methods._likewise._evidence import weighed
from likewise.methods._likewise._merges import (
    APART,
    CLOSED,
    PROMISED,
    fitted_map,
    logit,
)
from likewise.methods._likewise._picture import CLASS_PRIOR, CLASS_SLOPES
from likewise.methods._likewise._prior import Ground
from likewise.methods._likewise._probabilities_exact import Whole
from likewise.methods._likewise._state import State
from likewise.methods._likewise._surroundings import FLOOR, FOUNDER, TEMPER, sharpened

TINY = blobs((9, 8, 7), spread=1.8, seed=3)


@pytest.fixture(scope="module")
def ground() -> Ground:
    return ground_for(TINY, 3)


@pytest.fixture(scope="module", params=[3, None], ids=["k known", "k unknown"])
def seen(request: pytest.FixtureRequest) -> list[Whole]:
    """The pictures of a dialogue with some wrong and some unsure answers."""
    return pictures(ground_for(TINY, request.param), TINY.truth)


def after(ground: Ground, *answers: Answer) -> Whole:
    return picture_of(ground, Beliefs.of(ground.medoids).after_all(answers))


def assert_probabilities(rows: AnyFloats, new: AnyFloats) -> None:
    if not len(rows):
        return
    np.testing.assert_allclose(rows.sum(axis=1) + new, 1.0, atol=1e-9)
    assert rows.min(initial=0.0) >= 0
    assert new.min(initial=0.0) >= 0


def apart_picture(
    ground: Ground, votes: list[tuple[int, int]], *, m: int, same: float = 0.001
) -> Whole:
    """Return a picture of m classes, of which some pairs are voted apart."""
    beliefs = settled_as({s: [s] for s in range(m)})
    picture = picture_of(ground, beliefs)
    classes, pairs = np.zeros((m, m)), np.full((m, m), 0.3)
    np.fill_diagonal(pairs, 0.0)
    for g, h in votes:
        classes[g, h] = classes[h, g] = -1.0
        pairs[g, h] = pairs[h, g] = same
    evidence = replace(picture.evidence, classes=classes)
    return with_parts(picture, evidence=evidence, pairs=pairs)


def test_rows_sum_to_1_with_new(seen: list[Whole]) -> None:
    for picture in seen:
        assert_probabilities(*picture.rows)
        assert_probabilities(*picture.questioned)
        assert_probabilities(*picture.doubted)
        assert_probabilities(*picture.checked[:2])


def test_memberships_sum_to_1_and_sizes_to_n(seen: list[Whole]) -> None:
    for picture in seen:
        assert picture.membership.min() >= 0
        np.testing.assert_allclose(picture.membership.sum(axis=1), 1.0)
        assert picture.sizes.sum() == pytest.approx(len(TINY.X))


def test_a_settled_sample_is_all_of_its_class(seen: list[Whole]) -> None:
    for picture in seen:
        classes = picture.state.classes
        for sample, name in picture.state.beliefs.class_of.items():
            assert picture.membership[sample, classes.index(name)] == 1.0


def test_every_sample_is_settled_or_free(seen: list[Whole]) -> None:
    for picture in seen:
        both = [*picture.settled[0], *picture.free]
        assert sorted(both) == list(range(len(TINY.X)))


def test_far_is_between_0_and_1_and_small_at_settled_samples(
    seen: list[Whole],
) -> None:
    for picture in seen:
        settled = picture.settled[0]
        ground = picture.ground
        assert 0 <= picture.far.min() <= picture.far.max() <= 1
        bound = ground.noise / ground.prior_variance[settled]
        assert (picture.far[settled] <= bound + 1e-9).all()


def test_a_sample_comes_nearer_when_another_one_is_settled(ground: Ground) -> None:
    before = after(ground)
    sample = int(before.free[0])

    now = after(ground, asked(sample, int(ground.medoids[0]), SAME))

    assert (now.far <= before.far + 1e-9).all()
    assert now.far[sample] < before.far[sample]


def test_sharpened_rows_are_cubes_floored_and_normalised(
    rng: np.random.Generator,
) -> None:
    mean = rng.uniform(-0.5, 1.0, (6, 4))
    mean[:, 2] = rng.uniform(0.1, 1.0, 6)  # every row speaks for some class

    actual = sharpened(mean)

    for row, raised in zip(mean, actual, strict=True):
        cubes = [max(u / row.max(), FLOOR) ** 3 for u in row]
        np.testing.assert_allclose(raised, np.array(cubes) / sum(cubes))


@given(arrays(np.float64, (3, 4), elements=st.floats(-1, 1)))
def test_sharpened_rows_are_probabilities(mean: Floats) -> None:
    actual = sharpened(mean)

    assert (actual > 0).all()
    np.testing.assert_allclose(actual.sum(axis=1), 1.0)


def test_experts_are_weighed_by_how_well_they_foretell_settled_samples(
    seen: list[Whole],
) -> None:
    for picture in seen[::6]:
        beliefs = picture.state.beliefs
        samples, columns = picture.settled
        scores = np.zeros(len(picture.state.fields))
        for sample, column in zip(samples.tolist(), columns.tolist(), strict=True):
            home = picture.state.classes[column]
            if len(beliefs.members[home]) == 1:
                continue
            without = State.of(picture.ground, let_go(beliefs, sample))
            for e, field in enumerate(without.fields):
                chance = sharpened(field.at(np.array([sample])))[0, column]
                scores[e] += np.log(0.01 + 0.99 * chance)
        expected = np.exp(TEMPER * (scores - scores.max()))

        np.testing.assert_allclose(
            picture.state.around.experts, expected / expected.sum(), atol=1e-6
        )


def let_go(beliefs: Beliefs, sample: int) -> Beliefs:
    """Return the beliefs with a sample settled no longer; its class must not end."""
    home = beliefs.class_of[sample]
    members = dict(beliefs.members)
    members[home] = tuple(s for s in members[home] if s != sample)
    assert members[home]
    class_of = {s: name for s, name in beliefs.class_of.items() if s != sample}
    return replace(beliefs, class_of=class_of, members=members)


def shares_by_start(picture: Whole, beliefs: Beliefs, sample: int) -> Floats:
    """Return the classes of the settled samples in a sample's start clusters."""
    start, medoids = picture.ground.start, set(picture.ground.medoids.tolist())
    total = np.zeros(len(picture.state.classes))
    for cluster, part in enumerate(dense(picture.ground.shares[[sample]])[0]):
        inside = [s for s in beliefs.class_of if start[s] == cluster]
        weights = {s: FOUNDER if s in medoids else 1.0 for s in inside}
        for at, name in enumerate(picture.state.classes):
            mine = sum(weights[s] for s in inside if beliefs.class_of[s] == name)
            total[at] += part * mine / max(sum(weights.values()), 1e-12)
    return total


def row_by_definition(
    picture: Whole, near: Floats, own: Floats, far: float, novelty: float
) -> tuple[Floats, float]:
    pure = picture.purity
    share = picture.sizes / len(picture.ground.start)
    known = (1 - far) * near + far * (pure * own + (1 - pure) * (1 - novelty) * share)
    new = far * (1 - pure) * novelty
    return known / (known.sum() + new), new / (known.sum() + new)


def test_near_settled_samples_the_fields_speak_and_far_from_them_the_start(
    seen: list[Whole],
) -> None:
    for picture in seen[::4]:
        beliefs = picture.state.beliefs
        if beliefs.under_way:
            continue
        tally = beliefs.tally
        novelty = 0.0 if picture.main else tally.new / (tally.new + tally.old)
        near = picture.near(picture.free)
        rows, new = picture.rows
        for at, sample in enumerate(picture.free.tolist()):
            own = shares_by_start(picture, beliefs, sample)
            far = float(picture.far[sample])
            expected = row_by_definition(picture, near[at], own, far, novelty)
            np.testing.assert_allclose(rows[at], expected[0], atol=1e-9)
            assert new[at] == pytest.approx(expected[1], abs=1e-9)


def test_purity_is_the_share_of_hits(ground: Ground) -> None:
    medoid = int(ground.medoids[0])
    free = after(ground).free.tolist()

    before = after(ground)
    hit = after(ground, asked(free[0], medoid, SAME, aux=1.0))
    missed = after(ground, asked(free[0], medoid, DIFFERENT, aux=1.0))

    assert missed.purity < before.purity < hit.purity
    tally = hit.state.beliefs.tally
    assert hit.purity == tally.hits / (tally.hits + tally.misses)


def test_samples_under_way_make_new_classes_as_likely_as_they_are_new(
    ground: Ground,
) -> None:
    medoids = ground.medoids.tolist()
    sample = int(after(ground).free[0])
    picture = after(
        ground,
        asked(sample, medoids[0], DIFFERENT),
        asked(sample, medoids[1], DIFFERENT),
    )
    assert picture.state.beliefs.under_way == (sample,)
    tally = picture.state.beliefs.tally
    idle = replace(picture.state.beliefs, under_way=())
    plain, plain_new = picture_of(ground, idle).rows
    at = picture.free.tolist().index(sample)
    votes = picture.evidence.votes(np.array([sample]))
    _, chance = weighed(plain[[at]], plain_new[[at]], votes, picture.rates.strength)
    novelty = (tally.new + chance[0]) / (tally.new + tally.old + 1)

    rows, new = picture.rows

    near, own = picture.parts
    for i, free in enumerate(picture.free.tolist()):
        far = float(picture.far[free])
        expected = row_by_definition(picture, near[i], own[i], far, novelty)
        np.testing.assert_allclose(rows[i], expected[0], atol=1e-9)
        assert new[i] == pytest.approx(expected[1], abs=1e-9)


def test_what_is_thought_of_a_settled_sample_is_as_if_it_had_never_been_settled(
    seen: list[Whole],
) -> None:
    for picture in seen[::4]:
        beliefs = picture.state.beliefs
        rows, new, samples = picture.checked
        votes = picture.evidence.votes(samples)
        experts = picture.state.around.experts
        tally, rates = beliefs.tally, picture.rates
        novelty = tally.new / (tally.new + tally.old)
        share = picture.sizes / len(picture.ground.start)
        for at, sample in enumerate(samples.tolist()):
            if beliefs.members[beliefs.class_of[sample]] == (sample,):
                continue  # its class would be gone
            without = State.of(picture.ground, let_go(beliefs, sample))
            near: Any = sum(
                weight * sharpened(field.at(np.array([sample])))[0]
                for weight, field in zip(experts, without.fields, strict=True)
            )
            variance = without.coverage.variance[sample]
            far = min(float(variance / picture.ground.prior_variance[sample]), 1.0)
            own = shares_by_start(picture, without.beliefs, sample)
            row, fresh = row_by_definition(picture, near, own, far, novelty)
            row = (1 - rates.silent) * row + rates.silent * share
            fresh = (1 - rates.silent) * fresh
            worth = row * np.exp(rates.strength * votes[at])
            total = worth.sum() + fresh
            np.testing.assert_allclose(rows[at], worth / total, atol=1e-5)
            assert new[at] == pytest.approx(fresh / total, abs=1e-5)


def test_founders_are_not_checked(seen: list[Whole]) -> None:
    for picture in seen:
        settled = set(picture.settled[0].tolist())
        expected = settled - set(picture.state.classes)

        assert set(picture.checked[2].tolist()) == expected


def test_ballots_move_what_is_thought_of_a_sample(ground: Ground) -> None:
    before = after(ground)
    at = 0
    sample, column = int(before.free[at]), int(before.questioned[0][at].argmax())
    medoid = int(ground.medoids[column])

    no = after(ground, asked(sample, medoid, DIFFERENT))
    yes = after(ground, asked(sample, medoid, SAME, if_same=False))

    likely = [p.questioned[0][at, column] for p in (no, before, yes)]
    assert likely == sorted(likely)
    assert likely[0] < 0.5 * likely[1]


def test_a_sample_told_different_from_a_class_gets_almost_none_of_it(
    ground: Ground,
) -> None:
    for column, medoid in enumerate(ground.medoids.tolist()):
        for sample in after(ground).free.tolist():
            told = after(ground, asked(sample, medoid, DIFFERENT))
            assert told.membership[sample, column] < 1e-4


def test_samples_nobody_asked_about_are_as_the_fields_say(
    seen: list[Whole],
) -> None:
    for picture in seen:
        quiet = ~picture.evidence.votes(picture.free).any(axis=1)

        np.testing.assert_allclose(
            picture.questioned[0][quiet], picture.rows[0][quiet], atol=1e-9
        )
        np.testing.assert_allclose(
            picture.questioned[0][~quiet], picture.doubted[0][~quiet], atol=1e-12
        )


def test_silence_mixes_in_the_sizes_of_the_classes(seen: list[Whole]) -> None:
    picture = seen[-1]
    silent, share = picture.rates.silent, picture.sizes / len(TINY.X)
    rows, new = np.array([np.eye(len(share))[0]]), np.array([0.0])

    actual, actual_new = picture.silenced(rows, new)

    np.testing.assert_allclose(actual[0, 0], (1 - silent) + silent * share[0])
    np.testing.assert_allclose(actual[0, 1:], silent * share[1:])
    assert actual_new == 0


def test_rates_are_between_0_and_1(seen: list[Whole]) -> None:
    for picture in seen:
        assert 0 < picture.rates.wrong < 0.5
        assert 0 < picture.rates.silent < 1


def test_closeness_is_the_chance_of_a_step_from_the_smaller_class(
    seen: list[Whole],
) -> None:
    picture = seen[-1]
    W, Q = dense(picture.ground.weights), picture.membership
    m = Q.shape[1]
    R = np.zeros((m, m))
    for i, j in np.argwhere(W > 0):
        R += W[i, j] * np.outer(Q[i], Q[j])
    volume = R.sum(axis=1)
    expected = [
        [R[g, h] / min(volume[g], volume[h]) for h in range(m)] for g in range(m)
    ]

    np.testing.assert_allclose(picture.closeness, expected, atol=1e-9)
    assert 0 <= picture.closeness.min() <= picture.closeness.max() <= 1 + 1e-9


def test_pairs_are_probabilities_the_same_both_ways(seen: list[Whole]) -> None:
    for picture in seen:
        np.testing.assert_allclose(picture.pairs, picture.pairs.T, atol=1e-9)
        np.testing.assert_array_equal(np.diag(picture.pairs), 0.0)
        assert 0 <= picture.pairs.min() <= picture.pairs.max() <= 1


def test_pairs_follow_from_closeness_and_ballots(seen: list[Whole]) -> None:
    for one in seen:
        any_number = replace(one.ground, n_groups=None)
        picture = picture_of(any_number, one.state.beliefs)
        groups = picture.state.beliefs.tally.groups
        a, b = fitted_map(groups, CLASS_PRIOR, CLASS_SLOPES)
        for g, h in combinations(range(len(picture.pairs)), 2):
            odds = a + b * float(logit(picture.closeness[[g], [h]])[0])
            odds += picture.rates.strength * picture.evidence.classes[g, h]
            expected = 1 / (1 + np.exp(-odds))
            assert picture.pairs[g, h] == pytest.approx(expected, rel=1e-6)


def with_and_without_a_number(
    ground: Ground, beliefs: Beliefs, sizes: list[float]
) -> tuple[Floats, Floats]:
    """Return how likely faintly linked classes are one, of any number or of three."""
    m = len(sizes)
    faint = np.random.default_rng(0).uniform(0.001, 0.1, (m, m))
    any_number, three = (
        with_parts(
            picture_of(replace(ground, n_groups=k), beliefs),
            closeness=faint + faint.T,
            sizes=np.array(sizes),
        ).pairs
        for k in (None, 3)
    )
    return any_number, three


def test_more_classes_than_there_are_make_open_pairs_likelier(ground: Ground) -> None:
    a, b, c = ground.medoids.tolist()
    others = after(ground).free[:4].tolist()
    told = asked(a, b, DIFFERENT, "groups", aux=0.1)
    beliefs = settled_as({s: [s] for s in [a, b, c, *others]}).after(told)

    before, now = with_and_without_a_number(ground, beliefs, [24 / 7] * 7)

    is_open = np.triu(np.ones((7, 7), dtype=bool), 1)
    is_open[0, 1] = False
    assert (now[is_open] > before[is_open]).all()
    np.testing.assert_array_equal(np.argsort(now[is_open]), np.argsort(before[is_open]))
    assert before[is_open].sum() < PROMISED * 4 <= now[is_open].sum()
    assert now[0, 1] == pytest.approx(before[0, 1])


def test_classes_too_large_to_be_one_of_k_groups_are_less_likely_one(
    ground: Ground,
) -> None:
    beliefs = settled_as({s: [s] for s in range(3)})

    before, now = with_and_without_a_number(ground, beliefs, [14.0, 8.0, 2.0])

    assert now[0, 1] < before[0, 1]
    assert now[0, 1] / before[0, 1] < now[1, 2] / before[1, 2]


def test_classes_are_apart_when_told_so_and_unlikely_to_be_one(
    seen: list[Whole],
) -> None:
    for picture in seen:
        expected = (picture.evidence.classes < 0) & (picture.pairs < APART)

        np.testing.assert_array_equal(picture.apart, expected)


ALL_APART = [(0, 1), (0, 2), (1, 2)]


def test_the_main_classes_are_k_that_are_all_apart(ground: Ground) -> None:
    picture = apart_picture(ground, ALL_APART, m=4)

    assert sorted(picture.main) == [0, 1, 2]


@pytest.mark.parametrize("missing", ALL_APART)
def test_there_are_no_main_classes_while_one_pair_is_open(
    missing: tuple[int, int], ground: Ground
) -> None:
    votes = [pair for pair in ALL_APART if pair != missing]

    assert apart_picture(ground, votes, m=3).main == []


def test_there_are_no_main_classes_while_a_pair_may_well_be_one(ground: Ground) -> None:
    assert apart_picture(ground, ALL_APART, m=3, same=1.01 * APART).main == []


def test_there_are_no_main_classes_while_too_many_pairs_are_doubtful(
    ground: Ground,
) -> None:
    same = 0.99 * APART
    k = next(k for k in range(2, 20) if same * k * (k - 1) / 2 > CLOSED)
    votes = list(combinations(range(k), 2))
    other = replace(ground, n_groups=k)

    assert apart_picture(other, votes, m=k, same=same).main == []
    assert len(apart_picture(other, votes, m=k, same=same / k**2).main) == k


@pytest.mark.parametrize("n_groups", [None, 1, 2, 4])
def test_there_are_no_main_classes_unless_they_are_as_many_as_known(
    n_groups: int | None, ground: Ground
) -> None:
    other = replace(ground, n_groups=n_groups)

    assert apart_picture(other, ALL_APART, m=3).main == []


def test_main_classes_are_apart_whenever_there_are_any(
    seen: list[Whole],
) -> None:
    for picture in seen:
        assert len(picture.main) in (0, picture.ground.n_groups)
        for g, h in combinations(picture.main, 2):
            assert picture.apart[g, h]


def test_once_all_classes_are_found_no_sample_is_new(ground: Ground) -> None:
    a, b, c = ground.medoids.tolist()
    votes = [
        asked(i, j, DIFFERENT, "groups", aux=0.01)
        for _ in range(3)
        for i, j in ((a, b), (a, c), (b, c))
    ]

    picture = after(ground, *votes)

    assert len(picture.main) == 3
    np.testing.assert_array_equal(picture.rows[1], 0.0)
    assert_probabilities(*picture.rows)


def test_a_class_that_is_none_of_the_others_is_the_one_left(ground: Ground) -> None:
    a, b, c = ground.medoids.tolist()
    d = int(after(ground).free[0])
    beliefs = settled_as({s: [s] for s in (a, b, c, d)}).after_all(
        [
            asked(i, j, DIFFERENT, "groups", aux=0.01)
            for _ in range(3)
            for i, j in ((a, b), (a, c), (b, c), (d, a), (d, b))
        ]
    )

    picture = picture_of(ground, beliefs)

    # Any three of them may be the main ones; d is c in any case.
    assert len(picture.main) == 3
    assert picture.pairs[2, 3] > 0.9
    assert max(picture.pairs[0, 3], picture.pairs[1, 3]) < 0.1


def test_samples_set_aside_are_out_of_the_picture(ground: Ground) -> None:
    beliefs = Beliefs.of(ground.medoids)
    some = sorted(set(range(len(TINY.X))) - set(ground.medoids.tolist()))[:4]

    picture = picture_of(ground, beliefs, frozenset(some))

    assert not set(some) & set(picture.free.tolist())
    np.testing.assert_array_equal(picture.membership[some], 0.0)
    assert picture.sizes.sum() == pytest.approx(len(TINY.X) - 4)
    assert_probabilities(*picture.rows)


def test_when_everything_is_settled_nothing_is_free(ground: Ground) -> None:
    heaps = [np.flatnonzero(TINY.truth == label).tolist() for label in range(3)]

    picture = picture_of(ground, settled_as({heap[0]: heap for heap in heaps}))

    assert picture.free.size == 0
    assert picture.rows[0].shape == (0, 3)
    assert_probabilities(*picture.checked[:2])
    np.testing.assert_allclose(picture.sizes, [len(heap) for heap in heaps])


def test_what_is_thought_of_nobody_is_still_numbers(ground: Ground) -> None:
    rows, new, samples = after(ground).checked

    assert samples.size == 0
    assert rows.shape == (0, 3)
    assert rows.dtype == new.dtype == np.float64


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("k", [None, 1])
def test_there_is_a_picture_of_very_few_samples(n: int, k: int | None) -> None:
    tiny = Tiny(np.arange(n, dtype=np.float64)[:, np.newaxis], np.arange(n))

    picture = after(ground_for(tiny, k))

    assert_probabilities(*picture.questioned)
    assert picture.sizes.sum() == pytest.approx(n)
    assert np.isfinite(picture.pairs).all()
