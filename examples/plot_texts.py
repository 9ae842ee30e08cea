"""
Texts by what they mean
=======================

Short messages to a help desk are sorted by what they are about. With the extra ``text``
a small model compares them by what they mean; without it their words do. Nothing is
downloaded either way.
"""

# %%
# Messages that say the same thing in other words.

import numpy as np
from matplotlib import pyplot as plt

from likewise import LabelOracle, Session, jaccard, plots, run
from likewise.encoders import encoded, encoder_for

SAID = {
    "delivery": """My parcel has not arrived yet.
The courier left the box at the wrong house.
Where is the package I ordered last week?
Tracking says shipped, but nothing came.
How long does shipping to Norway take?
The postman never rang the bell.
Still waiting for the goods, it has been a month.
Can the shipment go to my office instead?
The delivery was due on Monday.
It is stuck at customs, says the carrier.""",
    "money": """I was charged twice for one pair of shoes.
Please refund what I paid.
When will I get my money back?
The invoice shows the wrong amount.
My credit card was declined at checkout.
You took forty euros too much from my account.
Can I pay by bank transfer?
The discount was not taken off the price.
I need a receipt for my taxes.
Why is the bill higher than the quote?""",
    "sign-in": """I cannot log in any more.
My password is not accepted.
The reset link in the mail has expired.
I forgot which username I have.
It says that I am locked out after three attempts.
The verification code never reaches my phone.
Somebody else seems to have signed in as me.
How do I switch on two-factor authentication?
The login page just loads for ever.
Please unlock my profile.""",
    "broken": """The zipper came apart after one day.
One of the cups has a crack.
The screen stays black when I turn it on.
It makes a loud noise and smells of smoke.
The left sleeve is torn.
A wheel fell off the suitcase.
The battery no longer holds a charge.
There are scratches all over the lid.
The lamp flickers and then dies.
The handle snapped when I lifted it.""",
}
texts = [line for lines in SAID.values() for line in lines.splitlines()]
y = np.repeat(list(SAID), 10)

# %%
# ``auto`` is the best that is installed. Words are compared as well, to see what
# meaning is worth.

best = encoder_for("text")
spaces = {"words": encoder_for("text", "tfidf"), best.name: best}

figure, axes = plt.subplots(
    1, len(spaces), figsize=(4.5 * len(spaces), 4), squeeze=False
)
jaccards = {}
for ax, (name, encoder) in zip(axes.flat, spaces.items(), strict=True):
    session = Session(encoded(encoder, texts), n_clusters=len(SAID))
    for _ in run(session, LabelOracle(y), budget=20):
        pass
    jaccards[name] = jaccard(y, session.labels)
    plots.map(session, ax=ax)
    ax.set_title(name)

# %%
# The number: how much is right after twenty answers.

RESULT = {
    "encoder": best.name,
    "jaccard_by_words": jaccards["words"],
    "jaccard": jaccards[best.name],
}
print(RESULT)
