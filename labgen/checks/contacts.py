"""Check that no text publishes the e-mail address or telephone number of a contact in plain form.

*Secrets* are the e-mail addresses and telephone numbers of contacts, in their possible spellings; *mentions*
are the parts of texts that look like one. Both are stored as digests of eight bytes: enough to tell whether a
text holds a secret of another laboratory, but not in plain form.
"""

import re
import unicodedata
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping
from html import unescape
from itertools import chain, pairwise
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from labgen.formats.read_files import name_of
from labgen.memory.database import Memory
from labgen.memory.digest_index import Digested, holders_in_both, is_held, short_digest
from labgen.model.record_fields import keys_of, last_key
from labgen.model.records import ContactRecord, Record
from labgen.model.settings import SiteRecord
from labgen.problems.problem import Place, Pointer, Problem
from labgen.problems.text import say
from labgen.source.read_laboratory import SourceLaboratory
from labgen.source.read_lists import SourceList
from labgen.source.read_settings import SETTINGS_FILE
from labgen.system.input_files import TEMPLATES, read_bytes
from labgen.system.lazy import Lazy

MIN_DIGITS = 6
"""Shorter telephone numbers (110, 112) are not secrets, and such digits occur in very many texts."""

_BEFORE_AT = re.compile(r"[\w.!#$%&'*+/=?^`{|}~-]*\Z")
_AFTER_AT = re.compile(r"[\w.-]*")
_RUN = re.compile(r"[+0-9][0-9]*(?:[\W_]{1,6}[0-9]+)*")
"""Groups of digits that are close together: one number, or several. The pattern begins with a set of
characters, because `re` searches for these fast."""
APART = "\n" * 7
"""The separator of texts that are searched together: longer than any gap inside a telephone number."""
_NOT_DIGITS = re.compile(r"[^0-9]")


class ContactDigests(Container[int]):
    """The secrets of all laboratories, read from the memory when they are needed."""

    def __init__(self, memory: Memory) -> None:
        self.known = Lazy[int, bool](lambda digest: is_held(memory, Digested.SECRET, digest))

    def __contains__(self, one: object) -> bool:
        return isinstance(one, int) and self.known[one]

    def isdisjoint(self, mentions: Iterable[int]) -> bool:
        """Return whether none of these digests is a secret."""
        return not any(map(self.__contains__, mentions))


def check_own_contact(
    source: SourceLaboratory, joined: str, mentions: Collection[int], secrets: Collection[int]
) -> list[Problem]:
    """Report a laboratory's texts that hold its contact's e-mail address or number, also exactly as given.

    `joined` are all its texts, `mentions` the mentions in them, `secrets` the secrets of its contact.
    """
    contact = source.record.contact_person
    written = [text.casefold() for text in (contact.email, contact.phone) if len(text) >= MIN_DIGITS]
    is_clean = set(secrets).isdisjoint(mentions)
    if is_clean and not (written and any(map(joined.casefold().__contains__, written))):
        return []
    own = set(secrets)
    return _check(source, lambda text: holds(text, own) or any(one in text.casefold() for one in written))


def check_other_contacts(source: SourceLaboratory, secrets: Container[int]) -> list[Problem]:
    """Report a laboratory's texts that hold the e-mail address or number of another laboratory's contact."""
    own = set(contact_digests(source.record.contact_person))
    return _check(source, lambda text: any(one in secrets and one not in own for one in mentions_in(text)))


def _check(source: SourceLaboratory, is_wrong: Callable[[str], bool]) -> list[Problem]:
    texts = _texts(source.record, ())
    places = [source.place(*pointer) for pointer, text in texts if is_wrong(text)]
    return [_problem(place, last_key(place.pointer or ())) for place in places]


def published_texts(record: Record) -> Iterator[str]:
    """Yield the texts of a record that are published in plain form: like `_texts`, without the pointers."""
    encoded = record.encoded
    for name, part in record.__dict__.items():
        kind = type(part)
        if kind is str:
            if part and name not in encoded:
                yield part
        elif kind is list:
            for one in part if part and type(part[0]) is not int else ():
                if type(one) is str:
                    yield one
                else:
                    yield from published_texts(one)
        elif kind is dict:
            yield from (one for one in part.values() if type(one) is str)
        elif isinstance(part, Record):
            yield from published_texts(part)


def check_shared_texts(
    memory: Memory, site: SiteRecord | None, lists: Mapping[str, SourceList]
) -> list[Problem]:
    """Report texts of the settings and the lists that hold a contact's e-mail address or number."""
    if not holders_in_both(memory, Digested.SHARED_MENTION, Digested.SECRET):
        return []
    secrets = ContactDigests(memory)
    places = [place for place, text in _shared_texts(site, lists) if holds(text, secrets)]
    return [_problem(place, last_key(place.pointer or ())) for place in places]


def shared_mentions(site: SiteRecord | None, lists: Mapping[str, SourceList]) -> list[int]:
    """Return the digests of all mentions in the texts of the settings and the lists."""
    records = chain.from_iterable([one.records.values() for one in lists.values()])
    listed = chain.from_iterable([published_texts(record) for record in records])
    settings = [text for _, text in _texts(site, ())] if site else []
    return mentions_in(APART.join([*listed, *settings]))


def check_templates(root: Path, files: Iterable[str], secrets: ContactDigests) -> list[Problem]:
    """Report a project's own templates and static files that hold the e-mail address or number of a contact.

    `files` are the project's files; all in templates/ are read, also those that templates only include.
    """
    own = [root / name for name in files if name.startswith(f"{TEMPLATES}/") and not name.endswith("/")]
    problems = []
    for path in sorted(own):
        try:
            text = read_bytes(path).decode(errors="replace") if path.is_file() else ""
        except OSError:
            continue  # reported where it is read
        if holds(text, secrets):
            file = name_of(root, path)
            problems.append(_problem(Place(file), file))
    return problems


def contact_digests(contact: ContactRecord) -> Iterator[int]:
    """Yield the digests of a contact's e-mail address and telephone number, in each spelling."""
    spelled: set[str] = set()
    if email := _plain(contact.email).casefold():
        spelled.add(email)
    phone = _plain(contact.phone)
    for number in (phone, *_BETWEEN_NUMBERS.split(phone)):
        spelled.update(_spellings(number))
    return map(short_digest, sorted(spelled))


def mentions_in(text: str) -> list[int]:
    """Return the digests of all parts of a text that look like an e-mail address or a telephone number.

    The cost depends only on the length of the text.
    """
    return list(map(short_digest, dict.fromkeys(_mentions(text))))


def holds(text: str, secrets: "ContactDigests | set[int]") -> bool:
    """Return whether a text holds one of the secrets."""
    return not secrets.isdisjoint(mentions_in(text))


def _mentions(text: str) -> Iterator[str]:
    """Yield the possible e-mail addresses and telephone numbers in a text, in the spellings of secrets."""
    text = _plain(text)
    if "@" in text:
        for before, after in pairwise(text.split("@")):
            yield from _addresses(before, after)
    for run in _RUN.findall(text):
        if len(run) >= MIN_DIGITS:
            yield from _numbers(run)


def _addresses(before: str, after: str) -> Iterator[str]:
    """Yield the e-mail addresses that the texts before and after an @ may form."""
    local = _BEFORE_AT.search(before[-MAX_LOCAL:])
    domain = _AFTER_AT.match(after[:MAX_DOMAIN])
    words = (local[0] if local else "").casefold()
    labels = (domain[0] if domain else "").casefold().rstrip(".-_").split(".")
    hosts = [".".join(labels[:count]) for count in range(1, len(labels) + 1)]
    for start in _starts(words):
        yield from (f"{words[start:]}@{host}" for host in hosts)


MAX_LOCAL, MAX_DOMAIN = 64, 255
"""The longest parts of an e-mail address, in octets (RFC 5321, section 4.5.3.1)."""


_BETWEEN_NUMBERS = re.compile(r"[,;/A-Za-z]+")
"""The separators of several telephone numbers in one field, and of a number and its extension."""


def _plain(text: str) -> str:
    """Return a text as a reader sees it: escapes of URLs and of HTML resolved, letters composed."""
    if "%" in text:
        text = unquote(text)
    if "&" in text:
        text = unescape(text)
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


def _starts(words: str) -> Iterator[int]:
    """Yield the positions before the @ where an e-mail address may begin: the start, or after a separator."""
    yield 0
    yield from (at + 1 for at, char in enumerate(words) if not char.isalnum())


MAX_GROUPS = 16
"""How many groups of digits a telephone number may have."""


def _numbers(run: str) -> Iterator[str]:
    """Yield the spellings of all telephone numbers that a run of groups of digits may hold."""
    groups = _GROUP.findall(run)
    for start, first in enumerate(groups):
        digits, is_abroad = "", first[0] == "+"
        for group in groups[start : start + MAX_GROUPS]:
            digits += group.lstrip("+")
            yield from _spellings_of(digits, is_abroad=is_abroad)


_GROUP = re.compile(r"\+?[0-9]+")


def _spellings(number: str) -> tuple[str, ...]:
    """Return the digits of a telephone number, with and without the country code and leading zeros."""
    return _spellings_of(_NOT_DIGITS.sub("", number), is_abroad=_ABROAD.match(number) is not None)


def _spellings_of(digits: str, *, is_abroad: bool) -> tuple[str, ...]:
    if len(digits) < MIN_DIGITS:
        return ()
    if is_abroad or digits.startswith("00"):
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
"""The calling codes of countries that have two digits (ITU-T E.164)."""


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
            yield Place(SETTINGS_FILE, pointer), text


def _texts(value: Any, pointer: Pointer) -> Iterator[tuple[Pointer, str]]:
    """Yield each text inside a value that may be published, and the pointer to it."""
    if isinstance(value, str):
        if value:
            yield pointer, value
    elif isinstance(value, list):
        for position, one in enumerate(value):
            yield from _texts(one, (*pointer, position))
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from _texts(one, (*pointer, key))
    elif isinstance(value, Record):
        for name, key in keys_of(type(value)).items():
            if name not in value.encoded:
                yield from _texts(getattr(value, name), (*pointer, key))


def _problem(place: Place, what: str) -> Problem:
    message = say(
        "`{what}` would publish an e-mail address or telephone number of a contact person plainly", what=what
    )
    return Problem(
        "contact-in-text", message, place, say("take it out: `contact_person` publishes it encoded")
    )
