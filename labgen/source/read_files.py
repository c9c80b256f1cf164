"""Reading files below data/, trusting none of them: each failure is a problem with the file's name."""

import os
import re
import stat
from pathlib import Path

from labgen.model.site_paths import visible_name
from labgen.problems.problem import Place, Problem, Span
from labgen.system.input_files import read_bytes

_BOMS = {
    b"\x00\x00\xfe\xff": "UTF-32",
    b"\xff\xfe\x00\x00": "UTF-32",
    b"\xfe\xff": "UTF-16",
    b"\xff\xfe": "UTF-16",
}
SAMPLE = 1000
"""Bytes at the beginning of a file that show its encoding."""
_UTF8_BOM = b"\xef\xbb\xbf"


def name_of(root: Path, path: Path) -> str:
    """Return a file's name relative to the project, with `/`, and with undecodable bytes made visible."""
    return visible_name(str(path.relative_to(root))).replace(os.sep, "/")


def check_file(path: Path, name: str, fence: Path) -> list[Problem]:
    """Say why a file is not fit to be read: a folder, a device, a link that is broken or leaves `fence`."""
    place = Place(name)
    try:
        real = path.resolve(strict=True)
        mode = real.stat().st_mode
    except FileNotFoundError:
        return [Problem("unreadable-file", f"`{name}` is a symbolic link to a file that is not there", place)]
    except (OSError, RuntimeError) as error:
        return [Problem("unreadable-file", f"`{name}` cannot be read: {reason(error)}", place)]
    if not real.is_relative_to(fence.resolve()):
        hint = f"put the file itself into {fence.name}/"
        return [
            Problem("outside-data", f"`{name}` is a symbolic link that leaves {fence.name}/", place, hint)
        ]
    if stat.S_ISDIR(mode):
        return [Problem("not-a-file", f"`{name}` is a folder, where a file should be", place)]
    if not stat.S_ISREG(mode):
        return [Problem("not-a-file", f"`{name}` is not an ordinary file", place)]
    if not is_readable(real):
        return [Problem("unreadable-file", f"`{name}` cannot be read: permission denied", place)]
    return []


def is_readable(path: Path) -> bool:
    """Say whether this process may read a file."""
    return os.access(path, os.R_OK, effective_ids=os.access in os.supports_effective_ids)


def is_plain(path: str | Path) -> bool:
    """Say whether a file is an ordinary one and no symbolic link: the common case, for one call."""
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except OSError:
        return False


def leads_through_links(folder: Path, name: str) -> bool:
    """Say whether a name in a folder leads through more than one link to a folder."""
    parents = list((folder / name).relative_to(folder).parents)
    return sum((folder / parent).is_symlink() for parent in parents[:-1]) > 1


BEHIND_LINKS = "leads through several symbolic links, so its changes would not be seen"
NO_LINK = "put the folder itself there, in place of one of the links"


def read_text(path: Path, name: str, fence: Path) -> tuple[str | None, list[Problem]]:
    """Return a file's text, without a byte order mark, and what is wrong with its bytes.

    The text is None where nothing can be made of the file. The folder that holds it is taken to lie
    inside `fence`.
    """
    data, problems = read_checked(path, name, fence)
    return (None, problems) if data is None else decode(data, name)


def read_checked(path: str | Path, name: str, fence: Path) -> tuple[bytes | None, list[Problem]]:
    """Return a file's bytes, or None and why it is not fit to be read."""
    if not is_plain(path) and (problems := check_file(Path(path), name, fence)):
        return None, problems
    try:
        return read_bytes(path), []
    except OSError as error:
        return None, [Problem("unreadable-file", f"`{name}` cannot be read: {reason(error)}", Place(name))]


def check_encoding(data: bytes, name: str) -> list[Problem]:
    """Say which encoding the first bytes of a file have, if it is another than UTF-8."""
    place = Place(name, span=Span(1, 1, 1))
    for mark, encoding in _BOMS.items():
        if data.startswith(mark):
            hint = "save it as UTF-8, without a byte order mark"
            return [Problem("not-utf-8", f"`{name}` is {encoding}, not UTF-8", place, hint)]
    if data[:SAMPLE].count(0) * 3 > len(data[:SAMPLE]):
        message = f"`{name}` seems to be UTF-16: a third of its bytes are zero"
        return [Problem("not-utf-8", message, place, "save the file as UTF-8")]
    return []


def decode(data: bytes, name: str) -> tuple[str | None, list[Problem]]:
    """Return the text that the bytes of a file hold in UTF-8, and what is wrong with them."""
    if problems := check_encoding(data, name):
        return None, problems
    text, problems = decode_part(data, name)
    if text is not None and not text.strip():
        return None, [*problems, Problem("empty-file", f"`{name}` is empty", Place(name, span=Span(1, 1, 1)))]
    return text, problems


def decode_part(data: bytes, name: str, start: int = 0, line: int = 0) -> tuple[str | None, list[Problem]]:
    """Return the text of a part of a file; `start` and `line` are the bytes and lines before it."""
    problems = []
    if data.startswith(_UTF8_BOM) and start == 0:
        data = data[len(_UTF8_BOM) :]
        place = Place(name, span=Span(1, 1, 1))
        message = f"`{name}` begins with a byte order mark (the bytes EF BB BF)"
        problems.append(Problem("byte-order-mark", message, place, _BOM_HINT))
    try:
        return data.decode(), problems
    except UnicodeDecodeError as error:
        return None, [*problems, _undecodable(data, error, name, start, line)]


_BOM_HINT = (
    "save it as UTF-8 without one (in Excel: not as `CSV UTF-8`), or see `labgen explain byte-order-mark`"
)


def _undecodable(data: bytes, error: UnicodeDecodeError, name: str, start: int, line: int) -> Problem:
    """Point at the first byte that is not UTF-8, and guess what the file is."""
    before = data[: error.start]
    line += before.count(b"\n") + 1
    column = len(before[before.rfind(b"\n") + 1 :].decode()) + 1
    byte = data[error.start]
    as_windows = bytes([byte]).decode("cp1252", "replace")
    is_letter = re.fullmatch(r"[äöüÄÖÜßéèàáóçñ–„“”’€°²³µ]", as_windows)
    hint = (
        f'as Windows-1252 it would be "{as_windows}": save the file as UTF-8'
        if is_letter
        else "save the file as UTF-8"
    )
    message = f"`{name}` is not valid UTF-8: byte 0x{byte:02X} at offset {start + error.start:,}"
    return Problem("not-utf-8", message, Place(name, span=Span(line, column, 1)), hint)


def reason(error: Exception) -> str:
    """Return why the operating system refused, in a few words."""
    return (getattr(error, "strerror", None) or "its symbolic links go round in a circle").lower()
