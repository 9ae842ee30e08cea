"""Samples on a sheet: what is alike lies near, whatever the data look like."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.decomposition import PCA
from tests.problems import blobs, two_cliques_and_a_bridge

from likewise import InputError
from likewise._arrays import Floats
from likewise._regime import FEWEST_FOR_UMAP
from likewise.affinity import auto, nearest_neighbours
from likewise.datasets import load
from likewise.errors import MissingExtraError
from likewise.session import Plane, plane_of, plane_of_affinity, plane_of_graph, way_of
from likewise.session._map import PLANES, main_directions, spread_out

HAS_UMAP = find_spec("umap") is not None
needs_umap = pytest.mark.skipif(not HAS_UMAP, reason="umap-learn is not installed")
FLOATS = st.floats(allow_nan=False, allow_infinity=False, width=64)
SHAPES = st.tuples(st.integers(1, 12), st.integers(1, 6))


def is_on_the_sheet(plane: Plane, n: int) -> bool:
    inside = bool((plane >= 0).all() and (plane <= 1).all())
    return plane.shape == (n, 2) and plane.dtype == np.float32 and inside


def near_and_far(plane: Plane, truth: np.ndarray) -> tuple[float, float]:
    """Return the largest distance inside a class, and the smallest between two."""
    apart = np.linalg.norm(plane[:, np.newaxis] - plane, axis=2)
    same = truth[:, np.newaxis] == truth
    return float(apart[same].max()), float(apart[~same].min())


def agreement(plane: Plane, truth: np.ndarray) -> float:
    """Return the share of the ten nearest on the sheet that are of the same class."""
    near = nearest_neighbours(plane.astype(np.float64), 10).indices
    return float((truth[near] == truth[:, np.newaxis]).mean())


# Any data


@given(SHAPES.flatmap(lambda shape: arrays(np.float64, shape, elements=FLOATS)))
def test_any_numbers_lie_on_the_sheet(X: Floats) -> None:
    assert is_on_the_sheet(plane_of(X, 0, "pca"), len(X))


@given(
    SHAPES.flatmap(lambda shape: arrays(np.int8, shape, elements=st.integers(-1, 1))),
    st.lists(st.booleans(), min_size=6, max_size=6),
)
def test_constant_columns_do_not_matter(X: Floats, are_constant: list[bool]) -> None:
    X = X.astype(np.float64)
    X[:, are_constant[: X.shape[1]]] = 7.0

    assert is_on_the_sheet(plane_of(X, 0, "pca"), len(X))


@given(SHAPES.flatmap(lambda s: arrays(np.float64, s, elements=st.floats(-9, 9))))
def test_duplicates_lie_on_each_other(X: Floats) -> None:
    plane = plane_of(np.vstack([X, X]), 0, "pca")

    np.testing.assert_allclose(plane[: len(X)], plane[len(X) :], atol=1e-5)


@given(SHAPES.flatmap(lambda s: arrays(np.float64, s, elements=st.floats(0, 9))))
def test_sparse_features_lie_where_dense_ones_do(X: Floats) -> None:
    np.testing.assert_allclose(
        plane_of(sp.csr_array(X), 0, "pca"), plane_of(X, 0, "pca"), atol=1e-5
    )


@pytest.mark.parametrize(
    "X", [[[3.0]], [[3.0], [3.0]], np.ones((200, 4)), sp.csr_array((80, 300))]
)
def test_samples_that_are_all_alike_lie_in_the_middle(X: object) -> None:
    assert (plane_of(X, 0, "pca") == 0.5).all()


def test_one_feature_is_one_line() -> None:
    plane = plane_of([[0.0], [1.0], [4.0]], 0, "pca")

    np.testing.assert_allclose(plane, [[0, 0.5], [0.375, 0.5], [1, 0.5]], atol=1e-6)


def test_groups_that_are_apart_stay_apart(seed: int) -> None:
    tiny = blobs((8, 8, 8), seed=seed)
    inside, between = near_and_far(plane_of(tiny.X, 0, "pca"), tiny.truth)

    assert inside < between


def test_a_sample_far_away_does_not_press_the_others_together(
    rng: np.random.Generator,
) -> None:
    X = rng.standard_normal((500, 3))
    X[0] = 1e6
    plane = plane_of(X, 0, "pca")

    assert np.ptp(plane[1:], axis=0).min() > 0.45


@given(SHAPES.flatmap(lambda s: arrays(np.float64, s, elements=st.integers(-9, 9))))
def test_spreading_out_changes_no_order(points: Floats) -> None:
    places = spread_out(points)

    for axis in range(points.shape[1]):
        before, after = (
            np.subtract.outer(p[:, axis], p[:, axis]) for p in (points, places)
        )
        assert (np.sign(before) == np.sign(after)).all()


# The same picture again


def test_the_directions_are_those_of_a_full_decomposition(
    rng: np.random.Generator,
) -> None:
    X = rng.standard_normal((600, 40)) * np.linspace(9, 0.1, 40)
    expected = PCA(2, svd_solver="full").fit_transform(X)
    actual = main_directions(X, 2, 0)

    for axis in range(2):
        alike = np.corrcoef(expected[:, axis], actual[:, axis])[0, 1]
        assert abs(alike) > 0.999


@pytest.mark.parametrize("sparse", [False, True])
def test_a_seed_gives_the_same_picture(rng: np.random.Generator, sparse: bool) -> None:
    X = rng.standard_normal((300, 90)) ** 2
    given_as = sp.csr_array(X) if sparse else X

    assert (plane_of(given_as, 3, "pca") == plane_of(given_as, 3, "pca")).all()


@given(st.integers(0, 1000))
def test_whichever_sign_a_solver_returns_the_picture_is_the_same(number: int) -> None:
    X = np.random.default_rng(number).standard_normal((40, 3)) * [9.0, 3.0, 0.1]

    np.testing.assert_allclose(
        main_directions(-X, 2, 0), main_directions(X, 2, 0), atol=1e-9
    )


def test_a_picture_alike_on_both_sides_does_not_flip_either() -> None:
    square = np.array([[-2.0, -1.0], [-2.0, 1.0], [2.0, -1.0], [2.0, 1.0]])

    np.testing.assert_allclose(
        main_directions(-square, 2, 0), main_directions(square, 2, 0), atol=1e-9
    )


def test_another_seed_does_not_flip_it(rng: np.random.Generator) -> None:
    X = rng.exponential(size=(700, 600)) * np.array([99.0, 40.0, *[1.0] * 598])
    one, other = (plane_of(X, seed, "pca") for seed in (0, 1))

    for axis in range(2):
        assert np.corrcoef(one[:, axis], other[:, axis])[0, 1] > 0.99


def test_the_samples_are_not_changed(rng: np.random.Generator) -> None:
    X = rng.standard_normal((30, 5))
    before = X.copy()
    plane_of(X, 0, "pca")

    assert (before == X).all()


# Similarities, and both


@pytest.mark.parametrize("sparse", [False, True])
def test_similarities_are_enough(sparse: bool) -> None:
    bridge = two_cliques_and_a_bridge()
    W = sp.csr_array(bridge.X) if sparse else bridge.X
    plane = plane_of_affinity(W, 0, "pca")

    left, middle, right = plane[:4, 0].mean(), plane[4, 0], plane[5:, 0].mean()
    assert min(left, right) < middle < max(left, right)


def test_samples_that_are_like_no_other_have_a_place() -> None:
    W = np.zeros((7, 7))
    W[0, 1] = W[1, 0] = W[2, 3] = W[3, 2] = 1.0

    assert is_on_the_sheet(plane_of_affinity(W, 0, "pca"), 7)


def test_one_sample_alone_has_a_place() -> None:
    assert plane_of_affinity([[1.0]], 0).tolist() == [[0.5, 0.5]]
    assert plane_of_graph([[1.0]], [[1.0]], 0).tolist() == [[0.5, 0.5]]


def test_a_graph_tells_groups_apart_that_main_directions_do_not() -> None:
    digits = load("digits")
    X, truth = digits.X[:600], np.asarray(digits.y)[:600]
    planes = plane_of(X, 0, "pca"), plane_of_graph(X, auto(X).weights, 0)

    by_features, by_both = (agreement(plane, truth) for plane in planes)
    assert by_both > by_features + 0.1


def test_features_spread_out_what_a_graph_lays_on_one_point() -> None:
    tiny = blobs((30, 30), spread=0.02)
    W = np.equal.outer(tiny.truth, tiny.truth).astype(float)
    plane = plane_of_graph(tiny.X, W, 0)

    assert len(np.unique(plane.round(3), axis=0)) > 50


@given(
    SHAPES.flatmap(lambda s: arrays(np.float64, s, elements=st.floats(-9, 9))),
    st.integers(0, 99),
)
def test_any_features_and_graph_lie_on_the_sheet(X: Floats, number: int) -> None:
    W = np.random.default_rng(number).integers(0, 2, (len(X), len(X))).astype(float)
    W = np.maximum(W, W.T)

    assert is_on_the_sheet(plane_of_graph(X, W, 0), len(X))


# The choice


def test_few_samples_go_by_main_directions() -> None:
    assert way_of("auto", FEWEST_FOR_UMAP - 1) == "pca"


def test_many_samples_go_by_what_is_installed() -> None:
    assert way_of("auto", FEWEST_FOR_UMAP) == ("umap" if HAS_UMAP else "pca")


@pytest.mark.parametrize("how", PLANES)
def test_a_way_that_is_named_is_taken(how: str) -> None:
    assert way_of(how, 5) == how


def test_an_unknown_way_is_one_sentence() -> None:
    with pytest.raises(InputError, match="Choose one of: auto, pca, umap"):
        plane_of([[1.0]], 0, "tsne")


@pytest.mark.skipif(HAS_UMAP, reason="umap-learn is installed")
def test_umap_says_what_to_install() -> None:
    with pytest.raises(MissingExtraError, match=r"likewise\[map\]"):
        plane_of([[1.0], [2.0]], 0, "umap")


def test_nothing_of_umap_is_imported_unless_it_is_wanted() -> None:
    said = (
        "import sys; from likewise.session._map import plane_of; "
        "plane_of([[1.0], [2.0]], 0); print('umap' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", said], capture_output=True, text=True, check=True
    )

    assert done.stdout == "False\n"


@needs_umap
@pytest.mark.slow
def test_umap_keeps_groups_together_and_repeats_itself(seed: int) -> None:
    tiny = blobs((40, 40, 40), seed=seed)
    one, other = (plane_of(tiny.X, 0, "umap") for _ in range(2))
    inside, between = near_and_far(one, tiny.truth)

    assert (one == other).all()
    assert is_on_the_sheet(one, 120)
    assert inside < between


@needs_umap
@pytest.mark.slow
@pytest.mark.parametrize(
    "X",
    [
        [[1.0]],
        [[1.0], [2.0]],
        np.ones((120, 3)),
        np.arange(130.0)[:, np.newaxis],
        np.repeat(np.eye(3), 50, axis=0),
        sp.csr_array((120, 300)),
    ],
)
def test_umap_takes_anything(X: object) -> None:
    plane = plane_of(X, 0, "umap")

    assert is_on_the_sheet(plane, len(plane))
