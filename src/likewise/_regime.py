"""Few samples or many: every size at which the work is done in another way.

Two regimes, *exact* and *large*. What is written here decides which of two pieces
does the work; how each works stands beside the piece.
"""

from __future__ import annotations

# Nearest neighbours

EXACT_SEARCH = 20_000  # samples up to which numbers are float64 and searches exact
ALL_PAIRS_COST = 1.5e12  # pairs times features, compared in a minute on one core;
# links between near samples are slower below, faster above, and not exact
CARD_ALL_PAIRS = 3_000_000  # samples of which a card compares all pairs in a minute
EACH_ALONE = 4_000_000  # samples times components, each connected by itself
FEW_MEMBERS = 4096  # members of components, each compared with all others
MOST_DENSE = 50_000  # samples of which all similarities may be kept: 20 GB
MOST_REPRESENTATIVES = 100_000  # points for all samples: a session is quick with them
CHOSEN_CENTRES = 5000  # centres that begin far from each other; more begin by lot


# What follows from data

KEPT = (
    1_000  # above, it is kept beside a project; it is made as fast as it is read below
)


# Words

ONE_HOT = 1_000  # kinds in a column of words that get a column each; more share 64


# Eigenvectors and clusters

N_EXACT = 2000  # up to here each spectrum is solved for from nothing, to all digits
N_DENSE = 400  # up to here a dense solution of one is as fast as Lanczos
N_LANCZOS = 5000  # up to here Lanczos, or a dense solution instead, is affordable
LOWERED = 5_000  # up to here k-means may go on from where it ends, to lower squares
CLUSTERED_TO_THE_END = 100_000  # up to here k-means ends when no sample moves
N_FITTED = 10_000  # samples that a mixture is fitted to; where there are more, to some


# The flagship

FLAGSHIP_LINKED = 3_000  # up to here all pairs are linked for the first clusters
FLAGSHIP_EXACT = 5_000  # up to here all is float64; no sample stands for others
FLAGSHIP_CLUSTERED = 10_000  # up to here all samples are clustered, then some


# Sessions

COARSE_FROM = 10_000  # above, a part of the samples is asked about first: all take
COARSE_AGAIN = 1_000_000  # more than some seconds; so many where that was done before
COARSE = 3_000  # samples of that part: their first question takes about two seconds
ONE_THREAD = 50_000  # up to here a second thread of linear algebra is only in the way


# Rivals

FOREST_PAIRS = 2500  # samples up to which each pair is an edge; the graph's above
ALL_CUTS = 1000  # samples up to which a cut may be any vector; smooth ones above


# Maps

FEWEST_FOR_UMAP = 100  # below, neighbours say no more than main directions
MOST_FOR_UMAP = 100_000  # above, it would take hours
