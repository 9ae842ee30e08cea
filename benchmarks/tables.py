"""Tables of the pages, made of the figures that benchmarks have kept.

    python -m benchmarks.tables

Writes each table anew between the lines of its page that say where it begins and ends:
``<!-- table NAME -->`` and ``<!-- end -->``. A test says where a page is behind.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.kept import kept_in
from benchmarks.others import HERE, SYSTEMS, Other
from benchmarks.peers import BUNDLED, KEEL, summary

from likewise.experiments.paper import kept_evaluation, read_figure
from likewise.experiments.paper._outcomes import Curves, Level, curves_of, standing_of

ROOT = Path(__file__).parents[1]
KEPT = ROOT / "docs" / "evaluation"
BETWEEN = re.compile(r"(<!-- table (\S+) -->\n).*?(<!-- end -->)", re.DOTALL)
CARD = (  # n and features; nothing known at first; 500 samples known
    ("1,000,000, 64", ("million-0",), ("million-500",)),
    ("10,000,000, 32", (), ("ten-million-likewise", "ten-million-urasc")),
)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table of Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def about(*names: str) -> str:
    """Return when files of figures were made, on what, and by which commands."""
    found = {name: kept_in(KEPT / name) for name in names}
    said = "; ".join(
        f"`{command}`: `docs/evaluation/{name}`"
        for name, file in found.items()
        for command in file.get("commands", [file["command"]])
    )
    last = max(found.values(), key=lambda file: file["date"])
    on = last.get("card") or f"{last['processor']}, {last['cores']} cores"
    return f"\n*{day_of(last['date'])}, {on}. {said}.*\n"


def day_of(said: str) -> str:
    """Return a day as people write it.

    Examples
    --------
    >>> day_of("2026-11-08")
    '8 November 2026'
    """
    day = date.fromisoformat(said)
    return f"{day.day} {day:%B %Y}"


def digits(value: float) -> str:
    """Return a figure with two digits, or as a whole number where it has more."""
    return f"{value:.0f}" if value >= 10 else f"{value:#.2g}".removesuffix(".")


def scale() -> str:
    """Return what one core needs, from ten thousand samples to a million."""
    rows = kept_in(KEPT / "scale.json")["rows"]
    head = ["n", "method", "first question", "answer to next question"]
    head += ["in units of 60 sparse products", "of a scikit-learn fit (lobpcg)"]
    head = [*head, "peak memory"]
    return table(head, map(_of_scale, _ordered(rows))) + about("scale.json")


def _ordered(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(rows, key=lambda row: (row["n"], row["method"]))


def _of_scale(row: dict[str, Any]) -> list[str]:
    fit = f"1/{row['fit'] / row['warm']:.0f}" if row["fit"] else "–"
    return [
        f"{row['n']:,}",
        f"`{row['method']}`",
        f"{digits(row['cold'])} s",
        f"{digits(row['warm'])} s",
        f"{row['warm'] / row['products']:.1f}",
        fit,
        f"{row['gigabytes']:.2f} GB",
    ]


def growth() -> str:
    """Return how the time of an answer grows, in a sentence."""
    rows = _ordered(kept_in(KEPT / "scale.json")["rows"])
    told = []
    for method in ("likewise", "urasc+n"):
        small, large = [row for row in rows if row["method"] == method][-2:]
        power = np.log(large["warm"] / small["warm"]) / np.log(large["n"] / small["n"])
        told.append(f"n^{power:.2f} (`{method}`)")
    return (
        "From a hundred thousand to a million samples the time of an answer grows as "
        f"{' and '.join(told)}.\n"
    )


def huge() -> str:
    """Return what somebody with a huge pile wants to know of it."""
    rows = kept_in(KEPT / "scale.json")["rows"]
    large = [row for row in _ordered(rows) if row["n"] >= 100_000]
    mine = [row for row in large if row["method"] == "likewise"]
    lines = [
        ["first question, one core", *(f"{digits(row['cold'])} s" for row in mine)],
        ["answer to next question", *(f"{digits(row['warm'])} s" for row in mine)],
        ["memory", *(f"{row['gigabytes']:.1f} GB" for row in mine)],
    ]
    head = ["", *(f"{row['n']:,}" for row in mine)]
    return table(head, lines) + about("scale.json")


def card() -> str:
    """Return what a graphics card needs, from an array on disk."""
    head = ["n, features", "method", "from an array on disk to the first question"]
    head += ["answer, nothing known at first", "answer, 500 samples known"]
    lines = [line for what in CARD for line in _of_card(*what)]
    files = (f"cuda/{name}.json" for _, *what in CARD for some in what for name in some)
    return table([*head, "most memory of the machine"], lines) + about(*files)


def _of_card(
    name: str, unknown: Sequence[str], known: Sequence[str]
) -> Iterator[list[str]]:
    first, later = _by_method(unknown), _by_method(known)
    for method, row in sorted(later.items()):
        told = first.get(method)
        yield [
            name,
            f"`{method}`",
            f"{digits((told or row)['cold'])} s",
            f"{digits(told['warm'])} s" if told else "–",
            f"{digits(row['warm'])} s",
            f"{row['gigabytes']:.1f} GB",
        ]


def _by_method(names: Sequence[str]) -> dict[str, dict[str, Any]]:
    files = (KEPT / "cuda" / f"{name}.json" for name in names)
    return {row["method"]: row for file in files for row in kept_in(file)["rows"]}


def peers() -> str:
    """Return questions and milliseconds beside other systems, on sets everybody has."""
    return _beside(BUNDLED, "peers.json")


def unseen() -> str:
    """Return the same of sets on which nothing was chosen."""
    return _beside(KEEL, "unseen.json")


def _beside(sets: Sequence[str], kept: str) -> str:
    rows = kept_in(KEPT / kept)["rows"]
    found: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in rows:
        found.setdefault((row["system"], row["set"]), []).append(row)
    head = ["system", "from", *sets, "area", "ms a question"]
    lines = (
        _of_peer(system, other, [found[system, name] for name in sets])
        for system, other in SYSTEMS.items()
        if all((system, name) in found for name in sets)
    )
    return table(head, lines) + about(kept)


def _of_peer(
    system: str, other: Other, runs: Sequence[Sequence[Mapping[str, Any]]]
) -> list[str]:
    """Return questions to the level on each set, and the means over the sets."""
    summed = [summary(of_set) for of_set in runs]
    areas = np.mean([one.area for one in summed])
    spent = np.median([one.milliseconds for one in summed])
    told = "" if other.knows_k else ", k not told"
    name = f"`{system.split(',')[0]}`" if other.package == HERE else system
    return [
        f"{name}{told}",
        other.package,
        *(one.questions for one in summed),
        f"{areas:.3f}",
        digits(float(spent)),
    ]


LEVEL = 1  # of those that are kept: a Jaccard coefficient of 0.9
PLANS = {  # figures of the evaluation, and what their systems are called here
    "clustering": "`{}`",
    "variants": "`{}`",
    "learning": "`{}`, after farthest-first exploration",
}


def systems() -> str:
    """Return questions and seconds of every system in the paper's evaluation."""
    plans = {name: read_figure(name) for name in PLANS}
    found = kept_evaluation(list(plans.values()), [KEPT / "results.csv.gz"])
    sets = [panel.data for panel in plans["clustering"].panels]
    lines: dict[str, list[str]] = {}
    for name, called in PLANS.items():
        curves = curves_of(plans[name], found.outcomes.values())
        for line in plans[name].lines_on("ours"):
            if line.method not in lines:
                row = _of_system(curves, line.method, sets)
                lines[line.method] = [called.format(line.method), *row]
    head = ["system", *sets, "area", "ms an answer"]
    first, *_, last = found.provenance
    return table(head, lines.values()) + (
        f"\n*{day_of(last.date)}, {last.processor}, {last.cores} cores. "
        f"`likewise reproduce --data DIR --out DIR`, {first.repeats} repeats on nine "
        "tenths of the samples: `docs/evaluation/results.csv.gz`.*\n"
    )


def _of_system(curves: Curves, method: str, sets: Sequence[str]) -> list[str]:
    """Return the questions of one system on each set, its area and its time."""
    found = {
        panel.data: standing_of(runs)
        for (panel, line), runs in curves.items()
        if (line.method, line.recipe, line.k) == (method, "ours", "known")
    }
    levels = {name: one.levels[LEVEL] for name, one in found.items()}
    told = {name: _questions(level) for name, level in levels.items()}
    areas = [one.areas["jaccard"].mean for one in found.values()]
    area = f"{np.mean(areas):.3f}" if len(areas) == len(sets) else "–"
    seconds = float(np.median([one.seconds for one in found.values()]))
    return [*(told.get(name, "–") for name in sets), area, digits(1e3 * seconds)]


def _questions(level: Level) -> str:
    return f"{'' if level.by_all else '> '}{level.questions:.0f}"


COLUMNS = {"all": 0, "no number": 1, "four": 2}


def records() -> str:
    """Return F1 of pairs of the ways to find duplicates."""
    by_cell = _of_records()
    names = dict.fromkeys((name, columns) for name, columns, _ in by_cell)
    head = ["records", "columns", "likewise: 0, 100, 300 answers"]
    head += ["dedupe: 100, 300", "Splink: 0, 100, 300", "seconds of each"]
    taught = {"likewise": (0, 100, 300), "dedupe": (100, 300), "splink": (0, 100, 300)}
    lines = (
        [
            *cell,
            *(_f1s(by_cell.get((*cell, way), {}), n) for way, n in taught.items()),
            " · ".join(_seconds(by_cell.get((*cell, way), {})) for way in taught),
        ]
        for cell in sorted(names, key=lambda cell: (cell[0], COLUMNS[cell[1]]))
    )
    return table(head, lines) + about("records.json")


def taught() -> str:
    """Return F1 of Splink alone, and asked about."""
    by_cell, marks = _of_records(), (0, 30, 100, 300)
    cells = sorted({cell[:2] for cell in by_cell if cell[1] == "four"})
    ways = {
        "splink": "Splink, taught by as many pairs; at 0.95",
        "splink's scores": "its scores, asked about by `duplicates`",
        "likewise": "our own comparison of the fields",
    }
    lines = [
        [name, told, *(f"{by_cell[name, few, way][n]['f1']:.4f}" for n in marks)]
        for name, few in cells
        for way, told in ways.items()
    ]
    return table(["records", "", "0", "30", "100", "300 answers"], lines) + about(
        "records.json"
    )


def _of_records() -> dict[tuple[str, str, str], dict[int, dict[str, Any]]]:
    """Return what was measured of each set, columns and way, by answers."""
    found: dict[tuple[str, str, str], dict[int, dict[str, Any]]] = {}
    for row in kept_in(KEPT / "records.json")["rows"]:
        cell = (row["records"], row["columns"], row["way"])
        found.setdefault(cell, {})[row["answers"]] = row
    return found


def _f1s(found: Mapping[int, Mapping[str, Any]], marks: Sequence[int]) -> str:
    if not found:
        return "not measured"
    return " · ".join(_f1(found[mark]) for mark in marks if mark in found)


def _seconds(found: Mapping[int, Mapping[str, Any]]) -> str:
    return digits(found[max(found)]["seconds"]) if found else "–"


def _f1(row: Mapping[str, Any]) -> str:
    best = f" ({row['best']:.4f})" if row["best"] else ""
    return f"{row['f1']:.4f}{best}"


def matched() -> str:
    """Return the Jaccard coefficient with scores from elsewhere, and without."""
    rows = kept_in(KEPT / "scored.json")["rows"]
    head = ["set", "method", "way", *map(str, rows[0]["questions"])]
    lines = (
        [row["set"], f"`{row['method']}`", row["way"]]
        + [f"{value:.3f}" for value in row["jaccard"]]
        for row in rows
    )
    return table(head, lines) + about("scored.json")


TABLES: dict[str, Callable[[], str]] = {
    "peers": peers,
    "unseen": unseen,
    "systems": systems,
    "scale": scale,
    "growth": growth,
    "huge": huge,
    "card": card,
    "records": records,
    "taught": taught,
    "matched": matched,
}


def brought_up(text: str) -> str:
    """Return a page with its tables as the files have them."""
    return BETWEEN.sub(lambda m: f"{m[1]}{TABLES[m[2]]()}{m[3]}", text)


def pages() -> list[Path]:
    """Return the pages that have such tables."""
    found = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    return [page for page in found if BETWEEN.search(page.read_text(encoding="utf-8"))]


def main() -> None:
    """Write the tables of all pages anew."""
    for page in pages():
        text = page.read_text(encoding="utf-8")
        page.write_text(brought_up(text), encoding="utf-8")
        print(page.relative_to(ROOT))


if __name__ == "__main__":
    main()
