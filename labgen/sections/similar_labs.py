"""Laboratories like this one (specification 2.5)."""

from typing import Annotated

from typing_extensions import TypedDict

from labgen.directory import Directory
from labgen.documents import (
    CountryDocument,
    DisplayId,
    RelativePath,
    country_document,
    image_path,
    public_path,
)
from labgen.media import CARD
from labgen.registry import listing
from labgen.summaries import Card


class SimilarLab(TypedDict):
    """A laboratory as lists show it."""

    display_id: Annotated[DisplayId, "Laboratory identifier."]
    name: Annotated[str, "What clients show."]
    image_url: Annotated[
        RelativePath | None, "Relative path to an image of 160x224 pixels; null when there is no image."
    ]
    locality: Annotated[str, "City or place name. May be empty, may hold several places."]
    country: Annotated[CountryDocument, "Where the laboratory is."]
    url: Annotated[RelativePath, "Relative path of the laboratory's public page."]


def similar_lab(card: Card, directory: Directory) -> SimilarLab:
    """Return a laboratory of the record's own list, or of the computed one."""
    return SimilarLab(
        display_id=card.display_id,
        name=card.name,
        image_url=image_path(card.image, CARD, directory) if card.image else None,
        locality=card.locality,
        country=country_document(directory.countries[card.country], directory),
        url=public_path(card, directory),
    )


ENDPOINT = listing(
    "similar_labs",
    {"de": "Ähnliche Labore", "en": "Similar laboratories"},
    document=list[SimilarLab],
    shown_in="2.5",
    about={
        "de": "Labore, die ähnlich arbeiten wie dieses.",
        "en": "Laboratories whose work is like that of this one.",
    },
    count=lambda lab: len(lab.similar),
    keys=lambda lab, _: lab.similar,
    make_item=similar_lab,
)
