"""The last step of a build: what was staged goes into out/, as a journal describes it.

The staging folder holds the new files (`tree/`), the marker as it is while files move and as it will be, and,
once all of that is there, the journal. Until the journal is in its place, out/ is as it was; from then on,
whoever is killed, the next command finishes what it says. Each step may be done again.
"""

import os
import shutil
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from labgen.output.file_system import move_new, move_rest, remove, write
from labgen.output.manifest import MARKER, Manifest, read_manifest, render_manifest, render_units, with_units

TREE, JOURNAL = "tree", "journal.json"
_JOINED, _FINAL, _FIRST, _PLACE = "joined.json", "final.json", "first.json", "place.txt"


@dataclass(frozen=True, slots=True)
class Changes:
    """What a commit does beside moving what was staged.

    `had` and `wanted` list the site's files before and after; `removed` those that go, and `first` those of
    them that must go before others can come, because a file becomes a folder, or a folder a file.
    """

    had: Manifest
    wanted: Manifest
    removed: Manifest
    first: Manifest


def commit(staging: Path, out: Path, changes: Changes) -> None:
    """Make out/ what was staged. Raises OSError; then the next command finishes, or out/ is as it was."""
    staging.mkdir(parents=True, exist_ok=True)
    wanted, units = changes.wanted, render_units(changes.wanted.units)
    if wanted != changes.had:
        joined = changes.had.joined(wanted)
        are_same = joined.units == wanted.units
        write(str(staging / _JOINED), with_units(joined, units if are_same else render_units(joined.units)))
    write(str(staging / _FINAL), with_units(wanted, units))
    write(str(staging / _FIRST), render_manifest(changes.first))
    write(str(staging / _PLACE), _identity(out))
    journal = staging / JOURNAL
    write(f"{journal}.new", render_manifest(changes.removed))
    Path(f"{journal}.new").replace(journal)
    finish(staging, out)


def is_pending(staging: Path, out: Path) -> bool:
    """Say whether a commit was begun here and not finished, and is about this very folder."""
    try:
        return os.path.lexists(staging / JOURNAL) and (staging / _PLACE).read_bytes() == _identity(out)
    except OSError:
        return False


def _identity(folder: Path) -> bytes:
    """Return what tells a folder from another that takes its place."""
    found = folder.stat()
    return f"{found.st_dev} {found.st_ino}".encode()


def finish(staging: Path, out: Path) -> None:
    """Do what the journal says, from the beginning or from wherever it was left."""
    _move_file(staging / _JOINED, out / MARKER)
    first = read_manifest(staging / _FIRST) or Manifest()
    remove(str(out), first.files())
    if (staging / TREE).is_dir():
        move_new(str(staging / TREE), str(out))
        move_rest(str(staging / TREE), str(out))
    removed = read_manifest(staging / JOURNAL) or Manifest()
    if removed.units:
        time.sleep(GRACE)
        remove(str(out), removed.files())
    _move_file(staging / _FINAL, out / MARKER)
    (staging / JOURNAL).unlink()
    discard(staging)


GRACE = 0.1
"""Seconds in which a reader of a page that was replaced may still fetch what it named."""


def _move_file(source: Path, target: Path) -> None:
    with suppress(FileNotFoundError):  # an earlier attempt came further
        source.replace(target)


def discard(staging: Path) -> None:
    """Remove what was staged."""
    if staging.is_dir():
        shutil.rmtree(staging)
    with suppress(OSError):
        staging.parent.rmdir()  # only if it is empty
