"""The piles that benchmarks sort.

    python -m benchmarks.piles patches FILE.npy [--samples 100000] [--picture china.jpg]

writes patches of real photographs to a file, for the option `--features` of others.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from sklearn.datasets import load_sample_image
from sklearn.feature_extraction.image import extract_patches_2d

from likewise._arrays import AnyFloats, Indices, spans

LATENT, NOISE = 12, 0.1
N_MADE = 100_000  # rows made at a time
PICTURES = "china.jpg", "flower.jpg"
SIDE = 8  # pixels


def clouds(
    n: int, d: int = 64, *, n_clouds: int = 50, spread: float = 1.5
) -> tuple[AnyFloats, Indices]:
    """Return overlapping clouds in a subspace of d dimensions, and the cloud of each.

    Float32, in random order, of intrinsic dimension 12. The smaller the spread of their
    centres, the more they overlap: with 1.5 there is a gap in the spectrum of the graph
    of neighbours, with 0.9 there is none.
    """
    rng = np.random.default_rng(0)
    centres = rng.normal(scale=spread, size=(n_clouds, LATENT))
    turn = np.linalg.qr(rng.normal(size=(d, LATENT)))[0].astype(np.float32)
    y = rng.integers(n_clouds, size=n)
    X = np.empty((n, d), dtype=np.float32)
    for span in spans(n, N_MADE):
        inside = centres[y[span]] + rng.normal(size=(span.stop - span.start, LATENT))
        X[span] = inside.astype(np.float32) @ turn.T
        noise = rng.standard_normal(X[span].shape, dtype=np.float32)
        X[span] += NOISE * np.sqrt(LATENT / d) * noise
    return X, y


def patches(n: int, pictures: Sequence[str] = PICTURES, *, seed: int = 0) -> AnyFloats:
    """Return grey patches of photographs, 8 x 8 pixels around their mean.

    As many of each picture, drawn by lot; float32, of shape (n, 64). Nothing tells
    groups of them apart: their graph has no gap in its spectrum.
    """
    parts: list[AnyFloats] = []
    for share in np.array_split(np.arange(n), len(pictures)):
        grey = load_sample_image(pictures[len(parts)]).mean(axis=2) / 255
        drawn = {"max_patches": len(share), "random_state": seed}
        parts.append(extract_patches_2d(grey, (SIDE, SIDE), **drawn))
    X = np.concatenate(parts).reshape(n, -1)
    X -= X.mean(axis=1, keepdims=True)
    return X[np.random.default_rng(seed).permutation(n)].astype(np.float32)


def main() -> None:
    """Write patches to a file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pile", choices=["patches"])
    parser.add_argument("file", type=Path)
    parser.add_argument("--samples", type=int, default=100_000)
    parser.add_argument("--picture", nargs="+", default=list(PICTURES))
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    np.save(options.file, patches(options.samples, options.picture, seed=options.seed))


if __name__ == "__main__":
    main()
