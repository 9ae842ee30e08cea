"""Whether a second run shows what the first did.

    python -m benchmarks.reproduced FIRST.csv SECOND.csv [--all]

Both are results of ``likewise reproduce``. For each curve that both have, over the
repeats that both have: by how much the means differ at most, and whether that is less
than half of the first run's 95 % interval, of all of its repeats, at every number of
questions; for each data set and recipe, how many curves do, and the share of trials
that came out the same to the last decimal. The curves that do not are named; ``--all``
names every curve.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from likewise._arrays import Floats
from likewise.experiments import Outcome, Trial
from likewise.experiments.paper import Results, half_widths

ROUNDED = 0.0005  # means of values of four decimals
METRICS = ("jaccard", "ari")


@dataclass(frozen=True, slots=True)
class Compared:
    """One curve of two runs.

    Attributes
    ----------
    trial : Trial
        Of the curve, with seed 0.
    metric : str
    largest : float
        Difference between the means.
    is_within : bool
        Whether the second mean is within the first's interval everywhere.
    n_same, n : int
        Trials that came out the same, of how many.
    """

    trial: Trial
    metric: str
    largest: float
    is_within: bool
    n_same: int
    n: int

    @property
    def name(self) -> str:
        """Which curve it is."""
        trial = self.trial
        parts = [trial.data, trial.method, f"recipe {trial.recipe}", self.metric]
        parts += [f"k {trial.k}"] if trial.k != "known" else []
        parts += [f"{100 * trial.noise:.2g} % wrong"] if trial.noise else []
        parts += [trial.opening] if trial.opening != "none" else []
        return ", ".join(parts)


def compared(
    first: Mapping[Trial, Outcome], second: Mapping[Trial, Outcome]
) -> list[Compared]:
    """Return what became of each curve that both runs have."""
    curves: dict[Trial, list[Trial]] = {}
    for trial in first:
        curves.setdefault(replace(trial, seed=0), []).append(trial)
    there = {curve: [t for t in of if t in second] for curve, of in curves.items()}
    return [
        _compared(
            curve,
            metric,
            half_widths(_values([first[t] for t in curves[curve]], metric)),
            ([first[t] for t in trials], [second[t] for t in trials]),
        )
        for curve, trials in there.items()
        if trials
        for metric in METRICS
    ]


def _compared(
    curve: Trial,
    metric: str,
    widths: Floats,
    runs: tuple[Sequence[Outcome], Sequence[Outcome]],
) -> Compared:
    before, after = (_values(run, metric) for run in runs)
    gaps = np.abs(before.mean(axis=0) - after.mean(axis=0))
    allowed = widths + ROUNDED
    same = int((before == after).all(axis=1).sum())
    is_within = bool((gaps <= allowed).all())
    return Compared(curve, metric, float(gaps.max()), is_within, same, len(before))


def _values(outcomes: Sequence[Outcome], metric: str) -> Floats:
    return np.array([outcome.scores[metric] for outcome in outcomes])


def table(found: Iterable[Compared]) -> list[str]:
    """Return a line for each data set and recipe."""
    groups: dict[tuple[str, str], list[Compared]] = {}
    for one in found:
        groups.setdefault((one.trial.data, one.trial.recipe), []).append(one)
    lines = ["| data | recipe | curves | within | largest | same trials |"]
    lines.append("|---|---|---|---|---|---|")
    for (data, recipe), group in sorted(groups.items()):
        within = sum(one.is_within for one in group)
        largest = max(one.largest for one in group)
        same = sum(one.n_same for one in group) / sum(one.n for one in group)
        lines.append(
            f"| {data} | {recipe} | {len(group)} | {within} | {largest:.4f} "
            f"| {same:.0%} |"
        )
    return lines


def main() -> None:
    """Print the table, and the curves that do not come back."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("first", type=Path)
    parser.add_argument("second", type=Path)
    parser.add_argument("--all", action="store_true", help="name every curve")
    given = parser.parse_args()
    found = compared(Results(given.first).read(), Results(given.second).read())
    print("\n".join(table(found)))
    within = sum(one.is_within for one in found)
    print(f"\n{within} of {len(found)} curves lie within the first run's intervals.")
    for one in found:
        if given.all or not one.is_within:
            print(f"{one.name}: {one.largest:.4f}{'' if one.is_within else ', not'}")


if __name__ == "__main__":
    main()
