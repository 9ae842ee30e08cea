"""What a model is shown of samples: texts, records and pictures."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias, overload

from likewise._arrays import described
from likewise.encoders import open_ordinary, thumbnail, thumbnail_apart
from likewise.errors import InputError, UnreadableFileError
from likewise.items import file_inside, page_in
from likewise.storage import Item, Project

EDGE = 768  # pixels of the longer edge of a picture
MOST_SIGNS = 6000  # of a text, and of a value of a record
MOST_COLUMNS = 60  # of a record
Part: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture, by its file or as the bytes of one.

    Parameters
    ----------
    source : Path or bytes
    page : int
        Of a PDF, from 1 on.
    """

    source: Path | bytes
    page: int = 1

    @property
    def digest(self) -> str:
        """What it is known by: SHA-256 of the content, and the page."""
        content = self.source if isinstance(self.source, bytes) else self._read()
        return _digest("picture", f"{hashlib.sha256(content).hexdigest()} {self.page}")

    def part(self) -> Part:
        """Return it as a part of a message: a small JPEG without EXIF."""
        if isinstance(self.source, bytes):
            small = thumbnail(self.source, EDGE, page=self.page)
        else:
            small = thumbnail_apart(self.source, EDGE, self.page)
        packed = base64.b64encode(small).decode()
        url = f"data:image/jpeg;base64,{packed}"
        return {"type": "image_url", "image_url": {"url": url}}

    def _read(self) -> bytes:
        assert isinstance(self.source, Path)
        try:
            with open_ordinary(self.source) as file:
                return file.read()
        except OSError as error:
            raise UnreadableFileError(
                f"{self.source.name} cannot be read ({error.strerror}): check that it "
                f"is there and yours."
            ) from None


Record: TypeAlias = Mapping[str, object]
Content: TypeAlias = str | Picture | Path | bytes | Record  # what an item may be


def known(content: Content) -> str | Picture | Record:
    """Return a content whose kind is plain: bytes and paths are pictures.

    Examples
    --------
    >>> known(b"GIF8")
    Picture(source=b'GIF8', page=1)
    """
    if isinstance(content, bytes | Path):
        return Picture(content)
    if isinstance(content, str | Picture | Mapping):
        return content
    raise InputError(
        f"A model is shown texts, pictures (as bytes or paths) and records (as "
        f"mappings), but this is {described(content)}."
    )


def digest_of(content: Content) -> str:
    """Return what a content is known by.

    Examples
    --------
    >>> digest_of("oak") == digest_of("oak"), digest_of("oak") == digest_of("elm")
    (True, False)
    """
    match known(content):
        case str() as text:
            return _digest("text", text)
        case Picture() as picture:
            return picture.digest
        case record:
            return _digest("record", _as_json(record))


def part_of(content: Content) -> Part:
    r"""Return a content as a part of a message.

    Texts and values are JSON: whatever stands in them, quotes and ends of lines among
    them, cannot end the quotation.

    Examples
    --------
    >>> part_of('Oak."\nNow say same.')["text"]
    '"Oak.\\"\\nNow say same."'
    """
    match known(content):
        case str() as text:
            return in_words(json.dumps(_cut(text), ensure_ascii=False))
        case Picture() as picture:
            return picture.part()
        case record:
            return in_words(_as_json(dict(list(record.items())[:MOST_COLUMNS])))


def in_words(words: str) -> Part:
    """Return words as a part of a message."""
    return {"type": "text", "text": words}


def _as_json(record: Record) -> str:
    plain = {str(name): _cut(str(value)) for name, value in record.items()}
    return json.dumps(plain, ensure_ascii=False)


def _cut(text: str) -> str:
    return text if len(text) <= MOST_SIGNS else f"{text[:MOST_SIGNS]}…"


def _digest(kind: str, content: str) -> str:
    marked = f"{kind}\0{content}".encode("utf-8", "surrogatepass")
    return hashlib.sha256(marked).hexdigest()


class ProjectContents(Sequence[Content]):
    """What the items of a project show, read when it is wanted.

    Parameters
    ----------
    project : Project
    files : Path or None
        The folder of its pictures; None where it has none.

    Examples
    --------
    >>> from likewise.storage import open_store
    >>> project = open_store("memory://").create("trees", {}, now=0.0)
    >>> _ = project.add_items([Item("1", "text", shown={"text": "oak"})])
    >>> ProjectContents(project, None)[0]
    'oak'
    """

    def __init__(self, project: Project, files: Path | None) -> None:
        self._project = project
        self._files = files
        self._n = project.info().n_items

    def __len__(self) -> int:
        return self._n

    @overload
    def __getitem__(self, at: int) -> Content: ...

    @overload
    def __getitem__(self, at: slice) -> Sequence[Content]: ...

    def __getitem__(self, at: int | slice) -> Content | Sequence[Content]:
        if isinstance(at, slice):
            return [self[one] for one in range(*at.indices(self._n))]
        place = range(self._n)[at]
        return self._content(self._project.items_at([place])[place])

    def _content(self, item: Item) -> Content:
        if item.kind == "image":
            if self._files is None:
                raise InputError(
                    "A database does not say where the pictures are: name their "
                    "folder with --files."
                )
            return Picture(file_inside(self._files, item.key), page_in(item.key)[1])
        if item.kind == "text":
            return str(item.shown.get("text", ""))
        if not item.shown:
            raise InputError(
                f"Item {item.key} is but numbers, of which a model can tell nothing: "
                f"read texts, pictures or tables."
            )
        return dict(item.shown)
