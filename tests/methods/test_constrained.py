"""Clusterings under answers, exact and large: each large one is the exact one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import pytest
from benchmarks.agreement import exactly, hard_clouds, states
from sklearn.datasets import load_digits
from sklearn.metrics import adjusted_rand_score
from tests.spectral.scenes import Crowd, crowd

from likewise import LabelOracle, Session, run
from likewise._arrays import AnyFloats, Indices
from likewise.errors import AssumptionWarning
from likewise.knowledge import Answer, Knowledge, Question, Verdict
from likewise.methods import AnyMethod, Recipe, problem_of, urasc
from likewise.methods._recipe import LAPLACIANS, N_EXTRA
from likewise.methods._urasc import URASC, UncertaintyReduction, nonparametric_step
from likewise.methods.clustering import SpectralModel
from likewise.methods.constrained import (
    ExactClustering,
    LargeClustering,
)
from likewise.methods.sampling import begun as series
from likewise.methods.sampling import unplaced
from likewise.session import links_of_labels
from likewise.spectral import solve

SIZES = [
    (10, 10, 10),
    (20, 7, 3),
    (15, 15),
    (6, 6, 6, 6, 6),
    (30, 1),
    (25, 4, 1),
    (40, 1, 1),
    (2, 2),
    (1, 1, 1),
]


def raw_when_all_is_known(method: AnyMethod, sizes: Sequence[int], seed: int) -> float:
    """Return how well k-means alone finds classes that the data know nothing of."""
    rng = np.random.default_rng(seed)
    truth = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    X = rng.standard_normal((len(truth), 3))
    problem = problem_of(X, affinity="auto", n_clusters=len(sizes))
    known = Knowledge(len(truth)).after_all(links_of_labels(truth.tolist(), len(truth)))
    model = method.begin(problem, known, rng)
    return float(adjusted_rand_score(truth, model.clustering.raw))


@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("method", URASC, ids=lambda method: method.name)
def test_when_every_pair_is_known_the_raw_clusters_are_the_classes(
    method: AnyMethod, sizes: Sequence[int], seed: int
) -> None:
    assert raw_when_all_is_known(method, sizes, seed) == 1.0


@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("laplacian", LAPLACIANS)
def test_every_laplacian_finds_the_classes_when_every_pair_is_known(
    laplacian: str, sizes: Sequence[int], seed: int
) -> None:
    method = urasc("mine", recipe=Recipe(laplacian, unit_rows=laplacian != "literal"))

    assert raw_when_all_is_known(method, sizes, seed) == 1.0


@pytest.mark.parametrize(
    "sizes", [(10, 10, 10), (20, 7, 3), (15, 15), (25, 4, 1)], ids=str
)
@pytest.mark.parametrize("laplacian", LAPLACIANS)
def test_negative_cannot_links_find_the_classes_when_every_pair_is_known(
    laplacian: str, sizes: Sequence[int], seed: int
) -> None:
    method = urasc(
        "mine", recipe=Recipe(laplacian, -1.0, unit_rows=laplacian != "literal")
    )

    assert raw_when_all_is_known(method, sizes, seed) == 1.0


VARIANTS: dict[str, dict[str, Any]] = {
    "urasc+n": {"step": "nonparametric"},
    "urasc+p": {"step": "parametric"},
    "urasc-go": {"step": None},
    "urasc-no": {"step": "nonparametric", "gradient": None},
    "urasc-po": {"step": "parametric", "gradient": None},
}
N, K = 500, 5


def warm(name: str = "urasc+n", **how: Any) -> AnyMethod:
    return urasc(name, **VARIANTS[name], recipe=Recipe(n_exact=0), **how)


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
    session = begun(urasc("mine", recipe=Recipe(laplacian, n_exact=0)), 0)
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
    plain = model_of(session).plain
    session.undo()
    after = session.labels

    assert model_of(session).plain is plain
    assert clustering_of(session).pairs.columns < 200
    assert adjusted_rand_score(before, after) > 0.9


def test_what_is_warm_is_what_somebody_has_looked_at() -> None:
    session = begun(warm(), 40)
    first = clustering_of(session)
    _ = session.labels
    oracle = LabelOracle(pile().truth)
    for sample in (401, 402, 403):
        question = Question(sample, session.history[0].question.against)
        session.tell(question, oracle(question))
    last = clustering_of(session)

    assert last is not first
    assert last.before.pairs is first.pairs
    assert last.warm.pairs is first.pairs
    _ = last.raw
    assert last.warm.pairs is last.pairs


def test_two_answers_that_may_follow_go_on_from_the_same() -> None:
    session = begun(warm(), 40)
    question = session.ask()
    assert question is not None
    now, method, known = clustering_of(session), warm(), session.view.known
    _ = session.labels

    follow = []
    for verdict in Verdict.SAME, Verdict.DIFFERENT:
        answer = Answer(question, verdict, 99)
        model = method.learn(model_of(session), known.after(answer), answer)
        _ = model.labels
        follow.append(model.clustering)

    assert follow[0] is not now
    assert all(one is now or one.before.pairs is now.pairs for one in follow)
    assert now.warm.pairs is now.pairs


def test_what_still_holds_is_kept_when_a_model_is_resumed() -> None:
    """As after a renaming: nothing is clustered anew."""
    session = begun(warm(), 20)
    method, model, known = warm(), model_of(session), session.view.known
    assert method.resume is not None

    again = method.resume(model, model.problem, known)

    assert again.clustering is model.clustering
    assert again.plain is model.plain


@pytest.mark.parametrize("n_exact", [0, 10**6], ids=["large", "exact"])
@pytest.mark.parametrize("aside", [frozenset[int](), frozenset({7})])
def test_a_model_that_is_resumed_is_one_that_is_begun(
    n_exact: int, aside: frozenset[int]
) -> None:
    method = urasc("mine", recipe=Recipe(n_exact=n_exact))
    session = begun(method, 30)
    model, answers = model_of(session), session.history[:24]
    _ = model.labels
    known = Knowledge(N, aside=aside).after_all(answers)
    given = session._given
    assert method.resume is not None

    resumed = method.resume(model, given, known)

    rng = session._rng("begin", 0)
    expected = method.begin(given, known, rng)
    assert resumed.start == expected.start
    assert adjusted_rand_score(resumed.labels, expected.labels) >= 0.995


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
    """Or to one about a sample that is as good, but for what the solver leaves."""
    session = begun(warm(), 50)
    while any(series(session.view.known)):
        question = session.ask()
        assert question is not None
        session.tell(question, LabelOracle(pile().truth)(question))
    question, known = session.ask(), session.view.known
    model, free = exactly(model_of(session)), unplaced(known)
    rng = session._rng("propose", len(session.history))
    rng.random(len(free))  # the lots are drawn first

    score = UncertaintyReduction(nonparametric_step, "paper", None)
    found = score(model, known, free, rng)
    scores = found if isinstance(found, np.ndarray) else found.listed()

    assert question is not None
    assert scores[free == question.sample] >= 0.95 * scores.max()
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
