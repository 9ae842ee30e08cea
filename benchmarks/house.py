"""How the source is divided: modules, who uses them, and what types do not say.

    python -m benchmarks.house [--list]

Prints one number a line; with ``--list`` also what is behind each number.
"""

from __future__ import annotations

import argparse
import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src"
PACKAGE = "likewise"
CORE = ("affinity", "knowledge", "methods", "session", "spectral")
SHORT = 80  # lines under which a module with one user belongs inside that user
BY_STRING = ("import_module", "__import__")


@dataclass(frozen=True)
class Module:
    """A file of the source.

    Attributes
    ----------
    name : str
        As it is imported, such as ``likewise.items._gather``.
    path : Path
    """

    name: str
    path: Path

    @property
    def is_face(self) -> bool:
        """Whether it is the face of a folder."""
        return self.path.name == "__init__.py"

    @property
    def n_lines(self) -> int:
        """How long it is."""
        return len(self.path.read_text(encoding="utf-8").splitlines())

    @cached_property
    def tree(self) -> ast.Module:
        """What it says."""
        return ast.parse(self.path.read_text(encoding="utf-8"))

    @property
    def folder(self) -> str:
        """The folder that it lies in, as it is imported."""
        return self.name if self.is_face else self.name.rpartition(".")[0]

    def imports(self) -> Iterator[tuple[str, str | None]]:
        """Yield the modules of ours that it imports, with the name that it takes."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                named = [one.name for one in node.names]
                yield from ((name, None) for name in named if _is_ours(name))
            elif isinstance(node, ast.ImportFrom) and _is_ours(node.module or ""):
                yield from ((str(node.module), one.name) for one in node.names)


def _is_ours(name: str) -> bool:
    return name.partition(".")[0] == PACKAGE


@dataclass(frozen=True)
class House:
    """All modules by their names."""

    modules: dict[str, Module]

    @classmethod
    def standing(cls, source: Path = SOURCE) -> House:
        """Return the modules of the source as it is."""
        found = {}
        for path in sorted((source / PACKAGE).rglob("*.py")):
            parts = path.relative_to(source).with_suffix("").parts
            name = ".".join(part for part in parts if part != "__init__")
            found[name] = Module(name, path)
        return cls(found)

    def at_top(self) -> list[str]:
        """Return the modules outside of every folder."""
        top = [m for m in self.modules.values() if m.path.parent.name == PACKAGE]
        return [module.name for module in top]

    def users(self) -> dict[str, set[str]]:
        """Return which modules use each module, directly or over the face of a folder.

        A face is no user: it only hands names on.
        """
        found: dict[str, set[str]] = {name: set() for name in self.modules}
        for module in self.modules.values():
            if not module.is_face:
                for target, name in module.imports():
                    found[self._home(target, name)].add(module.name)
        return found

    def _home(self, target: str, name: str | None) -> str:
        """Return the module that a name comes from, through all faces."""
        if f"{target}.{name}" in self.modules:
            return f"{target}.{name}"
        if name is not None and self.modules[target].is_face:
            for source, taken in self.modules[target].imports():
                if taken == name:
                    return self._home(source, name)
        return target

    def closets(self) -> list[str]:
        """Return the short modules that have one user only."""
        users = self.users()
        return [
            f"{name} ({module.n_lines} lines, used by {next(iter(users[name]))})"
            for name, module in self.modules.items()
            if not module.is_face and module.n_lines < SHORT and len(users[name]) == 1
        ]

    def trespasses(self) -> list[str]:
        """Return imports of private modules of folders that one does not live in."""
        return [
            f"{module.name} imports {_whole(target, name, self)}"
            for module in self.modules.values()
            for target, name in module.imports()
            if _is_private_to_others(_whole(target, name, self), module.folder)
        ]

    def untyped(self) -> dict[str, int]:
        """Return how many signatures of the numeric core say ``Any``, by module."""
        counts = {
            name: sum(map(_says_any, ast.walk(module.tree)))
            for name, module in self.modules.items()
            if name.split(".")[1:2] and name.split(".")[1] in CORE
        }
        return {name: count for name, count in counts.items() if count}

    def imports_by_string(self) -> list[str]:
        """Return where a module is imported by a string."""
        return [
            f"{module.name}:{node.lineno}"
            for module in self.modules.values()
            for node in ast.walk(module.tree)
            if isinstance(node, ast.Call) and _called(node) in BY_STRING
        ]


def _whole(target: str, name: str | None, house: House) -> str:
    return f"{target}.{name}" if f"{target}.{name}" in house.modules else target


def _is_private_to_others(target: str, folder: str) -> bool:
    parts = target.split(".")
    owners = [".".join(parts[:at]) for at, part in enumerate(parts) if part[0] == "_"]
    return not all(f"{folder}.".startswith(f"{owner}.") for owner in owners)


def _says_any(node: ast.AST) -> bool:
    """Tell whether a function has an argument or a result that may be anything."""
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return False
    given = node.args
    arguments = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    arguments += [one for one in (given.vararg, given.kwarg) if one is not None]
    said = [node.returns, *(argument.annotation for argument in arguments)]
    return any(
        isinstance(part, ast.Name) and part.id == "Any"
        for annotation in said
        if annotation is not None
        for part in ast.walk(annotation)
    )


def _called(node: ast.Call) -> str:
    match node.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def main() -> None:
    """Print the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--list", action="store_true", help="what is behind a number")
    is_long = parser.parse_args().list
    house = House.standing()
    untyped = [f"{name} ({n})" for name, n in house.untyped().items()]
    n_untyped = sum(house.untyped().values())
    _show("modules", len(house.modules), [])
    _show("at the top", len(house.at_top()), house.at_top() if is_long else [])
    closets = house.closets()
    _show(
        f"under {SHORT} lines with one user", len(closets), closets if is_long else []
    )
    trespasses = house.trespasses()
    _show("imports of what is private elsewhere", len(trespasses), trespasses)
    by_string = house.imports_by_string()
    _show("imports by string", len(by_string), by_string)
    _show("signatures of the numeric core with Any", n_untyped, untyped)


def _show(what: str, count: int, listed: list[str]) -> None:
    print(f"{count:4d}  {what}")
    for line in listed:
        print(f"      {line}")


if __name__ == "__main__":
    main()
