"""Store renditions below .labgen/: they are made once, and kept until no record refers to them.

Each use of an original has a folder, whose name contains the key and the size of the original, so that one
listing of the store is enough. A folder is filled under a temporary name and then renamed. Each file ends
with a digest, so that damage is detected when it is read.
"""

import fcntl
import os
import shutil
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from labgen.model.pictures import Size
from labgen.model.site_paths import STATE
from labgen.output.errors import UNTOUCHED, as_output_error, require_own_folder
from labgen.problems.text import say
from labgen.system.input_files import DATA, DIGEST_SIZE, MEDIA, digest_of

FOLDER = "renditions"
_UNFINISHED = ".new-"


class Store:
    """The stored renditions of a project. Several builds may use it at the same time.

    They are in `state` instead of the project's own folder, if that is given.
    """

    def __init__(self, root: Path, state: Path | None = None) -> None:
        self.media = root / DATA / MEDIA
        self.state = state
        self.folder = (state or Path(os.path.realpath(root), STATE)) / FOLDER

    def originals(self) -> dict[str, Size]:
        """Return the sizes of the originals that have stored renditions, by key."""
        try:
            with os.scandir(self.folder) as entries:
                names = [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
        except OSError:
            return {}
        found = (name.split("-") for name in names if not name.startswith("."))
        sizes = ((key, size[0].split("x")) for key, *size in found if len(size) == 1)
        return {key: Size(int(size[0]), int(size[1])) for key, size in sizes if _is_size(size)}

    def put(self, key: str, original: Size, files: Mapping[str, bytes]) -> None:
        """Store the renditions of a picture. Raises `OutputError`."""
        with as_output_error(self.folder, UNTOUCHED):
            self._put(key, original, files)

    def _put(self, key: str, original: Size, files: Mapping[str, bytes]) -> None:
        place = self._place(key, original)
        beside = self.folder / f"{_UNFINISHED}{os.getpid()}-{key}"
        shutil.rmtree(beside, ignore_errors=True)
        beside.mkdir(parents=True)
        for name, data in files.items():
            (beside / name).write_bytes(data + digest_of(data))
        if place.is_symlink() or place.is_file():
            place.unlink()
        try:
            beside.rename(place)
        except OSError:
            if not place.is_dir():
                raise
            shutil.rmtree(beside)  # another build made the same renditions

    def read(self, key: str, original: Size, name: str) -> bytes:
        """Return a stored rendition. Raises OSError, also if it is damaged."""
        file = self._place(key, original) / name
        with os.fdopen(
            os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC), "rb"
        ) as opened:
            kept = opened.read()
        data, digest = kept[:-DIGEST_SIZE], kept[-DIGEST_SIZE:]
        if digest_of(data) != digest:
            raise OSError(say("{file} is damaged", file=file))
        return data

    def drop(self, key: str) -> None:
        """Remove the renditions of a picture."""
        for place in self.folder.glob(f"{key}-*"):
            _remove(place)

    @contextmanager
    def shared_lock(self) -> Iterator[None]:
        """Prevent other builds from removing renditions during the context. Raises `OutputError`."""
        for folder in (self.folder.parent, self.folder):
            require_own_folder(folder)
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
                self._remove_unfinished(lock)
                os.close(lock)

    def _remove_unfinished(self, lock: int) -> None:
        """Remove the unfinished files of an interrupted process, unless another build is running."""
        with suppress(OSError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            for path in self.folder.glob(f"{_UNFINISHED}*"):
                _remove(path)

    def sweep(self, keys: Collection[str]) -> None:
        """Remove all renditions except those with these keys. Do nothing while another build is running."""
        with suppress(OSError):
            lock = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                for name in os.listdir(self.folder):  # noqa: PTH208 - names are all that is wanted
                    if name.partition("-")[0] not in keys:
                        _remove(self.folder / name)
            finally:
                os.close(lock)

    def _place(self, key: str, original: Size) -> Path:
        return self.folder / f"{key}-{original}"


def _remove(path: Path) -> None:
    """Remove a folder, or a file in its place."""
    with suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink()


def _is_size(parts: list[str]) -> bool:
    return len(parts) == len(Size._fields) and all(part.isdecimal() for part in parts)
