"""Pictures cost a server little, however many ask for however large ones."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import httpx
import numpy as np
import pytest
from fastapi.testclient import TestClient
from PIL import Image
from tests.app.places import (
    HOME,
    PORT,
    Served,
    path_source,
    picture_folder,
    served,
    table_file,
)
from tests.generated import flat
from tests.problems import blobs

from likewise import InputError
from likewise.app import PathSource, _pages
from likewise.encoders import _apart
from likewise.items import Reading


async def _replies(pile: Served, paths: list[str]) -> list[Any]:
    transport = httpx.ASGITransport(pile.app)
    cookies = {f"likewise-{PORT}": pile.door.cookie("ann")}
    async with httpx.AsyncClient(
        transport=transport, base_url=HOME, cookies=cookies, timeout=120
    ) as browser:
        return await asyncio.gather(*(browser.get(path) for path in paths))


def test_answers_do_not_wait_behind_pictures(pictures: Served) -> None:
    seats = [_apart._processes._idle.get() for _ in range(2)]  # nobody opens pictures

    async def both() -> tuple[Any, list[Any]]:
        wanted = [f"/thumb/{at % 12}" for at in range(60)]
        waiting = asyncio.create_task(_replies(pictures, wanted))
        await asyncio.sleep(0)
        (state,) = await _replies(pictures, ["/api/state"])
        assert not waiting.done()
        for seat in seats:
            _apart._processes._idle.put(seat)
        return state, await waiting

    state, thumbs = asyncio.run(both())

    assert state.status_code == 200
    assert {reply.status_code for reply in thumbs} == {200}


def test_small_pictures_are_kept_in_a_bounded_folder(
    pictures: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_pages, "MOST_KEPT", 20_000)
    item = pictures.preparation.project.items(0, 1)[0]
    folder = pictures.folder / "thumbs" / item.digest[:2]
    folder.mkdir(parents=True)
    for at in range(9):
        (folder / f"{at}.jpg").write_bytes(bytes(5_000))

    reply = pictures.seat().get("/thumb/0")

    kept = {path.name: path.stat().st_size for path in folder.iterdir()}
    assert reply.status_code == 200
    assert f"{item.digest}-480.jpg" in kept
    assert 5_000 < sum(kept.values()) <= 20_000


def test_a_picture_that_has_become_too_large_is_one_sentence(tmp_path: Path) -> None:
    folder = picture_folder(tmp_path / "pictures")
    pile = served(tmp_path, path_source(folder, tmp_path / "vectors")).prepared()
    key = pile.preparation.project.items(0, 1)[0].key
    Image.new("1", (16_000, 6_000)).save(folder / key)

    for route in ("thumb", "picture"):
        reply = pile.seat().get(f"/{route}/0")
        assert reply.status_code == 404
        assert "more than 89,478,485 pixels" in reply.json()["error"]


TEN = """
import resource, sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tests.app.places import path_source, picture_folder, served

folder = Path(sys.argv[1])
app = served(folder, path_source(folder / "pictures", folder / "vectors"))
most = 3_000_000_000
resource.setrlimit(resource.RLIMIT_AS, (most, most))
app.prepared()
seats = [app.seat() for _ in range(10)]
with ThreadPoolExecutor(10) as pool:
    replies = list(pool.map(lambda seat: seat.get("/picture/0"), seats))
assert [reply.status_code for reply in replies] == [200] * 10, replies[0].text
assert app.preparation.broken == ()
status = Path("/proc/self/status").read_text()
print(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1])
"""


@pytest.mark.slow
def test_ten_who_want_one_large_picture_take_the_memory_of_one(tmp_path: Path) -> None:
    pile = picture_folder(tmp_path / "pictures", 3)
    (pile / "0.png").write_bytes(flat(9400, 9500))
    assert (pile / "0.png").stat().st_size < 400_000

    done = subprocess.run(
        [sys.executable, "-c", TEN, str(tmp_path)],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
        check=False,
    )

    assert done.returncode == 0, done.stderr
    # kB in the server itself: what getrusage says begins with what the tests have taken
    assert int(done.stdout) < 600_000


# Exports


def test_the_page_offers_what_can_be_exported(tmp_path: Path) -> None:
    file = table_file(tmp_path / "trees.csv", blobs((4, 4)))
    source = PathSource(file, "auto", tmp_path / "vectors", Reading())
    browser = served(tmp_path, source).prepared().seat()

    page = browser.get("/export").text

    assert "Download: Your table (csv)" in page
    assert "Folders" not in page
    assert "sklearn.linear_model" in page
    table = browser.get("/export/table")
    assert 'filename="pile-sorted.csv"' in table.headers["Content-Disposition"]
    assert table.text.splitlines()[0].endswith(",group,group name,status")
    assert len(table.text.splitlines()) == 9
    assert browser.get("/export/xlsx").content.startswith(b"PK")
    assert "y" in np.load(BytesIO(browser.get("/export/sklearn").content))
    assert browser.get("/export/zip").status_code == 400


def test_folders_are_packed_and_written_where_the_owner_says(tmp_path: Path) -> None:
    folder, to = picture_folder(tmp_path / "leaves"), tmp_path / "out" / "sorted"
    source = PathSource(folder, "hog+colour", tmp_path / "vectors", Reading())
    here = served(tmp_path, source).prepared()
    browser = here.seat()
    n_files = len([path for path in folder.rglob("*") if path.is_file()])

    with ZipFile(BytesIO(browser.get("/export/zip").content)) as packed:
        assert len(packed.namelist()) == n_files
    asked = {"how": "copy", "to": str(to)}
    assert browser.post("/api/folders", json=asked).status_code == 403  # from afar
    assert not to.exists()

    near = TestClient(here.app, HOME, client=("127.0.0.1", 50_000))
    near.headers, near.cookies = browser.headers, browser.cookies
    assert near.post("/api/folders", json=asked).json()["n_files"] == n_files
    assert len([path for path in to.rglob("*") if path.is_file()]) == n_files
    again = near.post("/api/folders", json=asked)
    assert again.status_code == 400
    assert "is not empty" in again.json()["error"]


@pytest.mark.parametrize("to", ["relative/folder", "a\0b"])
def test_a_folder_is_named_in_full(to: str) -> None:
    with pytest.raises(InputError, match="no full path"):
        _pages._chosen(to)
