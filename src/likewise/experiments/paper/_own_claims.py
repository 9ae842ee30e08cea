"""What this project claims of its own method, beside the claims of the paper."""

from __future__ import annotations

from functools import partial

from likewise.experiments.paper._comparisons import (
    PAR,
    Evidence,
    above,
    absent,
    by_plot,
    end,
    not_below,
)
from likewise.experiments.paper._findings import Claim

FULL = ("urasc+n", "urasc+p")
MULTICLASS = ("active-hacc", "cac1", "ffqs", "random")
RIVALS = (*MULTICLASS, "asc")
ABOVE = f"above: by more than {PAR}"
SAME = 0.02  # scores that differ by no more cannot be told apart in a plot


def claims_of_ours(
    clustering: Evidence, noise: Evidence, unknown: Evidence
) -> list[Claim]:
    """Return the claims, each with the evidence for it."""
    rivals = (*FULL, *RIVALS)
    return [
        *(
            Claim(
                f"likewise is above every other method {when}",
                "This project's own method asks fewer questions for the same clusters.",
                f"Area of likewise against the best other method's; {ABOVE}.",
                by_plot(evidence, ["likewise"], rivals, above),
                absent=absent(evidence, (*FULL, *MULTICLASS)),
                ours=True,
            )
            for when, evidence in (
                ("with true answers", clustering),
                ("with wrong answers", noise),
            )
        ),
        Claim(
            "likewise ends the same without the number of groups",
            "It finds the number of groups by itself.",
            f"Jaccard of likewise at the end, k unknown against k known; the same: "
            f"lower by no more than {SAME}.",
            by_plot(
                unknown,
                ["likewise, k unknown"],
                ["likewise"],
                partial(not_below, SAME),
                end,
            ),
            ours=True,
        ),
    ]
