"""What it takes until ``likewise app`` has printed its address.

    python -m benchmarks.door [--runs 5]

Starts the command on a small table, in a new home, until the line with the address is
on the screen. Prints the processor seconds that the process has used by then, and
beside them those of ``python -c "import numpy"``, which say how fast the machine is.
Linux only.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

MAIN = "from likewise.cli import main; main()"
ADDRESS = "Open http"


def processor_seconds(process: int) -> float:
    """Return what a process that runs has used so far."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def until_address(folder: Path) -> float:
    """Return the processor seconds until the address is printed."""
    table = folder / "table.csv"
    table.write_text("x,y\n1,2\n2,3\n8,9\n9,8\n")
    words = [sys.executable, "-c", MAIN, "app", str(table), "--no-browser", "--port=0"]
    env = {**os.environ, "LIKEWISE_HOME": str(folder / "home")}
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True, env=env) as app:
        for line in app.stderr or ():
            if line.startswith(ADDRESS):
                seconds = processor_seconds(app.pid)
                app.kill()
                return seconds
    raise SystemExit("The app ended before it had printed an address.")


def of_numpy() -> float:
    """Return the processor seconds of importing numpy, with Python itself."""
    before = os.times()
    subprocess.run([sys.executable, "-c", "import numpy"], check=True)
    after = os.times()
    return sum(after[2:4]) - sum(before[2:4])


def main() -> None:
    """Print the medians of some runs, and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    runs = parser.parse_args().runs
    found = []
    for _ in range(runs):
        with TemporaryDirectory() as folder:
            found.append(until_address(Path(folder)))
    numpy = median(of_numpy() for _ in range(runs))
    address = median(found)
    print(f"until the address   {address:.2f} s of a processor")
    print(f"python with numpy   {numpy:.2f} s, so {address / numpy:.1f} times that")


if __name__ == "__main__":
    main()
