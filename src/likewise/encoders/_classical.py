"""Pictures to vectors without a model: edges (HOG) and colours.

The middle square of the picture is taken at 128 by 128 pixels.

- Edges: 8 by 8 cells of 16 pixels, in each a histogram of 9 directions of the
  gradient, weighed by its strength; 7 by 7 overlapping blocks of 2 by 2 cells. 1,764
  numbers (Dalal and Triggs, 2005).
- Colours: in each quarter, a histogram of 8 hues, 4 saturations and 4 brightnesses.
  512 numbers.

Every block of edges and every quarter of colours is scaled to sum 1 and its square root
taken, so that it has length 1 and Euclidean distance compares it as a histogram
(Hellinger). Both halves weigh the same; the whole has length 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likewise.encoders._base import Encoder, Vectors
from likewise.encoders._pictures import centre_crop

EDGE, CELL, N_DIRECTIONS = 128, 16, 9
HUES, SATURATIONS, BRIGHTNESSES = 8, 4, 4
FAINT = 1e-3  # keeps noise in a flat block from looking like edges


def hog_and_colour() -> Encoder:
    """Return the encoder; it needs Pillow and nothing to download."""
    return Encoder(
        "hog+colour/1",
        "Edges and colours, without a trained model: tells scenes and textures apart, "
        "hardly kinds of things; install likewise[images] for a trained one.",
        "image",
        encode_pictures,
        batch_size=16,
    )


def encode_pictures(pictures: Sequence[Any]) -> Vectors:
    """Return edges and colours of pictures.

    Parameters
    ----------
    pictures : sequence of b PIL.Image, RGB

    Returns
    -------
    ndarray of shape (b, 2276), rows of length 1

    Examples
    --------
    >>> from PIL import Image
    >>> encode_pictures([Image.new("RGB", (50, 40), "red")]).shape
    (1, 2276)
    """
    squares = [centre_crop(picture, EDGE, EDGE) for picture in pictures]
    rgb = np.stack([np.asarray(square) for square in squares]).astype(np.float32)
    hsv = np.stack([np.asarray(square.convert("HSV")) for square in squares])
    return np.hstack([_halved(edges(rgb / np.float32(255))), _halved(colours(hsv))])


def edges(rgb: Vectors) -> Vectors:
    """Return histograms of gradient directions.

    Parameters
    ----------
    rgb : ndarray of shape (b, 128, 128, 3), values 0 to 1

    Returns
    -------
    ndarray of shape (b, 49, 36)
    """
    grey = np.sqrt(rgb @ np.array([0.299, 0.587, 0.114], dtype=np.float32))
    down, across = np.gradient(grey, axis=(1, 2))
    strength = np.hypot(down, across)
    place = (np.arctan2(down, across) % np.pi) * (N_DIRECTIONS / np.pi)
    lower = np.floor(place)
    upper_share = (place - lower)[..., np.newaxis]
    bins = np.arange(N_DIRECTIONS)
    in_lower = (lower[..., np.newaxis] % N_DIRECTIONS) == bins
    in_upper = ((lower[..., np.newaxis] + 1) % N_DIRECTIONS) == bins
    votes = in_lower * (1 - upper_share) + in_upper * upper_share
    cells = _summed(votes * strength[..., np.newaxis])
    blocks = np.stack(
        [cells[:, :-1, :-1], cells[:, :-1, 1:], cells[:, 1:, :-1], cells[:, 1:, 1:]], 3
    )
    return _rooted(blocks.reshape(len(rgb), -1, 4 * N_DIRECTIONS), FAINT * CELL**2)


def _summed(votes: Vectors) -> Vectors:
    """Return votes of pixels, (b, 128, 128, v), summed over cells: (b, 8, 8, v)."""
    n, side = len(votes), EDGE // CELL
    return votes.reshape(n, side, CELL, side, CELL, -1).sum(axis=(2, 4))


def colours(hsv: NDArray[np.uint8]) -> Vectors:
    """Return histograms of colours.

    Parameters
    ----------
    hsv : ndarray of shape (b, 128, 128, 3), values 0 to 255

    Returns
    -------
    ndarray of shape (b, 4, 128)
    """
    hue, saturation, brightness = np.moveaxis(hsv.astype(np.intp), -1, 0)
    code = (hue * HUES // 256) * SATURATIONS + saturation * SATURATIONS // 256
    code = code * BRIGHTNESSES + brightness * BRIGHTNESSES // 256
    n, n_bins, half = len(hsv), HUES * SATURATIONS * BRIGHTNESSES, EDGE // 2
    quarters = code.reshape(n, 2, half, 2, half).transpose(0, 1, 3, 2, 4)
    flat = quarters.reshape(n * 4, -1) + n_bins * np.arange(n * 4)[:, np.newaxis]
    counts = np.bincount(flat.ravel(), minlength=n * 4 * n_bins)
    return _rooted(counts.reshape(n, 4, n_bins).astype(np.float32), 0.0)


def _rooted(histograms: Vectors, faint: float) -> Vectors:
    total = histograms.sum(axis=-1, keepdims=True) + faint
    return np.sqrt(histograms / total)


def _halved(blocks: Vectors) -> Vectors:
    """Return blocks side by side with the length of half of a unit vector."""
    flat = blocks.reshape(len(blocks), -1)
    length = np.linalg.norm(flat, axis=1, keepdims=True)
    scaled = flat / np.where(length > 0, length, 1.0) * np.sqrt(0.5)
    return scaled.astype(np.float32)
