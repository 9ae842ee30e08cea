"""A model that reads first: what it saves people, and what a bad one costs them.

    python -m benchmarks.first_reader [--sets digits,dog] [--seeds 2] [--data FOLDER]
        [--models good,bad] [--limit 0.02] [--worth 0.06] [--share 0.1] [--readings 9]
        [--hear]

Each run is a session on a random 90 % of the samples that people alone answer until the
Jaccard coefficient is 0.9, and the same with a simulated model that reads first
(`likewise.readers.FirstReader`), one in ten of its answers checked blindly by people,
who are always right. The model gives a confidence with each answer:

- good: 10 % of its answers are wrong, and confidences are calibrated. They are 0.5 plus
  half of a draw from Beta(4, 1), so 0.9 on average; the answer is right with just this
  probability.
- bad: it states the same confidences, but 30 % of its answers are wrong, whatever it
  states.

What it says of a pair depends on the seed and the pair alone: to ask again is no cure.
Printed are the answers of people until 0.9, in both cases; how many times fewer; how
good the groups are once people have given as many answers as they took alone; and, of
the bad model, after how many checks it was noticed (0: before any, because it
contradicts itself), and what people took then.

With `--hear` nobody sorts anything: printed is only what becomes of each model when it
is heard by itself, before anybody checks it.

The limit (0.01, 0.02, 0.03), the readings (5, 9) and what is worth it (0.06, 0.1) were
chosen on cho and face-2-mid, one to three seeds each. Digits and dog were looked at on
all of their samples in between: a first version noticed the bad model late there, as it
did on face-2-mid. After that came the lower worth, and harm as what people look at
again. So digits and dog are not untouched, though no number was chosen on them. How
many samples are heard with each other (3, 4, 5), and how often, was chosen on cho,
face-2-mid and wine, and looked at on breast_cancer, sonar and leaf-margin.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from likewise import LabelOracle, Session, Verdict
from likewise.cli._output import print_table
from likewise.datasets import load
from likewise.experiments import METRICS
from likewise.knowledge import Question
from likewise.readers import FirstReader, Moment

LEVEL = 0.9
SHARE = 0.9  # of the samples, drawn anew for each seed
MOST = 4000  # answers of people, after which a run is given up
SURENESS = (4.0, 1.0)  # of Beta: confidences between 0.5 and 1, 0.9 on average
ERRORS = {"good": None, "bad": 0.3}  # wrong answers; None: as the confidences say
JACCARD = METRICS["jaccard"]
HEADER = [
    "data", "seed", "people alone", "model", "people until 0.9", "times fewer",
    "model's answers", "readings", "checks", "wrong", "noticed after", "quality",
    "alone",
]  # fmt: skip
HEARD = ["data", "seed", "model", "readings", "wrong", "low", "high", "let in"]


@dataclass(frozen=True)
class Simulated:
    """A model that is wrong now and then, and says how sure it is.

    Attributes
    ----------
    truth : LabelOracle
    seed : int
    error : float or None
        The share of wrong answers; None where confidences are calibrated.
    """

    truth: LabelOracle
    seed: int
    error: float | None = None

    def __call__(self, question: Question) -> tuple[Verdict, float]:
        rng = np.random.default_rng((self.seed, *question.pair))
        sure, slip = 0.5 + 0.5 * rng.beta(*SURENESS), rng.random()
        true = self.truth(question)
        if slip >= (1 - sure if self.error is None else self.error):
            return true, sure
        is_same = true is Verdict.SAME
        return (Verdict.DIFFERENT if is_same else Verdict.SAME), sure


@dataclass
class Watched:
    """How good the groups are after each answer, and when they were good enough."""

    y: Any
    reached: int | None = None
    last: Moment | None = None
    at: dict[int, float] | None = None

    def see(self, moment: Moment) -> None:
        """Score one moment; labels that did not change are not scored again."""
        if self.at is None:
            self.at = {}
        is_same = self.last is not None and np.array_equal(
            self.last.labels, moment.labels
        )
        before = 0.0 if self.last is None else self.at[self.last.n_people]
        score = before if is_same else JACCARD(self.y, moment.labels)
        self.at[moment.n_people] = score
        self.last = moment
        if self.reached is None and score >= LEVEL:
            self.reached = moment.n_people


def alone(X: Any, y: Any, seed: int) -> tuple[int, float]:
    """Return how many answers people need alone, and how good the groups are then."""
    session, truth = Session(X, random_state=seed), LabelOracle(y)
    for n in range(1, MOST):
        question = session.ask()
        if question is None:
            return n, JACCARD(y, session.labels)
        session.tell(question, truth(question))
        score = JACCARD(y, session.labels)
        if score >= LEVEL:
            return n, score
    return MOST, score


def reader_of(
    X: Any, y: Any, seed: int, error: float | None, args: argparse.Namespace
) -> FirstReader:
    """Return people and a model who are about to sort."""
    truth = LabelOracle(y)
    return FirstReader(
        Session(X, random_state=seed),
        Simulated(truth, seed, error),
        truth,
        share=args.share,
        limit=args.limit,
        worth=args.worth,
        readings=args.readings,
        seed=seed,
    )


def first(
    X: Any, y: Any, seed: int, error: float | None, until: int, args: argparse.Namespace
) -> tuple[Watched, FirstReader, int | None]:
    """Let a model read first, until people have given so many answers.

    Returned is also after how many checks it was noticed, if it was.
    """
    watched, reader = Watched(y), reader_of(X, y, seed, error, args)
    noticed = None
    for moment in reader.run(MOST):
        watched.see(moment)
        if noticed is None and moment.band.is_stopped:
            noticed = moment.band.n_checks
        if moment.n_people >= until and watched.reached is not None:
            break
    return watched, reader, noticed


def subset(name: str, seed: int, args: argparse.Namespace) -> tuple[Any, Any]:
    """Return a random part of a set."""
    data = load(name, args.data)
    rng, n = np.random.default_rng(seed), len(data.y)
    some = np.sort(rng.choice(n, round(SHARE * n), replace=False))
    return data.X[some], np.asarray(data.y)[some]


def heard(name: str, seed: int, args: argparse.Namespace) -> list[list[str]]:
    """Return what becomes of the models before anybody checks them."""
    X, y = subset(name, seed, args)
    rows = []
    for model in args.models.split(","):
        reader = reader_of(X, y, seed, ERRORS[model], args)
        list(reader.run(0))
        found = reader.band
        assert found.own is not None  # there are samples enough
        shares = (found.own.mean, found.own.low, found.own.high)
        let_in = "no" if found.is_stopped else "yes"
        counted = [name, str(seed), model, str(reader.n_readings)]
        rows.append([*counted, *(f"{share:.3f}" for share in shares), let_in])
    return rows


def rows_of(name: str, seed: int, args: argparse.Namespace) -> list[list[str]]:
    """Return what came out on one set and seed, for both models."""
    X, y = subset(name, seed, args)
    n_alone, score = alone(X, y, seed)
    rows = []
    for model in args.models.split(","):
        error = ERRORS[model]
        watched, reader, noticed = first(X, y, seed, error, n_alone, args)
        needed, found = watched.reached, reader.band
        at_end = max(n for n in watched.at or {0: 0.0} if n <= n_alone)
        row = [
            name, str(seed), str(n_alone), model,
            f">{MOST}" if needed is None else str(needed),
            "–" if needed is None else f"{n_alone / max(needed, 1):.1f}",
            str(reader.n_model), str(reader.n_readings), str(found.n_checks),
            str(found.n_wrong), "–" if noticed is None else str(noticed),
            f"{(watched.at or {})[at_end]:.3f}", f"{score:.3f}",
        ]  # fmt: skip
        rows.append(row)
    return rows


def main() -> None:
    """Run, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", default="digits,dog")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--models", default="good,bad")
    parser.add_argument("--data", default=None)
    parser.add_argument("--limit", type=float, default=FirstReader.limit)
    parser.add_argument("--worth", type=float, default=FirstReader.worth)
    parser.add_argument("--readings", type=int, default=FirstReader.readings)
    parser.add_argument("--share", type=float, default=FirstReader.share)
    parser.add_argument("--hear", action="store_true")
    args = parser.parse_args()

    made = heard if args.hear else rows_of
    with threadpool_limits(1):
        rows = [
            row
            for name in args.sets.split(",")
            for seed in range(args.seeds)
            for row in made(name, seed, args)
        ]
    chosen = f"share {args.share}, limit {args.limit}, worth {args.worth}"
    print(f"{chosen}, readings {args.readings}")
    print_table(HEARD if args.hear else HEADER, rows)


if __name__ == "__main__":
    main()
