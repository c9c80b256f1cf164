"""What an endpoint is. All that is made of endpoints is folded over `sections.ENDPOINTS`."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from typing_extensions import get_type_hints, is_typeddict

from labgen.api.document_parts import Envelope, LeadsTo, Link
from labgen.model.directory import Directory, Laboratory, Part
from labgen.model.summaries import Card

API = "/api/v1/laboratory/"
LABORATORIES = API + "laboratories/"

Titles = Mapping[str, str]
"""A title in each language."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One kind of document: its name, its titles by language, its type, and where the specification shows it.

    `shown_in` is None for what labgen proposes of its own. `about` says in a sentence what the document is,
    in each language. What `is_optional` appears where a laboratory has data for it or the settings ask for
    it, and then for all laboratories.
    """

    name: str
    titles: Titles
    document: Any
    shown_in: str | None
    about: Titles = field(kw_only=True)
    is_optional: bool = field(default=False, kw_only=True)

    @property
    def templates(self) -> tuple[str, ...]:
        """The paths of its documents, with parameters in braces, as OpenAPI writes them."""
        raise NotImplementedError

    @property
    def shown_paths(self) -> tuple[str, ...]:
        """The paths of its documents, with parameters as the specification writes them."""
        return tuple(one.replace("{", "<").replace("}", ">") for one in self.templates)

    def title(self, directory: Directory) -> str:
        """Return the title: the one that the settings give, or that of the site's language."""
        return title_of(self.name, self.titles, directory)


def title_of(name: str, titles: Titles, directory: Directory) -> str:
    """Return the title of an endpoint with this name."""
    site = directory.site
    return site.sections.get(name) or titles[site.language]


@dataclass(frozen=True, slots=True)
class PerSite(Endpoint):
    """An endpoint with one document, at a fixed path."""

    path: str
    make: Callable[[Directory], Any]

    @property
    def templates(self) -> tuple[str, ...]:
        """Its path."""
        return (self.path,)


@dataclass(frozen=True, slots=True)
class PerLaboratory(Endpoint):
    """An endpoint with a document for each laboratory; `segment` is "" for the laboratory itself.

    `count` says how many entries a laboratory's document has; it is None where the document is no list.
    """

    segment: str
    make: Callable[[Laboratory, Directory], Any]
    count: Callable[[Laboratory], int] | None = field(default=None, kw_only=True)

    @property
    def templates(self) -> tuple[str, ...]:
        """Its path, for any laboratory."""
        return (self.path_for("{display_id}"),)

    def path_for(self, display_id: str) -> str:
        """Return the path of a laboratory's document."""
        return (
            f"{LABORATORIES}{display_id}/{self.segment}/" if self.segment else f"{LABORATORIES}{display_id}/"
        )


@dataclass(frozen=True, slots=True)
class Listing(PerLaboratory):
    """An endpoint that lists what other laboratories list too, so that each item need be rendered only once.

    `keys` gives what a laboratory's items are made of, in the order of the document, and `make_item` one
    item; `enclose` puts items into a document, whose last list they are.
    """

    keys: Callable[[Laboratory, Directory], Sequence[Hashable]]
    make_item: Callable[[Any, Directory], Any]
    enclose: Callable[[list[Any], Directory], Any]


@dataclass(frozen=True, slots=True)
class Paged(Endpoint):
    """An endpoint that lists all laboratories, as many in a document as the settings say.

    `path` is that of the first document. `make_item` makes an item of a laboratory's card, and `enclose`
    puts items into a document, whose last value they are.
    """

    path: str
    make_item: Callable[[Card, Directory], Any]
    enclose: Callable[[list[Any], Part, Directory], Any]

    @property
    def templates(self) -> tuple[str, ...]:
        """The path of the first document, and that of all others."""
        return self.path, f"{self.path}{PAGE}/{{page}}/"

    def path_for(self, number: int) -> str:
        """Return the path of a document, by its number from 1."""
        return f"{self.path}{PAGE}/{number}/" if number > 1 else self.path

    def make(self, part: Part, cards: Sequence[Card], directory: Directory) -> Any:
        """Return the document with these laboratories."""
        return self.enclose([self.make_item(card, directory) for card in cards], part, directory)


PAGE = "page"
"""What stands before the number of a page in its path."""


def listing(  # noqa: PLR0913
    name: str,
    titles: Titles,
    *,
    document: Any,
    shown_in: str | None,
    about: Titles,
    count: Callable[[Laboratory], int],
    keys: Callable[[Laboratory, Directory], Sequence[Hashable]],
    make_item: Callable[[Any, Directory], Any],
    enclose: Callable[[list[Any], Directory], Any] = lambda items, _: items,
    is_optional: bool = False,
) -> Listing:
    """Return the endpoint, whose path ends in its name."""

    def make(lab: Laboratory, directory: Directory) -> Any:
        return enclose([make_item(key, directory) for key in keys(lab, directory)], directory)

    return Listing(
        name,
        titles,
        document,
        shown_in,
        name,
        make,
        keys,
        make_item,
        enclose,
        about=about,
        count=count,
        is_optional=is_optional,
    )


@cache
def row_fields(document: Any) -> tuple[str, ...]:
    """Return the fields of a facet section's entries that are texts; () for any other type of document."""
    if get_origin(document) is not Envelope:
        return ()
    hints = get_type_hints(get_args(document)[0])
    return tuple(name for name, hint in hints.items() if hint is str)


@cache
def links_of(document: Any) -> Mapping[str, LeadsTo]:
    """Return the fields, at any depth of a document's type, whose values lead somewhere, and to what."""
    kind = get_origin(document) or document
    hints = get_type_hints(kind, include_extras=True) if is_typeddict(kind) else {}
    found = {name: link.leads_to for name, hint in hints.items() if (link := _link_in(hint))}
    inner = [*hints.values(), *(part for part in get_args(document) if _is_type(part))]
    for name, leads_to in [pair for part in inner for pair in links_of(part).items()]:
        if found.setdefault(name, leads_to) is not leads_to:
            raise TypeError(f"{document}: there are two kinds of `{name}`")
    return found


@cache
def link_fields(document: Any) -> frozenset[str]:
    """Return the names of the fields, at any depth of a document's type, that hold addresses."""
    return frozenset(name for name, to in links_of(document).items() if to is not LeadsTo.LABORATORY)


def _is_type(part: Any) -> bool:
    return isinstance(part, type | UnionType) or get_origin(part) is not None


def _link_in(hint: Any) -> Link | None:
    """Return the mark of a field, which may be None instead."""
    if get_origin(hint) is Annotated:
        marks = [extra for extra in hint.__metadata__ if isinstance(extra, Link)]
        return marks[0] if marks else _link_in(hint.__origin__)
    parts = get_args(hint) if get_origin(hint) in (Union, UnionType) else ()
    return next(filter(None, map(_link_in, parts)), None)
