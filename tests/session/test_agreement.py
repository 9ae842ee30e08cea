"""Agreement of readers: Krippendorff's alpha against its definition."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from likewise import Question, Session
from likewise.knowledge import Answer, Verdict
from likewise.session._agreement import agreement_in, alpha_of


def told(*said: tuple[str, int, str]) -> list[Answer]:
    return [Answer(Question(0, j), Verdict(v), by=by) for by, j, v in said]


def alpha_by_definition(votes: list[list[int]]) -> float:
    """Return 1 - D_o / D_e by the coincidences of all values, one after another."""
    coincidences = np.zeros((2, 2))
    for unit in votes:
        for c, k in permutations(unit, 2):
            coincidences[c, k] += 1 / (len(unit) - 1)
    totals = coincidences.sum(axis=0)
    n = totals.sum()
    observed = coincidences[0, 1] + coincidences[1, 0]
    expected = sum(totals[c] * totals[k] for c, k in permutations(range(2), 2)) / (
        n - 1
    )
    return float(1 - observed / expected)


units = st.lists(st.lists(st.integers(0, 1), min_size=2, max_size=5), min_size=1)


@given(units)
def test_alpha_is_what_its_definition_says(votes: list[list[int]]) -> None:
    values = [value for unit in votes for value in unit]
    counts = np.array([[unit.count(1), unit.count(0)] for unit in votes], dtype=float)
    if 0 < sum(values) < len(values):
        assert alpha_of(counts) == pytest.approx(alpha_by_definition(votes))
    else:
        assert np.isnan(alpha_of(counts))


def test_an_example_of_the_books() -> None:
    """Krippendorff 2011, "Computing Krippendorff's alpha-reliability", example A."""
    ann = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0]
    bob = [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    both = np.array([[a + b, 2 - a - b] for a, b in zip(ann, bob, strict=True)])

    assert float(alpha_of(both.astype(float))) == pytest.approx(0.095, abs=5e-4)


def test_only_pairs_of_several_readers_count() -> None:
    found = agreement_in(
        told(
            ("ann", 1, "same"),
            ("ann", 1, "different"),  # the last one counts
            ("bob", 1, "different"),
            ("ann", 2, "same"),
            ("bob", 2, "unsure"),
            ("ann", 3, "same"),
            ("bob", 3, "same"),
        )
    )
    assert (found.n_pairs, found.raw) == (2, 1.0)
    assert found.both == {("ann", "bob"): (2, 2)}
    assert found.alpha is not None
    assert found.alpha.mean == 1.0


def test_who_agrees_with_whom() -> None:
    found = agreement_in(
        told(
            *product(["ann"], [1, 2], ["same"]),
            *product(["bob"], [1, 2], ["same"]),
            *product(["eve"], [1, 2], ["different"]),
        )
    )
    assert found.both["ann", "bob"] == (2, 2)
    assert found.both["ann", "eve"] == (2, 0)
    assert found.readers == ("ann", "bob", "eve")


def test_nothing_is_said_of_nothing() -> None:
    session = Session([[0.0], [1.0], [2.0]])
    session.tell_pair(0, 1, "same", by="ann")

    assert session.agreement.alpha is None
    assert session.agreement.sentence == (
        "No pair was answered by two readers yet, so nothing can be said."
    )


def test_few_pairs_are_called_few() -> None:
    said = [(by, j, v) for j, v in ((1, "same"), (2, "different")) for by in ("a", "b")]
    found = agreement_in(told(*said))

    assert found.sentence == (
        "Readers agree on 100% of 2 pairs that several answered: alpha is 1.00 "
        "(-1.00 to 1.00), by too few pairs to rely on."
    )


def test_everybody_always_saying_the_same_is_no_agreement() -> None:
    said = [(by, j, "same") for j in (1, 2) for by in ("a", "b")]
    found = agreement_in(told(*said))

    assert found.alpha is None
    assert "everybody said the same thing" in found.sentence


def test_the_interval_is_that_of_the_answers_alone() -> None:
    said = [
        (by, j, "same" if j % (2 + (by == "b")) else "different")
        for j in range(1, 40)
        for by in ("a", "b")
    ]
    first, again = agreement_in(told(*said)), agreement_in(told(*said))

    assert first == again
    assert first.alpha is not None
    assert first.alpha.low < first.alpha.mean < first.alpha.high
