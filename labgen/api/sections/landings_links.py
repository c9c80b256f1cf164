"""Define the section for a laboratory's links to landing pages (docs/reference/decisions.md)."""

from typing import Annotated

from typing_extensions import TypedDict

from labgen.api.document_parts import Address
from labgen.api.endpoint import own_list


class LandingsLink(TypedDict):
    """A link to a page about one topic."""

    title: Annotated[str, "Title of the entry, as clients show it."]
    link: Annotated[Address, "An http(s) address, or a path that begins with /."]


ENDPOINT = own_list(
    "landings_links",
    title="Landing pages",
    about="Pages about topics that the laboratory works on.",
    item=LandingsLink,
)
