"""Define a laboratory's links to landing pages (docs/reference/decisions.md)."""

from typing import Annotated

from typing_extensions import TypedDict

from labgen.api.document_parts import Address
from labgen.api.endpoint import own_list


class LandingsLink(TypedDict):
    """A link to a page about one topic."""

    title: Annotated[str, "What clients show."]
    link: Annotated[Address, "An http(s) address, or a path that begins with /."]


ENDPOINT = own_list(
    "landings_links",
    titles={"de": "Themenseiten", "en": "Landing pages"},
    about={
        "de": "Seiten zu Themen, mit denen sich das Labor beschäftigt.",
        "en": "Pages about topics that the laboratory works on.",
    },
    item=LandingsLink,
)
