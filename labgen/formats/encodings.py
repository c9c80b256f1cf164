"""Decode source files: as UTF-8, CSV tables also in encodings of spreadsheets; recognise other encodings."""

import re

from labgen.problems.problem import Place, Problem, Span
from labgen.problems.text import say

_BOMS = {
    b"\x00\x00\xfe\xff": "UTF-32",
    b"\xff\xfe\x00\x00": "UTF-32",
    b"\xfe\xff": "UTF-16",
    b"\xff\xfe": "UTF-16",
}
SAMPLE = 1000
"""How many bytes at the beginning of a file are examined for its encoding."""
_UTF8_BOM = b"\xef\xbb\xbf"
_NO_TEXTS = {
    b"PK\x03\x04": say("an Excel file or a ZIP archive"),
    b"\xd0\xcf\x11\xe0": say("an old Excel file"),
    b"\x1f\x8b": say("a packed file (gzip)"),
    b"{\\rtf": say("a text with formats (RTF)"),
    b"%PDF": "a PDF",
    b"\x89PNG": say("a picture"),
    b"\xff\xd8\xff": say("a picture"),
}
"""Types of files that are not text, by their first bytes."""
_AS_TEXT = {
    b"PK\x03\x04": say("unpack it, or save it as plain text"),
    b"\x1f\x8b": say("unpack it"),
    b"{\\rtf": say("save it as plain text"),
}
_FROM_EXCEL = say("open it in Excel, and save it as `CSV UTF-8`")
_UNMERGED = re.compile(r"^(?:<{7}|>{7}) ", re.MULTILINE)


def check_encoding(data: bytes, name: str) -> list[Problem]:
    """Return a problem if the first bytes of a file show that it is not UTF-8. A CSV table may be UTF-16."""
    place, is_table = Place(name), name.endswith(CSV_SUFFIX)
    for mark, what in _NO_TEXTS.items():
        if data.startswith(mark):
            hint = _FROM_EXCEL if "Excel" in what and is_table else _AS_TEXT.get(mark, "")
            return [
                Problem("not-utf-8", say("`{name}` is {what}, not a text", name=name, what=what), place, hint)
            ]
    if is_table and _utf16_of(data):
        return []
    for mark, encoding in _BOMS.items():
        if data.startswith(mark):
            return [
                Problem(
                    "not-utf-8",
                    say("`{name}` is {encoding}, not UTF-8", name=name, encoding=encoding),
                    place,
                    _save_it(name),
                )
            ]
    if data[:SAMPLE].count(0) * 3 > len(data[:SAMPLE]):
        message = say("`{name}` seems to be UTF-16: a third of its bytes are zero", name=name)
        return [Problem("not-utf-8", message, place, _save_it(name))]
    return []


def _save_it(name: str) -> str:
    is_table = name.endswith(CSV_SUFFIX)
    return (
        say("in Excel, save it as `CSV UTF-8`; elsewhere, as UTF-8") if is_table else say("save it as UTF-8")
    )


def decode(data: bytes, name: str) -> tuple[str | None, list[Problem]]:
    """Decode a file: return its text and problems; None if it is unusable, empty or has merge conflicts."""
    if problems := check_encoding(data, name):
        return None, problems
    text, problems = decode_table(data, name) if name.endswith(CSV_SUFFIX) else decode_part(data, name)
    if text is None:
        return None, problems
    if not text.strip():
        return None, [
            *problems,
            Problem("empty-file", say("`{name}` is empty", name=name), Place(name, span=Span(1, 1, 1))),
        ]
    if b"<<<<<<< " in data and (mark := _UNMERGED.search(text)):
        place = Place(name, span=Span(text.count("\n", 0, mark.start()) + 1, 1, len(mark[0])))
        message = say("`{name}` holds the marks of a merge that was not finished", name=name)
        hint = say("choose between the two versions, and remove the marks")
        return None, [*problems, Problem("merge-conflict", message, place, hint)]
    return text, problems


def decode_part(data: bytes, name: str, start: int = 0, line: int = 0) -> tuple[str | None, list[Problem]]:
    """Decode a part of a UTF-8 file; `start` and `line` are the numbers of bytes and lines before it."""
    problems = []
    if data.startswith(_UTF8_BOM) and start == 0:
        data = data[len(_UTF8_BOM) :]
        message = say("`{name}` begins with a byte order mark (the bytes EF BB BF)", name=name)
        hint = say("save it as UTF-8 without it; see `labgen explain byte-order-mark`")
        problems.append(Problem("byte-order-mark", message, Place(name, span=Span(1, 1, 1)), hint))
    try:
        return data.decode(), problems
    except UnicodeDecodeError as error:
        return None, [*problems, _undecodable(data, error, name, start, line)]


CSV_SUFFIX = ".csv"
"""The suffix of tables that are text files."""
_EIGHT_BITS = {"cp1252": "Windows-1252", "cp850": "MS-DOS (code page 850)", "mac_roman": "Macintosh"}
"""The encodings in which Excel saves tables that are not UTF-8, the commonest first."""
_EXPECTED = frozenset("äöüÄÖÜßéèêàáâóôçñÉ–„“”‚‘’€°²³µ§®½·…•")
"""The usual non-ASCII characters of tables; an encoding that yields others is probably the wrong one."""
_ASCII = bytes(range(128))
_TWO_BYTES = re.compile(rb"[\xc3-\xc5][\x80-\xbf]")
"""Accented letters in UTF-8: in other encodings, such pairs of bytes are rare."""


def _is_mostly_utf8(data: bytes) -> bool:
    """Return whether this is probably damaged UTF-8: UTF-8 pairs are not fewer than other non-ASCII bytes."""
    pairs = len(_TWO_BYTES.findall(data))
    return 0 < pairs >= len(data.translate(None, _ASCII)) - 2 * pairs


def decode_table(data: bytes, name: str) -> tuple[str | None, list[Problem]]:
    """Decode a CSV table as UTF-8 or UTF-16, or guess its encoding, with a warning. None if damaged UTF-8."""
    if encoding := _utf16_of(data):
        return data.decode(encoding, "replace").removeprefix("\ufeff"), []
    try:
        return data.decode("utf-8-sig"), []
    except UnicodeDecodeError as error:
        if _is_mostly_utf8(data):
            return None, [_undecodable(data, error, name, 0, 0)]
    encoding = max(_EIGHT_BITS, key=lambda one: _likelihood(data, one))
    message = say(
        "`{name}` is not UTF-8, and is read as {eight_bits}", name=name, eight_bits=_EIGHT_BITS[encoding]
    )
    hint = say("look whether letters such as ä and ß are right; in Excel, save it as `CSV UTF-8`")
    return data.decode(encoding, "replace"), [
        Problem("guessed-encoding", message, Place(name), hint, "warning")
    ]


def _likelihood(data: bytes, encoding: str) -> int:
    """Return the number of expected non-ASCII characters in an encoding, minus the number of others."""
    found = data.translate(None, _ASCII).decode(encoding, "replace")
    return sum(1 if char in _EXPECTED else -1 for char in found)


def _utf16_of(data: bytes) -> str:
    """Return the UTF-16 variant of a table, or ""; Excel's `Unicode text` has a byte order mark."""
    head = data[:SAMPLE]
    if data[:2] in (b"\xff\xfe", b"\xfe\xff") and not data.startswith(b"\xff\xfe\x00\x00"):
        return "utf-16-le" if data.startswith(b"\xff") else "utf-16-be"
    if head[:1] and head[1:2] == b"\0" and head[1::2].count(0) * 3 > len(head) and not head[::2].count(0):
        return "utf-16-le"
    return ""


def _undecodable(data: bytes, error: UnicodeDecodeError, name: str, start: int, line: int) -> Problem:
    """Return the error at the first byte that is not UTF-8; its hint may suggest Windows-1252."""
    before = data[: error.start]
    line += before.count(b"\n") + 1
    column = len(before[before.rfind(b"\n") + 1 :].decode()) + 1
    byte = data[error.start]
    as_windows = bytes([byte]).decode("cp1252", "replace")
    is_letter = re.fullmatch(r"[äöüÄÖÜßéèàáóçñ–„“”’€°²³µ]", as_windows)
    hint = (
        say(
            'as Windows-1252 it would be "{as_windows}": {save_it}',
            as_windows=as_windows,
            save_it=_save_it(name),
        )
        if is_letter
        else _save_it(name)
    )
    message = say(
        "`{name}` is not valid UTF-8: byte 0x{byte:02X} at offset {start:,}",
        name=name,
        byte=byte,
        start=start + error.start,
    )
    return Problem("not-utf-8", message, Place(name, span=Span(line, column, 1)), hint)
