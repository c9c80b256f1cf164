"""Find the input files of a project, and detect by stamps and digests whether they changed.

A *stamp* is a file's size, mtime, ctime and inode number. If it equals the stored stamp, the contents are
unchanged, unless the file was changed twice within the resolution of the file system's clock: so the stamp of
a file that was changed just before it was read is not stored, and its contents are compared. If stamps
differ, the digest of the contents decides: a checkout gives every file a new stamp.
"""

import errno
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

from labgen.problems.text import say

CHUNK = 16 * 1024
"""Bytes per read; one read is enough for most laboratories."""

DIGEST_SIZE = 16
_STAMP = struct.Struct("<4Q")
STAMP_SIZE = _STAMP.size
UNKNOWN = bytes(STAMP_SIZE)
"""A stamp that no file has, for files that must be read again."""
FOLDER_STAMP = bytes([*bytes(STAMP_SIZE - 1), 1])
"""The stamp of a folder, whose existence is all that matters."""
BROKEN_STAMP = b"\xff" * STAMP_SIZE
"""The stamp of entries that are not read: broken links, links that lead out of the fence, pipes, devices."""
GRAIN = 2_000_000_000
"""The coarsest resolution of the clock of a file system in use (FAT), in nanoseconds."""
_MASK = 2**64 - 1

DATA, TEMPLATES, MEDIA, LABORATORIES = "data", "templates", "media", "laboratories"

Stamps = dict[str, bytes]
"""A stamp for each file, by its name in the project."""


class Inputs(NamedTuple):
    """The input files of a project: those in data/laboratories/, and all others (`shared`).

    `links` are the symbolic links among them, with their targets, relative to the project's folder. `at` is
    the time of the search, in nanoseconds.
    """

    shared: Stamps
    laboratories: Stamps
    links: dict[str, str]
    at: int

    @property
    def everything(self) -> Stamps:
        """The stamps of all files."""
        return self.shared | self.laboratories

    def kept(self, names: Iterable[str]) -> Stamps:
        """Return the stamps of files for storage: `UNKNOWN` for files that were changed just before."""
        everything, latest = self.everything, self.at - GRAIN
        stamps = {name: everything[name] for name in names}
        times = _STAMP.iter_unpack(b"".join(stamps.values()))
        return {
            name: UNKNOWN if changed > latest or inode_changed > latest else stamp
            for (name, stamp), (_, changed, inode_changed, _) in zip(stamps.items(), times, strict=True)
        }


def changed_files(now: Stamps, before: Stamps) -> list[str]:
    """Return the files that are new or may have changed."""
    return [name for name, stamp in now.items() if before.get(name) != stamp]


WORKBOOKS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
DATABASES = (".sqlite", ".sqlite3", ".db")
BOOKS = WORKBOOKS + DATABASES
"""Extensions of files that may hold several tables."""
SOURCE_SUFFIXES = (".csv", ".json", ".jsonl", ".toml", ".yaml", ".yml", *BOOKS)
"""Extensions of source files."""
LINES = ".jsonl"


def is_bulk(file: str) -> bool:
    """Return whether a file contains all laboratories (data/laboratories.*), by its name."""
    return file.startswith(f"{DATA}/{LABORATORIES}.")


_LEFT_BEHIND = ("thumbs.db", "ehthumbs.db", "desktop.ini", "__macosx")
_BACKUPS = ("~", ".bak", ".orig", ".rej", ".save", ".swp", ".tmp")


def is_ignored(name: str) -> bool:
    """Return whether a file is not source data, by its name: a hidden file, a backup, or a text (.md, .txt).

    A source file with an additional .txt is not a note: an editor added the .txt.
    """
    small = name.lower()
    if small.startswith((".", "#", "~")) or small.endswith(_BACKUPS) or is_of_system(name):
        return True
    stem, _, suffix = small.rpartition(".")
    return suffix in ("md", "txt") and not stem.endswith(SOURCE_SUFFIXES)


def is_of_system(name: str) -> bool:
    """Return whether a desktop leaves a file with this name in each folder."""
    return name.lower() in _LEFT_BEHIND


def find_inputs(root: Path, *, has_laboratories: bool = True) -> Inputs:
    """Find all input files of a project, or all except the laboratories."""
    search = _Search(root, Inputs({}, {}, {}, time.time_ns()))
    found, data = search.found, search.real(DATA)
    for folder in (DATA, TEMPLATES):
        search.note_link(folder)
    for name, entry in search.entries(f"{DATA}/"):
        if entry.name == LABORATORIES and _is_folder(entry):
            files = search.entries(f"{name}/") if has_laboratories else []
            found.laboratories.update(
                (inner, search.stamp(inner, file, data)) for inner, file in files if not is_ignored(file.name)
            )
        elif entry.name == MEDIA and _is_folder(entry):
            if search.stays(name, data):
                search.look_below(name, search.real(name))
        elif not is_ignored(entry.name):
            found.shared[name] = search.stamp(name, entry, data)
    if os.path.isdir(root / TEMPLATES):  # noqa: PTH112 - Path raises where a link leads to itself
        if search.stays(TEMPLATES, PROJECT):
            search.look_below(TEMPLATES, PROJECT)
    elif os.path.lexists(root / TEMPLATES):
        found.shared[TEMPLATES] = BROKEN_STAMP
    return found


PROJECT = ""
"""The fence of links that may lead to any file of the project except hidden ones."""


def is_inside(target: str, fence: str) -> bool:
    """Return whether the target of a link is below a folder; both are relative to the project's folder."""
    if fence == PROJECT:
        return not any(part.startswith(".") for part in target.split("/"))
    return target.startswith(f"{fence}/")


class _Search:
    """A search for input files, which also records the symbolic links that it finds.

    A *fence* is the folder that links must not leave.
    """

    def __init__(self, root: Path, found: Inputs) -> None:
        self.root = root
        self.real_root = os.path.realpath(root)
        self.found = found

    def real(self, name: str) -> str:
        """Return the real path of a file, relative to the project's folder."""
        return os.path.relpath(os.path.realpath(self.root / name), self.real_root)

    def note_link(self, name: str) -> None:
        """Record a name if it is a symbolic link."""
        if os.path.islink(self.root / name):  # noqa: PTH114 - no Path for each file
            self.found.links[name] = self.real(name)

    def stays(self, name: str, fence: str) -> bool:
        """Return whether a name is not a link, or a link that stays inside the fence."""
        return name not in self.found.links or is_inside(self.found.links[name], fence)

    def entries(self, folder: str) -> "list[tuple[str, os.DirEntry[str]]]":
        """Return a folder's entries with their names in the project; [] if it cannot be read."""
        try:
            with os.scandir(self.root / folder) as entries:
                listed = [(folder + entry.name, entry) for entry in entries]
        except OSError:
            return []
        for name, entry in listed:
            if entry.is_symlink():
                self.found.links[name] = self.real(name)
        return listed

    def stamp(self, name: str, entry: "os.DirEntry[str]", fence: str) -> bytes:
        """Return the stamp of a file, `BROKEN_STAMP` if it is a link that leads out of the fence."""
        return _stamp(entry) if self.stays(name, fence) else BROKEN_STAMP

    def look_below(self, folder: str, fence: str) -> None:
        """Find all files below a folder, and the folders themselves.

        A link to a folder is followed if it stays inside the fence and was not itself reached through such a
        link: if folders link to one another, there is no limit to the names that lead through several links.
        """
        pending = [(f"{folder}/", False)]
        while pending:
            above, is_linked = pending.pop()
            for name, entry in self.entries(above):
                if not _is_folder(entry):
                    self.found.shared[name] = self.stamp(name, entry, fence)
                    continue
                self.found.shared[f"{name}/"] = FOLDER_STAMP
                is_link = name in self.found.links
                if not is_link or (not is_linked and self.stays(name, fence)):
                    pending.append((f"{name}/", is_linked or is_link))


def _is_folder(entry: "os.DirEntry[str]") -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link to itself
        return False


def _stamp(entry: "os.DirEntry[str]") -> bytes:
    try:
        found = entry.stat()
    except OSError:
        return BROKEN_STAMP
    if not stat.S_ISREG(found.st_mode):
        return BROKEN_STAMP
    return _STAMP.pack(
        found.st_size, found.st_mtime_ns & _MASK, found.st_ctime_ns & _MASK, found.st_ino & _MASK
    )


class TooLargeError(OSError):
    """A file is larger than its reader accepts; `size` is its size in bytes."""

    def __init__(self, path: str | Path, size: int) -> None:
        super().__init__(errno.EFBIG, say("it is too large"), str(path))
        self.size = size


def read_bytes(path: str | Path, most: int = sys.maxsize) -> bytes:
    """Return a file's bytes, read in small steps. Raises OSError, also for a device, and `TooLargeError`."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        chunk = os.read(descriptor, CHUNK)
        if len(chunk) < CHUNK:
            return chunk
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise OSError(errno.EINVAL, say("not an ordinary file"), str(path))
        if found.st_size > most:
            raise TooLargeError(path, found.st_size)
        chunks = [chunk]
        while chunk := os.read(descriptor, CHUNK):
            chunks.append(chunk)
        return b"".join(chunks)
    finally:
        os.close(descriptor)


def chunks_of(path: str | Path) -> Iterator[bytes]:
    """Yield a regular file's bytes in chunks. Raises OSError, also for pipes and devices."""
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK), "rb", buffering=0) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, say("not an ordinary file"), str(path))
        while chunk := file.read(CHUNK):
            yield chunk


def digest_of(data: bytes) -> bytes:
    """Return the digest of some bytes."""
    return blake2b(data, digest_size=DIGEST_SIZE).digest()


def _digest_of_file(path: Path) -> bytes:
    """Return the digest of a regular file, without blocking on pipes and devices. Raises OSError."""
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError
        return file_digest(file, _hash).digest()


def _hash() -> blake2b:
    return blake2b(digest_size=DIGEST_SIZE)


def digest_of_all(parts: Iterable[bytes]) -> str:
    """Return the digest of a sequence of digests, in hexadecimal."""
    return blake2b(b"".join(parts), digest_size=DIGEST_SIZE).hexdigest()


def digests_of(root: Path, names: Iterable[str], stamps: Stamps) -> Iterator[tuple[str, bytes]]:
    """Yield each file's digest; zeros for a file that cannot be read, or whose stamp is `BROKEN_STAMP`."""
    for name in names:
        try:
            yield (
                name,
                bytes(DIGEST_SIZE) if stamps.get(name) == BROKEN_STAMP else _digest_of_file(root / name),
            )
        except OSError:
            yield name, bytes(DIGEST_SIZE)


def built_in_templates() -> Path:
    """Return the folder of the built-in templates: in the installed package, or at the top of a checkout."""
    package = Path(__file__).resolve().parent.parent
    installed = package / TEMPLATES
    return installed if installed.is_dir() else package.parent / TEMPLATES


@cache
def digest_of_program() -> str:
    """Return the digest of labgen's code, its texts and test results of hosts, and the built-in templates."""
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
    """Return what identifies this labgen: the digest of its code, the versions of Python and of packages."""
    found = [digest_of_program(), sys.version]
    for name in PACKAGES:
        with suppress(PackageNotFoundError):
            found.append(say("{name} {version}", name=name, version=version(name)))
    return ", ".join(found)


PACKAGES = (
    "jinja2",
    "markupsafe",
    "orjson",
    "pydantic",
    "pydantic-core",
    "pyyaml",
    "python-calamine",
    "brotli",
    "zstandard",
    "pillow",
)
