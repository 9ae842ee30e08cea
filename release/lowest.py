"""The lowest versions that pyproject.toml allows, as lines that pip installs.

``python release/lowest.py EXTRA ...`` prints those of the package itself and of extras.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]


def lowest(extras: Sequence[str] = ()) -> list[str]:
    """Return what is asked for directly, each at its lowest version.

    Examples
    --------
    >>> lowest()[0].startswith("numpy==")
    True
    """
    asked = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project = asked["project"]
    of_extras = (project["optional-dependencies"][extra] for extra in extras)
    lines = sum(of_extras, project["dependencies"])
    return [line.replace(">=", "==") for line in lines]


if __name__ == "__main__":
    print("\n".join(lowest(sys.argv[1:])))
