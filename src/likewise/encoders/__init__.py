"""From files to vectors."""

from likewise.encoders.base import Encoder, Kind
from likewise.encoders.cache import VectorCache
from likewise.encoders.choose import encoder_for

__all__ = ["Encoder", "Kind", "VectorCache", "encoder_for"]
