"""Define the detail document of a laboratory (specification 2.1, 2.3, 2.4)."""

from typing import Annotated

from typing_extensions import TypedDict

from labgen.api.copied_documents import copier
from labgen.api.document_parts import (
    COUNTRY_FIELDS,
    CharacterCodes,
    CountryDocument,
    DisplayId,
    FilePath,
    PublicPath,
    Rendition,
    TwoDecimals,
    WebAddress,
    all_of,
    country_document,
    logo_path,
    website_path,
)
from labgen.api.endpoint import ROOT, PerLaboratory
from labgen.model.directory import Directory, Laboratory
from labgen.model.pictures import LOGO, LOGO_2X
from labgen.model.records import ContactRecord, LaboratoryRecord, StatRecord, StatsRecord


class Status(TypedDict):
    """A status: its id, and its title from the settings."""

    id: Annotated[str, "Key of the status."]
    title: Annotated[str, "Its name in the language of the site."]


class DealStatus(Status):
    """A commercial tier."""


class VerificationStatus(Status):
    """A status of verification."""


class ContactPerson(TypedDict):
    """A contact person (specification 2.3)."""

    first_name: Annotated[str, "Given name."]
    last_name: Annotated[str, "Family name."]
    position: Annotated[str, "Job title."]
    encoded_email: Annotated[
        CharacterCodes, "The e-mail address as decimal character codes, separated by commas. May be empty."
    ]
    encoded_phone: Annotated[
        CharacterCodes, "The telephone number as decimal character codes, separated by commas. May be empty."
    ]


class Stat(TypedDict):
    """A statistic (specification 2.4)."""

    key: Annotated[str, "Name of the statistic."]
    value: Annotated[str, "Qualitative level text."]
    value_level: Annotated[str, "Colour-level word."]
    label: Annotated[str, "Label that is shown beside the value."]


class Stats(TypedDict):
    """The statistics of a laboratory."""

    projects: Annotated[Stat, "The number of projects, as a level."]


class LaboratoryDocument(TypedDict):
    """A laboratory (specification 2.1)."""

    display_id: Annotated[DisplayId, "Laboratory identifier. Digits, may have leading zeros."]
    name: Annotated[str, "Name of the laboratory, as clients show it."]
    is_verified: Annotated[bool, "Whether the directory has verified the laboratory."]
    country: Annotated[CountryDocument, "Where the laboratory is."]
    logo_url: Annotated[FilePath, Rendition(LOGO, "logo"), "Relative path to an image of 100x80 pixels."]
    logo2x_url: Annotated[
        FilePath, Rendition(LOGO_2X, "logo"), "Relative path to the same image at 200x160 pixels."
    ]
    locality: Annotated[str, "City or place name. May be empty."]
    url: Annotated[PublicPath, "Relative path of the laboratory's public page."]
    deal_status: Annotated[DealStatus, "Commercial tier of the laboratory."]
    verification_status: Annotated[VerificationStatus, "How far the laboratory is verified."]
    about: Annotated[str, "Free text. May contain CR LF line breaks."]
    contact_person: Annotated[ContactPerson, "The person to contact."]
    address: Annotated[str, "Street address line."]
    postal_code: Annotated[str, "Leading zeros are kept. May be empty."]
    website: Annotated[WebAddress | None, "Address of the laboratory's own site; null when there is none."]
    stats: Annotated[Stats, "What is known of the laboratory's work."]
    rating: Annotated[TwoDecimals, "Decimal number with two decimals, from 0.00."]


_stat = copier(Stat, StatRecord)


def laboratory(lab: Laboratory, directory: Directory) -> LaboratoryDocument:
    """Return a laboratory's detail document."""
    record, site = lab.record, directory.site
    return LaboratoryDocument(
        display_id=record.display_id,
        name=record.name,
        is_verified=record.is_verified,
        country=country_document(directory.countries[record.country], directory),
        logo_url=logo_path(lab, directory, LOGO),
        logo2x_url=logo_path(lab, directory, LOGO_2X),
        locality=record.locality,
        url=website_path(lab, directory),
        deal_status=DealStatus(id=record.deal_status, title=site.deal_statuses[record.deal_status]),
        verification_status=VerificationStatus(
            id=record.verification_status, title=site.verification_statuses[record.verification_status]
        ),
        about=record.about,
        contact_person=_contact_person(record.contact_person),
        address=record.address,
        postal_code=record.postal_code,
        website=record.website,
        stats=Stats(projects=_stat((record.stats or site.stats).projects)),
        rating=record.rating,
    )


def _contact_person(contact: ContactRecord) -> ContactPerson:
    return ContactPerson(
        first_name=contact.first_name,
        last_name=contact.last_name,
        position=contact.position,
        encoded_email=encode_contact(contact.email),
        encoded_phone=encode_contact(contact.phone),
    )


def encode_contact(text: str) -> str:
    """Return a text as decimal Unicode code points joined by commas (specification 2.3)."""
    return ",".join(map(str, map(ord, text)))


ENDPOINT = PerLaboratory(
    name=ROOT,
    title="Laboratory",
    document=LaboratoryDocument,
    spec_section="2.1",
    make=laboratory,
    about="A laboratory: address, contact, status and rating.",
    shows={
        LaboratoryRecord: {
            *(LaboratoryDocument.__annotations__.keys() & LaboratoryRecord.model_fields),
            "logo",
            "slug",
        },
        **all_of(ContactRecord, StatsRecord, StatRecord),
        **COUNTRY_FIELDS,
    },
)
