"""From samples to a sparse graph of nearest neighbours (the affinity "auto").

::

    rows.py        samples, a block of rows at a time
    equals.py      which rows are equal
    search.py      which search, by the number of samples and of features
    indexes.py     what a block is searched in
    links.py       the one of them that compares few rows only
    candidates.py  the k best of what was found in several places
    watching.py    how far a search is, and that it takes long
    neighbours.py  nearest neighbours, and how many of the true ones were found
    weights.py     from distances to weights, and the strongest of them
    bridges.py     from many components to one
    linking.py     edges between components, where there are many samples
    build.py       the graph
"""

from likewise.graph.build import neighbour_graph
from likewise.graph.neighbours import Neighbours, nearest_neighbours, recall_of
from likewise.graph.search import Search, search_for
from likewise.graph.watching import Clock, Progress
from likewise.graph.weights import (
    FAINTEST,
    directed_weights,
    local_scale,
    self_tuning_weights,
    strongest,
)

__all__ = [
    "FAINTEST",
    "Clock",
    "Neighbours",
    "Progress",
    "Search",
    "directed_weights",
    "local_scale",
    "nearest_neighbours",
    "neighbour_graph",
    "recall_of",
    "search_for",
    "self_tuning_weights",
    "strongest",
]
