"""A session on the wine data: what an installation has to be able to do.

Run by the Python of any environment: prints the versions that it found.
"""

from __future__ import annotations

import platform
from importlib.metadata import version

from likewise import LabelOracle, Session, jaccard, run
from likewise.datasets import load

PACKAGES = ("likewise", "numpy", "scipy", "scikit-learn")

wine = load("wine")
session = Session(wine.X, n_clusters=3)
for _ in run(session, LabelOracle(wine.y), 60):
    pass
found = jaccard(wine.y, session.labels)
if found < 1:
    raise SystemExit(f"The wines are sorted to a Jaccard coefficient of {found} only.")
print("Python", platform.python_version(), *(f"{p} {version(p)}" for p in PACKAGES))
