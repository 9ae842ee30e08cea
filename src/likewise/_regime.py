"""Few samples or many: every size at which the work is done in another way.

Two regimes, *exact* and *large*. What is written here decides which of two pieces
does the work; how each works stands beside the piece.
"""

from __future__ import annotations

# Nearest neighbours


# Eigenvectors and clusters


# The flagship

FLAGSHIP_CUT = 1_000  # up to here each sample set aside is cut out of the graph
FLAGSHIP_LINKED = 3_000  # up to here all pairs are linked for the first clusters
FLAGSHIP_EXACT = (
    5_000  # up to here numbers are float64, and no sample stands in for others
)
FLAGSHIP_CLUSTERED = 10_000  # up to here all samples are clustered, then some


# Rivals


# The app and its projects
