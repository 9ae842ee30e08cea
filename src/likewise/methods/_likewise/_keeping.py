"""How spectra and priors are kept beside a project, and taken up to the last bit."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from likewise._cached import Arrays, Form, packed_matrix, unpacked_matrix
from likewise.methods._likewise._posterior import Basis
from likewise.spectral import Backend, Spectrum

if TYPE_CHECKING:
    from likewise.methods._likewise._prior import Prior

PRIOR, SPECTRUM = "prior", "spectrum"  # kinds of files


def form_of_priors(make: Callable[..., Prior], backend: Backend) -> Form[Prior]:
    """Return how priors become arrays, and again what they were.

    Parameters
    ----------
    make : callable
        Returns a prior, from all but what is known of every problem beforehand.
    backend : Backend
        Where arrays of numbers for every sample are to be.
    """

    def packed(prior: Prior) -> Arrays:
        graph, *features = prior.bases  # that of the graph are the eigenvectors
        arrays = {
            "vectors": backend.host(prior.vectors),
            "precision": prior.precision,
            "reach": np.array(prior.reach),
            "variance": backend.host(prior.variance),
            "start": prior.start,
            "medoids": prior.medoids,
            "n_held": np.array(prior.n_held),
            "smoothness": graph.weights,
            **packed_matrix("shares", prior.shares),
        }
        for basis in features:
            arrays |= {"features": backend.host(basis.array), "size": basis.weights}
        return arrays

    def unpacked(arrays: Arrays) -> Prior:
        vectors = backend.mirrored(backend.array(arrays["vectors"]))
        bases = [Basis(vectors, arrays["smoothness"])]
        if "features" in arrays:
            features = backend.mirrored(backend.array(arrays["features"]))
            bases.append(Basis(features, arrays["size"]))
        return make(
            vectors=vectors,
            precision=arrays["precision"],
            reach=float(arrays["reach"]),
            variance=backend.mirrored(backend.array(arrays["variance"])),
            bases=tuple(bases),
            start=arrays["start"],
            shares=unpacked_matrix("shares", arrays),
            medoids=arrays["medoids"],
            n_held=int(arrays["n_held"]),
        )

    return Form(packed, unpacked)


def _packed_spectrum(spectrum: Spectrum) -> Arrays:
    return {
        "values": spectrum.values,
        "vectors": spectrum.vectors,
        "scale": spectrum.scale,
        "is_normalised": np.array(spectrum.is_normalised),
    }


def _unpacked_spectrum(arrays: Arrays) -> Spectrum:
    values, vectors, scale = (arrays[name] for name in ("values", "vectors", "scale"))
    return Spectrum(values, vectors, scale, bool(arrays["is_normalised"]))


SPECTRA = Form(_packed_spectrum, _unpacked_spectrum)
