"""From classes to clusters, and how good they are expected to be."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.definitions import classes_of
from tests.methods.likewise.hand_made import (
    DIFFERENT,
    SAME,
    asked,
    dialogue,
    ground_for,
    picture_of,
    pictures,
    settled_as,
    with_parts,
)
from tests.problems import Tiny, blobs

from likewise._arrays import Floats, Indices
from likewise.methods._likewise._beliefs import Beliefs
from likewise.methods._likewise._merges import fitted_map
from likewise.methods._likewise._output import (
    PROBABLY_NEW,
    TRUST_PRIOR,
    TRUST_SLOPES,
    belief,
    beliefs,
    clusters,
    expectation,
    main_classes,
)
from likewise.methods._likewise._prior import Ground
from likewise.methods._likewise._probabilities_exact import Whole
from likewise.session import LabelOracle

TINY = blobs((9, 8, 7), spread=1.8, seed=3)


@cache
def the_ground() -> Ground:
    return ground_for(TINY, 3)


@pytest.fixture
def ground() -> Ground:
    return the_ground()


@pytest.fixture(scope="module", params=[3, None], ids=["k known", "k unknown"])
def seen(request: pytest.FixtureRequest) -> list[Whole]:
    """The pictures of a dialogue with some wrong and some unsure answers."""
    return pictures(ground_for(TINY, request.param), TINY.truth)


def hand_made(
    ground: Ground,
    pairs: Floats,
    *,
    sizes: list[float] | None = None,
    votes: Floats | None = None,
    n_groups: int | None = None,
) -> Whole:
    """Return a picture of which the classes' sizes and relations are said."""
    m = len(pairs)
    made = picture_of(
        replace(ground, n_groups=n_groups), settled_as({s: [s] for s in range(m)})
    )
    classes = np.zeros((m, m)) if votes is None else votes
    return with_parts(
        made,
        pairs=pairs,
        sizes=np.array(sizes or [1.0] * m),
        evidence=replace(made.evidence, classes=classes),
    )


def symmetric(m: int, entries: dict[tuple[int, int], float]) -> Floats:
    made = np.zeros((m, m))
    for (g, h), value in entries.items():
        made[g, h] = made[h, g] = value
    return made


def believed(picture: Whole) -> Floats:
    """Return P(class) of all samples, of shape (n, m)."""
    return np.vstack([rows for _, rows in beliefs(picture)])


def expected_by_definition(
    R: Floats, same: Floats, labels: Indices
) -> tuple[float, float, float]:
    """Loop over all pairs of samples: P(same) = R_i' G R_j, G the classes that are one.

    Returns the Jaccard coefficient, the wrong pairs and those that count.
    """
    G = same + np.eye(len(same))
    both = wrong = either = 0.0
    for i, j in combinations(range(len(R)), 2):
        p = float(R[i] @ G @ R[j])
        if labels[i] == labels[j]:
            both += p
            wrong += 1 - p
            either += 1
        else:
            wrong += p
            either += p
    return both / either, wrong, either


def test_classes_that_are_surely_others_are_all_shown(ground: Ground) -> None:
    picture = hand_made(ground, symmetric(4, {(0, 1): 0.1, (2, 3): 0.2}))

    assert main_classes(picture).tolist() == [0, 1, 2, 3]


def test_a_class_that_is_probably_another_is_shown_with_it(ground: Ground) -> None:
    pairs = symmetric(3, {(0, 2): 0.9, (1, 2): 0.3})
    picture = hand_made(ground, pairs, sizes=[5.0, 4.0, 1.0])

    assert main_classes(picture).tolist() == [0, 1, 0]


def test_the_larger_of_two_classes_gives_its_name(ground: Ground) -> None:
    picture = hand_made(ground, symmetric(2, {(0, 1): 0.9}), sizes=[1.0, 5.0])

    assert main_classes(picture).tolist() == [1, 1]


def test_at_least_as_many_classes_as_are_known_are_shown(ground: Ground) -> None:
    pairs = symmetric(3, {(0, 1): 0.9, (0, 2): 0.9, (1, 2): 0.8})

    for k in (1, 2, 3):
        shown = main_classes(hand_made(ground, pairs, n_groups=k))
        assert len(set(shown.tolist())) == k


def test_more_classes_than_are_known_are_shown_if_they_are_probably_new(
    ground: Ground,
) -> None:
    picture = hand_made(ground, symmetric(4, {(0, 1): 0.2}), n_groups=2)

    assert len(set(main_classes(picture).tolist())) == 4


def test_classes_told_apart_are_not_shown_together(ground: Ground) -> None:
    pairs = symmetric(2, {(0, 1): 0.9})

    shown = main_classes(hand_made(ground, pairs, votes=symmetric(2, {(0, 1): -1.0})))

    assert shown[0] != shown[1]


@st.composite
def relations(draw: st.DrawFn, m: int = 5) -> tuple[Floats, Floats, list[float]]:
    """Draw how likely classes are one, what was voted, and their sizes."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    pairs = np.triu(rng.random((m, m)), 1)
    votes = np.triu(rng.integers(-1, 2, (m, m)), 1).astype(float)
    return pairs + pairs.T, votes + votes.T, rng.uniform(1, 9, m).tolist()


@given(relations(), st.sampled_from([None, 2, 4]))
def test_a_class_is_never_shown_with_one_that_it_was_told_apart_from(
    drawn: tuple[Floats, Floats, list[float]], k: int | None
) -> None:
    pairs, votes, sizes = drawn
    ground = the_ground()

    target = main_classes(
        hand_made(ground, pairs, sizes=sizes, votes=votes, n_groups=k)
    )

    np.testing.assert_array_equal(target[target], target)
    for g, h in combinations(range(len(target)), 2):
        assert target[g] != target[h] or votes[g, h] >= 0


def test_two_classes_told_apart_do_not_both_join_a_third(ground: Ground) -> None:
    pairs = symmetric(3, {(0, 1): 0.9, (0, 2): 0.9, (1, 2): 0.01})
    votes = symmetric(3, {(1, 2): -2.0})

    target = main_classes(hand_made(ground, pairs, sizes=[9.0, 1.0, 1.0], votes=votes))

    assert target[1] != target[2]


def test_every_class_that_is_probably_new_may_be_joined(ground: Ground) -> None:
    # The second is probably the first; the third, though new, is smaller than it.
    pairs = symmetric(4, {(0, 1): 0.6, (2, 3): 0.95})
    pairs[0, 2] = pairs[2, 0] = 0.4
    pairs[0, 3] = pairs[3, 0] = 0.55
    assert 1 - pairs[0, 2] >= PROBABLY_NEW

    target = main_classes(hand_made(ground, pairs, sizes=[20.0, 9.0, 1.0, 0.5]))

    assert target.tolist() == [0, 0, 2, 2]


def test_without_answers_the_clusters_are_those_of_the_start(ground: Ground) -> None:
    picture = picture_of(ground, Beliefs.of(ground.medoids))

    assert classes_of(clusters(picture).tolist()) == classes_of(ground.start.tolist())


def test_settled_samples_are_shown_with_their_class(seen: list[Whole]) -> None:
    for picture in seen:
        labels, target = clusters(picture), main_classes(picture)
        samples, columns = picture.settled

        np.testing.assert_array_equal(labels[samples], target[columns])


def test_free_samples_are_shown_where_they_most_belong(
    seen: list[Whole],
) -> None:
    for picture in seen[::4]:
        labels, target = clusters(picture), main_classes(picture)
        for sample in picture.free.tolist():
            total = {
                g: picture.membership[sample, target == g].sum() for g in set(target)
            }
            assert total[labels[sample]] == pytest.approx(max(total.values()))


def test_beliefs_are_probabilities(seen: list[Whole]) -> None:
    for picture in seen:
        R = believed(picture)

        assert R.shape == picture.membership.shape
        assert R.min() >= 0
        assert R.sum(axis=1).max() <= 1 + 1e-9


def test_what_is_believed_of_one_sample_is_its_row(seen: list[Whole]) -> None:
    for picture in seen[::4]:
        for sample, row in enumerate(believed(picture)):
            np.testing.assert_array_equal(belief(picture, sample), row)


def test_the_likeliest_class_is_trusted_as_far_as_first_questions_bore_it_out(
    seen: list[Whole],
) -> None:
    for picture in seen[::4]:
        firsts = picture.state.beliefs.tally.firsts
        a, b = fitted_map(firsts, TRUST_PRIOR, TRUST_SLOPES)
        R = believed(picture)
        for row, sample in zip(picture.questioned[0], picture.free, strict=True):
            top = int(row.argmax())
            p = float(np.clip(row[top], 1e-4, 1 - 1e-4))
            trusted = 1 / (1 + np.exp(-(a + b * np.log(p / (1 - p)))))
            others = np.delete(row, top) * (1 - trusted) / (1 - p)
            assert R[sample, top] == pytest.approx(trusted)
            np.testing.assert_allclose(np.delete(R[sample], top), others, atol=1e-9)


def test_founders_are_believed_and_settled_samples_as_far_as_checks_would(
    seen: list[Whole],
) -> None:
    for picture in seen:
        R = believed(picture)
        rows, _, samples = picture.checked
        founders = sorted(set(picture.settled[0].tolist()) - set(samples.tolist()))

        np.testing.assert_array_equal(R[founders], picture.membership[founders])
        if len(samples):
            np.testing.assert_allclose(R[samples], rows)


def test_the_expectation_is_the_sum_over_all_pairs(seen: list[Whole]) -> None:
    for picture in seen[::6]:
        labels = clusters(picture)
        expected = expected_by_definition(believed(picture), picture.pairs, labels)

        np.testing.assert_allclose(expectation(picture, labels), expected, rtol=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_the_expectation_holds_for_any_clustering(seed: int, ground: Ground) -> None:
    picture = picture_of(ground, Beliefs.of(ground.medoids))
    labels = np.random.default_rng(seed).integers(0, 4, len(TINY.X)).astype(np.intp)

    expected = expected_by_definition(believed(picture), picture.pairs, labels)

    np.testing.assert_allclose(expectation(picture, labels), expected, rtol=1e-9)


def test_the_expected_jaccard_is_between_0_and_1(seen: list[Whole]) -> None:
    for picture in seen:
        jaccard, wrong, pairs = expectation(picture, clusters(picture))

        assert 0 <= jaccard <= 1
        assert 0 <= wrong <= pairs + 1e-9


def settled_and_apart(ground: Ground) -> Whole:
    """Return a picture in which every sample is believed and every class apart."""
    heaps = [np.flatnonzero(TINY.truth == label).tolist() for label in range(3)]
    picture = picture_of(ground, settled_as({heap[0]: heap for heap in heaps}))
    _, new, samples = picture.checked
    sure = (picture.membership[samples], np.zeros_like(new), samples)
    return with_parts(picture, checked=sure, pairs=np.zeros((3, 3)))


def test_when_everything_is_settled_and_apart_nothing_is_wrong(ground: Ground) -> None:
    picture = settled_and_apart(ground)

    jaccard, wrong, pairs = expectation(picture, clusters(picture))

    assert jaccard == pytest.approx(1.0)
    assert wrong == pytest.approx(0.0, abs=1e-9)
    assert pairs == pytest.approx(sum(n * (n - 1) / 2 for n in (9, 8, 7)))
    assert classes_of(clusters(picture).tolist()) == classes_of(TINY.truth.tolist())


def test_splitting_a_settled_class_costs_its_pairs(ground: Ground) -> None:
    picture = settled_and_apart(ground)
    labels = TINY.truth.copy()
    labels[np.flatnonzero(labels == 0)[:4]] = 3

    _, wrong, _ = expectation(picture, labels)

    assert wrong == pytest.approx(4 * 5)


def test_a_dialogue_that_goes_well_ends_with_high_expectations(seed: int) -> None:
    tiny = blobs((10, 10, 10), seed=seed)
    ground = ground_for(tiny, 3)

    steps = list(dialogue(ground, LabelOracle(tiny.truth), budget=100))

    first, last = steps[0][0], steps[-1][0]
    assert expectation(last, clusters(last))[0] > 0.9
    assert (
        expectation(last, clusters(last))[0] >= expectation(first, clusters(first))[0]
    )


def test_an_answer_against_the_clusters_lowers_the_expectation(ground: Ground) -> None:
    before = picture_of(ground, Beliefs.of(ground.medoids))
    labels = clusters(before)
    sample = int(before.free[0])
    medoid = int(ground.medoids[ground.start[sample]])

    no, yes = (
        picture_of(
            ground,
            Beliefs.of(ground.medoids).after(asked(sample, medoid, told, aux=1.0)),
        )
        for told in (DIFFERENT, SAME)
    )

    assert expectation(no, labels)[0] < expectation(yes, labels)[0]


def test_a_clustering_without_pairs_is_as_good_as_can_be() -> None:
    ground = ground_for(Tiny(np.zeros((1, 1)), np.zeros(1, dtype=np.intp)), 1)
    picture = picture_of(ground, Beliefs.of(ground.medoids))

    assert expectation(picture, clusters(picture))[0] == 1.0


def test_samples_set_aside_do_not_lower_the_expectation(ground: Ground) -> None:
    founders = Beliefs.of(ground.medoids)
    aside = frozenset(picture_of(ground, founders).free[:6].tolist())
    picture = picture_of(ground, founders, aside)
    kept = np.setdiff1d(np.arange(len(TINY.X)), list(aside))

    actual = expectation(picture, clusters(picture))

    expected = expected_by_definition(
        believed(picture)[kept], picture.pairs, clusters(picture)[kept]
    )
    np.testing.assert_allclose(actual, expected, rtol=1e-9)
