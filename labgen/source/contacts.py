"""The promise that no contact's e-mail address or telephone number is published plainly, in any text."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import unescape
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from pydantic import BaseModel

from labgen.problems import Place, Pointer, Problem
from labgen.records import ContactRecord, SiteRecord
from labgen.source.files import name_of
from labgen.source.laboratories import SourceLaboratory
from labgen.source.lists import SourceList
from labgen.source.settings import FILE

MIN_DIGITS = 6
"""A shorter telephone number (110, 112) is no secret, and stands in half of all texts."""

PRIVATE = {"email", "phone"}
_BEFORE_AT = re.compile(r"[\w.!#$%&'*+/=?^`{|}~-]*\Z")
_AFTER_AT = re.compile(r"[\w.-]*")
_RUN = re.compile(r"\+?[0-9]+(?:[\W_]{1,6}[0-9]+)*")
"""Groups of digits with little between them: one number, or several."""
APART = "\n" * 7
"""Between texts that are looked through at once: more than what lies between the groups of one number."""
_NOT_DIGITS = re.compile(r"[^0-9]")


def check_contacts(
    site: SiteRecord | None, laboratories: Sequence[SourceLaboratory], lists: Mapping[str, SourceList]
) -> list[Problem]:
    """Report texts that would publish the e-mail address or telephone number of a contact person.

    Addresses are compared without regard to case, numbers by their digits, with or without the code of the
    country; those of the laboratory itself also as they are written.
    """
    secrets = Secrets(laboratory.record.contact_person for laboratory in laboratories)
    places = [place for place, text in _shared_texts(site, lists) if secrets.are_in(text)]
    for laboratory in laboratories:
        texts = list(_texts(laboratory.record, ()))
        own = _own_secrets(laboratory.record.contact_person)
        joined = APART.join([text for _, text in texts])
        if secrets.are_in(joined) or any(secret in joined.casefold() for secret in own):
            places += [
                laboratory.place(*pointer)
                for pointer, text in texts
                if secrets.are_in(text) or any(secret in text.casefold() for secret in own)
            ]
    return [_problem(place, _field(place)) for place in places]


def check_templates(root: Path, contacts: Iterable[ContactRecord]) -> list[Problem]:
    """Report a project's own templates and static files that hold what must not be published plainly."""
    secrets = Secrets(contacts)
    folder = root / "templates"
    problems = []
    for path in sorted([*folder.glob("*.html"), *folder.glob("static/*")]):
        if path.is_file() and secrets.are_in(path.read_bytes().decode(errors="replace")):
            file = name_of(root, path)
            problems.append(_problem(Place(file), file))
    return problems


def _own_secrets(contact: ContactRecord) -> list[str]:
    return [text.casefold() for text in (contact.email, contact.phone) if len(text) >= MIN_DIGITS]


class Secrets:
    """The addresses and numbers of all contacts, to be looked up by what a text holds."""

    def __init__(self, contacts: Iterable[ContactRecord]) -> None:
        self.emails: set[str] = set()
        self.numbers: set[str] = set()
        for contact in contacts:
            self.emails.add(_plain(contact.email).casefold())
            phone = _plain(contact.phone)
            for number in (phone, *_BETWEEN_NUMBERS.split(phone)):
                self.numbers.update(_spellings(number))
        self.emails.discard("")

    def are_in(self, text: str) -> bool:
        """Say whether a text holds one of them. The cost grows with the text's length alone."""
        text = _plain(text)
        if "@" in text and any(self._is_email(before, after) for before, after in pairwise(text.split("@"))):
            return True
        runs = [run for run in _RUN.findall(text) if len(run) >= MIN_DIGITS]
        return any(not self.numbers.isdisjoint(_numbers(run)) for run in runs)

    def _is_email(self, before: str, after: str) -> bool:
        local = _BEFORE_AT.search(before[-MAX_LOCAL:])
        domain = _AFTER_AT.match(after[:MAX_DOMAIN])
        words = (local[0] if local else "").casefold()
        labels = (domain[0] if domain else "").casefold().rstrip(".-_").split(".")
        hosts = [".".join(labels[:count]) for count in range(1, len(labels) + 1)]
        return any(f"{words[start:]}@{host}" in self.emails for start in _starts(words) for host in hosts)


MAX_LOCAL, MAX_DOMAIN = 64, 255
"""The longest parts of an address, in octets (RFC 5321, section 4.5.3.1)."""


_BETWEEN_NUMBERS = re.compile(r"[,;/A-Za-z]+")
"""Between several numbers that are written as one telephone number, and before an extension."""


def _plain(text: str) -> str:
    """Return a text as a reader sees it: escapes of addresses and of HTML resolved, letters composed."""
    if "%" in text:
        text = unquote(text)
    if "&" in text:
        text = unescape(text)
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


def _starts(words: str) -> Iterator[int]:
    """Yield where an address may begin in what stands before the @: at its start, or after a sign."""
    yield 0
    yield from (at + 1 for at, char in enumerate(words) if not char.isalnum())


MAX_GROUPS = 16
"""Groups of digits that one telephone number may be written in."""


def _numbers(run: str) -> Iterator[str]:
    """Yield the spellings of all telephone numbers that a run of groups of digits may hold."""
    groups = _GROUP.findall(run)
    for start in range(len(groups)):
        digits = ""
        for group in groups[start : start + MAX_GROUPS]:
            digits += group.lstrip("+")
            yield from _spellings("+" + digits if groups[start][0] == "+" else digits)


_GROUP = re.compile(r"\+?[0-9]+")


def _spellings(number: str) -> tuple[str, ...]:
    """Return the digits of a telephone number, with and without the code of its country."""
    digits = _NOT_DIGITS.sub("", number)
    if len(digits) < MIN_DIGITS:
        return ()
    if _ABROAD.match(number) or digits.startswith("00"):
        digits = digits.removeprefix("00")
        spelled = (digits, digits[_code_length(digits) :].lstrip("0"))
    else:
        spelled = (digits, digits.lstrip("0"))
    return tuple(one for one in spelled if len(one) >= MIN_DIGITS)


_ABROAD = re.compile(r"[^0-9]*\+")


# fmt: off
_TWO_DIGITS = {
    20, 27, 30, 31, 32, 33, 34, 36, 39, 40, 41, 43, 44, 45, 46, 47, 48, 49, 51, 52, 53, 54, 55, 56, 57, 58,
    60, 61, 62, 63, 64, 65, 66, 81, 82, 84, 86, 90, 91, 92, 93, 94, 95, 98,
}
# fmt: on
"""The codes of countries that have two digits (ITU-T E.164)."""


def _code_length(digits: str) -> int:
    if digits[:1] in ("1", "7"):
        return 1
    return 2 if int(digits[:2]) in _TWO_DIGITS else 3


def _shared_texts(site: SiteRecord | None, lists: Mapping[str, SourceList]) -> Iterator[tuple[Place, str]]:
    for source_list in lists.values():
        for key, record in source_list.records.items():
            for pointer, text in _texts(record, source_list.pointers[key]):
                yield Place(source_list.file or "", pointer), text
    if site:
        for pointer, text in _texts(site, ()):
            yield Place(FILE, pointer), text


def _texts(value: Any, pointer: Pointer) -> Iterator[tuple[Pointer, str]]:
    """Yield each published text of a record, and the pointer to it."""
    parts = value.items() if type(value) is dict else value.__dict__.items()
    for name, part in parts:
        kind = type(part)
        if kind is str:
            if part and name not in PRIVATE:
                yield (*pointer, name), part
        elif kind is list:
            for position, one in enumerate(part if part and type(part[0]) is not int else ()):
                if type(one) is str:
                    yield (*pointer, name, position), one
                else:
                    yield from _texts(one, (*pointer, name, position))
        elif kind is dict or isinstance(part, BaseModel):
            yield from _texts(part, (*pointer, name))


def _field(place: Place) -> str:
    return next((step for step in reversed(place.pointer or ()) if isinstance(step, str)), "a text")


def _problem(place: Place, what: str) -> Problem:
    message = f"`{what}` would publish an e-mail address or telephone number of a contact person plainly"
    return Problem("contact-in-text", message, place, "take it out: `contact_person` publishes it encoded")
