"""Each extra alone: installed beside the wheel, and nothing else.

``python -m release.extras FOLDER EXTRA ...`` installs the wheel in a folder with one
extra at a time in an environment of its own, sorts the wines, and looks that nothing
says that this extra is missing. ``--first WHAT`` is installed before, such as a torch
of some kind.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from pathlib import Path
from tempfile import TemporaryDirectory

from release.dist import DistError, Environment, extras_missed, sorts_the_wines


def check_extra(wheel: Path, extra: str, first: list[str]) -> None:
    """Try the wheel with one extra."""
    with TemporaryDirectory() as root:
        place = Environment.made(Path(root))
        place.install(*first, f"{wheel.resolve()}[{extra}]")
        sorts_the_wines(place)
        if extra in extras_missed(place):
            raise DistError(f"{extra} is installed, and yet said to be missing.")
    print(f"{extra}: all there")


if __name__ == "__main__":
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("extras", nargs="+")
    parser.add_argument("--first", action="append", default=[])
    asked = parser.parse_args()
    try:
        for extra in asked.extras:
            check_extra(next(asked.folder.glob("*.whl")), extra, asked.first)
    except DistError as error:
        sys.exit(str(error))
