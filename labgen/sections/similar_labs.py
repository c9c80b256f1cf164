"""Laboratories like this one (specification 2.5)."""

from typing import Annotated

from typing_extensions import TypedDict

from labgen.directory import Directory, Laboratory
from labgen.documents import CountryDocument, RelativePath, country_document, image_path, public_path
from labgen.registry import PerLaboratory


class SimilarLab(TypedDict):
    """A laboratory as lists show it."""

    display_id: str
    name: str
    image_url: Annotated[
        RelativePath | None, "Relative path to an image of 160x224 size; null when there is no image."
    ]
    locality: Annotated[str, "May be empty. May hold several places in one string."]
    country: CountryDocument
    url: Annotated[RelativePath, "Relative path of the laboratory's public page."]


def similar_labs(lab: Laboratory, directory: Directory) -> list[SimilarLab]:
    """Return the laboratories of the record's own list, or the computed ones."""
    return [_item(directory.laboratories[other], directory) for other in directory.similar_to(lab)]


def _item(lab: Laboratory, directory: Directory) -> SimilarLab:
    record = lab.record
    return SimilarLab(
        display_id=record.display_id,
        name=record.name,
        image_url=image_path(record.image, directory) if record.image else None,
        locality=record.locality,
        country=country_document(lab.country, directory),
        url=public_path(lab, directory),
    )


ENDPOINT = PerLaboratory(
    "similar_labs",
    {"de": "Ähnliche Labore", "en": "Similar laboratories"},
    document=list[SimilarLab],
    shown_in="2.5",
    segment="similar_labs",
    make=similar_labs,
)
