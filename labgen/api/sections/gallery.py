"""Define the gallery section: a laboratory's pictures (specification 2.6)."""

from typing import Annotated

from typing_extensions import TypedDict

from labgen.api.copied_documents import picture_copier
from labgen.api.document_parts import FilePath, Rendition
from labgen.api.endpoint import PerLaboratory
from labgen.model.directory import Directory, Laboratory
from labgen.model.pictures import LARGE, PREVIEW
from labgen.model.records import LaboratoryRecord


class GalleryImage(TypedDict):
    """One picture of a laboratory, at two sizes."""

    preview_url: Annotated[FilePath, Rendition(PREVIEW), "Relative path to an image of 160x160 pixels."]
    large_url: Annotated[FilePath, Rendition(LARGE), "Relative path to the same image at 1600x900 pixels."]


_pictures = picture_copier(GalleryImage, LaboratoryRecord, "gallery")


def gallery(lab: Laboratory, directory: Directory) -> list[GalleryImage]:
    """Return the document: a laboratory's pictures, in the order of the record."""
    pictures: list[GalleryImage] = _pictures(lab.record, lab, directory)
    return pictures


ENDPOINT = PerLaboratory(
    name="gallery",
    title="Gallery",
    document=list[GalleryImage],
    spec_section="2.6",
    make=gallery,
    about="The pictures of the laboratory, each at two sizes.",
    shows={LaboratoryRecord: ("gallery", "focus")},
    count=lambda lab: len(lab.record.gallery),
)
