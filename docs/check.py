"""Look through the pages that were built: links, what is loaded, every public name.

    python -m docs.check FOLDER

Prints what is wrong, a line each, and ends with 1 if anything is; else how much there
is.
"""

from __future__ import annotations

import re
import sys
import zlib
from collections.abc import Iterable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

from docs._reference._names import names

LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src"}
KINDS_LOADED = {"stylesheet", "icon", "preload", "modulepreload", "preconnect"}
ELSEWHERE = ("http:", "https:", "//")


class Page(HTMLParser):
    """What a page links to, what it loads, and where one can go in it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.places: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what a tag says."""
        said = {name: value or "" for name, value in attrs}
        self.places |= {said["id"]} if "id" in said else set()
        if tag == "a" and "href" in said:
            self.links.append(said["href"])
        elif tag == "link" and KINDS_LOADED & set(said.get("rel", "").split()):
            self.loaded.append(said["href"])
        elif LOADED.get(tag) in said:
            self.loaded.append(said[LOADED[tag]])


def wrong(site: Path) -> Iterator[str]:
    """Yield what is wrong with the site in a folder, a sentence each."""
    pages = {path: Page(path.read_text("utf-8")) for path in pages_of(site)}
    for path, page in pages.items():
        here = path.relative_to(site)
        for link in page.links + page.loaded:
            if not re.match(r"[a-z]+:|//", link) and not _leads(path, link, pages):
                yield f"{here}: {link} leads nowhere."
        yield from _from_elsewhere(here, page.loaded)
    for path in site.rglob("*.css"):
        loaded = re.findall(r"url\(['\"]?([^)'\"]+)", path.read_text("utf-8"))
        yield from _from_elsewhere(path.relative_to(site), loaded)
    for name in sorted(wanted() - inventory(site)):
        yield f"{name} is not in the reference."


def pages_of(site: Path) -> list[Path]:
    """Return the pages; what the theme brings along is none."""
    found = sorted(site.rglob("*.html"))
    return [path for path in found if "_static" not in path.relative_to(site).parts]


def _from_elsewhere(here: Path, loaded: Iterable[str]) -> Iterator[str]:
    for link in loaded:
        if link.startswith(ELSEWHERE):
            yield f"{here}: {link} is loaded from elsewhere."


def _leads(path: Path, link: str, pages: dict[Path, Page]) -> bool:
    where, _, place = unquote(link).partition("#")
    found = (path.parent / where.partition("?")[0]).resolve() if where else path
    if not found.exists():
        return False
    return not place or found not in pages or place in pages[found].places


def wanted() -> set[str]:
    """Return where every public name is documented."""
    return {one.target for here in names().values() for one in here}


def inventory(site: Path) -> set[str]:
    """Return the names that have an entry, as Sphinx wrote them down."""
    content = (site / "objects.inv").read_bytes().split(b"\n", 4)[4]
    return {line.split()[0].decode() for line in zlib.decompress(content).splitlines()}


def main(folder: str) -> int:
    """Print what is wrong, or how much there is."""
    site = Path(folder).resolve()
    found = list(wrong(site))
    lines = found or [
        f"{len(pages_of(site))} pages, {len(wanted())} public names, "
        "every link leads somewhere, nothing is loaded from elsewhere."
    ]
    sys.stdout.write("\n".join([*lines, ""]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
