"""Few samples or many: every size at which the work is done in another way.

Two regimes, *exact* and *large*. What is written here decides which of two pieces
does the work; how each works stands beside the piece.
"""

from __future__ import annotations

# Nearest neighbours

EXACT_SEARCH = 20_000  # samples up to which numbers are float64 and searches exact


# Eigenvectors and clusters

N_EXACT = 2000  # up to here each spectrum is solved for from nothing, to all digits
N_DENSE = 400  # up to here a dense solution of one is as fast as Lanczos
N_LANCZOS = (
    5000  # up to here Lanczos, and a dense one where it gives up, are affordable
)
N_FITTED = 10_000  # samples that a mixture is fitted to; where there are more, to some


# The flagship


# Rivals


# Maps

FEWEST_FOR_UMAP = 100  # below, neighbours say no more than main directions
MOST_FOR_UMAP = 100_000  # above, it would take hours


# The app and its projects
