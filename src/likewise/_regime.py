"""Few samples or many: every size at which the work is done in another way.

Two regimes, *exact* and *large*. What is written here decides which of two pieces
does the work; how each works stands beside the piece.
"""

from __future__ import annotations

# Nearest neighbours

EXACT_SEARCH = 20_000  # samples up to which numbers are float64 and searches exact


# Eigenvectors and clusters


# The flagship


# Rivals


# The app and its projects
