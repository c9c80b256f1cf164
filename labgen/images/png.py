"""Read parts of PNG files that Pillow does not: EXIF data after the pixels, and transparent colours."""

import struct
from typing import Any

_HEAD = 8
_CHUNK = struct.Struct(">I4s")
_DEPTH = 24
"""Where the bits of a sample are told."""


def exif(data: bytes) -> bytes:
    """Return the EXIF of a PNG, wherever in the file it stands, or b""."""
    at = _HEAD
    while at + _CHUNK.size <= len(data):
        length, kind = _CHUNK.unpack_from(data, at)
        at += _CHUNK.size
        if kind == b"eXIf":
            return b"Exif\0\0" + data[at : at + length]
        at += length + 4  # and the checksum
    return b""


def transparent(data: bytes, mode: str, colour: Any) -> Any:
    """Return a transparent colour in the samples that Pillow decodes to, in a mode.

    The file has it in its own. Grey in 16 bits stays in them; of other colours, Pillow keeps eight bits, so
    that those that differ in the lower bits alone are transparent too.
    """
    depth = data[_DEPTH]
    if mode == "L" and depth < EIGHT_BITS:
        return colour * 255 // ((1 << depth) - 1)
    if mode == "RGB" and depth > EIGHT_BITS:
        return tuple(sample >> EIGHT_BITS for sample in colour)
    return colour


EIGHT_BITS = 8
