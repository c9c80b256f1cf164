"""Laboratories like this one (specification 2.5)."""

from typing import Annotated

from typing_extensions import TypedDict

from labgen.directory import Directory, Laboratory
from labgen.documents import CountryDocument, RelativePath, country_document, image_path, public_path
from labgen.registry import PerLaboratory
from labgen.summaries import Card


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
    return [_item(card, directory) for card in lab.similar]


def _item(card: Card, directory: Directory) -> SimilarLab:
    return SimilarLab(
        display_id=card.display_id,
        name=card.name,
        image_url=image_path(card.image, directory) if card.image else None,
        locality=card.locality,
        country=country_document(directory.countries[card.country], directory),
        url=public_path(card, directory),
    )


ENDPOINT = PerLaboratory(
    "similar_labs",
    {"de": "Ähnliche Labore", "en": "Similar laboratories"},
    document=list[SimilarLab],
    shown_in="2.5",
    segment="similar_labs",
    make=similar_labs,
)
