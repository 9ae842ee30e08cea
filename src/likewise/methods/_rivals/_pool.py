"""pKNN+AL and QUIRE: which sample of a pool to ask about, by those already placed.

Both come from active learning, where the classes of samples are asked for; here the
certain sets are the classes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
import scipy.sparse as sp
from scipy.linalg import cho_factor, cho_solve

from likewise._arrays import Floats, Indices, Samples, Weights, dense
from likewise.knowledge import Knowledge
from likewise.methods._problem import Problem
from likewise.methods.clustering import SpectralModel, spectral_method
from likewise.methods.sampling import propose_by_sample

CALM = 1e-3  # pKNN: a bound may be missed by this much, the authors' tolerance
FIRM = 1e5  # pKNN's gamma: so large that what it lets pass is below CALM
STEPS = 1000  # of the search for pKNN's kernels, at most
EDGE = 1e-9  # determinants below it are outside: the kernel is about to collapse
RIDGE = 1.0  # QUIRE's lambda, at its default


def placed_samples(known: Knowledge) -> tuple[Indices, Indices]:
    """Return the samples of the certain sets, and which set each is of."""
    sets = list(map(known.constraints.samples, known.certain))
    placed = np.array([s for members in sets for s in members], dtype=np.intp)
    return placed, np.repeat(np.arange(len(sets)), list(map(len, sets)))


def centred(X: Samples) -> Samples:
    """Return the samples around zero, where squares lose no digits; sparse as is."""
    return X if sp.issparse(X) else X - X.mean(axis=0)


def mean_square_distance(X: Samples) -> float:
    """Return the mean of ||x_i - x_j||^2 over all i and j; 1 where all are equal."""
    X = centred(X)
    squares = X.multiply(X).sum() if sp.issparse(X) else (X**2).sum()
    mean = np.asarray(X.mean(axis=0)).ravel()
    return max(2 * float(squares / X.shape[0] - mean @ mean), 0.0) or 1.0


@dataclass(frozen=True, slots=True)
class Bounds:
    r"""How likely a placed sample's classes must be, and by which kernels.

    With :math:`q_{ic} = e_i^T K_c v_c`, how like its members sample i is to class c,
    :math:`v_c` being :math:`1 / n_c` for each of these, the bounds are linear:

    .. math::
        q_{i y_i} \ge \alpha \sum_t q_{it}, \qquad
        q_{ic} \le \beta \sum_t q_{it} \quad (c \ne y_i), \qquad
        \alpha = \tfrac{2}{m}, \; \beta = \tfrac{0.99}{m}.

    Attributes
    ----------
    K : ndarray of shape (o, o)
        The kernel that is known, among the placed samples.
    V : ndarray of shape (o, m)
        Columns v_c.
    KV : ndarray of shape (o, m)
    own : ndarray of shape (m,)
        :math:`v_c^T K v_c`.
    sign : ndarray of shape (o, m)
        -1 for the class that a sample is of, where the bound is from below; else 1.
    bound : ndarray of shape (o, m)
        alpha or beta.
    """

    K: Floats
    V: Floats
    KV: Floats
    own: Floats
    sign: Floats
    bound: Floats

    def missed(self, q: Floats) -> Floats:
        """Return by how much each bound is missed; negative where it is kept."""
        return self.sign * (q - self.bound * q.sum(axis=1, keepdims=True))

    def pulls(self, prices: Floats) -> Floats:
        """Return W, what the bounds at these prices take from each q_ic."""
        signed = self.sign * prices
        return signed - (self.bound * signed).sum(axis=1, keepdims=True)

    def determinants(self, W: Floats) -> tuple[Floats, Floats, Floats]:
        """Return K W, and each class's t and Z as :func:`learned_weights` has them."""
        KW = self.K @ W
        t = 1 + (self.V * KW).sum(axis=0) / 2
        return KW, t, t**2 - self.own * (W * KW).sum(axis=0) / 4


def bounds_of(K: Floats, classes: Indices) -> Bounds:
    """Return what the classes 0..m-1, each in use, ask of the kernels."""
    m = int(classes.max()) + 1
    member = classes[:, np.newaxis] == np.arange(m)
    V = member / member.sum(axis=0)
    KV = K @ V
    sign = np.where(member, -1.0, 1.0)
    return Bounds(K, V, KV, (V * KV).sum(axis=0), sign, np.where(member, 2.0, 0.99) / m)


def learned_weights(K: Floats, classes: Indices) -> Floats:
    r"""Return the weights that turn a kernel into likenesses to classes.

    Each class has a kernel of its own, as near to K as the bounds of :class:`Bounds`
    on all placed samples allow (Eq. 3 of the paper):

    .. math::
        \min_{K_1 .. K_m, \, \xi} \; \sum_c D(K_c, K) + \gamma \|\xi\|^2, \qquad
        D(K_c, K) = \operatorname{tr} K_c K^{-1} - \log\det K_c K^{-1} - o,

    :math:`\xi` being by how much each bound is missed.

    Parameters
    ----------
    K : ndarray of shape (o, o)
        A positive semi-definite kernel among the placed samples.
    classes : ndarray of shape (o,)
        0..m-1, each in use; at least two.

    Returns
    -------
    ndarray of shape (o, m)
        For a sample x with kernel row k(x), k(x) times this is its mean learned
        likeness to the members of each class.

    Notes
    -----
    With prices :math:`\lambda \ge 0` on the bounds, and :math:`w_c` what these take
    from :math:`q_c`, the best kernel is K changed by rank two (Eq. 6 of the paper),
    :math:`K_c^{-1} = K^{-1} + \tfrac12 (w_c v_c^T + v_c w_c^T)`, so that

    .. math::
        \det K_c^{-1} K = Z_c = t_c^2 - \tfrac14 v_c^T K v_c \, w_c^T K w_c, \qquad
        t_c = 1 + \tfrac12 v_c^T K w_c, \qquad
        K_c v_c = K \frac{t_c v_c - \tfrac12 (v_c^T K v_c) w_c}{Z_c},

    and the prices maximise the concave :math:`\sum_c \log Z_c - \|\lambda\|^2 / 4
    \gamma`, whose gradient is by how much the bounds are missed. The paper goes from
    sample to sample; here L-BFGS-B takes all prices at once, to the same optimum. Other
    eigenvalues of :math:`K_c^{-1} K` being 1 or more, a kernel is positive just where
    its Z is; outside the logarithm is continued by a parabola, and the search turns.

    alpha, beta and the tolerance of 0.001 are the defaults of the authors' code. Its
    gamma of 1e20 makes the bounds hard, and two samples that are alike and of different
    classes cannot keep them; 1e5 lets pass what is below the tolerance.

    References
    ----------
    P. Jain, A. Kapoor. Active learning for large multi-class problems. CVPR 2009.

    Examples
    --------
    >>> K = np.array([[1.0, 0.8, 0.5], [0.8, 1.0, 0.5], [0.5, 0.5, 1.0]])
    >>> (K @ learned_weights(K, np.array([0, 0, 1]))).argmax(axis=1).tolist()
    [0, 0, 1]
    """
    bounds = bounds_of(K, classes)
    W = bounds.pulls(_prices(bounds))
    _, t, Z = bounds.determinants(W)
    return (t * bounds.V - bounds.own * W / 2) / np.maximum(Z, EDGE)


def _prices(bounds: Bounds) -> Floats:
    """Return the lambda of shape (o, m) that maximises the dual."""
    from scipy.optimize import minimize

    shape = bounds.V.shape
    found = minimize(
        lambda prices: _dual(bounds, prices.reshape(shape)),
        np.zeros(bounds.V.size),
        jac=True,
        method="L-BFGS-B",
        bounds=[(0.0, None)] * bounds.V.size,
        options={"maxiter": STEPS, "maxfun": 2 * STEPS, "gtol": CALM, "ftol": 0.0},
    )
    return np.reshape(found.x, shape)


def _dual(bounds: Bounds, prices: Floats) -> tuple[float, Floats]:
    """Return what is minimised over the prices, and its gradient."""
    KW, t, Z = bounds.determinants(bounds.pulls(prices))
    inside = np.maximum(Z, EDGE)
    beyond = (Z - inside) / EDGE
    slopes = (1 - beyond) / inside
    q = (t * bounds.KV - bounds.own * KW / 2) * slopes
    value = (np.log(inside) + beyond - beyond**2 / 2).sum()
    gradient = bounds.missed(q) - prices / (2 * FIRM)
    return float((prices**2).sum() / (4 * FIRM) - value), -gradient.ravel()


def doubt(likeness: Floats) -> Floats:
    r"""Return :math:`1 / \max_c P(c \mid x)`: how many classes are as good as likely.

    .. math::
        P(c \mid x) = \frac{q_c(x)}{\sum_t q_t(x)}, \qquad
        q_c(x) = \frac{1}{n_c} \sum_{i : y_i = c} K_c(x, x_i)

    Parameters
    ----------
    likeness : ndarray of shape (c, m)
        q, how like each candidate is to the members of each class, on average.

    Returns
    -------
    ndarray of shape (c,)
        Between 0 and m; the largest is the best to ask about.

    Notes
    -----
    A learned kernel may be negative between samples, and the bounds on two classes ask
    for just that: then the largest "probability" is above 1, and the doubt below 1. Two
    readings where the paper leaves room: where the sum of q is not positive nothing is
    in doubt (the limit of what the formula says as q of all other classes falls), and a
    sample that is like nobody may be anywhere.

    Examples
    --------
    >>> doubt(np.array([[0.6, 0.2], [0.5, -0.1], [0.1, -0.2], [0.0, 0.0]])).round(2)
    array([1.33, 0.8 , 0.  , 2.  ])
    """
    most = likeness.max(axis=1)
    anywhere = np.full(len(likeness), float(likeness.shape[1]))
    found = np.divide(likeness.sum(axis=1), most, out=anywhere, where=most > 0)
    return np.maximum(found, 0.0)


def least_likely_mode(
    model: SpectralModel,
    known: Knowledge,
    free: Indices,
    rng: np.random.Generator,  # noqa: ARG001 - nothing is left to chance
) -> Floats:
    r"""Return the doubt about the samples in `free`; the certain sets are the classes.

    The sample whose likeliest class is the least likely is asked about: the minimum
    over samples of the maximum over classes, for which the paper of URASC calls the
    method minmax-based.

    Notes
    -----
    Published are the probabilities, the learning of the kernels and this criterion. The
    authors' code has others too: the margin between the two likeliest classes, which is
    its default, and entropies; and it compares the q as they are, not their shares.

    Readings: m is the number of certain sets, since a session finds the classes as it
    goes, where the paper begins with samples of each; the paper takes the kernel as
    given, and here it is the one that QUIRE has, :func:`kernel_columns`. While only one
    set is known all samples are in equal doubt, and chance chooses. Despite the name
    nearest neighbours are not counted: all members of a class are heard, the near ones
    loudest.

    References
    ----------
    P. Jain, A. Kapoor. Active learning for large multi-class problems. CVPR 2009.
    """
    placed, classes = placed_samples(known)
    if classes.max() == 0:
        return np.ones(len(free))
    K = kernel_columns(model.problem, placed)
    return doubt(K[free] @ learned_weights(K[placed], classes))


PKNN = spectral_method(
    "pknn+al",
    "pKNN+AL: asks about the sample whose likeliest class is the least likely.",
    partial(propose_by_sample, least_likely_mode),
)


def worst_case_losses(
    labelled: Floats, across: Floats, own: Floats, y: Floats, ridge: float
) -> Floats:
    r"""Return the loss that is left when each candidate is labelled in the worst way.

    For kernel K, :math:`L = (K + \lambda I)^{-1}` and labels y of which those of the
    labelled samples are known, the loss of labelling sample s is

    .. math::
        \max_{y_s = \pm 1} \min_{y_u} y^T L y
        = y_l^T A y_l + \frac{(1 + |k_s^T A y_l|)^2}
                             {k_{ss} + \lambda - k_s^T A k_s},
        \qquad A = (K_{ll} + \lambda I)^{-1}.

    It is small for a sample that is informative (the labelled ones do not say what it
    is: :math:`|k_s^T A y_l|` is small) and representative (they leave much of its
    variance open: what is below the line is large).

    Parameters
    ----------
    labelled : ndarray of shape (l, l)
        K among the labelled samples.
    across : ndarray of shape (c, l)
        K between candidates and labelled samples.
    own : ndarray of shape (c,)
        K of each candidate with itself.
    y : ndarray of shape (l,)
        1 or -1.
    ridge : float
        :math:`\lambda`, positive.

    Returns
    -------
    ndarray of shape (c,)
        Positive; the smallest is the best to ask about.

    Notes
    -----
    The paper writes the loss with the (n, n) matrix L and updates its blocks. To
    minimise over the labels that stay unknown is to take the inverse of L restricted to
    the others, :math:`((L^{-1})_{ls,ls})^{-1} = (K_{ls,ls} + \lambda I)^{-1}`, and its
    last row and column give the two terms above: only systems of the size of what is
    labelled, and equal to the paper's y'Ly with no constant between them. As in the
    paper the unknown labels may be any real numbers, and so the samples that stay
    unlabelled drop out: they do not say which sample is representative.

    References
    ----------
    S.-J. Huang, R. Jin, Z.-H. Zhou. Active learning by querying informative and
    representative examples. NIPS 2010.
    """
    regular = labelled + ridge * np.eye(len(labelled))
    solved = cho_solve(cho_factor(regular), np.column_stack([y, across.T]))
    said, explained = across @ solved[:, 0], (across.T * solved[:, 1:]).sum(axis=0)
    left = np.maximum(own + ridge - explained, ridge)
    return float(y @ solved[:, 0]) + (1 + np.abs(said)) ** 2 / left


def informative_and_representative(
    model: SpectralModel,
    known: Knowledge,
    free: Indices,
    rng: np.random.Generator,  # noqa: ARG001 - nothing is left to chance
) -> Floats:
    """Return 1 / loss for the samples in `free`: positive, the largest is the best.

    The first certain set is labelled 1, the others -1.
    """
    placed, classes = placed_samples(known)
    y = np.where(classes == 0, 1.0, -1.0)
    K = kernel_columns(model.problem, placed)
    own = np.ones(len(free))
    return 1 / worst_case_losses(K[placed], K[free], own, y, RIDGE)


def kernel_columns(problem: Problem, columns: Indices) -> Floats:
    r"""Return some columns of a kernel that is positive semi-definite, diagonal 1.

    Parameters
    ----------
    problem : Problem
    columns : ndarray of shape (l,)

    Returns
    -------
    ndarray of shape (n, l)

    Notes
    -----
    Of features, :math:`\exp(-\|x_i - x_j\|^2 / s)` with s the mean of the squared
    distance over all pairs: the mean needs no list of pairs, the median would. Of
    similarities alone, :math:`I + D^{-1/2} W D^{-1/2}`, whose eigenvalues are between
    0 and 2 whatever W is.
    """
    from sklearn.metrics.pairwise import rbf_kernel

    X = problem.features
    if X is None:
        return _shifted_columns(problem.weights, columns)
    X = centred(X)
    return rbf_kernel(X, X[columns], gamma=1 / mean_square_distance(X))


def _shifted_columns(W: Weights, columns: Indices) -> Floats:
    degrees = np.asarray(W.sum(axis=1)).ravel()
    scale = np.zeros_like(degrees)
    np.divide(1.0, np.sqrt(degrees), out=scale, where=degrees > 0)
    shifted = scale[:, np.newaxis] * dense(W[:, columns]) * scale[columns]
    shifted[columns, np.arange(len(columns))] += 1.0
    return shifted


QUIRE = spectral_method(
    "quire",
    "QUIRE: asks about the sample that is informative and representative at once.",
    partial(propose_by_sample, informative_and_representative),
    most_clusters=2,
)
