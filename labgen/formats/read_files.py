"""Read untrusted files below data/ and templates/; every failure becomes a problem."""

import os
import stat
from pathlib import Path

from labgen.formats.budget import Budget
from labgen.formats.encodings import decode
from labgen.model.site_paths import visible_name
from labgen.problems.problem import Place, Problem
from labgen.problems.text import cause_of, say
from labgen.system.input_files import TooLargeError, read_bytes


def name_of(root: Path, path: Path) -> str:
    """Return a file's name relative to the project, with `/`, and with undecodable bytes made visible."""
    return visible_name(str(path.relative_to(root))).replace(os.sep, "/")


def check_file(path: Path, name: str, fence: Path) -> list[Problem]:
    """Return a problem if a file cannot be read: a folder, a device, a broken link, a link out of `fence`."""
    place = Place(name)
    try:
        real = path.resolve(strict=True)
        mode = real.stat().st_mode
    except FileNotFoundError:
        return [
            Problem(
                "unreadable-file",
                say("`{name}` is a symbolic link to a file that is not there", name=name),
                place,
            )
        ]
    except (OSError, RuntimeError) as error:
        return [
            Problem(
                "unreadable-file",
                say("`{name}` cannot be read: {error}", name=name, error=reason(error)),
                place,
            )
        ]
    if not real.is_relative_to(fence.resolve()):
        hint = say("put the file itself into {name}/", name=fence.name)
        return [
            Problem(
                "outside-data",
                say("`{name}` is a symbolic link that leaves {name_2}/", name=name, name_2=fence.name),
                place,
                hint,
            )
        ]
    if stat.S_ISDIR(mode):
        return [Problem("not-a-file", say("`{name}` is a folder, where a file should be", name=name), place)]
    if not stat.S_ISREG(mode):
        return [Problem("not-a-file", say("`{name}` is not an ordinary file", name=name), place)]
    if not is_readable(real):
        return [
            Problem("unreadable-file", say("`{name}` cannot be read: permission denied", name=name), place)
        ]
    return []


def is_readable(path: Path) -> bool:
    """Return whether this process may read a file."""
    return os.access(path, os.R_OK, effective_ids=os.access in os.supports_effective_ids)


def is_regular_file(path: str | Path) -> bool:
    """Return whether a path is a regular file, not a symbolic link: the common case, with one system call."""
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except OSError:
        return False


def leads_through_links(folder: Path, name: str) -> bool:
    """Return whether the path of a file in a folder leads through more than one symbolic link to a folder."""
    parents = list((folder / name).relative_to(folder).parents)
    return sum((folder / parent).is_symlink() for parent in parents[:-1]) > 1


BEHIND_LINKS = say("leads through several symbolic links, so its changes would not be seen")
NO_LINK = say("put the folder itself there, in place of one of the links")


def read_text(path: Path, name: str, fence: Path, budget: Budget) -> tuple[str | None, list[Problem]]:
    """Return a file's text, without a byte order mark, and problems.

    The text is None if the file is unusable. The folder that holds the file is assumed to be inside `fence`.
    """
    data, problems = read_checked(path, name, fence, budget)
    return (None, problems) if data is None else decode(data, name)


def read_checked(
    path: str | Path, name: str, fence: Path, budget: Budget, *, is_laboratory: bool = False
) -> tuple[bytes | None, list[Problem]]:
    """Return a file's bytes, or None and why it cannot be read."""
    if not is_regular_file(path) and (problems := check_file(Path(path), name, fence)):
        return None, problems
    try:
        return read_bytes(path, budget.laboratory if is_laboratory else budget.file), []
    except TooLargeError as error:
        return None, [budget.of_file(name, error.size, is_laboratory=is_laboratory)]
    except OSError as error:
        return None, [
            Problem(
                "unreadable-file",
                say("`{name}` cannot be read: {error}", name=name, error=reason(error)),
                Place(name),
            )
        ]


def reason(error: Exception) -> str:
    """Return the reason of an OSError, or of an error without a text (a loop of links), in a few words."""
    if isinstance(error, OSError) and error.strerror:
        return cause_of(error)
    return say("its symbolic links go round in a circle")
