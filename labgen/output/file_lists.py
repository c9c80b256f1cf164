"""Read and write the marker in out/, and labgen's lists of its files (not the published manifest).

They are in out/ itself, so that labgen can always remove the files that the source no longer has, and
removes no others. The marker is small. The files are listed in several parts, by unit, so that an edit does
not read and write all of them. Folders with the same file names are listed together.
"""

import os
import stat
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from labgen.model.site_paths import document_folders
from labgen.output.errors import OutputError
from labgen.output.file_system import join
from labgen.problems.text import say
from labgen.system.lazy import Lazy

MARKER = ".labgen-site.json"
LISTS = ".labgen-site"
"""The folder with the lists of files."""
FORMAT = 2
PARTS = 64

Names = tuple[str, ...]
Units = dict[str, Names]
"""By each unit's folder, the sorted names of the files below it; the unit "" has the site's own files."""


@dataclass(frozen=True, slots=True)
class Marker:
    """The contents of the marker.

    `made_from` is the digest of everything that the site was made from, "" while a commit is not finished.
    `hosts` are the names of the hosts that the site was built for, `base_path` is its path there, and
    `directory_path` the path below which documents lie that labgen proposes.
    """

    made_from: str = ""
    hosts: Names = ()
    base_path: str = ""
    directory_path: str = ""

    def render(self) -> bytes:
        """Return the bytes of the marker: the same for the same site."""
        head: dict[str, Any] = {"written_by": "labgen", "format": FORMAT, "made_from": self.made_from}
        paths = {"base_path": self.base_path, "directory_path": self.directory_path}
        content = {**head, "hosts": self.hosts, **paths}
        return orjson.dumps(content, option=orjson.OPT_APPEND_NEWLINE)


@dataclass(frozen=True, slots=True)
class BuiltSite:
    """A built site: the names of its files, and the contents of its marker (see `Marker`)."""

    units: Units
    hosts: Names = ()
    base_path: str = ""
    made_from: str = ""
    directory_path: str = ""

    @property
    def folders(self) -> tuple[str, ...]:
        """The folders under out/ below which all paths are those of documents."""
        return document_folders(self.directory_path)

    def files(self) -> Iterator[str]:
        """Yield the names of all files under out/."""
        return files_of(self.units)


def files_of(units: Mapping[str, Names]) -> Iterator[str]:
    """Yield the names of units' files under out/."""
    for folder, names in units.items():
        yield from (join(folder, name) for name in names)


def count_files(units: Mapping[str, Names]) -> int:
    """Return the number of units' files."""
    return sum(map(len, units.values()))


def join_units(some: Units, others: Units) -> Units:
    """Merge two sets of units; a unit that is in both has the files of both."""
    joined = some | others
    for folder in some.keys() & others.keys():
        if some[folder] != others[folder]:
            joined[folder] = tuple(sorted({*some[folder], *others[folder]}))
    return joined


class DamagedListError(ValueError):
    """Raised if a list of files in out/ is damaged or missing, so that labgen does not know its own files."""


class Lists:
    """The lists of files in out/, each read on demand.

    Raises `DamagedListError` if a list cannot be used, or lacks one of the `known` units. If None are known,
    such a list counts as empty, and `damaged` names it. Raises `OutputError` if a link or a file is in the
    place of their folder.
    """

    def __init__(self, out: Path, marker: Marker, known: AbstractSet[str] | None) -> None:
        self.out = out
        self.known = known
        self.damaged: set[str] = set()
        self.is_finished = marker.made_from != ""
        self.parts: Lazy[str, Units] = Lazy(self._read)

    def _read(self, part: str) -> Units:
        try:
            units = _read_list(self.out, part)
        except PARSE_ERRORS:
            units = None
        is_needed = (part == SITE_LIST and self.is_finished) or os.path.lexists(self.out / part)
        if not units and is_needed:  # no build writes an empty list
            if self.known is not None:
                raise DamagedListError(part)
            self.damaged.add(part)
        return units or {}

    def is_damaged(self, folder: str) -> bool:
        """Return whether the list of a unit is damaged; without that of the site's own files, all are."""
        part = list_file_of(folder)
        return self.parts[part] == {} and not self.damaged.isdisjoint({part, SITE_LIST})

    def names(self, folder: str) -> Names:
        """Return the names of a unit's files, () for an unknown unit."""
        names = self.parts[list_file_of(folder)].get(folder, ())
        if not names and self.known and folder in self.known:
            raise DamagedListError(folder)
        return names

    def all(self) -> Units:
        """Return all units."""
        units = {folder: names for part in all_list_files() for folder, names in self.parts[part].items()}
        if self.known and self.known - units.keys():
            raise DamagedListError
        return units


def list_file_of(folder: str) -> str:
    """Return the name of the list that contains a unit; the site's own files have a separate list."""
    return f"{LISTS}/{zlib.crc32(folder.encode()) % PARTS:02x}.json" if folder else SITE_LIST


SITE_LIST = f"{LISTS}/site.json"


def all_list_files() -> list[str]:
    """Return the names of all possible lists."""
    return [SITE_LIST, *(f"{LISTS}/{number:02x}.json" for number in range(PARTS))]


def by_part(units: Mapping[str, Names]) -> dict[str, Units]:
    """Group units by the names of their lists."""
    parts: defaultdict[str, Units] = defaultdict(dict)
    for folder, names in units.items():
        parts[list_file_of(folder)][folder] = names
    return parts


def read_built_site(out: Path) -> BuiltSite | None:
    """Return the site in a folder, or None if labgen did not write it or its lists are damaged."""
    marker = read_marker(out)
    try:
        if marker is None:
            return None
        units = Lists(out, marker, frozenset()).all()
        return BuiltSite(units, marker.hosts, marker.base_path, marker.made_from, marker.directory_path)
    except (OutputError, DamagedListError):
        return None


def read_marker(out: Path) -> Marker | None:
    """Return the marker of a folder, or None if it is missing, invalid or of an unknown format."""
    try:
        content = orjson.loads(_read(out / MARKER))
        if content["written_by"] != "labgen" or content["format"] != FORMAT:
            return None
        hosts = tuple([str(name) for name in content.get("hosts", ())])
        paths = (str(content.get(name, "")) for name in ("base_path", "directory_path"))
        return Marker(str(content["made_from"]), hosts, *paths)
    except PARSE_ERRORS:
        return None


PARSE_ERRORS = (OSError, ValueError, KeyError, TypeError, AttributeError)
"""Exceptions for an invalid marker or list."""


def require_lists(out: Path, units: Iterable[str]) -> None:
    """Raise `DamagedListError` if the list of one of these units, or of the site's own files, is missing."""
    needed = {SITE_LIST}
    for folder in units:
        needed.add(list_file_of(folder))
        if len(needed) > PARTS:
            break
    if any(not (out / part).is_file() for part in needed):
        raise DamagedListError


def has_lists(out: Path) -> bool:
    """Return whether a folder has lists of files that labgen wrote."""
    try:
        return bool(_read_list(out, SITE_LIST))
    except (OutputError, *PARSE_ERRORS):
        return False


def _read_list(out: Path, part: str) -> Units:
    """Return the units of a list, {} if the file does not exist. Raises `OutputError` and `PARSE_ERRORS`."""
    folder = out / LISTS
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        message = say(
            "`{lists}` in {out} is not the folder that labgen made; nothing was changed", lists=LISTS, out=out
        )
        raise OutputError(message, say("remove it, and build again: labgen finds its files by their digests"))
    try:
        data = _read(out / part)
    except FileNotFoundError:
        return {}
    listed = data[_BEFORE_UNITS:-1]
    if _with_checksum(listed) != data:
        raise ValueError(part)
    return parse_units(orjson.loads(listed))


def render_list(units: Mapping[str, Names]) -> bytes:
    """Return the bytes of a list of files; by its checksum, a list that names another file is known."""
    return _with_checksum(render_units(units))


def _with_checksum(listed: bytes) -> bytes:
    return b'{"crc32":"%08x","units":%b}' % (zlib.crc32(listed), listed)


_BEFORE_UNITS = len(_with_checksum(b"")) - 1


def foreign_folder_error(out: Path) -> OutputError:
    """Return the error for a folder that labgen did not write, or whose marker is damaged."""
    if has_lists(out):
        message = say("`{marker}` in {out} is damaged; nothing was changed", marker=MARKER, out=out)
        return OutputError(
            message, say("remove it, and build again: labgen finds its files in `{lists}`", lists=LISTS)
        )
    if any(os.path.lexists(out / name) for name in (MARKER, LISTS)):
        message = say(
            "the lists of files in {out} are damaged: labgen cannot tell which files it wrote", out=out
        )
        hint = say("move {out} away, and build again: labgen writes all files of the site", out=out)
        return OutputError(say("{message}; nothing was changed", message=message), hint)
    hint = say("choose another folder with --out, or empty this one yourself")
    return OutputError(say("{out} is not empty, and labgen did not write it", out=out), hint)


def _read(file: Path) -> bytes:
    """Return the bytes of a regular file; links and pipes are refused without blocking."""
    descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as opened:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise ValueError(file)
        return opened.read()


def render_units(units: Mapping[str, Names]) -> bytes:
    """Return units as deterministic JSON; units with the same file names are listed together."""
    same: dict[int, Names] = {}
    groups: defaultdict[tuple[str, int], list[str]] = defaultdict(list)
    for folder, names in units.items():
        parent, _, last = folder.rpartition("/")
        groups[parent, id(names)].append(last)
        same[id(names)] = names
    joined: defaultdict[tuple[str, Names], list[str]] = defaultdict(list)
    for (parent, number), folders in groups.items():
        joined[parent, same[number]] += folders
    return orjson.dumps(
        [
            {"in": parent, "folders": sorted(folders), "files": names}
            for (parent, names), folders in sorted(joined.items())
        ]
    )


def parse_units(listed: Iterable[Any]) -> Units:
    """Return the units in parsed JSON. Raises `PARSE_ERRORS` if they are invalid or leave the folder."""
    units: Units = {}
    top: list[str] = []
    for group in listed:
        names = tuple(sorted([safe_name(name) for name in group["files"]]))
        inside = group["in"]
        if not inside:
            top += (
                join(safe_name(last) if last else "", name) for last in group["folders"] for name in names
            )
            continue
        safe_name(inside)
        for last in group["folders"]:
            if last in _NO_NAMES or "/" in last:
                raise ValueError(last)
            units[f"{inside}/{last}"] = names
    if top:
        units[""] = tuple(sorted(top))
    return units


_NO_NAMES = frozenset({"", ".", ".."})


def safe_name(name: str) -> str:
    """Return a name if it stays below out/; raise ValueError otherwise, as for a manipulated list."""
    if not _NO_NAMES.isdisjoint(name.split("/")):
        raise ValueError(name)
    return name
