"""Read the query of a search: its parameters, their values, and which of them can never be valid."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, quote_plus

from labgen.search.index_files import Files

LONGEST_QUERY = 2_000
"""Maximum length of a query; further characters are ignored."""

OWN_PARAMETERS = ("q", "page", "facets", "matches", "ordering")
"""The parameters of a search that are no names of facets."""
ORDERINGS = ("name", "-name", "rating", "-rating")
"""The orders other than the best first; those that begin with a hyphen descend."""
ONLY = {"matches": ("true", "false"), "ordering": ORDERINGS}
"""The values of those that have few."""

Parameters = list[tuple[str, str]]


def parse_query(query: str) -> Parameters:
    """Return the names and values of a query string, or of an address such as that of the next page."""
    address = _ADDRESS.fullmatch(query)
    text = (address[1] or "") if address else query.removeprefix("?")
    return parse_qsl(text[:LONGEST_QUERY], keep_blank_values=True, errors="replace")


_ADDRESS = re.compile(r"(?:https?:/)?/[^?&=#]*(?:\?([^#]*))?(?:#[^\0]*)?", re.IGNORECASE)
"""The path or URL of a list, and its query."""


@dataclass(frozen=True, slots=True)
class Request:
    """A parsed query: the selected values by argument, the words, and the names of the facets to count.

    `own` has the parameters in `ONLY`.
    """

    chosen: Mapping[str, list[str]]
    text: str
    counted: list[str]
    own: Mapping[str, str]

    @property
    def wants_matches(self) -> bool:
        """Whether the answer says why each laboratory was found."""
        return self.own.get("matches") == "true"

    @property
    def ordering(self) -> str:
        """The order that is asked for, one of `ORDERINGS`; "": the best first."""
        return self.own.get("ordering", "")


def pairs_of(request: Request, argument: str, files: Files) -> list[tuple[str, str]]:
    """Return the facets and values that an argument selects: several sections may share an argument."""
    names = [one["name"] for one in files.index()["facets"] if one["search_arg"] == argument]
    return [(name, value) for name in names for value in request.chosen[argument]]


def understood(parameters: Parameters, index: Mapping[str, Any], files: Files) -> Request:
    """Return what parameters ask for; one that is not known is ignored."""
    arguments: dict[str, list[Mapping[str, Any]]] = {}
    for one in index["facets"]:
        arguments.setdefault(one["search_arg"], []).append(one)
    given: dict[str, list[str]] = {}
    for name, text in parameters:
        given.setdefault(name, []).extend(_values(text, arguments.get(name, []), files))
    chosen = {one: list(dict.fromkeys(filter(None, given.get(one, [])))) for one in arguments}
    chosen = {one: values for one, values in chosen.items() if values}
    if "is_verified" in chosen:
        chosen["is_verified"] = list(dict.fromkeys(one.lower() for one in chosen["is_verified"]))
    text = next((text for name, text in reversed(parameters) if name == "q"), "")
    own = {name: text for name, text in parameters if name in ONLY and text}
    return Request(chosen, text, given.get("facets", []), own)


def invalid_in(request: Request, index: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return messages about values that can never be valid, by argument."""
    message = index["invalid_value"]
    only = {one["search_arg"]: one["only"] for one in index["facets"] if "only" in one}
    given = {**request.chosen, **{name: [text] for name, text in request.own.items()}}
    wrong = {
        argument: [value for value in given.get(argument, []) if value not in valid]
        for argument, valid in {**only, **ONLY}.items()
    }
    return {
        argument: [message.replace("{value}", value) for value in values]
        for argument, values in wrong.items()
        if values
    }


def _values(text: str, facets: Sequence[Mapping[str, Any]], files: Files) -> Iterator[str]:
    """Yield the values in a text, between commas; a value of a facet may have commas itself."""
    parts = text.split(",")
    most = max((one.get("commas", 0) for one in facets), default=0)
    at = 0
    while at < len(parts):
        for end in range(min(at + most + 1, len(parts)), at, -1):
            value = ",".join(parts[at:end]).strip(" ")
            if end == at + 1 or any(files.has(one["name"], value) for one in facets):
                yield value
                at = end
                break


def page_in(parameters: Parameters, last: int) -> int | None:
    """Return the number of the requested page, 1 if none is given, or None if there is no such page."""
    text = next((text for name, text in reversed(parameters) if name == "page"), "") or "1"
    if not re.fullmatch("0*[1-9][0-9]{0,8}", text):
        return None
    return int(text) if int(text) <= last else None


def address_of(path: str, parameters: Parameters, page: int) -> str:
    """Return the URL of another page of the same search; page 1 has no parameter `page`."""
    others = [(name, text) for name, text in parameters if name != "page"]
    others += [("page", str(page))] if page > 1 else []
    query = "&".join(f"{quote_plus(name)}={quote_plus(text, safe=',')}" for name, text in others)
    return f"{path}?{query}" if query else path
