"""Decode the content codings (gzip, brotli, Zstandard) of HTTP responses and of compressed copies."""

import zlib
from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec

STEP = 4096
"""Bytes per call of a decoder that cannot limit its output itself."""


class BrokenCodingError(Exception):
    """Data that is not in its content coding, is truncated, or is followed by other data."""


def decoded(data: bytes, coding: str, most: int) -> bytes | None:
    """Decode data in a content coding; the result may be cut off anywhere after `most` bytes.

    Return None if no decoder is installed. Raises `BrokenCodingError`.
    """
    if coding == "identity":
        return data
    return DECODERS[coding](data, most) if can_decode(coding) else None


def can_decode(coding: str) -> bool:
    """Return whether a decoder for a content coding is installed."""
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
    """Decode data step by step; the result may be cut off anywhere after `most` bytes."""
    found = b""
    for at in range(0, len(data), STEP):
        found += process(data[at : at + STEP])
        if len(found) >= most:
            break
    return found


DECODERS: Mapping[str, Callable[[bytes, int], bytes]] = {"gzip": _gunzip, "br": _unbrotli, "zstd": _unzstd}
PACKAGES = {"br": "brotli", "zstd": "zstandard"}
"""The packages with the decoders that the standard library lacks, by content coding."""
