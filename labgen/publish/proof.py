"""Prove on this machine whether a publication lives: it locks a file, and the lock ends with its process."""

import fcntl
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from labgen.model.site_paths import STATE
from labgen.problems.text import cause_of, say
from labgen.publish.target import PublishError

NAME = "publishing-"


@contextmanager
def held_file(folder: Path) -> Iterator[Path]:
    """Yield a new file, locked by this process. It stays, unless the caller removes it.

    Raises `PublishError` if there can be none.
    """
    file = folder / f"{NAME}{secrets.token_hex(8)}"
    try:
        folder.mkdir(exist_ok=True)
        descriptor = os.open(file, os.O_RDONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
    except OSError as error:
        reason = say("{folder} cannot be written: {strerror}", folder=folder, strerror=cause_of(error))
        raise PublishError(reason, say("publishing keeps there what it has sent")) from None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield file
    finally:
        os.close(descriptor)


def is_abandoned(file: Path) -> bool:
    """Return whether a process has left such a file; a file that is not here proves nothing.

    The name comes from a target, so it may be anything.
    """
    if file.parent.name != STATE or not re.fullmatch(f"{NAME}[0-9a-f]{{16}}", file.name):
        return False
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return True


def remove_abandoned(file: Path) -> None:
    """Remove the file of a process that was killed."""
    if is_abandoned(file):
        with suppress(OSError):
            file.unlink()
