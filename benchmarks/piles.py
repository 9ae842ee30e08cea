"""The piles that benchmarks sort."""

from __future__ import annotations

import numpy as np

from likewise._arrays import AnyFloats, Indices, spans

LATENT, NOISE = 12, 0.1
N_MADE = 100_000  # rows made at a time


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
