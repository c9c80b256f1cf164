"""Define what a search adds to the list of laboratories (labgen/search/README.md, "The answer")."""

from typing import Annotated, NotRequired

from typing_extensions import TypedDict

from labgen.api.document_parts import Count, DisplayId, SearchArgument, SectionTitle


class CountedValue(TypedDict):
    """A value of a facet, and how many laboratories have it."""

    search_val: Annotated[str, "What a search takes."]
    title: Annotated[str, "Title of the entry, as clients show it."]
    count: Annotated[Count, "How many laboratories have it that match the rest of the query."]
    is_selected: Annotated[bool, "Whether the query names this value."]


class CountedFacet(TypedDict):
    """The most frequent values of a facet."""

    name: Annotated[str, "Name of the section or field."]
    title: SectionTitle
    search_arg: SearchArgument
    is_exact: Annotated[bool, "Whether all values were compared; otherwise a frequent one may be missing."]
    items: Annotated[list[CountedValue], "The most frequent values first, and those that the query names."]


class FoundEntry(TypedDict):
    """An entry that has words of the query."""

    name: Annotated[str, "Name of the section or field."]
    section: SectionTitle
    search_arg: SearchArgument
    search_val: Annotated[str, "What a search takes."]
    title: Annotated[str, "Title of the entry, as clients show it."]
    marked: Annotated[
        list[str], "The title in parts; every other one, from the second on, is what was found."
    ]


class Suggestion(FoundEntry):
    """An entry that a text may mean; clients suggest it while one types."""

    count: Annotated[Count, "How many laboratories have it that match the query, too."]
    rest: Annotated[str, "What of the text the entry does not have."]


class Reason(TypedDict):
    """Why a laboratory was found."""

    display_id: Annotated[DisplayId, "Laboratory identifier."]
    entries: Annotated[list[FoundEntry], "Entries with words of the query, at most three."]
    texts: Annotated[list[str], "Words that only the free texts of the laboratory have."]
    rating: NotRequired[Annotated[str, "Its rating; absent unless the results are ordered by it."]]


class FoundLaboratories(TypedDict, total=False):
    """What a page of laboratories that a query found has beside those of the list."""

    facets: Annotated[list[CountedFacet], "The facets that the query wants counted; absent without facets."]
    matches: Annotated[
        list[Reason], "Why each laboratory was found, in their order; absent without matches=true."
    ]
    ignored: Annotated[
        list[str], "Words that too many laboratories have to narrow the search; absent if none."
    ]
    instead: Annotated[
        dict[str, list[str]],
        "For each word or designation that occurs nowhere, what was searched for instead; absent if none.",
    ]
    unknown: Annotated[
        dict[str, list[str]], "By parameter, the values that no laboratory has; absent if none."
    ]


SEARCH_TYPES = (FoundLaboratories, Suggestion)
"""What clients of the search get, beside documents."""
