"""The diagnostic: what scores say, against what placing a sample does."""

from __future__ import annotations

from dataclasses import replace
from math import isnan, nan
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import spearmanr
from tests.problems import Tiny, blobs

from likewise import METHODS, LabelOracle, Session, run
from likewise.errors import InputError
from likewise.experiments import ari, jaccard
from likewise.experiments.paper import FIGURES, diagnose, diagnoses, read_figure
from likewise.experiments.paper._diagnostic import (
    EFFECTS,
    SCORES,
    State,
    correlations,
    effects_of,
    placed,
    read_states,
    scores_of,
    spearman,
)
from likewise.experiments.paper._plans import Figure, Panel
from likewise.knowledge import Verdict
from likewise.methods import Recipe, urasc
from likewise.methods.clustering import SpectralModel
from likewise.methods.sampling import begun, unplaced

METHOD = urasc("urasc+n", recipe=Recipe.paper())


@pytest.fixture
def mixed() -> Tiny:
    return blobs((14, 12, 10), spread=2.0)


def asked(tiny: Tiny, budget: int) -> Session:
    """Return a session between two series of questions."""
    session = Session(tiny.X, METHOD, 3, "gaussian")
    for view in run(session, LabelOracle(tiny.truth), 1000):
        if view.n_questions >= budget and next(begun(view.known), None) is None:
            break
    return session


def model_of(session: Session) -> SpectralModel:
    model = session.view.model
    assert isinstance(model, SpectralModel)
    return model


# Numbers


def test_spearman_is_that_of_scipy(rng: np.random.Generator) -> None:
    one = rng.integers(0, 6, 40).astype(float)
    other = one + rng.normal(size=40)

    assert spearman(one, other) == pytest.approx(spearmanr(one, other).statistic)


def test_what_is_all_the_same_correlates_with_nothing() -> None:
    assert isnan(spearman(np.ones(5), np.arange(5.0)))
    assert isnan(spearman(np.arange(5.0), np.zeros(5)))


def test_what_differs_by_rounding_ties() -> None:
    up = np.array([0.1 + 0.2, 0.3, 1.0])
    other = np.array([1.0, 0.0, 2.0])

    assert spearman(up, other) == spearman(np.array([0.3, 0.3, 1.0]), other)


# One state


def test_the_score_is_that_by_which_urasc_chooses(mixed: Tiny) -> None:
    session = asked(mixed, 12)
    model, known = model_of(session), session.view.known
    free = unplaced(known)

    product, gradient, step = scores_of(model, known, free, np.random.default_rng(0))

    np.testing.assert_allclose(product, gradient * step)
    np.testing.assert_allclose(step, np.asarray(model.clustering.doubt)[free])
    chooses: Any = METHOD.propose
    score = chooses.args[0]
    expected = score(model, known, free, np.random.default_rng(0))
    np.testing.assert_allclose(product, expected)


def test_a_sample_is_placed_where_it_belongs(mixed: Tiny) -> None:
    session = asked(mixed, 12)
    model, known = model_of(session), session.view.known

    for sample in unplaced(known).tolist():
        after = placed(METHOD, model, known, mixed.truth, sample).known
        assert after.is_placed(sample)
        for other in range(len(mixed.X)):
            told = after.constraints.relation(sample, other)
            is_same = mixed.truth[sample] == mixed.truth[other]
            if other != sample and told is not None:
                assert told is (Verdict.SAME if is_same else Verdict.DIFFERENT)


def test_the_state_itself_is_not_changed(mixed: Tiny) -> None:
    session = asked(mixed, 12)
    before = session.labels

    correlations(METHOD, session, mixed.truth, np.random.default_rng(0))

    np.testing.assert_array_equal(session.labels, before)
    assert model_of(session).known is session.view.known


def test_effects_are_what_one_sees_in_the_two_models(mixed: Tiny) -> None:
    session = asked(mixed, 12)
    model, known = model_of(session), session.view.known
    after = placed(METHOD, model, known, mixed.truth, int(unplaced(known)[0]))
    old, new = (m.clustering.pairs.rows(np.arange(36))[:, :3] for m in (model, after))
    both = [
        min(np.linalg.norm(b - a), np.linalg.norm(b + a))
        for a, b in zip(old.T, new.T, strict=True)
    ]
    cosines = np.linalg.svd(old.T @ new, compute_uv=False).clip(0, 1)

    vectors, subspace, *gains = effects_of(model, after, mixed.truth)

    assert vectors == pytest.approx(sum(both))
    assert subspace == pytest.approx(np.sqrt((1 - cosines**2).sum()))
    assert gains == [
        m(mixed.truth, after.labels) - m(mixed.truth, model.labels)
        for m in (jaccard, ari)
    ]


def test_nothing_moves_where_nothing_was_answered(mixed: Tiny) -> None:
    model = model_of(asked(mixed, 12))

    vectors, subspace, *gains = effects_of(model, model, mixed.truth)

    assert vectors == 0.0
    assert subspace == pytest.approx(0.0, abs=1e-6)
    assert gains == [0.0, 0.0]


# All of it


def test_the_plan_is_a_figure_of_its_own() -> None:
    figure = read_figure("diagnostic")

    assert "diagnostic" in FIGURES
    assert figure.kind == "diagnostic"
    assert figure.trials(10) == []
    assert figure.recipes == ("paper", "ours")
    assert {p.data for p in figure.panels} >= {"wine", "sonar", "bupa"}
    assert all(METHODS[name].under is not None for name in figure.methods)


@pytest.fixture
def small() -> Figure:
    figure = replace(read_figure("diagnostic"), panels=(Panel("iris", 20),))
    return replace(figure, pictures={"marks": (5, 10)})


def test_what_was_found_is_written_and_not_repeated(
    small: Figure, tmp_path: Path
) -> None:
    path = tmp_path / "diagnostic.csv"
    notes: list[str] = []

    found = diagnose(small, 1, None, path, say=notes.append)
    again = diagnose(small, 1, None, path, say=notes.append)

    assert sorted(notes) == ["iris, ours, repeat 0", "iris, paper, repeat 0"]
    assert again == found == diagnoses(read_states(path))
    assert {(d.recipe, d.what) for d in found} == {
        (recipe, what) for recipe in ("ours", "paper") for what in SCORES
    }
    assert len(read_states(path)) == 2 * 2 * len(SCORES)


def test_a_session_that_was_cut_off_is_run_again(small: Figure, tmp_path: Path) -> None:
    path = tmp_path / "diagnostic.csv"
    small = small.under("paper")
    diagnose(small, 1, None, path)
    whole = path.read_text()
    path.write_text(whole[:-4])

    diagnose(small, 1, None, path)

    assert path.read_text() == whole


def test_a_session_that_ends_early_has_no_numbers_for_the_rest(
    small: Figure, tmp_path: Path
) -> None:
    late = replace(small.under("paper"), pictures={"marks": (5, 100_000)})

    diagnose(late, 1, None, tmp_path / "diagnostic.csv")

    states = read_states(tmp_path / "diagnostic.csv")
    assert {s.mark for s in states} == {5, 100_000}
    assert all(isnan(s.vectors) for s in states if s.mark > 5)
    assert not all(isnan(s.vectors) for s in states if s.mark == 5)


def test_a_set_that_is_not_there_is_named_and_left_out(
    small: Figure, tmp_path: Path
) -> None:
    missing = replace(small, panels=(Panel("sonar", 20),))
    notes: list[str] = []

    found = diagnose(missing, 1, tmp_path, tmp_path / "d.csv", say=notes.append)

    assert found == []
    assert len(notes) == 1
    assert "sonar" in notes[0]


def test_another_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "d.csv").write_text("a,b\n1,2\n")

    with pytest.raises(InputError, match="not a file of diagnoses"):
        read_states(tmp_path / "d.csv")


def test_intervals_are_over_repeats_of_the_mean_over_states() -> None:
    values = {0: (0.1, 0.3), 1: (0.4, nan), 2: (0.6, 0.6)}
    states = [
        State("wine", "ours", seed, mark, "step", value, nan, 0.0, 0.0)
        for seed, some in values.items()
        for mark, value in zip((10, 20), some, strict=True)
    ]

    (found,) = diagnoses(states)

    assert (found.data, found.recipe, found.what) == ("wine", "ours", "step")
    assert found.vectors.mean == pytest.approx(0.4)
    assert found.vectors.n == 3
    assert found.vectors.low < 0.2
    assert found.vectors.high > 0.6
    assert found.subspace.n == 0
    assert EFFECTS == ("vectors", "subspace", "jaccard", "ari")
