"""How much is learned by asking about a sample: gradient and ambiguity (paper, 4)."""

from likewise.methods._scores._ambiguity_exact import (
    entropy,
    mixture_probabilities,
    neighbour_probabilities,
    own_shares,
)
from likewise.methods._scores._ambiguity_large import (
    Mixture,
    Near,
    near_of,
    neighbour_entropy,
    shares,
)
from likewise.methods._scores._gradient import (
    directions,
    exact_gradient,
    exact_speed,
    paper_gradient,
    paper_speed,
)

__all__ = [
    "Mixture",
    "Near",
    "directions",
    "entropy",
    "exact_gradient",
    "exact_speed",
    "mixture_probabilities",
    "near_of",
    "neighbour_entropy",
    "neighbour_probabilities",
    "own_shares",
    "paper_gradient",
    "paper_speed",
    "shares",
]
