"""A journal in a text file: of one set of samples, by one writer."""

from __future__ import annotations

import gc
import json
import random
import subprocess
import sys
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from tests.e2e.running import warm_context

from likewise import (
    Answer,
    InputError,
    LabelOracle,
    Question,
    Session,
    Verdict,
    run,
)
from likewise._arrays import Floats
from likewise.errors import StaleError, StorageError
from likewise.knowledge import Renamed, Told, told_in
from likewise.storage import JsonLinesJournal
from likewise.storage._lines import Fingerprint

OAK, ELM = Renamed(0, "oak"), Renamed(1, "elm")
TOLD = Told((Answer(Question(3, 1), Verdict.SAME, 1),))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "answers.jsonl"


def samples(n: int = 30, seed: int = 0) -> Floats:
    return np.random.default_rng(seed).normal(size=(n, 3)) * [1.0, 1e3, 1e-6]


def begun(path: Path, X: Floats, n: int = 5) -> Session:
    session = Session(X, n_clusters=2, journal=JsonLinesJournal(path))
    truth = [int(x > 0) for x in X[:, 0]]
    for _ in run(session, LabelOracle(truth), n):
        pass
    return session


# Its lines


def test_a_line_cut_off_by_a_crash_is_left_out_and_written_over(path: Path) -> None:
    JsonLinesJournal(path).append(TOLD)
    with path.open("ab") as file:
        file.write(b'{"told": [{"id"')

    journal = JsonLinesJournal(path)

    assert list(journal.read()) == [TOLD]
    journal.append(OAK)
    assert list(journal.read()) == [TOLD, OAK]


@pytest.mark.parametrize(
    "line",
    [
        "hello",
        "3",
        '{"sung": 1}',
        '{"told": [{}]}',
        '{"likewise": 2}',
        "[" * 100_000,
        '{"renamed": "3", "name": "oak"}',
        '{"renamed": true, "name": "oak"}',
        '{"renamed": -1, "name": "oak"}',
        '{"renamed": 30, "name": "oak"}',
        '{"set_aside": 30, "aside": true}',
        '{"numbered": [[1, 30]]}',
        '{"undone": 1}',
        '{"undone": -1}',
        '{"retracted": [2]}',
        '{"kept": [0]}',
        '{"told": [{"id": 1, "sample": 0, "against": 1, "verdict": "same", '
        '"how": "told", "predicted": null}]}',
        '{"told": [{"id": 2, "sample": 0, "against": 30, "verdict": "same", '
        '"how": "told", "predicted": null}]}',
    ],
)
def test_a_line_that_cannot_be_is_named(path: Path, line: str) -> None:
    journal = JsonLinesJournal(path)
    journal.append(TOLD)
    journal.close()
    path.write_text(f"{path.read_text()}{line}\n")

    with pytest.raises(InputError, match=r"^Line 2 of .*\.$"):
        Session(samples(), journal=JsonLinesJournal(path))


# Its samples


def test_the_first_line_says_which_samples_it_is_of(path: Path) -> None:
    begun(path, samples())

    first = json.loads(path.read_text().splitlines()[0])

    assert (first["samples"], first["features"]) == (30, 3)
    assert len(first["digest"]) > 0


def changed(X: Floats, at: tuple[int, int], by: float) -> Floats:
    changed = X.copy()
    changed[at] += by
    return changed


@pytest.mark.parametrize(
    "other",
    [
        samples(seed=1),
        samples()[::-1],
        samples()[[1, 0, *range(2, 30)]],
        samples()[:29],
        samples()[:, :2],
        samples()[:, [0, 2, 1]],
        changed(samples(), (7, 2), 1e-7),
    ],
    ids=["others", "turned", "two exchanged", "fewer", "narrower", "columns", "one"],
)
def test_other_samples_are_refused_and_nothing_is_written(
    path: Path, other: Floats
) -> None:
    begun(path, samples())
    before = path.read_bytes()

    with pytest.raises(InputError, match=r"holds answers about other samples .*\.$"):
        Session(other, n_clusters=2, journal=JsonLinesJournal(path))

    assert path.read_bytes() == before


def test_the_same_samples_go_on(path: Path) -> None:
    session = begun(path, samples())
    n_lines = len(path.read_text().splitlines())

    rounded = samples() * (1 + 1e-9 * np.random.default_rng(3).normal(size=(30, 3)))
    resumed = Session(rounded, n_clusters=2, journal=JsonLinesJournal(path))

    assert resumed.history == session.history
    del session
    gc.collect()
    resumed.tell(resumed.ask(), "unsure")  # type: ignore[arg-type]
    assert len(path.read_text().splitlines()) == n_lines + 1


def test_more_samples_behind_them_go_on_and_are_noted(path: Path) -> None:
    begun(path, samples())
    gc.collect()
    more = np.vstack([samples(), samples(4, seed=5)])

    session = Session(more, n_clusters=2, journal=JsonLinesJournal(path))
    session.tell_pair(32, 33, "same")

    with pytest.raises(InputError, match="34 x 3"):
        Session(samples(), n_clusters=2, journal=JsonLinesJournal(path))


def test_samples_that_a_session_adds_are_noted(path: Path) -> None:
    session = begun(path, samples())
    session.add(samples(4, seed=5))
    session.tell_pair(32, 33, "same")

    more = np.vstack([samples(), samples(4, seed=5)])
    resumed = Session(more, n_clusters=2, journal=JsonLinesJournal(path))

    assert resumed.history == session.history


def test_similarities_are_known_too(path: Path) -> None:
    W = np.exp(-np.abs(np.subtract.outer(np.arange(9.0), np.arange(9.0))))
    first = Session(W[:8, :8], affinity="precomputed", journal=JsonLinesJournal(path))
    first.tell_pair(0, 1, "same")

    grown = Session(W, affinity="precomputed", journal=JsonLinesJournal(path))

    assert grown.history == first.history
    with pytest.raises(InputError, match="other samples"):
        Session(W[:8, :8] ** 2, affinity="precomputed", journal=JsonLinesJournal(path))


def test_samples_that_are_no_numbers_are_known_by_their_similarities(
    path: Path,
) -> None:
    def alike(words: list[str]) -> Floats:
        return np.array([[float(a[0] == b[0]) for b in words] for a in words])

    words = ["oak", "olive", "elm", "elder"]
    first = Session(words, affinity=alike, journal=JsonLinesJournal(path))
    first.tell_pair(0, 1, "same")

    again = Session(words, affinity=alike, journal=JsonLinesJournal(path))

    assert again.history == first.history


def test_a_journal_without_a_first_line_goes_on_and_gains_one(path: Path) -> None:
    JsonLinesJournal(path).append(TOLD)
    assert "digest" not in path.read_text()

    session = Session(samples(), journal=JsonLinesJournal(path))
    session.rename(0, "oak")

    assert len(session.history) == 1
    with pytest.raises(InputError, match="other samples"):
        Session(samples(seed=1), journal=JsonLinesJournal(path))


@given(st.integers(2, 40), st.integers(1, 6), st.integers(0, 2**32 - 1), st.booleans())
def test_a_fingerprint_knows_first_samples_dense_or_sparse(
    n: int, d: int, seed: int, is_sparse: bool
) -> None:
    X = np.random.default_rng(seed).normal(size=(n, d))
    X[np.abs(X) < 0.3] = 0.0
    form = sp.csr_array if is_sparse else np.asarray

    mark = Fingerprint.of(form(X[: n - 1]))

    assert mark.is_of_first(X)
    assert Fingerprint.read(json.loads(json.dumps(mark.line))) == mark
    assert not Fingerprint.of(X).is_of_first(X[: n - 1])


def test_a_fingerprint_does_not_depend_on_how_large_the_numbers_are() -> None:
    X = samples()
    huge = X * [1e300, 1.0, 1e-290]

    assert np.isfinite(Fingerprint.of(huge).sums).all()
    assert Fingerprint.of(huge).is_of_first(huge)
    assert Fingerprint.of(np.zeros((3, 2))).is_of_first(np.zeros((4, 2)))


# Its writer


def test_a_second_writer_is_refused(path: Path) -> None:
    first = begun(path, samples())
    second = Session(samples(), n_clusters=2, journal=JsonLinesJournal(path))
    before = path.read_bytes()

    with pytest.raises(InputError, match=r"^Another session writes to .*\.$"):
        second.tell_pair(0, 1, "unsure")

    assert path.read_bytes() == before
    first.tell_pair(0, 1, "unsure")


def test_who_has_read_less_than_there_is_writes_nothing(path: Path) -> None:
    first = begun(path, samples(), 2)
    second = Session(samples(), n_clusters=2, journal=JsonLinesJournal(path))
    first.tell_pair(0, 1, "unsure")
    del first
    gc.collect()
    before = path.read_bytes()

    with pytest.raises(StaleError, match="open the session again"):
        second.tell_pair(0, 2, "unsure")

    assert path.read_bytes() == before


@pytest.mark.parametrize("trouble", ["removed", "exchanged", "written"])
def test_a_file_that_changes_under_a_session_is_noticed(
    path: Path, trouble: str
) -> None:
    session = begun(path, samples(), 2)
    if trouble == "written":
        path.write_bytes(path.read_bytes() + b"{}\n")
    else:
        content = path.read_bytes()
        path.unlink()
        if trouble == "exchanged":
            path.write_bytes(content)

    with pytest.raises(StaleError, match="nothing was recorded"):
        session.tell_pair(0, 1, "unsure")


def test_a_file_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    session = Session(samples(), journal=JsonLinesJournal(tmp_path / "no" / "a.jsonl"))

    with pytest.raises(StorageError, match=r"cannot be written .*\.$"):
        session.tell_pair(0, 1, "same")


def test_closing_lets_others_write(path: Path) -> None:
    first, second = JsonLinesJournal(path), JsonLinesJournal(path)
    first.append(OAK)
    first.close()

    second.append(ELM)

    assert list(second.read()) == [OAK, ELM]


WRITING = """
import sys
from likewise.errors import LikewiseError
from likewise.knowledge import Answer, Question, Told, Verdict
from likewise.storage import JsonLinesJournal

journal = JsonLinesJournal(sys.argv[1])
n = len(list(journal.read()))
print("read", flush=True)
sys.stdin.readline()
try:
    for id_ in range(n + 1, n + 41):
        journal.append(Told((Answer(Question(0, id_), Verdict.SAME, id_),)))
    print("written", flush=True)
except LikewiseError as error:
    print(type(error).__name__, flush=True)
sys.stdin.readline()
"""


def test_of_two_processes_one_writes(path: Path) -> None:
    """Both have read the file before either writes, and write at once."""
    command = [sys.executable, "-c", WRITING, str(path)]
    processes = [
        subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    try:
        said = []
        for process in processes:
            assert process.stdout is not None
            assert process.stdout.readline() == "read\n"
        for process in processes:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        for process in processes:
            assert process.stdout is not None
            said.append(process.stdout.readline().strip())
    finally:
        for process in processes:
            process.communicate("end\n", timeout=60)

    lines = path.read_text().splitlines()
    ids = [json.loads(line)["told"][0]["id"] for line in lines]
    assert sorted(said)[1] == "written"
    assert sorted(said)[0] in ("InputError", "StaleError")
    assert ids == list(range(1, 41))


def write_on(path: Path, out: Connection) -> None:
    """Write answers, and say after each that it is on disk."""
    journal = JsonLinesJournal(path)
    n = len(list(journal.read()))
    while True:
        n += 1
        journal.append(Told((Answer(Question(0, n), Verdict.SAME, n),)))
        out.send(n)


@pytest.mark.parametrize(
    "n_kills", [4, pytest.param(100, marks=pytest.mark.slow)], ids=["some", "many"]
)
def test_a_writer_that_is_killed_loses_nothing(
    path: Path, seed: int, n_kills: int
) -> None:
    rng, context = random.Random(seed), warm_context()
    told = 0
    for _ in range(n_kills):
        reader, writer = Pipe(duplex=False)
        process = context.Process(  # type: ignore[attr-defined]
            target=write_on, args=(path, writer), daemon=True
        )
        process.start()
        writer.close()
        for _ in range(rng.randint(1, 9)):
            told = reader.recv()
        process.kill()
        process.join()
        while reader.poll():
            try:
                told = reader.recv()
            except EOFError:
                break
        events = list(JsonLinesJournal(path).read())
        assert [answer.id for told_ in events for answer in told_in(told_)] == list(
            range(1, len(events) + 1)
        )
        assert told <= len(events) <= told + 1
        if rng.random() < 1 / 2:  # a line that was cut off with its last words
            with path.open("ab") as file:
                file.write(b'{"told": [{"id": 3, "sam'[: rng.randint(1, 24)])


def test_a_full_disk_leaves_whole_lines(path: Path) -> None:
    resource = pytest.importorskip("resource")
    journal = JsonLinesJournal(path)
    journal.append(OAK)
    before = path.read_bytes()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 5, limits[1]))
    try:
        with pytest.raises(StorageError, match="cannot be written"):
            journal.append(ELM)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)

    assert path.read_bytes() == before
    journal.append(ELM)
    assert list(journal.read()) == [OAK, ELM]
