"""Few points stand for all samples, and labels are spread back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from tests.problems import Tiny, blobs

from likewise import InputError, Session, jaccard
from likewise import _regime as regime
from likewise._arrays import Floats
from likewise.distributed import Representatives, representatives, spread


@pytest.fixture
def tiny(seed: int) -> Tiny:
    return blobs((120, 100, 80), seed=seed)


def assert_stands_for(found: Representatives, X: Floats) -> None:
    m = len(found.centres)
    np.testing.assert_array_equal(found.sizes, np.bincount(found.assignment))
    assert found.assignment.shape == (len(X),)
    assert found.sizes.min() >= 1
    np.testing.assert_array_equal(found.assignment[found.samples], np.arange(m))
    apart = ((X[:, np.newaxis] - found.centres) ** 2).sum(axis=2)
    mine = apart[np.arange(len(X)), found.assignment]
    np.testing.assert_allclose(mine, apart.min(axis=1), rtol=1e-3, atol=1e-5)
    nearest = [mine[found.assignment == c].min() for c in range(m)]
    np.testing.assert_allclose(mine[found.samples], nearest, rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("cuts", [[], [150], [10, 20, 200]])
def test_each_sample_has_its_nearest_centre(tiny: Tiny, cuts: list[int]) -> None:
    found = representatives(np.split(tiny.X, cuts), 30)

    assert 20 <= len(found.centres) <= 30
    assert_stands_for(found, tiny.X)


def test_many_samples_are_assigned_by_links(
    tiny: Tiny, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(regime, "ALL_PAIRS_COST", 0)

    assert_stands_for(representatives(tiny.X, 30), tiny.X)


def test_the_same_seed_gives_the_same_points(tiny: Tiny) -> None:
    first, second = representatives(tiny.X, 20), representatives(tiny.X, 20)
    other = representatives(tiny.X, 20, random_state=1)

    np.testing.assert_array_equal(first.centres, second.centres)
    assert not np.array_equal(first.assignment, other.assignment)


def test_samples_no_more_than_asked_for_stand_for_themselves(tiny: Tiny) -> None:
    found = representatives(tiny.X[:20], 50)

    np.testing.assert_array_equal(found.samples[found.assignment], np.arange(20))
    np.testing.assert_array_equal(found.sizes, 1)


def test_centres_are_where_the_samples_are(tiny: Tiny) -> None:
    found = representatives(tiny.X + 1e6, 30)

    apart = np.abs(found.centres[found.assignment] - (tiny.X + 1e6))
    assert apart.max() < 1.0


def test_labels_of_few_points_are_spread_to_all(tiny: Tiny) -> None:
    found = representatives(tiny.X, 40)

    labels = Session(found.centres, n_clusters=3).labels

    assert jaccard(tiny.truth, spread(labels, found.assignment)) == 1.0


@pytest.mark.parametrize("n", [0, 100_001])
def test_too_few_or_too_many_points_are_refused(n: int, tiny: Tiny) -> None:
    with pytest.raises(InputError, match=f"between 1 and 100000, but it is {n}"):
        representatives(tiny.X, n)


def test_sparse_samples_are_refused_with_what_to_do(tiny: Tiny) -> None:
    with pytest.raises(InputError, match="TruncatedSVD"):
        representatives(sp.csr_array(tiny.X), 5)


@pytest.mark.slow
def test_two_processes_find_the_points_of_one(
    client: Any, tiny: Tiny, tmp_path: Path
) -> None:
    paths = [tmp_path / f"{part}.npy" for part in range(3)]
    for path, part in zip(paths, np.array_split(tiny.X, 3), strict=True):
        np.save(path, part)

    found, expected = representatives(paths, 30, client), representatives(paths, 30)

    np.testing.assert_allclose(found.centres, expected.centres, rtol=1e-5)
    np.testing.assert_array_equal(found.assignment, expected.assignment)
