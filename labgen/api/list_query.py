"""Define the query parameters of the list of laboratories, in one place."""

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from labgen.api.sections import per_laboratory
from labgen.model.directory import Directory
from labgen.search.request import ORDERINGS


class ListParameter(NamedTuple):
    """A query parameter of the list of laboratories.

    `about` is the key in `Language.words` of its description, `what` the text for the placeholder in that;
    `values` are the accepted values, if they are few.
    """

    name: str
    about: str
    what: str = ""
    values: tuple[str, ...] = ()


def list_parameters(directory: Directory) -> Iterator[ListParameter]:
    """Yield the query parameters of a site's list of laboratories, those of its sections first."""
    site, sections = directory.site, defaultdict[str, list[str]](list)
    for one in per_laboratory(directory):
        if one.search_arg:
            sections[one.search_arg].append(one.name)
    for argument, names in sections.items():
        yield ListParameter(argument, "query_section", ", ".join(names))
    yield ListParameter("country", "query_country", values=tuple(sorted(directory.countries)))
    yield ListParameter("locality", "query_locality")
    yield ListParameter("postal_area", "query_postal_area")
    yield ListParameter("is_verified", "query_is_verified", values=("true", "false"))
    yield ListParameter("deal_status", "query_deal_status", values=tuple(site.deal_statuses))
    statuses = tuple(site.verification_statuses)
    yield ListParameter("verification_status", "query_verification_status", values=statuses)
    yield ListParameter("q", "query_words")
    yield ListParameter("page", "query_page")
    yield ListParameter("facets", "query_facets")
    yield ListParameter("matches", "query_matches", values=("true", "false"))
    yield ListParameter("ordering", "query_ordering", values=ORDERINGS)
