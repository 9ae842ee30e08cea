"""What the paper and this project claim, and what this evaluation found of it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from likewise.experiments._trials import Outcome
from likewise.experiments.paper._findings import (
    EARLY,
    PAR,
    SIMILAR,
    Claim,
    Evidence,
    above,
    absent,
    below,
    by_plot,
    changes,
    end,
    evidence_of,
    gain,
    growing,
    higher,
    joined,
    less_than_half,
    lower,
    not_below,
    only,
    overall,
    similar,
    start,
    with_and_without_noise,
)
from likewise.experiments.paper._plans import Figure

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


MOST = 0.51  # of the cases: more than half
TWO_CLASSES = ("bupa", "diabetes", "sonar")
FAILURE = 0.1  # an area that is lower by more is a failure


def claims_of(figures: Iterable[Figure], outcomes: Iterable[Outcome]) -> list[Claim]:
    """Return every claim with what the outcomes say of it.

    Parameters
    ----------
    figures : iterable of Figure
        Known by their names; those that the paper does not have are left alone.
    outcomes : iterable of Outcome
        Whatever was run; a claim without any case is "not run".
    """
    by_name, runs = {figure.name: figure for figure in figures}, list(outcomes)
    variants, learning, clustering, noise, unknown = (
        evidence_of(by_name.get(name), runs)
        for name in ("variants", "learning", "clustering", "noise", "unknown-k")
    )
    return [
        *_of_variants(variants),
        *_of_random(joined(variants, clustering)),
        *_of_steps(variants, joined(variants, clustering)),
        *_of_learning(learning),
        *_of_clustering(clustering),
        *_of_some_sets(clustering),
        *_of_noise(noise, clustering),
        *_of_unknown_k(unknown),
        *claims_of_ours(clustering, noise, unknown),
    ]


def _of_variants(variants: Evidence) -> list[Claim]:
    return [
        Claim(
            f"{full} is at least on par with its partial variants",
            "Gradient and step together do as well as the better of the two alone, "
            "and at times much better.",
            f"Area of {full} against the best of {' and '.join(parts)}; on par: "
            f"lower by no more than {PAR}.",
            by_plot(variants, [full], parts, partial(not_below, PAR)),
            absent=absent(variants, parts),
        )
        for full, parts in (
            ("urasc+n", ("urasc-go", "urasc-no")),
            ("urasc+p", ("urasc-go", "urasc-po")),
        )
    ]


def _of_random(everywhere: Evidence) -> list[Claim]:
    return [
        *(
            Claim(
                f"{full} is above random pairs everywhere",
                "On every set, and often by far.",
                f"Area of {full} against random's; {ABOVE}.",
                by_plot(everywhere, [full], ["random"], above),
            )
            for full in FULL
        ),
        Claim(
            "The lead over random pairs grows with the questions",
            "The more questions, the larger the lead.",
            f"Jaccard of the best of {' and '.join(FULL)} less random's, at the end "
            f"against {EARLY:.0%} of the budget.",
            growing(everywhere, FULL, ["random"]),
            MOST,
        ),
        Claim(
            "Random pairs bring little",
            "Random pairs bring a small improvement at best, while URASC's questions "
            "always bring a notable one.",
            "Jaccard gained from first to last question: random's is less than half "
            "of the best URASC's.",
            by_plot(everywhere, ["random"], FULL, less_than_half, gain),
        ),
    ]


def _of_steps(variants: Evidence, everywhere: Evidence) -> list[Claim]:
    return [
        Claim(
            "The two kinds of step do about equally well",
            "Parametric and nonparametric step are similar everywhere, the "
            "nonparametric modestly ahead most of the time.",
            f"Areas of urasc+n and urasc+p; similar: within {SIMILAR}.",
            by_plot(variants, ["urasc+n"], ["urasc+p"], similar),
        ),
        Claim(
            "The nonparametric step has a modest lead",
            "It leads at most, but not all, numbers of questions.",
            "Area of urasc+n against urasc+p's; any lead counts.",
            by_plot(everywhere, ["urasc+n"], ["urasc+p"], higher),
            MOST,
        ),
    ]


def _of_learning(learning: Evidence) -> list[Claim]:
    rivals = ("quire", "pknn+al")
    return [
        Claim(
            "URASC is above active learning in most cases",
            "At least one of the two full variants beats both QUIRE and pKNN+AL, but "
            "for the very first questions on sonar.",
            f"Area of the best of {' and '.join(FULL)} against the best of the two; "
            f"{ABOVE}.",
            by_plot(learning, FULL, rivals, above),
            MOST,
            absent=absent(learning, rivals),
        ),
        Claim(
            "The lead over active learning grows with the questions",
            "It generally increases.",
            f"Jaccard of the best of ours less the best of theirs, at the end against "
            f"{EARLY:.0%} of the budget.",
            growing(learning, FULL, rivals),
            MOST,
        ),
        Claim(
            "QUIRE is above pKNN+AL",
            "Of the two, the one that looks at the whole is clearly the better.",
            f"Area of quire against pknn+al's; {ABOVE}.",
            by_plot(learning, ["quire"], ["pknn+al"], above),
        ),
    ]


def _of_clustering(clustering: Evidence) -> list[Claim]:
    others = [rival for rival in MULTICLASS if rival != "active-hacc"]
    return [
        Claim(
            "URASC is the best overall",
            "A clear overall advantage over every other method of active clustering.",
            f"Mean area of the better of {' and '.join(FULL)} against each rival's, "
            f"over the plots that they share; {ABOVE}.",
            overall(clustering, FULL, RIVALS, above),
            absent=absent(clustering, RIVALS),
        ),
        Claim(
            "URASC is the best on each set",
            "In many cases both variants far exceed all others.",
            f"Area of the best of {' and '.join(FULL)} against the best rival's; "
            f"{ABOVE}.",
            by_plot(clustering, FULL, RIVALS, above),
            MOST,
            absent=absent(clustering, RIVALS),
        ),
        Claim(
            "Active-HACC is the nearest rival",
            "The only method that comes near.",
            f"Mean area of active-hacc against each other rival's that is for any "
            f"number of classes; {ABOVE}.",
            overall(clustering, ["active-hacc"], others, above),
            absent=absent(clustering, others),
        ),
    ]


def _of_some_sets(clustering: Evidence) -> list[Claim]:
    dogs = only(clustering, ["dog", "dog-bow"])
    return [
        Claim(
            "Active-HACC fails on dog",
            "It does not work there.",
            f"Area of active-hacc against the best URASC's; a failure: lower by more "
            f"than {FAILURE}.",
            by_plot(dogs, ["active-hacc"], FULL, partial(below, FAILURE)),
        ),
        Claim(
            "ASC is competitive on two classes",
            "Somewhat competitive, but for two classes only.",
            f"Area of asc against the best URASC's; competitive: within {SIMILAR}, or "
            f"above.",
            by_plot(
                only(clustering, TWO_CLASSES),
                ["asc"],
                FULL,
                partial(not_below, SIMILAR),
            ),
            MOST,
        ),
        Claim(
            "The parametric step falls behind on leaf and diabetes",
            "It fails there relative to the nonparametric one.",
            f"Area of urasc+n against urasc+p's; {ABOVE}.",
            by_plot(
                only(clustering, ["leaf", "diabetes"]), ["urasc+n"], ["urasc+p"], above
            ),
        ),
    ]


def _of_noise(noise: Evidence, clean: Evidence) -> list[Claim]:
    return [
        Claim(
            "With wrong answers, URASC is still above the others",
            "A significant overall advantage at 2 % wrong answers.",
            f"Area of the best of {' and '.join(FULL)} against the best rival's; "
            f"{ABOVE}.",
            by_plot(noise, FULL, RIVALS, above),
            absent=absent(noise, MULTICLASS),
        ),
        Claim(
            "With wrong answers, URASC improves more slowly",
            "Improvement is noticeably slower than with true answers.",
            "Area with wrong answers against that of the same method without.",
            with_and_without_noise(noise, clean, FULL, lower),
        ),
        Claim(
            "With wrong answers, random pairs do harm",
            "Their net effect is negative.",
            "Jaccard of random at the end against that before any question.",
            changes(noise, "random", lower),
        ),
    ]


def _of_unknown_k(unknown: Evidence) -> list[Claim]:
    known, hidden = ["urasc+n"], ["urasc+n, k unknown"]
    return [
        Claim(
            "Without the number of groups, the start is much lower",
            "At first the results are much lower, as expected.",
            f"Jaccard of urasc+n before any question, k known against k unknown; "
            f"{ABOVE}.",
            by_plot(unknown, known, hidden, above, start),
        ),
        Claim(
            "Without the number of groups, the end is the same",
            "With the questions the two become indistinguishable.",
            f"Jaccard of urasc+n at the end, k unknown against k known; the same: "
            f"lower by no more than {SAME}.",
            by_plot(unknown, hidden, known, partial(not_below, SAME), end),
        ),
    ]
