"""What can go wrong, each in one sentence that says what to do.

::

    LikewiseError
    ├── InputError             also a ValueError: the data or an argument does not fit
    ├── ContradictionError     also a ValueError: an answer denies earlier answers
    ├── MissingDataError       also a FileNotFoundError: a data set is not on this disk
    ├── LimitError             also a RuntimeError: what may be spent is spent
    ├── ModelError             also a RuntimeError: a model cannot be reached or asked
    ├── NotAllowedError        also a PermissionError: others may do that, not you
    ├── MissingExtraError      also an ImportError: an optional package is not installed
    ├── StaleError             also a RuntimeError: somebody else was there first
    ├── StorageError           also an OSError: a database cannot be reached or written
    ├── SchemaError            also a RuntimeError: a database of another version
    └── UnreadableFileError    also an OSError: a file is not what it should be

    AssumptionWarning          a UserWarning: something unknown was taken to be so
    CacheWarning               a UserWarning: what saves time cannot be kept
    PluginWarning              a UserWarning: what another package brings was left out
"""

from __future__ import annotations


class LikewiseError(Exception):
    """Any error that this package raises on purpose."""


class InputError(LikewiseError, ValueError):
    """The data or an argument cannot be used as it is."""


class ContradictionError(LikewiseError, ValueError):
    """An answer denies what earlier answers imply; nothing was recorded.

    Attributes
    ----------
    pair : tuple of int
        The two samples.
    evidence : tuple
        The answers that imply the opposite, as a chain from one sample to the other.
    """

    def __init__(
        self,
        pair: tuple[int, int],
        told: str,
        implied: str,
        evidence: tuple[object, ...],
    ) -> None:
        chain = ", ".join(map(str, evidence))
        super().__init__(
            f"Samples {pair[0]} and {pair[1]} were just told to be {told}, but earlier "
            f"answers imply that they are {implied} ({chain}). Retract one of those "
            f"answers, or record this one as doubtful with on_conflict='keep'."
        )
        self.pair = pair
        self.evidence = evidence


class MissingDataError(LikewiseError, FileNotFoundError):
    """A data set's files are not where they were looked for."""


class MissingExtraError(LikewiseError, ImportError):
    """An optional package is not installed."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(
            f"This needs {package}, which is not installed: "
            f"run `pip install 'likewise[{extra}]'`."
        )


class AssumptionWarning(UserWarning):
    """Something that nobody said was taken to be so."""


class CacheWarning(UserWarning):
    """Something that only saves time cannot be kept, and will be made again."""


class StaleError(LikewiseError, RuntimeError):
    """What the caller has seen is no longer so; nothing was recorded."""


class NotAllowedError(LikewiseError, PermissionError):
    """Others may do this, but not who wants to; nothing was recorded."""


class LimitError(LikewiseError, RuntimeError):
    """What may be spent is spent: nothing more was sent, and all answers are kept."""


class ModelError(LikewiseError, RuntimeError):
    """The server of a model cannot be reached, or will not answer."""


class StorageError(LikewiseError, OSError):
    """A database cannot be reached, read or written."""


class SchemaError(LikewiseError, RuntimeError):
    """A database is of a newer version, or of another program."""


class UnreadableFileError(LikewiseError, OSError):
    """One file of the user's cannot be read as what it should be."""


class PluginWarning(UserWarning):
    """Something that another package announces cannot be used."""
