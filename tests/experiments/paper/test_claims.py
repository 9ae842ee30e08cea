"""What becomes of the claims, on outcomes made by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.outcomes import flat, outcome, rising

from likewise.experiments._trials import Outcome
from likewise.experiments.paper import FIGURES, read_figure
from likewise.experiments.paper._claims import claims_of
from likewise.experiments.paper._findings import Case, Claim, Finding
from likewise.experiments.paper._plans import Line

Heights = Mapping[str, Callable[[float], float]]
PLANS = {name: read_figure(name) for name in FIGURES}

# By title of line; as the paper has it.
AS_CLAIMED: Heights = {
    "likewise": flat(0.95),
    "likewise, k unknown": flat(0.95),
    "urasc+n": rising(0.4, 1.0),
    "urasc+n, k unknown": rising(0.1, 1.0),
    "urasc+p": rising(0.38, 0.96),
    "urasc-go": rising(0.3, 0.8),
    "urasc-no": rising(0.3, 0.8),
    "urasc-po": rising(0.3, 0.8),
    "active-hacc": rising(0.3, 0.7),
    "asc": rising(0.37, 0.94),
    "cac1": rising(0.25, 0.6),
    "ffqs": rising(0.25, 0.6),
    "quire": rising(0.4, 0.7),
    "pknn+al": rising(0.3, 0.6),
    "random": rising(0.3, 0.35),
}

# As the paper does not have it, in every point.
DENIED: Heights = {
    "likewise": flat(0.1),
    "likewise, k unknown": flat(0.0),
    "urasc+n": rising(0.3, 0.25),
    "urasc+n, k unknown": rising(0.4, 0.1),
    "urasc+p": rising(0.4, 0.5),
    "urasc-go": flat(0.7),
    "urasc-no": flat(0.7),
    "urasc-po": flat(0.7),
    "active-hacc": flat(0.4),
    "asc": flat(0.1),
    "cac1": flat(0.6),
    "ffqs": flat(0.6),
    "quire": rising(0.5, 0.7),
    "pknn+al": rising(0.6, 0.8),
    "random": rising(0.4, 0.7),
}


def lowered(curve: Callable[[float], float], by: float) -> Callable[[float], float]:
    return lambda share: curve(share) - by


def runs_of(name: str, heights: Heights, worse: float = 0.0) -> Iterator[Outcome]:
    """Yield a run of each line of a figure for which there is a height."""
    figure = PLANS[name]
    for panel in figure.panels:
        for line in (x for x in figure.lines if x.title in heights):
            yield outcome(figure, panel, line, lowered(heights[line.title], worse))


def findings(*runs: Iterator[Outcome]) -> dict[str, Finding]:
    outcomes = [run for some in runs for run in some]
    return {c.title: c.finding for c in claims_of(PLANS.values(), outcomes)}


def test_nothing_run_is_no_finding() -> None:
    claims = claims_of(PLANS.values(), [])

    assert {claim.finding for claim in claims} == {Finding.NOT_RUN}
    assert len({claim.title for claim in claims}) == len(claims)


def test_claims_need_no_plans() -> None:
    assert {claim.finding for claim in claims_of([], [])} == {Finding.NOT_RUN}


def test_results_like_the_papers_keep_its_claims() -> None:
    noisy: Heights = {**AS_CLAIMED, "random": rising(0.4, 0.2)}

    found = findings(
        *(runs_of(name, AS_CLAIMED) for name in ("variants", "learning", "unknown-k")),
        runs_of("clustering", AS_CLAIMED),
        runs_of("noise", noisy, worse=0.05),
    )

    strange = {"The parametric step falls behind on leaf and diabetes"}
    assert {t for t, f in found.items() if f is not Finding.HOLDS} <= strange


def test_results_that_deny_the_paper_keep_no_claim() -> None:
    found = findings(*(runs_of(n, DENIED) for n in FIGURES if n != "qualitative"))

    assert set(found.values()) == {Finding.FAILS}


def test_an_exception_is_named_with_its_numbers() -> None:
    runs = list(runs_of("variants", AS_CLAIMED))
    sonar = PLANS["variants"].panels[-1]
    better = outcome(PLANS["variants"], sonar, Line("urasc-go"), flat(0.99))
    runs = [better if run.trial == better.trial else run for run in runs]

    [claim, *_] = claims_of(PLANS.values(), runs)

    assert claim.finding is Finding.IN_PART
    assert claim.kept == len(claim.cases) - 1
    assert "sonar (urasc+n 0." in claim.measured
    assert "urasc-go 0.990" in claim.measured


def test_a_claim_about_methods_not_run_holds_in_part_at_best() -> None:
    few = {name: AS_CLAIMED[name] for name in ("urasc+n", "urasc+p", "random")}

    claims = claims_of(PLANS.values(), list(runs_of("clustering", few)))

    [claim] = [c for c in claims if c.title == "URASC is the best overall"]
    assert claim.finding is Finding.IN_PART
    assert claim.measured.endswith("Not run: active-hacc, cac1, ffqs, asc.")


def test_a_plot_in_two_figures_is_one_case() -> None:
    runs = list(runs_of("variants", AS_CLAIMED))  # those of clustering among them

    claims = {claim.title: claim for claim in claims_of(PLANS.values(), runs)}

    above = claims["urasc+n is above random pairs everywhere"]
    assert len(above.cases) == len(PLANS["variants"].panels)


@given(st.lists(st.booleans(), max_size=20), st.sampled_from([0.51, 1.0]))
def test_a_finding_is_the_share_of_the_cases_kept(
    kept: list[bool], needed: float
) -> None:
    cases = tuple(Case(str(i), "a", 1.0, "b", 0.0, k) for i, k in enumerate(kept))

    finding = Claim("", "", "", cases, needed).finding

    share = sum(kept) / len(kept) if kept else None
    assert (finding is Finding.NOT_RUN) == (share is None)
    if share is not None:
        assert (finding is Finding.HOLDS) == (share >= needed)
        assert (finding is Finding.FAILS) == (share < needed / 2)


@pytest.mark.parametrize("ours", [True, False])
def test_our_own_claims_are_marked(ours: bool) -> None:
    claims = [c for c in claims_of([], []) if c.ours == ours]

    assert claims
    assert all(claim.title.startswith("likewise") == ours for claim in claims)
