"""Files and folders below a folder: compared, written, moved, found and removed. No `Path` in inner loops."""

import errno
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

CHUNK = 64 * 1024
"""Bytes that are compared at once."""


def parents_of(file: str) -> Iterator[str]:
    """Yield the folders that a name leads through, the nearest first."""
    while "/" in file:
        file = file.rpartition("/")[0]
        yield file


def join(folder: str, name: str) -> str:
    """Return the name of what lies in a folder; "" is the top."""
    return f"{folder}/{name}" if folder else name


def holds(file: str, data: bytes) -> bool:
    """Say whether a file is there and holds just these bytes."""
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
    """Write new files by name below a folder; names are resolved from the folder, not from the root."""
    os.makedirs(folder, exist_ok=True)  # noqa: PTH103 - no Path in the inner loop
    top = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for inner in sorted({name.rpartition("/")[0] for name in files} - {""}):
            _make_folders(inner, top)
        for name, data in files.items():
            write(name, data, top)
    finally:
        os.close(top)


def _make_folders(name: str, top: int) -> None:
    try:
        os.mkdir(name, dir_fd=top)
    except FileExistsError:
        return
    except FileNotFoundError:
        _make_folders(name.rpartition("/")[0], top)
        os.mkdir(name, dir_fd=top)


def write(name: str, data: bytes, top: int | None = None) -> None:
    """Write a new file."""
    descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666, dir_fd=top)
    try:
        written = os.write(descriptor, data)
        while written < len(data):
            written += os.write(descriptor, memoryview(data)[written:])
    finally:
        os.close(descriptor)


def survey(out: Path) -> tuple[set[str], set[str]]:
    """Return the names of all files and all folders below a folder.

    Links, and folders that may not be looked into, are files.
    """
    files: set[str] = set()
    folders: set[str] = set()
    pending = [""]
    while pending:
        above = pending.pop()
        try:
            with os.scandir(f"{out}/{above}") as entries:
                listed = list(entries)
        except PermissionError:
            files.add(above.rstrip("/"))
            continue
        for entry in listed:
            name = above + entry.name
            if entry.is_dir(follow_symlinks=False):
                folders.add(name)
                pending.append(name + "/")
            else:
                files.add(name)
    return files, folders


def move(staged: str, target: str) -> None:
    """Move all that a folder holds into another: as a whole where the target has no such name."""
    with os.scandir(staged) as entries:
        listed = list(entries)
    for entry in listed:
        goal = f"{target}/{entry.name}"
        if entry.is_dir(follow_symlinks=False) and os.path.lexists(goal):
            move(entry.path, goal)
        else:
            Path(entry.path).replace(goal)


def remove(out: Path, files: list[str]) -> None:
    """Remove files, and the folders that are empty without them."""
    for file in files:
        (out / file).unlink(missing_ok=True)
    for folder in sorted({folder for file in files for folder in parents_of(file)}, key=len, reverse=True):
        with suppress(OSError):
            (out / folder).rmdir()


def remove_empty_folders(out: Path, folders: set[str], planned: set[str]) -> None:
    """Remove folders that nothing lies in, where a file must go."""
    for folder in sorted(folders, key=len, reverse=True):
        if folder in planned or any(above in planned for above in parents_of(folder)):
            with suppress(FileNotFoundError):  # it went with its last file
                (out / folder).rmdir()
