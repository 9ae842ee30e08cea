"""Recipes: each field changes what it says, and every spectral method has them all."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from tests.definitions import classes_of
from tests.problems import Tiny, blobs

from likewise import METHODS, LabelOracle, Session, run
from likewise._arrays import Floats, Indices
from likewise.errors import InputError
from likewise.experiments import ABLATIONS, RECIPES
from likewise.knowledge import Knowledge, Question
from likewise.methods import AnyMethod, Model, Recipe, farthest_first, urasc
from likewise.methods._recipe import LAPLACIANS
from likewise.methods.clustering import SpectralModel
from likewise.methods.constrained import ExactClustering, LargeClustering
from likewise.methods.sampling import representatives, unplaced
from likewise.spectral import embedding

SPECTRAL = [name for name, method in METHODS.items() if method.under is not None]
PAPER = Recipe.paper()


@pytest.fixture
def mixed(seed: int) -> Tiny:
    """Three heaps that run into each other."""
    return blobs((12, 10, 8), spread=1.5, seed=seed)


def under(name: str, recipe: Recipe) -> AnyMethod:
    method = METHODS[name].under
    assert method is not None
    return method(recipe)


def asked(tiny: Tiny, recipe: Recipe, budget: int, **how: Any) -> SpectralModel:
    """Return the model after some answers to URASC's questions."""
    method = urasc("mine", recipe=recipe)
    session = Session(tiny.X, method, 3, "gaussian", **how)
    for _ in run(session, LabelOracle(tiny.truth), budget):
        pass
    return model_of(session)


def model_of(session: Session) -> SpectralModel:
    model: Model = session.view.model
    assert isinstance(model, SpectralModel)
    return model


def violated(labels: Indices, known: Knowledge) -> int:
    """Return how many answers the labels contradict."""
    told = ((*a.question.pair, a.verdict == "same") for a in known.answers)
    return sum(bool(labels[i] == labels[j]) != is_same for i, j, is_same in told)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"laplacian": "odd"}, r"no laplacian 'odd'.*signed, literal, kamvar"),
        ({"cannot_link": 0.5}, r"between -1 and 0, but it is 0\.5"),
        ({"cannot_link": -2.0}, r"between -1 and 0, but it is -2\.0"),
        ({"n_extra": -1}, r"n_extra must not be negative, but it is -1"),
    ],
)
def test_a_recipe_that_cannot_be_is_refused(
    options: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(InputError, match=sentence):
        Recipe(**options)


def test_the_paper_has_none_of_our_additions() -> None:
    ours = {field.name: getattr(Recipe(), field.name) for field in fields(Recipe)}
    paper = {field.name: getattr(PAPER, field.name) for field in fields(Recipe)}

    changed = {name for name, value in paper.items() if value != ours[name]}

    assert changed == {"cannot_link", "unit_rows", "seeded", "enforced", "guarded"}
    assert PAPER.cannot_link == -1.0


# Each field changes what it says


def test_labels_that_are_not_enforced_are_the_clusters_of_k_means(mixed: Tiny) -> None:
    model = asked(mixed, replace(Recipe(), enforced=False, guarded=False), 20)

    assert classes_of(model.labels.tolist()) == classes_of(
        model.clustering.raw[:].tolist()
    )


def test_labels_that_are_not_enforced_may_contradict_answers() -> None:
    tiny = blobs((12, 12), spread=0.1)
    here, there = (int(np.flatnonzero(tiny.truth == c)[0]) for c in (0, 1))
    told = [(here, there, "same")]  # one pair hardly moves two dense heaps

    for enforced in (True, False):
        method = urasc("mine", recipe=replace(PAPER, enforced=enforced))
        session = Session(tiny.X, method, 2, "gaussian", answers=told)
        assert violated(session.labels, session.view.known) == (not enforced)


def test_clusters_that_are_not_enforced_are_called_after_the_certain_sets() -> None:
    model = asked(blobs((12, 10, 8), spread=0.1), PAPER, 20)
    known = model.known

    for number, group in enumerate(known.certain):
        members = list(known.constraints.samples(group))
        assert (model.labels[members] == number).all()


def test_without_a_guard_the_constrained_clustering_counts(mixed: Tiny) -> None:
    for budget in (0, 2, 5, 20):
        model = asked(mixed, replace(Recipe(), guarded=False), budget)

        assert model.counted is model.clustering


def test_with_a_guard_the_plain_clustering_counts_until_answers_need_the_other(
    mixed: Tiny,
) -> None:
    for budget in (0, 2, 5, 20):
        model = asked(mixed, Recipe(), budget)
        is_plain = model.counted is model.plain

        assert is_plain or model.counted is model.clustering
        assert is_plain or violated(model.plain.raw[:], model.known)


def test_k_means_starts_from_the_certain_sets_only_if_seeded(mixed: Tiny) -> None:
    for is_seeded in (True, False):
        model = asked(mixed, replace(PAPER, seeded=is_seeded), 20)
        sets = [model.known.constraints.samples(g) for g in model.known.certain]

        assert model.clustering.seeds == (sets if is_seeded else [])


def test_rows_are_scaled_only_if_the_recipe_says_so(mixed: Tiny) -> None:
    for unit_rows in (True, False):
        found = asked(mixed, replace(PAPER, unit_rows=unit_rows), 20).clustering
        assert isinstance(found, ExactClustering)
        expected = embedding(found.pairs, 3, unit_rows=unit_rows)

        np.testing.assert_array_equal(found.coordinates, expected)
        lengths = np.linalg.norm(found.coordinates, axis=1)
        assert np.allclose(lengths, 1.0) == unit_rows


@pytest.mark.parametrize("cannot_link", [0.0, -0.5, -1.0])
def test_cannot_linked_pairs_weigh_what_the_recipe_says(
    cannot_link: float, mixed: Tiny
) -> None:
    model = asked(mixed, replace(PAPER, cannot_link=cannot_link), 20)
    assert isinstance(model.clustering, ExactClustering)
    W, constraints = model.clustering.weights.toarray(), model.known.constraints
    first, second, *_ = (constraints.samples(g) for g in model.known.certain)

    assert set(W[np.ix_(first, second)].ravel().tolist()) == {cannot_link}


@pytest.mark.parametrize(("n_extra", "expected"), [(0, 3), (5, 8), (None, 30)])
def test_the_sum_over_p_runs_as_far_as_the_recipe_says(
    n_extra: int | None, expected: int, mixed: Tiny
) -> None:
    model = asked(mixed, replace(PAPER, n_extra=n_extra), 10)

    assert len(model.clustering.pairs.values) == expected
    assert model.clustering.n_pairs == expected


def by_its_sums(
    values: Floats, vectors: Floats, n_clusters: int, anchors: Indices, sample: int
) -> float:
    """Return Eq. 7 for one sample, as it is written: over i, over k, over all p != i.

    Eigenvectors of eigenvalues that are not told apart have no directions of their own
    to move in, and are left out.
    """
    n, speed = len(vectors), 0.0
    for i in range(n_clusters):
        moved = np.zeros(n)
        for k in anchors:
            e = (np.arange(n) == sample) - 1.0 * (np.arange(n) == k)
            for p in range(n):
                gap = values[i] - values[p]
                if p != i and abs(gap) > 1e-6:
                    slope = vectors[:, i] @ np.outer(e, e) @ vectors[:, p]
                    moved += slope / gap * vectors[:, p]
        speed += float(np.linalg.norm(moved))
    return speed


@pytest.mark.parametrize("laplacian", ["signed", "literal", "kamvar"])
def test_over_all_p_the_gradient_is_the_sum_of_eq_7(
    laplacian: str, mixed: Tiny
) -> None:
    model = asked(mixed, Recipe.paper(laplacian, n_extra=None), 12)
    found, known = model.clustering, model.known
    assert isinstance(found, ExactClustering)
    free, anchors = unplaced(known), representatives(known, np.random.default_rng(0))
    whole = LAPLACIANS[laplacian](found.weights).toarray()
    values, vectors = np.linalg.eigh(whole)  # another solver than ours
    assert np.abs(np.subtract.outer(values[:3], values))[:, 3:].min() > 1e-4

    expected = [by_its_sums(values, vectors, 3, anchors, s) for s in free.tolist()]

    np.testing.assert_allclose(
        found.speeds("paper", anchors, free), expected, rtol=1e-6
    )


def test_additive_normalisation_leaves_the_literal_eigenvectors(mixed: Tiny) -> None:
    literal, additive = (
        asked(mixed, Recipe.paper(laplacian), 12).clustering
        for laplacian in ("literal", "kamvar")
    )

    everyone = np.arange(mixed.X.shape[0])
    one, other = (found.pairs.rows(everyone) for found in (literal, additive))
    np.testing.assert_allclose(np.abs((one * other).sum(axis=0)), 1.0, rtol=1e-6)


def test_over_all_p_eigenvectors_that_are_not_told_apart_move_nothing() -> None:
    W = np.kron(np.eye(4), np.ones((5, 5))) + 0.1  # each value but two is there often
    np.fill_diagonal(W, 0.0)
    recipe = Recipe.paper("literal", n_extra=None)
    session = Session(W, urasc("mine", recipe=recipe), 4, "precomputed")
    session.ask()
    found = model_of(session).clustering
    assert isinstance(found, ExactClustering)
    pairs, anchors = found.pairs, np.array([0])
    assert pairs.values[3] - pairs.values[1] < 1e-9

    expected = [by_its_sums(pairs.values, pairs.vectors, 4, anchors, s) for s in (1, 7)]

    actual = found.speeds("paper", anchors, np.array([1, 7]))
    np.testing.assert_allclose(actual, expected, rtol=1e-5, atol=1e-7)
    assert np.isfinite(actual).all()


@pytest.mark.parametrize(
    "changed",
    [
        {"laplacian": "literal"},
        {"unit_rows": False},
        {"seeded": False},
        {"n_extra": None},
        {"n_extra": 6},
    ],
    ids=str,
)
def test_what_many_samples_cannot_go_on_with_is_solved_for_exactly(
    changed: dict[str, Any], mixed: Tiny
) -> None:
    for recipe, kind in [
        (Recipe(n_exact=0), LargeClustering),
        (Recipe(n_exact=0, **changed), ExactClustering),
    ]:
        session = Session(mixed.X, urasc("mine", recipe=recipe), 3)
        session.ask()
        assert isinstance(model_of(session).clustering, kind)


def test_what_is_only_about_labels_holds_for_many_samples_too() -> None:
    tiny = blobs((12, 12), spread=0.1)
    here, there = (int(np.flatnonzero(tiny.truth == c)[0]) for c in (0, 1))
    recipe = Recipe(n_exact=0, enforced=False, guarded=False)

    session = Session(
        tiny.X, urasc("mine", recipe=recipe), 2, answers=[(here, there, "same")]
    )

    model = model_of(session)
    assert isinstance(model.clustering, LargeClustering)
    assert model.counted is model.clustering
    assert classes_of(session.labels.tolist()) == classes_of(
        model.clustering.raw[:].tolist()
    )


# Every spectral method has them all


def test_the_methods_of_the_paper_that_are_spectral_have_recipes() -> None:
    assert set(SPECTRAL) >= {
        *("urasc+n", "urasc+p", "urasc-go", "urasc-no", "urasc-po"),
        *("random", "lot", "quire", "pknn+al", "asc"),
    }
    assert METHODS["likewise"].under is None
    assert METHODS["ffqs"].under is None


@pytest.mark.parametrize("name", SPECTRAL)
def test_a_method_under_a_recipe_is_the_same_but_for_it(name: str) -> None:
    method, other = METHODS[name], under(name, PAPER)

    assert (other.name, other.about) == (method.name, method.about)
    assert other.most_clusters == method.most_clusters
    assert other.propose == method.propose


@pytest.mark.parametrize("name", [name for name in SPECTRAL if name != "asc"])
def test_a_recipe_reaches_the_clustering(name: str, mixed: Tiny) -> None:
    recipe = replace(PAPER, n_exact=7)
    k = METHODS[name].most_clusters or 3
    for method in (under(name, recipe), farthest_first(under(name, recipe))):
        session = Session(mixed.X, method, k, "gaussian")
        session.ask()
        model: Any = session.view.model
        found = getattr(model, "inner", model)
        assert found.clustering.recipe == found.plain.recipe == recipe


def test_exploring_hands_the_recipe_on() -> None:
    explored = farthest_first(METHODS["lot"]).under
    assert explored is not None

    other = explored(PAPER)
    session = Session(blobs((5, 5)).X, other, 2)
    session.ask()

    model: Any = session.view.model
    assert model.inner.clustering.recipe == PAPER
    assert farthest_first(METHODS["likewise"]).under is None


# The contract that still holds on the paper's recipe


def dialogue(session: Session, oracle: Any) -> Iterator[Question]:
    while (question := session.ask()) is not None:
        yield question
        session.tell(question, oracle(question), on_conflict="keep")


def start(tiny: Tiny, name: str, **options: Any) -> Session:
    k = len(set(tiny.truth.tolist()))
    return Session(tiny.X, under(name, PAPER), k, "gaussian", random_state=7, **options)


def heaps(name: str, seed: int) -> Tiny:
    two_at_most = METHODS[name].most_clusters is not None
    return blobs((8, 7) if two_at_most else (5, 5, 5), spread=1.5, seed=seed)


@pytest.mark.parametrize("name", SPECTRAL)
def test_on_the_papers_recipe_going_on_is_starting_from_all_answers(
    name: str, seed: int
) -> None:
    tiny = heaps(name, seed)
    oracle = LabelOracle(tiny.truth, error_rate=0.05, unsure_rate=0.1)
    session = start(tiny, name)

    for question in dialogue(session, oracle):
        resumed = start(tiny, name, answers=session.history)
        assert resumed.ask() == question
        np.testing.assert_array_equal(resumed.labels, session.labels)


@pytest.mark.parametrize("name", SPECTRAL)
def test_on_the_papers_recipe_labels_are_numbers_in_use(name: str, seed: int) -> None:
    tiny = heaps(name, seed)
    session = start(tiny, name)

    for question in dialogue(session, LabelOracle(tiny.truth)):
        used = sorted(set(session.labels.tolist()))
        assert used == list(range(len(used)))
        chances = [p for _, p in session.view.model.chances(question.sample).groups]
        assert len(chances) == len(session.view.known.certain)
        assert all(0 <= p <= 1 for p in chances)

    groups = {frozenset(group.samples) for group in session.groups}
    assert groups == classes_of(tiny.truth.tolist())


# The settings of the evaluation


def test_each_ablation_is_one_step_away_from_the_paper() -> None:
    paper = RECIPES["paper"]
    for setting in ABLATIONS:
        steps = [
            field.name
            for field in fields(Recipe)
            if getattr(setting.recipe, field.name) != getattr(PAPER, field.name)
        ]
        steps += ["affinity"] * (setting.affinity != paper.affinity)
        assert len(steps) == (2 if setting.name == "kamvar" else 1), setting.name


def test_the_settings_are_listed_under_their_names() -> None:
    assert list(RECIPES)[:2] == ["ours", "paper"]
    assert all(name == setting.name for name, setting in RECIPES.items())
    assert all(re.fullmatch(r".+\.", s.about) for s in RECIPES.values())
    assert (RECIPES["ours"].affinity, RECIPES["ours"].recipe) == ("auto", Recipe())
    assert (RECIPES["paper"].affinity, RECIPES["paper"].recipe) == ("paper", PAPER)
