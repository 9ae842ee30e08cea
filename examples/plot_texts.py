"""
Texts by what they mean
=======================

Short messages to a help desk are sorted by what they are about. With the extra ``text``
a small model compares them by what they mean; without it their words do. Nothing is
downloaded either way.
"""

# %%
# Messages are put together from ways to say the same thing.

from itertools import product

import numpy as np
from matplotlib import pyplot as plt

from likewise import LabelOracle, Session, jaccard, plots, run
from likewise.encoders import encoded, encoder_for

SAID = {
    "delivery": (
        ["My parcel", "The package", "What I ordered", "The shipment"],
        ["has not arrived", "is still on its way", "never came", "is a week late"],
    ),
    "money back": (
        [
            "I want a refund",
            "Please return my money",
            "I was charged twice",
            "Pay me back",
        ],
        ["for the shoes", "since it broke", "as promised", "to my card"],
    ),
    "password": (
        ["I cannot log in", "My password is wrong", "I am locked out", "Sign-in fails"],
        ["on my phone", "since this morning", "with my email", "to my account"],
    ),
    "praise": (
        ["Great service", "Thank you so much", "I love your shop", "Wonderful people"],
        ["as always", "from all of us", "and keep going", "five stars"],
    ),
}
texts, about = [], []
for topic, (starts, ends) in SAID.items():
    for start, end in product(starts, ends):
        texts.append(f"{start} {end}.")
        about.append(topic)
y = np.array(about)

# %%
# ``auto`` is the best that is installed. Words are compared as well, to see what meaning
# is worth.

best = encoder_for("text")
spaces = {"words": encoder_for("text", "tfidf"), best.name: best}

figure, axes = plt.subplots(
    1, len(spaces), figsize=(4.5 * len(spaces), 4), squeeze=False
)
jaccards = {}
for ax, (name, encoder) in zip(axes.flat, spaces.items(), strict=True):
    session = Session(encoded(encoder, texts), n_clusters=len(SAID))
    for _ in run(session, LabelOracle(y), budget=30):
        pass
    jaccards[name] = jaccard(y, session.labels)
    plots.map(session, ax=ax)
    ax.set_title(name)

# %%
# The number: how much is right after thirty answers.

RESULT = {
    "encoder": best.name,
    "jaccard_by_words": jaccards["words"],
    "jaccard": jaccards[best.name],
}
print(RESULT)
