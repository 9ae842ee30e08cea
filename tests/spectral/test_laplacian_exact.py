"""The constrained similarity and its Laplacians, against their definitions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.strategies import affinities, links

from likewise._arrays import Floats, dense
from likewise.knowledge import Constraints, Verdict
from likewise.knowledge._constraints import Link
from likewise.spectral import (
    ConstrainedWeights,
    Laplacian,
    additive,
    known_blocks,
    signed_normalised,
    unnormalised,
)

N = 7
CONVERT: dict[str, Any] = {"dense": np.array, "sparse": sp.csr_array}

convert_each = pytest.mark.parametrize("convert", CONVERT.values(), ids=CONVERT)
cannot_link_each = pytest.mark.parametrize("cannot_link", [0.0, -1.0, -0.3])
some_weights = affinities(N)
some_links = links(N, max_size=12)
few = settings(max_examples=30)


def literal(
    W: Floats, constraints: Constraints, groups: Sequence[int], cannot_link: float
) -> Floats:
    """Return the matrix entry by entry; a known sample tied to nothing has a loop."""
    known = [s for group in groups for s in constraints.samples(group)]
    written = {Verdict.SAME: 1.0, Verdict.DIFFERENT: cannot_link}
    full = np.array(W)
    for i in known:
        for j in known:
            relation = constraints.relation(i, j)
            if i != j and relation is not None:
                full[i, j] = written[relation]
    for i in known:
        if not np.abs(full[i]).any():
            full[i, i] = 1.0
    return full


def operator(
    W: Any, constraints: Constraints, cannot_link: float
) -> ConstrainedWeights:
    blocks = known_blocks(constraints, tuple(constraints.members))
    return ConstrainedWeights.of(W, blocks, cannot_link)


@convert_each
@cannot_link_each
@few
@given(W=some_weights, told=some_links)
def test_operator_is_the_literal_matrix(
    convert: Any, cannot_link: float, W: Floats, told: list[Link]
) -> None:
    constraints = Constraints().after_all(told)
    expected = literal(W, constraints, tuple(constraints.members), cannot_link)

    actual = operator(convert(W), constraints, cannot_link)

    np.testing.assert_allclose(actual.toarray(), expected, atol=1e-12)


@convert_each
@cannot_link_each
@few
@given(W=some_weights, told=some_links)
def test_product_is_that_of_the_whole_matrix(
    convert: Any, cannot_link: float, W: Floats, told: list[Link]
) -> None:
    found = operator(convert(W), Constraints().after_all(told), cannot_link)
    vectors = np.random.default_rng(0).standard_normal((N, 3))

    np.testing.assert_allclose(found @ vectors, found.toarray() @ vectors, atol=1e-12)
    np.testing.assert_allclose(
        found @ vectors[:, 0], found.toarray() @ vectors[:, 0], atol=1e-12
    )


@convert_each
@cannot_link_each
@few
@given(W=some_weights, told=some_links)
def test_degrees_are_the_row_sums(
    convert: Any, cannot_link: float, W: Floats, told: list[Link]
) -> None:
    found = operator(convert(W), Constraints().after_all(told), cannot_link)

    np.testing.assert_allclose(found.degrees(), found.toarray().sum(axis=1), atol=1e-12)


@convert_each
@cannot_link_each
@few
@given(W=some_weights, told=some_links)
def test_absolute_degrees_are_the_row_sums_of_absolute_weights(
    convert: Any, cannot_link: float, W: Floats, told: list[Link]
) -> None:
    found = operator(convert(W), Constraints().after_all(told), cannot_link)

    np.testing.assert_allclose(
        found.absolute_degrees(), np.abs(found.toarray()).sum(axis=1), atol=1e-12
    )


@convert_each
@few
@given(W=some_weights, told=some_links, chosen=st.data())
def test_groups_that_are_not_named_keep_their_weights(
    convert: Any, W: Floats, told: list[Link], chosen: st.DataObject
) -> None:
    constraints = Constraints().after_all(told)
    groups = chosen.draw(st.permutations(list(constraints.members)))
    groups = groups[: len(groups) // 2]

    actual = ConstrainedWeights.of(
        convert(W), known_blocks(constraints, groups), cannot_link=-1.0
    )

    expected = literal(W, constraints, groups, -1.0)
    np.testing.assert_allclose(actual.toarray(), expected, atol=1e-12)


@convert_each
def test_weights_that_came_in_are_not_changed(convert: Any) -> None:
    W = convert(np.ones((3, 3)) - np.eye(3))
    constraints = Constraints().after(0, 1, Verdict.DIFFERENT)

    operator(W, constraints, -1.0).toarray()

    np.testing.assert_array_equal(dense(W), np.ones((3, 3)) - np.eye(3))


def test_must_linked_pairs_are_not_stored_one_by_one() -> None:
    told = [(0, j, Verdict.SAME) for j in range(1, 1000)]

    found = operator(sp.csr_array((1000, 1000)), Constraints().after_all(told), 0.0)

    assert found.kept.nnz == found.blocks.apart.nnz == 0
    np.testing.assert_allclose(found.degrees(), 999.0)


def test_blocks_list_the_samples_group_by_group() -> None:
    constraints = Constraints().after_all(
        [(4, 2, Verdict.SAME), (1, 4, Verdict.DIFFERENT), (0, 5, Verdict.SAME)]
    )

    blocks = known_blocks(constraints, (4, 1))

    assert blocks.samples.tolist() == [4, 2, 1]
    assert blocks.group.tolist() == [0, 0, 1]
    assert blocks.sizes.tolist() == [2.0, 1.0]
    np.testing.assert_array_equal(blocks.apart.toarray(), [[0, 1], [1, 0]])


def signed_definition(W: Floats) -> Floats:
    degrees = np.abs(W).sum(axis=1)
    root = np.diag([1 / np.sqrt(d) if d > 0 else 0.0 for d in degrees])
    return np.eye(len(W)) - root @ W @ root


def literal_definition(W: Floats) -> Floats:
    return np.diag(W.sum(axis=1)) - W


def additive_definition(W: Floats) -> Floats:
    largest = np.abs(W.sum(axis=1)).max()
    if largest == 0:
        return np.zeros_like(W)
    D = np.diag(W.sum(axis=1))
    return np.eye(len(W)) - (W + largest * np.eye(len(W)) - D) / largest


LAPLACIANS: dict[str, Any] = {
    "signed": (signed_normalised, signed_definition),
    "literal": (unnormalised, literal_definition),
    "additive": (additive, additive_definition),
}
laplacian_each = pytest.mark.parametrize(
    ("make", "definition"), LAPLACIANS.values(), ids=LAPLACIANS
)


@laplacian_each
@convert_each
@pytest.mark.parametrize("cannot_link", [0.0, -0.3])
@few
@given(W=some_weights, told=some_links)
def test_laplacian_is_its_definition(
    make: Any,
    definition: Any,
    convert: Any,
    cannot_link: float,
    W: Floats,
    told: list[Link],
) -> None:
    weights = operator(convert(W), Constraints().after_all(told), cannot_link)

    actual: Laplacian = make(weights)

    np.testing.assert_allclose(
        actual.toarray(), definition(weights.toarray()), atol=1e-9
    )


@pytest.mark.parametrize("make", [signed_normalised, unnormalised, additive])
@convert_each
@cannot_link_each
@few
@given(W=some_weights, told=some_links)
def test_laplacian_times_the_identity_is_the_laplacian(
    make: Any,
    convert: Any,
    cannot_link: float,
    W: Floats,
    told: list[Link],
) -> None:
    laplacian: Laplacian = make(
        operator(convert(W), Constraints().after_all(told), cannot_link)
    )

    np.testing.assert_allclose(
        laplacian @ np.eye(N), laplacian.toarray(), rtol=1e-9, atol=1e-9
    )
    np.testing.assert_allclose(
        laplacian @ np.ones(N), laplacian.toarray().sum(axis=1), rtol=1e-9, atol=1e-9
    )


@cannot_link_each
@few
@given(W=some_weights, told=some_links)
def test_signed_laplacian_is_never_negative(
    cannot_link: float, W: Floats, told: list[Link]
) -> None:
    weights = operator(W, Constraints().after_all(told), cannot_link)

    lowest = np.linalg.eigvalsh(signed_normalised(weights).toarray())[0]

    assert lowest >= -1e-9
