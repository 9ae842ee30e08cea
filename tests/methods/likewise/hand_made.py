"""Answers, journals and probabilities made by hand, for the tests of the fields."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np
from hypothesis import strategies as st
from tests.problems import Tiny
from tests.strategies import VERDICTS, pairs

from likewise._arrays import AnyFloats, Indices
from likewise.knowledge import (
    GO_ON,
    NEW,
    STAY,
    Answer,
    Knowledge,
    Prediction,
    Question,
    Verdict,
)
from likewise.methods import problem_of
from likewise.methods._likewise._acquisition import best_question
from likewise.methods._likewise._beliefs import Beliefs
from likewise.methods._likewise._prior import Prior, Source, prior_of
from likewise.methods._likewise._probabilities import (
    Blocked,
    Likeliest,
    Probabilities,
    Rows,
    likeliest,
)
from likewise.methods._likewise._regimes import EXACT, Regime
from likewise.methods._likewise._surroundings import Surroundings

SAME, DIFFERENT, UNSURE = Verdict.SAME, Verdict.DIFFERENT, Verdict.UNSURE
KINDS = ("sample", "groups", "check", "check groups")


def told(i: int, j: int, verdict: Verdict) -> Answer:
    """Return an answer that nobody asked for."""
    return Answer(Question(i, j), verdict)


def asked(
    i: int, j: int, verdict: Verdict, kind: str = "sample", **expected: Any
) -> Answer:
    """Return an answer to a question of the method."""
    predicted = Prediction(expected.pop("same", 0.5), kind, **expected)
    return Answer(Question(i, j, predicted), verdict)


def predictions(n_samples: int) -> st.SearchStrategy[Prediction]:
    """Draw what a method may have expected, sensible or not."""
    meanings = st.sampled_from([GO_ON, NEW, STAY]) | st.integers(0, n_samples - 1)
    return st.builds(
        Prediction,
        same=st.floats(0, 1),
        kind=st.sampled_from(KINDS),
        aux=st.floats(0, 1),
        if_same=st.booleans(),
        if_different=meanings,
    )


def journals(
    n_samples: int = 8, *, max_size: int = 16, unasked: bool = True
) -> st.SearchStrategy[list[Answer]]:
    """Draw answers in which anything may be expected and said."""
    expected: st.SearchStrategy[Prediction | None] = predictions(n_samples)
    if unasked:
        expected = st.none() | expected
    answer = st.builds(
        lambda pair, predicted, verdict, how: Answer(
            Question(pair[0], pair[1], predicted), verdict, how=how
        ),
        pairs(n_samples),
        expected,
        st.sampled_from(VERDICTS),
        st.sampled_from(["asked", "given"]),
    )
    return st.lists(answer, max_size=max_size)


def settled_as(classes: dict[int, Sequence[int]]) -> Beliefs:
    """Return beliefs of which nothing but the classes is known."""
    members = {name: tuple(samples) for name, samples in classes.items()}
    class_of = {s: name for name, samples in members.items() for s in samples}
    return Beliefs(class_of, members)


def prior_for(
    tiny: Tiny,
    n_clusters: int | None = None,
    regime: Regime = EXACT,
    device: str = "cpu",
) -> Prior:
    problem = problem_of(tiny.X, affinity="auto", n_clusters=n_clusters, device=device)
    return prior_of(Source(problem, 0, regime))


def probabilities_of(
    prior: Prior, beliefs: Beliefs, aside: frozenset[int] = frozenset()
) -> Probabilities:
    return Probabilities(beliefs, Surroundings.of(prior, beliefs), aside)


def membership_of(probabilities: Probabilities) -> AnyFloats:
    """Return the soft membership of all samples, of shape (n, m)."""
    return probabilities.belonging(np.arange(len(probabilities.prior.start)))


def with_parts(probabilities: Probabilities, **parts: Any) -> Probabilities:
    """Return the probabilities with these parts said, and all others worked out."""
    made = replace(probabilities)
    made.__dict__.update(parts)
    return made


def saying(
    probabilities: Probabilities, rows: AnyFloats, new: AnyFloats, **parts: Any
) -> Probabilities:
    """Return the probabilities with those of the free samples said, of shape (f, m)."""
    free = probabilities.free

    def rows_of(samples: Indices) -> Rows:
        at = np.searchsorted(free, samples)
        return rows[at], new[at]

    def as_said(_: Indices, before: Rows) -> Rows:
        return before

    def of_some(
        samples: Indices, blocked: Blocked
    ) -> tuple[Indices, AnyFloats, AnyFloats]:
        at = np.searchsorted(free, samples)
        askable = rows[at]
        for sample, columns in blocked.items():
            askable[np.ix_(samples == sample, columns)] = 0.0
        return likeliest(askable, rows[at], new[at])

    def of_all(blocked: Blocked) -> Likeliest:
        found = of_some(free, blocked)
        whole = [np.zeros(len(probabilities.prior.start), part.dtype) for part in found]
        for part, instead in zip(whole, found, strict=True):
            part[free] = instead
        return cast(Likeliest, tuple(whole))

    parts |= {"rows_of": rows_of, "questioned": as_said, "doubted": as_said}
    parts |= {"likeliest_of": of_some}
    return with_parts(probabilities, likeliest=of_all, **parts)


def dialogue(
    prior: Prior, oracle: Callable[[Question], Verdict], budget: int
) -> Iterable[tuple[Probabilities, Knowledge, Question]]:
    """Ask and answer; yield each question with what it was asked from."""
    known = Knowledge(len(prior.start))
    beliefs = Beliefs.of(prior.medoids)
    for _ in range(budget):
        probabilities = probabilities_of(prior, beliefs)
        best = best_question(probabilities, known)
        if best is None:
            return
        yield probabilities, known, best.question
        answer = Answer(best.question, oracle(best.question))
        known, beliefs = known.after(answer), beliefs.after(answer)


def seen_in_dialogue(prior: Prior, truth: Any, budget: int = 25) -> list[Probabilities]:
    """Return what is thought in a dialogue with some wrong and some unsure answers."""

    def oracle(question: Question) -> Verdict:
        slip, shrug = np.random.default_rng(question.pair).random(2)
        if shrug < 0.1:
            return UNSURE
        same = truth[question.sample] == truth[question.against]
        return SAME if bool(same) != (slip < 0.15) else DIFFERENT

    return [probabilities for probabilities, _, _ in dialogue(prior, oracle, budget)]
