"""Whether the first answers hurt: how far scores fall below those at zero questions.

    python benchmarks/early.py [--data FOLDER] [--method likewise] [--questions 40]

For each development set the mean Jaccard and the mean ARI over three random 90 %
subsets (k known, true answers) are taken after every answer; prints the largest fall of
each.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from likewise import LabelOracle, Session, jaccard, run
from likewise._arrays import Floats
from likewise.datasets import load
from likewise.experiments import ari

SETS = ["wine", "iris", "breast_cancer", "sonar", "balance", "bupa", "diabetes"]
SETS += ["cho", "digits", "dog", "face-1", "leaf"]


def curve(name: str, data: Path, method: str, subset: int, questions: int) -> Floats:
    """Return Jaccard and ARI before any question and after each one."""
    dataset = load(name, data)
    part = dataset.nine_tenths(subset)
    y = part.y
    session = Session(part.X, method, dataset.n_classes, random_state=subset)
    labels = [session.labels]
    labels += [view.labels for view in run(session, LabelOracle(y), questions)]
    return np.array([(jaccard(y, found), ari(y, found)) for found in labels])


def main() -> None:
    """Print one row a data set."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--method", default="likewise")
    parser.add_argument("--questions", type=int, default=40)
    chosen = parser.parse_args()
    with threadpool_limits(1):
        for name in SETS:
            runs = [
                curve(name, chosen.data, chosen.method, subset, chosen.questions)
                for subset in range(3)
            ]
            mean = np.mean(runs, axis=0)
            fall = mean[0] - mean.min(axis=0)
            print(f"{name:14} Jaccard {fall[0]:.3f}   ARI {fall[1]:.3f}", flush=True)


if __name__ == "__main__":
    main()
