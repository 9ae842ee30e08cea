"""Whether it pays to let the answers re-weigh the columns of a table.

    python -m benchmarks.columns [--data FOLDER] [--power 0.5 1]

Mixed tables are made from development sets: every other column is cut into four words,
and in a second version half as many columns of noise stand beside them. A session of
the flagship answers 80 questions on equal blocks. Another one takes over its first 40
answers on blocks that are weighed anew, each by how much further it sets apart pairs
that are different than pairs that are the same, and goes on to 80. Prints the ARI of
both at 40 and at 80 answers. The power is chosen on the first sets, and reported on the
others.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
from benchmarks.sets import add_suite
from threadpoolctl import threadpool_limits

from likewise import LabelOracle, Session
from likewise._arrays import AnyFloats, Floats
from likewise.datasets import load
from likewise.experiments import ari
from likewise.items._blocks import Making, block_of
from likewise.knowledge import Answer

CHOSEN, REPORTED = ("zoo", "heart", "wine"), ("automobile", "glass", "ecoli", "iris")
FIRST, LAST, SEEDS = 40, 80, 3
CALM = 0.5  # of the mean squared distance, added to both sides of a ratio
WORDS = np.array(["low", "some", "more", "high"])


def blocks_of(X: Floats, noise: int, seed: int) -> list[AnyFloats]:
    """Return the blocks of a mixed table, with some columns of noise."""
    rng = np.random.default_rng(seed)
    X = np.hstack([X, rng.normal(size=(len(X), noise))])
    making, blocks = Making(Path()), list[AnyFloats]()
    for at, column in enumerate(X.T):
        cuts = np.quantile(column, [0.25, 0.5, 0.75])
        words = WORDS[np.searchsorted(cuts, column)].tolist()
        kind = "category" if at % 2 else "number"
        values = words if at % 2 else [f"{value:.6g}" for value in column]
        blocks.append(block_of(kind, values, 1.0, making))
    return blocks


def known_pairs(answers: Sequence[Answer], n: int) -> tuple[Floats, Floats]:
    """Return all pairs that are the same and all that are different, by the answers."""
    group = np.arange(n)
    for answer in answers:
        if answer.verdict == "same":
            old, new = group[answer.question.sample], group[answer.question.against]
            group[group == old] = new
    asked = {s for a in answers for s in a.question.pair}
    apart = {
        frozenset((group[a.question.sample], group[a.question.against]))
        for a in answers
        if a.verdict == "different"
    }
    pairs = [(i, j, group[i], group[j]) for i, j in combinations(sorted(asked), 2)]
    same = [(i, j) for i, j, a, b in pairs if a == b]
    other = [(i, j) for i, j, a, b in pairs if frozenset((a, b)) in apart]
    return np.array(same).reshape(-1, 2), np.array(other).reshape(-1, 2)


def reweighed(
    blocks: Sequence[AnyFloats], answers: Sequence[Answer], power: float
) -> Floats:
    """Return blocks weighed by what answers say of them."""
    same, other = known_pairs(answers, len(blocks[0]))
    weights = []
    for block in blocks:
        usual = 2 * block.var(axis=0).sum() or 1.0

        def mean(
            pairs: Floats, block: AnyFloats = block, usual: float = usual
        ) -> float:
            gaps = block[pairs[:, 0]] - block[pairs[:, 1]]
            return float((gaps**2).sum(axis=1).mean() / usual) if len(pairs) else 1.0

        weights.append(((mean(other) + CALM) / (mean(same) + CALM)) ** power)
    scale = np.sqrt(np.array(weights) / np.mean(weights))
    return np.hstack([w * block for w, block in zip(scale, blocks, strict=True)])


def asked(session: Session, oracle: LabelOracle, until: int) -> None:
    """Answer questions until there are so many answers."""
    while len(session.history) < until:
        question = session.ask()
        if question is None:
            return
        session.tell(question, oracle(question))


def compared(
    name: str, data: Path, powers: Sequence[float], *, with_noise: bool
) -> Floats:
    """Return the ARI at both numbers of answers, equal and weighed by each power."""
    dataset, rows = load(name, data), []
    for seed in range(SEEDS):
        part = dataset.nine_tenths(seed)
        noise = part.X.shape[1] // 2 if with_noise else 0
        blocks, oracle = blocks_of(np.asarray(part.X), noise, seed), LabelOracle(part.y)
        equal = Session(np.hstack(blocks), random_state=seed)
        asked(equal, oracle, FIRST)
        answers, found = list(equal.history), [ari(part.y, equal.labels)]
        others = []
        for power in powers:
            other = Session(reweighed(blocks, answers, power), random_state=seed)
            for answer in answers:
                other.tell_pair(*answer.question.pair, answer.verdict)
            found.append(ari(part.y, other.labels))
            others.append(other)
        for session in (equal, *others):
            asked(session, oracle, LAST)
            found.append(ari(part.y, session.labels))
        rows.append(found)
    return np.mean(rows, axis=0)


def main() -> None:
    """Print one row a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--power", type=float, nargs="+", default=[0.5, 1.0, 2.0])
    chosen = parser.parse_args()
    add_suite()
    heads = ["equal", *(f"^{power:g}" for power in chosen.power)]
    print(
        f"{'ARI':22}"
        + "".join(f"{f'{n} {h}':>10}" for n in (FIRST, LAST) for h in heads)
    )
    with threadpool_limits(1):
        for names in (CHOSEN, REPORTED):
            means = []
            for name in names:
                for with_noise in (False, True):
                    found = compared(
                        name, chosen.data, chosen.power, with_noise=with_noise
                    )
                    label = f"{name}{' + noise' if with_noise else ''}"
                    print(
                        f"{label:22}" + "".join(f"{x:10.3f}" for x in found), flush=True
                    )
                    means.append(found)
            mean = np.mean(means, axis=0)
            print(f"{'mean':22}" + "".join(f"{x:10.3f}" for x in mean), flush=True)


if __name__ == "__main__":
    main()
