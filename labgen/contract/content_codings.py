"""Decode the content codings (gzip, brotli, Zstandard) of HTTP responses and of compressed copies."""

import hashlib
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from typing import NamedTuple

from labgen.problems.text import say

STEP = 4096
"""Bytes per call of a decoder: none of them can limit its output itself."""
START = 16
"""How many of the first bytes a `Content` has."""


class BrokenCodingError(Exception):
    """Data that is not in its content coding, is truncated, or is followed by other data."""


class Content(NamedTuple):
    """The size of a file or of a decoded body, the digest of its bytes, and the first of them."""

    size: int
    digest: bytes
    start: bytes


@dataclass(slots=True)
class Digester:
    """Computes the `Content` of bytes that arrive in parts."""

    size: int = 0
    start: bytes = b""
    sha: "hashlib._Hash" = field(default_factory=hashlib.sha256)

    def add(self, part: bytes) -> None:
        """Take the next part."""
        self.start += part[: START - len(self.start)]
        self.size += len(part)
        self.sha.update(part)

    def content(self) -> Content:
        """Return the content of all parts."""
        return Content(self.size, self.sha.digest(), self.start)


def content_of(parts: Iterable[bytes]) -> Content:
    """Return the content of bytes in parts."""
    digester = Digester()
    for part in parts:
        digester.add(part)
    return digester.content()


@dataclass(frozen=True, slots=True)
class Decoder:
    """Decodes data that arrives in parts; `check_end` raises `BrokenCodingError` if it is not whole."""

    name: str
    process: Callable[[bytes], bytes]
    error: type[Exception]
    check_end: Callable[[], None]

    def parts(self, data: bytes) -> Iterator[bytes]:
        """Yield the decoded bytes of the next part. Raises `BrokenCodingError`."""
        for at in range(0, len(data), STEP):
            try:
                yield self.process(data[at : at + STEP])
            except self.error:
                raise BrokenCodingError(say("it is no {name}", name=self.name)) from None


def decoder_for(coding: str) -> Decoder | None:
    """Return a new decoder for a content coding, None if none is installed."""
    return DECODERS[coding]() if can_decode(coding) else None


def can_decode(coding: str) -> bool:
    """Return whether a decoder for a content coding is installed."""
    return coding in DECODERS and (coding not in PACKAGES or find_spec(PACKAGES[coding]) is not None)


def _identity() -> Decoder:
    return Decoder("identity", lambda data: data, BrokenCodingError, lambda: None)


def _gunzip() -> Decoder:
    decoder = zlib.decompressobj(wbits=31)

    def check_end() -> None:
        _check_eof(is_at_end=decoder.eof)
        if decoder.unused_data:
            raise BrokenCodingError(say("something follows its end"))

    return Decoder("gzip", decoder.decompress, zlib.error, check_end)


def _unbrotli() -> Decoder:
    brotli = import_module("brotli")
    decoder = brotli.Decompressor()
    return Decoder(
        "brotli", decoder.process, brotli.error, lambda: _check_eof(is_at_end=decoder.is_finished())
    )


def _unzstd() -> Decoder:
    zstandard = import_module("zstandard")
    decoder = zstandard.ZstdDecompressor().decompressobj()
    return Decoder("zstd", decoder.decompress, zstandard.ZstdError, lambda: _check_eof(is_at_end=decoder.eof))


def _check_eof(*, is_at_end: bool) -> None:
    if not is_at_end:
        raise BrokenCodingError(say("it ends too early"))


DECODERS: Mapping[str, Callable[[], Decoder]] = {
    "identity": _identity,
    "gzip": _gunzip,
    "br": _unbrotli,
    "zstd": _unzstd,
}
PACKAGES = {"br": "brotli", "zstd": "zstandard"}
"""The packages with the decoders that the standard library lacks, by content coding."""
