"""The files that a site is made of, and how to tell without reading them that they are what they were.

A *stamp* is a file's size, time of change, time of change of its inode, and inode. A file whose stamp is
the one that was kept has the contents that it had, unless it was changed twice within the grain of the file
system's clock: so the stamp of a file that was changed just before it was read is not kept, and its
contents are compared. Where stamps differ, the digest of the contents decides: a checkout gives every file
a new stamp.
"""

import os
import stat
import struct
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from hashlib import blake2b, file_digest
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple

CHUNK = 16 * 1024
"""Bytes per read: most files of laboratories take one."""

DIGEST_SIZE = 16
_STAMP = struct.Struct("<4Q")
STAMP_SIZE = _STAMP.size
UNKNOWN = bytes(STAMP_SIZE)
"""A stamp that no file has: what is kept of it cannot be trusted."""
FOLDER = bytes([*bytes(STAMP_SIZE - 1), 1])
"""The stamp of a folder: that it is there is all that counts."""
BROKEN = b"\xff" * STAMP_SIZE
"""The stamp of what cannot be looked at."""
GRAIN = 2_000_000_000
"""Nanoseconds: the coarsest clock of a file system in use (FAT)."""
_MASK = 2**64 - 1

DATA, TEMPLATES, MEDIA, LABORATORIES = "data", "templates", "media", "laboratories"

Stamps = dict[str, bytes]
"""A stamp for each file, by its name in the project."""


class Inputs(NamedTuple):
    """The files of a project, as they were found: those of laboratories, and all others.

    `links` are the symbolic links among them, with what they point to. `at` is the time.
    """

    shared: Stamps
    laboratories: Stamps
    links: dict[str, str]
    at: int

    @property
    def everything(self) -> Stamps:
        """All files."""
        return self.shared | self.laboratories

    def kept(self) -> Stamps:
        """Return the stamps as they may be kept: unknown for files that were changed a moment before."""
        stamps, latest = self.everything, self.at - GRAIN
        times = _STAMP.iter_unpack(b"".join(stamps.values()))
        return {
            name: UNKNOWN if changed > latest or inode_changed > latest else stamp
            for (name, stamp), (_, changed, inode_changed, _) in zip(stamps.items(), times, strict=True)
        }


def changed_files(now: Stamps, before: Stamps) -> list[str]:
    """Return the files that may not be what they were, and those that are new."""
    return [name for name, stamp in now.items() if before.get(name) != stamp]


def is_note(name: str) -> bool:
    """Say whether a file is for people or for other tools: hidden, a backup, or a text."""
    return name.startswith((".", "#", "~")) or name.endswith(("~", ".md", ".txt", ".bak", ".swp"))


def find_inputs(root: Path, *, has_laboratories: bool = True) -> Inputs:
    """Return all files that a project's site may be made of, or all but those of the laboratories."""
    found = Inputs({}, {}, {}, time.time_ns())
    for folder in (DATA, TEMPLATES):
        _note_link(root, folder, found)
    for name, entry in _listed(root, f"{DATA}/", found):
        if entry.name == LABORATORIES and entry.is_dir():
            files = _listed(root, f"{name}/", found) if has_laboratories else []
            found.laboratories.update(
                (inner, _stamp(file)) for inner, file in files if not is_note(file.name)
            )
        elif entry.name == MEDIA and entry.is_dir():
            _look_below(root, f"{name}/", found)
        elif not is_note(entry.name):
            found.shared[name] = _stamp(entry)
    if os.path.lexists(root / TEMPLATES) and not (root / TEMPLATES).is_dir():
        found.shared[TEMPLATES] = BROKEN
    _look_below(root, f"{TEMPLATES}/", found)
    return found


def _listed(root: Path, folder: str, found: Inputs) -> list[tuple[str, "os.DirEntry[str]"]]:
    """Return what lies in a folder, and take note of the links."""
    try:
        with os.scandir(root / folder) as entries:
            listed = [(folder + entry.name, entry) for entry in entries]
    except OSError:
        return []
    for name, entry in listed:
        if entry.is_symlink():
            _note_link(root, name, found)
    return listed


def _note_link(root: Path, name: str, found: Inputs) -> None:
    path = root / name
    if path.is_symlink():
        found.links[name] = os.path.relpath(os.path.realpath(path), os.path.realpath(root))


def _look_below(root: Path, folder: str, found: Inputs) -> None:
    """Find all files below a folder, and the folders themselves; links are followed, but not in circles."""
    pending = [(folder, frozenset({os.path.realpath(root / folder)}))]
    while pending:
        above, around = pending.pop()
        for name, entry in _listed(root, above, found):
            if not entry.is_dir():
                found.shared[name] = _stamp(entry)
                continue
            found.shared[name + "/"] = FOLDER
            real = os.path.realpath(entry.path)
            if real not in around:
                pending.append((name + "/", around | {real}))


def _stamp(entry: "os.DirEntry[str]") -> bytes:
    try:
        found = entry.stat()
    except OSError:
        return BROKEN
    return _STAMP.pack(
        found.st_size, found.st_mtime_ns & _MASK, found.st_ctime_ns & _MASK, found.st_ino & _MASK
    )


def read_bytes(path: str | Path) -> bytes:
    """Return a file's bytes, read in small steps."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        chunk = os.read(descriptor, CHUNK)
        if len(chunk) < CHUNK:
            return chunk
        chunks = [chunk]
        while chunk := os.read(descriptor, CHUNK):
            chunks.append(chunk)
        return b"".join(chunks)
    finally:
        os.close(descriptor)


def digest_of(data: bytes) -> bytes:
    """Return what tells contents from all others."""
    return blake2b(data, digest_size=DIGEST_SIZE).digest()


def _digest_of_file(path: Path) -> bytes:
    """Return the digest of an ordinary file; a pipe or a device is not waited for."""
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError
        return file_digest(file, _hash).digest()


def _hash() -> blake2b:
    return blake2b(digest_size=DIGEST_SIZE)


def digest_of_all(parts: Iterable[bytes]) -> str:
    """Return one digest, as text, for digests in an order."""
    return blake2b(b"".join(parts), digest_size=DIGEST_SIZE).hexdigest()


def digests_of(root: Path, names: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    """Yield each file's digest; zeros for a file that cannot be read."""
    for name in names:
        try:
            yield name, _digest_of_file(root / name)
        except OSError:
            yield name, bytes(DIGEST_SIZE)


def built_in_templates() -> Path:
    """Return the folder of the built-in templates: in the installed package, or at the top of a checkout."""
    package = Path(__file__).resolve().parent.parent
    installed = package / TEMPLATES
    return installed if installed.is_dir() else package.parent / TEMPLATES


@cache
def digest_of_program() -> str:
    """Return the digest of labgen's code, of what it knows of hosts, and of the built-in templates."""
    package = Path(__file__).resolve().parent.parent
    folders = (
        (package, "*.py"),
        (package / "hosts", "results.json"),
        (package / "hosts" / "texts", "*"),
        (built_in_templates(), "*"),
    )
    files = [file for folder, pattern in folders for file in sorted(folder.rglob(pattern)) if file.is_file()]
    return digest_of_all(digest_of(read_bytes(file)) for file in files)


@cache
def program() -> str:
    """Return what tells this labgen from others: its code, and all whose work is in the site's bytes."""
    found = [digest_of_program(), sys.version]
    for name in PACKAGES:
        with suppress(PackageNotFoundError):
            found.append(f"{name} {version(name)}")
    return ", ".join(found)


PACKAGES = (
    "jinja2",
    "markupsafe",
    "orjson",
    "pydantic",
    "pydantic-core",
    "pyyaml",
    "brotli",
    "zstandard",
    "pillow",
)
