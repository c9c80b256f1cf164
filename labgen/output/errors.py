"""Why out/ cannot be written, as a sentence."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

UNTOUCHED = "nothing in it was changed"
TO_FINISH = "run `labgen build` again to finish"


class OutputError(Exception):
    """Why out/ cannot be written, as one sentence; `hint` says what to do."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message, hint)
        self.hint = hint

    def __str__(self) -> str:
        return str(self.args[0])


@contextmanager
def explained(out: Path, state: str) -> Iterator[None]:
    """Turn what the operating system refuses into a sentence; `state` says how out/ was left."""
    try:
        yield
    except OSError as error:
        reason = _REASONS.get(error.errno or 0, (error.strerror or "unknown").lower())
        raise OutputError(f"{out} cannot be written: {reason}; {state}") from error


def require_own_folder(folder: Path) -> None:
    """Refuse what has the name of a folder of labgen's own and is a link or a file. Raises `OutputError`."""
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise OutputError(f"{folder} is not a folder, but labgen needs one there", "move it away")


_REASONS = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EROFS: "the file system is read-only",
    errno.EACCES: "permission denied",
    errno.EPERM: "permission denied",
    errno.EFBIG: "a file would be too large",
    errno.EXDEV: "it spans several file systems",
}
