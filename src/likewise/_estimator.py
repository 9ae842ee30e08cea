"""Active clustering as a scikit-learn estimator."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import validate_data

from likewise._arrays import SamplesLike, as_samples, is_frame
from likewise.affinity import PAIRWISE, Kernel
from likewise.methods import AnyMethod
from likewise.session import Given, Oracle, PairFunction, Session, run


class ActiveClustering(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Cluster by asking an oracle whether pairs of samples belong together.

    The same as a loop over :class:`~likewise.Session`, and with the same result.

    Parameters
    ----------
    n_clusters : int, optional
        How many groups there are; None when nobody knows.
    method : str or Method, default="likewise"
        A name in ``likewise.METHODS``, or a method.
    affinity : str or callable, default="auto"
        "auto", "gaussian", "chi2", "cosine", "precomputed", "scores", or a function.
    budget : int, default=100
        Questions to ask at most.
    random_state : int, RandomState instance or None, default=None
    device : {"cpu", "cuda"}, default="cpu"
        Where the spectrum of many samples is solved for, as in ``Session``.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The cluster of each sample.
    n_clusters_ : int
        How many clusters there are.
    n_questions_ : int
        How many questions were asked.
    session_ : Session
        The session, to look at or to go on with.
    n_features_in_ : int

    Examples
    --------
    >>> from likewise import ActiveClustering, LabelOracle
    >>> X, y = [[0.0], [0.1], [3.0], [3.1], [3.2]], [0, 0, 1, 1, 1]
    >>> found = ActiveClustering(n_clusters=2).fit(X, oracle=LabelOracle(y))
    >>> bool(found.labels_[0] == found.labels_[1])
    True
    """

    def __init__(
        self,
        n_clusters: int | None = None,
        method: str | AnyMethod = "likewise",
        affinity: str | Kernel = "auto",
        budget: int = 100,
        random_state: int | np.random.RandomState | None = None,
        device: str = "cpu",
    ) -> None:
        self.n_clusters = n_clusters
        self.method = method
        self.affinity = affinity
        self.budget = budget
        self.random_state = random_state
        self.device = device

    def fit(
        self,
        X: SamplesLike,
        y: object = None,  # noqa: ARG002 - scikit-learn passes one
        *,
        oracle: Oracle | PairFunction | None = None,
        answers: Iterable[Given] | None = None,
    ) -> ActiveClustering:
        """Cluster ``X``, asking the oracle at most ``budget`` questions.

        Parameters
        ----------
        X : array-like, DataFrame or sparse matrix of shape (n_samples, n_features)
            With ``affinity="precomputed"`` an (n, n) similarity, with "scores" an
            (n, n) matrix of them.
        y : ignored
        oracle : callable, optional
            ``oracle(question)`` or ``f(i, j)``. Without one, nothing is asked.
        answers : iterable of (i, j, verdict), optional
            What is known already.

        Returns
        -------
        ActiveClustering
            Itself.
        """
        if not is_frame(X):
            X = as_samples(X)
        validate_data(self, X, skip_check_array=True)
        seed = self.random_state  # as in Session(random_state=...)
        if seed is None or isinstance(seed, np.random.RandomState):
            seed = int(check_random_state(seed).randint(2**31 - 1))
        session = Session(
            X,
            self.method,
            self.n_clusters,
            self.affinity,
            seed,
            answers=answers,
            device=self.device,
        )
        if oracle is not None:
            for _ in run(session, oracle, self.budget):
                pass
        self.session_ = session
        self.labels_ = session.labels
        self.n_clusters_ = int(self.labels_.max()) + 1
        self.n_questions_ = session.n_questions
        return self

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.affinity in PAIRWISE
        return tags
