"""The one file of results: a row for each score, whole trials at a time."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from itertools import groupby
from pathlib import Path

from likewise.errors import InputError
from likewise.experiments._metrics import METRICS
from likewise.experiments.paper._trials import Outcome, Trial, points_of

KEYS = ("data", "method", "seed")
SETTINGS = tuple(f.name for f in fields(Trial) if f.name not in KEYS)
HEADER = (*KEYS, "questions", "metric", "value", "seconds", *SETTINGS)
TYPES = {f.name: {"int": int, "float": float}.get(str(f.type), str)
         for f in fields(Trial)}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Results:
    """Outcomes of trials in a csv file that a stopped run takes up again.

    An outcome is written as a whole and flushed to the disk. Of one that was cut off in
    the middle nothing counts, and :meth:`mend` removes it.

    Attributes
    ----------
    path : Path
    """

    path: Path

    def read(self) -> dict[Trial, Outcome]:
        """Return every outcome that is there in full, by its trial."""
        if not self.path.exists():
            return {}
        with self.path.open(encoding="utf-8", newline="") as lines:
            rows = csv.DictReader(lines)
            if rows.fieldnames is not None and tuple(rows.fieldnames) != HEADER:
                raise InputError(
                    f"{self.path} is not a file of results of this version: "
                    f"choose another folder with --out."
                )
            return dict(_outcomes(row for row in rows if None not in row.values()))

    def append(self, outcomes: Iterable[Outcome]) -> None:
        """Write outcomes behind the others, each on the disk before the next."""
        is_new = not self.path.exists()
        with self.path.open("a", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            if is_new:
                writer.writerow(HEADER)
            for outcome in outcomes:
                writer.writerows(_rows(outcome))
                file.flush()
                os.fsync(file.fileno())

    def mend(self) -> dict[Trial, Outcome]:
        """Rewrite the file with the outcomes that are whole, and return them."""
        found = self.read()
        fresh = Results(self.path.with_suffix(".part"))
        fresh.path.unlink(missing_ok=True)
        fresh.append(found.values())
        if fresh.path.exists():
            fresh.path.replace(self.path)
        return found


def _rows(outcome: Outcome) -> Iterator[list[object]]:
    trial = outcome.trial
    keys = [getattr(trial, key) for key in KEYS]
    settings = [getattr(trial, key) for key in SETTINGS]
    for metric, values in outcome.scores.items():
        for at, value, seconds in zip(
            outcome.questions, values, outcome.seconds, strict=True
        ):
            yield [*keys, at, metric, f"{value:.7f}", f"{seconds:.7f}", *settings]


def _outcomes(rows: Iterable[dict[str, str]]) -> Iterator[tuple[Trial, Outcome]]:
    for trial, group in groupby(rows, key=_trial):
        found = list(group)
        points = tuple(points_of(trial.budget))
        by_metric = {
            metric: [row for row in found if row["metric"] == metric]
            for metric in METRICS
        }
        if all(_at(part) == points for part in by_metric.values()):
            scores = {m: _floats(part, "value") for m, part in by_metric.items()}
            seconds = _floats(by_metric["jaccard"], "seconds")
            yield trial, Outcome(trial, points, scores, seconds)


def _trial(row: dict[str, str]) -> Trial:
    return Trial(**{name: kind(row[name]) for name, kind in TYPES.items()})


def _at(rows: list[dict[str, str]]) -> tuple[int, ...]:
    return tuple(int(row["questions"]) for row in rows)


def _floats(rows: list[dict[str, str]], column: str) -> tuple[float, ...]:
    return tuple(float(row[column]) for row in rows)
