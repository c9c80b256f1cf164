"""Renditions as they are kept below .labgen/: made once, and used until no record names them any more.

A folder for each use of an original, named by its key and by the size of the original, so that one listing
tells all. A folder is filled beside its place and moved there whole.
"""

import fcntl
import os
import shutil
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from labgen.model.renditions import Size
from labgen.model.site_paths import STATE
from labgen.output.errors import UNTOUCHED, explained
from labgen.system.input_files import DATA, MEDIA, read_bytes

FOLDER = "renditions"
_UNFINISHED = ".new-"


class Store:
    """The renditions that a project has. Several builds may use them at once."""

    def __init__(self, root: Path) -> None:
        self.media = root / DATA / MEDIA
        self.folder = root.resolve() / STATE / FOLDER

    def originals(self) -> dict[str, Size]:
        """Return the sizes of the originals of all that is there, by key."""
        try:
            names = os.listdir(self.folder)  # noqa: PTH208 - names are all that is wanted
        except OSError:
            return {}
        found = (name.split("-") for name in names if not name.startswith("."))
        sizes = ((key, size[0].split("x")) for key, *size in found if len(size) == 1)
        return {key: Size(int(size[0]), int(size[1])) for key, size in sizes if _is_size(size)}

    def put(self, key: str, original: Size, files: Mapping[str, bytes]) -> None:
        """Keep the renditions of a picture. Raises `OutputError`."""
        with explained(self.folder, UNTOUCHED):
            self._put(key, original, files)

    def _put(self, key: str, original: Size, files: Mapping[str, bytes]) -> None:
        place = self._place(key, original)
        beside = self.folder / f"{_UNFINISHED}{os.getpid()}-{key}"
        shutil.rmtree(beside, ignore_errors=True)
        beside.mkdir(parents=True)
        for name, data in files.items():
            (beside / name).write_bytes(data)
        try:
            beside.rename(place)
        except OSError:
            if not place.is_dir():
                raise
            shutil.rmtree(beside)  # another build made the same

    def read(self, key: str, original: Size, name: str) -> bytes:
        """Return a rendition. Raises OSError."""
        return read_bytes(self._place(key, original) / name)

    @contextmanager
    def in_use(self) -> Iterator[None]:
        """Let no other build remove what this one uses."""
        lock = None
        with suppress(OSError):
            if self.media.is_dir():
                self.folder.mkdir(parents=True, exist_ok=True)
            lock = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            fcntl.flock(lock, fcntl.LOCK_SH)
        try:
            yield
        finally:
            if lock is not None:
                os.close(lock)

    def sweep(self, keys: Collection[str]) -> None:
        """Remove what is not among some keys, unless another build is at work: then it will be done later."""
        with suppress(OSError):
            lock = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                for name in os.listdir(self.folder):  # noqa: PTH208 - names are all that is wanted
                    if name.partition("-")[0] not in keys:
                        shutil.rmtree(self.folder / name, ignore_errors=True)
            finally:
                os.close(lock)

    def _place(self, key: str, original: Size) -> Path:
        return self.folder / f"{key}-{original}"


def _is_size(parts: list[str]) -> bool:
    return len(parts) == len(Size._fields) and all(part.isdecimal() for part in parts)
