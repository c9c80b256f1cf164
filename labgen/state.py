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
from array import array
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TypeVar
from urllib.parse import quote

import orjson

from labgen.inputs import DIGEST_SIZE, STAMP_SIZE, Inputs, digest_of
from labgen.paths import STATE
from labgen.similarity import Postings, TraitsOf, postings_of
from labgen.summaries import Card, Facet, Picture, Shown, Summary

FORMAT = 3
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


class SharedMemory(NamedTuple):
    """What was known of all that laboratories share.

    `entries` are the digests of the lists' entries, by stem and key, `mentions` the digests of what looks
    like an address or a number in their texts. `counts` says how many laboratories have each facet.
    """

    entries: Mapping[str, Mapping[str, str]]
    mentions: Sequence[int]
    counts: Mapping[Facet, int]


@dataclass(frozen=True, slots=True)
class Memory:
    """What was known of all laboratories, by display_id in its order, and of what they share.

    `base` is the site that `summaries` was written for, `postings` the index of its laboratories, `since`
    those that changed since then.
    """

    summaries: Mapping[str, Summary]
    shown: Mapping[str, Shown]
    shared: SharedMemory
    postings: Postings
    base: str = ""
    since: frozenset[str] = field(default_factory=frozenset)


class StateFile:
    """The files of the state for one out/; whatever goes wrong with them is as if they were not there."""

    def __init__(self, root: Path, out: Path) -> None:
        name = quote(os.fsencode(os.path.relpath(out.resolve(), root.resolve())), safe="")
        stem = name if len(name) <= LONGEST else digest_of(name.encode()).hex()
        self.folder = root.resolve() / STATE
        self.sources = self.folder / f"{stem}.sources"
        self.summaries = self.folder / f"{stem}.summaries"
        self.changes = self.folder / f"{stem}.changes"

    def read_sources(self) -> Sources | None:
        """Return what the site was made from when it was built last."""
        return _read(self.sources, _load_sources)

    def read_memory(self, made_from: str) -> Memory | None:
        """Return what was known of the laboratories of just this site."""
        base = _read(self.summaries, _load_memory)
        if base is None or base.base == made_from:
            return base
        return _read(self.changes, lambda header, columns: _changed(base, header, columns, made_from))

    def prepare(self, sources: Sources, memory: Memory) -> bool:
        """Write what is new beside the old files, and say whether that could be done."""
        self.forget()
        try:
            self.folder.mkdir(exist_ok=True)
            if memory.base and len(memory.since) <= len(memory.summaries) * REWRITE:
                _write(_new(self.changes), *_dump_memory(memory, sources.made_from, memory.since))
            else:
                header, columns = _dump_memory(memory, sources.made_from, memory.summaries)
                _write(_new(self.summaries), header, columns | _dump_postings(memory))
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


Columns = Mapping[str, bytes]


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
        "names": b"\0".join(map(os.fsencode, stamps)),
        "stamps": b"".join(stamps.values()),
        "digests": b"".join([digests.get(name, UNKNOWN_DIGEST) for name in stamps]),
    }


def _load_sources(header: dict[str, Any], columns: Columns) -> Sources:
    names = os.fsdecode(columns["names"]).split("\0") if columns["names"] else []
    stamps = dict(zip(names, _pieces(columns["stamps"], STAMP_SIZE), strict=True))
    digests = dict(zip(names, _pieces(columns["digests"], DIGEST_SIZE), strict=True))
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


def _pieces(data: bytes, size: int) -> list[bytes]:
    return [data[start : start + size] for start in range(0, len(data), size)]


def _dump_postings(memory: Memory) -> dict[str, bytes]:
    """Return the index of all laboratories as they are now."""
    postings = memory.postings
    if memory.base:
        postings = postings_of(TraitsOf(memory.summaries))
    held, places = postings.places.keys(), postings.places.values()
    return {
        "held": array("Q", held).tobytes(),
        "held_lengths": array("I", map(len, places)).tobytes(),
        "holders": b"".join([one.tobytes() for one in places]),
    }


def _load_postings(summaries: Mapping[str, Summary], columns: Columns) -> Postings:
    if "held" not in columns:
        return Postings((), {})
    places = _arrays(columns["holders"], "I", columns["held_lengths"])
    return Postings(list(summaries), dict(zip(_numbers("Q", columns["held"]), places, strict=True)))


ARRAYS = ("facets", "secrets", "mentions")


def _dump_memory(
    memory: Memory, made_from: str, display_ids: Collection[str]
) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Return some of the laboratories; of those that are named but not there, that they have gone."""
    summaries = [memory.summaries[one] for one in display_ids if one in memory.summaries]
    rows = [
        (
            one.file,
            one.line,
            *one.card._replace(image=None),
            one.own_similar,
            [(picture.name, picture.use, *picture.focus) for picture in one.pictures],
            one.initials,
            one.has_warnings,
            *memory.shown[one.card.display_id],
        )
        for one in summaries
    ]
    shared = memory.shared
    columns = {"rows": orjson.dumps(rows), "digests": b"".join([one.digest for one in summaries])}
    columns["shared_mentions"] = array("Q", shared.mentions).tobytes()
    columns["counted"] = array("Q", shared.counts).tobytes()
    columns["counts"] = array("I", shared.counts.values()).tobytes()
    types: dict[str, str] = {}
    for name in ARRAYS:
        arrays: list[array[int]] = [getattr(one, name) for one in summaries]
        types[name] = "Q" if any(one.typecode == "Q" for one in arrays) else "I"
        columns[name] = b"".join([one.tobytes() for one in _widened(arrays, types[name])])
        columns[f"{name}_lengths"] = array("I", map(len, arrays)).tobytes()
    header = {
        "made_from": made_from,
        "base": memory.base,
        "gone": sorted(set(display_ids) - memory.summaries.keys()),
        "types": types,
        "entries": shared.entries,
    }
    return header, columns


def _widened(arrays: "Iterable[array[int]]", kind: str) -> "Iterable[array[int]]":
    return (one if one.typecode == kind else array(kind, one) for one in arrays)


def _load_memory(header: dict[str, Any], columns: Columns) -> Memory:
    rows = orjson.loads(columns["rows"])
    digests = _pieces(columns["digests"], DIGEST_SIZE)
    arrays = (_arrays(columns[name], header["types"][name], columns[f"{name}_lengths"]) for name in ARRAYS)
    summaries: dict[str, Summary] = {}
    shown: dict[str, Shown] = {}
    for row, digest, facets, secrets, mentions in zip(rows, digests, *arrays, strict=True):
        file, line, display_id, name, slug, _, locality, country, own, shown_in, initials, warns = row[:12]
        pictures = tuple(Picture(original, use, (x, y)) for original, use, x, y in shown_in)
        image = next((one for one in pictures if one.use == "image"), None)
        summaries[display_id] = Summary(
            file,
            line,
            digest,
            Card(display_id, name, slug, image, locality, country),
            None if own is None else tuple(own),
            facets,
            pictures,
            initials,
            secrets,
            mentions,
            warns,
        )
        shown[display_id] = Shown(tuple(row[12]), row[13])
    counts = dict(zip(_numbers("Q", columns["counted"]), _numbers("I", columns["counts"]), strict=True))
    shared = SharedMemory(header["entries"], _numbers("Q", columns["shared_mentions"]), counts)
    return Memory(summaries, shown, shared, _load_postings(summaries, columns), header["made_from"])


def _changed(base: Memory, header: dict[str, Any], columns: Columns, made_from: str) -> Memory | None:
    """Return what was known, with what changed since; None if that is about another site."""
    if header["made_from"] != made_from or header["base"] != base.base:
        return None
    changes = _load_memory(header, columns)
    gone = header["gone"]
    since = frozenset([*changes.summaries, *gone])
    return Memory(
        in_order(base.summaries, changes.summaries, gone),
        in_order(base.shown, changes.shown, gone),
        changes.shared,
        base.postings,
        base.base,
        since,
    )


Value = TypeVar("Value")


def in_order(
    before: Mapping[str, Value], changes: Mapping[str, Value], gone: Iterable[str]
) -> dict[str, Value]:
    """Return what is known by display_id, with changes, in the order of the display_ids."""
    merged = {**before, **changes}
    for display_id in gone:
        merged.pop(display_id, None)
    if changes.keys() <= before.keys():
        return merged
    return {display_id: merged[display_id] for display_id in sorted(merged)}


def _numbers(kind: str, data: bytes) -> "array[int]":
    numbers = array(kind)
    numbers.frombytes(data)
    return numbers


def _arrays(data: bytes, kind: str, lengths: bytes) -> "list[array[int]]":
    """Return the arrays that were written one after the other."""
    numbers = _numbers(kind, data)
    found = []
    start = 0
    for length in _numbers("I", lengths):
        found.append(numbers[start : start + length])
        start += length
    return found
