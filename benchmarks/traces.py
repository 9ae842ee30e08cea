"""Whether sessions still ask the same questions and find the same groups.

    python -m benchmarks.traces --write FILE.json [--many]
    python -m benchmarks.traces --compare FILE.json [--only METHOD ...]

Eight methods sort wine and digits, with the number of groups told and not, from true
answers; the flagship does so once more where 2 % of them are wrong. Kept are each
question, each verdict, and a digest of the labels after each tenth answer. With
`--many` it is 6,000 samples in 20 clouds instead, and only two methods.

To compare, all that the file holds is run again. For each trace it is said whether it
is the same, or else what differs first; exit status 1 if any does. The last digits of
numbers depend on the processor and on the libraries: compare where it was written.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import platform
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import version
from itertools import product, zip_longest
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from likewise import LabelOracle, Session
from likewise.datasets import load

Samples: TypeAlias = tuple[NDArray[Any], NDArray[Any]]

NAMES = (
    *("likewise", "urasc+n", "urasc+p", "urasc-go"),
    *("ffqs", "active-hacc", "pknn+al", "random"),
)
N_CLASSES = {"wine": 3, "digits": 10}
CLOUDS = "clouds"
N_CLOUDS, N_MANY, N_FEATURES = 20, 6000, 16
MARK = 10  # answers after which labels are looked at
LIBRARIES = ("numpy", "scipy", "scikit-learn")


@dataclass(frozen=True, slots=True)
class Case:
    """What is sorted, how, and for how long."""

    data: str
    method: str
    n_clusters: int | None
    n_answers: int = 100
    error_rate: float = 0.0

    def __str__(self) -> str:
        k = "?" if self.n_clusters is None else self.n_clusters
        wrong = f", {self.error_rate:.0%} wrong" if self.error_rate else ""
        return f"{self.method} on {self.data}, k = {k}{wrong}"


@dataclass(frozen=True, slots=True)
class Trace:
    """What one session showed.

    Attributes
    ----------
    questions : list of [sample, against]
    verdicts : list of str
    labels : list of str
        The digest of the labels after each tenth answer.
    """

    questions: list[list[int]]
    verdicts: list[str]
    labels: list[str]


def usual() -> list[Case]:
    """Return the cases with few samples."""
    found = [
        Case(data, method, k)
        for data, method in product(N_CLASSES, NAMES)
        for k in (N_CLASSES[data], None)
    ]
    return found + [Case(data, NAMES[0], None, error_rate=0.02) for data in N_CLASSES]


def many() -> list[Case]:
    """Return the cases with so many samples that not all pairs are compared."""
    return [
        Case(CLOUDS, method, N_CLOUDS, n_answers=20)
        for method in ("likewise", "urasc+n")
    ]


def samples_of(data: str) -> Samples:
    """Return the samples of a case, and the class of each."""
    if data != CLOUDS:
        found = load(data)
        return found.X, found.y
    rng = np.random.default_rng(0)
    centres = rng.normal(scale=2.0, size=(N_CLOUDS, N_FEATURES))
    y = rng.integers(N_CLOUDS, size=N_MANY)
    return centres[y] + rng.normal(size=(N_MANY, N_FEATURES)), y


def traced(case: Case) -> Trace:
    """Run a case."""
    X, y = samples_of(case.data)
    session = Session(X, case.method, case.n_clusters)
    oracle = LabelOracle(y, error_rate=case.error_rate)
    trace = Trace([], [], [])
    while len(trace.questions) < case.n_answers:
        question = session.ask()
        if question is None:
            break
        verdict = oracle(question)
        session.tell(question, verdict, on_conflict="keep")
        trace.questions.append([int(question.sample), int(question.against)])
        trace.verdicts.append(verdict.value)
        if len(trace.questions) % MARK == 0:
            trace.labels.append(digest(session.labels))
    return trace


def digest(labels: NDArray[Any]) -> str:
    """Return what tells labels from all others, whatever their type."""
    return hashlib.sha256(labels.astype("<i8").tobytes()).hexdigest()


def difference(old: Trace, new: Trace) -> str | None:
    """Return what differs first between two traces, or None."""
    before = zip(old.questions, old.verdicts, strict=True)
    now = zip(new.questions, new.verdicts, strict=True)
    for number, (was, found) in enumerate(zip_longest(before, now), start=1):
        if was != found:
            return f"question {number} was {_words(was)}, and is {_words(found)}"
        at = number // MARK - 1
        if number % MARK == 0 and old.labels[at] != new.labels[at]:
            return f"the labels after answer {number}"
    return None


def _words(told: tuple[list[int], str] | None) -> str:
    if told is None:
        return "none"
    (sample, against), verdict = told
    return f"{sample} and {against} ({verdict})"


def here() -> dict[str, str]:
    """Return what the last digits of numbers depend on."""
    return {
        "machine": platform.machine(),
        **{name: version(name) for name in LIBRARIES},
    }


def write(path: Path, cases: list[Case]) -> None:
    """Run all cases and keep what they showed, one a line."""
    lines = []
    for case in cases:
        start = time.process_time()
        trace = traced(case)
        spent = time.process_time() - start
        print(f"{case}: {len(trace.questions)} answers, {spent:.1f} s", flush=True)
        lines.append(json.dumps({"case": asdict(case), **asdict(trace)}))
    head = f'{{"with": {json.dumps(here())},\n "traces": [\n'
    path.write_text(head + ",\n".join(lines) + "\n]}\n")


def compare(path: Path, methods: list[str]) -> bool:
    """Run again what a file holds; tell whether all is the same."""
    kept = json.loads(path.read_text())
    if kept["with"] != here():
        print(f"Written with {kept['with']}, but here it is {here()}.")
    found = []
    for case, old in _read(kept):
        if methods and case.method not in methods:
            continue
        differs = _differs(case, old)
        found.append(differs)
        print(f"{case}: {'same' if differs is None else f'DIFFERS, {differs}'}")
        sys.stdout.flush()
    n_same = found.count(None)
    print(f"{n_same} of {len(found)} traces are the same.")
    return n_same == len(found)


def _read(kept: Any) -> Iterator[tuple[Case, Trace]]:
    for row in kept["traces"]:
        yield Case(**row.pop("case")), Trace(**row)


def _differs(case: Case, old: Trace) -> str | None:
    try:
        return difference(old, traced(case))
    except Exception as error:  # the others are still to be looked at
        return f"it ended with {type(error).__name__}: {error}"


def main() -> None:
    """Write or compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--write", type=Path, metavar="FILE")
    what.add_argument("--compare", type=Path, metavar="FILE")
    parser.add_argument("--many", action="store_true", help="6,000 samples instead")
    parser.add_argument("--only", nargs="*", default=[], metavar="METHOD")
    given = parser.parse_args()
    with threadpool_limits(1):
        if given.write:
            write(given.write, many() if given.many else usual())
        elif not compare(given.compare, given.only):
            sys.exit(1)


if __name__ == "__main__":
    main()
