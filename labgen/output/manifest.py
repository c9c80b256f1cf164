"""What labgen wrote into out/: the marker that says that the folder is its own, and lists its files.

The list stands in out/ itself, so that nothing else has to be kept for labgen to remove what the source no
longer has, and nothing but that. Folders that hold the same names are listed together: 100,000
laboratories are a list of 100,000 numbers, not of 1.6 million names.
"""

import os
import re
import stat
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from labgen.output.file_system import join

MARKER = ".labgen-site.json"
FORMAT = 1

Names = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Manifest:
    """The files that labgen wrote: for each unit's folder, the sorted names below it.

    The unit "" are the site's own files, with their whole names. `made_from` is the digest of all that the
    site was made from, and "" while a build is not finished; `hosts` are those that it was built for,
    `base_path` where it lies on them.
    """

    units: dict[str, Names] = field(default_factory=dict)
    made_from: str = ""
    hosts: Names = ()
    base_path: str = ""

    def __len__(self) -> int:
        return sum(map(len, self.units.values()))

    def files(self) -> Iterator[str]:
        """Yield the names of all files under out/."""
        for folder, names in self.units.items():
            yield from (join(folder, name) for name in names)

    def joined(self, other: "Manifest") -> "Manifest":
        """Return a manifest of the files of both."""
        if self.units == other.units:
            return Manifest(other.units)
        units = self.units | other.units
        for folder in self.units.keys() & other.units.keys():
            mine, theirs = self.units[folder], other.units[folder]
            if mine != theirs:
                units[folder] = tuple(sorted({*mine, *theirs}))
        return Manifest(units)


def render_manifest(manifest: Manifest) -> bytes:
    """Return the marker's bytes: the same for the same files."""
    return with_units(manifest, render_units(manifest.units))


def with_units(manifest: Manifest, units: bytes) -> bytes:
    """Return the marker's bytes, where those of its units are known."""
    head: dict[str, Any] = {"written_by": "labgen", "format": FORMAT, "made_from": manifest.made_from}
    content = {
        **head,
        "hosts": manifest.hosts,
        "base_path": manifest.base_path,
        "units": orjson.Fragment(units),
    }
    return orjson.dumps(content, option=orjson.OPT_APPEND_NEWLINE)


def render_units(units: Mapping[str, Names]) -> bytes:
    """Return units as JSON; those with the same names in the same folder are listed together."""
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


def read_manifest(marker: Path) -> Manifest | None:
    """Return what a marker says that labgen wrote, or None where it is no marker of this format."""
    try:
        content = orjson.loads(_read(marker))
        if content["written_by"] != "labgen" or content["format"] != FORMAT:
            return None
        made_from = content.get("made_from", "")
        hosts = tuple([str(name) for name in content.get("hosts", ())])
        base_path = str(content.get("base_path", ""))
        made_from = made_from if isinstance(made_from, str) else ""
        return Manifest(_units(content["units"]), made_from, hosts, base_path)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def read_made_from(marker: Path) -> str:
    """Return the digest of what a marker's site was made from, without reading what the site holds."""
    try:
        found = _MADE_FROM.match(_read(marker, HEAD))
    except (OSError, ValueError):
        return ""
    return found[1].decode() if found else ""


HEAD = 200
_MADE_FROM = re.compile(rb'\{"written_by":"labgen","format":%d,"made_from":"([0-9a-f]+)"' % FORMAT)


def _read(marker: Path, size: int = -1) -> bytes:
    """Return the bytes of an ordinary file; a link or a pipe is no marker, and is not waited for."""
    descriptor = os.open(marker, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise ValueError(marker)
        return file.read(size)


def _units(listed: Iterable[Any]) -> dict[str, Names]:
    units: dict[str, Names] = {}
    top: list[str] = []
    for group in listed:
        names = tuple(sorted([_safe(name) for name in group["files"]]))
        inside = group["in"]
        if not inside:
            top += (join(_safe(last) if last else "", name) for last in group["folders"] for name in names)
            continue
        _safe(inside)
        for last in group["folders"]:
            if last in _NO_NAMES or "/" in last:
                raise ValueError(last)
            units[f"{inside}/{last}"] = names
    if top:
        units[""] = tuple(sorted(top))
    return units


_NO_NAMES = frozenset({"", ".", ".."})


def _safe(name: str) -> str:
    """Return a name that stays below out/; a marker that was tampered with is no marker."""
    if not _NO_NAMES.isdisjoint(name.split("/")):
        raise ValueError(name)
    return name
