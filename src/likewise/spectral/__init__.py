"""Eigenvectors of a graph with the answers written in, and clusters in their space.

Numbers in, numbers out. Few samples are solved for exactly; for many, a :class:`Graph`
is made once and never changes, an :class:`Operator` is the graph with what is known
written in, :func:`solve` finds its lowest eigenpairs from nothing and :func:`updated`
from those of the operator before. Samples have the caller's numbers wherever functions
take or return them; inside they are in an order of our own, on the device that the
graph was made for. On processors it is fastest with one thread for matrix products.
"""

from likewise.spectral._backend import (
    DOUBLE,
    SINGLE,
    Array,
    Backend,
    RowProduct,
    backend_for,
    backend_of,
)
from likewise.spectral._clusters import DeviceClusters, DeviceNumbers
from likewise.spectral._eigen_cold import Pairs, form_of_pairs, solve
from likewise.spectral._eigen_exact import Eigenpairs, Spectrum, lowest
from likewise.spectral._eigen_update import updated
from likewise.spectral._kmeans import (
    clusters,
    embedded,
    embedding,
    k_means,
    lowered_k_means,
    reclustered,
)
from likewise.spectral._laplacian_exact import (
    Blocks,
    ConstrainedWeights,
    Laplacian,
    additive,
    known_blocks,
    signed_normalised,
    unnormalised,
)
from likewise.spectral._laplacian_large import (
    Graph,
    Operator,
    graph_of,
    operator_of,
    renumbered,
)

__all__ = [
    "DOUBLE",
    "SINGLE",
    "Array",
    "Backend",
    "Blocks",
    "ConstrainedWeights",
    "DeviceClusters",
    "DeviceNumbers",
    "Eigenpairs",
    "Graph",
    "Laplacian",
    "Operator",
    "Pairs",
    "RowProduct",
    "Spectrum",
    "additive",
    "backend_for",
    "backend_of",
    "clusters",
    "embedded",
    "embedding",
    "form_of_pairs",
    "graph_of",
    "k_means",
    "known_blocks",
    "lowered_k_means",
    "lowest",
    "operator_of",
    "reclustered",
    "renumbered",
    "signed_normalised",
    "solve",
    "unnormalised",
    "updated",
]
