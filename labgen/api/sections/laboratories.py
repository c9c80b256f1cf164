"""Define the paged list of all laboratories (docs/reference/decisions.md)."""

from typing import Annotated

from typing_extensions import TypedDict

from labgen.api.document_parts import CARD_FIELDS, Count, DocumentPath, SimilarLab, card_document
from labgen.api.endpoint import LABORATORIES, Paged
from labgen.model.directory import Directory, PagePosition


class LaboratoryList(TypedDict):
    """A page of the list of laboratories, in the order of their display_ids, compared as texts."""

    count: Annotated[Count, "How many laboratories the directory has."]
    next: Annotated[DocumentPath | None, "Relative path of the next page; null on the last."]
    previous: Annotated[DocumentPath | None, "Relative path of the page before; null on the first."]
    results: Annotated[list[SimilarLab], "The laboratories of this page."]


def _enclose(items: list[SimilarLab], part: PagePosition, directory: Directory) -> LaboratoryList:
    base = directory.site.base_path
    return LaboratoryList(
        count=part.total,
        next=base + ENDPOINT.path_for(part.number + 1) if part.number < part.last else None,
        previous=base + ENDPOINT.path_for(part.number - 1) if part.number > 1 else None,
        results=items,
    )


ENDPOINT = Paged(
    name="laboratories",
    title="Laboratories",
    document=LaboratoryList,
    path=LABORATORIES,
    make_item=card_document,
    enclose=_enclose,
    about="All laboratories of the directory, in pages, in the order of their numbers.",
    shows=CARD_FIELDS,
)
