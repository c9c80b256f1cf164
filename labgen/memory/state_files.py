"""What a build remembers in .labgen/, so that the next one need only read what changed.

Three files for each out/: `sources` says what the site was made from, and is all that is read where nothing
changed; `summaries` holds what every laboratory's neighbours need to know of it, and `changes` what is
different since `summaries` was written, so that an edit writes little. Each carries `made_from`, the digest
that the marker in out/ carries too: a state that belongs to another site, to another version of labgen, or
that is not whole, is no state, and then everything is read and compared. Deleting .labgen/ costs time and
nothing else.
"""

import os
import zlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

import orjson

from labgen.memory.columns import Columns, Memory, dump_memory, load_memory, pieces, with_changes
from labgen.model.site_paths import STATE
from labgen.system.input_files import DIGEST_SIZE, STAMP_SIZE, Inputs, digest_of

FORMAT = 5
_MAGIC = b"labgen state\n"
LONGEST = 100
UNKNOWN_DIGEST = bytes(DIGEST_SIZE)
"""Of a file that is not read."""
REWRITE = 0.02
"""The share of laboratories that may have changed before all are written again."""

Digests = dict[str, bytes]
Read = TypeVar("Read")


@dataclass(frozen=True, slots=True)
class Sources:
    """What a site was made from.

    `program` tells labgen's version from others. `inputs` are the files, with the stamps that may be
    trusted, `digests` the digests of their contents. `files` is the number of the site's files.
    `has_warnings` says that there is something to show whenever the site is built.
    """

    program: str
    made_from: str
    files: int
    has_warnings: bool
    inputs: Inputs
    digests: Digests


class StateFile:
    """The files of the state for one out/; whatever goes wrong with them is as if they were not there."""

    def __init__(self, root: Path, out: Path) -> None:
        name = quote(os.fsencode(os.path.relpath(os.path.realpath(out), os.path.realpath(root))), safe="")
        stem = name if len(name) <= LONGEST else digest_of(name.encode()).hex()
        self.folder = root.resolve() / STATE
        self.sources = self.folder / f"{stem}.sources"
        self.summaries = self.folder / f"{stem}.summaries"
        self.changes = self.folder / f"{stem}.changes"
        self.removed = self.folder / f"{stem}.removed"

    def read_sources(self) -> Sources | None:
        """Return what the site was made from when it was built last."""
        return _read(self.sources, _load_sources)

    def read_memory(self, made_from: str) -> Memory | None:
        """Return what was known of the laboratories of just this site."""
        base = _read(self.summaries, load_memory)
        if base is None or base.base == made_from:
            return base
        return _read(self.changes, lambda header, columns: with_changes(base, header, columns, made_from))

    def prepare(self, sources: Sources, memory: Memory) -> bool:
        """Write what is new beside the old files, and say whether that could be done."""
        self.forget()
        try:
            self.folder.mkdir(exist_ok=True)
            if memory.base and len(memory.since) <= len(memory.summaries) * REWRITE:
                _write(_new(self.changes), *dump_memory(memory, sources.made_from, memory.since))
            else:
                _write(_new(self.summaries), *dump_memory(memory, sources.made_from))
            _write(_new(self.sources), *_dump_sources(sources))
        except OSError:
            self.forget()
            return False
        return True

    def adopt(self) -> None:
        """Put prepared files in the places of the old ones."""
        for file in (self.summaries, self.changes, self.sources):
            with suppress(OSError):
                _new(file).replace(file)

    def recover(self, made_from: str) -> None:
        """Adopt what a build prepared that ended before it could, if it is of the site that is there."""
        if _new(self.sources).exists():
            prepared = _read(_new(self.sources), _load_sources)
            if prepared and prepared.made_from == made_from:
                self.adopt()
            else:
                self.forget()

    def refresh(self, sources: Sources) -> None:
        """Keep new stamps of a site that did not change."""
        with suppress(OSError):
            _write(_new(self.sources), *_dump_sources(sources))
            _new(self.sources).replace(self.sources)

    def forget(self) -> None:
        """Remove what was prepared."""
        with suppress(OSError):
            for file in (self.summaries, self.changes, self.sources):
                _new(file).unlink(missing_ok=True)


def _new(file: Path) -> Path:
    return file.with_name(f"{file.name}.new")


def _write(file: Path, header: dict[str, Any], columns: Columns) -> None:
    """Write a header and columns of bytes, with their sizes, and a checksum of all of it."""
    sizes = [[name, len(data)] for name, data in columns.items()]
    head = orjson.dumps(header | {"format": FORMAT, "columns": sizes}) + b"\n"
    with file.open("wb") as opened:
        opened.write(_MAGIC + head)
        for data in columns.values():
            opened.write(data)
        opened.write(_checksum(head, columns))


def _read(file: Path, load: Callable[[dict[str, Any], Columns], Read]) -> Read | None:
    """Return what a file holds, or None where it is not whole, or not of this format."""
    try:
        with file.open("rb") as opened:
            if opened.readline() != _MAGIC:
                return None
            head = opened.readline()
            header = orjson.loads(head)
            if header["format"] != FORMAT:
                return None
            columns = {name: opened.read(size) for name, size in header["columns"]}
            return load(header, columns) if opened.read() == _checksum(head, columns) else None
    except (OSError, ValueError, KeyError, TypeError, IndexError):
        return None


def _checksum(head: bytes, columns: Columns) -> bytes:
    checksum = zlib.crc32(head)
    for data in columns.values():
        checksum = zlib.crc32(data, checksum)
    return b"%08x" % checksum


def _dump_sources(sources: Sources) -> tuple[dict[str, Any], dict[str, bytes]]:
    inputs = sources.inputs
    header = {
        "program": sources.program,
        "made_from": sources.made_from,
        "files": sources.files,
        "has_warnings": sources.has_warnings,
        "links": [[_text(name), _text(target)] for name, target in inputs.links.items()],
        "shared": len(inputs.shared),
        "at": inputs.at,
    }
    stamps = inputs.kept()
    digests = sources.digests
    return header, {
        "names": os.fsencode("\0".join(stamps)),
        "stamps": b"".join(stamps.values()),
        "digests": b"".join([digests.get(name, UNKNOWN_DIGEST) for name in stamps]),
    }


def _load_sources(header: dict[str, Any], columns: Columns) -> Sources:
    names = os.fsdecode(columns["names"]).split("\0") if columns["names"] else []
    stamps = dict(zip(names, pieces(columns["stamps"], STAMP_SIZE), strict=True))
    digests = dict(zip(names, pieces(columns["digests"], DIGEST_SIZE), strict=True))
    shared = {name: stamps.pop(name) for name in names[: header["shared"]]}
    links = {_name(name): _name(target) for name, target in header["links"]}
    inputs = Inputs(shared, stamps, links, header["at"])
    warns = header["has_warnings"]
    return Sources(header["program"], header["made_from"], header["files"], warns, inputs, digests)


def _text(name: str) -> str:
    """Return a name from the file system as text: its bytes, one a character."""
    return os.fsencode(name).decode("latin-1")


def _name(text: str) -> str:
    return os.fsdecode(text.encode("latin-1"))
