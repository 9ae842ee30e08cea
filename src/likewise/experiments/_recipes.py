"""The settings that trials are run under: ours, the paper's, and what lies between."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from likewise.methods import Recipe


@dataclass(frozen=True, slots=True)
class Setting:
    """A recipe, and the similarities that it is cooked with.

    Attributes
    ----------
    name : str
    affinity : str
        "paper" stands for the kernel that the paper used for data of a set's kind.
    recipe : Recipe
    about : str
        What it is, in a sentence for people.
    """

    name: str
    affinity: str
    recipe: Recipe
    about: str


PAPER = Setting(
    "paper",
    "paper",
    Recipe.paper(),
    "The paper's: dense kernel, -1 for a cannot-link, k-means on the raw eigenvectors "
    "of the normalised Laplacian, and nothing else.",
)
OURS = Setting(
    "ours",
    "auto",
    Recipe(),
    "Ours: graph of nearest neighbours, 0 for a cannot-link, rows of length 1, k-means "
    "from the certain sets, known pairs kept, no worse than asking nothing.",
)


def _without_a_step(name: str, about: str, **changed: object) -> Setting:
    """Return the paper's setting with something of its recipe changed."""
    recipe = replace(PAPER.recipe, **changed)  # type: ignore[arg-type]
    return Setting(name, PAPER.affinity, recipe, about)


ABLATIONS = (  # settings that are one step away from the paper's
    replace(
        PAPER,
        name="graph",
        affinity="auto",
        about="The paper's on a graph of nearest neighbours instead of the kernel.",
    ),
    _without_a_step(
        "cannot-link 0", "The paper's with 0 for a cannot-link.", cannot_link=0.0
    ),
    _without_a_step(
        "seeded", "The paper's with k-means from the certain sets.", seeded=True
    ),
    _without_a_step(
        "enforced", "The paper's with every known pair kept.", enforced=True
    ),
    _without_a_step(
        "guarded", "The paper's, no worse than asking nothing.", guarded=True
    ),
    _without_a_step(
        "unit rows", "The paper's with rows of length 1 for k-means.", unit_rows=True
    ),
    _without_a_step(
        "p = n_c", "The paper's, Eq. 7 summed over n_c eigenvectors.", n_extra=0
    ),
    _without_a_step(
        "p = all", "The paper's, Eq. 7 summed over all eigenvectors.", n_extra=None
    ),
    _without_a_step(
        "literal", "The paper's with L = D - W, as it writes.", laplacian="literal"
    ),
    _without_a_step(
        "kamvar",
        "The paper's with spectral learning as Kamvar et al. write it: additive "
        "normalisation, rows of length 1.",
        laplacian="kamvar",
        unit_rows=True,
    ),
)  # each is one step away from the paper's; the last takes two at once

RECIPES: Mapping[str, Setting] = MappingProxyType(  # every setting by its name
    {setting.name: setting for setting in (OURS, PAPER, *ABLATIONS)}
)
