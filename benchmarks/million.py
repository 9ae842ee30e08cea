"""The app at a hundred thousand or a million items: how long people wait, and for what.

    python -m benchmarks.million [--samples 100000] [--answers 0] [--method likewise]
                                 [--form npy] [--questions 20] [--sketched] [--again]

Clouds of points in a file, opened as ``likewise app`` opens it, in a SQLite database
and in this process: no browser. Some right answers are in the journal from the start,
one an act. Then questions are answered, every page is looked at, everything is exported
and the project is opened again. Prints seconds (medians where something is done often),
how long each stage of opening took, and the most memory that was ever in use.

``--sketched`` gives the project a graph that is found in a minute: the nearest among
those next to a sample in four orders, not among all. ``--again`` looks at no page: it
opens, asks, and opens again twice, with and without what is kept.

``--method none`` asks at random and clusters nothing, and takes a ring for the graph:
what is left is the share of the app.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import scipy.sparse as sp
from benchmarks.iteration import N_CLUSTERS
from benchmarks.piles import clouds
from fastapi.testclient import TestClient
from tests.app.places import Served, answered, new_id, served
from threadpoolctl import threadpool_limits

from likewise import Answer, Question, Verdict
from likewise._arrays import Floats, Indices, as_samples
from likewise.affinity import (
    N_EDGES,
    N_SHARES,
    Affinity,
    Neighbours,
    directed_weights,
    found_before,
)
from likewise.affinity._graph import local_scale, neighbour_graph
from likewise.app import PathSource, Preparation
from likewise.app._preparing import COMPARED
from likewise.items import Reading
from likewise.knowledge import Knowledge, Told
from likewise.methods import Method, Problem
from likewise.methods._base import Chances, Expectation
from likewise.storage import Project, keep_graph, kept_bytes, open_store

N_COLUMNS = 10  # of a table
SHOWN = 60  # items on a page
PAIRS = {"screens": "pairs"}  # what is answered here
UNKNOWN = (False, 0.5, (0.0, 1.0), (None, None))  # whether to stop, what is right
POLL = 0.1  # seconds between looks at a map that is being drawn
EXPORTS = ("csv", "jsonl", "parquet", "answers")


# A method that costs nothing


@dataclass(frozen=True)
class Nothing:
    """A model that knows the classes and works nothing out."""

    known: Knowledge
    labels: Indices
    confidence: Floats

    @property
    def expectation(self) -> Expectation:
        n_settled = len(self.known.constraints.group_of)
        return Expectation(0.5, 0.0, n_settled, *UNKNOWN)

    def chances(self, _: int) -> Chances:
        return Chances((), 1.0)


def nothing_of(y: Indices) -> Method[Nothing]:
    """Return a method that asks at random."""
    sure = np.random.default_rng(0).random(len(y))

    def begin(_: Problem, known: Knowledge, __: Any) -> Nothing:
        return Nothing(known, y, sure)

    def learn(model: Nothing, known: Knowledge, _: Answer) -> Nothing:
        return Nothing(known, model.labels, model.confidence)

    def propose(
        _: Nothing, known: Knowledge, rng: np.random.Generator, __: Any = ()
    ) -> Question:
        while True:
            i, j = map(int, rng.choice(known.n_samples, 2, shuffle=False))
            if i != j and known.constraints.relation(i, j) is None:
                return Question(i, j)

    return Method("none", "Asks at random.", begin, learn, propose)


def ring_of(X: Any) -> Affinity:
    """Return a graph in which each sample has two neighbours."""
    here = np.arange(len(X))
    there = (here + 1) % len(X)
    places = np.concatenate([here, there]), np.concatenate([there, here])
    ones = np.ones(2 * len(X), dtype=np.float32)
    W = sp.csr_array((ones, places), shape=(len(X), len(X)))
    return Affinity(W, W, lambda _, others: np.zeros(len(others)), np.asarray(X))


N_ORDERS, N_BESIDE = 4, 128  # in which neighbours are looked for, among so many


def sketched(X: Any, y: Indices) -> Affinity:
    """Return a graph of samples that are near, if not the nearest."""
    rng, n = np.random.default_rng(0), len(y)
    nearest = np.zeros((n, 0), dtype=np.int64), np.zeros((n, 0), dtype=np.float32)
    for order in range(N_ORDERS):
        along = X @ rng.normal(size=X.shape[1]).astype(X.dtype)
        places = np.lexsort((along, y if order else np.zeros(n)))
        nearest = _nearer(X, places, *nearest)
    indices, squared = nearest
    near = Neighbours(indices, np.sqrt(squared), recall=0.0)
    scale = local_scale(near)
    weights = neighbour_graph(X, near, scale, N_EDGES)
    return found_before(X, weights, directed_weights(near, scale), scale, 0.0)


def _nearer(X: Any, places: Indices, before: Any, squared: Any) -> tuple[Any, Any]:
    """Return the 20 nearest of those before and those beside in an order."""
    n = len(places)
    indices = np.zeros((n, N_SHARES), dtype=np.int64)
    found = np.full((n, N_SHARES), np.inf, dtype=np.float32)
    for start in range(0, n, N_BESIDE):
        here = places[max(min(start, n - N_BESIDE), 0) : start + N_BESIDE]
        rows, m = X[here], len(here)
        lengths = (rows**2).sum(1)
        apart = np.maximum(lengths[:, None] + lengths - 2 * rows @ rows.T, 0.0)
        np.fill_diagonal(apart, np.inf)
        beside = np.broadcast_to(here, (m, m))
        is_known = (beside[:, :, None] == before[here][:, None, :]).any(axis=2)
        apart[is_known] = np.inf
        both = np.hstack([beside, before[here]])
        gaps = np.hstack([apart, squared[here]])
        best = np.argsort(gaps, axis=1, kind="stable")[:, :N_SHARES]
        indices[here] = np.take_along_axis(both, best, axis=1)
        found[here] = np.take_along_axis(gaps, best, axis=1)
    return indices, found


# The pile


def pile(file: Path, n: int) -> Indices:
    """Write overlapping clouds as an array; return their classes."""
    X, y = clouds(n, n_clouds=N_CLUSTERS)
    np.save(file, X)
    return y


def written(array: Path, form: str) -> Path:
    """Return where the samples of an array are in another form."""
    if form == "npy":
        return array
    file, X = array.with_suffix(f".{form}"), np.load(array, mmap_mode="r")
    names = [f"column {at}" for at in range(N_COLUMNS)]
    if form == "csv":
        np.savetxt(
            file, X[:, :N_COLUMNS], "%.5g", ",", header=",".join(names), comments=""
        )
    else:
        import pyarrow as pa
        from pyarrow import parquet

        columns = np.asarray(X[:, :N_COLUMNS], dtype=np.float64).round(5).T
        parquet.write_table(pa.table(dict(zip(names, columns, strict=True))), file)
    return file


def recorded(project: Project, y: Indices, n: int) -> None:
    """Write right answers into a journal, one an act."""
    firsts = [int((y == c).argmax()) for c in range(N_CLUSTERS)]
    pairs = [(a, b) for at, a in enumerate(firsts) for b in firsts[:at]]
    some = np.setdiff1d(np.random.default_rng(1).permutation(len(y))[:n], firsts)
    pairs += [(s, firsts[y[s]]) for s in some.tolist()]
    for number, (i, j) in enumerate(pairs[:n], start=1):
        verdict = Verdict.SAME if y[i] == y[j] else Verdict.DIFFERENT
        told = Told((Answer(Question(i, j), verdict, number),))
        project.act(told, who="bob", now=0.0, client_id=new_id())


# Looking at it


@dataclass
class Stages:
    """When each stage of opening began."""

    begun: dict[str, float] = field(default_factory=dict)

    def watch(self, preparation: Preparation) -> None:
        told = preparation._watch

        def watch(done: int, total: int, note: str) -> None:
            self.begun.setdefault(note, time.perf_counter())
            told(done, total, note)

        preparation._watch = watch  # type: ignore[method-assign]

    def lasted(self) -> Iterator[tuple[str, float]]:
        ends = [*list(self.begun.values())[1:], time.perf_counter()]
        for (stage, begin), end in zip(self.begun.items(), ends, strict=True):
            yield stage, end - begin


def timed(work: Callable[[], Any], repeats: int = 1) -> float:
    """Return the seconds that some work takes, the median of several times."""
    took = []
    for _ in range(repeats):
        begun = time.perf_counter()
        work()
        took.append(time.perf_counter() - begun)
    return float(np.median(took))


def opened(here: Served) -> Iterator[tuple[str, float]]:
    """Open an app; yield how long it took, and each stage."""
    stages = Stages()
    stages.watch(here.preparation)
    yield "whole", timed(here.prepared)
    if COMPARED in stages.begun:
        begun = next(iter(stages.begun.values()))
        yield "to the first question, of a part", stages.begun[COMPARED] - begun
    for stage, seconds in stages.lasted():
        yield f"– {stage.lower()}", seconds


def looked_at(browser: TestClient, y: Indices, n: int) -> Iterator[tuple[str, float]]:
    """Answer, look at every page, export; yield what each took."""
    yield "first question", timed(lambda: got(browser, "/api/state"))
    yield "answer to next question", timed(lambda: answer(browser, y), n)
    yield "list of groups after an answer", timed(lambda: got(browser, "/groups"))
    yield "list of groups again", timed(lambda: got(browser, "/groups"), 3)
    item = got(browser, "/api/groups").json()["groups"][0]["id"]
    start = SHOWN * 100
    yield "one group", timed(lambda: got(browser, f"/groups/{item}"))
    yield "page 100 of it", timed(lambda: got(browser, f"/groups/{item}?start={start}"))
    yield "not placed", timed(lambda: got(browser, "/groups/not-placed"))
    far = f"/groups/not-placed?start={SHOWN * 1000}"
    yield "page 1000 of not placed", timed(lambda: got(browser, far))
    yield "history", timed(lambda: got(browser, "/history"))
    yield "undo", timed(lambda: undo(browser))
    yield "map, drawn", timed(lambda: drawn_map(browser))
    yield "map again", timed(lambda: drawn_map(browser), 3)
    for kind in EXPORTS:
        yield f"export {kind}", timed(lambda kind=kind: fetched(browser, kind))  # type: ignore[misc]


def got(browser: TestClient, address: str) -> Any:
    """Return a page that is there."""
    reply = browser.get(address)
    assert reply.status_code == 200, reply.text
    return reply


def answer(browser: TestClient, y: Indices) -> None:
    """Answer the present question rightly."""
    state = got(browser, "/api/state").json()
    pair = [state["question"][side]["item"] for side in ("sample", "against")]
    answered(browser, "same" if y[pair[0]] == y[pair[1]] else "different", state)


def undo(browser: TestClient) -> None:
    """Take back the last answer."""
    reply = browser.post("/api/undo", json={"client_id": new_id()})
    assert reply.status_code == 200, reply.text


def drawn_map(browser: TestClient) -> None:
    """Wait for the map."""
    while (reply := browser.get("/api/map")).status_code == 503:
        time.sleep(POLL)
    assert reply.status_code == 200, reply.text


def fetched(browser: TestClient, kind: str) -> None:
    """Read an export to its end, and keep nothing of it."""
    with browser.stream("GET", f"/export/{kind}") as reply:
        assert reply.status_code == 200
        for _ in reply.iter_raw():
            pass


def gigabytes() -> float:
    """Return the most memory that this process has had."""
    unit = 1e9 if sys.platform == "darwin" else 1e6
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def show(rows: Iterator[tuple[str, float]], prefix: str = "") -> None:
    """Print rows of the table as they come."""
    for name, seconds in rows:
        print(f"| {prefix}{name} | {seconds:.2f} |", flush=True)


def measure(folder: Path, given: argparse.Namespace) -> None:
    """Print the table."""
    y = pile(folder / "pile.npy", given.samples)
    file = written(folder / "pile.npy", given.form)
    source = PathSource(file, "auto", folder / "v", Reading())
    options: dict[str, Any] = {"method": given.method, "n_clusters": None}
    if given.method == "none":
        options |= {"method": nothing_of(y), "affinity": ring_of}
    project = open_store(folder / "pile.db").create("pile", PAIRS, now=0.0)
    recorded(project, y, given.answers)
    if given.sketched:
        X = as_samples(np.load(folder / "pile.npy"))
        seconds = timed(lambda: keep_graph(project, sketched(X, y)))
        print(f"The graph was sketched in {seconds:.0f} s.\n")
    before = gigabytes()
    here = served(folder, source, project=project, options=options)
    print("| | seconds |\n|---|---|")
    show(opened(here), "open cold: ")
    if given.again:
        del here
        opened_again(folder, source, project, options)
        return
    show(looked_at(here.seat(), y, given.questions))
    del here
    show(
        opened(served(folder, source, project=project, options=options)), "open again: "
    )
    size = (folder / "pile.db").stat().st_size / 1e9
    print(f"\nPeak memory {gigabytes():.2f} GB ({before:.2f} before), ", end="")
    print(f"database {size:.2f} GB.")


def opened_again(
    folder: Path, source: PathSource, project: Project, options: dict[str, Any]
) -> None:
    """Print what opening takes with what is kept, and how much that is."""
    for _ in range(2):
        begun = time.process_time()
        here = served(folder, source, project=project, options=options)
        show(opened(here), "open again: ")
        asked = partial(got, here.seat(), "/api/state")
        show(iter([("first question", timed(asked))]))
        took = time.process_time() - begun
        show(iter([("processor, from open again to the question", took)]))
    size = kept_bytes(folder) / 1e9
    print(f"\nPeak memory {gigabytes():.2f} GB, kept beside the project {size:.2f} GB.")


def main() -> None:
    """Make a pile, open it, look, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=100_000)
    parser.add_argument("--answers", type=int, default=0)
    parser.add_argument("--questions", type=int, default=20)
    parser.add_argument("--method", default="likewise")
    parser.add_argument("--form", choices=("npy", "csv", "parquet"), default="npy")
    parser.add_argument("--sketched", action="store_true")
    parser.add_argument("--again", action="store_true")
    given = parser.parse_args()
    print(f"{given.samples:,} samples, {given.answers:,} answers, {given.method}.\n")
    with TemporaryDirectory() as place, threadpool_limits(1):
        measure(Path(place), given)
    print(f"\nLoad {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores.")


if __name__ == "__main__":
    main()
