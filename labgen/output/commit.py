"""Move staged files into out/ under a journal, so that an interrupted build can be completed.

The staging folder holds the new files (`tree/`), the marker and the lists of files for the time of the move
(`joined/`) and for afterwards (`final/`), and, when all of them are there, the journal. Until the journal is
in place, out/ is unchanged; from then on, the next command completes the commit. Each step is idempotent.
"""

import os
import shutil
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import orjson

from labgen.output.file_lists import LISTS, MARKER, PARSE_ERRORS, Units, files_of, parse_units, render_units
from labgen.output.file_system import move_new, move_rest, remove, write, write_all

TREE, JOURNAL = "tree", "journal.json"
_JOINED, _FINAL, _FIRST, _PLACE = "joined", "final", "first.json", "place.txt"


@dataclass(frozen=True, slots=True)
class Changes:
    """The changes that a commit makes in addition to moving staged files.

    `joined` and `final` are the bytes of the marker and of the lists, by name: with the old and the new
    files, and with the new files alone. `removed` are the files to remove, and `first` those of them that
    must be removed before others can be written, because a file becomes a folder, or a folder a file.
    """

    joined: Mapping[str, bytes]
    final: Mapping[str, bytes]
    removed: Units
    first: Units


def commit(staging: Path, out: Path, changes: Changes, begin: Callable[[], None]) -> None:
    """Move staged files into out/.

    After an OSError, either out/ is unchanged or the next command completes the move. `begin` is called just
    before out/ changes.
    """
    staging.mkdir(parents=True, exist_ok=True)
    write_all(str(staging / _JOINED), changes.joined)
    write_all(str(staging / _FINAL), changes.final)
    write(str(staging / _FIRST), render_units(changes.first))
    write(str(staging / _PLACE), _identity(out))
    journal = staging / JOURNAL
    write(f"{journal}.new", render_units(changes.removed))
    begin()
    Path(f"{journal}.new").replace(journal)
    finish(staging, out)


def is_pending(staging: Path, out: Path) -> bool:
    """Return whether the staging folder holds an unfinished commit to this very folder."""
    try:
        return os.path.lexists(staging / JOURNAL) and (staging / _PLACE).read_bytes() == _identity(out)
    except OSError:
        return False


def _identity(folder: Path) -> bytes:
    """Return the identity of a folder (device and inode), to detect its replacement."""
    found = folder.stat()
    return f"{found.st_dev} {found.st_ino}".encode()


def finish(staging: Path, out: Path) -> None:
    """Carry out the journal; after an interruption, repeat all of its steps."""
    _move_lists(staging / _JOINED, out)
    remove(str(out), files_of(_read_units(staging / _FIRST)))
    if (staging / TREE).is_dir():
        move_new(str(staging / TREE), str(out))
        move_rest(str(staging / TREE), str(out))
    removed = _read_units(staging / JOURNAL)
    if removed:
        time.sleep(GRACE)
        remove(str(out), files_of(removed))
    _move_lists(staging / _FINAL, out)
    (staging / JOURNAL).unlink()
    discard(staging)


GRACE = 0.1
"""Seconds for which readers of a replaced page can still fetch the files it links to."""


def _read_units(file: Path) -> Units:
    try:
        return parse_units(orjson.loads(file.read_bytes()))
    except PARSE_ERRORS:
        return {}


def _move_lists(staged: Path, out: Path) -> None:
    """Move the marker and lists that are not yet in out/."""
    with suppress(FileNotFoundError):
        (staged / MARKER).replace(out / MARKER)
    if (staged / LISTS).is_dir():
        (out / LISTS).mkdir(exist_ok=True)
        move_rest(str(staged / LISTS), str(out / LISTS))


def discard(staging: Path) -> None:
    """Remove the staging folder."""
    if staging.is_dir():
        shutil.rmtree(staging)
    with suppress(OSError):
        staging.parent.rmdir()  # only if it is empty
