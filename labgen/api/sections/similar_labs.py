"""Define the section for the laboratories that are similar to a laboratory (specification 2.5)."""

from labgen.api.document_parts import CARD_FIELDS, SimilarLab, card_document
from labgen.api.endpoint import Listing
from labgen.model.records import LaboratoryRecord

ENDPOINT = Listing(
    name="similar_labs",
    title="Similar laboratories",
    document=list[SimilarLab],
    spec_section="2.5",
    about="Laboratories whose work is like that of this one.",
    shows={**CARD_FIELDS, LaboratoryRecord: {*CARD_FIELDS[LaboratoryRecord], "similar_labs"}},
    count=lambda lab: len(lab.similar),
    keys=lambda lab, _: lab.similar,
    make_item=card_document,
)
