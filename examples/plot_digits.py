"""
Handwritten digits
==================

300 handwritten digits are sorted into ten groups by answering "same or different?". The
questions that likewise chooses are set beside pairs drawn at random.
"""

# %%
# The digits come with scikit-learn. Their true classes answer here, as a person
# would.

import numpy as np
from matplotlib import pyplot as plt

from likewise import LabelOracle, Session, jaccard, plots, run
from likewise.datasets import load
from likewise.experiments import questions_to
from likewise.experiments.runner import Plan, simulate

digits = load("digits")
kept = np.random.default_rng(0).permutation(len(digits.y))[:300]
X, y = digits.X[kept], digits.y[kept]

# %%
# Ten of them, as they are compared: 64 numbers each.

figure, axes = plt.subplots(1, 10, figsize=(8, 1))
for ax, picture in zip(axes, X[3:], strict=False):
    ax.imshow(picture.reshape(8, 8), cmap="gray_r")
    ax.set_axis_off()

# %%
# Ask and tell, 150 times. ``run`` does that; ``session.ask()`` and ``session.tell()``
# are there for loops of your own.

session = Session(X, n_clusters=10)
for _ in run(session, LabelOracle(y), budget=150):
    pass

plots.map(session)
# sphinx_gallery_thumbnail_number = 2

# %%
# Which groups are which digits, and what is left to be put right.

plots.confusion(y, session.labels)

# %%
# How it went, question by question.

curves = {
    method: simulate(Plan(X, y, method, 150, n_clusters=10), seed=0)
    for method in ("likewise", "random")
}
plots.curve(curves)

# %%
# The number: questions until nine pairs in ten are right.

found = curves["likewise"]
at = questions_to(0.9, found.scores["jaccard"])
RESULT = {
    "jaccard": jaccard(y, session.labels),
    "questions_to_0.9": None if at is None else found.questions[at],
}
print(RESULT)
