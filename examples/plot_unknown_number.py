"""
When nobody knows how many groups there are
===========================================

``n_clusters=None``, the default: the number of groups follows from the data at first,
and from the answers in the end.
"""

# %%
# Seven heaps of different sizes, some of which run into each other.

import numpy as np
from matplotlib import pyplot as plt

from likewise import LabelOracle, Session, jaccard, plots, run

rng = np.random.default_rng(3)
sizes = [60, 50, 45, 40, 30, 20, 15]
middles = rng.uniform(-5, 5, (len(sizes), 2))
y = np.repeat(np.arange(len(sizes)), sizes)
X = middles[y] + rng.standard_normal((len(y), 2)) * 0.7

# %%
# The number is noted after each answer.

session = Session(X)
counts, scores = [len(set(session.labels))], [jaccard(y, session.labels)]
for view in run(session, LabelOracle(y), budget=80):
    counts.append(len(set(view.labels)))
    scores.append(jaccard(y, view.labels))

# %%
# How many groups it held there to be, and how right they were.

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
left.step(range(len(counts)), counts, where="post")
left.axhline(len(sizes), color="#8a8a8a", linestyle=":")
left.set(xlabel="answered questions", ylabel="groups", ylim=(0, None))
right.plot(scores)
right.set(xlabel="answered questions", ylabel="Jaccard", ylim=(0, 1.02))

# %%
# Where they lie. The plane is that of the samples themselves here.

plots.map(session, plane=X)

# %%
# The number: groups before any question, groups now, and how right they are.

RESULT = {"groups_before": counts[0], "groups": counts[-1], "jaccard": scores[-1]}
print(RESULT)
