"""Twenty-four groups have colours that can be told apart, in the light and the dark."""

from __future__ import annotations

import re
from importlib.resources import files

import numpy as np
import pytest
from numpy.typing import NDArray

CSS = (files("likewise.app") / "static" / "lib" / "base.css").read_text()
N_TINTS = 24
APART = 0.1  # in OKLab: several times what can just be seen
READABLE = 4.5  # the contrast of words
TO_LMS = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def linear(colour: str) -> NDArray[np.float64]:
    """Return a colour as amounts of light."""
    channels = np.array([int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    bent = ((channels + 0.055) / 1.055) ** 2.4
    return np.asarray(np.where(channels <= 0.04045, channels / 12.92, bent))


def oklab(colour: str) -> NDArray[np.float64]:
    return np.asarray(np.cbrt(linear(colour) @ TO_LMS.T) @ TO_LAB.T)


def contrast(one: str, other: str) -> float:
    weights = np.array([0.2126, 0.7152, 0.0722])
    low, high = sorted(float(linear(c) @ weights) for c in (one, other))
    return (high + 0.05) / (low + 0.05)


def tints(light: str) -> list[str]:
    """Return the colours of groups in the light, or in the dark."""
    found = re.findall(r"\.tint-(\d+) \{ --tint: (#[0-9a-f]{6}); \}", CSS)
    half = found[:N_TINTS] if light == "light" else found[N_TINTS:]
    assert [int(number) for number, _ in half] == list(range(N_TINTS))
    return [colour for _, colour in half]


@pytest.mark.parametrize("light", ["light", "dark"])
def test_no_two_colours_can_be_taken_for_each_other(light: str) -> None:
    found = np.array([oklab(colour) for colour in tints(light)])
    gaps = np.linalg.norm(found[:, None] - found[None], axis=2)
    np.fill_diagonal(gaps, np.inf)

    assert gaps.min() >= APART


@pytest.mark.parametrize(
    ("light", "words"), [("light", "#ffffff"), ("dark", "#10140f")]
)
def test_numbers_can_be_read_on_every_colour(light: str, words: str) -> None:
    assert min(contrast(colour, words) for colour in tints(light)) >= READABLE
