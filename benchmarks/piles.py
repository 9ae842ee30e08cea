"""The piles that benchmarks sort."""

from __future__ import annotations

import numpy as np
from sklearn.cluster import MiniBatchKMeans
from sklearn.datasets import load_sample_images

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


EDGE = 8  # pixels of a patch


def patches(n: int, k: int = 50) -> tuple[AnyFloats, Indices]:
    """Return grey patches of scikit-learn's two photographs, 8 x 8 pixels.

    Around their mean, as float32, from places drawn by lot. Nobody has said what they
    show: their classes are made up by k-means.
    """
    rng, found = np.random.default_rng(0), []
    for picture in load_sample_images().images:
        grey = picture.mean(axis=2, dtype=np.float32)
        seen = np.lib.stride_tricks.sliding_window_view(grey, (EDGE, EDGE))
        seen = seen.reshape(-1, EDGE, EDGE)
        places = np.sort(rng.choice(len(seen), n // 2, replace=False))
        found.append(seen[places].reshape(n // 2, EDGE * EDGE))
    X = rng.permutation(np.concatenate(found))
    X -= X.mean(axis=1, keepdims=True)
    means = MiniBatchKMeans(k, random_state=0, n_init=3)
    return X, means.fit_predict(X).astype(np.intp)
