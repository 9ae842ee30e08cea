"""Few samples, and many."""

from __future__ import annotations

import pytest

from likewise.methods._likewise._scales import (
    FEW,
    MANY,
    N_FEW,
    N_NUMBERS,
    N_VECTORS,
    scale_for,
)


def test_up_to_5000_samples_are_few() -> None:
    assert scale_for(N_FEW) is FEW
    assert scale_for(N_FEW + 1) is MANY


@pytest.mark.parametrize("groups", [2, 20, 50])
def test_as_many_vectors_as_few_samples_have_while_they_fit(groups: int) -> None:
    for n in (1, 100, 6000, 100_000):
        assert MANY.n_vectors(n, groups) == FEW.n_vectors(n, groups)


@pytest.mark.parametrize("groups", [2, 20, 50, 300])
def test_vectors_of_very_many_samples_fit_or_are_hardly_more_than_groups(
    groups: int,
) -> None:
    for n in (10**6, 10**7):
        count = MANY.n_vectors(n, groups)
        assert groups < count <= 4 * max(groups, N_VECTORS)
        assert count * n <= N_NUMBERS or count <= max(groups + 10, N_VECTORS)


@pytest.mark.parametrize("n", [1, 2, 5, 100, 6000, 10**6, 10**8])
def test_no_more_eigenvalues_are_looked_at_than_there_are(n: int) -> None:
    assert 1 <= MANY.n_looked(n) <= FEW.n_looked(n) <= n
