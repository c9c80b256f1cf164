"""Find out which laboratories a service has: from its list, its openapi.json, a file of ids, or a range."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from labgen.api.endpoint import LABORATORIES
from labgen.fetch.urls import split_untrusted
from labgen.importing.service.deviations import Deviation
from labgen.importing.service.fetch_service import Service
from labgen.model.values import DIGITS
from labgen.output.errors import OutputError
from labgen.problems.problem import shown
from labgen.problems.text import say
from labgen.render.openapi import OPENAPI_FILE

MOST_PAGES = 100_000
MOST_LABORATORIES = 1_000_000
MOST_OLD_PAGES = 5
"""So many pages of a list in a row that name no new laboratory are its end, whatever they say."""
HINT = say("--ids names a file with their ids, --range tries numbers")


class Found(NamedTuple):
    """The display_ids of laboratories, the source that lists them, and the deviations found in it.

    With `is_tried`, they are guesses: the laboratories need not exist.
    """

    display_ids: tuple[str, ...]
    source: str
    deviations: tuple[Deviation, ...] = ()
    is_tried: bool = False


def find_laboratories(service: Service, otherwise: Found | None = None) -> Found:
    """Return the laboratories in the service's list, or else in its openapi.json, or else `otherwise`.

    Raises `OutputError` if there are none.
    """
    first = f"{service.prefix}{LABORATORIES}"
    if (document := service.try_document(first)) is not None:
        return _of_list(service, first, document)
    if found := sorted(_ids_in(service.try_document(f"{service.prefix}/{OPENAPI_FILE}"))):
        return Found(tuple(found), OPENAPI_FILE)
    if service.failures:
        raise OutputError(say("{first}: {reason}", first=first, reason=service.failures[0].reason), HINT)
    if otherwise:
        return otherwise
    raise OutputError(
        say(
            "the service has no list of laboratories at {first}, nor in {openapi_file}",
            first=first,
            openapi_file=OPENAPI_FILE,
        ),
        HINT,
    )


def read_ids(file: Path) -> Found:
    """Return the ids in a file: one per line, or in the first column; heading and comments are skipped."""
    try:
        lines = file.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise OutputError(say("{file} cannot be read: {error}", file=file, error=error)) from None
    found: list[str] = []
    for number, line in enumerate(lines, 1):
        first = re.split(r"[,;\t]", line.partition("#")[0], maxsplit=1)[0].strip().strip('"')
        if re.fullmatch(DIGITS, first):
            found.append(first)
        elif first and number > 1:
            raise OutputError(
                say(
                    "line {number} of {file} is no id: {first}", number=number, file=file, first=shown(first)
                ),
                say("an id has digits alone"),
            )
    return Found(tuple(dict.fromkeys(found)), file.name)


def ids_of_range(text: str) -> Found:
    """Return the ids of a range such as `00001-20000`; the first id determines the number of digits."""
    match = re.fullmatch(r"([0-9]{1,18})-([0-9]{1,18})", text.strip())
    first, last = (int(match[1]), int(match[2])) if match else (0, -1)
    if match is None or not first <= last < first + MOST_LABORATORIES:
        message = say(
            "{text} is no range of at most {most_laboratories:,} ids",
            text=shown(text),
            most_laboratories=MOST_LABORATORIES,
        )
        raise OutputError(message, say("write the first and the last one: 00001-20000"))
    width = len(match[1])
    return Found(tuple(f"{one:0{width}}" for one in range(first, last + 1)), text, is_tried=True)


def _of_list(service: Service, first: str, document: Any) -> Found:
    """Return the laboratories on all pages of a list."""
    found: dict[str, None] = {}
    deviations: list[Deviation] = []
    counted = document.get("count") if isinstance(document, dict) else None
    old = 0
    for page, results in _pages(service, first, document):
        had = len(found)
        for card in results:
            display_id = card.get("display_id") if isinstance(card, dict) else None
            if isinstance(display_id, str) and re.fullmatch(DIGITS, display_id):
                found[display_id] = None
            else:
                where = say("{page}: {display_id}", page=page, display_id=shown(display_id))
                deviations.append(
                    Deviation(where, say("the list names what is no display_id"), say("it was left out"))
                )
        old = 0 if len(found) > had else old + 1
        if old == MOST_OLD_PAGES:
            what = say("the list goes on, but its last {count} pages name nothing new", count=old)
            deviations.append(Deviation(page, what, say("the pages before them were taken")))
            break
        if len(found) > MOST_LABORATORIES:
            raise OutputError(
                say(
                    "the list has more than {most_laboratories:,} laboratories",
                    most_laboratories=MOST_LABORATORIES,
                ),
                HINT,
            )
    if isinstance(counted, int) and counted != len(found):
        where = say(
            "{first}: {counted:,} counted, {count:,} listed", first=first, counted=counted, count=len(found)
        )
        deviations.append(
            Deviation(
                where, say("the list counts others than it shows"), say("those that it shows were taken")
            )
        )
    if not found:
        raise OutputError(say("the list at {first} names no laboratory", first=first), HINT)
    return Found(tuple(found), say("the list"), tuple(deviations))


def _pages(service: Service, first: str, document: Any) -> Iterator[tuple[str, Sequence[Any]]]:
    """Yield the pages of a list, in the format of labgen or Django REST framework, or a plain array."""
    target, seen = first, {first}
    while True:
        results = document.get("results") if isinstance(document, dict) else document
        if not isinstance(results, list):
            raise OutputError(say("{target} is no list of laboratories", target=target), HINT)
        service.pages.append(target)
        yield target, results
        following = document.get("next") if isinstance(document, dict) else None
        if following is None:
            return
        target = _target(service, following, target)
        if target in seen or len(seen) >= MOST_PAGES:
            raise OutputError(say("the list comes back to {target}", target=target), HINT)
        seen.add(target)
        document = service.try_document(target)
        if document is None:
            reason = service.failures[-1].reason if service.failures else say("it is not there")
            raise OutputError(
                say(
                    "the next page of the list, {target}, cannot be fetched: {reason}",
                    target=target,
                    reason=reason,
                ),
                HINT,
            )


def _target(service: Service, address: Any, page: str) -> str:
    """Return the target of the next page, which must be on the same host and a page of the same list."""
    parts = split_untrusted(address)
    is_here = parts.hostname in (None, service.url.hostname) and parts.scheme in ("", "http", "https")
    path = parts.path or (page.partition("?")[0] if parts.query else "")
    is_list = path.startswith(f"{service.prefix}{LABORATORIES}") and ".." not in path
    target = f"{path}?{parts.query}" if parts.query else path
    if not (is_here and is_list) or re.search(r"[^\x21-\x7e]", target):
        raise OutputError(
            say(
                "the list at {page} goes on at {address}, which is not this list",
                page=page,
                address=shown(address),
            ),
            HINT,
        )
    return target


def _ids_in(document: Any, name: str = "") -> set[str]:
    """Return the display_ids in an OpenAPI document: in examples, enumerations and paths."""
    found: set[str] = set()
    if isinstance(document, dict):
        is_parameter = document.get("name") == "display_id"
        for key, value in document.items():
            found |= set(re.findall(rf"{LABORATORIES}([0-9]{{1,64}})/", key))
            found |= _ids_in(value, "display_id" if is_parameter or key == "display_id" else name)
    elif isinstance(document, list):
        for value in document:
            found |= _ids_in(value, name)
    elif name == "display_id" and isinstance(document, str) and re.fullmatch(DIGITS, document):
        found.add(document)
    return found
