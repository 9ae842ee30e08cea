"""Looking through what was sorted, and putting it right: plans for one act each."""

from likewise.reviews.closeness import Likeness, likeness_of
from likewise.reviews.regrouping import Revision, applied, regrouped
from likewise.reviews.repairs import Repairs
from likewise.reviews.splitting import fusing_answer, parts_within

__all__ = [
    "Likeness",
    "Repairs",
    "Revision",
    "applied",
    "fusing_answer",
    "likeness_of",
    "parts_within",
    "regrouped",
]
