"""From files to vectors."""

from likewise.encoders._apart import pages_apart, picture_apart, thumbnail_apart
from likewise.encoders._base import MAX_PICTURE_BYTES, Encoder, Kind, Vectors, encoded
from likewise.encoders._choose import AUTO, encoder_before, encoder_for
from likewise.encoders._fields import encode_fields
from likewise.encoders._pictures import (
    MAX_PAGES,
    NEEDED,
    Form,
    can_open,
    form_of,
    open_ordinary,
    open_picture,
    packed,
    require_pillow,
    thumbnail,
)
from likewise.encoders._texts import encode_texts

__all__ = [
    "AUTO",
    "MAX_PAGES",
    "MAX_PICTURE_BYTES",
    "NEEDED",
    "Encoder",
    "Form",
    "Kind",
    "Vectors",
    "can_open",
    "encode_fields",
    "encode_texts",
    "encoded",
    "encoder_before",
    "encoder_for",
    "form_of",
    "open_ordinary",
    "open_picture",
    "packed",
    "pages_apart",
    "picture_apart",
    "require_pillow",
    "thumbnail",
    "thumbnail_apart",
]
