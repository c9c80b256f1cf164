"""The promise that no contact's e-mail address or telephone number is published plainly, in any text."""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any
from urllib.parse import unquote

from pydantic import BaseModel

from labgen.problems import Place, Pointer, Problem
from labgen.records import ContactRecord, SiteRecord
from labgen.source.laboratories import SourceLaboratory
from labgen.source.lists import SourceList

MIN_DIGITS = 6
"""A shorter telephone number (110, 112) is no secret, and stands in half of all texts."""

PRIVATE = {"email", "phone"}
_BEFORE_AT = re.compile(r"[\w.!#$%&*+/=?^`{|}~-]*\Z")
_AFTER_AT = re.compile(r"[\w.-]*")
_NUMBER = re.compile(r"\+?\(?[0-9][0-9 ()/.\u00a0–-]{3,40}[0-9]")
_NOT_DIGITS = re.compile(r"[^0-9]")


def check_contacts(
    site: SiteRecord | None,
    laboratories: Iterable[SourceLaboratory],
    lists: Mapping[str, SourceList],
    settings_file: str,
) -> list[Problem]:
    """Report texts that would publish the e-mail address or telephone number of a contact person.

    Addresses are compared without regard to case, numbers by their digits, with or without the code of the
    country.
    """
    laboratories = list(laboratories)
    secrets = _Secrets(laboratory.record.contact_person for laboratory in laboratories)
    places = [
        place for place, text in _all_texts(site, laboratories, lists, settings_file) if secrets.are_in(text)
    ]
    places += [
        laboratory.place(*pointer)
        for laboratory in laboratories
        if (email := laboratory.record.contact_person.email.casefold())
        for pointer, text in _texts(laboratory.record, ())
        if email in text.casefold()
    ]
    return [_problem(place) for place in dict.fromkeys(places)]


class _Secrets:
    """The addresses and numbers of all contacts, to be looked up by what a text holds."""

    def __init__(self, contacts: Iterable[ContactRecord]) -> None:
        self.emails: set[str] = set()
        self.numbers: set[str] = set()
        for contact in contacts:
            self.emails.add(contact.email.casefold())
            self.numbers.update(_spellings(contact.phone))
        self.emails.discard("")

    def are_in(self, text: str) -> bool:
        """Say whether a text holds one of them. The cost grows with the text's length alone."""
        if "@" in text or "%40" in text:
            parts = (unquote(text) if "%40" in text else text).split("@")
            if any(self._is_email(before, after) for before, after in pairwise(parts)):
                return True
        return any(not self.numbers.isdisjoint(_spellings(number)) for number in _NUMBER.findall(text))

    def _is_email(self, before: str, after: str) -> bool:
        local = _BEFORE_AT.search(before[-MAX_LOCAL:])
        domain = _AFTER_AT.match(after[:MAX_DOMAIN])
        words = (local[0] if local else "").casefold()
        host = (domain[0] if domain else "").casefold().rstrip(".-_")
        return any(f"{words[start:]}@{host}" in self.emails for start in _starts(words))


MAX_LOCAL, MAX_DOMAIN = 64, 255
"""The longest parts of an address, in octets (RFC 5321, section 4.5.3.1)."""


def _starts(words: str) -> Iterator[int]:
    """Yield where an address may begin in what stands before the @: at its start, or after a sign."""
    yield 0
    yield from (at + 1 for at, char in enumerate(words) if not char.isalnum())


def _spellings(number: str) -> tuple[str, ...]:
    """Return the digits of a telephone number, with and without the code of its country."""
    digits = _NOT_DIGITS.sub("", number)
    if len(digits) < MIN_DIGITS:
        return ()
    if number.lstrip("( ").startswith("+") or digits.startswith("00"):
        digits = digits.removeprefix("00")
        spelled = (digits, digits[_code_length(digits) :].lstrip("0"))
    else:
        spelled = (digits, digits.lstrip("0"))
    return tuple(one for one in spelled if len(one) >= MIN_DIGITS)


_TWO_DIGITS = frozenset(
    [
        "20",
        "27",
        "30",
        "31",
        "32",
        "33",
        "34",
        "36",
        "39",
        "40",
        "41",
        "43",
        "44",
        "45",
        "46",
        "47",
        "48",
        "49",
        "51",
        "52",
        "53",
        "54",
        "55",
        "56",
        "57",
        "58",
        "60",
        "61",
        "62",
        "63",
        "64",
        "65",
        "66",
        "81",
        "82",
        "84",
        "86",
        "90",
        "91",
        "92",
        "93",
        "94",
        "95",
        "98",
    ]
)
"""The codes of countries that have two digits (ITU-T E.164)."""


def _code_length(digits: str) -> int:
    if digits[0] in "17":
        return 1
    return 2 if digits[:2] in _TWO_DIGITS else 3


def _all_texts(
    site: SiteRecord | None,
    laboratories: list[SourceLaboratory],
    lists: Mapping[str, SourceList],
    settings_file: str,
) -> Iterator[tuple[Place, str]]:
    for laboratory in laboratories:
        for pointer, text in _texts(laboratory.record, ()):
            yield laboratory.place(*pointer), text
    for source_list in lists.values():
        for key, record in source_list.records.items():
            for pointer, text in _texts(record, source_list.pointers[key]):
                yield Place(source_list.file or "", pointer), text
    for pointer, text in _texts(site, ()):
        yield Place(settings_file, pointer), text


def _texts(value: Any, pointer: Pointer) -> Iterator[tuple[Pointer, str]]:
    """Yield each published text of a record, and the pointer to it."""
    if isinstance(value, str):
        yield pointer, value
    elif isinstance(value, BaseModel):
        for name, part in value.__dict__.items():
            if name not in PRIVATE:
                yield from _texts(part, (*pointer, name))
    elif isinstance(value, dict):
        for name, part in value.items():
            yield from _texts(part, (*pointer, name))
    elif isinstance(value, list) and value and not isinstance(value[0], int):
        for position, part in enumerate(value):
            yield from _texts(part, (*pointer, position))


def _problem(place: Place) -> Problem:
    field = next((step for step in reversed(place.pointer or ()) if isinstance(step, str)), "a text")
    message = f"`{field}` would publish an e-mail address or telephone number of a contact person plainly"
    return Problem("contact-in-text", message, place, "take it out: `contact_person` publishes it encoded")
