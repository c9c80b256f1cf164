"""What labgen wrote into out/: the marker that says that the folder is its own, and lists its files.

The list stands in out/ itself, so that nothing else has to be kept for labgen to remove what the source no
longer has, and nothing but that. Folders that hold the same names are listed together: 100,000
laboratories are a list of 100,000 numbers, not of 1.6 million names.
"""

import json
import os
import stat
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from labgen.output.files import join

MARKER = ".labgen-site.json"
FORMAT = 1


@dataclass(frozen=True, slots=True)
class Manifest:
    """The files that labgen wrote: for each unit's folder ("" is the root), the sorted names below it."""

    units: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def files(self) -> Iterator[str]:
        """Yield the names of all files under out/."""
        for folder, names in self.units.items():
            yield from (join(folder, name) for name in names)

    def joined(self, other: "Manifest") -> "Manifest":
        """Return a manifest of the files of both."""
        folders = self.units.keys() | other.units.keys()
        names = {folder: {*self.units.get(folder, ()), *other.units.get(folder, ())} for folder in folders}
        return Manifest({folder: tuple(sorted(names[folder])) for folder in folders})


def render_manifest(manifest: Manifest) -> bytes:
    """Return the marker's bytes: the same for the same files."""
    groups: defaultdict[tuple[str, tuple[str, ...]], list[str]] = defaultdict(list)
    for folder, names in manifest.units.items():
        parent, _, last = folder.rpartition("/")
        groups[parent, tuple(sorted(names))].append(last)
    listed = [
        {"in": parent, "folders": sorted(folders), "files": list(names)}
        for (parent, names), folders in sorted(groups.items())
    ]
    return (
        json.dumps({"written_by": "labgen", "format": FORMAT, "units": listed}, ensure_ascii=False).encode()
        + b"\n"
    )


def read_manifest(out: Path) -> Manifest | None:
    """Return what labgen wrote into a folder, or None where no marker of this format says so."""
    try:
        content = json.loads(_read(out / MARKER))
        if content["written_by"] != "labgen" or content["format"] != FORMAT:
            return None
        return Manifest(dict(_units(content["units"])))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _read(marker: Path) -> bytes:
    """Return the bytes of an ordinary file; a link or a pipe is no marker, and is not waited for."""
    descriptor = os.open(marker, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise ValueError(marker)
        return file.read()


def _units(listed: Iterable[Any]) -> Iterator[tuple[str, tuple[str, ...]]]:
    for group in listed:
        names = tuple(sorted(_safe(name) for name in group["files"]))
        for last in group["folders"]:
            yield _safe(f"{group['in']}/{last}" if group["in"] else last, may_be_empty=True), names


def _safe(name: str, *, may_be_empty: bool = False) -> str:
    """Return a name that stays below out/; a marker that was tampered with is no marker."""
    if may_be_empty and name == "":
        return name
    name.encode()  # half a surrogate pair is no file's name
    if name.startswith("/") or {"", ".", ".."} & set(name.split("/")):
        raise ValueError(name)
    return name
