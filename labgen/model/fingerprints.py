"""Reduce records to fingerprints: short digests of their fields, by which builds see what changed or moved.

A fingerprint has a number for each filled field: in the first 8 bits the field's position among the columns
of its kind of record, then 8 bits of shape, then 16 bits of digest. So few bits tell nothing of a value. The
shape of a list is its length; that of a text says whether it has `?` inside a word, letters beyond ASCII,
capitals alone, none, or one at the beginning of each word, letters in the wrong encoding, a zero before its
digits, or a month that is greater than the day. Values that mean the same have the same digest: lists in
another order, upper and lower case, other spaces, numbers with other separators, composed and decomposed
letters, pictures of another format, `https` instead of `http`. So do numbers with and without zeros before
them, and dates whose day and month are exchanged: their shapes differ.
"""

import re
from array import array
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple, get_origin
from unicodedata import normalize
from zlib import crc32

from pydantic.fields import FieldInfo

from labgen.model.pictures import Pictured
from labgen.model.record_fields import inner_model, is_list, keys_of, marks_of
from labgen.model.records import NOTE, Record

VERSION = 4
"""What fingerprints say; increased with each change, so that those of another labgen are not compared."""
SHAPE, POSITION = 16, 24
"""The bits of a number at which its shape and its position begin."""
QUESTION_MARK, BEYOND_ASCII, CAPITALS, SMALL, PROPER, ZERO, MONTH_ABOVE_DAY, GARBLED = (
    1 << SHAPE + bit for bit in range(8)
)
"""What the shape of a text says."""
CASE = CAPITALS | SMALL | PROPER
DIGEST = 0xFFFF
LONGEST = 255
"""The greatest length of a list that a shape can say, and the greatest position."""


class Column(NamedTuple):
    """A field of a kind of record, at any depth: its keys, joined by dots.

    `is_list` says that it is a list, `is_of_entries` that it is a list of entries, or a field of these.
    """

    name: str
    is_list: bool = False
    is_of_entries: bool = False


Numbers = list[int]
_Reduce = Callable[[Any, Numbers], None]
"""Appends the numbers of a field's value: one for each column."""


class _Step(NamedTuple):
    """How a field of a record is reduced, unless it has its default."""

    attribute: str
    default: Any
    reduce: _Reduce


def fingerprint(record: Record) -> "array[int]":
    """Return the fingerprint of a record; its numbers are in the order of the columns."""
    found: Numbers = []
    _reduce(record, _plan(type(record))[1], found)
    return array("I", found)


def columns(model: type[Record]) -> tuple[Column, ...]:
    """Return the columns of a kind of record; the first has the position 1."""
    return _plan(model)[0]


@cache
def _plan(model: type[Record]) -> tuple[tuple[Column, ...], tuple[_Step, ...]]:
    """Return the columns of a kind of record, and how to make its fingerprints."""
    found: list[Column] = []
    steps = _steps(model, "", found)
    if len(found) > LONGEST:
        raise TypeError(f"{model.__name__}: fingerprints have room for {LONGEST} fields")
    return tuple(found), steps


def _reduce(record: Record, steps: tuple[_Step, ...], found: Numbers) -> None:
    values = record.__dict__
    for attribute, default, reduce in steps:
        value = values[attribute]
        if value and value != default:
            reduce(value, found)


def _steps(model: type[Record], before: str, found: list[Column]) -> tuple[_Step, ...]:
    """Return how the fields of a record are reduced, and append their columns to `found`."""
    fields = ((one, key, model.model_fields[one]) for one, key in keys_of(model).items() if one not in NOTE)
    return tuple(
        [
            _Step(one, field.get_default(call_default_factory=True), _of_field(field, before + key, found))
            for one, key, field in fields
        ]
    )


def _of_field(field: FieldInfo, name: str, found: list[Column]) -> _Reduce:
    """Return the function that reduces a value of a field; append its columns to `found`."""
    inner, has_many = inner_model(field.annotation), is_list(field.annotation)
    if inner and not has_many:
        steps = _steps(inner, f"{name}.", found)
        return lambda value, numbers: _reduce(value, steps, numbers)
    found.append(Column(name, has_many, is_of_entries=inner is not None))
    place, start = len(found) << POSITION, len(found)
    if inner:
        steps = _steps(inner, f"{name}.", found)
        names = [one.name for one in found]
        of_id = names.index(f"{name}.id") + 1 if f"{name}.id" in names else 0
        found[start:] = [one._replace(is_of_entries=True) for one in found[start:]]
        return lambda value, numbers: _reduce_entries(value, steps, place, of_id, numbers)
    number_of = _list if has_many else _table if get_origin(field.annotation) is dict else _text
    if any(isinstance(mark, Pictured) for mark in marks_of(field)) and not has_many:
        number_of = _picture
    return lambda value, numbers: numbers.append(place | number_of(value))


def _reduce_entries(
    entries: list[Record], steps: tuple[_Step, ...], place: int, of_id: int, found: Numbers
) -> None:
    """Append the number of a list of entries, and of each of their fields: how many, and the sum of digests.

    So entries that move from one list to another do not change the sum of all lists. The list itself is
    what the entries say, and not their ids, which an export may number anew.
    """
    whole, together = 0, dict[int, Numbers]()
    for one in entries:
        inner: Numbers = []
        _reduce(one, steps, inner)
        whole += _digest(array("I", [number for number in inner if number >> POSITION != of_id]))
        for number in inner:
            together.setdefault(number >> POSITION, []).append(number + (number >> SHAPE) % 256 & DIGEST)
    found.append(place | _length(entries) | whole & DIGEST)
    for position, numbers in sorted(together.items()):
        found.append(position << POSITION | _length(numbers) | sum(numbers) & DIGEST)


_WORDS = re.compile(r"[^\W\d_]\?[^\W\d_]")
_NUMBER = re.compile(r"\+?[0-9(][0-9 ()/-]*")
_BETWEEN = str.maketrans("", "", " ()/-")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_GARBLED = re.compile("[ÃÂ][\x80-\xbf\u0152-\u2122]")
"""Matches letters of UTF-8 that were read as Latin-1 or Windows-1252."""
_WEB = re.compile(r"^https?://(www\.)?|/$")


def _text(value: Any) -> int:
    given = str(value)
    if not given.isascii():
        given = normalize("NFC", given)
    text = " ".join(given.lower().split())
    if _NUMBER.fullmatch(text):
        return _number(text)
    if "://" in text:
        return _digest(_WEB.sub("", text).encode())
    marks = QUESTION_MARK if "?" in text and _WORDS.search(text) else 0
    if "@" not in text:
        marks |= _case(given)
    if text.isascii():
        return marks | crc32(text.encode()) & DIGEST
    marks |= GARBLED if _GARBLED.search(given) else 0
    return marks | BEYOND_ASCII | _digest(text.encode("utf-8", "surrogatepass"))


def _case(given: str) -> int:
    if given.isupper():
        return CAPITALS
    return SMALL if given.islower() else PROPER if given.istitle() else 0


def _number(text: str) -> int:
    """Return the number of a date, or of digits with separators between them, such as a telephone number."""
    if _DATE.fullmatch(text):
        year, month, day = text.split("-")
        marks = MONTH_ABOVE_DAY if month > day else 0
        return marks | _digest(f"{year} {min(month, day)} {max(month, day)}".encode())
    digits = text.translate(_BETWEEN)
    return (ZERO if digits.startswith("0") else 0) | _digest(digits.lstrip("0").encode())


YES = _text(True)
"""What is said of a field that is yes; no is its default, and so no value."""


def _list(value: list[Any]) -> int:
    data = array("Q", sorted(value)) if type(value[0]) is int else "\0".join(sorted(map(str, value))).encode()
    return _length(value) | _digest(data)


def _picture(value: str) -> int:
    return _text(value.rpartition("/")[2].partition(".")[0])


def _table(value: dict[str, Any]) -> int:
    return _digest(repr(sorted(value.items())).encode())


def _length(value: list[Any]) -> int:
    return min(len(value), LONGEST) << SHAPE


def _digest(data: "bytes | array[int]") -> int:
    return crc32(data) & DIGEST
