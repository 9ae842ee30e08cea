"""The spectral engine: one answer further for the price of a few sparse products.

Numbers in, numbers out. A :class:`Graph` is made once and never changes; an
:class:`Operator` is the graph with what is known written in; :func:`solve` finds its
lowest eigenpairs from nothing, :func:`updated` from those of the operator before.
Clusters, entropies and gradients follow from the pairs. Samples have the caller's
numbers wherever functions take or return them; inside they are in an order of the
engine's own, on the device that the graph was made for. On processors it is fastest
with one thread for matrix products.
"""

from likewise.engine.cold import TOLERANCE, Progress, solve
from likewise.engine.entropy import Near, entropy, near_of, shares
from likewise.engine.gradient import exact_gradient, paper_gradient
from likewise.engine.graph import Graph, graph_of
from likewise.engine.kmeans import clusters, embedded, reclustered
from likewise.engine.operator import Operator, operator_of
from likewise.engine.pairs import Pairs
from likewise.engine.warm import updated

__all__ = [
    "TOLERANCE",
    "Graph",
    "Near",
    "Operator",
    "Pairs",
    "Progress",
    "clusters",
    "embedded",
    "entropy",
    "exact_gradient",
    "graph_of",
    "near_of",
    "operator_of",
    "paper_gradient",
    "reclustered",
    "shares",
    "solve",
    "updated",
]
