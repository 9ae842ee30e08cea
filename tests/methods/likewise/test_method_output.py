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
    membership_of,
    prior_for,
    probabilities_of,
    seen_in_dialogue,
    settled_as,
    with_parts,
)
from tests.problems import Tiny, blobs

from likewise._arrays import Floats, Indices
from likewise.methods._likewise._beliefs import Beliefs
from likewise.methods._likewise._method import (
    PROBABLY_NEW,
    Sums,
    belief,
    beliefs,
    main_classes,
    tally_of,
)
from likewise.methods._likewise._method import clusters as clusters_there
from likewise.methods._likewise._method import expectation as expectation_of
from likewise.methods._likewise._method import sums_of as sums_there
from likewise.methods._likewise._prior import Prior
from likewise.methods._likewise._probabilities import (
    TRUST_PRIOR,
    TRUST_SLOPES,
    Probabilities,
    fitted_map,
)
from likewise.methods._outlook import Tally
from likewise.session import LabelOracle
from likewise.spectral import DOUBLE, DeviceClusters

TINY = blobs((9, 8, 7), spread=1.8, seed=3)


@cache
def the_prior() -> Prior:
    return prior_for(TINY, 3)


@pytest.fixture
def prior() -> Prior:
    return the_prior()


@pytest.fixture(scope="module", params=[3, None], ids=["k known", "k unknown"])
def seen(request: pytest.FixtureRequest) -> list[Probabilities]:
    """What is thought during a dialogue with some wrong and some unsure answers."""
    return seen_in_dialogue(prior_for(TINY, request.param), TINY.truth)


def hand_made(
    prior: Prior,
    pairs: Floats,
    *,
    sizes: list[float] | None = None,
    votes: Floats | None = None,
    n_groups: int | None = None,
) -> Probabilities:
    """Return what is thought where the classes' sizes and relations are said."""
    m = len(pairs)
    made = probabilities_of(
        replace(prior, n_groups=n_groups), settled_as({s: [s] for s in range(m)})
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


def believed(probabilities: Probabilities) -> Floats:
    """Return P(class) of all samples, of shape (n, m)."""
    return np.vstack([rows for _, rows in beliefs(probabilities)])


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


def test_classes_that_are_surely_others_are_all_shown(prior: Prior) -> None:
    probabilities = hand_made(prior, symmetric(4, {(0, 1): 0.1, (2, 3): 0.2}))

    assert main_classes(probabilities).tolist() == [0, 1, 2, 3]


def test_a_class_that_is_probably_another_is_shown_with_it(prior: Prior) -> None:
    pairs = symmetric(3, {(0, 2): 0.9, (1, 2): 0.3})
    probabilities = hand_made(prior, pairs, sizes=[5.0, 4.0, 1.0])

    assert main_classes(probabilities).tolist() == [0, 1, 0]


def test_the_larger_of_two_classes_gives_its_name(prior: Prior) -> None:
    probabilities = hand_made(prior, symmetric(2, {(0, 1): 0.9}), sizes=[1.0, 5.0])

    assert main_classes(probabilities).tolist() == [1, 1]


def test_at_least_as_many_classes_as_are_known_are_shown(prior: Prior) -> None:
    pairs = symmetric(3, {(0, 1): 0.9, (0, 2): 0.9, (1, 2): 0.8})

    for k in (1, 2, 3):
        shown = main_classes(hand_made(prior, pairs, n_groups=k))
        assert len(set(shown.tolist())) == k


def test_more_classes_than_are_known_are_shown_if_they_are_probably_new(
    prior: Prior,
) -> None:
    probabilities = hand_made(prior, symmetric(4, {(0, 1): 0.2}), n_groups=2)

    assert len(set(main_classes(probabilities).tolist())) == 4


def test_classes_told_apart_are_not_shown_together(prior: Prior) -> None:
    pairs = symmetric(2, {(0, 1): 0.9})

    shown = main_classes(hand_made(prior, pairs, votes=symmetric(2, {(0, 1): -1.0})))

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
    prior = the_prior()

    target = main_classes(hand_made(prior, pairs, sizes=sizes, votes=votes, n_groups=k))

    np.testing.assert_array_equal(target[target], target)
    for g, h in combinations(range(len(target)), 2):
        assert target[g] != target[h] or votes[g, h] >= 0


def test_two_classes_told_apart_do_not_both_join_a_third(prior: Prior) -> None:
    pairs = symmetric(3, {(0, 1): 0.9, (0, 2): 0.9, (1, 2): 0.01})
    votes = symmetric(3, {(1, 2): -2.0})

    target = main_classes(hand_made(prior, pairs, sizes=[9.0, 1.0, 1.0], votes=votes))

    assert target[1] != target[2]


def test_every_class_that_is_probably_new_may_be_joined(prior: Prior) -> None:
    # The second is probably the first; the third, though new, is smaller than it.
    pairs = symmetric(4, {(0, 1): 0.6, (2, 3): 0.95})
    pairs[0, 2] = pairs[2, 0] = 0.4
    pairs[0, 3] = pairs[3, 0] = 0.55
    assert 1 - pairs[0, 2] >= PROBABLY_NEW

    target = main_classes(hand_made(prior, pairs, sizes=[20.0, 9.0, 1.0, 0.5]))

    assert target.tolist() == [0, 0, 2, 2]


def test_without_answers_the_clusters_are_those_of_the_start(prior: Prior) -> None:
    probabilities = probabilities_of(prior, Beliefs.of(prior.medoids))

    assert classes_of(clusters(probabilities).tolist()) == classes_of(
        prior.start.tolist()
    )


def test_settled_samples_are_shown_with_their_class(seen: list[Probabilities]) -> None:
    for probabilities in seen:
        labels, target = clusters(probabilities), main_classes(probabilities)
        samples, columns = probabilities.settled

        np.testing.assert_array_equal(labels[samples], target[columns])


def test_free_samples_are_shown_where_they_most_belong(
    seen: list[Probabilities],
) -> None:
    for probabilities in seen[::4]:
        labels, target = clusters(probabilities), main_classes(probabilities)
        for sample in probabilities.free.tolist():
            total = {
                g: membership_of(probabilities)[sample, target == g].sum()
                for g in set(target)
            }
            assert total[labels[sample]] == pytest.approx(max(total.values()))


def test_beliefs_are_probabilities(seen: list[Probabilities]) -> None:
    for probabilities in seen:
        R = believed(probabilities)

        assert R.shape == membership_of(probabilities).shape
        assert R.min() >= 0
        assert R.sum(axis=1).max() <= 1 + 1e-9


def test_what_is_believed_of_one_sample_is_its_row(seen: list[Probabilities]) -> None:
    for probabilities in seen[::4]:
        for sample, row in enumerate(believed(probabilities)):
            np.testing.assert_allclose(belief(probabilities, sample), row, atol=1e-9)


def test_the_likeliest_class_is_trusted_as_far_as_first_questions_bore_it_out(
    seen: list[Probabilities],
) -> None:
    for probabilities in seen[::4]:
        firsts = probabilities.beliefs.calibration.firsts
        a, b = fitted_map(firsts, TRUST_PRIOR, TRUST_SLOPES)
        R = believed(probabilities)
        for row, sample in zip(
            probabilities.questioned_of(probabilities.free)[0],
            probabilities.free,
            strict=True,
        ):
            top = int(row.argmax())
            p = float(np.clip(row[top], 1e-4, 1 - 1e-4))
            trusted = 1 / (1 + np.exp(-(a + b * np.log(p / (1 - p)))))
            others = np.delete(row, top) * (1 - trusted) / (1 - p)
            assert R[sample, top] == pytest.approx(trusted)
            np.testing.assert_allclose(np.delete(R[sample], top), others, atol=1e-9)


def test_founders_are_believed_and_settled_samples_as_far_as_checks_would(
    seen: list[Probabilities],
) -> None:
    for probabilities in seen:
        R = believed(probabilities)
        rows, _, samples = probabilities.checked
        founders = sorted(
            set(probabilities.settled[0].tolist()) - set(samples.tolist())
        )

        np.testing.assert_array_equal(
            R[founders], membership_of(probabilities)[founders]
        )
        if len(samples):
            np.testing.assert_allclose(R[samples], rows)


def sums_of(probabilities: Probabilities, labels: Indices) -> Sums:
    return sums_there(probabilities, DeviceClusters(DOUBLE.indices(labels)))


def clusters(probabilities: Probabilities) -> Indices:
    return clusters_there(probabilities)[:]


def expectation(
    probabilities: Probabilities, labels: Indices
) -> tuple[float, float, float]:
    return expectation_of(probabilities, sums_of(probabilities, labels))


def test_the_expectation_is_the_sum_over_all_pairs(seen: list[Probabilities]) -> None:
    for probabilities in seen[::6]:
        labels = clusters(probabilities)
        expected = expected_by_definition(
            believed(probabilities), probabilities.pairs, labels
        )

        np.testing.assert_allclose(
            expectation(probabilities, labels), expected, rtol=1e-9
        )


@pytest.mark.parametrize("seed", range(5))
def test_the_expectation_holds_for_any_clustering(seed: int, prior: Prior) -> None:
    probabilities = probabilities_of(prior, Beliefs.of(prior.medoids))
    labels = np.random.default_rng(seed).integers(0, 4, len(TINY.X)).astype(np.intp)

    expected = expected_by_definition(
        believed(probabilities), probabilities.pairs, labels
    )

    np.testing.assert_allclose(expectation(probabilities, labels), expected, rtol=1e-9)


def test_the_expected_jaccard_is_between_0_and_1(seen: list[Probabilities]) -> None:
    for probabilities in seen:
        jaccard, wrong, pairs = expectation(probabilities, clusters(probabilities))

        assert 0 <= jaccard <= 1
        assert 0 <= wrong <= pairs + 1e-9


def tally(probabilities: Probabilities) -> Tally:
    labels, target = clusters(probabilities), main_classes(probabilities)
    return tally_of(probabilities, sums_of(probabilities, labels), target, 0)


def test_a_sample_is_right_by_the_classes_that_are_shown_with_its_cluster(
    seen: list[Probabilities],
) -> None:
    for probabilities in seen[::6]:
        labels, target = clusters(probabilities), main_classes(probabilities)
        rows, is_free = believed(probabilities), probabilities.is_free
        own = (rows * (target == labels[:, np.newaxis])).sum(axis=1)

        found = tally(probabilities)

        assert (found.n_free, found.n_samples) == (is_free.sum(), len(labels))
        share = found.free / max(own[is_free].sum(), 1e-9)
        assert 0 < share <= 1 + 1e-9  # what is left, as some clusters may be one group
        assert found.settled == pytest.approx(share * own[~is_free].sum())


def test_of_clusters_that_may_be_one_group_only_the_largest_is_right(
    prior: Prior,
) -> None:
    apart = settled_and_apart(prior)
    pairs = np.array([[0, 0.2, 0], [0.2, 0, 0], [0, 0, 0]])
    maybe = with_parts(apart, checked=apart.checked, pairs=pairs)

    assert tally(apart).settled == pytest.approx(24)
    assert tally(maybe).settled == pytest.approx(24 - 0.2 * 8)


def settled_and_apart(prior: Prior) -> Probabilities:
    """Return what is thought when every sample is believed, every class apart."""
    heaps = [np.flatnonzero(TINY.truth == label).tolist() for label in range(3)]
    probabilities = probabilities_of(
        prior, settled_as({heap[0]: heap for heap in heaps})
    )
    _, new, samples = probabilities.checked
    sure = (membership_of(probabilities)[samples], np.zeros_like(new), samples)
    return with_parts(probabilities, checked=sure, pairs=np.zeros((3, 3)))


def test_when_everything_is_settled_and_apart_nothing_is_wrong(prior: Prior) -> None:
    probabilities = settled_and_apart(prior)

    jaccard, wrong, pairs = expectation(probabilities, clusters(probabilities))

    assert jaccard == pytest.approx(1.0)
    assert wrong == pytest.approx(0.0, abs=1e-9)
    assert pairs == pytest.approx(sum(n * (n - 1) / 2 for n in (9, 8, 7)))
    assert classes_of(clusters(probabilities).tolist()) == classes_of(
        TINY.truth.tolist()
    )


def test_splitting_a_settled_class_costs_its_pairs(prior: Prior) -> None:
    probabilities = settled_and_apart(prior)
    labels = TINY.truth.copy()
    labels[np.flatnonzero(labels == 0)[:4]] = 3

    _, wrong, _ = expectation(probabilities, labels)

    assert wrong == pytest.approx(4 * 5)


def test_a_dialogue_that_goes_well_ends_with_high_expectations(seed: int) -> None:
    tiny = blobs((10, 10, 10), seed=seed)
    prior = prior_for(tiny, 3)

    steps = list(dialogue(prior, LabelOracle(tiny.truth), budget=100))

    first, last = steps[0][0], steps[-1][0]
    assert expectation(last, clusters(last))[0] > 0.9
    assert (
        expectation(last, clusters(last))[0] >= expectation(first, clusters(first))[0]
    )


def test_an_answer_against_the_clusters_lowers_the_expectation(prior: Prior) -> None:
    before = probabilities_of(prior, Beliefs.of(prior.medoids))
    labels = clusters(before)
    sample = int(before.free[0])
    medoid = int(prior.medoids[prior.start[sample]])

    no, yes = (
        probabilities_of(
            prior,
            Beliefs.of(prior.medoids).after(asked(sample, medoid, told, aux=1.0)),
        )
        for told in (DIFFERENT, SAME)
    )

    assert expectation(no, labels)[0] < expectation(yes, labels)[0]


def test_a_clustering_without_pairs_is_as_good_as_can_be() -> None:
    prior = prior_for(Tiny(np.zeros((1, 1)), np.zeros(1, dtype=np.intp)), 1)
    probabilities = probabilities_of(prior, Beliefs.of(prior.medoids))

    assert expectation(probabilities, clusters(probabilities))[0] == 1.0


def test_samples_set_aside_do_not_lower_the_expectation(prior: Prior) -> None:
    founders = Beliefs.of(prior.medoids)
    aside = frozenset(probabilities_of(prior, founders).free[:6].tolist())
    probabilities = probabilities_of(prior, founders, aside)
    kept = np.setdiff1d(np.arange(len(TINY.X)), list(aside))

    actual = expectation(probabilities, clusters(probabilities))

    expected = expected_by_definition(
        believed(probabilities)[kept],
        probabilities.pairs,
        clusters(probabilities)[kept],
    )
    np.testing.assert_allclose(actual, expected, rtol=1e-9)
