"""Read parts of PNG files that Pillow does not: EXIF data after the pixels, and transparent colours."""

import struct
from typing import Any

_HEAD = 8
_CHUNK = struct.Struct(">I4s")
_DEPTH = 24
"""The offset of the bit depth (IHDR)."""


def exif(data: bytes) -> bytes:
    """Return the EXIF data of a PNG, from anywhere in the file, or b""."""
    at = _HEAD
    while at + _CHUNK.size <= len(data):
        length, kind = _CHUNK.unpack_from(data, at)
        at += _CHUNK.size
        if kind == b"eXIf":
            return b"Exif\0\0" + data[at : at + length]
        at += length + 4  # and the checksum
    return b""


def transparent(data: bytes, mode: str, colour: Any) -> Any:
    """Convert a transparent colour from the bit depth of a PNG to that of the picture decoded by Pillow.

    `mode` is the mode of the decoded picture. Grey with 16 bits keeps them. Of RGB with 16 bits, Pillow keeps
    8 bits, so that colours that differ only in the lower bits are transparent, too.
    """
    depth = data[_DEPTH]
    if mode == "L" and depth < EIGHT_BITS:
        return colour * 255 // ((1 << depth) - 1)
    if mode == "RGB" and depth > EIGHT_BITS:
        return tuple(sample >> EIGHT_BITS for sample in colour)
    return colour


EIGHT_BITS = 8
