"""Which variant pays, judged on kinds of data that it was not chosen on.

    python -m benchmarks.leave_out --base before --tags one,two [--out FOLDER]

Each tag names runs of one variant in OUT/questions.jsonl, made by
``benchmarks/questions.py --tag``. The sets lie in four folds by kind. For each fold,
the variant with the largest mean area on the *other* three is taken, `base` among
them, if it costs no set there more than 0.02; and its runs on the fold are what counts.
Prints the numbers of the left-out folds only, and the worst that happened to any set.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from benchmarks.questions import read_runs
from benchmarks.runs import (
    Run,
    area_on,
    by_data,
    fall,
    grouped,
    markdown,
    mean_curve,
    setback,
    share_of_checks,
)
from benchmarks.sets import FOLDS, WEAK

MOST_LOST = 0.02  # area that a variant may cost a single set
Areas = Mapping[str, tuple[float, float]]  # by set: of Jaccard and of ARI
HEADER = (
    *("fold", "variant taken", "Jaccard before", "after"),
    *("ARI before", "after", "most lost by a set"),
)


def areas_of(runs: Iterable[Run]) -> Areas:
    """Return the mean areas on each set."""
    return {
        name: (area_on(on), area_on(on, "ari")) for name, on in by_data(runs).items()
    }


def chosen(variants: Mapping[str, Areas], base: str, sets: Sequence[str]) -> str:
    """Return the variant that pays most on some sets and costs none of them much."""
    before, best, most = variants[base], base, 0.0
    for tag, areas in variants.items():
        gains = [areas[name][0] - before[name][0] for name in sets]
        gains_of_ari = [areas[name][1] - before[name][1] for name in sets]
        lost = -min(map(max, gains, gains_of_ari))
        if (paid := sum(gains) / len(gains)) > most and lost <= MOST_LOST:
            best, most = tag, paid
    return best


def left_out(
    variants: Mapping[str, Areas], base: str
) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Return for each fold what was chosen on the others, and the fold's sets."""
    there = set.intersection(*(set(areas) for areas in variants.values()))
    found = {}
    for fold, names in FOLDS.items():
        inside = tuple(name for name in names if name in there)
        others = sorted(there.difference(inside))
        if inside and others:
            found[fold] = (chosen(variants, base, others), inside)
    return found


def fold_rows(variants: Mapping[str, Areas], base: str) -> list[list[str]]:
    """Return one row for each fold, and one for all sets but the weak ones."""
    rows, all_before, all_after = [], [], []
    for fold, (tag, names) in left_out(variants, base).items():
        before = [variants[base][name] for name in names]
        after = [variants[tag][name] for name in names]
        rows.append([fold, tag, *_means(before, after)])
        kept = [at for at, name in enumerate(names) if name not in WEAK]
        all_before += [before[at] for at in kept]
        all_after += [after[at] for at in kept]
    return [*rows, [f"all {len(all_after)}", "", *_means(all_before, all_after)]]


def _means(
    before: Sequence[tuple[float, float]], after: Sequence[tuple[float, float]]
) -> list[str]:
    cells = [
        f"{sum(pair[metric] for pair in numbers) / len(before):.3f}"
        for metric in (0, 1)
        for numbers in (before, after)
    ]
    pairs = zip(before, after, strict=True)
    gains = [max(new[0] - old[0], new[1] - old[1]) for old, new in pairs]
    return [*cells, f"{max(-min(gains), 0.0):.3f}"]


def set_rows(
    runs: Mapping[str, Sequence[Run]], taken: Mapping[str, str], base: str
) -> list[list[str]]:
    """Return one row for each set: before, and by what was taken for its fold."""
    rows = []
    for name, tag in taken.items():
        before, after = (by_data(runs[t])[name] for t in (base, tag))
        curve = mean_curve(after)
        rows.append(
            [
                name,
                *(f"{area_on(on):.3f}" for on in (before, after)),
                *(f"{area_on(on, 'ari'):.3f}" for on in (before, after)),
                f"{fall(mean_curve(before)):.3f}",
                f"{fall(curve):.3f}",
                f"{setback(mean_curve(before)):.3f}",
                f"{setback(curve):.3f}",
                f"{share_of_checks(before):.3f}",
                f"{share_of_checks(after):.3f}",
            ]
        )
    return rows


SET_HEADER = (
    "data",
    *("Jaccard before", "after", "ARI before", "after"),
    *("below the start before", "after", "below a level before", "after"),
    *("checks before", "after"),
)


def main() -> None:
    """Choose, and print what came out where nobody looked."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--base", required=True)
    parser.add_argument("--tags", required=True)
    parser.add_argument("--method", default="likewise")
    parser.add_argument("--out", type=Path, default=Path("out"))
    given = parser.parse_args()
    tags = (given.base, *given.tags.split(","))
    kept = read_runs(given.out / "questions.jsonl").values()
    wanted = [
        run
        for run in kept
        if run.cell.tag in tags and run.cell.trial.method == given.method
    ]
    settings = grouped(wanted, lambda cell: (cell.trial.k, cell.trial.noise))
    for (k, noise), runs in settings.items():
        by_tag = grouped(runs, lambda cell: cell.tag)
        variants = {tag: areas_of(by_tag[tag]) for tag in tags if tag in by_tag}
        if given.base not in variants or len(variants) == 1:
            continue
        print(f"\n## k {k}, {100 * noise:.3g} % of the answers wrong\n")
        print(markdown(HEADER, fold_rows(variants, given.base)))
        taken = {
            name: tag
            for tag, names in left_out(variants, given.base).values()
            for name in names
        }
        print("\n" + markdown(SET_HEADER, set_rows(by_tag, taken, given.base)))


if __name__ == "__main__":
    main()
