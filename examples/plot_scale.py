"""
A million samples
=================

How long the next question takes, from ten thousand samples to a million. To measure it
takes half an hour, so the figures of a run that was made before are drawn here.
"""

# %%
# ``python -m benchmarks.scale --sizes 10000 100000 1000000 --json scale.json``
# measures it: 50 groups in 64 dimensions, one core, seconds of the process. The kept
# ones are those that docs/scale.md states.

import json
from pathlib import Path

import numpy as np
from matplotlib import pyplot as plt

HERE = Path(__file__).parent if "__file__" in globals() else Path.cwd()
KEPT = HERE.resolve().parent / "docs/evaluation/scale.json"
rows = json.loads(KEPT.read_text(encoding="utf-8"))["rows"]

# %%
# From an answer to the next question: nearly in proportion to the samples.

figure, axes = plt.subplots(figsize=(6, 3.8), layout="constrained")
exponents, last = {}, {}
for method in ("likewise", "urasc+n"):
    mine = sorted(
        (row for row in rows if row["method"] == method), key=lambda r: r["n"]
    )
    sizes = [row["n"] for row in mine]
    warm = [row["warm"] for row in mine]
    axes.loglog(sizes, warm, "o-", label=method)
    growth = np.log(warm[-1] / warm[-2]) / np.log(sizes[-1] / sizes[-2])
    exponents[method], last[method] = float(growth), warm[-1]
axes.set(xlabel="samples", ylabel="seconds from an answer to the next question")
axes.grid(visible=True, which="major", alpha=0.3)
axes.legend(frameon=False)

# %%
# The number: the exponent with which the time of ``likewise`` grows from a hundred
# thousand samples to a million, and the seconds that an answer takes there.

RESULT = {
    "exponent": exponents["likewise"],
    "seconds_at_a_million": last["likewise"],
}
print(RESULT)
