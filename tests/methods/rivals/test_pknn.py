"""pKNN+AL: samples whose nearest placed samples disagree."""

from __future__ import annotations

import pickle
from collections.abc import Iterator

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.stats
from tests.problems import Tiny, blobs

from likewise import LabelOracle, Session, run
from likewise._arrays import Floats, Indices
from likewise.affinity import auto
from likewise.knowledge import Knowledge
from likewise.methods._rivals._pool import (
    N_NEAREST,
    PKNN,
    WIDTH,
    disagreement,
    feature_weights,
)
from likewise.methods.clustering import SpectralModel
from likewise.methods.sampling import unplaced


@pytest.fixture
def mixed(seed: int) -> Tiny:
    """Three heaps of 10 that run into each other."""
    return blobs((10, 10, 10), spread=2.5, seed=seed)


def steps(session: Session, tiny: Tiny, budget: int) -> Iterator[Knowledge]:
    for _ in run(session, LabelOracle(tiny.truth), budget):
        yield Knowledge(session.n_samples).after_all(session.history)


def scores(session: Session, known: Knowledge) -> dict[int, float]:
    """Return the score of every sample that is in no certain set."""
    free = unplaced(known)
    model = session.view.model
    assert isinstance(model, SpectralModel)
    found = disagreement(model, known, free, np.random.default_rng(0))
    return dict(zip(free.tolist(), found.tolist(), strict=True))


def entropy_of(x: Floats, known: Knowledge, classes: Indices) -> float:
    """Return the entropy of the classes of the placed samples that x is most like."""
    placed = [s for g in known.certain for s in known.constraints.samples(g)]
    near = sorted(placed, key=lambda s: -x[s])[:N_NEAREST]
    mass = [sum(x[s] for s in near if classes[s] == c) for c in set(classes[near])]
    return float(scipy.stats.entropy(mass)) if sum(mass) > 0 else np.nan


def test_the_score_is_the_entropy_in_the_learned_metric(mixed: Tiny) -> None:
    session = Session(mixed.X, PKNN, 3)
    X = mixed.X - mixed.X.mean(axis=0)

    for known in steps(session, mixed, 30):
        sets = [known.constraints.samples(g) for g in known.certain]
        placed = np.array([s for members in sets for s in members])
        classes = np.repeat(np.arange(len(sets)), [len(members) for members in sets])
        m = feature_weights(X, placed, classes)
        squared = (m * (X[:, np.newaxis] - X) ** 2).sum(axis=2)
        K = np.exp(-squared / (WIDTH * squared.mean()))
        for sample, score in scores(session, known).items():
            if K[sample, placed].max() > 1e-200:
                expected = entropy_of(K[sample], known, mixed.truth)
                assert score == pytest.approx(expected, abs=1e-6)


def test_it_asks_about_the_sample_with_the_largest_entropy(mixed: Tiny) -> None:
    session, looked = Session(mixed.X, PKNN, 3), 0

    for known in steps(session, mixed, 30):
        question, found = session.ask(), scores(session, known)
        begun = {a.question.sample for a in known.answers}
        if question is not None and question.sample not in begun:
            assert found[question.sample] == max(found.values())
            looked += 1

    assert looked > 5


@pytest.mark.parametrize("convert", [np.array, sp.csr_array])
def test_without_features_the_similarities_decide(convert: type, mixed: Tiny) -> None:
    W = auto(mixed.X).weights.toarray()
    session = Session(convert(W), PKNN, 3, "precomputed")

    for known in steps(session, mixed, 20):
        unlike_all = np.log(len(known.certain))
        for sample, score in scores(session, known).items():
            expected = entropy_of(W[sample], known, mixed.truth)
            assert score == pytest.approx(np.nan_to_num(expected, nan=unlike_all))


def test_sparse_features_give_the_questions_of_dense_ones(mixed: Tiny) -> None:
    told = [(0, i, bool(mixed.truth[0] == mixed.truth[i])) for i in range(1, 9)]
    session = Session(mixed.X, PKNN, 3, answers=told)
    sparse = Session(sp.csr_array(mixed.X), PKNN, 3, answers=told)
    known = Knowledge(30).after_all(session.history)

    expected, actual = scores(session, known), scores(sparse, known)

    assert actual.keys() == expected.keys()
    for sample, score in expected.items():
        # Sparse samples are not centred, so the last digits differ.
        assert actual[sample] == pytest.approx(score, abs=1e-6)


def test_while_one_class_is_known_nothing_disagrees(mixed: Tiny) -> None:
    together = np.flatnonzero(mixed.truth == 0)[:4].tolist()
    told = [(together[0], other, True) for other in together[1:]]
    session = Session(mixed.X, PKNN, 3, answers=told)

    found = scores(session, Knowledge(30).after_all(session.history))

    assert set(found.values()) == {0.0}


def test_it_can_be_sent_to_another_process() -> None:
    assert pickle.loads(pickle.dumps(PKNN)).name == "pknn+al"
