"""
Wrong answers, and how they are found
=====================================

People slip. A wrong answer shows when others deny it, and nobody has to be asked twice
about everything: now and then a pair is asked for that earlier answers imply.
"""

# %%
# One answer in twenty is wrong; the same pair is always answered in the same way, so
# that asking it again would be no cure.

import numpy as np

from likewise import LabelOracle, Session, jaccard, plots
from likewise.datasets import load

digits = load("digits")
kept = np.random.default_rng(1).permutation(len(digits.y))[:300]
X, y = digits.X[kept], digits.y[kept]
hasty = LabelOracle(y, error_rate=0.05, seed=4)

# %%
# Every eighth question is a check: it costs an answer, and shows what is amiss.
# ``on_conflict="keep"`` takes an answer down that earlier ones deny, instead of
# refusing it.

session = Session(X, n_clusters=10)
while session.n_questions < 300:
    is_check = session.n_questions % 8 == 7
    question = (session.check() if is_check else None) or session.ask()
    if question is None:
        break
    session.tell(question, hasty(question), on_conflict="keep")

# %%
# Answers that disagree with others, and which of each circle is the likeliest slip.

wrong = {
    answer.id
    for answer in session.history
    if (answer.verdict == "same")
    != (y[answer.question.sample] == y[answer.question.against])
}
likeliest = {
    suspects[0].answer.id
    for answer in session.doubtful
    if (suspects := session.suspects(answer.id))
}
for answer in session.doubtful[:3]:
    print(answer, "| the likeliest slip:", session.suspects(answer.id)[0].answer)

# %%
# How often an answer was what the method expected. Wrong ones are why it never comes
# to all or nothing.

plots.calibration(session)

# %%
# The likeliest slips are put to a careful colleague: what was said is taken back,
# unless it is gone already, and said again.

careful = LabelOracle(y)
jaccard_before = jaccard(y, session.labels)
for answer in [answer for answer in session.history if answer.id in likeliest]:
    session.retract(answer.id)
    verdict = careful(answer.question)
    session.tell(answer.question, verdict, on_conflict="keep", by="colleague")

# %%
# The number: how many answers were wrong, how many were pointed at, how many of these
# rightly, and how good the groups are in spite of the rest.

RESULT = {
    "wrong": len(wrong),
    "pointed_at": len(likeliest),
    "rightly": len(likeliest & wrong),
    "jaccard_before": jaccard_before,
    "jaccard": jaccard(y, session.labels),
}
print(RESULT)
