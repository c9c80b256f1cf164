"""What an endpoint is. All that is made of endpoints is folded over `sections.ENDPOINTS`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from typing_extensions import get_type_hints, is_typeddict

from labgen.directory import Directory, Laboratory
from labgen.documents import Link

API = "/api/v1/laboratory/"
LABORATORIES = API + "laboratories/"

Titles = Mapping[str, str]
"""A title in each language."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One kind of document: its name, its titles by language, its type, and where the specification shows it.

    `shown_in` is None for what labgen proposes of its own.
    """

    name: str
    titles: Titles
    document: Any
    shown_in: str | None

    def title(self, directory: Directory) -> str:
        """Return the title: the one that the settings give, or that of the site's language."""
        site = directory.site
        return site.sections.get(self.name) or self.titles[site.language]


@dataclass(frozen=True, slots=True)
class PerSite(Endpoint):
    """An endpoint with one document, at a fixed path."""

    path: str
    make: Callable[[Directory], Any]


@dataclass(frozen=True, slots=True)
class PerLaboratory(Endpoint):
    """An endpoint with a document for each laboratory; `segment` is "" for the laboratory itself."""

    segment: str
    make: Callable[[Laboratory, Directory], Any]

    def path_for(self, display_id: str) -> str:
        """Return the path of a laboratory's document."""
        return (
            f"{LABORATORIES}{display_id}/{self.segment}/" if self.segment else f"{LABORATORIES}{display_id}/"
        )


@dataclass(frozen=True, slots=True)
class Facet(PerLaboratory):
    """A section whose document is an envelope (specification 2.7) around a laboratory's entries.

    `is_shared` says that the entries stand in a catalogue and have an `id` there: what is made of one of them
    is the same for every laboratory.
    """

    entries: Callable[[Laboratory], Sequence[Any]]
    make_item: Callable[[Any], Any]
    envelope: Callable[[list[Any], Directory], Any]
    is_shared: bool


@cache
def link_fields(document: Any) -> frozenset[str]:
    """Return the names of the fields, at any depth of a document's type, that hold addresses."""
    if is_typeddict(get_origin(document) or document):
        hints = get_type_hints(get_origin(document) or document, include_extras=True)
        own = {name for name, hint in hints.items() if _is_link(hint)}
        inner = [link_fields(hint) for hint in hints.values()]
        return frozenset(own).union(*inner, *(link_fields(argument) for argument in get_args(document)))
    return frozenset[str]().union(*(link_fields(part) for part in get_args(document) if _is_type(part)))


def _is_type(part: Any) -> bool:
    return isinstance(part, type | UnionType) or get_origin(part) is not None


def _is_link(hint: Any) -> bool:
    if get_origin(hint) is Annotated:
        return any(isinstance(extra, Link) for extra in hint.__metadata__) or _is_link(hint.__origin__)
    return get_origin(hint) in (Union, UnionType) and any(_is_link(part) for part in get_args(hint))
