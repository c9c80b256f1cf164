"""Laboratories like this one (specification 2.5)."""

from labgen.api.document_parts import SimilarLab, similar_lab
from labgen.api.endpoint import listing

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
