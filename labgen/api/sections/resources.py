"""Define the section for leaflets, forms and guides of a laboratory (docs/reference/decisions.md)."""

from typing import Annotated

from typing_extensions import TypedDict

from labgen.api.document_parts import Address, Count
from labgen.api.endpoint import own_list


class Resource(TypedDict):
    """A leaflet, a form, a guide: something to read."""

    id: Annotated[Count, "Whole number, once among the laboratory's resources."]
    title: Annotated[str, "Title of the entry, as clients show it."]
    summary: Annotated[str, "Plain text. May be empty; may hold line breaks."]
    url: Annotated[Address, "Where it is: an http(s) address, or a path that begins with /."]


ENDPOINT = own_list(
    "resources",
    title="Resources",
    about="What the laboratory offers for reading: leaflets, forms, guides.",
    item=Resource,
)
