"""The public names, and the entry of each in reStructuredText."""

from __future__ import annotations

import inspect
import pkgutil
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import likewise

APART = {"likewise.Session"}  # with a page of its own
OF_SKLEARN = "\n   :exclude-members: set_fit_request"  # words for its own pages
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
    found = ["likewise"]
    for one in pkgutil.walk_packages(likewise.__path__, "likewise."):
        if not any(part.startswith("_") for part in one.name.split(".")):
            found.append(one.name)
    return tuple(name for name in found if ".migrations" not in name)


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
    """Return what the source says behind a constant."""
    for path in _sources(module):
        line = rf"^{name}\b[^=\n]*=[^\n]*|^[A-Z_, ]*\b{name}\b[A-Z_, ]* = [^\n]*"
        found = re.search(line, path.read_text(encoding="utf-8"), re.MULTILINE)
        if found and "  # " in found[0]:
            words = found[0].split("  # ")[-1].removesuffix(".")
            return "" if words.startswith("noqa") else f"{words[0].upper()}{words[1:]}."
    return ""


def _sources(module: str) -> list[Path]:
    file = Path(str(import_module(module).__file__))
    return sorted(file.parent.rglob("_*.py")) if file.stem == "__init__" else [file]


def face(module: str) -> str:
    """Return the page of a module: a table of its names, and the entry of each."""
    here = names()[module]
    about = inspect.getdoc(import_module(module)) or ""
    parts = [f".. py:module:: {module}", about, _table(here)]
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
        return f".. py:data:: {one.target}{value}\n\n   {one.about}"
    if one.kind == "function":
        return f".. autofunction:: {one.target}"
    return f".. auto{one.kind}:: {one.target}\n   :members:{OF_SKLEARN}"


def _is_short(shown: str) -> bool:
    return len(shown) <= LONGEST and not re.search(r" at 0x|<|\n", shown)
