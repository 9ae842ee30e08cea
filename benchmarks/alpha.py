"""How often the interval of Krippendorff's alpha covers the true value.

    python -m benchmarks.alpha [--projects 200] [--seed 0]

A project has three readers with known shares of wrong answers, and 40 to 100 pairs that
two of them answered, as overlap hands them out. The true alpha is what it would be with
no end of such pairs. Printed for each set of readers, and for all of them together:
the true alpha, how often the interval of ``session.agreement`` covers it, how often a
bootstrap of the pairs would, and how wide both are. In each project the readers are
those of the next line of the table.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, cycle, islice

import numpy as np

from likewise import Answer, Question, Verdict
from likewise._arrays import Floats
from likewise.cli._output import print_table
from likewise.session import Rate, agreement_in
from likewise.session._agreement import alpha_of

LEAST, MOST = 40, 100  # overlap pairs of a project
N_DRAWS = 1000  # of the bootstrap


@dataclass(frozen=True, slots=True)
class Team:
    """Three readers, and the pairs that they are asked about.

    Attributes
    ----------
    wrong : tuple of float
        The share of wrong answers of each.
    same : float
        The share of pairs that are the same.
    """

    wrong: tuple[float, float, float]
    same: float

    @property
    def alpha(self) -> float:
        """What alpha would be with no end of pairs, two of the readers on each."""
        says = [self.same * (1 - e) + (1 - self.same) * e for e in self.wrong]
        apart = [a * (1 - b) + b * (1 - a) for a, b in combinations(self.wrong, 2)]
        p = float(np.mean(says))
        return 1 - float(np.mean(apart)) / (2 * p * (1 - p))


GOOD = ((0.02, 0.05, 0.1), (0.05, 0.05, 0.05), (0.01, 0.01, 0.02))
TEAMS = (
    *(Team(wrong, same) for wrong in GOOD for same in (0.5, 0.3, 0.15)),
    Team((0.1, 0.15, 0.2), 0.3),
)


@dataclass(frozen=True, slots=True)
class Trial:
    """One project: the true alpha, the interval of it, and that of a bootstrap."""

    team: Team
    found: Rate | None
    drawn: tuple[float, float]


def answers_of(team: Team, rng: np.random.Generator) -> list[Answer]:
    """Return what two readers said of each pair."""
    told = []
    for pair in range(int(rng.integers(LEAST, MOST + 1))):
        is_same = rng.random() < team.same
        for reader in rng.choice(3, 2, replace=False).tolist():
            says = is_same != (rng.random() < team.wrong[reader])
            verdict = Verdict.SAME if says else Verdict.DIFFERENT
            asked = Question(2 * pair, 2 * pair + 1)
            told.append(Answer(asked, verdict, by=f"reader {reader}"))
    return told


def bootstrap(answers: Sequence[Answer], rng: np.random.Generator) -> Floats:
    """Return the interval of a bootstrap: what lies between 5 and 95 % of the draws."""
    n_same = np.zeros(len(answers) // 2)
    for answer in answers:
        n_same[answer.question.sample // 2] += answer.verdict is Verdict.SAME
    counts = np.stack([n_same, 2 - n_same], axis=1)
    found = alpha_of(counts[rng.integers(len(counts), size=(N_DRAWS, len(counts)))])
    return np.asarray(np.quantile(found[np.isfinite(found)], (0.05, 0.95)))


def trial_of(team: Team, rng: np.random.Generator) -> Trial:
    """Return one project."""
    told = answers_of(team, rng)
    low, high = bootstrap(told, rng)
    return Trial(team, agreement_in(told).alpha, (float(low), float(high)))


def trials(n_projects: int, seed: int) -> list[Trial]:
    """Return so many projects, of each team as many as of the others."""
    rng = np.random.default_rng(seed)
    return [trial_of(team, rng) for team in islice(cycle(TEAMS), n_projects)]


def covered(found: Sequence[Trial]) -> float:
    """Return the share of projects whose interval covers the true alpha."""
    ranges = [(t.team.alpha, t.found) for t in found]
    return float(np.mean([r is not None and r.low <= a <= r.high for a, r in ranges]))


def row_of(name: str, found: Sequence[Trial]) -> tuple[str, ...]:
    """Return a line of the table."""
    rates = [t.found for t in found if t.found is not None]
    inside = [t.drawn[0] <= t.team.alpha <= t.drawn[1] for t in found]
    return (
        name,
        f"{np.mean([t.team.alpha for t in found]):.2f}",
        f"{covered(found):.1%}",
        f"{np.mean([rate.high - rate.low for rate in rates]):.2f}",
        f"{np.mean(inside):.1%}",
        f"{np.mean([high - low for low, high in (t.drawn for t in found)]):.2f}",
        f"{len(found)}",
    )


def main() -> None:
    """Simulate, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--projects", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    found = trials(given.projects, given.seed)
    rows = [
        row_of(
            f"{' '.join(f'{e:.0%}' for e in team.wrong)} wrong, {team.same:.0%} same",
            [trial for trial in found if trial.team == team],
        )
        for team in TEAMS
        if any(trial.team == team for trial in found)
    ]
    heads = ("readers", "alpha", "covered", "width", "bootstrap", "width", "projects")
    print_table(heads, [*rows, row_of("all", found)])


if __name__ == "__main__":
    main()
