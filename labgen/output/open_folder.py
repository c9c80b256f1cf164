"""Open a site folder for writing: lock it, complete an interrupted commit, refuse files of other programs."""

import fcntl
import os
import stat
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from labgen.model.site_paths import STATE
from labgen.output.commit import discard, finish, is_pending
from labgen.output.errors import TO_FINISH, UNTOUCHED, OutputError, as_output_error, require_own_folder
from labgen.output.file_lists import (
    LISTS,
    MARKER,
    Lists,
    Marker,
    foreign_folder_error,
    has_lists,
    read_marker,
    require_lists,
)
from labgen.output.file_system import Found, UnitSize, measure, size_of, survey
from labgen.output.site_folder import IN_PLACE, Remembered, SiteFolder
from labgen.output.units import SITE
from labgen.problems.text import say
from labgen.system.interruption import uninterrupted

PATIENCE = 1.0
"""Seconds to wait for a lock: the worker processes of a killed build hold it a moment longer."""


def finish_pending(out: Path) -> None:
    """Complete an interrupted commit of an earlier build."""
    if _is_interrupted(out):
        with open_site_folder(out):
            pass


def require_finished(out: Path) -> None:
    """Raise `OutputError` if the last build of a site was interrupted while it changed out/."""
    if _is_interrupted(out):
        message = say("{out} holds a build that was interrupted; {untouched}", out=out, untouched=UNTOUCHED)
        raise OutputError(message, say("`labgen build` finishes it, and publishes what data/ holds now"))


def _is_interrupted(out: Path) -> bool:
    with as_output_error(out, UNTOUCHED):
        return out.is_dir() and is_pending(_staging_folder(out), out)


@contextmanager
def locked(out: Path, *, is_shared: bool = False) -> Iterator[None]:
    """Hold a lock on a folder: a build alone, or publications, which only read it, together.

    Raises `OutputError` if another build or publication holds it.
    """
    with as_output_error(out, UNTOUCHED):
        lock = _lock(out, fcntl.LOCK_SH if is_shared else fcntl.LOCK_EX)
    try:
        yield
    finally:
        os.close(lock)


@contextmanager
def open_site_folder(
    out: Path, remembered: Remembered | None = None, state: Path | None = None
) -> Iterator[SiteFolder]:
    """Lock a site folder and yield it for writing; afterwards, remove the staging folder.

    The staging folder is in `state`, if that is given; a site that is staged there cannot be moved into out/.
    An interrupted commit of an earlier build is completed first. Raises `OutputError` if the folder holds
    files that labgen did not write, is in use, or cannot be written.
    """
    with as_output_error(out, UNTOUCHED):
        is_new = not os.path.lexists(out)
        if is_new:
            out.mkdir(parents=True)
        elif not stat.S_ISDIR(out.stat().st_mode):
            raise OutputError(say("{out} is not a folder", out=out))
    try:
        with locked(out):
            with as_output_error(out, UNTOUCHED):
                staging = state / "staging" if state else _staging_folder(out)
            if is_pending(staging, out):
                with as_output_error(out, TO_FINISH), uninterrupted(IN_PLACE):
                    finish(staging, out)
            with as_output_error(out, UNTOUCHED):
                marker = _marker_of(out)
                discard(staging)
                is_known = (
                    marker is not None and remembered is not None and marker.made_from == remembered.made_from
                )
                known = remembered if is_known else None
                lists = Lists(out, marker or Marker(), known.folders if known else None)
                if known:
                    require_lists(out, known.folders)
                    found = survey_site(out, known.folders, known.sizes, lists)
                else:
                    found = survey_site(out, lists.all().keys(), {}, lists)
            try:
                yield SiteFolder(out, staging, marker, lists, known, found)
            finally:
                if not is_pending(staging, out):
                    with suppress(OSError):
                        discard(staging)
    finally:
        if is_new:
            with suppress(OSError):
                out.rmdir()  # only if it is still empty


def survey_site(out: Path, units: Collection[str], sizes: Mapping[str, UnitSize], lists: Lists) -> Found:
    """List the files in out/ outside unit folders, and the unit folders that exist.

    Damaged are those whose files have not the remembered number and size; the folder of `SITE`, too.
    """
    found = survey(str(out), units)
    looked_at = sizes.keys() & (found.passed | {SITE.folder})
    damaged = {one for one in looked_at if not _has_size(f"{out}/{one}", one, sizes, lists)}
    own = {file for file in found.files if not _is_own(file)}
    return Found(own, found.passed, frozenset(damaged))


def _has_size(place: str, unit: str, sizes: Mapping[str, UnitSize], lists: Lists) -> bool:
    """Return whether a unit's files have the remembered number and size; foreign files do not count."""
    if unit != SITE.folder and measure(place) == sizes[unit]:
        return True
    there = [name for name in lists.names(unit) if os.path.lexists(f"{place}/{name}")]
    return UnitSize(len(there), size_of(place, there)) == sizes[unit]


def may_write(folder: Path) -> bool:
    """Return whether this process may write into a folder, or make it."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return os.access(folder, os.W_OK, effective_ids=os.access in os.supports_effective_ids)


def _marker_of(out: Path) -> Marker | None:
    """Return the marker, or None for an empty folder. Raises `OutputError` if labgen did not write it.

    If only the marker is missing, the lists tell which files are labgen's.
    """
    marker = read_marker(out)
    if marker is None and not os.path.lexists(out / MARKER) and has_lists(out):
        return Marker()
    if marker is None and {path.name for path in out.iterdir()} - {STATE}:
        raise foreign_folder_error(out)
    return marker


def _lock(out: Path, kind: int) -> int:
    """Return a descriptor with a lock on the folder; the lock ends with the process."""
    descriptor = os.open(out, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    latest = time.monotonic() + PATIENCE
    while True:
        try:
            fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > latest:
                os.close(descriptor)
                raise OutputError(
                    say("another build or publication is using {out}", out=out), say("wait until it is done")
                ) from None
            time.sleep(0.05)
        else:
            return descriptor


def _staging_folder(out: Path) -> Path:
    """Return the staging folder, which is on the file system of out/.

    It is beside out/, or in it if the parent folder is not writable or on another file system.
    """
    real = Path(os.path.realpath(out))
    is_beside = may_write(real.parent) and real.stat().st_dev == real.parent.stat().st_dev
    state = (real.parent if is_beside else real) / STATE
    staging = state / f"staging-{real.name}"
    require_own_folder(state)
    require_own_folder(staging)
    return staging


def _is_own(file: str) -> bool:
    """Return whether a file belongs to labgen without being part of the site."""
    return file == MARKER or file.startswith((f"{STATE}/", f"{LISTS}/"))
