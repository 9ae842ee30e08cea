"""The same session asks and groups the same on every machine.

The last digits of numbers depend on the number of threads and on what the processor can
do; both can be set for a process of its own. So can the order of texts in a set.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from benchmarks.machines import (
    REFERENCE,
    Case,
    Seen,
    Setting,
    agreement,
    cases,
    features,
    first_difference,
    heaps,
    offered,
    run_under,
    settings,
)

from likewise import METHODS, LabelOracle, Session
from likewise._arrays import Floats, Indices

OTHERS = (
    Setting(threads=2, hash_seed=1),
    Setting(kernels="Haswell"),
    Setting(kernels="Nehalem", without=features(), hash_seed=2),
)
FEW = (
    Case("iris", "urasc+n", is_k_known=True, error_rate=0.05),
    Case("digits", "likewise", is_k_known=False, n_questions=25),
    Case("digits", "urasc+n", is_k_known=True, n_questions=15),
    Case("heaps-300", "likewise", is_k_known=False, n_questions=10),
    Case("heaps-5100", "likewise", is_k_known=True, n_questions=3),
)
BUNDLED = ("iris", "wine", "digits", "breast_cancer", "heaps-4900", "heaps-5100")


def shown(setting: Setting, wanted: Sequence[Case]) -> list[Seen]:
    """Return what sessions showed in a process with a setting."""
    _, *found = run_under(setting, wanted)
    return found


def differences(
    setting: Setting, wanted: Sequence[Case], usual: Sequence[Seen]
) -> list[str]:
    """Return which sessions differ under a setting, and from where on."""
    found = zip(wanted, usual, shown(setting, wanted), strict=True)
    return [
        f"{case} under {setting}: question {first_difference(old, new)}, labels at "
        f"{agreement(old.first, new.first)} and {agreement(old.last, new.last)}"
        for case, old, new in found
        if old != new
    ]


@pytest.fixture(scope="module")
def usual() -> list[Seen]:
    return shown(REFERENCE, FEW)


@pytest.mark.parametrize("setting", OTHERS, ids=str)
def test_threads_kernels_and_hashes_change_no_question_and_no_label(
    setting: Setting, usual: list[Seen]
) -> None:
    assert differences(setting, FEW, usual) == []


@pytest.mark.slow
def test_no_setting_of_this_machine_changes_a_question_or_a_label() -> None:
    # All kernels with one thread, and all numbers of threads with the machine's own.
    few = [s for s in settings() if s.threads == 1 or not (s.kernels or s.without)]
    first, *others = offered(few)[0]
    wanted = cases(BUNDLED, tuple(METHODS), n=40)

    usual = shown(first, wanted)

    assert [line for s in others for line in differences(s, wanted, usual)] == []


def cube() -> tuple[Floats, Indices]:
    """Return a grid, where nearly all that is compared ties, and three groups in it."""
    axis = np.arange(1.0, 6.0)
    X = np.stack(np.meshgrid(axis, axis, axis), axis=-1).reshape(-1, 3)
    return X, (X[:, 0] > X[:, 1]).astype(np.intp) + (X[:, 2] > 3)


@pytest.mark.filterwarnings("ignore::likewise.errors.AssumptionWarning")
@pytest.mark.parametrize("method", METHODS)
def test_other_last_digits_change_no_question_and_no_label(method: str) -> None:
    # Other units of the features: all digits differ, and what was equal is equal still.
    X, y = cube()

    usual, *others = (trace(X * unit, y, method) for unit in (1.0, 1.1, 0.7))

    assert others == [usual, usual]


def trace(X: Floats, y: Indices, method: str) -> Seen:
    """Return what a session of some questions shows."""
    session, oracle = Session(X, method), LabelOracle(y)
    first, questions = session.labels.tolist(), []
    for _ in range(10):
        question = session.ask()
        assert question is not None
        session.tell(question, oracle(question))
        questions.append([question.sample, question.against])
    return Seen(questions, first, session.labels.tolist())


def test_sessions_that_differ_are_told_apart() -> None:
    old = Seen([[1, 2], [3, 4]], [0, 0, 1], [0, 1, 1])

    assert first_difference(old, old) is None
    assert first_difference(old, Seen([[1, 2], [3, 5]], [], [])) == 2
    assert first_difference(old, Seen([[1, 2]], [], [])) == 2
    assert agreement(old.first, old.first) == 1.0
    assert agreement([0, 0, 1], [1, 1, 0]) == pytest.approx(1.0)
    assert agreement([0, 0, 1], [1, 1, 0]) < 1.0
    assert agreement(old.first, old.last) < 0.5


def test_the_first_setting_is_the_usual_one_and_no_name_is_there_twice() -> None:
    names = [str(setting) for setting in settings()]

    assert settings()[0] == REFERENCE
    assert len(set(names)) == len(names)


def test_heaps_are_clear() -> None:
    X, y = heaps(300)
    middles = [X[y == heap].mean(axis=0) for heap in range(3)]
    gaps = [abs(a - b).max() for a in middles for b in middles if a is not b]

    assert min(gaps) > 3 * max(X[y == heap].std(axis=0).max() for heap in range(3))
