"""Array types, and the one check that arrays and numbers pass where they come in."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from operator import index
from typing import Any, TypeAlias
from weakref import WeakValueDictionary

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from likewise import _regime as regime
from likewise.errors import AssumptionWarning, InputError, MissingExtraError

Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.intp]
Sparse: TypeAlias = sp.csr_array
# A union would have to be told apart at each use, which scipy has no types for.
Samples: TypeAlias = Any  # AnyFloats or Sparse, of shape (n_samples, n_features)
Weights: TypeAlias = Any  # AnyFloats or Sparse, of shape (n_samples, n_samples)
SamplesLike: TypeAlias = ArrayLike | Sparse  # also a DataFrame: what people have
AnyFloats: TypeAlias = NDArray[np.floating[Any]]  # float64, or float32 for many samples
AnyIndices: TypeAlias = NDArray[np.integer[Any]]

N_SIGNS = 64  # of a kind of words, where there are many kinds
NUMBERS = "biuf"  # kinds of types that hold numbers
TEXTS = "OSTU"  # and those that may
REACH = 100  # powers of two from 1, beyond which squares of squares leave float64
MOST_QUOTED = 80  # characters of a value in an error
FIELD = 128  # columns of one field of a record, see encoders.encode_fields
N_CHECKED = 65_536  # rows looked at together, so that a memory map stays on disk

# Memory maps that passed the check, by their ids: nobody can write into them.
_passed: WeakValueDictionary[int, NDArray[Any]] = WeakValueDictionary()


def spans(n: int, size: int) -> Iterator[slice]:
    """Yield 0..n-1 in slices of at most `size`."""
    for start in range(0, n, size):
        yield slice(start, min(start + size, n))


def fields_of(X: Samples) -> Samples:
    """Return records cut into their fields.

    Parameters
    ----------
    X : ndarray of shape (n, n_fields * FIELD)
        As :func:`~likewise.encoders.encode_fields` makes them. What has another width
        is one field.

    Returns
    -------
    ndarray of shape (n, n_fields, FIELD)
        A view.

    Examples
    --------
    >>> fields_of(np.zeros((3, 256))).shape, fields_of(np.zeros((3, 200))).shape
    ((3, 2, 128), (3, 1, 200))
    """
    n, width = X.shape
    are_fields = width and width % FIELD == 0
    return X.reshape((n, -1, FIELD) if are_fields else (n, 1, width))


def described(value: object) -> str:
    """Return a value as an error may quote it: short, and on one line.

    Examples
    --------
    >>> described("3"), described(np.zeros((9, 9)))
    ("'3'", 'of type ndarray')
    """
    shown = repr(value)
    is_short = len(shown) <= MOST_QUOTED and shown.isprintable()
    return shown if is_short else f"of type {type(value).__name__}"


def as_whole(value: Any, what: str, least: int = 0, most: int | None = None) -> int:
    """Return a whole number, or refuse what is none or out of range.

    Parameters
    ----------
    value : int
        Of Python or numpy. A float is none, whatever its value, nor is a bool.
    what : str
        What it is called in the error.
    least, most : int
        The range, both ends included.

    Examples
    --------
    >>> as_whole(np.uint64(3), "n_clusters", 1)
    3
    >>> as_whole(2.0, "n_clusters", 1, 9)
    Traceback (most recent call last):
    ...
    likewise.errors.InputError: n_clusters must be a whole number between 1 and 9, but
    it is 2.0.
    """
    number = whole_or_none(value)
    if number is None or number < least or (most is not None and number > most):
        bounds = f"from {least} on" if most is None else f"between {least} and {most}"
        raise InputError(
            f"{what} must be a whole number {bounds}, but it is {described(value)}."
        )
    return number


def whole_or_none(value: Any) -> int | None:
    """Return a whole number of Python or numpy as Python's, and None for all else."""
    if isinstance(value, bool | np.bool_):
        return None
    try:
        return index(value)
    except TypeError:
        return None


def is_frame(X: Any) -> bool:
    """Tell a DataFrame from an array without importing pandas."""
    return hasattr(X, "columns") and hasattr(X, "iloc")


def is_polars(X: Any) -> bool:
    """Tell a DataFrame of polars without importing it."""
    return hasattr(X, "get_columns") and hasattr(X, "to_dicts")


def as_samples(X: Any) -> Samples:
    """Return ``X`` as finite numbers of shape (n_samples, n_features).

    Parameters
    ----------
    X : array-like, DataFrame or scipy sparse matrix of shape (n_samples, n_features)
        Columns of a DataFrame (of pandas or polars) that hold texts, categories or
        booleans are one-hot encoded; a missing value is refused, with its column named.

    Returns
    -------
    ndarray or scipy.sparse.csr_array
        A copy in float64 of up to 20,000 samples. More are not copied if they are
        float32 or float64 already, and a memory map never is, so that it may be larger
        than memory; else numbers that float32 holds exactly become float32. A memory
        map that cannot be written to is looked through once, not each time.

    Examples
    --------
    >>> as_samples([[1, 2], [3, 4]])
    array([[1., 2.],
           [3., 4.]])
    """
    if is_polars(X):
        X = _of_pandas(X)
    if is_frame(X):
        return _from_frame(X)
    if sp.issparse(X):
        return _from_sparse(X)
    if _has_passed(X):
        return X
    checked = _refuse_shape(_from_array(X))
    if _is_mapped(checked) and not checked.flags.writeable:
        _passed[id(checked)] = checked
    return checked


def _from_sparse(X: Any) -> Sparse:
    if X.ndim != 2:  # noqa: PLR2004 - a matrix has two dimensions
        _refuse_shape(X)
    _refuse_kind(X)
    if hasattr(X, "check_format"):
        try:
            X.check_format(full_check=True)  # or scipy writes where it should not
        except ValueError as error:
            raise InputError(
                f"The sparse matrix is damaged ({str(error).rstrip('.')}): make it "
                f"again."
            ) from None
    rows = sp.csr_array(X)
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    checked = _as_floats(rows)
    _refuse_missing(checked.data)
    return _refuse_shape(checked)


def _has_passed(X: Any) -> bool:
    """Tell whether these are many rows of a memory map that was checked before."""
    is_table = _is_mapped(X) and X.ndim == 2  # noqa: PLR2004 - a matrix
    if not is_table or len(X) <= regime.EXACT_SEARCH or not X.size:
        return False
    part = X
    while _is_mapped(part) and part.dtype == X.dtype and not part.flags.writeable:
        if _passed.get(id(part)) is part:
            return True
        part = part.base
    return False


def within_reach(X: Samples) -> tuple[Samples, int]:
    """Return samples whose squares float64 can hold, and what they were divided by.

    Numbers around 1e300 or 1e-300 are divided by a power of two, which rounds nothing
    and changes no ratio of distances; all others stay as they are.

    Returns
    -------
    samples : ndarray or csr_array of shape (n_samples, n_features)
    exponent : int
        Of the power of two.

    Examples
    --------
    >>> within_reach(np.array([[0.0], [2.0**1000]]))
    (array([[0. ],
           [0.5]]), 1001)
    """
    values = X.data if sp.issparse(X) else X
    largest = max(values.max(initial=0.0), -values.min(initial=0.0))
    exponent = int(np.frexp(largest)[1])
    if abs(exponent) <= REACH:
        return X, 0
    if not sp.issparse(X):
        return np.ldexp(X, -exponent), exponent
    X = X.copy()
    X.data = np.ldexp(X.data, -exponent)
    return X, exponent


def as_affinity(W: Any) -> Weights:
    """Return a precomputed similarity as a symmetric matrix with a zero diagonal.

    Parameters
    ----------
    W : array-like or scipy sparse matrix of shape (n_samples, n_samples)
        Symmetric, not negative. The diagonal is ignored. Weights around 1e300 or
        1e-300 are divided by a power of two: it is their ratio that counts.

    Returns
    -------
    ndarray or scipy.sparse.csr_array
        float64 for up to 20,000 samples; above, float32 stays float32. A sparse graph
        is checked and copied in time and memory proportional to its entries.
    """
    W = as_samples(W)
    W = W.astype(float_kind(W.dtype), copy=False)
    if W.shape[0] != W.shape[1]:
        raise InputError(
            f"A precomputed affinity must be square, but this one has shape {W.shape}: "
            f"pass features with affinity='auto', or an (n, n) similarity."
        )
    lowest = W.min()
    if lowest < 0:
        raise InputError(
            f"An affinity must not be negative, but the smallest entry is "
            f"{lowest:.6g}: shift it or pass a similarity such as exp(-distance)."
        )
    return without_diagonal(_symmetric(within_reach(W)[0]))


def _symmetric(W: Weights) -> Weights:
    """Return W without what rounding has made of its symmetry, or refuse it."""
    turned = W.T.tocsr() if sp.issparse(W) else W.T
    gap = abs(W - turned).max()
    if gap == 0:
        return W
    rounding = max(1e-8, 10 * float(np.finfo(W.dtype).eps))
    if gap > rounding * max(W.max(), 1e-300):
        raise InputError(
            f"An affinity must be symmetric, but W and its transpose differ by up to "
            f"{gap:.6g}: pass (W + W.T) / 2."
        )
    return (W + turned) / 2


def without_diagonal(W: Weights) -> Weights:
    """Return a copy of ``W`` whose diagonal is zero."""
    if sp.issparse(W):
        W = sp.csr_array(W) - sp.diags_array(W.diagonal()).tocsr()
        W.eliminate_zeros()
        W.sort_indices()
        return with_short_indices(W)
    W = W.copy()
    np.fill_diagonal(W, 0.0)
    return W


def with_short_indices(W: Sparse) -> Sparse:
    """Return ``W`` with indices of 32 bits where they suffice: half the memory."""
    longest = max(W.nnz, *W.shape)
    if W.indices.dtype == np.int32 or longest > np.iinfo(np.int32).max:
        return W
    indices, starts = W.indices.astype(np.int32), W.indptr.astype(np.int32)
    return sp.csr_array((W.data, indices, starts), shape=W.shape)


def dense(X: Samples) -> Floats:
    """Return ``X`` as an ordinary array."""
    return X.toarray() if sp.issparse(X) else X


def _from_array(X: Any) -> Floats:
    if np.ma.is_masked(X):
        raise InputError(
            "The samples contain masked values: fill them in or leave those samples "
            "out."
        )
    try:
        values = X if _is_mapped(X) else np.asarray(X)
    except ValueError:
        raise InputError(
            "The samples are not all of the same length: pass a table of numbers."
        ) from None
    if values.dtype.kind in TEXTS:
        values = _from_texts(values)
    _refuse_kind(values)
    values = _as_floats(values)
    _refuse_missing(values)
    return values


class _NoNumberError(InputError, TypeError):
    """A value is of a type that holds no number; scikit-learn wants a TypeError."""


def _from_texts(values: NDArray[Any]) -> Floats:
    advice = "pass numbers, or a DataFrame, whose text columns are one-hot encoded."
    try:
        return values.astype(np.float64)
    except TypeError as error:
        raise _NoNumberError(
            f"The samples hold values that are not numbers ({error}): {advice}"
        ) from None
    except (ValueError, OverflowError):
        raise InputError(
            f"The samples hold values that are not numbers: {advice}"
        ) from None


def _as_floats(values: Samples) -> Samples:
    if values.ndim == 0 or values.shape[0] <= regime.EXACT_SEARCH:
        with np.errstate(over="ignore"):  # what is too large is refused as infinity
            return values.astype(np.float64)
    if _is_mapped(values):
        return values
    return values.astype(float_kind(values.dtype), copy=False)


def _is_mapped(values: Any) -> bool:
    return isinstance(values, np.memmap) and values.dtype.kind in NUMBERS


def float_kind(kind: np.dtype[Any]) -> type[np.floating[Any]]:
    """Return the smaller of float32 and float64 that holds all numbers of a kind."""
    return np.float32 if np.can_cast(kind, np.float32) else np.float64


def _refuse_kind(values: Samples) -> None:
    kind = values.dtype.kind
    if kind == "c":
        raise InputError("Complex data not supported: pass real numbers.")
    if kind not in NUMBERS + TEXTS:
        raise InputError(
            f"The samples are of type {values.dtype}, which holds no numbers: pass "
            f"numbers."
        )


def _refuse_missing(values: Floats) -> None:
    rows = np.atleast_1d(values)
    for start in range(0, len(rows), N_CHECKED):
        some = rows[start : start + N_CHECKED]
        if not np.isfinite(some).all():
            what = "NaN" if np.isnan(some).any() else "infinity"
            raise InputError(
                f"The samples contain {what} (missing or infinite values): fill them "
                f"in or leave those samples out."
            )


def _refuse_shape(X: Samples) -> Samples:
    if X.ndim != 2:  # noqa: PLR2004 - a matrix has two dimensions
        raise InputError(
            f"Expected 2D array of shape (n_samples, n_features), but got {X.ndim}D "
            f"array of shape {X.shape}. Reshape your data: X.reshape(-1, 1) for one "
            f"feature, X.reshape(1, -1) for one sample."
        )
    if X.shape[0] == 0 or X.shape[1] == 0:
        raise InputError(
            f"Found array with {X.shape[0]} sample(s) and {X.shape[1]} feature(s) "
            f"(shape={X.shape}) while a minimum of 1 is required: pass some data."
        )
    return X


def _of_pandas(frame: Any) -> Any:
    """Return a DataFrame of polars as one of pandas; numbers alone as an array."""
    kinds = [column.dtype for column in frame.get_columns()]
    if kinds and all(kind.is_numeric() for kind in kinds):
        has_all = not any(column.null_count() for column in frame.get_columns())
        if has_all:
            return frame.to_numpy()
    try:
        from pandas import DataFrame
    except ImportError:
        raise MissingExtraError("pandas", "tables") from None
    return DataFrame({c.name: c.to_list() for c in frame.get_columns()})


def _from_frame(frame: Any) -> Floats:
    blocks = [
        _from_column(str(name), frame.iloc[:, at])  # two columns may have one name
        for at, name in enumerate(frame.columns)
    ]
    if not blocks:
        raise InputError("The table has no columns (0 feature(s)): pass some data.")
    return _refuse_shape(np.hstack(blocks))


def _from_column(name: str, column: Any) -> Floats:
    missing = np.asarray(column.isna())
    if missing.any():
        raise InputError(
            f"Column {name!r} has {int(missing.sum())} missing value(s), the first in "
            f"row {int(missing.argmax())}: fill them in or leave those rows out."
        )
    if getattr(column.dtype, "kind", "O") in "iufc":
        return _from_array(column)[:, np.newaxis]
    return from_words(name, [str(value) for value in np.asarray(column)])


def from_words(name: str, values: Sequence[str]) -> Floats:
    """Return words as numbers: a column for each kind, or 64 signs where many are.

    A kind gets its signs from a digest of it, so they are the same in every table and
    on every machine. Two kinds differ in about half of them, so any two are about as
    far from each other as in columns of their own: at a distance of 1.4.

    Parameters
    ----------
    name : str
        Of the column.
    values : sequence of n str

    Returns
    -------
    ndarray of shape (n, n_signs(n_kinds))

    Examples
    --------
    >>> from_words("colour", ["red", "blue", "red"]).tolist()
    [[0.0, 1.0], [1.0, 0.0], [0.0, 1.0]]
    """
    kinds = sorted(set(values))
    place = {kind: at for at, kind in enumerate(kinds)}
    codes = np.fromiter(map(place.__getitem__, values), np.intp, len(values))
    if len(kinds) <= regime.ONE_HOT:
        return np.eye(len(kinds))[codes]
    warnings.warn(
        f"Column {name!r} holds {len(kinds):,} kinds: they are compared by {N_SIGNS} "
        f"signs of each, not by a column for each.",
        AssumptionWarning,
        stacklevel=2,
    )
    digests = [
        blake2b(k.encode("utf-8", "surrogatepass"), digest_size=8) for k in kinds
    ]
    drawn = np.frombuffer(b"".join(d.digest() for d in digests), dtype=np.uint8)
    bits = np.unpackbits(drawn.reshape(-1, N_SIGNS // 8), axis=1)
    return ((2.0 * bits - 1) / np.sqrt(N_SIGNS))[codes]


def n_signs(n_kinds: int) -> int:
    """Return how many numbers a word becomes, in a column of so many kinds."""
    return n_kinds if n_kinds <= regime.ONE_HOT else N_SIGNS


def stack(old: Any, new: Any, *, square: bool) -> Any:
    """Return the samples of ``old`` with those of ``new`` behind them.

    Parameters
    ----------
    old : array-like, DataFrame or sparse matrix of shape (n, d)
    new : array-like, DataFrame or sparse matrix of shape (m, d)
    square : bool
        Whether they are similarities: `old` of shape (n, n), `new` of shape (m, n + m).
    """
    old, new = (_of_pandas(X) if is_polars(X) else X for X in (old, new))
    if is_frame(old) and is_frame(new):
        return _stack_frames(old, new)
    old, new = as_samples(old), as_samples(new)
    new = new.astype(float_kind(old.dtype), copy=False)
    n, m = old.shape[0], new.shape[0]
    width = n + m if square else old.shape[1]
    if new.shape[1] != width:
        raise InputError(
            f"The new samples have {new.shape[1]} columns, but {width} are needed"
            f"{' (their similarity to all samples, old and new)' if square else ''}."
        )
    join = sp.vstack if sp.issparse(old) or sp.issparse(new) else np.vstack
    if square:
        beside = sp.hstack if join is sp.vstack else np.hstack
        old = beside([old, new[:, :n].T])
    return join([old, new])


def _stack_frames(old: Any, new: Any) -> Any:
    if list(old.columns) != list(new.columns):
        raise InputError(
            f"The new table has the columns {list(new.columns)}, but "
            f"{list(old.columns)} are needed."
        )
    import pandas as pd  # a DataFrame came in, so it is there

    return pd.concat([old, new], ignore_index=True)


DOUBLE_BITS, SINGLE_BITS = 30, 20  # of a number; what follows may be rounding


def significant(values: ArrayLike) -> AnyFloats:
    """Return numbers to their first 30 binary digits, those of float32 to 20.

    What is the same but for rounding becomes the same, and a tie may be broken by the
    order of samples: on every processor, and with any number of threads.

    Examples
    --------
    >>> len(np.unique([0.1 + 0.2, 0.3])), len(np.unique(significant([0.1 + 0.2, 0.3])))
    (2, 1)
    """
    mantissa, exponent = np.frexp(values)
    bits = SINGLE_BITS if mantissa.dtype == np.float32 else DOUBLE_BITS
    return np.ldexp(np.rint(np.ldexp(mantissa, bits)), exponent - bits)
