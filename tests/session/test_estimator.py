"""The scikit-learn face: contract checks, and the same results as ask and tell."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from likewise import ActiveClustering, LabelOracle, Session
from likewise.datasets import load


@parametrize_with_checks(  # type: ignore[untyped-decorator]
    [ActiveClustering(), ActiveClustering(n_clusters=3)]
)
def test_scikit_learn_checks(estimator: BaseEstimator, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize("method", ["urasc+n", "random"])
def test_fit_gives_what_ask_and_tell_give(method: str) -> None:
    wine = load("wine")
    oracle = LabelOracle(wine.y, error_rate=0.05, unsure_rate=0.05)
    session = Session(wine.X, method, n_clusters=3, random_state=7)
    for _ in range(30):
        question = session.ask()
        assert question is not None
        session.tell(question, oracle(question), on_conflict="keep")

    fitted = ActiveClustering(3, method, budget=30, random_state=7)
    fitted.fit(wine.X, oracle=oracle)

    np.testing.assert_array_equal(fitted.labels_, session.labels)
    assert fitted.session_.history == session.history
    assert fitted.n_questions_ == 30


def test_without_an_oracle_it_clusters_and_asks_nothing() -> None:
    wine = load("wine")

    fitted = ActiveClustering(n_clusters=3).fit(wine.X)

    assert fitted.n_questions_ == 0
    assert fitted.n_clusters_ == 3


def test_answers_alone_are_respected() -> None:
    wine = load("wine")
    answers = [(0, 100, "same"), (0, 1, "different")]

    labels = ActiveClustering(n_clusters=3).fit_predict(wine.X, answers=answers)

    assert labels[0] == labels[100]
    assert labels[0] != labels[1]


def test_a_second_fit_forgets_the_first() -> None:
    wine = load("wine")
    estimator = ActiveClustering(n_clusters=3, budget=10, random_state=0)
    estimator.fit(wine.X[:90], oracle=LabelOracle(wine.y[:90]))

    again = estimator.fit(wine.X, oracle=LabelOracle(wine.y)).labels_
    fresh = clone(estimator).fit(wine.X, oracle=LabelOracle(wine.y)).labels_

    np.testing.assert_array_equal(again, fresh)


def test_a_table_with_categories_is_taken_as_it_is() -> None:
    table = pd.DataFrame({"size": [1.0, 1.1, 9.0, 9.1], "colour": list("rrbb")})

    fitted = ActiveClustering(n_clusters=2).fit(table)

    assert fitted.labels_[0] == fitted.labels_[1] != fitted.labels_[2]
    assert list(fitted.feature_names_in_) == ["size", "colour"]
