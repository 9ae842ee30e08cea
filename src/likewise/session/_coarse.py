"""The first questions where many samples take long: about a part of them."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np

from likewise._arrays import Samples
from likewise._regime import COARSE, COARSE_AGAIN, COARSE_FROM
from likewise.knowledge import Journal
from likewise.methods import (
    AnyMethod,
    coarse,
    find_method,
    part_of,
    samples_of,
    whole_of,
)
from likewise.session._open import DEFAULTS, Begun, seed_of
from likewise.session._session import Session
from likewise.session._state import State


def is_long(X: Samples, how: Begun, *, is_again: bool = False) -> bool:
    """Tell whether people would wait more than some seconds for a first question.

    Parameters
    ----------
    X : ndarray or sparse array of shape (n_samples, n_features)
    how : dict
        ``method`` and ``affinity`` of the session.
    is_again : bool
        Whether they were compared before, so that what took long of it is kept.

    Examples
    --------
    >>> is_long(np.zeros((100, 2)), {}), is_long(np.zeros((10**6, 2)), {})
    (False, True)
    """
    wanted: dict[str, Any] = {**DEFAULTS, **how}
    is_auto = wanted["affinity"] == DEFAULTS["affinity"]
    if not is_auto or find_method(wanted["method"]).affinity is not None:
        return False  # a part says nothing of all, if its graph is another
    least = COARSE_AGAIN if is_again else COARSE_FROM
    return isinstance(X, np.ndarray) and len(X) > least


def coarse_session(
    X: Samples, journal: Journal, *, count: int = COARSE, **how: Unpack[Begun]
) -> Session | None:
    """Return a session on all samples that asks about a part of them.

    It is ready in a few seconds, whatever their number. Its answers are as good as any:
    another session on the same journal goes on with them.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    journal : Journal
        What it takes up, and where it writes to. Samples that were answered about join
        the part.
    count : int
        How many samples are drawn.
    **how
        ``method``, ``n_clusters`` and ``random_state`` of the session.

    Returns
    -------
    Session or None
        None where more samples than that were answered about: there is no part that is
        small, and holds them.
    """
    wanted: dict[str, Any] = {**DEFAULTS, **how}
    method: AnyMethod = find_method(wanted["method"])
    told = State.of(len(X), journal.read()).known.answers
    if len(samples_of(told)) > count:
        return None
    rows = np.asarray(X)
    seed = seed_of(wanted["random_state"])
    part = part_of(rows, method, wanted["n_clusters"], count, seed or 0)
    return Session(
        whole_of(rows, part),
        coarse(method, part),
        random_state=seed,
        journal=journal,
    )
