"""Explain in a sentence why out/ cannot be written."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from labgen.problems.text import cause_of, say

UNTOUCHED = say("nothing in it was changed")
TO_FINISH = say("run `labgen build` again to finish")


class OutputError(Exception):
    """Raised if an output folder cannot be used; the message is a sentence, and `hint` says what to do."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message, hint)
        self.hint = hint

    def __str__(self) -> str:
        return str(self.args[0])


@contextmanager
def as_output_error(place: Path, state: str = "") -> Iterator[None]:
    """Convert OSError into `OutputError`, for a file or folder; `state` says how it was left."""
    try:
        yield
    except OSError as error:
        raise unwritable(place, error, state) from error


def unwritable(place: Path, error: OSError, state: str = "") -> OutputError:
    """Return the error for a file or folder that cannot be written; `state` says how it was left."""
    message = say("{file} cannot be written: {error}", file=place, error=reason(error, place))
    if state:
        message = say("{message}; {state}", message=message, state=state)
    return OutputError(message, MAKE_ROOM if error.errno in _FULL else "")


MAKE_ROOM = say("make room there, and run it again")
_FULL = (errno.ENOSPC, errno.EDQUOT)


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Yield a new folder, which is removed at the end. Raises `OutputError` if its disk is full."""
    with TemporaryDirectory(prefix="labgen-") as name:
        folder = Path(name)
        try:
            yield folder
        except OSError as error:
            if error.errno != errno.ENOSPC or not _is_full(os.statvfs(folder)):
                raise
            raise no_temporary_room(folder.parent) from error


def no_temporary_room(folder: Path) -> OutputError:
    """Return the error for the folder of temporary files where its disk is full."""
    error = OSError(errno.ENOSPC, "")
    return OutputError(
        say("{file} cannot be written: {error}", file=folder, error=reason(error, folder)),
        say("make room there, or name another folder for temporary files in TMPDIR"),
    )


def _is_full(found: os.statvfs_result) -> bool:
    return not found.f_bavail or not _has_inodes(found)


def _has_inodes(found: os.statvfs_result) -> bool:
    return found.f_favail > 0 or found.f_files == 0  # some file systems do not count them


def reason(error: OSError, folder: Path) -> str:
    """Return the reason, as a clause, why a file in a folder could not be written."""
    if error.errno == errno.ENOSPC:
        with suppress(OSError):
            return what_is_full(os.statvfs(_nearest(folder)))
    return _REASONS.get(error.errno or 0) or cause_of(error)


def what_is_full(found: os.statvfs_result) -> str:
    """Return the message for a full file system, which has run out of blocks or of inodes."""
    return _REASONS[errno.ENOSPC] if _has_inodes(found) or not found.f_bavail else NO_INODES


NO_INODES = say("the file system holds as many files as it can (its inodes are used up)")


def _nearest(folder: Path) -> Path:
    """Return a folder, or its nearest existing parent."""
    return next(one for one in (folder, *folder.absolute().parents) if one.exists())


def require_own_folder(folder: Path) -> None:
    """Raise `OutputError` if a link or a file is in the place of one of labgen's own folders."""
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise OutputError(
            say("{folder} is not a folder, but labgen needs one there", folder=folder), say("move it away")
        )


_REASONS = {
    errno.ENOSPC: say("the disk is full"),
    errno.EDQUOT: say("the disk quota is used up"),
    errno.EROFS: say("the file system is read-only"),
    errno.EACCES: say("permission denied"),
    errno.EPERM: say("permission denied"),
    errno.EFBIG: say("a file would be too large"),
    errno.EXDEV: say("it spans several file systems"),
}
