"""Writing a site: staged beside out/, then moved into place by renames (design, "never half built").

A crash or a full disk while files are staged leaves out/ as it was. Moving is short, because a
folder that is new to out/ moves as a whole; a crash in it leaves whole files, some old and some new, all of
them listed in the marker, and the next build puts that right.
"""

import errno
import fcntl
import os
import shutil
import signal
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from labgen.output.files import (
    holds,
    join,
    move,
    parents_of,
    remove,
    remove_empty_folders,
    survey,
    write,
    write_all,
)
from labgen.output.manifest import MARKER, Manifest, read_manifest, render_manifest

STATE = ".labgen"
"""The folder for what is in progress, beside out/."""


class OutputError(Exception):
    """Why out/ cannot be written, as one sentence; `hint` says what to do."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message, hint)
        self.hint = hint

    def __str__(self) -> str:
        return str(self.args[0])


@dataclass(frozen=True, slots=True)
class Written:
    """What a build did to out/: names of files, and the count of those that were right already."""

    written: tuple[str, ...]
    removed: tuple[str, ...]
    unchanged: int
    foreign: tuple[str, ...]

    @property
    def total(self) -> int:
        """The number of files that the site has."""
        return len(self.written) + self.unchanged


class Staged(NamedTuple):
    """What became of a unit's files: the names of those that were staged, and how many were right already."""

    folder: str
    names: tuple[str, ...]
    staged: tuple[str, ...]

    @property
    def unchanged(self) -> int:
        """The number of files whose bytes out/ holds already."""
        return len(self.names) - len(self.staged)


def stage(out: str, staging: str, folder: str, files: Mapping[str, bytes]) -> Staged:
    """Write those of a unit's files, by name below its folder, that differ from out/ to the staging folder.

    Touches nothing else, so that several processes may stage at once.
    """
    with _explained(Path(out), UNTOUCHED):
        is_new = not os.path.lexists(f"{out}/{folder}")
        changed = {
            name: data for name, data in files.items() if is_new or not holds(f"{out}/{folder}/{name}", data)
        }
        if changed:
            write_all(f"{staging}/{folder}", changed)
    return Staged(folder, tuple(files), tuple(changed))


UNTOUCHED = "nothing in it was changed"


@dataclass(slots=True)
class SiteFolder:
    """An out/ that is being written: what was there, what is wanted, and what was staged."""

    out: Path
    staging: Path
    had: Manifest
    wanted: dict[str, list[str]] = field(default_factory=dict)
    staged: list[str] = field(default_factory=list)
    unchanged: int = 0

    def put(self, folder: str, files: Mapping[str, bytes]) -> None:
        """Stage files, by name below a folder."""
        self.add(stage(str(self.out), str(self.staging), folder, files))

    def add(self, staged: Staged) -> None:
        """Take account of files that were staged, here or in another process."""
        self.wanted.setdefault(staged.folder, []).extend(staged.names)
        self.staged += (join(staged.folder, name) for name in staged.staged)
        self.unchanged += staged.unchanged

    def commit(self) -> Written:
        """Move what was staged into out/, remove what is no longer wanted, and say what was done."""
        wanted = Manifest({folder: tuple(sorted(names)) for folder, names in self.wanted.items()})
        found_files, found_folders = survey(self.out)
        found_files = {file for file in found_files if not _is_own(file)}
        owned = set(self.had.files())
        planned = set(wanted.files())
        foreign = found_files - owned - planned
        self._refuse_what_is_in_the_way(owned, planned, found_files, found_folders)
        removed = sorted((owned - planned) & found_files)
        with _explained(self.out, "run `labgen build` again to finish"), _uninterrupted():
            if self.staged or removed or wanted.units != self.had.units:
                _write_marker(self.out, self.had.joined(wanted))
                first = _first_to_go(removed, planned)
                remove(self.out, first)
                remove_empty_folders(self.out, found_folders, planned)
                if self.staged:
                    move(str(self.staging), str(self.out))
                remove(self.out, sorted(set(removed) - set(first)))
                _write_marker(self.out, wanted)
        return Written(tuple(sorted(self.staged)), tuple(removed), self.unchanged, tuple(sorted(foreign)))

    def _refuse_what_is_in_the_way(
        self, owned: set[str], planned: set[str], found_files: set[str], found_folders: set[str]
    ) -> None:
        """Refuse to replace a file, or to follow a link, that is not labgen's."""
        foreign = found_files - owned - planned
        blocked = (found_files & planned) - owned
        if foreign:
            blocked |= foreign & {folder for file in planned for folder in parents_of(file)}
            blocked |= planned & {folder for file in foreign for folder in parents_of(file)}
        blocked -= found_folders - {folder for file in foreign for folder in parents_of(file)}
        if blocked:
            message = f"`{min(blocked)}` in {self.out} is not labgen's, and a file of the site must go there"
            raise OutputError(message, "move it away, or build into another folder with --out")


def _first_to_go(removed: list[str], planned: set[str]) -> list[str]:
    """Return the files that must go before others can come: a file becomes a folder, or a folder a file."""
    if not removed:
        return []
    folders = {folder for file in planned for folder in parents_of(file)}
    return [
        file for file in removed if file in folders or any(above in planned for above in parents_of(file))
    ]


@contextmanager
def open_site_folder(out: Path) -> Iterator[SiteFolder]:
    """Claim a folder for the site, and drop what was staged when the work is over or has failed.

    Raises `OutputError` where the folder holds what labgen did not write, is in use, or cannot be written.
    """
    with _explained(out, UNTOUCHED):
        is_new = not os.path.lexists(out)
        if is_new:
            out.mkdir(parents=True)
        elif not out.is_dir():
            raise OutputError(f"{out} is not a folder")
        lock = _lock(out)
    try:
        with _explained(out, UNTOUCHED):
            had = _claim(out)
            staging = _staging_folder(out)
            _discard(staging)
        try:
            yield SiteFolder(out, staging, had)
        finally:
            with suppress(OSError):
                _discard(staging)
    finally:
        if is_new:
            with suppress(OSError):
                out.rmdir()  # only if it is still empty
        os.close(lock)


def _claim(out: Path) -> Manifest:
    """Return what labgen wrote into a folder before; refuse a folder with files that it did not write."""
    had = read_manifest(out)
    if had is None and {path.name for path in out.iterdir()} - {STATE, f"{MARKER}.new"}:
        hint = "choose another folder with --out, or empty this one yourself"
        raise OutputError(f"{out} is not empty, and labgen did not write it", hint)
    return had or Manifest()


def _lock(out: Path) -> int:
    """Return a descriptor that holds the folder for this build alone; the lock ends with the process.

    The processes of a build that was killed hold it a moment longer.
    """
    descriptor = os.open(out, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    latest = time.monotonic() + PATIENCE
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > latest:
                os.close(descriptor)
                raise OutputError(f"another build is writing {out}", "wait until it is done") from None
            time.sleep(0.05)
        else:
            return descriptor


PATIENCE = 1.0
"""Seconds."""


def _staging_folder(out: Path) -> Path:
    """Return a place on the file system of out/: beside it, or in it if the folder around it is not ours."""
    real = out.resolve()
    is_beside = os.access(real.parent, os.W_OK) and real.stat().st_dev == real.parent.stat().st_dev
    state = (real.parent if is_beside else real) / STATE
    staging = state / f"staging-{real.name}"
    for folder in (state, staging):
        if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
            raise OutputError(f"{folder} is not a folder, but labgen needs one there", "move it away")
    return staging


def _is_own(file: str) -> bool:
    """Say whether a file is no part of the site, but labgen's all the same."""
    return file in (MARKER, f"{MARKER}.new") or file.startswith(f"{STATE}/")


def _write_marker(out: Path, manifest: Manifest) -> None:
    temporary = out / f"{MARKER}.new"
    temporary.unlink(missing_ok=True)
    write(str(temporary), render_manifest(manifest))
    temporary.replace(out / MARKER)


def _discard(staging: Path) -> None:
    if staging.is_dir():
        shutil.rmtree(staging)
    with suppress(OSError):
        staging.parent.rmdir()  # only if it is empty


@contextmanager
def _explained(out: Path, state: str) -> Iterator[None]:
    """Turn what the operating system refuses into a sentence; `state` says how out/ was left."""
    try:
        yield
    except OSError as error:
        reason = _REASONS.get(error.errno or 0, (error.strerror or "unknown").lower())
        raise OutputError(f"{out} cannot be written: {reason}; {state}") from error


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Let Ctrl-C, and a polite end, wait until the files are in their places."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    waiting: list[int] = []
    before = {
        number: signal.signal(number, lambda got, _frame: waiting.append(got)) for number in INTERRUPTIONS
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if waiting:
        raise KeyboardInterrupt


INTERRUPTIONS = (signal.SIGINT, signal.SIGTERM)


_REASONS = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EROFS: "the file system is read-only",
    errno.EACCES: "permission denied",
    errno.EPERM: "permission denied",
    errno.EFBIG: "a file would be too large",
    errno.EXDEV: "it spans several file systems",
}
