"""Read the manifest in out/ that the last build published, and what it vouches for.

A build takes what has not changed from published files, such as the digests of other files. Their sizes tell
nothing of a flipped bit, so the memory has the digest of the manifest's index, and that has all others.
"""

from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from labgen.output.published_manifest import (
    INDEX,
    Digests,
    Folders,
    Index,
    InvalidManifestError,
    hex_digest,
    hex_digest_of,
    parse_index,
    parse_part,
    part_of,
)
from labgen.system.input_files import read_bytes
from labgen.system.lazy import Lazy


@dataclass(slots=True)
class KnownManifest:
    """The manifest in out/ if its index has this digest; otherwise, or without a digest, an empty one."""

    out: Path
    digest: str
    index: Index = field(default_factory=Index)
    parts: Lazy[str, Folders] = field(init=False)

    def __post_init__(self) -> None:
        self.parts = Lazy(self._part)
        with suppress(InvalidManifestError, OSError):
            data = read_bytes(self.out / INDEX) if self.digest else b""
            if hex_digest(data) == self.digest:
                self.index = parse_index(data)

    def digests(self, folder: str, names: Collection[str]) -> Digests:
        """Return the digests of files that are kept; the files that the manifest does not list are read."""
        listed = self._listed(folder)
        found = ((name, listed.get(name) or _digest(self.out / folder / name)) for name in names)
        return {name: digest for name, digest in found if digest}

    def read(self, folder: str, name: str) -> bytes:
        """Return a file in out/ as it was published. Raises ValueError if it is another, or not listed."""
        data = read_bytes(self.out / folder / name)
        if self._listed(folder).get(name) != hex_digest(data):
            raise ValueError(name)
        return data

    def _listed(self, folder: str) -> Digests:
        parts = len(self.index.parts)
        return self.parts[part_of(folder, parts)].get(folder, {}) if parts else {}

    def _part(self, part: str) -> Folders:
        with suppress(InvalidManifestError, OSError):
            data = read_bytes(self.out / part)
            if hex_digest(data) == self.index.parts[part]:
                return parse_part(data)
        return {}


def _digest(file: Path) -> str:
    """Return the digest of a file, "" if there is none."""
    try:
        return hex_digest_of(file)
    except OSError:
        return ""
