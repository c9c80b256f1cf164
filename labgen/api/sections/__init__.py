"""List all endpoints of the API. Each module of this package defines one endpoint, or those of one kind."""

from collections import Counter
from collections.abc import Collection

from labgen.api.copied_documents import ShownPicture, shown_pictures
from labgen.api.endpoint import Endpoint, Paged, PerLaboratory, PerSite
from labgen.api.sections import (
    facets,
    gallery,
    job_listings,
    laboratories,
    laboratory,
    landings_links,
    new,
    resources,
    reviews,
    similar_labs,
    upgrade_options,
)
from labgen.model.catalogues import OWN_LISTS, RECORDS
from labgen.model.directory import Directory
from labgen.model.picture_fields import PICTURE_FIELDS, is_pictured
from labgen.model.records import LaboratoryRecord
from labgen.problems.hints import did_you_mean

ENDPOINTS: tuple[Endpoint, ...] = (
    laboratories.ENDPOINT,
    laboratory.ENDPOINT,
    gallery.ENDPOINT,
    similar_labs.ENDPOINT,
    *facets.ENDPOINTS,
    resources.ENDPOINT,
    landings_links.ENDPOINT,
    job_listings.ENDPOINT,
    reviews.ENDPOINT,
    new.ENDPOINT,
    upgrade_options.ENDPOINT,
)


def check_fields(endpoints: Collection[Endpoint]) -> None:
    """Raise TypeError if a field of a record is neither shown by an endpoint nor declared unpublished.

    Raises it also if two endpoints have the same name.
    """
    for name, number in Counter(one.name for one in endpoints).items():
        if number > 1:
            raise TypeError(f"ENDPOINTS has `{name}` twice: leave out one, or give it another name")
    shows = [one.shows for one in endpoints]
    for record in RECORDS:
        shown = record.unpublished.keys() | {name for one in shows for name in one.get(record, ())}
        if missing := record.model_fields.keys() - shown:
            raise TypeError(f"no endpoint shows {record.__name__}.{min(missing)}, nor is it `unpublished`")
        if unknown := shown - record.model_fields.keys():
            name = min(unknown)
            remedy = did_you_mean(name, record.model_fields) or "correct `shows` or `unpublished`"
            raise TypeError(f"{record.__name__} has no field `{name}`, which an endpoint shows: {remedy}")


def pictures_of(endpoint: Endpoint) -> list[ShownPicture]:
    """Return the paths of pictures in an endpoint's document, or in the documents that it lists."""
    is_gallery = is_pictured(LaboratoryRecord, endpoint.name)
    record = OWN_LISTS.get(endpoint.name, LaboratoryRecord)
    return shown_pictures(endpoint.document, record, endpoint.name if is_gallery else "")


def check_pictures(endpoints: Collection[Endpoint]) -> None:
    """Raise TypeError if no endpoint shows a picture in one of its sizes."""
    shown = {(one.field.use, one.size) for endpoint in endpoints for one in pictures_of(endpoint)}
    for use, field in PICTURE_FIELDS.items():
        for size in field.declared.sizes:
            if (use, size) not in shown:
                name = field.paths[0][-1]
                remedy = f'mark a field of it Rendition(Size{tuple(size)}, "{name}"), or remove the size'
                raise TypeError(f"no document shows `{use}` in {size}: {remedy}")


check_fields(ENDPOINTS)
check_pictures(ENDPOINTS)

PER_LABORATORY = tuple(endpoint for endpoint in ENDPOINTS if isinstance(endpoint, PerLaboratory))
PAGED = tuple(endpoint for endpoint in ENDPOINTS if isinstance(endpoint, Paged))
PER_SITE = tuple(endpoint for endpoint in ENDPOINTS if isinstance(endpoint, PerSite))
SECTION_NAMES = tuple(endpoint.name for endpoint in ENDPOINTS)


def appears(endpoint: Endpoint, directory: Directory) -> bool:
    """Return whether a site has an endpoint."""
    return not endpoint.is_optional or endpoint.name in directory.appearing


def endpoints_of(directory: Directory) -> tuple[Endpoint, ...]:
    """Return the endpoints that a site has."""
    return tuple(endpoint for endpoint in ENDPOINTS if appears(endpoint, directory))


def per_laboratory(directory: Directory) -> tuple[PerLaboratory, ...]:
    """Return the endpoints that a site has for each laboratory."""
    return tuple(endpoint for endpoint in PER_LABORATORY if appears(endpoint, directory))


def per_site(directory: Directory) -> tuple[PerSite, ...]:
    """Return the endpoints with one document that a site has."""
    return tuple(endpoint for endpoint in PER_SITE if appears(endpoint, directory))
