"""Edges and colours as vectors."""

from __future__ import annotations

import numpy as np
from PIL import Image
from tests.generated import left_half_red, noise

from likewise.encoders import Vectors
from likewise.encoders._classical import colours, edges, encode_pictures


def stripes(*, upright: bool) -> Image.Image:
    values = np.zeros((128, 128), dtype=np.uint8)
    values[:, ::8] = 255
    return Image.fromarray(values if upright else values.T).convert("RGB")


def test_vectors_have_length_one_and_the_stated_size() -> None:
    vectors = encode_pictures([noise(), left_half_red(), Image.new("RGB", (3, 200))])

    assert vectors.shape == (3, 1764 + 512)
    np.testing.assert_allclose(np.linalg.norm(vectors[:2], axis=1), 1, atol=1e-6)
    assert np.isfinite(vectors).all()


def test_a_vector_does_not_depend_on_its_batch() -> None:
    pictures = [noise(seed=seed) for seed in range(3)]

    alone = np.vstack([encode_pictures([picture]) for picture in pictures])

    np.testing.assert_array_equal(encode_pictures(pictures), alone)


def test_edges_tell_directions_apart() -> None:
    def votes(image: Image.Image) -> Vectors:
        rgb = np.asarray(image, dtype=np.float32)[np.newaxis] / np.float32(255)
        return edges(rgb).reshape(-1, 9).sum(axis=0)

    assert votes(stripes(upright=True)).argmax() == 0  # the gradient goes across
    assert votes(stripes(upright=False)).argmax() in (4, 5)


def test_a_flat_picture_has_no_edges() -> None:
    assert not edges(np.full((1, 128, 128, 3), 0.5, dtype=np.float32)).any()


def test_colours_are_counted_quarter_by_quarter() -> None:
    image = left_half_red((128, 128)).convert("HSV")

    histograms = colours(np.asarray(image)[np.newaxis])[0]

    assert (histograms > 0).sum(axis=1).tolist() == [1, 1, 1, 1]
    np.testing.assert_array_equal(histograms[0], histograms[2])
    assert histograms[0] @ histograms[1] == 0
