"""Places that are found in a process of their own.

What UMAP needs is compiled first, which would keep a server from answering.

    python -m likewise.app.map._apart WAY SEED features|affinity <samples >plane
"""

from __future__ import annotations

import atexit
import subprocess
import sys
from typing import Any

import numpy as np

from likewise._arrays import Samples
from likewise.errors import InputError
from likewise.session import Plane, plane_of, plane_of_affinity
from likewise.storage import pack, unpack

PLACERS: dict[str, Any] = {"features": plane_of, "affinity": plane_of_affinity}


def plane_apart(X: Samples, seed: int, way: str, *, is_affinity: bool = False) -> Plane:
    """Return the place of each sample, as :func:`~likewise.session._map.plane_of` does.

    Raises
    ------
    InputError
        The process ended without a result.
    """
    given = "affinity" if is_affinity else "features"
    command = [sys.executable, "-m", __name__, way, str(seed), given]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        atexit.register(process.kill)  # nobody waits for it any more
        made, said = process.communicate(pack(X))
        atexit.unregister(process.kill)
    if process.returncode:
        last = said.decode(errors="replace").strip().rpartition("\n")[2]
        raise InputError(f"Its process ended with {process.returncode}: {last or '?'}")
    plane: Plane = unpack(made)
    return plane


def main() -> None:
    """Read samples, write their places."""
    way, seed, given = sys.argv[1:]
    out, sys.stdout = sys.stdout, sys.stderr  # whatever is printed is no plane
    plane = PLACERS[given](unpack(sys.stdin.buffer.read()), int(seed), way)
    out.buffer.write(pack(np.asarray(plane)))


if __name__ == "__main__":
    main()
