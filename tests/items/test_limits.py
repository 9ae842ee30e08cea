"""What is damaged or too large is one sentence, and is not read."""

from __future__ import annotations

import io
import os
import pickle
import socket
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.items.damaged import inflated, is_a_sentence, mutations, outcome, valid

from likewise.errors import InputError
from likewise.items import Reading, gather, read_table
from likewise.items._limits import free_memory

ROOT = Path(__file__).parents[2]
PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 9
VALID = valid()
SLOW = (".parquet", ".xlsx")


def saved(array: Any, **options: Any) -> bytes:
    file = io.BytesIO()
    np.save(file, array, **options)
    return file.getvalue()


def headed(shape: str, kind: str = "<f8", body: bytes = bytes(800)) -> bytes:
    """Return an array whose first bytes say what they are told to."""
    words = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}\n"
    head = words.encode("latin1")
    return b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head + body


def archived(**members: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in members.items():
            archive.writestr(f"{name}.npy", content)
    return file.getvalue()


def encrypted() -> bytes:
    """Return an archive of which it says that it has a password."""
    content = bytearray(archived(X=saved(np.eye(3))))
    for mark, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.index(mark) + flags] |= 1
    return bytes(content)


def parquet_of(**columns: Any) -> bytes:
    import pyarrow as pa
    from pyarrow import parquet

    file = io.BytesIO()
    parquet.write_table(pa.table(columns), file)
    return file.getvalue()


class Trap:
    """Whoever unpickles it has run something."""

    def __reduce__(self) -> tuple[Callable[[str], Any], tuple[str]]:
        return os.mkdir, ("run",)


BAD: dict[str, tuple[str, Callable[[], bytes], str]] = {
    "empty npy": ("x.npy", bytes, "no array of numbers, or damaged"),
    "npz named npy": ("x.npy", lambda: VALID[".npz"], "or damaged"),
    "text named npy": ("x.npy", lambda: b"1,2,3\n", "or damaged"),
    "a pickle": ("x.npy", lambda: pickle.dumps(Trap()), "or damaged"),
    "objects": (
        "x.npy",
        lambda: saved(np.array([Trap()]), allow_pickle=True),
        "no array of numbers, but of the kind object",
    ),
    "cut off npy": ("x.npy", lambda: VALID[".npy"][:-9], "or damaged"),
    "cut off header": ("x.npy", lambda: VALID[".npy"][:30], "or damaged"),
    "enormous shape": ("x.npy", lambda: headed("(10**9, 512)"), "or damaged"),
    "enormous numbers": (
        "x.npy",
        lambda: headed("(99999999999, 99999999999)"),
        "or damaged",
    ),
    "negative shape": ("x.npy", lambda: headed("(-5, 3)"), "or damaged"),
    "both negative": ("x.npy", lambda: headed("(-5, -3)"), "or damaged"),
    "no samples": ("x.npy", lambda: saved(np.empty((0, 3))), "without samples"),
    "no features": ("x.npy", lambda: saved(np.empty((3, 0))), "without samples"),
    "records": ("x.npy", lambda: saved(np.zeros(3, "f8,i4")), "no array of numbers"),
    "dates": ("x.npy", lambda: saved(np.zeros((2, 2), "M8[s]")), "no array of numbers"),
    "complex": ("x.npy", lambda: saved(np.eye(3) * 1j), "Complex"),
    "words": ("x.npy", lambda: saved(np.array([["a", "b"]])), "not numbers"),
    "NaN only": ("x.npy", lambda: saved(np.full((3, 3), np.nan)), "NaN"),
    "infinity": ("x.npy", lambda: saved(np.full((3, 3), np.inf)), "infinity"),
    "text named npz": ("x.npz", lambda: b"PK, it says", "or damaged"),
    "npy named npz": ("x.npz", lambda: VALID[".npy"], "or damaged"),
    "cut off npz": ("x.npz", lambda: VALID[".npz"][:-40], "or damaged"),
    "an encrypted npz": ("x.npz", encrypted, "is encrypted"),
    "objects in npz": (
        "x.npz",
        lambda: archived(X=saved(np.array([Trap()]), allow_pickle=True)),
        "of the kind object",
    ),
    "an archive in npz": ("x.npz", lambda: archived(X=VALID[".npz"]), "or damaged"),
    "too few classes": (
        "x.npz",
        lambda: archived(X=saved(np.eye(3)), y=saved(np.arange(2))),
        "3 samples X, but 2 classes y",
    ),
    "an npz that inflates": (
        "x.npz",
        lambda: inflated(4000, 100_000, 3_200_000_128),
        "would unpack to 3.2 GB",
    ),
    "text named parquet": ("x.parquet", lambda: b"PAR1 or so", "or damaged"),
    "cut off parquet": ("x.parquet", lambda: VALID[".parquet"][:-40], "or damaged"),
    "parquet without rows": ("x.parquet", lambda: parquet_of(a=[]), "has no rows"),
    "parquet without columns": ("x.parquet", parquet_of, "has no rows"),
    "a picture named csv": ("x.csv", lambda: PICTURE, "x.csv is no table"),
    "nothing but blanks": ("x.csv", lambda: b"\n \n\n", "x.csv is empty"),
    "an archive named csv": ("x.csv", lambda: VALID[".npz"], "x.csv is no table"),
    "only a header": ("x.csv", lambda: b"a,b\n", "has a header but no rows"),
    "text named xlsx": ("x.xlsx", lambda: b"PK, it says", "no workbook, or damaged"),
    "cut off xlsx": ("x.xlsx", lambda: VALID[".xlsx"][:-60], "or damaged"),
    "text named sqlite": ("x.db", lambda: b"a,b\n1,2\n", "or damaged"),
    "a database of nothing": ("x.db", bytes, "x.db holds no table"),
    "no JSON": ("x.json", lambda: b"{", "x.json is no JSON, or damaged"),
    "no records": ("x.jsonl", lambda: b"no\nJSON\n", "x.jsonl holds no records"),
    "NUL in a text": ("x.txt", lambda: b"a\0b\nc\n", "holds a NUL"),
}


@pytest.mark.parametrize(("name", "content", "words"), BAD.values(), ids=BAD)
def test_what_cannot_be_used_is_one_sentence(
    name: str,
    content: Callable[[], bytes],
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / name
    path.write_bytes(content())

    with pytest.raises(InputError) as caught:
        gather(path)

    assert words in str(caught.value)
    assert is_a_sentence(str(caught.value))
    assert not (tmp_path / "run").exists()  # nothing was unpickled


GOOD: dict[str, tuple[str, Callable[[], bytes], list[list[float]]]] = {
    "a mark of UTF-8": ("x.csv", lambda: b"\xef\xbb\xbfa\n1\n2\n", [[1], [2]]),
    "mixed ends of lines": ("x.csv", lambda: b"a\r\n1\r2\n\r\n3", [[1], [2], [3]]),
    "one row": ("x.csv", lambda: b"a,b\n1,2", [[1, 2]]),
    "a line within quotes": ("x.csv", lambda: b'a,b\n1,"x\ny"\n', [[1, 1]]),
    "whole numbers": (
        "x.npy",
        lambda: saved(np.arange(4).reshape(2, 2)),
        [[0, 1], [2, 3]],
    ),
    "columns first": (
        "x.npy",
        lambda: saved(np.asfortranarray(np.eye(2))),
        [[1, 0], [0, 1]],
    ),
    "numbers as text": ("x.npy", lambda: saved(np.array([["1", "2.5"]])), [[1, 2.5]]),
    "repeated words": (
        "x.parquet",
        lambda: parquet_of(a=["x", "y", "x"], b=[1, 2, 3]),
        [[1, 0, 1], [0, 1, 2], [1, 0, 3]],
    ),
}


@pytest.mark.parametrize(("name", "content", "X"), GOOD.values(), ids=GOOD)
def test_what_is_only_unusual_is_read(
    name: str, content: Callable[[], bytes], X: list[list[float]], tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(content())

    assert read_table(tmp_path / name, Reading(scale=False)).X.tolist() == X


@settings(deadline=None)
@given(
    st.sampled_from([suffix for suffix in VALID if suffix not in SLOW]),
    st.integers(0, 10**6),
)
def test_a_damaged_file_is_read_or_refused_in_one_sentence(
    suffix: str, seed: int
) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"x{suffix}"
        for content in mutations(VALID[suffix], seed, 3):
            path.write_bytes(content)
            found = outcome(path)
            assert found == "works" or is_a_sentence(found)


@pytest.mark.slow
@pytest.mark.parametrize("suffix", VALID)
def test_no_damage_takes_much_memory(suffix: str) -> None:
    words = [sys.executable, "-m", "tests.items.damaged", suffix, "7", "600"]
    done = subprocess.run(
        [*words, str(3 * 10**9)], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 0  # some are read


# What does not fit


def limited(code: str, memory: int, *words: str) -> str:
    """Return what code prints that may not take more memory."""
    before = (
        "import resource, sys, warnings\nimport numpy as np\nfrom pathlib import Path\n"
        "from likewise.errors import InputError\n"
        "from likewise.items import Reading, gather, read_table\n"
        "import pyarrow.parquet\n"
        "path = Path(sys.argv[1])\n"
        f"resource.setrlimit(resource.RLIMIT_AS, ({memory}, {memory}))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", before + code, *words],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


REFUSED = """
try:
    gather(path)
except InputError as error:
    print(error)
"""


@pytest.mark.slow
def test_an_archive_is_not_unpacked_before_its_size_is_known(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive,
        archive.open("X.npy", "w", force_zip64=True) as file,
    ):
        shape = {"descr": "<f8", "fortran_order": False, "shape": (150_000, 1000)}
        np.lib.format.write_array_header_1_0(file, shape)
        for _ in range(1200):
            file.write(bytes(1_000_000))
    assert path.stat().st_size < 1_500_000

    said = limited(REFUSED, 3_000_000_000, str(path))

    assert "would unpack to 1.2 GB" in said
    assert "numpy.savez" in said


def test_a_claim_of_more_rows_than_fit_is_refused(tmp_path: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    path = tmp_path / "x.parquet"
    constant = pa.array(np.zeros(5_000_000))
    parquet.write_table(pa.table({"a": constant, "b": constant}), path)
    assert path.stat().st_size < 100_000

    said = limited(REFUSED, 1_200_000_000, str(path))

    assert said.startswith("x.parquet needs 1 GB of memory, but only ")
    assert "LIKEWISE_MEMORY" in said


def test_a_text_that_stands_for_many_is_counted_as_often(tmp_path: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    path = tmp_path / "x.parquet"
    words = pa.DictionaryArray.from_arrays(
        pa.array(np.arange(20_000) % 2, pa.int32()), ["x" * 500_000, "y"]
    )
    parquet.write_table(pa.table({"word": words}), path, store_schema=False)
    assert path.stat().st_size < 100_000

    said = limited(REFUSED, 2_000_000_000, str(path))

    assert said.startswith("x.parquet needs 2.5 GB of memory")


def test_a_line_without_an_end_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    with path.open("wb") as file:
        file.write(b"a,b\n")
        file.truncate(3_000_000_000)  # zeros, none of which is on the disk

    said = limited(REFUSED, 1_500_000_000, str(path))

    assert said.startswith("Line 2 of x.csv has more than 50,000,000 characters")


def test_an_array_with_holes_is_not_copied_unless_it_fits(tmp_path: Path) -> None:
    path = tmp_path / "x.npy"
    path.write_bytes(headed("(19_000, 60_000)".replace("_", ""), "|i1", b""))
    os.truncate(path, path.stat().st_size + 19_000 * 60_000)

    said = limited(REFUSED, 3_000_000_000, str(path))

    assert said.startswith("x.npy needs 9.12 GB of memory")


def test_a_table_that_fits_not_is_refused_while_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LIKEWISE_MEMORY", "0.001")
    path = tmp_path / "x.csv"
    path.write_text("a,b\n" + "1,2\n" * 20_000)

    with pytest.raises(InputError, match=r"needs .* but only 1 MB are free: write its"):
        gather(path)


def test_how_much_a_file_may_take_can_be_said(monkeypatch: pytest.MonkeyPatch) -> None:
    assert free_memory() > 0
    monkeypatch.setenv("LIKEWISE_MEMORY", "2.5")
    assert free_memory() == 2_500_000_000
    monkeypatch.setenv("LIKEWISE_MEMORY", "much")
    with pytest.raises(InputError, match="a number of GB"):
        free_memory()


@pytest.mark.slow
def test_a_million_rows_of_an_array_stay_on_the_disk(tmp_path: Path) -> None:
    path = tmp_path / "x.npy"
    path.write_bytes(headed("(1000000, 512)", "<f4", b""))
    os.truncate(path, path.stat().st_size + 1_000_000 * 512 * 4)
    code = "found = read_table(path, Reading()).X\n"
    code += "print(type(found).__name__, found.shape)"

    assert limited(code, 4_000_000_000, str(path)) == "memmap (1000000, 512)\n"


# What is no file


def test_a_pipe_a_socket_and_a_device_are_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "device.csv").symlink_to("/dev/zero")
    (tmp_path / "circle.csv").symlink_to(tmp_path / "circle.csv")
    (tmp_path / "folder.csv").mkdir()
    with socket.socket(socket.AF_UNIX) as there:
        monkeypatch.chdir(tmp_path)  # the name of a socket is short
        there.bind("socket.csv")
        said = dict.fromkeys(("pipe", "socket", "device"), "is no ordinary file")
        for name, found in (said | {"folder": "is a folder: name a file"}).items():
            with pytest.raises(InputError, match=found):
                read_table(tmp_path / f"{name}.csv", Reading())
    for name in ("x" * 5000 + ".csv", "circle.csv", "x\0y.csv"):
        with pytest.raises(InputError, match=r"\.$"):
            read_table(tmp_path / name, Reading())
        with pytest.raises(InputError, match=r"\.$"):
            gather(tmp_path / name)
