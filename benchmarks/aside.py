"""How many others change their cluster when one sample is set aside.

    python -m benchmarks.aside [--sets dog,digits,leaf] [--answers 60] [--samples 50]
        [--data FOLDER]

Answers questions truly, then sets aside each of some random samples, one at a time
(and takes that back), and compares the clusters of all others with what they were: the
share that is not in the cluster that most resembles their old one.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import numpy as np
from benchmarks.runs import markdown
from benchmarks.sets import SETS, add_suite
from scipy.optimize import linear_sum_assignment
from threadpoolctl import threadpool_limits

from likewise import LabelOracle, Session, run
from likewise._arrays import Indices
from likewise.datasets import load


def moved(before: Indices, after: Indices) -> float:
    """Return the share of samples outside of the clusters that match best.

    Examples
    --------
    >>> moved(np.array([0, 0, 1, 1]), np.array([1, 1, 0, 1]))
    0.25
    """
    table = np.zeros((int(before.max()) + 1, int(after.max()) + 1))
    np.add.at(table, (before, after), 1.0)
    kept = table[linear_sum_assignment(table, maximize=True)].sum()
    return float(1 - kept / len(before))


def shares_moved(
    name: str, folder: Path, n_answers: int, n_samples: int
) -> list[float]:
    """Return the share of the others that move, for each of some samples."""
    dataset = load(name, folder)
    session = Session(dataset.X, "likewise", dataset.n_classes, random_state=0)
    for _ in run(session, LabelOracle(dataset.y), n_answers):
        pass
    before, rng = session.labels, np.random.default_rng(0)
    found = []
    for sample in rng.permutation(len(before))[:n_samples].tolist():
        session.set_aside(sample)
        others = np.delete(np.arange(len(before)), sample)
        found.append(moved(before[others], session.labels[others]))
        session.put_back(sample)
    return found


def main() -> None:
    """Set samples aside, and print how many others moved."""
    add_suite()
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    data = os.environ.get("LIKEWISE_DATA", "../shared/data")
    parser.add_argument("--data", type=Path, default=Path(data))
    parser.add_argument("--sets", default="dog,digits,leaf")
    parser.add_argument("--answers", type=int, default=60)
    parser.add_argument("--samples", type=int, default=50)
    given = parser.parse_args()
    names = given.sets.split(",")
    if strange := [name for name in names if name not in SETS]:
        parser.error(f"there is no {strange[0]!r}: choose among {', '.join(SETS)}")
    rows = []
    for name in names:
        with threadpool_limits(1):
            found = shares_moved(name, given.data, given.answers, given.samples)
        spread = (np.median(found), np.quantile(found, 0.9), np.max(found))
        rows.append([name, str(len(found)), *(f"{100 * s:.2f} %" for s in spread)])
    print(markdown(["data", "samples", "median moved", "90 %", "most"], rows))


if __name__ == "__main__":
    main()
