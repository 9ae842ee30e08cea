"""Several readers who err differently: what that costs, and whether it is found out.

    python -m benchmarks.readers [--sets digits,dog,cho,leaf] [--runs 5] [--answers 400]
        [--data ../shared/data] [--seed-from 500]

Readers answer in turn, as in the app: one in ten of a reader's questions is one that
another reader has answered, one in eleven is a check. Four teams: one reader who is
wrong in 5 of 100 answers; three with 2, 5 and 20; the same with a fourth who guesses;
and the three, but nobody says who answered. Printed for each set:

- the area under Jaccard, over log-spaced numbers of answers as everywhere and over all
  numbers alike; with the guesser by all answers, and by those of the other three alone;
- after how many of his answers the 20 % reader is the one with the highest estimated
  rate, and stays so; how many of the guesser's answers pass until he weighs nothing;
- how far estimated rates are from the true ones after 100 answers and 10 checks each,
  and how often their intervals hold the true ones.

Choices (the grid of rates, the prior, who counts as guessing) were made on wine, ecoli,
iyer, glass and vowel. Seeds from 500 on were used for none of them.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from benchmarks.sets import add_suite
from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

from likewise import Question, Session, Verdict
from likewise._arrays import Floats, Indices
from likewise.cli._output import print_table
from likewise.datasets import coded, load
from likewise.experiments import jaccard, log_grid
from likewise.session import LabelOracle, Reader, is_due, is_overlap_due

SHARE, EVERY = 0.1, 11
EACH = 110  # answers and checks of a reader after which rates are looked at
RATES = {"2 %": 0.02, "5 %": 0.05, "20 %": 0.2}
GUESSER, NAMELESS = "guesser", "three without names"
TEAMS = {
    "one, 5 %": ("5 %",),
    "three": tuple(RATES),
    NAMELESS: tuple(RATES),
    "with a guesser": (*RATES, GUESSER),
}
MOST_SAMPLES = 2000
LOOKS = 10  # of the reader's own answers between two looks at the rates


@dataclass
class Seen:
    """What came of one team on one set.

    Attributes
    ----------
    curve : list of float
        Jaccard after each answer, and before the first.
    honest : list of float
        The same after each answer that is no guess.
    worst : list of str
        The reader with the highest rate, guessers apart, at each look.
    found : int or None
        How many of his answers the guesser had given when he was found.
    apart : list of float
        How far the rates are from the true ones.
    covered : list of bool
        Whether their intervals hold them.
    """

    curve: list[float] = field(default_factory=list)
    honest: list[float] = field(default_factory=list)
    worst: list[tuple[int, str]] = field(default_factory=list)
    found: int | None = None
    apart: list[float] = field(default_factory=list)
    covered: list[bool] = field(default_factory=list)


def guessing(seed: int) -> Callable[[Question], Verdict]:
    """Return who says "same" of every other pair, whatever it is."""

    def says(question: Question) -> Verdict:
        draw = np.random.default_rng((seed, *question.pair)).random()
        return Verdict.SAME if draw < 1 / 2 else Verdict.DIFFERENT

    return says


def next_question(session: Session, by: str) -> Question | None:
    """Return what a reader is asked: another's question, a check, or a new one."""
    mine = [answer for answer in session.history if answer.by == by]
    question = None
    if is_overlap_due(mine, SHARE):
        question = session.second_opinion(by)
    if question is None and is_due(mine, EVERY):
        question = session.check()
    return question or session.ask()


def sorted_by(team: str, X: Floats, y: Indices, seed: int, n_answers: int) -> Seen:
    """Let a team sort a set."""
    names, seen = TEAMS[team], Seen()
    ask = {
        name: guessing(seed)
        if name == GUESSER
        else LabelOracle(y, error_rate=RATES[name], seed=100 * seed + at)
        for at, name in enumerate(names)
    }
    session = Session(X, n_clusters=int(y.max()) + 1, random_state=seed)
    seen.curve.append(jaccard(y, session.labels))
    seen.honest.append(seen.curve[0])
    for at in range(n_answers):
        by = names[at % len(names)]
        question = next_question(session, by)
        if question is None:
            break
        told = None if team == NAMELESS else by
        session.tell(question, ask[by](question), on_conflict="keep", by=told)
        seen.curve.append(jaccard(y, session.labels))
        if by != GUESSER:
            seen.honest.append(seen.curve[-1])
        each, rest = divmod(at + 1, len(names))
        if told and len(names) > 1 and not rest and not each % LOOKS:
            look(seen, each, session.readers)
    return seen


def look(seen: Seen, each: int, readers: Sequence[Reader]) -> None:
    """Note what is thought of readers now."""
    errors = {one.name: one.errors for one in readers if one.errors is not None}
    rates = {name: one.wrong for name, one in errors.items() if name in RATES}
    seen.worst.append((each, max(rates, key=lambda name: rates[name].mean)))
    if GUESSER in errors and errors[GUESSER].is_guessing and seen.found is None:
        seen.found = each
    if each == EACH:
        for name, rate in rates.items():
            seen.apart.append(abs(rate.mean - RATES[name]))
            seen.covered.append(rate.low <= RATES[name] <= rate.high)


def cell(name: str, team: str, seed: int, args: argparse.Namespace) -> Seen:
    """Return what came of one team on one set."""
    add_suite()
    data = load(name, args.data)
    X, y = np.asarray(data.X), coded(data.y)
    some = np.random.default_rng(seed).permutation(len(y))[:MOST_SAMPLES]
    with threadpool_limits(1):
        return sorted_by(team, X[some], y[some], seed, args.answers)


def named_after(worst: Sequence[tuple[int, str]]) -> int | None:
    """Return after how many answers the 20 % reader is the worst, and stays so.

    Examples
    --------
    >>> named_after([(10, "5 %"), (20, "20 %"), (30, "20 %")])
    20
    """
    named = None
    for each, name in reversed(worst):
        if name != "20 %":
            break
        named = each
    return named


def area(curve: Sequence[float], n_answers: int) -> tuple[float, float]:
    """Return the mean over log-spaced numbers of answers, and over all of them."""
    last = len(curve) - 1
    every = np.array([curve[min(at, last)] for at in range(n_answers + 1)])
    return float(every[log_grid(n_answers)].mean()), float(every.mean())


def rows_of(name: str, found: dict[str, list[Seen]], n: int) -> Iterator[list[str]]:
    """Yield a line for each team: areas, and how far they are from those of another.

    Three are held against one; three with a guesser against the three, by all answers,
    and by those of the three alone, of which there are fewer.
    """
    three, four = found["three"], found["with a guesser"]
    fewer = n * 3 // 4
    alone = areas_of([run.curve for run in found["one, 5 %"]], n)
    among = areas_of([run.curve for run in three], n)
    by_others = areas_of([run.curve for run in three], fewer)
    lines = {
        "one, 5 %": (alone, alone),
        "three": (among, alone),
        NAMELESS: (areas_of([run.curve for run in found[NAMELESS]], n), alone),
        "with a guesser": (areas_of([run.curve for run in four], n), among),
        "the same by the three's answers": (
            areas_of([run.honest for run in four], fewer),
            by_others,
        ),
    }
    for called, (areas, against) in lines.items():
        lead = [f"{value:.3f}" for value in areas]
        yield [name, called, *lead, *(f"{v:+.3f}" for v in areas - against)]


def areas_of(curves: Sequence[Sequence[float]], n_answers: int) -> Floats:
    """Return the mean areas of several runs."""
    return np.asarray(np.mean([area(one, n_answers) for one in curves], axis=0))


def main() -> None:
    """Run all teams on all sets, and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", default="digits,dog,cho,leaf")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--answers", type=int, default=400)
    parser.add_argument("--data", default="../shared/data")
    parser.add_argument("--seed-from", type=int, default=500)
    args = parser.parse_args()
    sets, seeds = (
        args.sets.split(","),
        range(args.seed_from, args.seed_from + args.runs),
    )
    wanted = [(n, team, seed) for n in sets for team in TEAMS for seed in seeds]
    some = Parallel(n_jobs=-1)(delayed(cell)(*one, args) for one in wanted)
    found: dict[str, dict[str, list[Seen]]] = defaultdict(lambda: defaultdict(list))
    for (name, team, _), seen in zip(wanted, some, strict=True):
        found[name][team].append(seen)
    header = ["set", "team", "area", "evenly", "area -", "evenly -"]
    lines = [line for name in sets for line in rows_of(name, found[name], args.answers)]
    print_table(header, lines)
    for name in sets:
        three, four = found[name]["three"], found[name]["with a guesser"]
        named = [named_after(run.worst) for run in three]
        print(f"{name}: the 20 % reader is named after {named} of his answers,")
        print(f"  the guesser found after {[run.found for run in four]} of his,")
        apart = [one for run in three for one in run.apart]
        held = [one for run in three for one in run.covered]
        if apart:
            print(
                f"  rates {np.mean(apart):.3f} off, {np.mean(held):.0%} in intervals."
            )


if __name__ == "__main__":
    main()
