"""Define the section for job listings of a laboratory (docs/reference/decisions.md)."""

from typing import Annotated

from typing_extensions import TypedDict

from labgen.api.copied_documents import copier
from labgen.api.document_parts import (
    COUNTRY_FIELDS,
    Address,
    Count,
    CountryDocument,
    Date,
    country_document,
)
from labgen.api.endpoint import own_list
from labgen.model.directory import Directory, Laboratory
from labgen.model.records import JobListingRecord, LaboratoryRecord


class JobListing(TypedDict):
    """A position that is open."""

    id: Annotated[Count, "Whole number, once among the laboratory's job listings."]
    title: Annotated[str, "Title of the entry, as clients show it."]
    locality: Annotated[str, "City or place name. May be empty; may hold several places."]
    country: Annotated[CountryDocument, "Where the place is."]
    published_on: Annotated[Date, "Date, as YYYY-MM-DD."]
    valid_through: Annotated[
        Date | None, "Last day on which one may apply, as YYYY-MM-DD; null where none is set."
    ]
    url: Annotated[
        Address | None, "Where it is: an http(s) address, or a path that begins with /; null without one."
    ]


_copied = copier(JobListing, JobListingRecord)


def job_listing(job: JobListingRecord, lab: Laboratory, directory: Directory) -> JobListing:
    """Return the item of a job listing; without a country, it has that of its laboratory."""
    listing: JobListing = _copied(job)
    country = directory.countries[job.country or lab.record.country]
    listing["country"] = country_document(country, directory)
    return listing


ENDPOINT = own_list(
    "job_listings",
    title="Job listings",
    about="The open positions of the laboratory, the newest first.",
    item=JobListing,
    make_item=job_listing,
    newest_by="published_on",
    shows={LaboratoryRecord: ("country",), **COUNTRY_FIELDS},
)
