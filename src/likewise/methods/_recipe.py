"""Recipes: how answers enter the spectrum, and how labels come out of it (paper, 3.1).

Every spectral method is composed of a recipe and a way to choose the next question, so
that the same questions can be asked on ours and on the paper's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from likewise._regime import N_EXACT
from likewise.errors import InputError
from likewise.spectral import (
    ConstrainedWeights,
    Laplacian,
    additive,
    signed_normalised,
    unnormalised,
)

N_EXTRA = 5  # eigenvectors beyond n_c, for the inner sum of the gradient

LAPLACIANS: dict[str, Callable[[ConstrainedWeights], Laplacian]] = {
    "signed": signed_normalised,
    "literal": unnormalised,
    "kamvar": additive,
}


@dataclass(frozen=True, slots=True)
class Recipe:
    """How the answers enter the spectrum, and how labels come out of it.

    Attributes
    ----------
    laplacian : str
        A name in ``LAPLACIANS``: "signed" normalised, the paper's "literal" D - W, or
        "kamvar", the additive normalisation of spectral learning, which has the
        eigenvectors of the literal one.
    cannot_link : float
        The weight of a cannot-linked pair, between the paper's -1 and 0.
    n_exact : int
        Samples up to which each spectrum is solved for from nothing, to all digits.
        Above, that of a sparse graph goes on from the one before, to a residual of
        0.0001, or less where the gap is narrow; not where :attr:`goes_on` is False.
    unit_rows : bool
        Whether the rows of the eigenvectors are scaled to length 1 for k-means.
    seeded : bool
        Whether k-means starts from the certain sets.
    enforced : bool
        Whether the labels respect every known pair, whatever k-means says.
    guarded : bool
        Whether the clustering that no answer has touched gives the labels where it
        agrees as well with the answers.
    n_extra : int or None
        The sum over p in the gradient (Eq. 7) runs over the n_c + n_extra lowest
        eigenpairs; None for all of them, as it is written.

    Examples
    --------
    >>> Recipe() == Recipe(laplacian="signed", cannot_link=0.0)
    True
    """

    laplacian: str = "signed"
    cannot_link: float = 0.0
    n_exact: int = N_EXACT
    unit_rows: bool = True
    seeded: bool = True
    enforced: bool = True
    guarded: bool = True
    n_extra: int | None = N_EXTRA

    def __post_init__(self) -> None:
        if self.laplacian not in LAPLACIANS:
            choices = ", ".join(LAPLACIANS)
            raise InputError(
                f"There is no laplacian {self.laplacian!r}. Choose one of: {choices}."
            )
        if not -1.0 <= self.cannot_link <= 0.0:
            raise InputError(
                f"cannot_link must be between -1 and 0, but it is {self.cannot_link}."
            )
        if self.n_extra is not None and self.n_extra < 0:
            raise InputError(f"n_extra must not be negative, but it is {self.n_extra}.")

    @classmethod
    def paper(cls, laplacian: str = "signed", n_extra: int | None = N_EXTRA) -> Recipe:
        """Return the paper's: -1, k-means on raw eigenvectors from no seeds, no more.

        Its labels may contradict answers, and answers may make them worse.

        Parameters
        ----------
        laplacian : {"signed", "literal", "kamvar"}
        n_extra : int or None

        Notes
        -----
        The paper writes L = D - W, and says that it clusters by spectral learning
        (Kamvar et al. 2003), whose additive normalisation has the same eigenvectors.
        With -1 among the weights these soon set a few samples apart from all others
        (wine: area 0.33, one big cluster), which is not what its figures are said to
        show. So the normalised Laplacian of the spectral clustering that it cites (Ng
        et al. 2002) is taken unless told; "literal" is what is written. Where it leaves
        the sum over p to p != i, n_c + 5 pairs are taken, and all of them with
        ``n_extra=None``.

        Examples
        --------
        >>> Recipe.paper().cannot_link, Recipe.paper("literal").laplacian
        (-1.0, 'literal')
        """
        return cls(
            laplacian,
            cannot_link=-1.0,
            unit_rows=False,
            seeded=False,
            enforced=False,
            guarded=False,
            n_extra=n_extra,
        )

    @property
    def goes_on(self) -> bool:
        """Whether the spectrum of many samples may go on from the one before.

        The paper's recipe may not: raw rows, no seeds, all eigenpairs and the other
        Laplacians are solved for from nothing, whatever the number of samples; on a
        dense kernel that is what memory allows.
        """
        few = self.n_extra is not None and self.n_extra <= N_EXTRA
        return self.laplacian == "signed" and self.unit_rows and self.seeded and few

    def n_pairs(self, n_clusters: int, n_samples: int) -> int:
        """Return over how many eigenpairs the sum over p runs.

        Examples
        --------
        >>> Recipe().n_pairs(3, 100), Recipe(n_extra=None).n_pairs(3, 100)
        (8, 100)
        """
        if self.n_extra is None:
            return n_samples
        return min(n_clusters + self.n_extra, n_samples)


OURS = Recipe()
