"""How many questions texts need: compared by their words, and by what they mean.

    python benchmarks/texts.py FILE.csv ... [--text text] [--label label] [--n 600]
        [--parts 2] [--questions 300] [--encoders tfidf,minilm] [--k unknown]

Of each file `--parts` random parts of `--n` texts are taken (identical ones once); true
labels answer. Prints for each file and encoder: ARI of the clusters before any
question, Jaccard and ARI after 50, 100 and 200 questions, questions until Jaccard is
0.9, and milliseconds of processor time to encode a text.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from likewise import LabelOracle, Session, jaccard, run
from likewise._arrays import Indices
from likewise.encoders import encoded, encoder_for
from likewise.experiments import ari, questions_to

POINTS = (50, 100, 200)
GOOD = 0.9
csv.field_size_limit(10**8)


@dataclass(frozen=True, slots=True)
class Found:
    """What came of one part: scores before and after each answer, and the effort."""

    jaccards: list[float]
    aris: list[float]
    milliseconds: float

    def at(self, scores: Sequence[float], question: int) -> float:
        """Return a score after a number of questions, or after the last."""
        return scores[min(question, len(scores) - 1)]


def part_of(
    path: Path, text: str, label: str, n: int, seed: int
) -> tuple[list[str], Indices]:
    """Return some texts of a file with their classes."""
    with path.open(encoding="utf-8", newline="") as file:
        known = {row[text].strip(): row[label] for row in csv.DictReader(file)}
    texts = sorted(known)
    drawn = np.random.default_rng(seed).permutation(len(texts))[:n]
    classes = np.unique([known[texts[at]] for at in drawn], return_inverse=True)[1]
    return [texts[at] for at in drawn], classes


def asked(
    texts: list[str], y: Indices, encoder: str, k: int | None, questions: int, seed: int
) -> Found:
    """Let the true classes answer."""
    start = time.process_time()
    X = encoded(encoder_for("text", encoder), texts)
    spent = 1000 * (time.process_time() - start) / len(texts)
    session = Session(X, n_clusters=k, random_state=seed)
    scores = [(jaccard(y, session.labels), ari(y, session.labels))]
    for view in run(session, LabelOracle(y), questions):
        scores.append((jaccard(y, view.labels), ari(y, view.labels)))
        is_enough = view.n_questions >= POINTS[-1]
        if is_enough and scores[-1][0] >= GOOD:
            break
    jaccards, aris = map(list, zip(*scores, strict=True))
    return Found(jaccards, aris, spent)


def row(name: str, encoder: str, runs: Sequence[Found], questions: int) -> str:
    """Return a line of the table."""
    cells = [f"{np.mean([run.aris[0] for run in runs]):.2f}"]
    for point in POINTS:
        both = [(r.at(r.jaccards, point), r.at(r.aris, point)) for r in runs]
        cells.append(" / ".join(f"{value:.2f}" for value in np.mean(both, axis=0)))
    reached = [questions_to(GOOD, run.jaccards) for run in runs]
    said = [f"over {questions}" if one is None else str(one) for one in reached]
    cells += [", ".join(said), f"{np.mean([run.milliseconds for run in runs]):.0f}"]
    return f"| {name} | {encoder} | {' | '.join(cells)} |"


def main() -> None:
    """Print one row a file and encoder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--text", default="text")
    parser.add_argument("--label", default="label")
    parser.add_argument("--n", type=int, default=600)
    parser.add_argument("--parts", type=int, default=2)
    parser.add_argument("--questions", type=int, default=300)
    parser.add_argument("--encoders", default="tfidf,minilm")
    parser.add_argument("--k", choices=["known", "unknown"], default="unknown")
    chosen = parser.parse_args()
    points = " | ".join(f"{point} (Jaccard / ARI)" for point in POINTS)
    print(f"| texts | encoder | ARI at 0 | {points} | until {GOOD} | ms a text |")
    print("|---|---|" + "---|" * (len(POINTS) + 3), flush=True)
    with threadpool_limits(1):
        for path in chosen.files:
            parts = [
                part_of(path, chosen.text, chosen.label, chosen.n, seed)
                for seed in range(chosen.parts)
            ]
            for encoder in chosen.encoders.split(","):
                runs = []
                for seed, (texts, y) in enumerate(parts):
                    k = int(y.max()) + 1 if chosen.k == "known" else None
                    found = asked(texts, y, encoder, k, chosen.questions, seed)
                    runs.append(found)
                    print(f"{path.stem} {encoder} part {seed}", file=sys.stderr)
                print(row(path.stem, encoder, runs, chosen.questions), flush=True)


if __name__ == "__main__":
    main()
