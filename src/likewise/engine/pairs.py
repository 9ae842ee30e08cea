"""The lowest eigenpairs of an operator, and how well they are known."""

from __future__ import annotations

from dataclasses import dataclass

from likewise.arrays import Floats, Indices
from likewise.engine.operator import TOP, Operator
from likewise.engine.subspace import Ritz


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Approximate eigenpairs.

    Attributes
    ----------
    operator : Operator
        What they are of.
    ritz : Ritz
        The pairs as the engine keeps them: in its order, on its device.
    wanted : int
        How many are meant to be accurate; the others guard them.
    columns : int
        Columns that the operator was applied to, to find them.
    age : int
        Changes of the operator since it was last applied to all of them.
    """

    operator: Operator
    ritz: Ritz
    wanted: int
    columns: int
    age: int = 0

    @property
    def values(self) -> Floats:
        """The eigenvalues, ascending, of shape (p,)."""
        return self.ritz.values

    @property
    def vectors(self) -> Floats:
        """The eigenvectors as a numpy array of shape (n, p), in the caller's order.

        Float32, with orthonormal columns. It is put together anew at each call.
        """
        return self.operator.graph.outside(self.ritz.basis)

    def rows(self, samples: Indices) -> Floats:
        """Return some rows of the eigenvectors, of shape (s, p)."""
        graph = self.operator.graph
        found: Floats = graph.backend.host(self.ritz.basis[graph.rows(samples)])
        return found

    @property
    def residual(self) -> Floats:
        """The length of L v - value * v over the top of the spectrum, of shape (p,)."""
        return self.ritz.residual / TOP

    @property
    def worst(self) -> float:
        """The largest residual of the pairs that are wanted."""
        return float(self.residual[: self.wanted].max(initial=0.0))
