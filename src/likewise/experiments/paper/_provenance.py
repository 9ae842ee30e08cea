"""Where results come from: which program, which machine, which data."""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
import subprocess
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from likewise.datasets import Dataset
from likewise.errors import InputError
from likewise.experiments._metrics import all_in_one
from likewise.experiments._recipes import RECIPES
from likewise.experiments._trials import Failure, Outcome, Trial

NAME = "provenance.json"  # beside the results
PACKAGES = ("likewise", "numpy", "scipy", "scikit-learn")
DECIMALS = 6  # of the features that are hashed: the last ones differ by machine


@dataclass(frozen=True, slots=True)
class Facts:
    """What a reader has to know of a data set.

    Attributes
    ----------
    n : int
        Samples.
    sizes : tuple of int
        Of the classes, largest first.
    all_in_one : float
        The Jaccard coefficient of one big cluster.
    sha256 : str
        Of the features, to six decimals, and the classes.
    """

    n: int
    sizes: tuple[int, ...]
    all_in_one: float
    sha256: str

    @property
    def k(self) -> int:
        """How many classes there are."""
        return len(self.sizes)


@dataclass(frozen=True, slots=True)
class Provenance:
    """One stretch of work on an evaluation, from a start to an end or a stop.

    Attributes
    ----------
    commit : str
        Of the program; its version where there is no repository.
    versions : mapping of str to str
        Of the packages that numbers depend on.
    python, processor : str
    cores : int
    date : str
        The day on which it began, as ISO 8601 has it; nothing where nobody knows.
    seconds : float
        From start to end.
    worked : float
        Of all trials together.
    trials : int
        How many were run.
    repeats : int
    is_quick : bool
    sets : mapping of str to Facts
    recipes : mapping of str to str
        What each is, in a sentence.
    left_out : tuple of str
        What was not run, and why, in sentences.
    failures : tuple of Failure
    """

    commit: str
    versions: Mapping[str, str]
    python: str
    processor: str
    cores: int
    date: str = ""
    seconds: float = 0.0
    worked: float = 0.0
    trials: int = 0
    repeats: int = 0
    is_quick: bool = False
    sets: Mapping[str, Facts] = field(default_factory=dict)
    recipes: Mapping[str, str] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()
    failures: tuple[Failure, ...] = ()


@dataclass(slots=True)
class Log:
    """The present stretch of work, written down as it goes on.

    Attributes
    ----------
    folder : Path
        Where it is written.
    earlier : tuple of Provenance
        Stretches of work before this one.
    now : Provenance
        As far as it has come.
    clock : callable
        Returns seconds.
    """

    folder: Path
    earlier: tuple[Provenance, ...]
    now: Provenance
    clock: Callable[[], float]
    _start: float = field(init=False)

    def __post_init__(self) -> None:
        self._start = self.clock()

    @property
    def entries(self) -> tuple[Provenance, ...]:
        """All stretches; the present one only if it has done something."""
        has_begun = self.now.trials or self.now.failures or not self.earlier
        return (*self.earlier, self.now) if has_begun else self.earlier

    def add(self, result: Outcome | Failure) -> None:
        """Take in what came out of a trial, and write everything down."""
        now, took = self.now, round(self.clock() - self._start, 1)
        if isinstance(result, Failure):
            failures = (*now.failures, result)
            self.now = replace(now, failures=failures, seconds=took)
        else:
            worked = round(now.worked + result.seconds, 4)
            done = now.trials + 1
            self.now = replace(now, trials=done, worked=worked, seconds=took)
        write_provenance(self.folder, self.entries)


def provenance_here(recipes: Iterable[str] = (), **known: Any) -> Provenance:
    """Return what this program and this machine are, with what else is known.

    Examples
    --------
    >>> provenance_here(repeats=10).repeats
    10
    """
    return Provenance(
        commit=_commit(),
        versions={name: importlib.metadata.version(name) for name in PACKAGES},
        python=platform.python_version(),
        processor=_processor(),
        cores=os.cpu_count() or 1,
        date=datetime.now(UTC).date().isoformat(),
        recipes={name: RECIPES[name].about for name in recipes},
        **known,
    )


def facts_of(dataset: Dataset) -> Facts:
    """Return what a reader has to know of a data set.

    Examples
    --------
    >>> from likewise.datasets import load
    >>> facts_of(load("iris")).sizes
    (50, 50, 50)
    """
    X = dataset.X if dataset.raw is None else dataset.raw
    rounded = np.round(X, DECIMALS) + 0.0  # no negative zeros
    content = sha256(np.ascontiguousarray(rounded, dtype="<f8").tobytes())
    content.update(np.ascontiguousarray(dataset.y, dtype="<i8").tobytes())
    sizes = sorted(np.bincount(dataset.y).tolist(), reverse=True)
    floor = round(all_in_one(dataset.y), DECIMALS)
    return Facts(len(dataset.y), tuple(sizes), floor, content.hexdigest())


def write_provenance(folder: Path, found: Iterable[Provenance]) -> None:
    """Write what is known, one entry for each stretch of work, beside the results."""
    path = folder / NAME
    text = json.dumps([asdict(one) for one in found], indent=1, ensure_ascii=False)
    fresh = path.with_suffix(".part")
    fresh.write_text(text + "\n", encoding="utf-8")
    fresh.replace(path)


def read_provenance(folder: Path) -> tuple[Provenance, ...]:
    """Return what lies beside some results; nothing where nothing does."""
    path = folder / NAME
    if not path.exists():
        return ()
    try:
        return tuple(_read(one) for one in json.loads(path.read_text("utf-8")))
    except (ValueError, TypeError, KeyError, AttributeError):
        raise InputError(
            f"{path} does not say where results come from, as this version writes it: "
            f"remove it, or choose another folder."
        ) from None


def _read(values: dict[str, Any]) -> Provenance:
    sets = {
        name: Facts(**{**facts, "sizes": tuple(facts["sizes"])})
        for name, facts in values.pop("sets").items()
    }
    failures = tuple(
        Failure(Trial(**failure["trial"]), failure["reason"])
        for failure in values.pop("failures")
    )
    left_out = tuple(values.pop("left_out"))
    return Provenance(**values, sets=sets, failures=failures, left_out=left_out)


def _commit() -> str:
    """Return the commit of this file's repository, or the version of the package."""
    here = Path(__file__)
    ask = ("git", "-C", str(here.parent))
    try:
        for question in (
            ("ls-files", "--error-unmatch", here.name),  # not one that it only lies in
            ("describe", "--match=", "--always", "--abbrev=40", "--dirty"),
        ):
            said = subprocess.run(
                (*ask, *question), capture_output=True, check=True, text=True
            )
    except (OSError, subprocess.CalledProcessError):
        return f"version {importlib.metadata.version('likewise')}"
    return said.stdout.strip()


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    named = (line.split(":", 1)[1] for line in lines if line.startswith("model name"))
    return next(named, platform.processor() or platform.machine()).strip()
