"""Few samples or many: every size at which the work is done in another way.

Two regimes, *exact* and *large*. What is written here decides which of two pieces
does the work; how each works stands beside the piece.
"""

from __future__ import annotations

# Nearest neighbours


# Eigenvectors and clusters


# The flagship


# Rivals


# Maps

FEWEST_FOR_UMAP = 100  # below, neighbours say no more than main directions
MOST_FOR_UMAP = 100_000  # above, it would take hours


# The app and its projects
