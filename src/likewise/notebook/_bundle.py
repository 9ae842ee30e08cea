"""The script and the style of the widget: the app's own modules, as one text.

What a notebook loads is a single module without imports. Each of ours becomes a
function that returns what it exports, so that names stay apart; all of them stand in
one function, which each view calls for modules of its own.
"""

from __future__ import annotations

import posixpath
import re
from functools import cache
from pathlib import Path

HOME = Path(__file__).parents[1]
ENTRY = "notebook/static/widget.js"
STYLES = (
    *(f"app/static/lib/{name}.css" for name in ("base", "cards", "items", "dialogs")),
    *(f"app/static/question/{n}.css" for n in ("question", "picker", "screens")),
    "notebook/static/widget.css",
)
IMPORT = re.compile(
    r'^import\s+(?:\{([^}]*)\}|\*\s+as\s+(\w+))\s+from\s+"([^"]+)";\n', re.MULTILINE
)
EXPORT = re.compile(
    r"^export (?=(?:async )?(?:const|function|class) (\w+))", re.MULTILINE
)
COMMENT = re.compile(r"^ *//[^\n]*\n|^ */\*\*.*?\*/\n", re.MULTILINE | re.DOTALL)
INDENT = re.compile(r"^ +", re.MULTILINE)
BLANK = re.compile(r"\n\s*\n")


@cache
def script() -> str:
    """Return the module that a notebook loads."""
    order: list[str] = []
    _visit(ENTRY, order)
    names = {path: f"m{at}" for at, path in enumerate(order)}
    modules = "".join(_module(path, names) for path in order)
    return (
        f"function begin() {{\n{modules}return {names[ENTRY]};\n}}\n"
        f"export default {{ render: (given) => begin().render(given) }};\n"
    )


@cache
def style() -> str:
    """Return the style sheets that the screens need, for the part that is ours.

    Where a page has its colours on its root, the widget has them on its host.
    """
    sheets = (_read(path).replace(":root", ":host") for path in STYLES)
    return "\n".join(re.sub(r"/\*.*?\*/\n*", "", s, flags=re.DOTALL) for s in sheets)


def _read(path: str) -> str:
    return (HOME / path).read_text(encoding="utf-8")


def _visit(path: str, order: list[str]) -> None:
    """List a module behind all that it imports."""
    if path in order:
        return
    for _, _, source in IMPORT.findall(_read(path)):
        _visit(_beside(path, source), order)
    order.append(path)


def _beside(path: str, source: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), source))


def _module(path: str, names: dict[str, str]) -> str:
    """Return a module as a function that was called: what it exports.

    Examples
    --------
    >>> print(_module("app/static/lib/memory.js", {"app/static/lib/memory.js": "m0"}))
    const m0 = (() => {
    function remember(store, key, value) {
    ...
    return { remember, recalled, forThisTab, forThisBrowser };
    })();
    <BLANKLINE>
    """
    text = _read(path)

    def taken(found: re.Match[str]) -> str:
        listed, whole, source = found.groups()
        name = names[_beside(path, source)]
        inside = " ".join((listed or "").split()).strip(", ").replace(" as ", ": ")
        return f"const {whole or f'{{ {inside} }}'} = {name};\n"

    exported = ", ".join(EXPORT.findall(text))
    body = EXPORT.sub("", IMPORT.sub(taken, COMMENT.sub("", text)))
    body = INDENT.sub("", BLANK.sub("\n", body)).strip()
    return (
        f"const {names[path]} = (() => {{\n{body}\nreturn {{ {exported} }};\n}})();\n"
    )
