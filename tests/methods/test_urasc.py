"""The variants of URASC: gradient times step, or one of them alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.problems import Tiny, blobs

from likewise import InputError, LabelOracle, Session, run
from likewise._arrays import AnyFloats
from likewise.methods import Recipe, urasc
from likewise.methods._urasc import STEPS
from likewise.methods.clustering import SpectralModel
from likewise.methods.constrained import GRADIENTS, ExactClustering
from likewise.spectral import Spectrum


@pytest.fixture
def mixed(seed: int) -> Tiny:
    """Three heaps of 10 that cannot be told apart by their places alone."""
    return blobs((10, 10, 10), spread=3.0, seed=seed)


def first_of(session: Session) -> tuple[int, int, SpectralModel]:
    """Return the first question and the model it was asked from."""
    question = session.ask()
    assert question is not None
    model = session.view.model
    assert isinstance(model, SpectralModel)
    return question.sample, question.against, model


def spectrum_of(model: SpectralModel) -> Spectrum:
    assert isinstance(model.clustering, ExactClustering)
    return model.clustering.pairs


def assert_is_best(sample: int, scores: AnyFloats, start: int) -> None:
    assert scores[sample] == np.delete(scores, start).max()


@pytest.mark.parametrize("gradient", GRADIENTS)
def test_gradient_only_asks_about_the_sample_that_moves_most(
    gradient: str, mixed: Tiny
) -> None:
    method = urasc("mine", step=None, gradient=gradient)

    sample, start, model = first_of(Session(mixed.X, method, 3))

    scores = GRADIENTS[gradient](spectrum_of(model), 3, np.array([start]))
    assert_is_best(sample, scores, start)


@pytest.mark.parametrize("step", STEPS)
def test_step_only_asks_about_the_most_ambiguous_sample(step: str, mixed: Tiny) -> None:
    method = urasc("mine", step=step, gradient=None)

    sample, start, model = first_of(Session(mixed.X, method, 3))

    assert_is_best(sample, STEPS[step](model)[:], start)


@pytest.mark.parametrize("gradient", GRADIENTS)
@pytest.mark.parametrize("step", STEPS)
def test_both_ask_about_the_sample_with_the_largest_product(
    step: str, gradient: str, mixed: Tiny
) -> None:
    method = urasc("mine", step=step, gradient=gradient)

    sample, start, model = first_of(Session(mixed.X, method, 3))

    slope = GRADIENTS[gradient](spectrum_of(model), 3, np.array([start]))
    assert_is_best(sample, STEPS[step](model)[:] * slope, start)


def test_a_shortlist_of_one_asks_about_the_most_ambiguous_sample(
    mixed: Tiny,
) -> None:
    method = urasc("mine", shortlist=1)

    sample, start, model = first_of(Session(mixed.X, method, 3))

    assert_is_best(sample, STEPS["nonparametric"](model)[:], start)


def test_a_shortlist_asks_about_the_largest_product_in_it(mixed: Tiny) -> None:
    method = urasc("mine", shortlist=4)

    sample, start, model = first_of(Session(mixed.X, method, 3))

    steps = STEPS["nonparametric"](model)[:]
    steps[start] = -1.0
    listed = np.argsort(-steps)[:4]
    slope = GRADIENTS["paper"](spectrum_of(model), 3, np.array([start]))
    assert sample == listed[(steps * slope)[listed].argmax()]


@pytest.mark.parametrize("shortlist", [30, 1000])
def test_a_shortlist_of_everything_changes_nothing(shortlist: int, mixed: Tiny) -> None:
    method = urasc("mine", shortlist=shortlist)

    assert Session(mixed.X, method, 3).ask() == Session(mixed.X, urasc("mine"), 3).ask()


def test_questions_go_on_when_the_shortlist_is_used_up(mixed: Tiny) -> None:
    session = Session(mixed.X, urasc("mine", shortlist=2), 3)

    for _ in run(session, LabelOracle(mixed.truth), budget=1000):
        pass

    assert session.progress.settled == 1.0


def test_the_bridge_between_two_cliques_is_asked_about_first(bridge: Tiny) -> None:
    for seed in range(9):
        session = Session(bridge.X, "urasc-no", 2, "precomputed", random_state=seed)
        sample, start, _ = first_of(session)
        assert 4 in (sample, start)


@pytest.mark.parametrize("laplacian", ["literal", "kamvar"])
@pytest.mark.parametrize("cannot_link", [0.0, -1.0])
def test_every_laplacian_gets_to_the_classes(
    laplacian: str, cannot_link: float, mixed: Tiny
) -> None:
    method = urasc("mine", recipe=Recipe(laplacian, cannot_link))
    session = Session(mixed.X, method, 3)

    for _ in run(session, LabelOracle(mixed.truth), budget=1000):
        pass

    groups = {frozenset(group.samples) for group in session.groups}
    assert len(groups) == 3
    assert session.progress.settled == 1.0


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"step": "big"}, r"no step 'big'.*nonparametric, parametric"),
        ({"gradient": "steep"}, r"no gradient 'steep'.*exact, paper"),
        ({"step": None, "gradient": None}, "needs a step, a gradient or both"),
    ],
)
def test_a_variant_that_cannot_be_is_refused(
    options: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(InputError, match=sentence):
        urasc("mine", **options)
