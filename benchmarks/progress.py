"""Whether what a session says of its progress is true.

    python -m benchmarks.progress [--sets wine,iris] [--k known,unknown]
        [--data FOLDER] [--quick]

Sessions of the flagship on 90 % of each development set, answered by the true classes.
The truth is the share of samples in the right group, clusters and classes matched one
to one. For each kind of sets, the numbers that correct the model's own expectation are
found on the other kinds. Prints how far what is expected, and what is shipped, is from
the truth; how often the truth is within the interval; how far the foreseen number of
questions is from what it took; and the numbers that all sets together give.
`--quick` takes six sets: a minute at most.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from benchmarks.questions import QUICK, load_sets
from benchmarks.runs import markdown
from benchmarks.sets import SETS, add_suite, fold_of
from scipy.optimize import linear_sum_assignment, minimize

from likewise import LabelOracle, Session, run
from likewise._arrays import Indices
from likewise.datasets import Dataset
from likewise.methods._likewise._method import KNOWN_K, UNKNOWN_K, FieldModel
from likewise.methods._outlook import Correction, Tally
from likewise.session._summary import Progress

MARKS = (20, 50, 100, 200)
LEVELS = {0.95: "until_95", 0.98: "until_98"}
STEP = 10  # questions between two looks
SLIGHT = 0.005  # a share that is shown as the next percent
SHIPPED = {"known": KNOWN_K, "unknown": UNKNOWN_K}


@dataclass(frozen=True, slots=True)
class Look:
    """What a session says of itself at one moment, and the truth.

    Attributes
    ----------
    name, k : str
        The data set, and whether the number of groups is known.
    n_questions : int
    truth : float
        The share of samples in the right group.
    plain : float
        The mean probability of each sample's likeliest class.
    tally : Tally
    progress : Progress
    """

    name: str
    k: str
    n_questions: int
    truth: float
    plain: float
    tally: Tally
    progress: Progress


Estimate = Callable[[Look], float]


def matched(truth: Indices, labels: Indices) -> float:
    """Return the share of samples in the right group, matched one to one.

    Examples
    --------
    >>> matched(np.array([0, 0, 0, 1]), np.array([1, 1, 2, 0]))
    0.75
    """
    classes = np.unique(truth, return_inverse=True)[1]
    both = np.zeros((labels.max() + 1, classes.max() + 1))
    np.add.at(both, (labels, classes), 1)
    return float(both[linear_sum_assignment(-both)].sum() / len(labels))


def looks_at(name: str, part: Dataset, k: str) -> list[Look]:
    """Let the true classes answer, and look every ten questions.

    A session that ends early stays as it is.
    """
    n_clusters = part.n_classes if k == "known" else None
    session = Session(part.X, "likewise", n_clusters, random_state=0)
    found = [
        _look(name, k, session, part.y)
        for view in run(session, LabelOracle(part.y, seed=0), MARKS[-1])
        if view.n_questions % STEP == 0
    ]
    last = _look(name, k, session, part.y)
    after = range(found[-1].n_questions + STEP if found else STEP, MARKS[-1] + 1, STEP)
    return found + [replace(last, n_questions=at) for at in after]


def _look(name: str, k: str, session: Session, y: Indices) -> Look:
    model = session.view.model
    assert isinstance(model, FieldModel)
    return Look(
        name=name,
        k=k,
        n_questions=session.n_questions,
        truth=matched(y, session.labels),
        plain=float(model.confidence.mean()),
        tally=model.tally,
        progress=session.progress,
    )


def fitted(looks: Sequence[Look], start: Correction) -> Correction:
    """Return the correction under which the share is closest to the truth."""
    truth = np.array([look.truth for look in looks])

    def loss(numbers: Sequence[float]) -> float:
        tried = replace(start, shift=numbers[0], toll=numbers[1])
        off = np.array([tried.right(look.tally) for look in looks]) - truth
        return float(np.sqrt(off**2 + 1e-3).mean() + 1e-3 * numbers[1] ** 2)

    shift, toll = minimize(loss, (0.0, 0.0), method="Nelder-Mead").x
    return replace(start, shift=float(shift), toll=float(toll))


def left_out(looks: Sequence[Look]) -> dict[str, Correction]:
    """Return for each kind of sets the correction that the others give."""
    kinds = {fold_of(look.name) for look in looks}
    rest = {
        kind: [look for look in looks if fold_of(look.name) != kind] for kind in kinds
    }
    return {kind: fitted(on or looks, KNOWN_K) for kind, on in rest.items()}


def error_rows(
    looks: Sequence[Look], estimates: Mapping[str, Estimate]
) -> list[list[str]]:
    """Return the mean absolute error of each estimate at each mark."""
    return [
        [name, k, *(f"{_error(_at(looks, k, mark), estimate):.3f}" for mark in MARKS)]
        for k in sorted({look.k for look in looks})
        for name, estimate in estimates.items()
    ]


def _at(looks: Iterable[Look], k: str, mark: int) -> list[Look]:
    return [look for look in looks if (look.k, look.n_questions) == (k, mark)]


def _error(looks: Sequence[Look], estimate: Estimate) -> float:
    return float(np.mean([abs(estimate(look) - look.truth) for look in looks]))


def within_rows(
    looks: Sequence[Look], corrections: Mapping[str, Correction]
) -> list[list[str]]:
    """Return how often the truth is within the interval, to the percent shown."""
    return [
        [k, *(f"{_within(_at(looks, k, mark), corrections):.2f}" for mark in MARKS)]
        for k in sorted({look.k for look in looks})
    ]


def _within(looks: Sequence[Look], corrections: Mapping[str, Correction]) -> float:
    inside = []
    for look in looks:
        right = corrections[fold_of(look.name)].right(look.tally)
        low, high = SHIPPED[look.k].interval(right, look.n_questions)
        inside.append(low - SLIGHT <= look.truth <= high + SLIGHT)
    return float(np.mean(inside))


def until_rows(looks: Sequence[Look]) -> list[list[str]]:
    """Return how far foreseen numbers of questions are from what it took.

    Only where the session came to expect as much within the questions asked.
    """
    rows = []
    for level, name in LEVELS.items():
        ratios = list(_ratios(looks, level, name))
        off = np.abs(np.log(ratios)) if ratios else np.array([np.nan])
        typical, twice = np.exp(np.median(off)), np.mean(off <= np.log(2))
        rows.append(
            [f"{level:.0%}", f"{len(ratios)}", f"{typical:.1f}", f"{twice:.2f}"]
        )
    return rows


def _ratios(looks: Sequence[Look], level: float, name: str) -> Iterable[float]:
    for look in looks:
        foreseen = getattr(look.progress, name)
        later = (
            other.n_questions - look.n_questions
            for other in looks
            if (other.name, other.k) == (look.name, look.k)
            and other.n_questions > look.n_questions
            and other.progress.expected_right >= level
        )
        took = next(iter(later), None)
        if foreseen and took is not None:
            yield (foreseen + STEP / 2) / took


def report(looks: Sequence[Look]) -> None:
    """Print every table."""
    corrections, marks = left_out(looks), [f"{mark} questions" for mark in MARKS]
    estimates: dict[str, Estimate] = {
        "confidence, as it is": lambda look: look.plain,
        "expected, left out": lambda look: corrections[fold_of(look.name)].right(
            look.tally
        ),
        "expected, as shipped": lambda look: look.progress.expected_right,
    }
    print("Mean absolute error of the share of right samples\n")
    print(markdown(["estimate", "k", *marks], error_rows(looks, estimates)))
    print("\nHow often the truth is within the interval (0.8 is meant)\n")
    print(markdown(["k", *marks], within_rows(looks, corrections)))
    print("\nQuestions foreseen, and questions that it took\n")
    header = ["until", "cases", "typically off by a factor of", "at most twice or half"]
    print(markdown(header, until_rows(looks)))
    found = fitted(looks, KNOWN_K)
    print(f"\nAll sets: shift {found.shift:.2f}, toll {found.toll:.2f}.")


def main() -> None:
    """Run the sessions and print the tables."""
    add_suite()
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    data = os.environ.get("LIKEWISE_DATA", "../shared/data")
    parser.add_argument("--data", type=Path, default=Path(data))
    parser.add_argument("--sets", type=lambda text: tuple(text.split(",")))
    parser.add_argument("--k", default="known,unknown")
    parser.add_argument("--quick", action="store_true")
    chosen = parser.parse_args()
    names = chosen.sets or (QUICK.sets if chosen.quick else SETS)
    sets = load_sets(names, chosen.data)
    looks = [
        look
        for k in chosen.k.split(",")
        for name, dataset in sets.items()
        for look in looks_at(name, dataset.nine_tenths(0), k)
    ]
    report(looks)


if __name__ == "__main__":
    main()
