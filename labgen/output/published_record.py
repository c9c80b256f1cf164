"""Prove by the published manifest in out/ that labgen wrote a file, if the lists of its files are damaged."""

import os
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from labgen.contract.content_codings import BrokenCodingError, content_of, decoder_for
from labgen.output.file_system import parents_of
from labgen.output.pack_files import is_pack, proves_itself
from labgen.output.published_manifest import (
    INDEX,
    SIZE,
    Folders,
    Index,
    InvalidManifestError,
    hex_digest_of,
    parse_index,
    parse_part,
    part_of,
)
from labgen.system.input_files import chunks_of, read_bytes
from labgen.system.lazy import Lazy

CODINGS = {".gz": "gzip", ".br": "br", ".zst": "zstd"}
"""The content codings of compressed copies, by their suffixes."""


@dataclass(slots=True)
class PublishedRecord:
    """What the manifest in a folder says of its files; parts are read when they are needed."""

    out: Path
    index: Index = field(init=False)
    parts: Lazy[str, Folders] = field(init=False)

    def __post_init__(self) -> None:
        self.index = Index()
        with suppress(OSError, InvalidManifestError):
            self.index = parse_index(read_bytes(self.out / INDEX))
        self.parts = Lazy(self._part)

    def has(self, file: str) -> bool:
        """Return whether labgen wrote a file as it is: listed with its digest, a copy of one, or a pack.

        The manifest does not list packs, which have the digests of their files.
        """
        if _is_below_link(self.out, file):
            return False
        original, suffix = os.path.splitext(file)  # noqa: PTH122 - a name, and no path
        with suppress(OSError):
            if is_pack(file):
                return proves_itself(read_bytes(self.out / file))
            if not self.index.parts:
                return False
            if suffix in CODINGS and (digest := self._digest(original)):
                return self._is_copy(file, digest, CODINGS[suffix])
            return hex_digest_of(self.out / file) == self._digest(file)
        return False

    def _is_copy(self, file: str, digest: str, coding: str) -> bool:
        decoder = decoder_for(coding)
        with suppress(BrokenCodingError):
            if decoder:
                packed = chunks_of(self.out / file)
                found = content_of(part for chunk in packed for part in decoder.parts(chunk))
                return found.digest[:SIZE].hex() == digest
        return False

    def _digest(self, file: str) -> str:
        """Return the digest that the manifest has of a file, or of itself; "" if it does not list it."""
        if file == INDEX:
            return hex_digest_of(self.out / file)
        if file in self.index.parts:
            return self.index.parts[file]
        for folder in (*parents_of(file), ""):
            part = part_of(folder, len(self.index.parts))
            if digest := self.parts[part].get(folder, {}).get(file.removeprefix(f"{folder}/")):
                return digest
        return ""

    def _part(self, part: str) -> Folders:
        with suppress(OSError, InvalidManifestError):
            return parse_part(read_bytes(self.out / part))
        return {}


def _is_below_link(out: Path, file: str) -> bool:
    return any((out / one).is_symlink() for one in (file, *parents_of(file)))
