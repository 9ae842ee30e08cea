"""What asking several questions at a time costs, in questions.

    python benchmarks/batches.py [--data FOLDER] [--sizes 1 8] [--methods likewise]

A batch is asked before any of its questions is answered. Prints the answers to Jaccard
0.9, looked at after every answer, mean over three random 90 % subsets (k known, true
answers), and their total over the sets.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from likewise import LabelOracle, Session, jaccard
from likewise.datasets import load

SETS = ["wine", "iris", "breast_cancer", "sonar", "balance", "digits", "dog", "leaf"]
LEVEL = 0.9


def questions_to_level(
    name: str, data: Path, method: str, size: int, subset: int, budget: int
) -> int:
    """Return the questions that one run takes, or its budget."""
    dataset = load(name, data)
    part = dataset.nine_tenths(subset)
    y = part.y
    session = Session(part.X, method, dataset.n_classes, random_state=subset)
    oracle = LabelOracle(y)
    while session.n_questions < budget and (batch := session.ask(size)):
        for question in batch:
            if jaccard(y, session.labels) >= LEVEL:
                return session.n_questions
            session.tell(question, oracle(question), on_conflict="keep")
    return min(session.n_questions, budget)


def main() -> None:
    """Print one row a method and batch size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--sizes", type=int, nargs="+", default=[1, 8])
    parser.add_argument("--methods", nargs="+", default=["likewise"])
    parser.add_argument("--budget", type=int, default=800)
    chosen = parser.parse_args()
    print(f"{'method':10} {'at once':>8}", *(f"{name:>13}" for name in SETS), "total")
    with threadpool_limits(1):
        for method in chosen.methods:
            for size in chosen.sizes:
                row = [
                    np.mean(
                        [
                            questions_to_level(
                                name, chosen.data, method, size, subset, chosen.budget
                            )
                            for subset in range(3)
                        ]
                    )
                    for name in SETS
                ]
                cells = (f"{value:13.0f}" for value in row)
                print(f"{method:10} {size:8}", *cells, f"{sum(row):5.0f}", flush=True)


if __name__ == "__main__":
    main()
