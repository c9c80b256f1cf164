"""Define the query parameters of the list of laboratories, in one place."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Annotated, NamedTuple

from typing_extensions import TypedDict

from labgen.api.document_parts import Count
from labgen.api.sections import per_laboratory
from labgen.model.directory import Directory


class CountedValue(TypedDict):
    """A value of a facet, and how many laboratories have it."""

    search_val: Annotated[str, "What a search takes."]
    title: Annotated[str, "Title of the entry, as clients show it."]
    count: Annotated[Count, "How many laboratories have it that match the rest of the query."]
    is_selected: Annotated[bool, "Whether the query names this value."]


class CountedFacet(TypedDict):
    """The most frequent values of a facet."""

    name: Annotated[str, "Name of the section or field."]
    title: Annotated[str, "Localized section title."]
    search_arg: Annotated[str, "Name of the search argument that takes this section's search_val values."]
    is_exact: Annotated[bool, "Whether all values were compared; otherwise a frequent one may be missing."]
    items: Annotated[list[CountedValue], "The most frequent values first, and those that the query names."]


class FoundLaboratories(TypedDict):
    """What a page of laboratories that a query found has beside those of the list."""

    facets: Annotated[list[CountedFacet], "The facets that the query wants counted; absent without facets."]
    ignored: Annotated[
        list[str], "Words that too many laboratories have to narrow the search; absent if none."
    ]
    instead: Annotated[
        dict[str, list[str]],
        "For each word that occurs nowhere, the similar ones searched for; absent if none.",
    ]


class ListParameter(NamedTuple):
    """A parameter of the list of laboratories.

    `about` is the word of the languages that says what it takes, `what` fills it in; `values` are those that
    it knows, where they are few.
    """

    name: str
    about: str
    what: str = ""
    values: tuple[str, ...] = ()


def list_parameters(directory: Directory) -> Iterator[ListParameter]:
    """Yield the parameters of a site's list: those of its sections first."""
    site, sections = directory.site, defaultdict[str, list[str]](list)
    for one in per_laboratory(directory):
        if one.search_arg:
            sections[one.search_arg].append(one.name)
    for argument, names in sections.items():
        yield ListParameter(argument, "query_section", ", ".join(names))
    yield ListParameter("country", "query_country", values=tuple(sorted(directory.countries)))
    yield ListParameter("is_verified", "query_is_verified", values=("true", "false"))
    yield ListParameter("deal_status", "query_deal_status", values=tuple(site.deal_statuses))
    statuses = tuple(site.verification_statuses)
    yield ListParameter("verification_status", "query_verification_status", values=statuses)
    yield ListParameter("q", "query_words")
    yield ListParameter("page", "query_page")
    yield ListParameter("facets", "query_facets")
