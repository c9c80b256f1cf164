"""What a laboratory offers for reading (docs/reference/decisions.md)."""

from typing import Annotated

from typing_extensions import TypedDict

from labgen.api.document_parts import Address, Count
from labgen.api.endpoint import own_list
from labgen.model.directory import Directory, Laboratory


class Resource(TypedDict):
    """A leaflet, a form, a guide: something to read."""

    id: Annotated[Count, "Whole number, once among the laboratory's resources."]
    title: Annotated[str, "What clients show."]
    summary: Annotated[str, "Plain text. May be empty; may hold line breaks."]
    url: Annotated[Address, "Where it is: an http(s) address, or a path that begins with /."]


def resources(lab: Laboratory, _: Directory) -> list[Resource]:
    """Return the resources in the order of the record."""
    return [
        Resource(id=one.id, title=one.title, summary=one.summary, url=one.url) for one in lab.record.resources
    ]


ENDPOINT = own_list(
    "resources",
    {"de": "Unterlagen", "en": "Resources"},
    about={
        "de": "Was das Labor zum Lesen anbietet: Merkblätter, Formulare, Leitfäden.",
        "en": "What the laboratory offers for reading: leaflets, forms, guides.",
    },
    item=Resource,
    make=resources,
)
