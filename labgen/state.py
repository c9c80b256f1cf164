"""What a build remembers in .labgen/, so that the next one need only read what changed.

Two files for each out/: `sources` says what the site was made from, and is all that is read where nothing
changed; `summaries` holds what every laboratory's neighbours need to know of it. Both carry `made_from`,
the digest that the marker in out/ carries too: a state that belongs to another site, to another version of
labgen, or that is not whole, is no state, and then everything is read and compared. Deleting .labgen/ costs
time and nothing else.
"""

import os
import zlib
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

import orjson

from labgen.inputs import DIGEST_SIZE, STAMP_SIZE, Inputs, digest_of
from labgen.paths import STATE
from labgen.summaries import Card, Summary

FORMAT = 1
_MAGIC = b"labgen state\n"

Digests = dict[str, bytes]
Read = TypeVar("Read")


@dataclass(frozen=True, slots=True)
class Sources:
    """What a site was made from.

    `program` tells labgen's version from others. `inputs` are the files, with the stamps that may be trusted,
    `digests` the digests of their contents. `files` is the number of the site's files. `has_warnings` says
    that there is something to show whenever the site is built.
    """

    program: str
    made_from: str
    files: int
    has_warnings: bool
    inputs: Inputs
    digests: Digests


@dataclass(frozen=True, slots=True)
class Memory:
    """What was known of all laboratories and lists.

    `summaries` are by display_id, in its order; `similar` are the display_ids that each laboratory shows;
    `entries` are the digests of the lists' entries, by stem and key.
    """

    summaries: Mapping[str, Summary] = field(default_factory=dict)
    similar: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    entries: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


class StateFile:
    """The two files of the state for one out/; whatever goes wrong with them is as if they were not there."""

    def __init__(self, root: Path, out: Path) -> None:
        name = quote(os.path.relpath(out.resolve(), root.resolve()), safe="")
        stem = name if len(name) <= LONGEST else digest_of(name.encode()).hex()
        self.folder = root.resolve() / STATE
        self.sources = self.folder / f"{stem}.sources"
        self.summaries = self.folder / f"{stem}.summaries"

    def read_sources(self) -> Sources | None:
        """Return what the site was made from when it was built last."""
        return _read(self.sources, _load_sources)

    def read_memory(self, made_from: str) -> Memory | None:
        """Return what was known of the laboratories of just this site."""
        return _read(self.summaries, lambda header, columns: _load_memory(header, columns, made_from))

    def prepare(self, sources: Sources, memory: Memory) -> bool:
        """Write both files beside the old ones, and say whether that could be done."""
        try:
            self.folder.mkdir(exist_ok=True)
            _write(_new(self.summaries), *_dump_memory(memory, sources.made_from))
            _write(_new(self.sources), *_dump_sources(sources))
        except OSError:
            self.forget()
            return False
        return True

    def adopt(self) -> None:
        """Put prepared files in the places of the old ones."""
        for file in (self.summaries, self.sources):
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
            for file in (self.summaries, self.sources):
                _new(file).unlink(missing_ok=True)


LONGEST = 100
UNKNOWN_DIGEST = bytes(DIGEST_SIZE)
"""Of a file that is not read."""


def _new(file: Path) -> Path:
    return file.with_name(f"{file.name}.new")


Columns = Mapping[str, bytes]


def _write(file: Path, header: dict[str, Any], columns: Columns) -> None:
    """Write a header and columns of bytes, with their sizes and a checksum."""
    checksum = 0
    for data in columns.values():
        checksum = zlib.crc32(data, checksum)
    sizes = [[name, len(data)] for name, data in columns.items()]
    head = orjson.dumps(header | {"format": FORMAT, "columns": sizes, "checksum": checksum})
    with file.open("wb") as opened:
        opened.write(_MAGIC + head + b"\n")
        for data in columns.values():
            opened.write(data)


def _read(file: Path, load: Callable[[dict[str, Any], Columns], Read]) -> Read | None:
    """Return what a file holds, or None where it is not whole, or not of this format."""
    try:
        with file.open("rb") as opened:
            if opened.readline() != _MAGIC:
                return None
            header = orjson.loads(opened.readline())
            if header["format"] != FORMAT:
                return None
            columns = {name: opened.read(size) for name, size in header["columns"]}
            checksum = 0
            for data in columns.values():
                checksum = zlib.crc32(data, checksum)
            if checksum != header["checksum"]:
                return None
            return load(header, columns)
    except (OSError, ValueError, KeyError, TypeError, IndexError):
        return None


def _dump_sources(sources: Sources) -> tuple[dict[str, Any], dict[str, bytes]]:
    inputs = sources.inputs
    header = {
        "program": sources.program,
        "made_from": sources.made_from,
        "files": sources.files,
        "has_warnings": sources.has_warnings,
        "shared": len(inputs.shared),
        "at": inputs.at,
    }
    stamps = inputs.kept(inputs.shared | inputs.laboratories)
    return header, {
        "names": b"\0".join(os.fsencode(name) for name in stamps),
        "stamps": b"".join(stamps.values()),
        "digests": b"".join(sources.digests.get(name, UNKNOWN_DIGEST) for name in stamps),
    }


def _load_sources(header: dict[str, Any], columns: Columns) -> Sources:
    names = [os.fsdecode(name) for name in columns["names"].split(b"\0")] if columns["names"] else []
    stamps = dict(zip(names, _pieces(columns["stamps"], STAMP_SIZE), strict=True))
    digests = dict(zip(names, _pieces(columns["digests"], DIGEST_SIZE), strict=True))
    count = header["shared"]
    shared = {name: stamps[name] for name in names[:count]}
    laboratories = {name: stamps[name] for name in names[count:]}
    return Sources(
        header["program"],
        header["made_from"],
        header["files"],
        header["has_warnings"],
        Inputs(shared, laboratories, header["at"]),
        digests,
    )


def _pieces(data: bytes, size: int) -> list[bytes]:
    return [data[start : start + size] for start in range(0, len(data), size)]


ARRAYS = ("facets", "secrets", "mentions")


def _dump_memory(memory: Memory, made_from: str) -> tuple[dict[str, Any], dict[str, bytes]]:
    summaries = list(memory.summaries.values())
    rows = [
        (
            one.file,
            one.line,
            *one.card,
            one.own_similar,
            one.images,
            one.has_logo,
            one.has_warnings,
            memory.similar[one.card.display_id],
        )
        for one in summaries
    ]
    columns = {"rows": orjson.dumps(rows), "digests": b"".join([one.digest for one in summaries])}
    types: dict[str, str] = {}
    for name in ARRAYS:
        arrays: list[array[int]] = [getattr(one, name) for one in summaries]
        types[name] = "Q" if any(one.typecode == "Q" for one in arrays) else "I"
        columns[name] = b"".join([one.tobytes() for one in _widened(arrays, types[name])])
        columns[f"{name}_lengths"] = array("I", [len(one) for one in arrays]).tobytes()
    return {"made_from": made_from, "types": types, "entries": memory.entries}, columns


def _widened(arrays: "Iterable[array[int]]", kind: str) -> "Iterable[array[int]]":
    return (one if one.typecode == kind else array(kind, one) for one in arrays)


def _load_memory(header: dict[str, Any], columns: Columns, made_from: str) -> Memory | None:
    if header["made_from"] != made_from:
        return None
    rows = orjson.loads(columns["rows"])
    digests = _pieces(columns["digests"], DIGEST_SIZE)
    arrays = (_arrays(columns[name], header["types"][name], columns[f"{name}_lengths"]) for name in ARRAYS)
    summaries: dict[str, Summary] = {}
    similar: dict[str, tuple[str, ...]] = {}
    for row, digest, facets, secrets, mentions in zip(rows, digests, *arrays, strict=True):
        file, line, display_id, name, slug, image, locality, country, own, images, has_logo, warns, shown = (
            row
        )
        card = Card(display_id, name, slug, image, locality, country)
        own_similar = None if own is None else tuple(own)
        summaries[display_id] = Summary(
            file, line, digest, card, own_similar, facets, tuple(images), has_logo, secrets, mentions, warns
        )
        similar[display_id] = tuple(shown)
    return Memory(summaries, similar, header["entries"])


def _arrays(data: bytes, kind: str, lengths: bytes) -> "Sequence[array[int]]":
    """Return the arrays that were written one after the other."""
    all_numbers = array(kind)
    all_numbers.frombytes(data)
    counts = array("I")
    counts.frombytes(lengths)
    found = []
    start = 0
    for count in counts:
        found.append(all_numbers[start : start + count])
        start += count
    return found
