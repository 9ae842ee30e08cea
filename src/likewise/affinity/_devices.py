"""Where many numbers are worked on: the processor, or a graphics card by torch."""

from __future__ import annotations

import warnings
from importlib.util import find_spec
from types import ModuleType

from likewise.errors import AssumptionWarning, InputError, MissingExtraError

# Where the numbers of many samples are worked out.
DEVICES = ("cpu", "cuda", "torch-cpu")


def checked(device: str) -> str:
    """Return the name of a device, or refuse one that there is not."""
    if device not in DEVICES:
        raise InputError(
            f"There is no device {device!r}. Choose one of: {', '.join(DEVICES)}."
        )
    return device


def torch_for(device: str) -> tuple[ModuleType, str] | None:
    """Return torch and what it calls a device; None for the processor without it.

    Parameters
    ----------
    device : {"cpu", "cuda", "torch-cpu"}
        "cpu" is numpy and scipy; the others are torch. Where "cuda" finds no torch or
        no card, a warning says so and "cpu" takes its place.

    Examples
    --------
    >>> torch_for("cpu") is None
    True
    """
    if checked(device) == "cpu":
        return None
    if find_spec("torch") is None:
        if device == "torch-cpu":
            raise MissingExtraError("torch", "gpu")
        _say("torch is missing (pip install 'likewise[gpu]')")
        return None
    import torch

    if device == "torch-cpu":
        return torch, "cpu"
    if not torch.cuda.is_available():
        _say("torch finds no card")
        return None
    return torch, "cuda"


def _say(why: str) -> None:
    warnings.warn(  # from the same line each time: it is shown once
        f"The device 'cuda' was asked for, but {why}, so the processor does the work.",
        AssumptionWarning,
        stacklevel=2,
    )
