"""URASC: ask about the sample expected to reduce uncertainty most (paper, 4).

The change of the eigenvectors that an answer about a sample would bring is taken to be
a gradient times a step, and the five variants of the paper are the ways to compose
the two: both (+N, +P), the gradient alone (-GO), the step alone (-NO, -PO).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TypeAlias

import numpy as np

from likewise._arrays import AnyFloats, Floats, Indices
from likewise._ties import best_first, slight
from likewise.errors import InputError
from likewise.knowledge import Knowledge
from likewise.methods._base import Method
from likewise.methods._recipe import OURS, Recipe
from likewise.methods.clustering import SpectralModel, spectral_method
from likewise.methods.constrained import GRADIENTS, Steps
from likewise.methods.sampling import (
    Scores,
    placed,
    propose_by_sample,
    representatives,
)
from likewise.spectral import Array, DeviceNumbers, backend_of

Step: TypeAlias = Callable[[SpectralModel], Steps]


def nonparametric_step(model: SpectralModel) -> Steps:
    """Return the entropy of clusters among each sample's neighbours (Eqs. 9, 12)."""
    return model.clustering.doubt


def parametric_step(model: SpectralModel) -> Floats:
    """Return the entropy of clusters under a mixture (Eqs. 11, 12)."""
    return model.clustering.mixture_doubt


STEPS: dict[str, Step] = {
    "nonparametric": nonparametric_step,
    "parametric": parametric_step,
}


@dataclass(frozen=True, slots=True)
class UncertaintyReduction:
    """The score of samples: gradient times step, or one of them alone (Eq. 4).

    Attributes
    ----------
    step : callable or None
    slope : str or None
        A name in ``GRADIENTS``.
    shortlist : int or None
        b of the paper: the gradient counts only for the b samples whose steps are
        largest.
    """

    step: Step | None
    slope: str | None
    shortlist: int | None

    def __call__(
        self,
        model: SpectralModel,
        known: Knowledge,
        free: Indices,
        rng: np.random.Generator,
    ) -> AnyFloats | Scores:
        """Return the score of the samples in `free`."""
        found = self.step(model) if self.step else np.ones(known.n_samples)
        if self.slope and self.shortlist is None and isinstance(found, DeviceNumbers):
            anchors = representatives(known, rng)
            speeds_at = partial(model.clustering.speeds_at, self.slope, anchors)
            return gains_there(found, speeds_at, placed(known), free)
        steps: AnyFloats = found.take(free)
        if self.slope is None:
            return steps
        anchors = representatives(known, rng)
        some = np.flatnonzero(steps)
        speeds = model.clustering.speeds(self.slope, anchors, free[some])
        gains = np.zeros(len(free), dtype=speeds.dtype)  # it says how right they are
        gains[some] = steps[some] * speeds
        if self.step is None or self.shortlist is None or self.shortlist >= len(free):
            return gains
        # Below any gain, in the order of the steps, for when the list is used up.
        listed = np.zeros(len(free), dtype=bool)
        listed[list(islice(best_first(steps), self.shortlist))] = True
        return np.where(listed, gains, steps - steps.max(initial=0.0) - 1.0)


@dataclass(frozen=True, slots=True)
class DeviceScores:
    """The scores of samples that stay where the eigenvectors are.

    Attributes
    ----------
    gains : DeviceNumbers
        Of all samples; minus infinity for those that are not to be asked about.
    free : ndarray of shape (f,)
        Those of all others that anybody wants the score of, ascending.
    """

    gains: DeviceNumbers
    free: Indices

    def tied(self) -> Indices:
        """Return which of the free samples tie with the best of all."""
        values = self.gains.values
        backend = backend_of(values)
        best = backend.tied_best(values, within=slight(np.float32))
        samples = np.sort(self.gains.sample_at(best))
        at = np.minimum(np.searchsorted(self.free, samples), len(self.free) - 1)
        return at[self.free[at] == samples]

    def listed(self) -> AnyFloats:
        """Return the scores of all free samples."""
        return self.gains.take(self.free)


def gains_there(
    steps: DeviceNumbers,
    speeds_at: Callable[[Array], Array],
    out: Sequence[int],
    free: Indices,
) -> DeviceScores:
    """Return gradient times step of the free samples, where the steps are.

    Parameters
    ----------
    steps : DeviceNumbers
    speeds_at : callable
        Returns the gradient of samples that stand at some places.
    out : sequence of samples
        Not to be asked about.
    free : ndarray of samples
        Those of all others that anybody wants the score of, ascending.
    """
    backend, values = backend_of(steps.values), steps.values
    gains = backend.zeros(len(values))
    some = backend.flatnonzero(values > 0)
    gains[some] = values[some] * speeds_at(some)
    there = backend.indices(np.array(out, dtype=np.intp))
    gains[there if steps.place is None else steps.place[there]] = -np.inf
    return DeviceScores(DeviceNumbers(gains, steps.place, steps.order), free)


def urasc(
    name: str,
    *,
    step: str | None = "nonparametric",
    gradient: str | None = "paper",
    shortlist: int | None = None,
    recipe: Recipe = OURS,
) -> Method[SpectralModel]:
    """Compose a variant of URASC.

    Parameters
    ----------
    name : str
    step : {"nonparametric", "parametric"} or None
        The step scale (4.2); None leaves it out.
    gradient : {"paper", "exact"} or None
        The gradient (4.1): Eq. 7 as it is written, or of the Laplacian in use; None
        leaves it out.
    shortlist : int, optional
        b of the paper: the gradient counts only for the b samples with the largest
        step. Only with both a step and a gradient.
    recipe : Recipe
        How the answers enter the spectrum and how labels come out of it; the paper's is
        ``Recipe.paper()``.

    Returns
    -------
    Method

    Examples
    --------
    >>> urasc("mine", step="parametric", shortlist=50, recipe=Recipe.paper()).name
    'mine'
    """
    _check("step", step, STEPS)
    _check("gradient", gradient, GRADIENTS)
    if step is None and gradient is None:
        raise InputError("A variant needs a step, a gradient or both.")
    score = UncertaintyReduction(STEPS[step] if step else None, gradient, shortlist)
    about = (
        f"URASC with {_describe(step, gradient)}: asks about the sample whose answer "
        f"should move the clustering most."
    )
    return spectral_method(
        name, about, partial(propose_by_sample, score), recipe=recipe
    )


def _check(what: str, name: str | None, known: Mapping[str, object]) -> None:
    if name is not None and name not in known:
        choices = ", ".join(known)
        raise InputError(f"There is no {what} {name!r}. Choose one of: {choices}.")


def _describe(step: str | None, gradient: str | None) -> str:
    parts = [f"the {step} step" if step else "", "the gradient" if gradient else ""]
    return " and ".join(filter(None, parts)) + (
        " alone" if not (step and gradient) else ""
    )


URASC: tuple[Method[SpectralModel], ...] = (
    urasc("urasc+n", step="nonparametric"),
    urasc("urasc+p", step="parametric"),
    urasc("urasc-go", step=None),
    urasc("urasc-no", step="nonparametric", gradient=None),
    urasc("urasc-po", step="parametric", gradient=None),
)
