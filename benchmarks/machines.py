"""Whether the same session asks the same questions on other machines.

    python -m benchmarks.machines [--sets iris digits] [--methods likewise urasc+n]
        [--questions 60] [--settings 2 haswell 1,hash] [--data FOLDER] [--jobs 2]

The last digits of numbers depend on the number of threads, and on what the processor
can do; what is asked and how samples are grouped must not. Twelve data sets are sorted
from true answers (and two of them from answers of which 5 % are wrong), each time in a
process of its own for each setting: 1, 2 or 4 threads, times the kernels of the linear
algebra, times numpy with and without the newer instructions of the processor, and once
with other hashes of texts. Kernels that this machine does not offer, or that are those
of another setting, are left out and named.

For each session it is printed at which question any setting departs from one thread and
the machine's own kernels, and whether the labels are the same before any question and
after the last, or else the lowest adjusted Rand index between them. Exit status 1 if a
question differs, or an index is below 0.999.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from importlib import import_module
from itertools import product, zip_longest
from pathlib import Path
from threading import Timer
from typing import Any

import numpy as np
from benchmarks.runs import NOTHING, markdown
from rich.console import Console
from rich.progress import Progress
from sklearn.metrics import adjusted_rand_score
from threadpoolctl import threadpool_info, threadpool_limits

from likewise import METHODS, LabelOracle, MissingDataError, Session
from likewise._arrays import Floats, Indices
from likewise.datasets import load

ALIKE = 0.999  # adjusted Rand index from which on labels count as the same
N_QUESTIONS, N_FEW = 60, 20
SECONDS = 1200  # after which a setting has failed
HEAPS = {"heaps-300": 300, "heaps-4900": 4900, "heaps-5100": 5100}
SETS = (
    *("iris", "wine", "digits", "breast_cancer", "cho", "balance"),
    *("sonar", "leaf", "dog", "face-1", "heaps-4900", "heaps-5100"),
)
MAIN = ("likewise", "urasc+n")  # the methods that sort all sets
NOISY = ("iris", "digits")  # the sets that are sorted from wrong answers, too
FEW = ("wine", "heaps-300")  # the sets that the other methods sort
WRONG = 0.05


@dataclass(frozen=True, slots=True)
class Case:
    """What is sorted, how, and for how long."""

    data: str
    method: str
    is_k_known: bool
    n_questions: int = N_QUESTIONS
    error_rate: float = 0.0

    def __str__(self) -> str:
        k = "known" if self.is_k_known else "unknown"
        wrong = f", {self.error_rate:.0%} wrong" if self.error_rate else ""
        return f"{self.data}, {self.method}, k {k}{wrong}"


@dataclass(frozen=True, slots=True)
class Seen:
    """What a session showed.

    Attributes
    ----------
    questions : list of [sample, against]
    first, last : list of int
        The labels before any question and after the last answer.
    """

    questions: list[list[int]]
    first: list[int]
    last: list[int]


@dataclass(frozen=True, slots=True)
class Setting:
    """What the last digits of numbers may depend on, or the order of a set.

    Attributes
    ----------
    threads : int
    kernels : str
        Of OpenBLAS, by the name that it has for them; empty for the machine's own.
    without : str
        What numpy is not to use of the processor.
    hash_seed : int
    """

    threads: int = 1
    kernels: str = ""
    without: str = ""
    hash_seed: int = 0

    def __str__(self) -> str:
        parts = [str(self.threads), self.kernels.lower()]
        parts += ["plain"] * bool(self.without) + ["hash"] * bool(self.hash_seed)
        return ",".join(filter(None, parts))

    @property
    def environment(self) -> dict[str, str]:
        """The variables of a process that runs so."""
        threads = dict.fromkeys(
            ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"),
            str(self.threads),
        )
        found = {**os.environ, **threads, **SLEEPING}
        found["PYTHONHASHSEED"] = str(self.hash_seed)
        found.pop("OPENBLAS_CORETYPE", None)
        found.pop("NPY_DISABLE_CPU_FEATURES", None)
        if self.kernels:
            found["OPENBLAS_CORETYPE"] = self.kernels
        if self.without:
            found["NPY_DISABLE_CPU_FEATURES"] = self.without
        return found


# More threads than there are cores must not wait for each other by counting.
SLEEPING = {"OMP_WAIT_POLICY": "passive", "OPENBLAS_THREAD_TIMEOUT": "4"}
KERNELS = ("SkylakeX", "Haswell", "Zen", "Nehalem", "Prescott")
REFERENCE = Setting()


def features() -> str:
    """Return what numpy uses of this processor and could do without."""
    core = import_module("numpy._core._multiarray_umath")  # no public name says it
    there = getattr(core, "__cpu_features__", {})
    return " ".join(n for n in getattr(core, "__cpu_dispatch__", ()) if there.get(n))


def settings() -> list[Setting]:
    """Return all settings that a machine might offer, the usual one first."""
    one = [Setting(kernels=kernels) for kernels in ("", *KERNELS)]
    if without := features():
        one.append(Setting(without=without))
        one.append(Setting(kernels="Nehalem", without=without))
    threaded = [
        Setting(threads, other.kernels, other.without)
        for threads, other in product((1, 2, 4), one)
    ]
    return [*threaded, Setting(hash_seed=1)]


def cases(sets: Sequence[str], methods: Sequence[str], n: int) -> list[Case]:
    """Return what is sorted under each setting.

    The two main methods sort all sets, the flagship with k known and not; they sort two
    sets from wrong answers, too. The others sort two small sets, for a third as long.
    """
    found = [
        Case(data, method, is_known, n, rate)
        for data, method, is_known in product(sets, MAIN, (False, True))
        for rate in ((0.0, WRONG) if data in NOISY and is_known else (0.0,))
        if method in methods and (is_known or method == MAIN[0])
    ]
    others = [method for method in methods if method not in MAIN]
    few = [data for data in FEW if data in sets or len(sets) == len(SETS)]
    n_few = min(n, N_FEW)
    return found + [
        Case(data, method, is_k_known=True, n_questions=n_few)
        for data, method in product(few, others)
    ]


@lru_cache
def samples_of(data: str, folder: str | None) -> tuple[Floats, Indices]:
    """Return the samples of a case, and the class of each."""
    if data in HEAPS:
        return heaps(HEAPS[data])
    found = load(data, folder)
    return found.X, found.y


def heaps(n: int) -> tuple[Floats, Indices]:
    """Return three clear heaps in a plane, and the heap of each sample.

    Examples
    --------
    >>> X, y = heaps(300)
    >>> X.shape, np.bincount(y).tolist()
    ((300, 2), [100, 100, 100])
    """
    rng = np.random.default_rng(0)
    y = np.arange(n) % 3
    middles = np.array([[0.0, 0.0], [8.0, 0.0], [4.0, 7.0]])
    return middles[y] + rng.normal(size=(n, 2)), y


def seen(case: Case, folder: str | None = None) -> Seen:
    """Run a session."""
    X, y = samples_of(case.data, folder)
    k = len(np.unique(y)) if case.is_k_known else None
    most = METHODS[case.method].most_clusters
    k = k if k is None or most is None else min(k, most)
    session = Session(X, case.method, k)
    oracle = LabelOracle(y, error_rate=case.error_rate)
    found = Seen([], session.labels.tolist(), [])
    while len(found.questions) < case.n_questions:
        question = session.ask()
        if question is None:
            break
        found.questions.append([int(question.sample), int(question.against)])
        session.tell(question, oracle(question), on_conflict="keep")
    found.last.extend(session.labels.tolist())
    return found


def work() -> None:
    """Run the cases that standard input names; one line for what each one showed."""
    given = json.load(sys.stdin)
    with threadpool_limits(given["threads"]):  # more than there are cores, if so said
        print(json.dumps(kernels_here()), flush=True)
        for fields in given["cases"]:
            found = seen(Case(**fields), given["folder"])
            print(json.dumps(asdict(found)), flush=True)


def kernels_here() -> list[Any]:
    """Return what the numbers of this process are computed with."""
    import scipy.linalg  # noqa: F401 - it brings kernels of its own

    pools = [p for p in threadpool_info() if p["user_api"] == "blas"]
    kinds = {(p["internal_api"], p.get("architecture", "")) for p in pools}
    return [sorted(kinds), features()]


def run_under(
    setting: Setting, wanted: Sequence[Case], folder: str | None = None
) -> Iterator[Any]:
    """Yield the kernels that a process with a setting has, and what each case shows."""
    given = {
        "threads": setting.threads,
        "cases": [asdict(case) for case in wanted],
        "folder": folder,
    }
    process = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.machines", "--work"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=setting.environment,
        cwd=Path(__file__).parents[1],
        text=True,
    )
    assert process.stdin
    assert process.stdout
    assert process.stderr
    with process, ended_after(process, SECONDS):
        process.stdin.write(json.dumps(given))
        process.stdin.close()
        yield json.loads(process.stdout.readline() or "null")
        for _ in wanted:
            if not (line := process.stdout.readline()):
                raise RuntimeError(f"{setting}: {process.stderr.read()}")
            yield Seen(**json.loads(line))


@contextmanager
def ended_after(process: subprocess.Popen[str], seconds: float) -> Iterator[None]:
    """End a process that takes too long, or that nobody reads any more."""
    timer = Timer(seconds, process.kill)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        process.kill()


def offered(wanted: Iterable[Setting]) -> tuple[list[Setting], list[str]]:
    """Return the settings that differ on this machine, and what is left out and why."""
    found: dict[str, Setting] = {}
    left_out = []
    for setting in wanted:
        kernels = kernels_under(replace(setting, threads=1, hash_seed=0))
        key = json.dumps([kernels, setting.threads, setting.hash_seed])
        if kernels is None:
            left_out.append(f"{setting}: it does not start")
        elif key in found:
            left_out.append(f"{setting}: as {found[key]}")
        else:
            found[key] = setting
    return list(found.values()), left_out


@lru_cache
def kernels_under(setting: Setting) -> Any:
    """Return the kernels that a process with a setting has, or None if it fails."""
    return next(run_under(setting, ()))


def first_difference(old: Seen, new: Seen) -> int | None:
    """Return the number of the first question that differs, or None."""
    both = enumerate(zip_longest(old.questions, new.questions), start=1)
    return next((number for number, (was, now) in both if was != now), None)


def agreement(old: Sequence[int], new: Sequence[int]) -> float:
    """Return 1 for the same labels, else the adjusted Rand index, which is below."""
    if list(old) == list(new):
        return 1.0
    return min(float(adjusted_rand_score(old, new)), 1.0 - 1e-9)


HEADER = ("session", "settings", "first other question", "start", "end")


def row_of(case: Case, seen_by: dict[Setting, Seen]) -> tuple[list[str], bool]:
    """Return a row of the table, and whether all settings agree."""
    (_, usual), *others = seen_by.items()
    differs = {
        setting: at
        for setting, found in others
        if (at := first_difference(usual, found)) is not None
    }
    where = NOTHING
    if differs:
        first = min(differs, key=differs.__getitem__)
        where = f"{differs[first]} ({first}; {len(differs)} of {len(others)})"
    start, end = (
        min((agreement(getattr(usual, k), getattr(s, k)) for _, s in others), default=1)
        for k in ("first", "last")
    )
    agree = not differs and min(start, end) >= ALIKE
    words = ["same" if share == 1 else f"ARI {share:.4f}" for share in (start, end)]
    return [str(case), str(len(seen_by)), where, *words], agree


def table(
    wanted: Sequence[Case], under: Sequence[Setting], folder: str, jobs: int
) -> tuple[list[list[str]], bool]:
    """Run everything; return the rows of the table, and whether all agree."""
    by_case: dict[Case, dict[Setting, Seen]] = {case: {} for case in wanted}
    bar = Progress(console=Console(stderr=True), transient=True)
    task = bar.add_task("sessions", total=len(wanted) * len(under))

    def run(setting: Setting) -> list[Seen]:
        lines = run_under(setting, wanted, folder)
        next(lines)
        found = []
        for line in lines:
            found.append(line)
            bar.advance(task)
        return found

    with bar, ThreadPoolExecutor(jobs) as pool:
        for setting, found in zip(under, pool.map(run, under), strict=True):
            for case, shown in zip(wanted, found, strict=True):
                by_case[case][setting] = shown
    rows = [row_of(case, seen_by) for case, seen_by in by_case.items()]
    return [row for row, _ in rows], all(agree for _, agree in rows)


def available(names: Iterable[str], folder: str) -> list[str]:
    """Return the data sets that are there; say which are not."""
    found = []
    for name in names:
        try:
            samples_of(name, folder)
            found.append(name)
        except MissingDataError as missing:
            print(f"Left out: {missing}")
    return found


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", nargs="+", default=list(SETS), metavar="SET")
    parser.add_argument("--methods", nargs="+", default=list(METHODS), metavar="METHOD")
    parser.add_argument("--questions", type=int, default=N_QUESTIONS)
    parser.add_argument("--settings", nargs="+", metavar="NAME")
    data = os.environ.get("LIKEWISE_DATA", "../shared/data")
    parser.add_argument("--data", default=data, metavar="FOLDER")
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time")
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.work:
        work()
        return
    given = chosen.settings
    wanted = [s for s in settings() if not given or str(s) in given or s == REFERENCE]
    under, left_out = offered(wanted)
    print(f"Settings: {'; '.join(map(str, under))}.")
    print(f"Left out: {'; '.join(left_out) or 'none'}.")
    folder = str(Path(chosen.data).resolve())
    sets = available(chosen.sets, folder)
    todo = cases(sets, chosen.methods, chosen.questions)
    rows, agree = table(todo, under, folder, chosen.jobs)
    print(markdown(HEADER, rows))
    n_same = sum(row[2] == NOTHING for row in rows)
    print(f"{n_same} of {len(rows)} sessions ask the same everywhere.")
    sys.exit(0 if agree else 1)


if __name__ == "__main__":
    main()
