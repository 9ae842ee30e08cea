"""What the paper and this project claim, and what this evaluation found of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product

from likewise.experiments._trials import Outcome, area
from likewise.experiments.paper._findings import (
    EARLY,
    Case,
    Claim,
    Compare,
    Contrast,
    Judged,
    Source,
    Test,
    View,
    all_at_once,
    beyond_twice,
    changes,
    each,
    end,
    growth,
    inside,
    less,
    more_than,
    only,
    overall,
    start,
    views_of,
    without_and_with_noise,
)
from likewise.experiments.paper._plans import BOTH, Figure

FULL = ("urasc+n", "urasc+p")
MULTICLASS = ("active-hacc", "cac1", "ffqs", "random")
RIVALS = (*MULTICLASS, "asc")
LEARNERS = ("quire", "pknn+al")
PEERS = ("cobras", "a3s", "npu", "lca")
OTHERS = (*FULL, *RIVALS, "lot", *PEERS)
TWO_CLASSES = ("bupa", "diabetes", "sonar")

MOST = 0.51  # of the cases: more than half
PAR = 0.01  # lower by no more is on par
SAME = 0.02  # scores that differ by no more cannot be told apart in a plot
GROWN = 0.02  # a gap that is larger by more has grown
SIMILAR = 0.05  # within as much, two are similar
FAILURE = 0.1  # an area that is lower by more is a failure

EITHER = f"each of {FULL[0]} and {FULL[1]}"
ABOVE: Test = more_than(0.0)
AREA: Contrast = less(area)
RULE = (
    "A case is one comparison: the difference between two methods in each repeat, both "
    "on the same 90 % of the samples, and Student's 95 % interval of its mean over the "
    "repeats. Each asks whether the difference is more than a threshold (0 for "
    '"above"): yes where the whole interval is, no where none of it is, open '
    "otherwise, and always open with fewer than 3 repeats. A claim holds when all of "
    "its cases are a yes (more than half where it speaks of most cases), holds in part "
    "when at least half as many are, and does not hold otherwise; a finding is given "
    "only where it is the same whichever way the open cases fall, and else it is open. "
    "Without some of the methods it speaks of a claim holds in part at best. The "
    "intervals cover what differs between 90 % subsets of the same data, and chance; "
    "they do not cover what other data sets would show, and of many cases that make no "
    "difference one in twenty seems to. Rules and thresholds were fixed before the "
    "runs, and nothing was tuned to make a claim hold."
)


def claims_of(figures: Iterable[Figure], outcomes: Iterable[Outcome]) -> list[Judged]:
    """Return every claim with what the outcomes say of it.

    Parameters
    ----------
    figures : iterable of Figure
        Known by their names; those that the paper does not have are left alone.
    outcomes : iterable of Outcome
        Whatever was run; a claim without any case is "not run".

    Returns
    -------
    list of Judged
        Each put to the test on each recipe that a figure has, by Jaccard and by ARI.
    """
    plans = list(figures)
    had = {recipe for plan in plans for recipe in plan.recipes}
    recipes = [recipe for recipe in BOTH if recipe in had]
    views = views_of(plans, outcomes, recipes)
    return [
        Judged(claim, {(v.recipe, v.metric): claim.found(v) for v in views})
        for claim in CLAIMS
    ]


def against(
    figures: Sequence[str],
    left: Sequence[str],
    right: Sequence[str],
    test: Test = ABOVE,
    contrast: Contrast = AREA,
) -> Compare:
    """Return the comparison of each of some methods with each of others."""

    def compare(view: View) -> tuple[Case, ...]:
        pairs = product(left, right)
        return each(view.of(*figures), pairs, view.metric, test, contrast)

    return compare


def against_all(
    figures: Sequence[str], left: Sequence[str], right: Sequence[str]
) -> Compare:
    """Return the comparison of each of some methods with all of others at once."""
    one_by_one = against(figures, left, right)
    return lambda view: all_at_once(one_by_one(view))


def on_the_mean(
    figures: Sequence[str], left: Sequence[str], right: Sequence[str]
) -> Compare:
    """Return the comparison of mean areas over the plots that two methods share."""

    def compare(view: View) -> tuple[Case, ...]:
        pairs = product(left, right)
        return overall(view.of(*figures), pairs, view.metric, ABOVE)

    return compare


def among(
    sets: Sequence[str], left: Sequence[str], right: Sequence[str], test: Test
) -> Compare:
    """Return the comparison of areas on some of the sets of "clustering"."""

    def compare(view: View) -> tuple[Case, ...]:
        evidence = only(view.of("clustering"), sets)
        return each(evidence, product(left, right), view.metric, test, AREA)

    return compare


def _harm(view: View) -> tuple[Case, ...]:
    return changes(view.of("noise"), "random", view.metric, ABOVE)


def _slower(view: View) -> tuple[Case, ...]:
    clean, noisy = view.of("clustering"), view.of("noise")
    return without_and_with_noise(clean, noisy, FULL, view.metric, ABOVE)


def _of_variants() -> list[Claim]:
    anywhere = ("variants", "clustering")
    return [
        *(
            Claim(
                f"{full} is at least on par with its partial variants",
                "Gradient and step together do as well as the better of the two alone, "
                "and at times much better.",
                f"Area of {full} less that of {' and '.join(parts)}, one by one; on "
                f"par: above {-PAR}.",
                against(("variants",), [full], parts, more_than(-PAR)),
                ("variants",),
                (full, *parts),
            )
            for full, parts in (
                ("urasc+n", ("urasc-go", "urasc-no")),
                ("urasc+p", ("urasc-go", "urasc-po")),
            )
        ),
        Claim(
            "URASC is above random pairs everywhere",
            "On every set, and often by far.",
            f"Area of {EITHER} less random's: above 0.",
            against(anywhere, FULL, ["random"]),
            anywhere,
            (*FULL, "random"),
        ),
        Claim(
            "The lead over random pairs grows with the questions",
            "The more questions, the larger the lead.",
            f"Score of {EITHER} less random's, at the end less at {EARLY:.0%} of the "
            f"budget: above {GROWN} in most cases.",
            against(anywhere, FULL, ["random"], more_than(GROWN), growth),
            anywhere,
            (*FULL, "random"),
            MOST,
        ),
        Claim(
            "The two kinds of step do about equally well",
            "Parametric and nonparametric step are similar everywhere.",
            f"Area of urasc+n less that of urasc+p: within {SIMILAR}.",
            against(("variants",), ["urasc+n"], ["urasc+p"], inside(SIMILAR)),
            ("variants",),
            FULL,
        ),
    ]


def _of_learning() -> list[Claim]:
    figure = ("learning",)
    return [
        Claim(
            "URASC is above active learning in most cases",
            "At least one of the two full variants, and mostly both, beats both QUIRE "
            "and pKNN+AL, but for the very first questions on sonar.",
            f"Area of {EITHER} less that of both learners: above 0; a yes where it is "
            f"above both, a no where it is not above one; most cases.",
            against_all(figure, FULL, LEARNERS),
            figure,
            (*FULL, *LEARNERS),
            MOST,
        ),
        Claim(
            "QUIRE is above pKNN+AL",
            "Of the two, the one that looks at the whole is clearly the better.",
            "Area of quire less that of pknn+al: above 0.",
            against(figure, ["quire"], ["pknn+al"]),
            figure,
            LEARNERS,
        ),
    ]


def _of_clustering() -> list[Claim]:
    figure = ("clustering",)
    others = [rival for rival in MULTICLASS if rival != "active-hacc"]
    return [
        Claim(
            "URASC is the best overall",
            "A clear overall advantage over every other method of active clustering.",
            f"Mean area of {EITHER} less each rival's, over the plots that the two "
            f"share: above 0.",
            on_the_mean(figure, FULL, RIVALS),
            figure,
            (*FULL, *RIVALS),
        ),
        Claim(
            "URASC is the best on most sets",
            "In many cases both variants far exceed all others.",
            f"Area of {EITHER} less each rival's, one by one: above 0; a yes where it "
            f"is above all, a no where it is not above one; most cases.",
            against_all(figure, FULL, RIVALS),
            figure,
            (*FULL, *RIVALS),
            MOST,
        ),
        Claim(
            "Active-HACC is the nearest rival",
            "The only method that comes near.",
            "Mean area of active-hacc less that of each other rival for any number of "
            "classes, over the plots that the two share: above 0.",
            on_the_mean(figure, ["active-hacc"], others),
            figure,
            MULTICLASS,
        ),
        Claim(
            "Active-HACC fails on dog",
            "It does not work there.",
            f"Area of {EITHER} less that of active-hacc; a failure: above {FAILURE}.",
            among(["dog"], FULL, ["active-hacc"], more_than(FAILURE)),
            figure,
            (*FULL, "active-hacc"),
        ),
        Claim(
            "ASC is competitive on two classes",
            "Somewhat competitive, but for two classes only.",
            f"Area of asc less that of {EITHER}; competitive: above {-SIMILAR}; most "
            f"cases.",
            among(TWO_CLASSES, ["asc"], FULL, more_than(-SIMILAR)),
            figure,
            (*FULL, "asc"),
            MOST,
        ),
    ]


def _of_noise() -> list[Claim]:
    figure = ("noise",)
    return [
        Claim(
            "With wrong answers, URASC is still above the others",
            "A significant overall advantage at 2 % wrong answers.",
            f"Area of {EITHER} less each rival's, one by one: above 0; a yes where it "
            f"is above all, a no where it is not above one.",
            against_all(figure, FULL, RIVALS),
            figure,
            (*FULL, *MULTICLASS),
        ),
        Claim(
            "With wrong answers, random pairs do harm",
            "Their net effect is negative.",
            "Score of random before any question less that at the end: above 0.",
            _harm,
            figure,
            ("random",),
        ),
    ]


def _of_unknown_k() -> list[Claim]:
    figure, known, hidden = ("unknown-k",), ["urasc+n"], ["urasc+n, k unknown"]
    return [
        Claim(
            "Without the number of groups, the start is much lower",
            "At first the results are much lower, as expected.",
            f"Score of urasc+n before any question, k known less k unknown: above "
            f"{SIMILAR}.",
            against(figure, known, hidden, more_than(SIMILAR), less(start)),
            figure,
        ),
        Claim(
            "Without the number of groups, the end is the same",
            "With the questions the two become indistinguishable.",
            f"Score of urasc+n at the end, k unknown less k known; the same: above "
            f"{-SAME}.",
            against(figure, hidden, known, more_than(-SAME), less(end)),
            figure,
        ),
    ]


def _beside_of_variants() -> list[Claim]:
    anywhere, source = ("variants", "clustering"), Source.BESIDE
    return [
        Claim(
            "Random pairs bring little",
            "Random pairs bring a small improvement at best, while URASC's questions "
            "always bring a notable one.",
            f"Score gained from first to last question by {EITHER}, less twice what "
            f"random gains: above 0.",
            against(anywhere, FULL, ["random"], ABOVE, beyond_twice),
            anywhere,
            (*FULL, "random"),
            source=source,
        ),
        Claim(
            "The nonparametric step has a modest lead",
            "It leads at most, but not all, numbers of questions.",
            "Area of urasc+n less that of urasc+p: above 0 in most cases.",
            against(anywhere, ["urasc+n"], ["urasc+p"]),
            anywhere,
            FULL,
            MOST,
            source,
        ),
        Claim(
            "The parametric step falls behind on leaf and diabetes",
            "It fails there relative to the nonparametric one.",
            "Area of urasc+n less that of urasc+p: above 0.",
            among(["leaf", "diabetes"], ["urasc+n"], ["urasc+p"], ABOVE),
            ("clustering",),
            FULL,
            source=source,
        ),
    ]


def _beside_of_others() -> list[Claim]:
    source = Source.BESIDE
    return [
        Claim(
            "The lead over active learning grows with the questions",
            "It generally increases.",
            f"Score of {EITHER} less that of quire and of pknn+al, at the end less at "
            f"{EARLY:.0%} of the budget: above {GROWN} in most cases.",
            against(("learning",), FULL, LEARNERS, more_than(GROWN), growth),
            ("learning",),
            (*FULL, *LEARNERS),
            MOST,
            source,
        ),
        Claim(
            "With wrong answers, URASC improves more slowly",
            "Improvement is noticeably slower than with true answers.",
            f"Area of {EITHER} with true answers less that with some wrong: above 0.",
            _slower,
            ("clustering", "noise"),
            FULL,
            source=source,
        ),
    ]


def _of_lot() -> list[Claim]:
    figures = ("variants", "clustering")
    said = "A control that nobody has published: samples drawn by lot, asked as URASC "
    said += "asks; what URASC has beyond them is what its choice is worth."
    return [
        Claim(
            "URASC chooses better than samples drawn by lot, overall",
            said,
            f"Mean area of {EITHER} less that of lot, over the plots that the two "
            f"share: above 0.",
            on_the_mean(figures, FULL, ["lot"]),
            figures,
            (*FULL, "lot"),
            source=Source.CONTROL,
        ),
        Claim(
            "URASC chooses better than samples drawn by lot, on most sets",
            said,
            f"Area of {EITHER} less that of lot: above 0 in most cases.",
            against(figures, FULL, ["lot"]),
            figures,
            (*FULL, "lot"),
            MOST,
            Source.CONTROL,
        ),
    ]


def _of_ours() -> list[Claim]:
    said = "This project's own method asks fewer questions for the same clusters."
    rivals = (*FULL, *MULTICLASS, "lot")
    overall_and_each = [
        claim
        for when, name, asked in (
            ("with true answers", "clustering", (*rivals, *PEERS)),
            ("with wrong answers", "noise", rivals),
        )
        for claim in (
            Claim(
                f"likewise is above every other method overall, {when}",
                said,
                "Mean area of likewise less each other method's, over the plots that "
                "the two share: above 0.",
                on_the_mean((name,), ["likewise"], OTHERS),
                (name,),
                ("likewise", *asked),
                source=Source.OURS,
            ),
            Claim(
                f"likewise is above every other method on most sets, {when}",
                said,
                "Area of likewise less each other method's, one by one: above 0; a yes "
                "where it is above all, a no where it is not above one; most cases.",
                against_all((name,), ["likewise"], OTHERS),
                (name,),
                ("likewise", *asked),
                MOST,
                Source.OURS,
            ),
        )
    ]
    return [
        *overall_and_each,
        Claim(
            "likewise ends the same without the number of groups",
            "It finds the number of groups by itself.",
            f"Score of likewise at the end, k unknown less k known; the same: above "
            f"{-SAME}.",
            against(
                ("unknown-k",),
                ["likewise, k unknown"],
                ["likewise"],
                more_than(-SAME),
                less(end),
            ),
            ("unknown-k",),
            source=Source.OURS,
        ),
    ]


CLAIMS = (
    *_of_variants(),
    *_of_learning(),
    *_of_clustering(),
    *_of_noise(),
    *_of_unknown_k(),
    *_beside_of_variants(),
    *_beside_of_others(),
    *_of_lot(),
    *_of_ours(),
)
