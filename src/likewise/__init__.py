"""Sort anything into the groups you mean, by answering "same or different?"."""

from typing import TYPE_CHECKING

from likewise.errors import (
    ContradictionError,
    InputError,
    LikewiseError,
    MissingDataError,
    MissingExtraError,
)

if TYPE_CHECKING:
    from likewise._estimator import ActiveClustering
    from likewise.experiments import jaccard, v_measure
    from likewise.knowledge import (
        Answer,
        Costs,
        Overview,
        Pair,
        Pile,
        Question,
        Sheet,
        Verdict,
    )
    from likewise.methods import METHODS
    from likewise.notebook import widget
    from likewise.readers import ModelOracle
    from likewise.session import (
        FunctionOracle,
        LabelOracle,
        Session,
        run,
    )

__all__ = [
    "METHODS",
    "ActiveClustering",
    "Answer",
    "ContradictionError",
    "Costs",
    "FunctionOracle",
    "InputError",
    "LabelOracle",
    "LikewiseError",
    "MissingDataError",
    "MissingExtraError",
    "ModelOracle",
    "Overview",
    "Pair",
    "Pile",
    "Question",
    "Session",
    "Sheet",
    "Verdict",
    "jaccard",
    "run",
    "v_measure",
    "widget",
]


_FOLDERS = {
    "_estimator": ("ActiveClustering",),
    "experiments": ("jaccard", "v_measure"),
    "knowledge": (
        *("Answer", "Costs", "Overview", "Pair", "Pile", "Question", "Sheet"),
        "Verdict",
    ),
    "methods": ("METHODS",),
    "notebook": ("widget",),
    "readers": ("ModelOracle",),
    "session": ("FunctionOracle", "LabelOracle", "Session", "run"),
}


if not TYPE_CHECKING:  # who reads types knows every name, and no others

    def __getattr__(name: str) -> object:
        """Import a name when it is first used: what stands behind it is large."""
        for folder, names in _FOLDERS.items():
            if name in names:
                globals()[name] = found = getattr(_imported(folder), name)
                return found
        return _imported(name)


def _imported(folder: str) -> object:  # noqa: C901, PLR0912 - one case for each folder
    match folder:
        case "_estimator":
            import likewise._estimator
        case "affinity":
            import likewise.affinity
        case "datasets":
            import likewise.datasets
        case "encoders":
            import likewise.encoders
        case "experiments":
            import likewise.experiments
        case "knowledge":
            import likewise.knowledge
        case "methods":
            import likewise.methods
        case "notebook":
            import likewise.notebook
        case "plots":
            import likewise.plots
        case "readers":
            import likewise.readers
        case "session":
            import likewise.session
        case "storage":
            import likewise.storage  # noqa: F401
        case _:
            raise AttributeError(f"module {__name__!r} has no attribute {folder!r}")
    return globals()[folder]  # where an import puts it


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
