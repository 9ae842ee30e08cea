"""Whether many samples get the questions and labels that exact eigenvectors give.

    python -m benchmarks.agreement [--states 50] [--unknown]

A session goes on from answer to answer as it does with many samples: each spectrum from
the one before, in float32, to a residual of 0.0001. In each of 50 states that a sample
was placed in, the eigenvectors are solved for to all digits from the same answers, and
all else is done as before. Printed: in how many states the next question is the same,
the lowest adjusted Rand index between the labels, and in how many it is 0.995 at least;
on digits and on clouds without a gap in their spectrum.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

from benchmarks.piles import clouds
from sklearn.datasets import load_digits
from sklearn.metrics import adjusted_rand_score
from threadpoolctl import threadpool_limits

from likewise import LabelOracle, Session
from likewise._arrays import AnyFloats, Indices
from likewise.methods import AnyMethod, Recipe, urasc
from likewise.methods._recipe import N_EXTRA
from likewise.methods.clustering import SpectralModel
from likewise.methods.constrained import LargeClustering
from likewise.spectral import (
    ConstrainedWeights,
    Pairs,
    lowest,
    operator_of,
    signed_normalised,
)
from likewise.spectral._eigen_filter import ritz_of

WARM = urasc("urasc+n", recipe=Recipe(n_exact=0))
N_FIRST = 30  # answers before states are compared
ALIKE = 0.995


@dataclass(frozen=True)
class WithExactPairs(LargeClustering):
    """The clustering of many samples, with eigenvectors to all digits."""

    @classmethod
    def of(cls, warm: LargeClustering) -> WithExactPairs:
        """Return the same clustering under the same answers."""
        given: dict[str, Any] = {
            f.name: getattr(warm, f.name) for f in fields(warm) if f.init
        }
        plain = None if warm.plain is None else cls.of(warm.plain)
        return cls(**{**given, "plain": plain})

    @cached_property
    def pairs(self) -> Pairs:
        """The lowest n_c eigenpairs and a few more."""
        graph, blocks = self.graph, self.blocks
        operator = operator_of(graph, blocks.samples, blocks.group, blocks.apart)
        weights = ConstrainedWeights.of(self.problem.weights, blocks, 0.0)
        wanted = self.n_clusters + N_EXTRA
        spectrum = lowest(signed_normalised(weights), wanted)
        basis = graph.backend.array(spectrum.vectors[graph.order])
        ritz = ritz_of(graph.backend, spectrum.values, basis, operator @ basis)
        return Pairs(operator, ritz, wanted, columns=0)


def exactly(model: SpectralModel) -> SpectralModel:
    """Return the same model with exact eigenvectors."""
    assert isinstance(model.clustering, LargeClustering)
    assert isinstance(model.plain, LargeClustering)
    return replace(
        model,
        clustering=WithExactPairs.of(model.clustering),
        plain=WithExactPairs.of(model.plain),
    )


def hard_clouds() -> tuple[AnyFloats, Indices]:
    """Return clouds that overlap so much that no gap in the spectrum tells them."""
    return clouds(1500, n_clouds=10, spread=0.9)


def states(
    X: AnyFloats, y: Indices, method: AnyMethod, n_clusters: int | None
) -> Iterator[tuple[bool, float]]:
    """Yield for each state whether the question is the same, and how alike labels are.

    A state is one in which the last answer has placed a sample.
    """
    session, oracle = Session(X, method, n_clusters), LabelOracle(y)
    while (question := session.ask()) is not None:
        session.tell(question, oracle(question))
        view, then = session.view, session.ask()
        if session.n_questions < N_FIRST or not view.known.is_placed(question.sample):
            continue
        model = exactly(view.model)  # type: ignore[arg-type]
        rng = session._rng("propose", len(view.known.answers))
        exact = method.propose(model, view.known, rng)
        yield then == exact, adjusted_rand_score(session.labels, model.labels)


def main() -> None:
    """Compare states on both data sets."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--states", type=int, default=50)
    parser.add_argument("--unknown", action="store_true", help="k is not known")
    options = parser.parse_args()
    for name, (X, y) in {
        "digits": load_digits(return_X_y=True),
        "clouds": hard_clouds(),
    }.items():
        k = None if options.unknown else int(y.max()) + 1
        with threadpool_limits(1):
            found = states(X, y, WARM, k)
            same, alike = zip(
                *(next(found) for _ in range(options.states)), strict=True
            )
        print(
            f"{name}: same question in {sum(same)} of {len(same)} states, "
            f"labels at {min(alike):.4f} at least, "
            f"{ALIKE} in {sum(a >= ALIKE for a in alike)}"
        )


if __name__ == "__main__":
    main()
