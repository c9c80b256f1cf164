"""List the content codings (gzip, brotli, Zstandard) of compressed copies."""

import zlib
from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec

STEP = 4096
"""Bytes that are given at a time to a decoder that knows no limit itself."""


class BrokenCodingError(Exception):
    """Bytes that are not of their content coding, or not all of them."""


def decoded(data: bytes, coding: str, most: int) -> bytes | None:
    """Return the content of bytes in a content coding, cut somewhere beyond `most` bytes.

    None where this machine has no decoder. Raises `BrokenCodingError`.
    """
    if coding == "identity":
        return data
    return DECODERS[coding](data, most) if can_decode(coding) else None


def can_decode(coding: str) -> bool:
    """Return whether this machine has a decoder."""
    return coding in DECODERS and (coding not in PACKAGES or find_spec(PACKAGES[coding]) is not None)


def _gunzip(data: bytes, most: int) -> bytes:
    decoder = zlib.decompressobj(wbits=31)
    try:
        found = decoder.decompress(data, most)
    except zlib.error:
        raise BrokenCodingError("it is no gzip") from None
    if len(found) < most and (not decoder.eof or decoder.unused_data):
        raise BrokenCodingError("it ends too early" if not decoder.eof else "something follows its end")
    return found


def _unbrotli(data: bytes, most: int) -> bytes:
    brotli = import_module("brotli")
    decoder = brotli.Decompressor()
    try:
        found = _in_steps(decoder.process, data, most)
    except brotli.error:
        raise BrokenCodingError("it is no brotli") from None
    if len(found) < most and not decoder.is_finished():
        raise BrokenCodingError("it ends too early")
    return found


def _unzstd(data: bytes, most: int) -> bytes:
    zstandard = import_module("zstandard")
    decoder = zstandard.ZstdDecompressor().decompressobj()
    try:
        found = _in_steps(decoder.decompress, data, most)
    except zstandard.ZstdError:
        raise BrokenCodingError("it is no zstd") from None
    if len(found) < most and not decoder.eof:
        raise BrokenCodingError("it ends too early")
    return found


def _in_steps(process: Callable[[bytes], bytes], data: bytes, most: int) -> bytes:
    """Return what a decoder makes of bytes; the end may be missing beyond `most` bytes."""
    found = b""
    for at in range(0, len(data), STEP):
        found += process(data[at : at + STEP])
        if len(found) >= most:
            break
    return found


DECODERS: Mapping[str, Callable[[bytes, int], bytes]] = {"gzip": _gunzip, "br": _unbrotli, "zstd": _unzstd}
PACKAGES = {"br": "brotli", "zstd": "zstandard"}
"""Decoders that the standard library lacks, and the packages that have them."""
