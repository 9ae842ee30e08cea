"""Many samples: each clustering goes on from the last, and is the exact one."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from benchmarks.agreement import exactly, hard_clouds, states
from sklearn.datasets import load_digits
from sklearn.metrics import adjusted_rand_score
from tests.spectral.scenes import Crowd, crowd

from likewise import LabelOracle, Session, run
from likewise._arrays import AnyFloats, Indices
from likewise.errors import AssumptionWarning
from likewise.methods import AnyMethod, urasc
from likewise.methods.clustering import SpectralModel
from likewise.methods.constrained import N_EXTRA, ExactClustering, LargeClustering
from likewise.spectral import solve

VARIANTS: dict[str, dict[str, Any]] = {
    "urasc+n": {"step": "nonparametric"},
    "urasc+p": {"step": "parametric"},
    "urasc-go": {"step": None},
    "urasc-no": {"step": "nonparametric", "gradient": None},
    "urasc-po": {"step": "parametric", "gradient": None},
}
N, K = 500, 5


def warm(name: str = "urasc+n", **how: Any) -> AnyMethod:
    return urasc(name, **VARIANTS[name], n_exact=0, **how)


@cache
def pile() -> Crowd:
    return crowd(N, K, spread=2.0)


def begun(
    method: AnyMethod, budget: int, n_clusters: int | None = K, **how: Any
) -> Session:
    session = Session(pile().weights, method, n_clusters, "precomputed", **how)
    for _ in run(session, LabelOracle(pile().truth), budget):
        pass
    return session


def model_of(session: Session) -> SpectralModel:
    model = session.view.model
    assert isinstance(model, SpectralModel)
    return model


def clustering_of(session: Session) -> LargeClustering:
    clustering = model_of(session).clustering
    assert isinstance(clustering, LargeClustering)
    return clustering


def test_few_samples_are_solved_for_exactly_and_many_are_not() -> None:
    few = Session(pile().weights, "urasc+n", K, "precomputed")
    many = begun(warm(), 0)
    few.ask()
    many.ask()

    assert isinstance(model_of(few).clustering, ExactClustering)
    assert isinstance(model_of(many).clustering, LargeClustering)


@pytest.mark.parametrize("laplacian", ["literal", "kamvar"])
def test_other_laplacians_are_solved_for_exactly_however_many(laplacian: str) -> None:
    session = begun(urasc("mine", laplacian=laplacian, n_exact=0), 0)
    session.ask()

    assert isinstance(model_of(session).clustering, ExactClustering)


def test_every_pair_is_kept_to_and_clusters_come_near_the_classes() -> None:
    session = begun(warm(), 60)

    labels = session.labels
    for answer in session.history:
        i, j = answer.question.pair
        assert (labels[i] == labels[j]) == (answer.verdict.value == "same")
    assert adjusted_rand_score(pile().truth, labels) > 0.8


@pytest.mark.parametrize("n_clusters", [K, None])
@pytest.mark.parametrize("name", VARIANTS)
def test_going_on_answer_by_answer_is_starting_from_all_of_them(
    name: str, n_clusters: int | None
) -> None:
    method = warm(name)
    session = begun(method, 40, n_clusters)
    answers = session.history

    anew = Session(pile().weights, method, n_clusters, "precomputed", answers=answers)

    assert adjusted_rand_score(session.labels, anew.labels) >= 0.995


def test_residuals_stay_small_and_clusters_may_become_more() -> None:
    session = begun(warm(), 60, None)

    found = clustering_of(session)
    assert found.n_clusters > 2
    assert len(found.pairs.values) >= found.n_clusters + N_EXTRA
    assert found.pairs.worst <= 5e-4


def test_an_answer_costs_a_fraction_of_a_start() -> None:
    session = begun(warm(), 40)
    clustering = clustering_of(session)
    while clustering_of(session) is clustering:
        question = session.ask()
        assert question is not None
        session.tell(question, LabelOracle(pile().truth)(question))

    found = clustering_of(session).pairs
    cold = solve(found.operator, found.wanted)
    assert found.columns < cold.columns / 3


def test_an_undone_answer_is_gone_on_from_too() -> None:
    session = begun(warm(), 40)
    before = session.labels
    bench = clustering_of(session).bench
    session.undo()
    after = session.labels

    assert clustering_of(session).bench is bench
    assert bench.latest is not None
    assert bench.latest.columns < 200
    assert adjusted_rand_score(before, after) > 0.9


def test_a_sample_set_aside_is_cut_out_and_put_back() -> None:
    session = begun(warm(), 30)
    labels = session.labels
    session.set_aside(7)
    without = session.labels
    session.put_back(7)

    assert without[7] == -1
    assert adjusted_rand_score(session.labels, labels) >= 0.995


def test_a_batch_asks_about_different_samples() -> None:
    session = begun(warm(), 30)

    questions = session.ask(4)

    assert len({question.sample for question in questions}) == 4


def test_the_engine_runs_on_torch_with_the_same_labels() -> None:
    pytest.importorskip("torch")
    one, other = (begun(warm(), 40, device=d) for d in ("cpu", "torch-cpu"))

    assert adjusted_rand_score(one.labels, other.labels) >= 0.995


def test_without_a_card_a_warning_says_that_the_processor_does_the_work() -> None:
    torch = pytest.importorskip("torch")
    if torch.cuda.is_available():
        pytest.skip("there is a card")
    session = begun(warm(), 0, device="cuda")

    with pytest.warns(AssumptionWarning, match="the processor does the work"):
        session.ask()


def test_exact_eigenvectors_lead_to_the_same_question_and_labels() -> None:
    session = begun(warm(), 50)
    model = exactly(model_of(session))

    rng = session._rng("propose", len(session.history))
    assert warm().propose(model, session.view.known, rng) == session.ask()
    assert adjusted_rand_score(model.labels, session.labels) >= 0.995


@pytest.mark.slow
@pytest.mark.parametrize("n_clusters", [10, None])
@pytest.mark.parametrize("name", ["digits", "clouds"])
def test_in_48_of_50_states_the_question_is_that_of_exact_eigenvectors(
    name: str, n_clusters: int | None
) -> None:
    X: AnyFloats
    y: Indices
    X, y = load_digits(return_X_y=True) if name == "digits" else hard_clouds()
    found = states(X, y, warm(), n_clusters)

    compared = [next(found) for _ in range(50)]

    assert sum(is_same and alike >= 0.995 for is_same, alike in compared) >= 48
