"""Define the list of the newest laboratories (docs/reference/decisions.md)."""

from labgen.api.document_parts import CARD_FIELDS, SimilarLab, card_document
from labgen.api.endpoint import LABORATORIES, PerSite
from labgen.model.directory import Directory
from labgen.model.records import LaboratoryRecord


def new(directory: Directory) -> list[SimilarLab]:
    """Return the document: the laboratories with the latest dates, the newest first, then by display_id."""
    return [card_document(one.card, directory) for one in directory.newest]


ENDPOINT = PerSite(
    name="new",
    title="New laboratories",
    document=list[SimilarLab],
    path=LABORATORIES + "new/",
    make=new,
    about="The laboratories that came into the directory last, the newest first.",
    shows={**CARD_FIELDS, LaboratoryRecord: {*CARD_FIELDS[LaboratoryRecord], "published_on"}},
    appears_with="published_on",
)
