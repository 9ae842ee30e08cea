"""
Pictures of dogs
================

Pictures are sorted by breed, which no classifier was taught. With the folder of data
that ``LIKEWISE_DATA`` names these are 400 photographs of 20 breeds; without it, 90
little dogs are drawn, of three breeds that were made up.
"""

# %%
# A breed that was made up has a colour, a size and ears; each dog differs a little.

import numpy as np
from matplotlib import pyplot as plt
from PIL import Image, ImageDraw

from likewise import LabelOracle, MissingDataError, Session, jaccard, plots, run
from likewise.datasets import load
from likewise.encoders import encoded, encoder_for

BREEDS = {
    "red": (176, 84, 50, 20),
    "sand": (205, 170, 120, 26),
    "grey": (105, 105, 120, 22),
}


def drawn(breed: str, rng: np.random.Generator) -> Image.Image:
    """Return a picture of a dog's head."""
    *colour, size = BREEDS[breed]
    coat = tuple(int(c + rng.integers(-28, 29)) for c in colour)
    picture = Image.new("RGB", (96, 96), tuple(rng.integers(190, 250, 3).tolist()))
    pen = ImageDraw.Draw(picture)
    x, y = rng.integers(40, 56, 2).tolist()
    r = size + int(rng.integers(-4, 5))
    pen.ellipse((x - r, y - r, x + r, y + r), fill=coat)
    for side in (-1, 1):
        tip = (x + side * r, y - r if breed == "grey" else y + r // 2)
        pen.polygon([(x, y - r), tip, (x + side * r // 2, y)], fill=coat)
        eye = x + side * r // 3
        pen.ellipse((eye - 2, y - 6, eye + 2, y - 2), fill="black")
    pen.ellipse((x - 5, y + 4, x + 5, y + 10), fill=(40, 30, 30))
    return picture


# %%
# Pictures become vectors: a small network's where the extra ``images`` is installed,
# shapes and colours otherwise. Here shapes and colours do.

try:
    dogs = load("dog")
    X, y, n_breeds, budget = dogs.X, dogs.y, 20, 300
except MissingDataError:
    rng = np.random.default_rng(0)
    names = [name for name in BREEDS for _ in range(30)]
    pictures = [drawn(name, rng) for name in names]
    X = encoded(encoder_for("image", "hog+colour"), pictures)
    y, n_breeds, budget = np.array(names), 3, 60
    figure, axes = plt.subplots(2, 6, figsize=(6, 2.2))
    for ax, picture in zip(axes.T.flat, pictures[::8], strict=False):
        ax.imshow(picture)
        ax.set_axis_off()

# %%
# How many breeds there are is told here; ``n_clusters=None`` is for when nobody
# knows.

session = Session(X, n_clusters=n_breeds)
before = jaccard(y, session.labels)
for _ in run(session, LabelOracle(y), budget):
    pass

plots.confusion(y, session.labels)

# %%
# The number: how much of it is right, before any question and after the last.

RESULT = {
    "n": len(y),
    "jaccard_before": before,
    "jaccard": jaccard(y, session.labels),
    "questions": session.n_questions,
}
print(RESULT)
