"""The promise that no e-mail address and no telephone number is published plainly, in any text."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pydantic import BaseModel

from labgen.problems import Place, Pointer, Problem
from labgen.source.laboratories import SourceLaboratory
from labgen.source.lists import SourceList

MIN_DIGITS = 5
"""A shorter telephone number (110, 112) is no secret, and stands in half of all texts."""

_EMAIL = re.compile(r"[^\s@,;:<>()\[\]\"\\]+@[^\s@,;:<>()\[\]\"\\]*[^\s@,;:<>()\[\]\"\\.!?]")
_PHONE = re.compile(r"[+(]?[0-9][0-9 ()/.\-–]{3,}[0-9]")
PRIVATE = {"email", "phone"}


def check_contacts(
    laboratories: Iterable[SourceLaboratory], lists: Mapping[str, SourceList]
) -> list[Problem]:
    """Report texts that hold the e-mail address or telephone number of a contact person as it is written.

    A laboratory's own are found anywhere in its texts; those of others where they stand as words.
    """
    laboratories = list(laboratories)
    contacts = [laboratory.record.contact_person for laboratory in laboratories]
    secrets = {contact.email.lower() for contact in contacts} | {
        contact.phone for contact in contacts if _counts(contact.phone)
    }
    secrets.discard("")
    problems = []
    for laboratory in laboratories:
        contact = laboratory.record.contact_person
        own = [text for text in (contact.email, contact.phone if _counts(contact.phone) else "") if text]
        for pointer, text in _texts(laboratory.record, ()):
            if any(secret in text for secret in own) or _holds(text, secrets):
                problems.append(_problem(laboratory.place(*pointer)))
    for source_list in lists.values():
        for key, record in source_list.records.items():
            for pointer, text in _texts(record, source_list.pointers[key]):
                if _holds(text, secrets):
                    problems.append(_problem(Place(source_list.file or "", pointer)))
    return problems


def _counts(phone: str) -> bool:
    return sum(char.isdigit() for char in phone) >= MIN_DIGITS


def _holds(text: str, secrets: set[str]) -> bool:
    if "@" in text and any(word.lower() in secrets for word in _EMAIL.findall(text)):
        return True
    return any(number in secrets for number in _PHONE.findall(text))


def _texts(value: Any, pointer: Pointer) -> Iterator[tuple[Pointer, str]]:
    """Yield each published text of a record, and the pointer to it."""
    if isinstance(value, str):
        yield pointer, value
    elif isinstance(value, BaseModel):
        for name, part in value.__dict__.items():
            if name not in PRIVATE:
                yield from _texts(part, (*pointer, name))
    elif isinstance(value, list) and value and not isinstance(value[0], int):
        for position, part in enumerate(value):
            yield from _texts(part, (*pointer, position))


def _problem(place: Place) -> Problem:
    field = next((step for step in reversed(place.pointer or ()) if isinstance(step, str)), "a text")
    message = f"`{field}` would publish an e-mail address or telephone number of a contact person plainly"
    return Problem("contact-in-text", message, place, "take it out: `contact_person` publishes it encoded")
