"""The public names, and the entry of each in reStructuredText."""

from __future__ import annotations

import inspect
import pkgutil
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import likewise

APART = {"likewise.Session"}  # with a page of its own
OF_SKLEARN = "\n   :exclude-members: set_fit_request"  # words for its own pages
HIDDEN = r"\._|\.migrations"
LONGEST = 70  # characters of a value that is shown


@dataclass(frozen=True)
class Name:
    """A public name of a module.

    Attributes
    ----------
    home : str
        The module on whose page it is documented: the first that has it.
    """

    module: str
    name: str
    value: Any
    home: str

    @property
    def target(self) -> str:
        """Where its entry is."""
        return f"{self.home}.{self.name}"

    @property
    def about(self) -> str:
        """What it is, in one sentence."""
        if self.kind == "data":
            return _comment(self.module, self.name)
        return re.split(r"\n\s*\n", inspect.getdoc(self.value) or "", maxsplit=1)[0]

    @property
    def kind(self) -> str:
        """How Sphinx's autodoc calls it."""
        if inspect.isclass(self.value):
            return "exception" if issubclass(self.value, BaseException) else "class"
        return "function" if inspect.isfunction(self.value) else "data"


@cache
def modules() -> tuple[str, ...]:
    """Return the public modules, the package first."""
    inside = pkgutil.walk_packages(likewise.__path__, "likewise.")
    found = [one.name for one in inside if not re.search(HIDDEN, one.name)]
    return ("likewise", *found)


@cache
def names() -> dict[str, tuple[Name, ...]]:
    """Return the public names of each module."""
    homes: dict[int, str] = {}
    found = {}
    for module in modules():
        here = import_module(module)
        found[module] = tuple(
            Name(module, name, value, _home(homes, value, module))
            for name, value in _listed(here)
        )
    return found


def _listed(module: ModuleType) -> Iterator[tuple[str, Any]]:
    """Yield what a face says it has, or what a module that is no face defines."""
    said = getattr(module, "__all__", None)
    for name in vars(module) if said is None else said:
        value = getattr(module, name)
        is_own = getattr(value, "__module__", None) == module.__name__
        if said is not None or (is_own and not name.startswith("_")):
            yield name, value


def _home(homes: dict[int, str], value: Any, module: str) -> str:
    """Return the first module that has a class, a function or a registry."""
    if isinstance(value, (int, float, str, tuple)):
        return module
    return homes.setdefault(id(value), module)


def _comment(module: str, name: str) -> str:
    """Return what the source says of a constant, behind it or above it."""
    made = re.compile(rf"(?:[A-Z_, ]*\b)?{name}\b[^=(]*= ?[^=]")
    for path in _sources(module):
        lines = path.read_text(encoding="utf-8").splitlines()
        for above, line in pairwise(lines):
            if made.match(line):
                said = line.partition("  # ")[2] or above.partition("# ")[2]
                if said:
                    return f"{said[0].upper()}{said[1:].removesuffix('.')}."
    return ""


def _sources(module: str) -> list[Path]:
    file = Path(str(import_module(module).__file__))
    if file.stem != "__init__":
        return [file]
    deep = "**/_*.py" if module == "likewise" else "_*/**/*.py"
    return sorted({*file.parent.glob("_*.py"), *file.parent.glob(deep)})


def face(module: str) -> str:
    """Return the page of a module: a table of its names, and the entry of each."""
    here = names()[module]
    about = inspect.getdoc(import_module(module)) or ""
    parts = [f".. py:module:: {module}", about, ".. highlight:: python", _table(here)]
    parts += [_entry(one) for one in here if one.home == module]
    return "\n\n".join(parts)


def _table(here: tuple[Name, ...]) -> str:
    rows = [".. list-table::\n   :widths: 30 70\n   :class: names\n"]
    for one in here:
        words = " ".join(one.about.split())
        rows.append(f"   * - :py:obj:`{one.name} <{one.target}>`\n     - {words}")
    return "\n".join(rows)


def _entry(one: Name) -> str:
    if one.target in APART:
        return ""
    if one.kind == "data":
        shown = repr(one.value)
        value = f"\n   :value: {shown}" if _is_short(shown) else ""
        return f".. py:data:: {one.name}{value}\n\n   {one.about}"
    if one.kind == "function":
        return f".. autofunction:: {one.target}"
    return f".. auto{one.kind}:: {one.target}\n   :members:{OF_SKLEARN}"


def _is_short(shown: str) -> bool:
    return len(shown) <= LONGEST and not re.search(r" at 0x|<|\n", shown)
