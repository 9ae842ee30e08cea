"""Candidate pairs of records."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
import scipy.sparse as sp
from tests.records import Companies, Mix, companies

from likewise._arrays import FIELD, Indices
from likewise.affinity import are_fields, auto, cosines, fields, ids_of
from likewise.affinity._blocking import IN_BLOCK, N_BEST
from likewise.encoders import encode_fields

HARD = Mix(typo=0.9, second_typo=0.6, shorten=0.6, miss=0.7, swap=0.15, turn=0.25)


def pairs_of(W: sp.csr_array) -> set[tuple[int, int]]:
    half = sp.coo_array(sp.triu(W, 1))
    return set(zip(half.row.tolist(), half.col.tolist(), strict=True))


def duplicates_of(truth: Indices) -> set[tuple[int, int]]:
    groups = [np.flatnonzero(truth == group).tolist() for group in np.unique(truth)]
    return {pair for group in groups for pair in combinations(group, 2)}


def recall(made: Companies) -> float:
    found = pairs_of(fields(encode_fields(made.values)).weights)
    true = duplicates_of(made.truth)
    return len(true & found) / len(true)


def test_nearly_all_duplicates_are_candidates() -> None:
    assert recall(companies(300, seed=1)) >= 0.995
    assert recall(companies(300, seed=2, mix=HARD)) >= 0.97


def test_there_are_few_candidates() -> None:
    made = companies(300, seed=3)

    found = pairs_of(fields(encode_fields(made.values)).weights)

    assert len(found) <= N_BEST * 2 * len(made.truth)


def test_equal_records_are_candidates_also_of_many() -> None:
    names = ["ann lee"] * (IN_BLOCK + 5) + [f"person {at}" for at in range(30)]

    W = fields(encode_fields([names])).weights

    same = W[: IN_BLOCK + 5, : IN_BLOCK + 5].toarray()
    assert (same > 0.999).any(axis=1).all()


def test_a_weight_is_the_mean_of_cosines_by_how_much_fields_tell() -> None:
    names, towns = (
        ["ann lee", "ann lea", "bo ek", "cy fox"],
        ["ulm", "ulm", None, "ulm"],
    )
    X = encode_fields([names, towns])

    W = fields(X).weights.toarray()

    near = cosines(X, np.array([0, 0]), np.array([1, 2]))
    assert near[0, 0] < W[0, 1] < 1.0
    assert W[0, 2] == pytest.approx(max(near[1, 0], 0.0), abs=1e-6)
    np.testing.assert_allclose(W, W.T)
    assert not W.diagonal().any()


def test_the_order_of_records_does_not_matter(rng: np.random.Generator) -> None:
    X = encode_fields(companies(60, seed=4).values)
    order = rng.permutation(len(X))

    here, there = fields(X).weights.toarray(), fields(X[order]).weights.toarray()

    np.testing.assert_allclose(there, here[np.ix_(order, order)], atol=1e-6)


def test_values_have_the_same_number_where_they_are_equal_also_across_fields() -> None:
    ids = ids_of(encode_fields([["ann", "bo", "ANN"], ["bo", None, "cy"]]))

    assert ids[0, 0] == ids[2, 0] != ids[1, 0]
    assert ids[1, 0] == ids[0, 1]
    assert ids[1, 1] == -1


def test_what_are_no_records_gets_the_graph_of_all_else() -> None:
    X = np.random.default_rng(0).normal(size=(30, FIELD))

    assert not are_fields(X)
    np.testing.assert_array_equal(
        fields(X).weights.toarray(), auto(X).weights.toarray()
    )


@pytest.mark.parametrize(
    "columns",
    [
        [["ann"]],
        [["ann", "ann"]],
        [["ann", None]],
        [[None, None, "bo"]],
        [["x"] * 40],
        [["ann", "bo"], [None, None]],
    ],
)
def test_odd_tables_have_a_graph(columns: list[list[str | None]]) -> None:
    X = encode_fields(columns)

    W = fields(X).weights

    assert W.shape == (len(X), len(X))
    assert np.isfinite(W.toarray()).all()


def test_records_of_which_all_is_missing_have_a_graph() -> None:
    assert fields(np.zeros((5, FIELD))).weights.shape == (5, 5)
