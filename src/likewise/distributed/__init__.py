"""More samples than one machine holds: the graph, and fewer samples to ask about.

Everything here takes samples in pieces (arrays, ``.npy`` files, a Dask array) and a
Dask client; without one, the same tasks run in this process, one after the other.
"""

from likewise.distributed._coarsen import Representatives, representatives, spread
from likewise.distributed._graph import BlockGraph, neighbours, open_graph

__all__ = [
    "BlockGraph",
    "Representatives",
    "neighbours",
    "open_graph",
    "representatives",
    "spread",
]
