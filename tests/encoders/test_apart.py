"""Pictures are opened elsewhere: two at a time, under limits, whatever they do."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import time
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pytest
from PIL import Image
from tests.generated import chunk, left_half_red, noise, packed

from likewise.encoders import (
    _apart,
    open_ordinary,
    open_picture,
    picture_apart,
    thumbnail,
    thumbnail_apart,
)
from likewise.encoders._apart import Processes
from likewise.errors import UnreadableFileError

KINDS = ["JPEG", "PNG", "WEBP", "GIF", "BMP", "TIFF"]
ASKED = {"what": "picture", "name": "cat.png", "edge": 64}


@pytest.mark.parametrize("kind", KINDS)
def test_a_picture_is_the_same_wherever_it_is_opened(kind: str, tmp_path: Path) -> None:
    content = packed(noise((90, 70)), kind)
    path = tmp_path / "cat"
    path.write_bytes(content)

    there, here = picture_apart(content, "cat"), open_picture(content)

    np.testing.assert_array_equal(np.asarray(there), np.asarray(here))
    assert thumbnail_apart(path, 40) == thumbnail(path, 40)


def test_what_is_no_picture_is_said_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "cat.png").write_bytes(b"<html>")

    with pytest.raises(UnreadableFileError, match=r"^album/cat\.png is no JPEG"):
        picture_apart(b"<html>", "album/cat.png")
    with pytest.raises(UnreadableFileError, match=r"^cat\.png is no JPEG"):
        thumbnail_apart(tmp_path / "cat.png", 40)


def test_a_picture_that_needs_too_much_memory_is_named_and_the_next_is_opened() -> None:
    large = packed(Image.new("RGBA", (5000, 4000)))
    processes = Processes(n=1, memory=60_000_000)

    with pytest.raises(UnreadableFileError, match=r"^cat\.png takes more memory"):
        processes.ask(ASKED, large)
    words, _ = processes.ask(ASKED, packed(left_half_red()))

    assert words["size"] == [64, 32]
    processes.end()


def test_there_are_never_more_processes_than_allowed() -> None:
    processes = Processes(n=2)
    content = packed(noise())

    with ThreadPoolExecutor(8) as pool:
        done = list(pool.map(lambda _: processes.ask(ASKED, content), range(16)))
        n_processes = len(processes.ids)

    assert len({pixels for _, pixels in done}) == 1
    assert 1 <= n_processes <= 2
    processes.end()
    assert processes.ids == []


def test_a_process_that_dies_is_replaced() -> None:
    processes = Processes(n=1)
    processes.ask(ASKED, packed(noise()))
    (first,) = processes.ids

    os.kill(first, signal.SIGKILL)
    words, _ = processes.ask(ASKED, packed(noise()))

    assert words["size"] == [40, 30]
    assert processes.ids != [first]
    processes.end()


def test_a_picture_that_takes_too_long_is_named() -> None:
    processes = Processes(n=1, seconds=0.0)

    with pytest.raises(UnreadableFileError, match=r"^cat\.png takes more than 0 sec"):
        processes.ask(ASKED, packed(noise()))
    assert processes.ids == []


def test_who_asks_for_what_is_being_made_waits_for_it() -> None:
    begun, go_on, made = Event(), Event(), []

    def make() -> bytes:
        begun.set()
        go_on.wait(60)
        made.append(1)
        return b"a picture"

    with ThreadPoolExecutor(10) as pool:
        replies = [pool.submit(_apart._shared, ("cat", 1, 1), make)]
        begun.wait(60)
        (future,) = _apart._being_made.values()
        replies += [pool.submit(_apart._shared, ("cat", 1, 1), make) for _ in range(9)]
        while len(future._condition._waiters) < 9:  # type: ignore[attr-defined]
            time.sleep(0.01)
        go_on.set()

    assert {reply.result() for reply in replies} == {b"a picture"}
    assert made == [1]
    assert _apart._being_made == {}


def test_an_error_reaches_all_who_wait(tmp_path: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(thumbnail_apart, tmp_path / "no.png", 9) for _ in "abcd"]

    for one in asked:
        with pytest.raises(UnreadableFileError, match=r"^no\.png cannot be read"):
            one.result()


ORPHAN = """
import os, signal
from tests.generated import noise, packed
from likewise.encoders import _apart, picture_apart
picture_apart(packed(noise()))
print(*_apart._processes.ids, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs /proc")
def test_no_process_outlives_the_one_that_needs_it() -> None:
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", ORPHAN], capture_output=True, text=True, cwd=root
    )
    (left,) = map(int, done.stdout.split())

    for _ in range(600):
        status = Path(f"/proc/{left}/status")
        if not status.exists() or "State:\tZ" in status.read_text():
            return
        time.sleep(0.05)
    pytest.fail("it still runs")


def test_a_child_that_is_forked_has_processes_of_its_own() -> None:
    picture_apart(packed(noise()))
    child = (
        "import os, sys\n"
        "from tests.generated import noise, packed\n"
        "from likewise.encoders import picture_apart\n"
        "size = picture_apart(packed(noise())).size\n"
        "pid = os.fork()\n"
        "ok = picture_apart(packed(noise())).size == size\n"
        "if not pid: os._exit(0 if ok else 1)\n"
        "sys.exit(os.waitpid(pid, 0)[1] or not ok)\n"
    )
    root = Path(__file__).parents[2]

    assert subprocess.run([sys.executable, "-c", child], cwd=root).returncode == 0


def test_a_module_in_the_users_folder_is_not_run(tmp_path: Path) -> None:
    (tmp_path / "PIL.py").write_text("open('run', 'w')")
    (tmp_path / "numpy.py").write_text("open('run', 'w')")
    code = (
        "import sys; sys.path.pop(0)\n"
        "from likewise.encoders import picture_apart\n"
        f"picture_apart({packed(noise())!r})\n"
    )

    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)

    assert not (tmp_path / "run").exists()


# Files that are larger than they look


def with_chunk(name: bytes, content: bytes) -> bytes:
    plain = packed(noise())
    at = plain.index(b"IDAT") - 4
    return plain[:at] + chunk(name, content) + plain[at:]


@pytest.mark.parametrize(
    ("name", "before"),
    [(b"zTXt", b"words\0\0"), (b"iCCP", b"profile\0\0"), (b"iTXt", b"a\0\1\0\0\0")],
)
def test_words_beside_the_pixels_unpack_to_little(name: bytes, before: bytes) -> None:
    content = with_chunk(name, before + zlib.compress(bytes(150_000_000), 1))
    processes = Processes(n=1, memory=100_000_000)

    try:
        words, _ = processes.ask(ASKED, content)
        assert words["size"] == [40, 30]
    except UnreadableFileError as error:
        assert str(error).endswith(".")  # noqa: PT017 - both ends are fine
    processes.end()


def test_of_many_frames_one_is_unpacked() -> None:
    frames = [Image.new("L", (1500, 1500), shade) for shade in range(40)]
    moving = packed(frames[0], "GIF", save_all=True, append_images=frames[1:])
    processes = Processes(n=1, memory=60_000_000)

    words, _ = processes.ask(ASKED, moving)

    assert words["size"] == [64, 64]
    processes.end()


@pytest.mark.parametrize("kind", ["WEBP", "TIFF", "PNG", "BMP"])
def test_the_pixels_are_counted_before_they_are_unpacked(kind: str) -> None:
    file = io.BytesIO()
    options: dict[str, dict[str, Any]] = {
        "TIFF": {"compression": "tiff_lzw"},
        "WEBP": {"lossless": True},
    }
    Image.new("1" if kind != "WEBP" else "RGB", (16_000, 6_000)).save(
        file, kind, **options.get(kind, {"compress_level": 9})
    )
    processes = Processes(n=1, memory=900_000_000)

    with pytest.raises(UnreadableFileError, match="more than 89,478,485 pixels"):
        processes.ask(ASKED, file.getvalue())
    processes.end()


def test_a_pipe_is_not_opened_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "cat.png")

    with pytest.raises(OSError, match="No ordinary file"):
        open_ordinary(tmp_path / "cat.png")
    with pytest.raises(UnreadableFileError, match="No ordinary file"):
        thumbnail_apart(tmp_path / "cat.png", 40)
