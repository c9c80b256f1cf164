"""Write a file of a mirror while it arrives, and compute its digest on the way."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from labgen.fetch.client import InMemory, Sink
from labgen.output.errors import as_output_error
from labgen.output.published_manifest import DIGITS
from labgen.problems.text import say

LATER = say("the next sync goes on from here")
OK = 200


@dataclass(slots=True)
class IncomingFile:
    """A file that arrives at its staging place, and whose digest is computed on the way."""

    folder: Path
    file: BinaryIO
    is_within: Callable[[int], bool]
    sha: "hashlib._Hash" = field(default_factory=hashlib.sha256)

    def begin(self, status: int, fields: Mapping[str, str]) -> Sink:
        """Return the sink for an attempt: the file, empty again, or memory if the file is not answered."""
        if status != OK:
            return InMemory(status, fields)
        self.file.seek(0)
        self.file.truncate()
        self.sha = hashlib.sha256()
        return self

    def write(self, part: bytes) -> bool:
        """Append a part; return whether more may be fetched. Raises `OutputError`."""
        with as_output_error(self.folder, LATER):  # client code would take it for a fault of the network
            self.file.write(part)
        self.sha.update(part)
        return self.is_within(len(part))

    def kept(self) -> bytes:
        """Return no bytes: they are in the file."""
        return b""

    def digest(self) -> str:
        """Return the digest of what was written."""
        return self.sha.hexdigest()[:DIGITS]
