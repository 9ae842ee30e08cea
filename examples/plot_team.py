"""
A team of three
===============

Three people answer; one of them is careless. What each one's word is worth is found
from what the others say, and counts.
"""

# %%
# Ann and Bob err in two answers of a hundred, Cem in one of four.

import numpy as np
from matplotlib import pyplot as plt

from likewise import LabelOracle, Session, jaccard, run
from likewise.datasets import load

digits = load("digits")
kept = np.random.default_rng(2).permutation(len(digits.y))[:300]
X, y = digits.X[kept], digits.y[kept]
errs = {"ann": 0.02, "bob": 0.02, "cem": 0.25}
team = {
    name: LabelOracle(y, error_rate=rate, seed=at)
    for at, (name, rate) in enumerate(errs.items())
}

# %%
# Each gets a question of their own: ``ask(3)`` gives three that do not say the same.
# One in five is a pair that a colleague has answered, for a second opinion.

session = Session(X, n_clusters=10)
for turn in range(120):
    open_now = session.ask(len(team))
    for name, question in zip(team, open_now, strict=False):
        second = session.second_opinion(name) if turn % 5 == 4 else None
        asked = second or question
        session.tell(asked, team[name](asked), by=name, on_conflict="keep")

# %%
# What the session says of each: how often they are wrong, with an interval.

ax = plt.subplots(figsize=(5, 2.4), layout="constrained")[1]
for at, (name, found) in enumerate(session.errors().items()):
    ax.plot([found.wrong.low, found.wrong.high], [at, at], color=f"C{at}")
    ax.plot(found.wrong.mean, at, "o", color=f"C{at}")
    ax.plot(errs[name], at, "|", color="black", markersize=14)
ax.set_yticks(range(len(errs)), labels=list(session.errors()))
ax.set(xlabel="share of wrong answers; the bar is the truth", xlim=(0, None))

# %%
# And how well they agree.

print(session.agreement.sentence)

# %%
# The number: who is trusted least, and how good the groups are beside those of Ann
# alone with as many answers as she gave.

alone = Session(X, n_clusters=10)
for _ in run(alone, team["ann"], budget=120):
    pass
trusted = session.errors()
RESULT = {
    "careless": max(
        session.readers, key=lambda reader: trusted[reader.name].wrong.mean
    ).name,
    "jaccard": jaccard(y, session.labels),
    "jaccard_of_ann_alone": jaccard(y, alone.labels),
}
print(RESULT)
