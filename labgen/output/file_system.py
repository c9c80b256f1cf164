"""Compare, write, move, list and remove files below a folder, fast (without `Path` in inner loops)."""

import errno
import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

CHUNK = 64 * 1024
"""Block size for comparing files, in bytes."""


def parents_of(file: str) -> Iterator[str]:
    """Yield the parent folders of a name, the nearest first."""
    while "/" in file:
        file = file.rpartition("/")[0]
        yield file


def join(folder: str, name: str) -> str:
    """Join a folder and a name; "" is the top folder."""
    return f"{folder}/{name}" if folder else name


@contextmanager
def new_folder(folder: Path) -> Iterator[None]:
    """Make a folder and its parents; if the block fails, those that were made and are empty are removed."""
    new = [one for one in (folder, *folder.parents) if not one.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield
    except BaseException:
        with suppress(OSError):
            for one in new:
                one.rmdir()
        raise


def holds(file: str, data: bytes) -> bool:
    """Return whether a file exists with exactly these bytes."""
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO):  # a symbolic link, a socket: not ours
            return False
        raise
    try:
        if os.fstat(descriptor).st_size != len(data):
            return False
        read = 0
        while read < len(data) and (chunk := os.read(descriptor, CHUNK)):
            if data[read : read + len(chunk)] != chunk:
                return False
            read += len(chunk)
        return read == len(data)
    except IsADirectoryError:
        return False
    finally:
        os.close(descriptor)


def write_all(folder: str, files: Mapping[str, bytes]) -> None:
    """Write new files below a folder; their names are resolved from its descriptor, not from the root."""
    _make_folder(folder)
    top = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for inner in _folders(tuple(files)):
            _make_folders(inner, top)
        for name, data in files.items():
            write(name, data, top)
    finally:
        os.close(top)


def _make_folder(folder: str) -> None:
    """Make a folder if it does not exist; most are new, and their parent folder exists."""
    try:
        os.mkdir(folder)  # noqa: PTH102 - no Path in the inner loop
    except OSError:
        os.makedirs(folder, exist_ok=True)  # noqa: PTH103


@lru_cache(maxsize=16)
def _folders(names: tuple[str, ...]) -> list[str]:
    """Return the folders in file names; cached, because most units have the same file names."""
    return sorted({name.rpartition("/")[0] for name in names} - {""})


def _make_folders(name: str, top: int) -> None:
    try:
        os.mkdir(name, dir_fd=top)
    except FileExistsError:
        return
    except FileNotFoundError:
        _make_folders(name.rpartition("/")[0], top)
        os.mkdir(name, dir_fd=top)


def write(name: str, data: bytes, top: int | None = None) -> None:
    """Write a new file; its name is relative to the folder with the descriptor `top`, if given."""
    descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666, dir_fd=top)
    try:
        written = os.write(descriptor, data)
        while written < len(data):
            written += os.write(descriptor, memoryview(data)[written:])
    finally:
        os.close(descriptor)


class Found(NamedTuple):
    """The files below a folder, and the folders that were skipped (`passed`), some of which are `damaged`.

    Links and unreadable folders count as files.
    """

    files: set[str]
    passed: set[str]
    damaged: frozenset[str] = frozenset()


class UnitSize(NamedTuple):
    """The number of a unit's files, and their bytes together."""

    files: int
    size: int


def size_of(folder: str, names: Iterable[str]) -> int:
    """Return the bytes of files below a folder together; a file that is missing has none."""
    total = 0
    for name in names:
        with suppress(OSError):
            total += os.lstat(f"{folder}/{name}").st_size
    return total


def measure(folder: str) -> UnitSize:
    """Return the number and the bytes of all files below a folder."""
    files = size = 0
    pending = [folder]
    while pending:
        with suppress(OSError), os.scandir(pending.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    pending.append(entry.path)
                else:
                    files += 1
                    size += entry.stat(follow_symlinks=False).st_size
    return UnitSize(files, size)


def survey(out: str, passing: Collection[str] = ()) -> Found:
    """List the files below a folder, skipping the folders named in `passing`."""
    found = Found(set(), set())
    pending = [""]
    while pending:
        above = pending.pop()
        try:
            with os.scandir(f"{out}/{above}") as entries:
                listed = list(entries)
        except PermissionError:
            found.files.add(above.rstrip("/"))
            continue
        for entry in listed:
            name = above + entry.name
            if not entry.is_dir(follow_symlinks=False):
                found.files.add(name)
            elif name in passing:
                found.passed.add(name)
            else:
                pending.append(name + "/")
    return found


def move_new(staged: str, target: str) -> None:
    """Move the entries of a folder whose names are free in another folder; new folders move as a whole.

    In descending order, so that static/ and media/ are there before the pages in api/ that refer to them.
    """
    for entry in _entries(staged):
        goal = f"{target}/{entry.name}"
        if not os.path.lexists(goal):
            Path(entry.path).replace(goal)
        elif entry.is_dir(follow_symlinks=False):
            move_new(entry.path, goal)


def move_rest(staged: str, target: str) -> None:
    """Move the rest of a folder's files into another folder, and replace the files there."""
    for entry in _entries(staged):
        goal = f"{target}/{entry.name}"
        if entry.is_dir(follow_symlinks=False) and os.path.lexists(goal):
            move_rest(entry.path, goal)
            continue
        try:
            Path(entry.path).replace(goal)
        except IsADirectoryError:
            _remove_empty(goal)
            Path(entry.path).replace(goal)


def _remove_empty(folder: str) -> None:
    """Remove a folder that contains only empty folders."""
    for above, _, _ in os.walk(folder, topdown=False):
        os.rmdir(above)  # noqa: PTH106 - no Path in the inner loop


def _entries(folder: str) -> list["os.DirEntry[str]"]:
    with os.scandir(folder) as entries:
        return sorted(entries, key=lambda entry: entry.name, reverse=True)


def remove(out: str, files: Iterable[str]) -> None:
    """Remove files, and folders that become empty. A folder with the name of a file is kept."""
    folders: set[str] = set()
    for file in files:
        folders.update(parents_of(file))
        with suppress(FileNotFoundError, NotADirectoryError, IsADirectoryError):
            os.unlink(f"{out}/{file}")  # noqa: PTH108 - no Path in the inner loop
    for folder in sorted(folders, key=len, reverse=True):
        with suppress(OSError):
            os.rmdir(f"{out}/{folder}")  # noqa: PTH106 - no Path in the inner loop
