"""Define the kinds of endpoints: one document per site, one per laboratory, or the paged list.

Paths, pages, OpenAPI and tests are derived from `sections.ENDPOINTS`.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import chain
from operator import attrgetter
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from typing_extensions import get_type_hints, is_typeddict

from labgen.api.copied_documents import copier, fields_of_pictures, shown_pictures
from labgen.api.document_parts import Envelope, LeadsTo, Link, Shows, all_of
from labgen.model.catalogues import OWN_LISTS, REFERENCES, Catalogue
from labgen.model.directory import Directory, Laboratory, PagePosition
from labgen.model.record_fields import marks_of
from labgen.model.records import LaboratoryRecord, Record
from labgen.model.summaries import Card
from labgen.model.values import DATE
from labgen.problems.hints import did_you_mean

API = "/api/v1/laboratory/"
LABORATORIES = API + "laboratories/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """A kind of document of the API: its name, English title, type, and section of the specification.

    `spec_section` is None for an endpoint that only labgen proposes. `about` describes the document in an
    English sentence; other languages have their own texts, by the name. `shows` are the fields of records
    that the document depends on. An endpoint that `appears_with` a field of laboratories is optional: the
    site has it if any laboratory has a value there or the settings request it, and then for all laboratories.
    """

    name: str
    title: str
    about: str
    document: Any
    shows: Shows
    spec_section: str | None = None
    appears_with: str | None = None

    @property
    def is_optional(self) -> bool:
        """Whether a site may lack the endpoint."""
        return self.appears_with is not None

    @property
    def path_templates(self) -> tuple[str, ...]:
        """The paths of its documents, with parameters in braces, as in OpenAPI."""
        raise NotImplementedError

    @property
    def spec_paths(self) -> tuple[str, ...]:
        """The paths of its documents, with parameters in angle brackets, as in the specification."""
        return tuple(one.replace("{", "<").replace("}", ">") for one in self.path_templates)

    @property
    def shown_path(self) -> str:
        """The path of a document for examples; a laboratory is `<display_id>`."""
        return self.spec_paths[0]

    def title_in(self, directory: Directory) -> str:
        """Return the title from the settings, or in the site's language."""
        return title_of(self.name, self.title, directory)

    def about_in(self, directory: Directory) -> str:
        """Return the description of the document in the site's language."""
        return directory.language.about.get(self.name, self.about)


def title_of(name: str, title: str, directory: Directory) -> str:
    """Return the title of an endpoint from the settings, or in the site's language, or else `title`."""
    return directory.site.sections.get(name) or directory.language.titles.get(name, title)


@dataclass(frozen=True, slots=True, kw_only=True)
class PerSite(Endpoint):
    """An endpoint with one document, at a fixed path."""

    path: str
    make: Callable[[Directory], Any]

    @property
    def path_templates(self) -> tuple[str, ...]:
        """The path of its document."""
        return (self.path,)


@dataclass(frozen=True, slots=True, kw_only=True)
class PerLaboratory(Endpoint):
    """An endpoint with one document for each laboratory.

    `count` returns the number of entries in a laboratory's document; it is None if the document is not a
    list. `enclose` puts entries into a document, as its last list. If the document lists entries of a
    catalogue, `catalogue` is that, and `search_arg` the query parameter that searches laboratories by these
    entries.
    """

    make: Callable[[Laboratory, Directory], Any]
    enclose: Callable[[list[Any], Directory], Any] = lambda items, _: items
    count: Callable[[Laboratory], int] | None = None
    catalogue: Catalogue[Any] | None = None
    search_arg: str | None = None

    @property
    def segment(self) -> str:
        """The last segment of its path, after the laboratory's path; "" for the laboratory itself."""
        return "" if self.name == ROOT else self.name

    @property
    def path_templates(self) -> tuple[str, ...]:
        """The path of its documents, with the display_id as parameter."""
        return (self.path_for("{display_id}"),)

    def path_for(self, display_id: str) -> str:
        """Return the path of a laboratory's document."""
        root = f"{LABORATORIES}{display_id}/"
        return root if self.name == ROOT else f"{root}{self.name}/"


ROOT = "laboratory"
"""The name of the endpoint for the laboratory itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing(PerLaboratory):
    """An endpoint with a list of items that many laboratories share, so each item is rendered only once.

    `keys` returns the keys of a laboratory's items, in the order of the document, and `make_item` makes an
    item from a key. If there is a `catalogue`, the keys are the ids of its entries.
    """

    make: Callable[[Laboratory, Directory], Any] = field(init=False)
    keys: Callable[[Laboratory, Directory], Sequence[Hashable]]
    make_item: Callable[[Any, Directory], Any]

    def __post_init__(self) -> None:
        def make(lab: Laboratory, directory: Directory) -> Any:
            items = [self.make_item(key, directory) for key in self.keys(lab, directory)]
            return self.enclose(items, directory)

        object.__setattr__(self, "make", make)


@dataclass(frozen=True, slots=True, kw_only=True)
class Paged(Endpoint):
    """An endpoint that lists all laboratories, in several documents; the settings limit their length.

    `path` is the path of the first document. `make_item` makes an item from a laboratory's card, and
    `enclose` puts the items into a document, as its last value.
    """

    path: str
    make_item: Callable[[Card, Directory], Any]
    enclose: Callable[[list[Any], PagePosition, Directory], Any]

    @property
    def path_templates(self) -> tuple[str, ...]:
        """The path of the first document, and that of the others, with the page number as parameter."""
        return self.path, f"{self.path}{PAGE}/{{page}}/"

    def path_for(self, number: int) -> str:
        """Return the path of a document, by its page number from 1."""
        return f"{self.path}{PAGE}/{number}/" if number > 1 else self.path

    def make(self, part: PagePosition, cards: Sequence[Card], directory: Directory) -> Any:
        """Return the document for a page with these laboratories."""
        return self.enclose([self.make_item(card, directory) for card in cards], part, directory)


PAGE = "page"
"""The segment before the page number in a path."""


def _joined(*some: Shows) -> Shows:
    """Return all fields that these name."""
    return {
        record: {name for one in some for name in one.get(record, ())} for record in chain.from_iterable(some)
    }


def own_list(  # noqa: PLR0913
    name: str,
    *,
    title: str,
    about: str,
    item: Any,
    make_item: Callable[[Any, Laboratory, Directory], Any] | None = None,
    shows: Shows | None = None,
    newest_by: str | None = None,
) -> PerLaboratory:
    """Define the optional endpoint for a laboratory's own list, the field `name` of its record.

    An entry is published as an `item`, with the fields of its record and the paths of its pictures, or as the
    result of `make_item`. `shows` are the fields of other records that an item depends on. Entries are in the
    order of the record; with `newest_by`, in descending order of the date in that field, then by id.
    """
    record = _record_of(name, newest_by)
    of_pictures = fields_of_pictures(shown_pictures(item, record))
    copied = [one.listed for one in REFERENCES if one.path[0] == name and make_item is None]
    of_entries: list[Shows] = [{one.record: [one.key]} for one in copied]
    own: Shows = {LaboratoryRecord: [name]}
    make_entry = make_item or copier(item, record)

    def make(lab: Laboratory, directory: Directory) -> list[Any]:
        entries = getattr(lab.record, name)
        if newest_by:
            entries = sorted(sorted(entries, key=attrgetter("id")), key=attrgetter(newest_by), reverse=True)
        return [make_entry(one, lab, directory) for one in entries]

    return PerLaboratory(
        name=name,
        title=title,
        about=about,
        document=list[item],
        shows=_joined(own, all_of(record), of_pictures, *of_entries, shows or {}),
        appears_with=name,
        make=make,
        count=lambda lab: len(getattr(lab.record, name)),
    )


def _record_of(name: str, newest_by: str | None) -> type[Record]:
    """Return the record of an entry of a list. Raises TypeError, also without the fields that order it."""
    if name not in OWN_LISTS:
        remedy = did_you_mean(name, OWN_LISTS) or "declare it: list[…Record]"
        raise TypeError(f"own_list: LaboratoryRecord has no list of records `{name}`: {remedy}")
    fields = OWN_LISTS[name].model_fields
    for needed in (newest_by, "id") if newest_by else ():
        if needed not in fields:
            remedy = did_you_mean(needed, fields) or "newest_by needs a date and an `id`"
            raise TypeError(f"own_list: {OWN_LISTS[name].__name__} has no field `{needed}`: {remedy}")
    if newest_by and not (fields[newest_by].is_required() and DATE in marks_of(fields[newest_by])):
        needed = "newest_by needs a date that each entry has"
        raise TypeError(
            f"{OWN_LISTS[name].__name__}.{newest_by}: {needed}: its type must be Date, without a default"
        )
    return OWN_LISTS[name]


@cache
def row_fields(document: Any) -> tuple[str, ...]:
    """Return the fields of a facet section's entries that are plain texts; () for other document types."""
    if get_origin(document) is not Envelope:
        return ()
    hints = get_type_hints(get_args(document)[0])
    return tuple(name for name, hint in hints.items() if hint is str)


@cache
def links_of(document: Any) -> Mapping[str, LeadsTo]:
    """Return the fields marked with `Link`, at any depth of a document's type, and what they lead to."""
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
    """Return the names of the fields, at any depth of a document's type, that contain URLs or paths."""
    return frozenset(name for name, to in links_of(document).items() if to is not LeadsTo.LABORATORY)


def keeper_links(document: Any) -> frozenset[str]:
    """Return the names of the fields whose URLs or paths the keeper writes; they may lead into the site."""
    return frozenset(name for name, to in links_of(document).items() if to is LeadsTo.ANY)


def _is_type(part: Any) -> bool:
    return isinstance(part, type | UnionType) or get_origin(part) is not None


def _link_in(hint: Any) -> Link | None:
    """Return the `Link` in the type of a field, also of an optional field; None if there is none."""
    if get_origin(hint) is Annotated:
        marks = [extra for extra in hint.__metadata__ if isinstance(extra, Link)]
        return marks[0] if marks else _link_in(hint.__origin__)
    parts = get_args(hint) if get_origin(hint) in (Union, UnionType) else ()
    return next(filter(None, map(_link_in, parts)), None)
