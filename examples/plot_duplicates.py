"""
Duplicates in records
=====================

A list of people who were entered by several clerks: the same person may be there more
than once, with slips, missing fields and other spellings. That is another task than to
sort things into groups: most groups have one member, and there are hundreds.
"""

# %%
# 300 people, of whom every third is entered twice or more.

import numpy as np
from matplotlib import pyplot as plt

from likewise import LabelOracle, Session, run
from likewise.encoders import encode_fields

rng = np.random.default_rng(5)
FIRST = "Ann Bo Cara Dan Eva Finn Gina Hugo Ines Jan Kim Lea Max Nora Otto Pia".split()
LAST = (
    "Adler Berg Conti Dahl Ek Fox Gray Hahn Iversen Jung Klein Lund Moser Nagy".split()
)
TOWNS = "Bern Ulm Rome Oslo Graz Lyon Porto Gent Turin Bonn".split()


def slip(word: str) -> str:
    """Return a word with two letters exchanged, or one left out."""
    at = int(rng.integers(0, max(len(word) - 1, 1)))
    swapped = word[:at] + word[at : at + 2][::-1] + word[at + 2 :]
    return swapped if rng.random() < 0.5 else word[:at] + word[at + 1 :]


def entered(person: list[str]) -> list[str | None]:
    """Return a person as somebody has entered them again."""
    again: list[str | None] = [
        slip(value) if rng.random() < 0.35 else value for value in person
    ]
    if rng.random() < 0.3:
        again[int(rng.integers(4))] = None
    return again


rows: list[list[str | None]] = []
who: list[int] = []
for number in range(300):
    born = (
        f"{rng.integers(1950, 2005)}-{rng.integers(1, 13):02}-{rng.integers(1, 29):02}"
    )
    person = [
        str(rng.choice(FIRST)),
        str(rng.choice(LAST)),
        str(rng.choice(TOWNS)),
        born,
    ]
    copies = int(rng.choice([0, 1, 2], p=[0.67, 0.25, 0.08]))
    rows += [list(person), *(entered(person) for _ in range(copies))]
    who += [number] * (copies + 1)
truth = np.array(who)

# %%
# Fields are compared one by one. ``encode_fields`` takes columns; None is a value
# that is missing.

session = Session(encode_fields(list(zip(*rows, strict=True))), "duplicates")


def f1(labels: np.ndarray) -> float:
    """Return the F1 of pairs."""
    i, j = np.triu_indices(len(truth), 1)
    same, found = truth[i] == truth[j], labels[i] == labels[j]
    return float(2 * (same & found).sum() / (same.sum() + found.sum()))


# %%
# One question at a time, where it is in doubt.

scores = [f1(session.labels)]
for view in run(session, LabelOracle(truth), budget=60):
    scores.append(f1(view.labels))

ax = plt.subplots(figsize=(6, 4))[1]
ax.plot(scores)
ax.set(xlabel="answered questions", ylabel="F1 of pairs", ylim=(None, 1.005))

# %%
# What the session itself says of it.

print(session.progress.standing)

# %%
# The number: F1 before any question, and after the last.

RESULT = {"f1_before": scores[0], "f1": scores[-1], "records": len(rows)}
print(RESULT)
